"""The programs that CUDA on the CPU needs: g++ and addr2line.

An answer's process must not start programs. A helper process starts these two, and runs no code of the answer.
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

_HERE = pathlib.Path(__file__).parent
_FLAGS = "-std=c++17 -O1 -w -fPIC -shared".split()
# -fno-tree-sra keeps the copy of a float4 one access of 16 bytes. -fvisibility=hidden separates equal names of two
# kernels. -nodefaultlibs leaves out the sanitizers' libraries, which memory.h replaces.
_WATCHED = (
    "-g1 -nodefaultlibs -fno-exceptions -fno-math-errno -fno-tree-sra -fvisibility=hidden -fno-gnu-unique "
    "-fmax-errors=20 -fsanitize=thread,bounds"
).split()
_TEXT = {"encoding": "utf-8", "errors": "replace"}
_beside: socket.socket | None = None
_runtime: str | None = None


@functools.cache
def sealed_runtime(folder: str) -> int | None:
    """Compile the library that runs kernels, once for all later forks.

    Returns the descriptor of a file in memory that is sealed against changes; None where g++ or such a file is not
    available, and each fork has to compile its own. folder: for temporary files.
    """
    try:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            if _build("runtime", None, place):
                return None
            made = pathlib.Path(place, "runtime.so").read_bytes()
        file = os.memfd_create("runtime", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.write(file, made)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    except OSError:
        return None
    return file


def use_runtime(file: int | None) -> None:
    """Make `runtime` return the file of `sealed_runtime`; None: it compiles the library."""
    global _runtime
    _runtime = None if file is None else f"/proc/self/fd/{file}"


def runtime() -> tuple[str, str]:
    """(path of the library that runs kernels, error text of g++ or "")."""
    if _runtime is not None:
        return _runtime, ""
    return _file("runtime"), build("runtime", None)


def build(library: str, source: str | None) -> str:
    """Compile a library into the current folder; returns the error text of g++, "" on success.

    source: the text of a kernel; None for runtime.cpp.
    """
    return _asked("build", library, source)


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
            frames.send(theirs, {"said": _TOOLS[what](library, given)})
    finally:  # the answer's process has ended, or it sent another request
        os._exit(0)


def _asked(what: str, library: str, given):
    if _beside is None:
        return _TOOLS[what](library, given)
    frames.send(_beside, {"ask": [what, library, given]})
    return frames.receive(_beside, 0)[0]["said"]


def _name(library: str) -> str:
    if not re.fullmatch(r"[a-z]+\d*", library):
        raise ValueError(library)
    return f"{library}.so"


def _file(library: str) -> str:
    return os.path.abspath(_name(library))


def _build(library: str, source: str | None, folder: str | None = None) -> str:
    folder = folder or os.getcwd()
    command = ["g++", *_FLAGS]
    if source is None:
        command.append(str(_HERE / "runtime.cpp"))
    else:
        source = f'#include "{_HERE / "cuda_on_cpu.h"}"\n#line 1 "kernel"\n{source}\n'
        command += [*_WATCHED, "-x", "c++", "-"]
    environment = os.environ | {"LC_ALL": "C", "TMPDIR": folder}
    command += ["-o", os.path.join(folder, _name(library))]
    try:
        done = subprocess.run(command, input=source or "", capture_output=True, env=environment, **_TEXT)
    except OSError as error:
        return f"g++ cannot be started: {error.strerror}"
    return done.stderr or "g++ failed" if done.returncode else ""


def _line(library: str, code: int) -> int:
    try:
        done = subprocess.run(["addr2line", "-i", "-e", _file(library), hex(code)], capture_output=True, **_TEXT)
    except OSError:
        return 0
    found = re.search(r"kernel:(\d+)", done.stdout)
    return int(found[1]) if found else 0


_TOOLS = {"build": _build, "line": _line}
