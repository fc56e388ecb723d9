"""The untrusted side: one process that holds PyTorch and Triton, and a fork of it for every answer.

The parent never sees an answer. A child receives an answer's text and one input after another, and sends bytes back;
it holds no expected value, no seed and no comparison.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import shutil
import signal
import socket
import sys
import tempfile
import warnings

import numpy

from . import interpreter, machine, sandbox, serve, wire


def main(control_fd: int, folder: str) -> None:
    """Serve forks until the judge goes away.

    control_fd: a Unix socket of packets; each "fork" brings an answer's channel. folder: where scratch folders go.
    """
    control = socket.socket(fileno=control_fd)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch

    torch.set_num_threads(1)
    if machine.interpreted():
        interpreter.install()
    _warm_up()
    control.sendall(b"ready\n")
    children: dict[int, tuple[int, int, str]] = {}  # number -> (pid, pidfd, scratch folder)
    while True:
        ready, _, _ = select.select([control, *(c[1] for c in children.values())], [], [])
        for number, (pid, pidfd, scratch) in list(children.items()):
            if pidfd in ready:
                _reap(pid, pidfd, scratch)
                del children[number]
        if control in ready:
            message, fds, _, _ = socket.recv_fds(control, 64, 1)
            if not message:
                break
            verb, number, *rest = message.decode().split()
            if verb == "kill" and int(number) in children:
                _kill(children[int(number)][0])
            elif verb == "fork" and fds:
                try:
                    children[int(number)] = _fork(fds[0], float(rest[0]), rest[1], folder)
                except OSError as error:  # a full disk, say: this answer hears of it, and the next may have more luck
                    _refuse(fds[0], error)
    for pid, pidfd, scratch in children.values():
        _kill(pid)
        _reap(pid, pidfd, scratch)


def _refuse(channel_fd: int, error: OSError) -> None:
    with socket.socket(fileno=channel_fd) as channel, contextlib.suppress(OSError):
        wire.send(channel, {"no_worker": error.strerror})


def _fork(channel_fd: int, seconds: float, device: str, folder: str) -> tuple[int, int, str]:
    os.makedirs(folder, exist_ok=True)  # somebody may have emptied the folder for temporary files
    scratch = tempfile.mkdtemp(dir=folder)
    pid = os.fork()
    if pid:
        os.close(channel_fd)
        return pid, os.pidfd_open(pid), scratch
    status = 1
    try:
        # Neither the line to the judge nor a handle on another child comes along.
        os.closerange(3, channel_fd)
        os.closerange(channel_fd + 1, 4096)
        sandbox.confine(seconds, on_gpu=device != "cpu")
        nowhere = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nowhere, fd)
        os.chdir(scratch)
        warnings.simplefilter("ignore")
        # An answer that draws numbers draws the same ones again. PyTorch begins with a fixed seed by itself.
        random.seed(0)
        numpy.random.seed(0)
        serve.serve(socket.socket(fileno=channel_fd), scratch, device)
        status = 0
    finally:
        os._exit(status)


def _kill(pid: int) -> None:
    """End a child's whole session; before it has made one, the child alone."""
    for end in (os.killpg, os.kill):
        try:
            end(pid, signal.SIGKILL)
        except OSError:
            pass


def _reap(pid: int, pidfd: int, scratch: str) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)  # whatever the child left in its session
    except OSError:
        pass
    os.waitpid(pid, 0)
    os.close(pidfd)
    shutil.rmtree(scratch, ignore_errors=True)


def _warm_up() -> None:
    """Run what a first answer would otherwise wait for."""
    import torch

    from .ledger import Ledger
    from .torch_ledger import TorchLedger

    with TorchLedger(Ledger(), poison=True):
        x = torch.empty(2, 3)
        e = torch.exp(x - x.amax(dim=1, keepdim=True))
        wire.elements(e / e.sum(dim=1, keepdim=True))
    with contextlib.suppress(Exception):  # doctor() says what does not work; here it would only hide the answer's error
        from . import compiler, selfcheck

        if machine.interpreted():
            selfcheck.copy_once()
        else:
            compiler.lower(
                selfcheck._copy, {"y_ptr": "*fp32", "x_ptr": "*fp32", "n": "i32"}, {"BLOCK": ["int", "8"]}, {}
            )


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), sys.argv[2])
    except BrokenPipeError:  # the judge went away before there was anything to do
        pass
    finally:
        shutil.rmtree(sys.argv[2], ignore_errors=True)  # the judge may be gone without having done so
