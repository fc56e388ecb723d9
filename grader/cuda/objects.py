"""The compiled library of a kernel: what it may ask of others, and what may run when it is loaded."""

from __future__ import annotations

import math
import os
import pathlib
import re
import subprocess

_FLOAT = (
    "exp exp2 exp10 expm1 log log2 log10 log1p sqrt cbrt fabs floor ceil round rint trunc sin cos tan tanh erf "
    "ldexp copysign fmax fmin pow fmod fma"
)
_DOUBLE = "exp exp2 log log2 sqrt fabs floor ceil fmax fmin pow fma abs"
_ACCESSES = [
    f"{how}{size}" for how in ("read", "write", "unaligned_read", "unaligned_write") for size in (1, 2, 4, 8, 16)
]
# The functions of others that a kernel's library may call: the runtime's, those that cuda_on_cpu.h declares, and two
# that g++ makes of these.
CALLED = frozenset(
    [f"__tsan_{name}" for name in [*_ACCESSES, *"read_range write_range init func_entry func_exit vptr_update".split()]]
    + "__ubsan_handle_out_of_bounds __tls_get_addr __wrap_memcpy __wrap_memmove __wrap_memset".split()
    + "cpu_index cpu_barrier cpu_warp cpu_atomic cpu_trap".split()
    + [f"{name}f" for name in _FLOAT.split()]
    + _DOUBLE.split()
    + ["sincosf", "lrintf"]
)
# Entries of the dynamic section by which something runs, or is loaded, along with the library.
_RUNS = re.compile(r"\((INIT|FINI|PREINIT_ARRAY|FINI_ARRAY|NEEDED|AUXILIARY|FILTER|TEXTREL|AUDIT|DEPAUDIT)\)")
_ONE_ENTRY = "8 (bytes)"  # of INIT_ARRAY: the sanitizer's own
# The type of an array in the data of a bounds check. The sanitizer does not see an access that begins at a local
# variable, so no type is larger than a block's shared memory.
_ARRAY = re.compile(rb"'[^'\0]*?((?: ?\[\d+\])+)'")
_MOST_ELEMENTS = 48 << 10
_INDIRECT = re.compile(r"^\s*([0-9a-f]+):\s+(?:\w+ )*(?:call|jmp)\w*\s+\*", re.MULTILINE)


def unfit(path: str) -> tuple[str, int]:
    """(sentence about the library, address of the instruction or 0), or ("", 0). Raises OSError without binutils."""
    said = _said("readelf", "-Wsd", path)
    sentence = _unfit_symbols(said)
    started = re.search(r"\(INIT_ARRAYSZ\)\s+(.*)", said)
    if _RUNS.search(said) or (started and started[1].strip() != _ONE_ENTRY):
        sentence = "a global object with a constructor would run when the kernel is loaded"
    bounds = _ARRAY.findall(pathlib.Path(path).read_bytes())
    if any(math.prod(map(int, re.findall(rb"\d+", each))) > _MOST_ELEMENTS for each in bounds):
        sentence = "no memory of a block is as large as one of the kernel's arrays"
    if sentence:
        return sentence, 0
    found = _INDIRECT.search(_said("objdump", "-d", "-j", ".text", "--no-show-raw-insn", path))
    return ("a kernel calls functions by their names, not by their addresses", int(found[1], 16)) if found else ("", 0)


def _unfit_symbols(said: str) -> str:
    for line in said.splitlines():
        fields = line.split()
        if len(fields) != 8 or not fields[0].rstrip(":").isdigit():
            continue
        kind, index, name = fields[3], fields[6], fields[7]
        if index == "UND" and name not in CALLED:
            return _undefined(name)
        if index != "UND" and name in CALLED or kind == "IFUNC" or (index == "ABS" and kind != "FILE"):
            return f"'{name}' is a name of what runs the kernels"
    return ""


def _undefined(name: str) -> str:
    if name.startswith(("__tsan_atomic", "__cxa_")):
        return "a static variable needs a value that is known before the kernel runs"
    return f"{'a function' if name.startswith('_Z') else repr(name)} is declared and never defined"


def _said(*command: str) -> str:
    environment = os.environ | {"LC_ALL": "C"}
    return subprocess.run(
        command, check=True, capture_output=True, env=environment, encoding="utf-8", errors="replace"
    ).stdout
