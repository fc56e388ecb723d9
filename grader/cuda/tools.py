"""The programs that CUDA on the CPU needs: g++ and addr2line.

An answer's process may start no program. A process beside it does, which knows these two and runs nothing of an answer.
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
# The copy of a float4 stays one access of 16 bytes without -ftree-sra. What two kernels call by one name stays apart by
# -fvisibility=hidden. The sanitizers' own libraries are left out: memory.h stands in for them.
_WATCHED = (
    "-g1 -nodefaultlibs -fno-exceptions -fno-math-errno -fno-tree-sra -fvisibility=hidden -fno-gnu-unique "
    "-fmax-errors=20 -fsanitize=thread,bounds"
).split()
_TEXT = {"encoding": "utf-8", "errors": "replace"}
_beside: socket.socket | None = None
_runtime: str | None = None


@functools.cache
def sealed_runtime(folder: str) -> int | None:
    """What runs kernels, compiled once for the forks to come: a file in memory that no fork can change.

    None where that cannot be, and a fork has to compile its own. folder: where files may go meanwhile.
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
    """Let `runtime` find what sealed_runtime made."""
    global _runtime
    _runtime = None if file is None else f"/proc/self/fd/{file}"


def runtime() -> tuple[str, str]:
    """(path of the library that runs kernels, what g++ has to say when there is none)."""
    if _runtime is not None:
        return _runtime, ""
    return _file("runtime"), build("runtime", None)


def build(library: str, source: str | None) -> str:
    """What g++ has to say while it makes a library in the current folder, nothing when it is well.

    source: the text of a kernel, None for what runs kernels.
    """
    return _asked("build", library, source)


def line(library: str, code: int) -> int:
    """The line of the kernel's text that an instruction came from, 0 where nobody knows."""
    return _asked("line", library, code)


def start_beside(confine: Callable[[], None]) -> None:
    """From now on a fork of this process runs the programs; confine: what it calls first. It ends with this one."""
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
    finally:  # the answer's process is gone, or it asked for something else
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
