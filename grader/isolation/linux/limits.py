"""What a process may ask of itself on any Linux: own session, bounded time, memory, files and tasks, no rights."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import tempfile

MEMORY = 2 << 30  # bytes an answer may take beyond what PyTorch and Triton hold already
RESERVE = 256 << 20  # bytes kept back, so that running out of memory can still be reported
# Files that were removed while open are in nobody's folder: these two bound what they hold together.
FILE_SIZE = 16 << 20  # bytes
OPEN_FILES = 64
TASKS = 64  # processes and threads
FOLDER_SIZE, FOLDER_FILES = 256 << 20, 2000  # what a scratch folder may hold: the worker looks now and then

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_CAPABILITY_VERSION_3, _CAP_DAC_READ_SEARCH = 0x20080522, 2
_ANY_USER = 1_000_000_000  # above every user id that somebody has


def apply(seconds: float, parent: int, on_gpu: bool = False) -> None:
    """Confine this process for good. Call it once, early.

    seconds: CPU time. parent: the process whose end ends this one. on_gpu: leave the address space alone, since CUDA
    reserves far more than it uses, and admit the files it keeps open.
    """
    os.setsid()
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
    """Let a scratch folder be this process's home, its place for temporary files, and where Triton keeps what it made.

    One cache for all would hold kernels that another answer left there.
    """
    os.chdir(scratch)
    os.environ |= {"HOME": scratch, "TMPDIR": scratch, "TRITON_CACHE_DIR": scratch}
    tempfile.tempdir = scratch


def die_with(parent: int) -> None:
    """Ask Linux to end this process when its parent ends. A fork loses this, so a fork asks again."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before it was asked
        os._exit(1)


def fork_for_programs(parent: int) -> None:
    """For a fork of a confined process: a program that it starts is to own the scratch folder, as root did."""
    if os.geteuid() == 0:
        os.setresuid(0, 0, 0)
    die_with(parent)


def use_reserve() -> None:
    """Open the memory kept back by `apply`."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def overflows(folder: str) -> bool:
    """Whether a scratch folder holds more than any answer needs, or hides what it holds."""
    size = files = 0
    try:
        for path, folders, names in os.walk(folder, onerror=_hides):
            files += len(folders) + len(names)
            for name in names[:FOLDER_FILES]:
                with contextlib.suppress(OSError):
                    size += os.lstat(os.path.join(path, name)).st_blocks * 512
            if size > FOLDER_SIZE or files > FOLDER_FILES:
                return True
    except (OSError, RecursionError):  # nobody may look into it, or it is deeper than anybody looks
        return True
    return False


def _hides(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):  # a folder that is gone already
        raise error


def _give_up_rights(own_user: bool) -> bool:
    """Without the rights that make limits void for root; True where this process now counts as a user of its own.

    Files are still opened as root, or a course in root's home folder could not be imported.
    """
    root = os.geteuid() == 0
    try:
        if root and own_user:
            os.setresuid(_ANY_USER + os.getpid(), 0, 0)
    except OSError:  # in a user namespace there may be no other user to become
        own_user = False
    # Root reads the course wherever it lies. Landlock says which files these are.
    kept = root << _CAP_DAC_READ_SEARCH
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0))
    return root and own_user


def _limit(which: int, soft: int, hard: int | None = None) -> None:
    ceiling = resource.getrlimit(which)[1]
    hard = soft if hard is None else hard
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(which, (soft, hard))


def _tasks() -> int:
    """How many tasks the machine runs, and so at most this user."""
    with open("/proc/loadavg") as f:
        return int(f.read().split()[3].split("/")[1])


def _address_space() -> int:
    """Bytes of address space that this process has mapped."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
