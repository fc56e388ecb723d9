"""The zygote: one process that holds PyTorch and Triton, and forks a runner for every answer.

The zygote never sees an answer. A fork is confined before it receives an answer's text and one input after another, and
it sends bytes back; it holds no expected value, no seed and no comparison.
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
from ..protocol import frames, schema
from ..protocol.jobs import Job
from ..protocol.tensors import elements
from . import hugepages, runner

_COURSE = __package__.partition(".")[0]
_LOOK = 0.25  # seconds between two looks at the files that the forks wrote


@dataclass(frozen=True)
class _Fork:
    pid: int
    pidfd: int
    scratch: str
    starts: bool  # whether it can start processes


class Zygote:
    """Forks runners until the judge goes away.

    control: a Unix socket of packets; each "fork" brings an answer's channel. folder: where scratch folders go. gpu:
    whether forks will use a GPU; this process must not, or they could not. rungs: of the sandbox, those to try.
    """

    def __init__(self, control: socket.socket, folder: str, gpu: bool, rungs: list[str]):
        self._control, self._folder, self._gpu = control, folder, gpu
        self._sandbox = Sandbox(environment.ROOT, tuple(rungs))
        self._forks: dict[int, _Fork] = {}
        self._modules = 0  # of sys.modules, when the next two were made
        self._apart: list[int] = []  # addresses of pages that are still to be put together
        self._course: list[str] = []

    def prepare(self) -> None:
        """Import what answers need, prove the rungs of the sandbox, and say to the judge that forks may come."""
        gc.disable()  # everything imported now stays for good
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import torch

        torch.set_num_threads(1)
        if environment.interpreted():
            interpreter.install()
        _warm_up()
        processes.adopt_orphans()
        self._sandbox.prove(self._folder)
        if self._gpu:
            self._sandbox.prove_on_gpu(self._folder, _use_gpu)
        gc.freeze()  # or each fork would walk through all objects, and copy their pages
        gc.enable()
        self._control.sendall(b"ready " + json.dumps(self._sandbox.status).encode())

    def step(self) -> bool:
        """Wait for the next event and handle it; while there is none, put a page together. False: the judge is gone."""
        waiting = [self._control, *(fork.pidfd for fork in self._forks.values())]
        if self._modules != len(sys.modules):
            self._apart, self._course, self._modules = hugepages.ranges(), _course(), len(sys.modules)
        if self._apart and not select.select(waiting, [], [], 0)[0]:
            hugepages.join(self._apart.pop())
            return True
        ready, _, _ = select.select(waiting, [], [], _LOOK if self._forks else None)
        for number, fork in list(self._forks.items()):
            if fork.pidfd in ready:
                del self._forks[number]
                self._reap(fork)
            elif limits.overflows(fork.scratch):
                processes.kill(fork.pid)
        return self._control not in ready or self._obey()

    def close(self) -> None:
        """End every fork."""
        while self._forks:
            self._reap(self._forks.popitem()[1])

    def _obey(self) -> bool:
        """Handle one message of the judge: "fork NUMBER JOB" with a channel, or "kill NUMBER "."""
        message, fds, _, _ = socket.recv_fds(self._control, 10_000, 1)
        if not message:
            return False
        verb, number, job = message.decode().split(" ", 2)
        if verb == "kill" and int(number) in self._forks:
            processes.kill(self._forks[int(number)].pid)
        elif verb == "fork" and fds:
            try:
                self._forks[int(number)] = self._fork(schema.unpack(json.loads(job), Job), fds[0])
            except OSError as error:  # a full disk, say: this answer hears of it, and the next may have more luck
                _refuse(fds[0], error)
        return True

    def _fork(self, job: Job, channel: int) -> _Fork:
        """Fork a runner. channel: file descriptor of its socket to the judge."""
        os.makedirs(self._folder, exist_ok=True)  # somebody may have emptied the folder for temporary files
        scratch = tempfile.mkdtemp(dir=self._folder)
        for module in job.imports:
            with contextlib.suppress(ImportError):  # some builds of PyTorch have fewer of them
                importlib.import_module(module)
                gc.freeze()
        runtime = tools.sealed_runtime(self._folder) if job.tools else None
        parent, pid = os.getpid(), os.fork()
        if pid:
            os.close(channel)
            starts = job.device != "cpu" or job.tools or self._sandbox.status["seccomp"] != "on"
            return _Fork(pid, os.pidfd_open(pid), scratch, starts)
        status = 1
        try:
            self._become_runner(job, channel, scratch, parent, runtime)
            status = 0
        finally:
            os._exit(status)

    def _become_runner(self, job: Job, channel: int, scratch: str, parent: int, runtime: int | None) -> None:
        """In a fork: confine this process, then serve one answer. runtime: file descriptor of the CUDA runtime."""
        on_gpu = job.device != "cpu"
        _keep_only({channel} | {runtime} - {None})
        before = len(sys.modules)
        for module in job.modules:
            importlib.import_module(module)
        course = [*self._course, *_course(before)]
        self._sandbox.confine(scratch, parent, job.seconds, on_gpu, _files(job.modules, course))
        if job.tools:
            answering = os.getpid()
            tools.use_runtime(runtime)
            tools.start_beside(lambda: self._sandbox.confine_tools(answering))
        self._sandbox.refuse_calls(on_gpu=on_gpu)  # where Triton starts an assembler, too
        warnings.simplefilter("ignore")
        # An answer that draws numbers draws the same ones again. PyTorch begins with a fixed seed by itself.
        random.seed(0)
        numpy.random.seed(0)
        runner.leave_the_course(course)
        runner.serve(socket.socket(fileno=channel), scratch, job.device)

    def _reap(self, fork: _Fork) -> None:
        """End a fork that is no longer listed, and leave nothing of it."""
        processes.kill(fork.pid)  # and whatever it left in its session
        os.waitpid(fork.pid, 0)
        os.close(fork.pidfd)
        if fork.starts:
            processes.end_strays({other.pid for other in self._forks.values()})
        remove(fork.scratch)


def _keep_only(kept: set[int]) -> None:
    """Close every file descriptor but these: neither the line to the judge nor a handle on another fork comes along."""
    last = 2
    for fd in (*sorted(kept), 4096):
        os.closerange(last + 1, fd)
        last = fd
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    os.close(nowhere)


def _refuse(channel_fd: int, error: OSError) -> None:
    with socket.socket(fileno=channel_fd) as channel, contextlib.suppress(OSError):
        frames.send(channel, {"no_worker": error.strerror})


def _course(before: int = 0) -> list[str]:
    """The course's modules, those left out that were imported with the first `before` of all.

    A child must not go through all modules: to look at one is to write to it, and so to copy its page.
    """
    names = itertools.islice(reversed(sys.modules), len(sys.modules) - before)
    return [name for name in names if name.split(".")[0] == _COURSE]


def _files(modules: list[str], course: list[str]) -> list[str]:
    """The texts of modules and of what lies below them: Triton reads a kernel's when it is launched."""
    beginnings = tuple(f"{module}." for module in modules)
    return [sys.modules[name].__file__ for name in course if name in modules or name.startswith(beginnings)]


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
            lowering.lower(selfcheck.sum_unpadded, names, {"BLOCK": ["int", "8"]}, {})


def _use_gpu() -> None:
    """Compile a kernel and run it."""
    import torch

    from ..interpreter import selfcheck

    x = torch.ones(8, device="cuda")
    y = torch.empty_like(x)
    selfcheck.copy[(1,)](y, x, 8, BLOCK=8)
    if not torch.equal(x, y):
        raise RuntimeError("a copy on the GPU differs")


def main(control_fd: int, folder: str, gpu: bool, rungs: list[str]) -> None:
    """Serve forks until the judge goes away."""
    zygote = Zygote(socket.socket(fileno=control_fd), folder, gpu, rungs)
    zygote.prepare()
    while zygote.step():
        pass
    zygote.close()


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), sys.argv[2], sys.argv[3] == "gpu", sys.argv[4:])
    except BrokenPipeError:  # the judge went away before there was anything to do
        pass
    finally:
        remove(sys.argv[2])  # the judge may be gone without having done so
