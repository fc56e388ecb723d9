"""Landlock: restricts the files that a process and its descendants may open, without root. Linux 5.13 and newer.

The system calls and their structures: https://docs.kernel.org/userspace-api/landlock.html
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import stat
import sys

from ...sentence import said

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ = _EXECUTE | _READ_FILE | _READ_DIR

# Programs, libraries, and files that the C library and PyTorch read.
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/localtime",
    "/etc/alternatives",  # links to programs and libraries
    "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/dev/zero", "/dev/random", "/dev/urandom",
)  # fmt: skip
# Files that a GPU's driver uses in addition.
_GPU_READ = ("/etc", "/proc", "/sys", "/opt")
_GPU_WRITE = ("/dev", "/proc/self/task")


class Unavailable(Exception):
    """This Linux kernel has no Landlock, or refuses the rules."""


def version() -> int:
    """The version of Landlock in this kernel. Raises Unavailable."""
    number = ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if number < 1:
        raise Unavailable(said("this kernel has no Landlock ({strerror})", strerror=os.strerror(ctypes.get_errno())))
    return number


def readable(course: pathlib.Path) -> list[str]:
    """Paths that every answer may read: programs and libraries of the system and of Python, without the course.

    course: root of the course. A folder of Python that contains the user's home folder is left out.
    """
    real = {os.path.realpath(p) for p in _python()}
    folders = sorted(f for f in real if not pathlib.Path.home().is_relative_to(f))
    return [path for each in (*_SYSTEM, *folders) for path in _without(each, str(course))]


def names() -> list[str]:
    """The paths of `readable` before symbolic links were followed, and those of the programs that the course starts."""
    programs = [found for program in ("g++", "addr2line") if (found := shutil.which(program))]
    return [*_SYSTEM, *_python(), *programs]


def _python() -> set[str]:
    return {p for p in (sys.prefix, sys.exec_prefix, sys.base_prefix, *sys.path) if os.path.isdir(p)}


def _without(path: str, left_out: str) -> list[str]:
    """[path]; or, where path contains left_out, the paths in it that do not."""
    path, left_out = os.path.realpath(path), os.path.realpath(left_out)
    if path == left_out:
        return []
    if not left_out.startswith(path.rstrip("/") + "/"):
        return [path]
    return [each for entry in os.scandir(path) for each in _without(entry.path, left_out)]


def apply(scratch: str, reads: list[str], on_gpu: bool = False) -> None:
    """Restrict this process for good: it may read `reads` and its own entry in /proc, and write in `scratch`.

    Since version 6, signals and abstract sockets reach only processes under the same restriction. Raises Unavailable.
    """
    number = version()
    libc = ctypes.CDLL(None, use_errno=True)
    everything = (1 << {1: 13, 2: 14}.get(number, 15)) - 1
    attributes = (ctypes.c_uint64 * 3)(everything, 0, 3 if number >= 6 else 0)
    size = 24 if number >= 6 else 8
    ruleset = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        raise Unavailable(said("landlock_create_ruleset: {strerror}", strerror=os.strerror(ctypes.get_errno())))
    for path in (*reads, "/proc/self", *(_GPU_READ if on_gpu else ())):
        _allow(libc, ruleset, path, _READ)
    for path in (scratch, "/dev/null", *(_GPU_WRITE if on_gpu else ())):
        _allow(libc, ruleset, path, everything)
    if libc.syscall(_RESTRICT_SELF, ruleset, 0) != 0:
        raise Unavailable(said("landlock_restrict_self: {strerror}", strerror=os.strerror(ctypes.get_errno())))
    os.close(ruleset)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("access", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def _allow(libc, ruleset: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not every machine has all of them
        return
    access &= ~0 if stat.S_ISDIR(os.fstat(place).st_mode) else _OF_FILES
    rule = _Beneath(access, place)
    libc.syscall(_ADD_RULE, ruleset, 1, ctypes.byref(rule), 0)
    os.close(place)
