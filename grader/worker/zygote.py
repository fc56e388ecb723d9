"""The untrusted side: one process that holds PyTorch and Triton, and a fork of it for every answer.

The parent never sees an answer. A child receives an answer's text and one input after another, and sends bytes back;
it holds no expected value, no seed and no comparison. It is confined before it receives anything.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import json
import os
import random
import select
import socket
import sys
import tempfile
import warnings
from dataclasses import dataclass

import numpy

from .. import environment, interpreter
from ..cuda import tools
from ..isolation.linux import limits, processes
from ..isolation.linux.ladder import Sandbox
from ..isolation.linux.scratch import remove
from ..protocol import frames
from ..protocol.tensors import elements
from . import hugepages, runner

_LOOK = 0.25  # seconds between two looks at what the children wrote


@dataclass(frozen=True)
class _Job:
    """What the judge asks of a fork."""

    channel: int  # file descriptor
    seconds: float
    device: str
    tools: bool  # whether g++ is at hand
    modules: list[str]  # of the course
    imports: list[str]  # of PyTorch, by this process


@dataclass(frozen=True)
class _Child:
    pid: int
    pidfd: int
    scratch: str
    starts: bool  # whether it can start processes


def main(control_fd: int, folder: str, gpu: bool, rungs: list[str]) -> None:
    """Serve forks until the judge goes away.

    control_fd: a Unix socket of packets; each "fork" brings an answer's channel. folder: where scratch folders go.
    gpu: whether children will use one; this process must not ask, or its forks could not. rungs: of the sandbox, those
    to try.
    """
    gc.disable()  # what is imported now stays for good
    control = socket.socket(fileno=control_fd)
    sandbox = Sandbox(environment.ROOT, tuple(rungs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch

    torch.set_num_threads(1)
    if environment.interpreted():
        interpreter.install()
    _warm_up()
    processes.adopt_orphans()
    sandbox.prove(folder)
    if gpu:
        sandbox.prove_on_gpu(folder, _use_gpu)
    gc.freeze()  # or each fork would go through all of it, and copy it
    gc.enable()
    control.sendall(b"ready " + json.dumps(sandbox.status).encode())
    children: dict[int, _Child] = {}
    apart, course, imported = [], [], 0
    while True:
        waiting = [control, *(c.pidfd for c in children.values())]
        if imported != len(sys.modules):
            apart, course, imported = hugepages.ranges(), _course(), len(sys.modules)
        if apart and not select.select(waiting, [], [], 0)[0]:  # nobody waits
            hugepages.join(apart.pop())
            continue
        ready, _, _ = select.select(waiting, [], [], _LOOK if children else None)
        for number, child in list(children.items()):
            if child.pidfd in ready:
                del children[number]
                _reap(child, children)
            elif limits.overflows(child.scratch):
                processes.kill(child.pid)
        if control in ready:
            message, fds, _, _ = socket.recv_fds(control, 10_000, 1)
            if not message:
                break
            verb, number, job = message.decode().split(" ", 2)
            if verb == "kill" and int(number) in children:
                processes.kill(children[int(number)].pid)
            elif verb == "fork" and fds:
                try:
                    children[int(number)] = _fork(_Job(fds[0], **json.loads(job)), folder, sandbox, course)
                except OSError as error:  # a full disk, say: this answer hears of it, and the next may have more luck
                    _refuse(fds[0], error)
    for number in list(children):
        _reap(children.pop(number), children)


def _refuse(channel_fd: int, error: OSError) -> None:
    with socket.socket(fileno=channel_fd) as channel, contextlib.suppress(OSError):
        frames.send(channel, {"no_worker": error.strerror})


def _course(before: int = 0) -> list[str]:
    """The course's modules, those left out that were imported with the first `before` of all.

    A child must not go through all modules: to look at one is to write to it, and so to copy its page.
    """
    names = itertools.islice(reversed(sys.modules), len(sys.modules) - before)
    return [name for name in names if name.split(".")[0] == __package__]


def _fork(job: _Job, folder: str, sandbox: Sandbox, course: list[str]) -> _Child:
    os.makedirs(folder, exist_ok=True)  # somebody may have emptied the folder for temporary files
    scratch = tempfile.mkdtemp(dir=folder)
    parent, on_gpu = os.getpid(), job.device != "cpu"
    for module in job.imports:
        with contextlib.suppress(ImportError):  # some builds of PyTorch have fewer of them
            importlib.import_module(module)
            gc.freeze()
    runtime = tools.sealed_runtime(folder) if job.tools else None
    pid = os.fork()
    if pid:
        os.close(job.channel)
        return _Child(pid, os.pidfd_open(pid), scratch, on_gpu or job.tools or sandbox.status["seccomp"] != "on")
    status = 1
    try:
        # Neither the line to the judge nor a handle on another child comes along.
        last = 2
        for kept in (*sorted({job.channel} | {runtime} - {None}), 4096):
            os.closerange(last + 1, kept)
            last = kept
        nowhere = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nowhere, fd)
        os.close(nowhere)
        before = len(sys.modules)
        for module in job.modules:
            importlib.import_module(module)
        course = [*course, *_course(before)]
        sandbox.confine(scratch, parent, job.seconds, on_gpu, _files(job.modules, course))
        if job.tools:
            answering = os.getpid()
            tools.use_runtime(runtime)
            tools.start_beside(lambda: sandbox.confine_tools(answering))
        sandbox.refuse_calls(on_gpu=on_gpu)  # where Triton starts an assembler, too
        warnings.simplefilter("ignore")
        # An answer that draws numbers draws the same ones again. PyTorch begins with a fixed seed by itself.
        random.seed(0)
        numpy.random.seed(0)
        runner.leave_the_course(course)
        runner.serve(socket.socket(fileno=job.channel), scratch, job.device)
        status = 0
    finally:
        os._exit(status)


def _files(modules: list[str], course: list[str]) -> list[str]:
    """The texts of modules and of what lies below them: Triton reads a kernel's when it is launched."""
    beginnings = tuple(f"{module}." for module in modules)
    return [sys.modules[name].__file__ for name in course if name in modules or name.startswith(beginnings)]


def _reap(child: _Child, others: dict[int, _Child]) -> None:
    """End a child and leave nothing of it. others: the children that go on."""
    processes.kill(child.pid)  # and whatever it left in its session
    os.waitpid(child.pid, 0)
    os.close(child.pidfd)
    if child.starts:
        processes.end_strays({c.pid for c in others.values()})
    remove(child.scratch)


def _warm_up() -> None:
    """Import what a first answer would otherwise wait for, or could not import any more, and run it once."""
    import numpy.random  # noqa: F401
    import torch

    from ..interpreter import caching, selfcheck
    from ..interpreter.ledger import Ledger
    from ..interpreter.torch_ledger import TorchLedger
    from . import lowering

    with TorchLedger(Ledger(), poison=True):
        x = torch.empty(2, 3)
        e = torch.exp(x - x.amax(dim=1, keepdim=True))
        elements(e / e.sum(dim=1, keepdim=True))
    with contextlib.suppress(Exception):  # doctor() says what does not work; here it would only hide the answer's error
        if environment.interpreted():
            selfcheck.copy_once()
            caching.read_library()
        else:
            names = {"y_ptr": "*fp32", "x_ptr": "*fp32", "n": "i32"}
            lowering.lower(selfcheck._sum_unpadded, names, {"BLOCK": ["int", "8"]}, {})


def _use_gpu() -> None:
    """Compile a kernel and run it."""
    import torch

    from ..interpreter import selfcheck

    x = torch.ones(8, device="cuda")
    y = torch.empty_like(x)
    selfcheck._copy[(1,)](y, x, 8, BLOCK=8)
    if not torch.equal(x, y):
        raise RuntimeError("a copy on the GPU differs")


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), sys.argv[2], sys.argv[3] == "gpu", sys.argv[4:])
    except BrokenPipeError:  # the judge went away before there was anything to do
        pass
    finally:
        remove(sys.argv[2])  # the judge may be gone without having done so
