"""Limits on the process that runs an answer. Level L0: what a process may ask of itself."""

from __future__ import annotations

import os
import signal
import sys

MEMORY = 2 << 30  # bytes an answer may take beyond what PyTorch and Triton hold already
RESERVE = 256 << 20  # bytes kept back, so that running out of memory can still be reported
FILE_SIZE = 64 << 20  # bytes
OPEN_FILES = 256


def confine(seconds: float, on_gpu: bool = False) -> None:
    """Confine this process: own session, dies with its parent, bounded CPU time, memory, files. Call it once, early.

    seconds: CPU time. on_gpu: leave the address space alone, since CUDA reserves far more than it uses.
    """
    os.setsid()
    _die_with_parent()
    import resource

    cpu = int(seconds) + 2
    _limit(resource.RLIMIT_CPU, cpu, cpu + 1)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, FILE_SIZE)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    if not on_gpu and sys.platform == "linux":
        ceiling = _address_space() + MEMORY
        _limit(resource.RLIMIT_AS, ceiling, ceiling + RESERVE)


def use_reserve() -> None:
    """Open the memory kept back by `confine`."""
    import resource

    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _limit(which: int, soft: int, hard: int | None = None) -> None:
    import resource

    ceiling = resource.getrlimit(which)[1]
    hard = soft if hard is None else hard
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(which, (soft, hard))


def _address_space() -> int:
    """Bytes of address space this process has mapped (Linux)."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _die_with_parent() -> None:
    """Ask Linux to end this process when its parent ends."""
    if sys.platform != "linux":
        return
    import ctypes

    PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
