"""A root folder for answers in which the other files of the machine do not exist: part of the namespaces rung.

Landlock refuses to open a file, and still lets a process ask whether the file exists, how large it is and when it
changed. Mounts: https://docs.kernel.org/filesystems/sharedsubtree.html and mount_setattr(2).
"""

from __future__ import annotations

import ctypes
import os
import tempfile

_NEW_MOUNTS = 0x00020000  # CLONE_NEWNS
_NO_SUID, _NO_DEVICES, _NO_PROGRAMS, _BIND, _MOVE, _RECURSIVE, _PRIVATE = 2, 4, 8, 4096, 8192, 16384, 1 << 18
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _DETACH = 442, -100, 0x8000, 2
_READ_ONLY_NO_SUID = 3


class Root:
    """A root folder with mounts of single files and folders.

    The other processes see none of its mounts. descriptor: an open file of the folder, which `enter` needs.
    """

    def __init__(self, reads: list[str], named: list[str], folder: str):
        """Build it in the first process of new namespaces, which itself stays in the old root.

        reads: paths to mount, read-only. named: the same before symbolic links were followed; the links are made again.
        folder: to mount for writing. Raises OSError, with the call that was refused.
        """
        self._folder = folder
        _call("unshare", _NEW_MOUNTS)
        _call("mount", None, b"/", None, _RECURSIVE | _PRIVATE, None)  # first: nothing may be mounted outside
        place = tempfile.mkdtemp()
        try:
            # Without capabilities nobody can write to a folder of this mode, root neither.
            _call("mount", b"tmpfs", os.fsencode(place), b"tmpfs", _NO_SUID | _NO_DEVICES, b"mode=0555,size=1m")
            self.descriptor = os.open(place, os.O_PATH)
            # Above the old root only `descriptor` leads to it: to remove a folder can never reach into its mounts.
            _call("mount", os.fsencode(place), b"/", None, _MOVE, None)
        finally:
            ctypes.CDLL(None).umount2(os.fsencode(place), _DETACH)  # has no effect after the move
            os.rmdir(place)
        before = os.open(".", os.O_PATH)
        try:
            os.fchdir(self.descriptor)
            os.mkdir("proc", 0o555)
            _call("mount", b"proc", b"proc", b"proc", _NO_SUID | _NO_DEVICES | _NO_PROGRAMS, None)
            for path in named:
                _follow(path)
            for path in sorted(["/dev/null", *reads]):
                _show(path)
        finally:
            os.fchdir(before)
            os.close(before)

    def enter(self) -> None:
        """Make it this process's root for good, before `limits.apply` takes the right to leave it. Raises OSError."""
        os.fchdir(self.descriptor)
        _show(self._folder, writable=True)  # each time: it may have been removed and made again
        os.chroot(".")
        os.close(self.descriptor)


def _show(path: str, writable: bool = False) -> None:
    """Mount a path of the old root at the same path below the current folder, unless it is there or does not exist."""
    path = _follow(path)
    inside = path.lstrip("/")
    try:
        wanted = os.stat(path)
    except OSError:
        return
    try:
        if os.path.samestat(wanted, os.stat(inside)):
            return
    except FileNotFoundError:
        _make(os.path.dirname(inside))
        if os.path.isdir(path):
            os.mkdir(inside, 0o555)
        else:
            os.close(os.open(inside, os.O_CREAT, 0o444))
    _call("mount", os.fsencode(path), os.fsencode(inside), None, _BIND | _RECURSIVE, None)
    if not writable:
        attributes = (ctypes.c_uint64 * 4)(_READ_ONLY_NO_SUID, 0, 0, 0)
        size = ctypes.sizeof(attributes)
        _call("syscall", _MOUNT_SETATTR, _AT_FDCWD, os.fsencode(inside), _AT_RECURSIVE, attributes, size)


def _follow(path: str) -> str:
    """The path without symbolic links. Each link on the way is made below the current folder too."""
    done, left = "/", path.strip("/").split("/")
    for _ in range(1000):
        if not left:
            break
        done = os.path.join(done, left.pop(0))
        if os.path.islink(done):
            target = os.readlink(done)
            if not os.path.lexists(done.lstrip("/")):
                _make(os.path.dirname(done.lstrip("/")))
                os.symlink(target, done.lstrip("/"))
            left = os.path.normpath(os.path.join(os.path.dirname(done), target)).strip("/").split("/") + left
            done = "/"
    return done


def _make(folder: str) -> None:
    if folder and not os.path.isdir(folder):
        _make(os.path.dirname(folder))
        os.mkdir(folder, 0o555)


def _call(name: str, *arguments) -> None:
    given = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*given) != 0:
        name = "mount_setattr" if name == "syscall" else name
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
