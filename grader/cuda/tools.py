"""The programs that CUDA on the CPU needs: g++ and those of binutils.

An answer's process must not start programs. A helper process starts them, and runs no code of the answer.
"""

from __future__ import annotations

import fcntl
import functools
import os
import pathlib
import re
import socket
import subprocess
import tempfile
from collections.abc import Callable

from ..protocol import frames
from ..sentence import foreign, said, tree
from . import guard, kernel_text, objects, readers

_HERE = pathlib.Path(__file__).parent
_FLAGS = "-std=c++17 -O1 -w -fPIC".split()
_PREPROCESSED = "-E -std=c++17 -nostdinc -w -fmax-errors=20 -x c++ -".split()
# -fno-tree-sra keeps the copy of a float4 one access of 16 bytes. -fvisibility=hidden separates equal names of two
# kernels. -nodefaultlibs leaves out the sanitizers' libraries, which memory.h replaces; -nostartfiles and no RTTI leave
# objects.py less to look at. guard.py wants functions with one frame, which end with a return, and no table of jumps.
# What is inlined is told of as the text has it: a float4 that a call takes is one access. No sine is merged with a
# cosine: the function for both takes two pointers.
_WATCHED = (
    "-S -g1 -fno-stack-protector -fno-stack-clash-protection -fno-exceptions -fno-rtti -fno-use-cxa-atexit "
    "-fno-math-errno -fno-builtin-sin -fno-builtin-sinf -fno-tree-sra -fno-jump-tables -fvisibility=hidden "
    "-fno-gnu-unique -fmax-errors=20 "
    "-ftls-model=local-dynamic -fomit-frame-pointer -fno-shrink-wrap -fno-optimize-sibling-calls "
    "-fno-reorder-blocks-and-partition -fno-asynchronous-unwind-tables "
    "-fsanitize=thread,bounds-strict -finline-functions -finline-small-functions --param max-inline-insns-auto=10000 "
    "--param max-inline-insns-single=10000 --param early-inlining-insns=1000 --param large-function-growth=10000 "
    "--param inline-unit-growth=10000 --param large-stack-frame-growth=10000"
).split()
# A variable of a thread holds nothing of use before it is set, where g++ would let it be 0.
_FILLED, _FIRST_THAT_FILLS = ["-ftrivial-auto-var-init=pattern"], 12
_LINKED = (
    "-shared -nodefaultlibs -nostartfiles "
    "-Wl,-z,relro,-z,now,-z,separate-code,-Bsymbolic,--wrap=memcpy,--wrap=memmove,--wrap=memset"
).split()
_MOST_TEXT = 1 << 20  # characters of a preprocessed kernel
_TEXT = {"encoding": "utf-8", "errors": "replace"}
_EMPTY = "empty"  # the library of an empty kernel
_MOST_ASSEMBLY = 8 << 20  # bytes of what g++ makes of it
_PATIENCE = 4  # seconds; g++ needs 0.3, and it tries again for 15 where it cannot start a process
# Each program that g++ starts has 4 seconds of CPU time. A shell says so, because a fork of this large process is slow.
_LIMITED = "/bin/sh", "-c", 'ulimit -S -t 4; exec "$@"', "sh"
_TOO_MUCH = kernel_text.refusal(
    0, said("g++ needs too much time or memory for it: do macros, templates or constants grow in it?")
)
_beside: socket.socket | None = None
_runtime: str | None = None


class Unavailable(Exception):
    """This machine cannot compile or load any kernel."""


@functools.cache
def sealed_runtime(folder: str) -> int | None:
    """Compile the library that runs kernels, once for all later forks.

    Returns the descriptor of a file in memory that is sealed against changes; None where g++ or such a file is not
    available, and each fork has to compile its own. folder: for temporary files. Raises Unavailable.
    """
    _version()  # so that no fork has to ask
    try:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            output, blame = _build("runtime", None, place)
            if blame:
                raise Unavailable(blame)
            if output:
                return None
            made = pathlib.Path(place, "runtime.so").read_bytes()
        file = os.memfd_create("runtime", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.write(file, made)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    except (OSError, AttributeError):  # AttributeError: Python was built on a machine without such files
        return None
    return file


@functools.cache
def _version() -> int:
    """The version of g++; 0 where it does not say."""
    try:
        done = subprocess.run(["g++", "-dumpversion"], capture_output=True, **_TEXT)
    except OSError:
        return 0
    found = re.match(r"\d+", done.stdout)
    return int(found[0]) if found else 0


def use_runtime(file: int | None) -> None:
    """Make `runtime` return the file of `sealed_runtime`; None: it compiles the library."""
    global _runtime
    _runtime = None if file is None else f"/proc/self/fd/{file}"


def runtime() -> tuple[str, str]:
    """(path of the library that runs kernels, error text of g++ or "")."""
    if _runtime is not None:
        return _runtime, ""
    return _file("runtime"), build("runtime", None)


def read(source: str, number: int) -> tuple[str, str]:
    """(a kernel's text as the preprocessor leaves it, "") for the compiler with a number; or ("", error text of g++).

    number: as in readers.arguments. Raises Unavailable.
    """
    text, output, blame = _asked("read", "reader", [source, number])
    if blame:
        raise Unavailable(blame)
    return text, output


def build(library: str, text: str | None) -> str:
    """Compile a library into the current folder; returns the error text of g++, "" on success.

    text: what `read` returns for a kernel; None for runtime.cpp. Raises Unavailable.
    """
    output, blame = _asked("build", library, text)
    if blame:
        raise Unavailable(blame)
    return output


def line(library: str, code: int) -> int:
    """The line of the kernel's text for the address of an instruction; 0 where it is unknown."""
    return _asked("line", library, code)


def start_beside(confine: Callable[[], None]) -> None:
    """Start the helper process, a fork of this one, which runs the programs from now on.

    confine: the helper calls it first. The helper ends when this process ends.
    """
    global _beside
    ours, theirs = socket.socketpair()
    if os.fork():
        theirs.close()
        _beside = ours
        return
    try:
        ours.close()
        confine()
        while True:
            asked, _ = frames.receive(theirs, 0)
            what, library, given = asked["ask"]
            frames.send(theirs, {"said": _packed(_TOOLS[what](library, given))})
    finally:  # the answer's process has ended, or it sent another request
        os._exit(0)


def _asked(what: str, library: str, given):
    if _beside is None:
        return _TOOLS[what](library, given)
    try:
        frames.send(_beside, {"ask": [what, library, given]})
        return _unpacked(frames.receive(_beside, 0)[0]["said"])
    except (frames.BrokenChannel, OSError) as error:
        raise Unavailable(said("the process that runs g++ has ended: {error}", error=error)) from None


def _packed(answer):
    """The answer of a tool as JSON data: texts, or a number."""
    return [tree.pack(text) for text in answer] if isinstance(answer, tuple) else answer


def _unpacked(data):
    return tuple(map(tree.unpack, data)) if isinstance(data, list) else data


def _name(library: str) -> str:
    if not re.fullmatch(r"[a-z]+\d*", library):
        raise ValueError(library)
    return f"{library}.so"


def _file(library: str) -> str:
    return os.path.abspath(_name(library))


def _read(library: str, given: list, folder: str | None = None) -> tuple[str, str, str]:
    """(text as the preprocessor leaves it, *what `_build` returns). given: text of a kernel, number of its reader."""
    source, number = given
    folder = folder or os.getcwd()
    file = os.path.join(folder, f"{library}.ii")
    if refused := kernel_text.unfit_directive(source):
        return "", refused, ""
    named = [*readers.arguments(number), *_PREPROCESSED]
    failed = _compiler(library, folder, *named, "-o", file, given=f'# 1 "kernel"\n{source}\n')
    if any(failed):
        return "", *failed
    try:
        with open(file, **_TEXT) as made:
            words = made.read(_MOST_TEXT)
    except OSError as error:
        return "", "", said("g++ does not work here: it makes no {filename}", filename=error.filename)
    return ("", _TOO_MUCH, "") if len(words) == _MOST_TEXT else (words, "", "")


def _build(library: str, text: str | None, folder: str | None = None) -> tuple[str, str]:
    """(error text of g++ or "", a sentence if it cannot compile an empty kernel either, else "")."""
    folder = folder or os.getcwd()
    file = os.path.join(folder, _name(library))
    if text is None:
        return _compiler(library, folder, *_FLAGS, "-shared", str(_HERE / "runtime.cpp"), "-o", file)
    text, refused = kernel_text.preprocessed(text)
    if refused:
        return refused, ""
    text = f'#include "{_HERE / "cuda_on_cpu.h"}"\n# 1 "kernel"\n{text}\n'
    machine = guard.instruction_set(processor := guard.processor())
    filled = _FILLED if _version() >= _FIRST_THAT_FILLS else []
    if not machine:
        return "", said("kernels of lesson 12 run on x86-64 and on 64-bit ARM, not on {processor}", processor=processor)
    failed = _compiler(
        library, folder, *_FLAGS, *_WATCHED, *filled, *machine.FLAGS, "-x", "c++", "-", "-o", f"{file}.s", given=text
    )
    if any(failed):
        return failed
    if os.path.getsize(f"{file}.s") > _MOST_ASSEMBLY:
        return _TOO_MUCH, ""
    text, refused = guard.guarded(pathlib.Path(f"{file}.s").read_text(encoding="utf-8"), processor)
    if refused:
        return refused, ""
    failed = _compiler(library, folder, *_LINKED, "-x", "assembler", "-", "-o", file, given=text)
    return failed if any(failed) or library == _EMPTY else _unfit(file)


def _compiler(library: str, folder: str, *arguments: str, given: str = "") -> tuple[str, str]:
    """Run g++; returns as `_build`. folder: for its temporary files. given: its standard input."""
    environment = os.environ | {"LC_ALL": "C", "TMPDIR": folder}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    try:
        running = subprocess.Popen([*_LIMITED, "g++", *arguments], env=environment, **pipes, **_TEXT)
    except OSError as error:
        return "", said("g++ cannot be started: {strerror}", strerror=error.strerror)
    try:
        words = running.communicate(given, _PATIENCE)[1]
    except subprocess.TimeoutExpired:
        if fault := _fault(library, folder, said("g++ is not done after {PATIENCE} seconds", PATIENCE=_PATIENCE)):
            return "", fault  # what is left of g++ ends with the process of the answer
        words = running.communicate()[1]
    if not running.returncode:
        return "", ""
    words = words or "g++ failed"
    if foreign.is_a(words, "gave-up"):
        return _TOO_MUCH, _fault(library, folder, words.strip().splitlines()[-1])
    return words, "" if foreign.names_a_line(words) else _fault(library, folder, words.strip().splitlines()[-1])


def _fault(library: str, folder: str, words: str) -> str:
    """A sentence with what g++ said if it cannot compile an empty kernel either, else ""."""
    if library != _EMPTY:
        text, _, fault = _read(_EMPTY, ["", 0], folder)
        return fault or _build(_EMPTY, text, folder)[1]
    return said("g++ does not work here: {said}", said=words)


def _unfit(file: str) -> tuple[str, str]:
    try:
        sentence = objects.unfit(file)
    except (OSError, subprocess.CalledProcessError):
        return "", said("readelf and objdump, which come with g++, cannot be started")
    return sentence, ""


def _line(library: str, code: int) -> int:
    try:
        done = subprocess.run(["addr2line", "-i", "-e", _file(library), hex(code)], capture_output=True, **_TEXT)
    except OSError:
        return 0
    found = re.search(r"kernel:(\d+)", done.stdout)
    return int(found[1]) if found else 0


_TOOLS = {"read": _read, "build": _build, "line": _line}
