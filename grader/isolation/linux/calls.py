"""The system calls that the grader uses beside those of the rungs, and what follows where a machine lacks one.

A rung says itself what it lacks. `missing` changes the process that asks: run it in one of its own.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import tempfile
import threading
from collections.abc import Callable

from ...sentence import joined, message, said


def _control_process(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _huge_page() -> None:
    size = 4 << 20
    with mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory[:] = bytes(size)
        memory.madvise(25, 0, size)  # MADV_COLLAPSE


def _thread() -> None:
    thread = threading.Thread(target=len, args=("",))
    thread.start()
    thread.join()


def _run_from_temporary_folder() -> None:
    if os.statvfs(tempfile.gettempdir()).f_flag & os.ST_NOEXEC:
        raise PermissionError(said("mounted noexec"))


_NO_ANSWER = said("no answer is graded")
CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "setsid": (os.setsid, _NO_ANSWER),
    "setrlimit": (lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)), _NO_ANSWER),
    "clone3": (
        _thread,
        said("no thread starts, and so neither NumPy nor PyTorch does: a newer container runtime helps"),
    ),
    "/proc": (lambda: os.readlink("/proc/self"), _NO_ANSWER),
    said("temporary folder"): (
        _run_from_temporary_folder,
        said("no kernel in CUDA C++ is graded: set TMPDIR to another folder"),
    ),
    "/dev/shm": (lambda: os.listdir("/dev/shm"), said("python -m grader grade cannot start its processes")),
    "pidfd_open": (lambda: os.pidfd_open(os.getpid()), said("the end of an answer is looked for four times a second")),
    "memfd_create": (lambda: os.memfd_create("file"), said("each kernel in CUDA C++ takes 0.2 seconds longer")),
    "MADV_COLLAPSE": (_huge_page, said("a check takes a few milliseconds longer")),
    "PR_SET_NO_NEW_PRIVS": (lambda: _control_process(38, 1), said("Landlock and seccomp are off")),
    "PR_SET_PDEATHSIG": (
        lambda: _control_process(1, 0),
        said("an answer outlives a grader that is killed, until its limit"),
    ),
    "PR_SET_CHILD_SUBREAPER": (
        lambda: _control_process(36, 1),
        said("without namespaces, what an answer started outlives it"),
    ),
}


def missing() -> dict[str, str]:
    """{call: why it does not work, and what follows}, without the calls that work."""
    found = {}
    for name, (call, follows) in CALLS.items():
        try:
            call()
        except (OSError, ValueError, RuntimeError, AttributeError) as error:
            found[name] = joined("{one}: {two}", [getattr(error, "strerror", None) or message(error), follows])
    return found
