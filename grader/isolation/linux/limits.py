"""Limits that every Linux has: an own session, bounded time, memory, files and tasks, no capabilities."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import tempfile

from ...sentence import said
from . import processes

MEMORY = 2 << 30  # bytes for an answer, besides those that PyTorch and Triton occupy
RESERVE = 256 << 20  # bytes that stay free, so that an out-of-memory error can be reported
# A file that is removed while open is in no folder. These two bound the total size of such files.
FILE_SIZE = 16 << 20  # bytes
OPEN_FILES = 64
TASKS = 64  # processes and threads
FOLDER_SIZE, FOLDER_FILES = 256 << 20, 2000  # bytes and files of a scratch folder; the worker checks them

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_CAPABILITY_VERSION_3, _CAP_DAC_READ_SEARCH = 0x20080522, 2
_ANY_USER = 1_000_000_000  # above all user ids in use


def apply(seconds: float, parent: int, on_gpu: bool = False) -> None:
    """Limit this process for good. Call it once, early.

    seconds: CPU time. parent: the process whose end ends this one. on_gpu: the address space has no limit, because CUDA
    reserves far more than it uses; and more files may be open.
    """
    processes.ask(os.setsid)
    _limit(resource.RLIMIT_CPU, int(seconds) + 2, int(seconds) + 3)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, FILE_SIZE)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES if not on_gpu else 1024)
    if not on_gpu:
        ceiling = _address_space() + MEMORY
        _limit(resource.RLIMIT_AS, ceiling, ceiling + RESERVE)
    _limit(resource.RLIMIT_NPROC, TASKS + (0 if _give_up_rights(own_user=not on_gpu) else _tasks()))
    ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    die_with(parent)


def move_into(scratch: str) -> None:
    """Make a scratch folder this process's current folder, its home, its temporary folder and its Triton cache.

    A cache for all answers would contain kernels of other answers.
    """
    os.chdir(scratch)
    os.environ |= {"HOME": scratch, "TMPDIR": scratch, "TRITON_CACHE_DIR": scratch}
    os.environ |= {"USER": "answer", "LOGNAME": "answer"}  # its user has no name, and PyTorch's compiler asks for one
    tempfile.tempdir = scratch


def die_with(parent: int) -> None:
    """Make Linux end this process when its parent ends. A fork does not inherit this, and has to call it again."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before the call
        os._exit(1)


def fork_for_programs(parent: int) -> None:
    """Prepare a fork of a confined process for programs: under root they run as root, who owns the scratch folder."""
    if os.geteuid() == 0 != os.getuid():
        os.setresuid(0, 0, 0)
    die_with(parent)


def too_little_memory() -> str:
    """A sentence if a limit of the machine leaves this process much less than MEMORY, otherwise ""."""
    ceiling = resource.getrlimit(resource.RLIMIT_AS)[0]
    if ceiling == resource.RLIM_INFINITY or (left := ceiling - _address_space()) > MEMORY - RESERVE:
        return ""
    return said(
        "a limit of this machine (ulimit -v) leaves an answer {value} MB of memory instead of {value2}",
        value=left >> 20,
        value2=MEMORY >> 20,
    )


def use_reserve() -> None:
    """Free the RESERVE of memory that `apply` keeps back."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def overflows(folder: str) -> bool:
    """Whether a scratch folder exceeds FOLDER_SIZE or FOLDER_FILES, or has a folder that cannot be read."""
    size = files = 0
    try:
        for path, folders, names in os.walk(folder, onerror=_hides):
            files += len(folders) + len(names)
            for name in names[:FOLDER_FILES]:
                with contextlib.suppress(OSError):
                    size += os.lstat(os.path.join(path, name)).st_blocks * 512
            if size > FOLDER_SIZE or files > FOLDER_FILES:
                return True
    except (OSError, RecursionError):  # a folder cannot be read, or is too deep
        return True
    return False


def _hides(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):  # that folder was removed meanwhile
        raise error


def _give_up_rights(own_user: bool) -> bool:
    """Drop the capabilities that exempt root from limits. Returns whether the process now has a user id of its own.

    Files are still opened as root: otherwise a course in root's home folder could not be imported.
    """
    root = os.geteuid() == 0
    try:
        if root and own_user:
            os.setresuid(_ANY_USER + os.getpid(), 0, 0)
    except OSError:  # a user namespace may have no other user id
        own_user = False
    # Root must read the course in any folder. Landlock restricts the files.
    kept = root << _CAP_DAC_READ_SEARCH
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0))
    return root and own_user


def _limit(which: int, soft: int, hard: int | None = None) -> None:
    ceiling = processes.ask(resource.getrlimit, which)[1]
    hard = soft if hard is None else hard
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    processes.ask(resource.setrlimit, which, (soft, hard))


def _tasks() -> int:
    """The number of tasks on the machine, an upper bound for those of this user."""
    with open("/proc/loadavg") as f:
        return int(f.read().split()[3].split("/")[1])


def _address_space() -> int:
    """Bytes of address space that this process has mapped."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
