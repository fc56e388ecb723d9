"""A machine that lacks system calls: `python tests/slow/narrow.py ENOSYS pidfd_open prctl:36 -- PROGRAM ...`.

NAME takes a call away, NAME:VALUE only where an argument has this value (the third one for madvise, else the first).
The program and all that it starts are on that machine.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

# Name: number on x86_64 and on aarch64.
NUMBERS = {
    "pidfd_open": (434, 434), "clone3": (435, 435), "close_range": (436, 436), "pidfd_send_signal": (424, 424),
    "landlock_create_ruleset": (444, 444), "landlock_restrict_self": (446, 446), "process_madvise": (440, 440),
    "madvise": (28, 233), "memfd_create": (319, 279), "unshare": (272, 97), "seccomp": (317, 277), "prctl": (157, 167),
    "setrlimit": (160, 164), "prlimit64": (302, 261), "mount": (165, 40), "pivot_root": (155, 41),
    "setresuid": (117, 147), "capset": (126, 91), "setsid": (112, 157), "flock": (73, 32),
}  # fmt: skip
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_LOAD, _EQUAL, _RETURN, _ALLOW, _ERROR = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000


def take_away(error: int, calls: list[str]) -> None:
    """Refuse system calls with an error, in this process and its descendants. Raises OSError without seccomp."""
    column, architecture = _ARCHITECTURES[platform.machine()]
    refuse, allow = (_RETURN, 0, 0, _ERROR | error), (_RETURN, 0, 0, _ALLOW)
    lines = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), allow, (_LOAD, 0, 0, 0)]
    for call in calls:
        name, _, value = call.partition(":")
        body = [refuse]
        if value:
            body = [(_LOAD, 0, 0, 32 if name == "madvise" else 16), (_EQUAL, 0, 1, int(value)), refuse]
            body.append((_LOAD, 0, 0, 0))
        lines += [(_EQUAL, 0, len(body), NUMBERS[name][column]), *body]
    code = b"".join(struct.pack("HBBI", *line) for line in [*lines, allow])
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0:  # inherited, it would hide that PR_SET_NO_NEW_PRIVS is missing
        libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    if libc.prctl(22, 2, program) != 0:  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    end = sys.argv.index("--")
    take_away(getattr(errno, sys.argv[1]), sys.argv[2:end])
    os.execvp(sys.argv[end + 1], sys.argv[end + 1 :])
