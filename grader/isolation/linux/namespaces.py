"""Namespaces: own processes and no network. The worker enters them once, and its forks inherit them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket

from ...sentence import fault
from . import limits, processes

_IPC, _USER, _PID, _NET = 0x08000000, 0x10000000, 0x20000000, 0x40000000


def enter() -> str:
    """Continue in new namespaces, in a fork that is their first process: when it ends, Linux ends all others in them.

    The calling process waits outside. Call it while the process has one thread. Returns "on" if network and processes
    of the machine are out of reach, else "off: why".
    """
    with socket.socket() as listening:  # a port outside, which must be out of reach from inside
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        if not _connects(port):
            return fault("off", "off: there is no loopback interface to prove anything with")
        refused = _rehearsed()
        if refused:
            return fault("off", "off: namespaces are refused here ({refused})", refused=refused)
        _unshare()
        outside = os.getpid()
        inside = processes.ask(os.fork)
        if inside:
            _wait(inside)
        limits.die_with(0)  # inside, the parent's process id is 0
        if _connects(port):
            return fault("off", "off: the network of the machine is still within reach")
    with contextlib.suppress(ProcessLookupError):
        if outside != os.getpid():
            os.kill(outside, 0)
            return fault("off", "off: the machine's other processes are still within reach")
    return "on"


def _rehearsed() -> str:
    """Why namespaces are refused, "" where they are not. A fork tries them, because entering cannot be undone."""
    child = processes.ask(os.fork)
    if not child:
        try:
            _unshare()
            for needed in (os.__file__, __file__):  # inside, rights may be missing
                os.close(os.open(needed, os.O_RDONLY))
            os._exit(0)
        except OSError as error:
            os._exit(error.errno)
    number = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return os.strerror(number) if number else ""


def _unshare() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(_PID | _NET | _IPC) == 0:  # as root: other user ids stay available
        return
    if libc.unshare(_USER | _PID | _NET | _IPC) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as f:
            f.write(text)


def _wait(inside: int) -> None:
    """Close all files, wait for the process inside, and end with its exit status."""
    os.closerange(3, 4096)
    _, status = os.waitpid(inside, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _connects(port: int) -> bool:
    with socket.socket() as s:
        s.settimeout(5)
        return s.connect_ex(("127.0.0.1", port)) == 0
