"""seccomp: restricts the system calls of a process and its descendants, without root.

The filter is written here: a library (libseccomp) would save the numbers below, but every learner would have to install
it. How a filter is built: https://docs.kernel.org/userspace-api/seccomp_filter.html; the numbers are those of Linux
(asm/unistd.h, asm-generic/unistd.h).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct

from ...sentence import said

# Name, number on x86_64 and number on aarch64 of each call; 0 where it does not exist.
_PROGRAMS = """fork 57 0  vfork 58 0  execve 59 221  execveat 322 281 """
_LISTENING = """socket 41 198  bind 49 200  listen 50 201 """
_REFUSED = """
ptrace 101 117  process_vm_readv 310 270  process_vm_writev 311 271  kcmp 312 272
tkill 200 130  rt_sigqueueinfo 129 138  rt_tgsigqueueinfo 297 240
socketpair 53 199  connect 42 203  accept 43 202  accept4 288 242
chmod 90 0  fchmod 91 52  fchmodat 268 53  chown 92 0  fchown 93 55  lchown 94 0  fchownat 260 54
utime 132 0  utimes 235 0  utimensat 280 88  futimesat 261 0  truncate 76 45
setxattr 188 5  lsetxattr 189 6  fsetxattr 190 7  removexattr 197 14  lremovexattr 198 15  fremovexattr 199 16
mknod 133 0  mknodat 259 33  name_to_handle_at 303 264  open_by_handle_at 304 265  fanotify_init 300 262
shmget 29 194  shmat 30 196  shmctl 31 195  msgget 68 186  msgsnd 69 189  msgrcv 70 188  msgctl 71 187
semget 64 190  semop 65 193  semctl 66 191  semtimedop 220 192  mq_open 240 180  mq_unlink 241 181  memfd_create 319 279
mount 165 40  umount2 166 39  pivot_root 155 41  chroot 161 51  unshare 272 97  setns 308 268
setpriority 141 140  ioprio_set 251 30  sched_setscheduler 144 119  sched_setparam 142 118  sched_setattr 314 274
migrate_pages 256 238  move_pages 279 239  personality 135 92  modify_ldt 154 0  iopl 172 0  ioperm 173 0
setuid 105 146  setreuid 113 145  setresuid 117 147
bpf 321 280  perf_event_open 298 241  userfaultfd 323 282  keyctl 250 219  add_key 248 217  request_key 249 218
reboot 169 142  swapon 167 224  swapoff 168 225  kexec_load 246 104  kexec_file_load 320 294  acct 163 89
init_module 175 105  finit_module 313 273  delete_module 176 106  quotactl 179 60  syslog 103 116  vhangup 153 58
sethostname 170 161  setdomainname 171 162  settimeofday 164 170  clock_settime 227 112  clock_adjtime 305 266
adjtimex 159 171  sync 162 81  syncfs 306 267
inotify_init 253 0  inotify_init1 294 26  inotify_add_watch 254 27
"""
_LOOKED_AT = """
clone 56 220  kill 62 129  tgkill 234 131  prctl 157 167  prlimit64 302 261  open 2 0  openat 257 56
sched_setaffinity 203 122  fcntl 72 25  ioctl 16 29
"""
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column, AUDIT_ARCH_*
# From this number on, calls have the same number on all architectures. They fail with ENOSYS, so that programs use
# older calls where there are some.
_NEWER = 424

_ALLOW = 0x7FFF0000
_EPERM, _ENOSYS = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_CLONE_THREAD, _CLONE_NAMESPACES = 0x00010000, 0x7E020000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_LOAD, _AND, _RETURN, _EQUAL, _AT_LEAST, _ANY_BIT = 0x20, 0x54, 0x06, 0x15, 0x35, 0x45


def apply(programs: bool = False, on_gpu: bool = False) -> None:
    """Refuse for good what no answer needs: other processes, network, owners and modes of files, administration.

    programs: the process may start programs, but not signal them. on_gpu: also allows the calls of CUDA's driver at its
    start, which listens on a local socket to which no process can connect. Raises OSError where there is no seccomp, or
    no list of numbers for this architecture.
    """
    code = _filter(os.getpid(), programs or on_gpu, on_gpu)
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    program = Program(len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program)) != 0:
        raise OSError(ctypes.get_errno(), f"PR_SET_SECCOMP: {os.strerror(ctypes.get_errno())}")


def _filter(pid: int, programs: bool, on_gpu: bool) -> bytes:
    if platform.machine() not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, said("no list of system calls for {machine}", machine=platform.machine()))
    column, architecture = _ARCHITECTURES[platform.machine()]
    looked_at = _numbers(_LOOKED_AT + _LISTENING * on_gpu, column)
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _ENOSYS),
        (_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _NEWER), (_RETURN, 0, 0, _ENOSYS),
    ]  # fmt: skip
    refused = _REFUSED + _PROGRAMS * (not programs) + _LISTENING * (not on_gpu)
    for number in _numbers(refused, column).values():
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _EPERM)]
    yes, no = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)
    itself = [(_EQUAL, 0, 1, pid), yes, no]
    opening = [(_AND, 0, 0, os.O_ACCMODE | os.O_TRUNC), (_EQUAL, 0, 1, os.O_RDONLY | os.O_TRUNC), no, yes]
    threads = [(_ANY_BIT, 0, 1, _CLONE_THREAD), yes, no]
    anything = [(_ANY_BIT, 0, 1, _CLONE_NAMESPACES), no, yes]
    for name, argument, body in (
        ("clone", 0, anything if programs else threads),
        ("kill", 0, itself),
        ("tgkill", 0, itself),
        ("prlimit64", 0, [(_EQUAL, 0, 1, 0), yes, *itself]),
        ("prctl", 0, [(_EQUAL, 0, 1, 1), no, yes]),  # PR_SET_PDEATHSIG: the process must end with the worker
        ("sched_setaffinity", 0, [(_EQUAL, 0, 1, 0), yes, *itself]),
        # The receiver of a file's signals: F_SETOWN, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP. What makes others wait for a
        # file, or tells who changes a folder: F_SETLEASE, F_NOTIFY.
        ("fcntl", 1, [(_EQUAL, 3, 0, 8), (_EQUAL, 2, 0, 15), (_EQUAL, 1, 0, 1024), (_EQUAL, 0, 1, 1026), no, yes]),
        ("ioctl", 1, [(_EQUAL, 1, 0, 0x8901), (_EQUAL, 0, 1, 0x8902), no, yes]),
        ("open", 1, opening),  # it can empty a file; before Linux 6.2 Landlock takes that for reading
        ("openat", 2, opening),
        ("socket", 0, [(_EQUAL, 0, 1, socket.AF_UNIX), yes, no]),
    ):
        if name in looked_at:
            body = [(_LOAD, 0, 0, _FIRST_ARGUMENT + 8 * argument), *body]
            lines += [(_EQUAL, 0, len(body), looked_at[name]), *body]
    lines.append(yes)
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def _numbers(table: str, column: int) -> dict[str, int]:
    words = table.split()
    return {name: int(n) for name, n in zip(words[::3], words[1 + column :: 3]) if int(n)}
