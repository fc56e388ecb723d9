"""The compiled library of a kernel: what it may ask of others, and what may run when it is loaded."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess

from ..sentence import said

_HEADER = (pathlib.Path(__file__).parent / "cuda_on_cpu.h").read_text(encoding="utf-8")
_DECLARED = re.findall(
    r"(\w+)\((?=(?:int|float|double)\b)|(cpu_\w+)\(", _HEADER.partition('extern "C" {')[2].partition("}")[0]
)
_SIZES = (1, 2, 4, 8, 16)
_TOLD = [f"{how}{size}" for how in ("read", "write", "unaligned_read", "unaligned_write") for size in _SIZES]
# The functions of others that a kernel's library may call: those that cuda_on_cpu.h declares, those of the sanitizer,
# the checks of guard.py, and what g++ calls to copy a large struct and to find shared memory. None of them takes a
# pointer of the kernel without checking it.
CALLED = frozenset(
    [name or own for name, own in _DECLARED]
    + [f"__tsan_{name}" for name in [*_TOLD, *"read_range write_range init func_entry func_exit vptr_update".split()]]
    + "__ubsan_handle_out_of_bounds __tls_get_addr __wrap_memcpy __wrap_memmove __wrap_memset".split()
    + "cpu_entered cpu_leaving cpu_off_the_end".split()
    + [f"cpu_{how}{size}" for how in ("load", "store") for size in (*_SIZES, "16a")]
)
# Entries of the dynamic section by which something runs, or is loaded, along with the library.
_RUNS = re.compile(
    r"\((INIT|FINI|INIT_ARRAY|PREINIT_ARRAY|FINI_ARRAY|NEEDED|AUXILIARY|FILTER|TEXTREL|AUDIT|DEPAUDIT)\)"
)


def unfit(path: str) -> str:
    """A sentence about the library, "" if it is fit. Raises OSError without binutils."""
    words = _output("readelf", "-Wsd", path)
    if _RUNS.search(words):
        return said("a global object with a constructor would run when the kernel is loaded")
    return _unfit_symbols(words)


def _unfit_symbols(words: str) -> str:
    for line in words.splitlines():
        fields = line.split()
        if len(fields) != 8 or not fields[0].rstrip(":").isdigit():
            continue
        kind, index, name = fields[3], fields[6], fields[7]
        if index == "UND" and name not in CALLED:
            return _undefined(name)
        if index != "UND" and name in CALLED or kind == "IFUNC":
            return said("'{name}' is a name of what runs the kernels", name=name)
    return ""


def _undefined(name: str) -> str:
    if name.startswith(("__tsan_atomic", "__cxa_")):
        return said("a static variable needs a value that is known before the kernel runs")
    if name.startswith(("_Zn", "_Zd")):
        return said("new and delete have no memory to give here")
    if name.startswith("_Z"):
        return said("a function is declared and never defined")
    return said("'{name}' is declared and never defined", name=name)


def _output(*command: str) -> str:
    environment = os.environ | {"LC_ALL": "C"}
    return subprocess.run(
        command, check=True, capture_output=True, env=environment, encoding="utf-8", errors="replace"
    ).stdout
