"""Controls for each rung: operations that must work behind it, and operations that it must refuse."""

from __future__ import annotations

import contextlib
import importlib
import json
import mmap
import os
import pathlib
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable
from typing import NamedTuple

from ...sentence import fault, said, tree
from . import limits, processes

SECONDS = 60  # the first use of a GPU is slow


class Control(NamedTuple):
    """An operation to try behind a rung. error: the exception that it must raise; None if it must work."""

    says: str
    do: Callable[[pathlib.Path, int], object]  # takes a scratch folder and the id of the process that forked
    error: type[BaseException] | None = None


def _write(path: pathlib.Path, size: int = 1) -> None:
    with open(path, "wb") as f:
        f.write(bytes(size))


def _thread(*_) -> None:
    thread = threading.Thread(target=len, args=("",))
    thread.start()
    thread.join()


def _process(*_) -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def _compiler(*_) -> None:
    for program in ("cc1plus", "ld") if _COMPILER else ():
        path = subprocess.check_output([_COMPILER, f"-print-prog-name={program}"], text=True).strip()
        if shutil.which(path) is None:
            raise FileNotFoundError(path)


_COMPILER = shutil.which("g++")
CONTROLS = {
    "limits": (
        Control(said("a megabyte"), lambda *_: bytearray(1 << 20)),
        Control(said("too much memory"), lambda *_: mmap.mmap(-1, 2 * limits.MEMORY), OSError),
        Control(said("too large a file"), lambda scratch, _: _write(scratch / "large", limits.FILE_SIZE + 1), OSError),
        Control(
            said("a limit raised again"), lambda *_: resource.setrlimit(resource.RLIMIT_CPU, (999_999,) * 2), ValueError
        ),
    ),
    "landlock": (
        Control(said("Python's own library"), lambda *_: pathlib.Path(os.__file__).read_bytes()),
        Control(said("a file of its own"), lambda scratch, _: _write(scratch / "own")),
        Control(said("a file elsewhere"), lambda scratch, _: (scratch.parent / "beside").read_bytes(), PermissionError),
        Control(said("a new file there"), lambda scratch, _: _write(scratch.parent / "new"), PermissionError),
        Control(said("the course"), lambda *_: pathlib.Path(__file__).read_bytes(), PermissionError),
        Control(
            said("another process"),
            lambda _, pid: pathlib.Path(f"/proc/{pid}/environ").read_bytes(),
            PermissionError,
        ),
    ),
    "seccomp": (
        Control(said("a thread"), _thread),
        Control(said("a signal to itself"), lambda *_: os.kill(os.getpid(), 0)),
        Control(said("a process"), _process, PermissionError),
        Control("UDP", lambda *_: socket.socket(type=socket.SOCK_DGRAM), PermissionError),
        Control(said("a local socket"), lambda *_: socket.socket(socket.AF_UNIX), PermissionError),
        Control(said("a signal to another"), lambda *_: os.kill(os.getppid(), 0), PermissionError),
        Control(said("another mode for a file"), lambda scratch, _: os.chmod(scratch, 0o777), PermissionError),
    ),
}  # fmt: skip
HIDDEN = (
    Control(said("Python's own library"), lambda *_: pathlib.Path(os.__file__).read_bytes()),
    Control(said("an import"), lambda *_: importlib.import_module("colorsys")),
    Control(said("a file of its own"), lambda scratch, _: _write(scratch / "own")),
    Control(said("random numbers"), lambda *_: pathlib.Path("/dev/urandom").open("rb").read(1)),
    Control(said("output to nowhere"), lambda *_: _write(pathlib.Path(os.devnull))),
    Control(said("its open files"), lambda *_: os.listdir("/proc/self/fd")),
    Control(said("the compiler"), _compiler),
    Control(said("the size of a file elsewhere"), lambda *_: os.stat(__file__), FileNotFoundError),
    Control(said("its path"), lambda *_: os.open(__file__, os.O_PATH), FileNotFoundError),
    Control(said("another root folder"), lambda *_: os.chroot("."), PermissionError),
    Control(said("a new file beside Python's"), lambda *_: _write(pathlib.Path(os.__file__).with_name("new")), OSError),
)


def prove(controls: tuple[Control, ...], climb: Callable[[str], None], folder: str) -> str:
    """Apply rungs to a fork of this process and run the controls there; returns "on" or "off: why".

    climb: applies the rungs to the process that calls it; its argument is a scratch folder in `folder`.
    """
    outer = tempfile.mkdtemp(dir=folder)
    _write(pathlib.Path(outer, "beside"))
    scratch = pathlib.Path(outer, "scratch")
    scratch.mkdir()
    process = int(os.readlink("/proc/self"))  # the id in /proc, which may belong to another namespace
    reading, writing = os.pipe()
    child = processes.ask(os.fork)
    if not child:
        with contextlib.suppress(BaseException):
            outcome = _run(controls, lambda: climb(str(scratch)), scratch, process)
            os.write(writing, json.dumps(tree.pack(outcome)).encode())
        os._exit(0)
    os.close(writing)
    written = b""
    if select.select([reading], [], [], SECONDS)[0]:
        written = os.read(reading, 10_000)
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    shutil.rmtree(outer, ignore_errors=True)
    if not written:
        return fault("off", "off: the process that tried it came to an end")
    return tree.unpack(json.loads(written))


def _run(controls: tuple[Control, ...], climb: Callable[[], None], scratch: pathlib.Path, process: int) -> str:
    try:
        climb()
    except Exception as error:
        return fault("off", "off: {value}", value=getattr(error, "strerror", None) or error)
    for control in controls:
        try:
            control.do(scratch, process)
        except Exception as error:
            if control.error is None or not isinstance(error, control.error):
                return fault(
                    "off", "off: {says}: {name}: {error}", says=control.says, name=type(error).__name__, error=error
                )
        else:
            if control.error is not None:
                return fault("off", "off: {says} went through", says=control.says)
    return "on"
