"""The zygote: one process that holds PyTorch and Triton, and forks a runner for every answer.

The zygote never receives an answer. A fork is confined first. Then it receives the text of an answer and one input
after another, and sends bytes back. It holds no expected value, no seed and no comparison.
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
_POLL_SECONDS = 0.25  # between two checks of the files that the forks wrote


@dataclass(frozen=True)
class _Fork:
    pid: int
    pidfd: int
    scratch: str
    starts: bool  # whether it can start processes of its own


class Zygote:
    """The process that forks a runner for each request of the judge.

    control: Unix socket of packets to the judge; each "fork" message carries the file descriptor of a channel. folder:
    parent of the scratch folders. gpu: whether forks may use a GPU; this process itself must not, because CUDA does not
    work after a fork. rungs: those of the sandbox to try.
    """

    def __init__(self, control: socket.socket, folder: str, gpu: bool, rungs: list[str]):
        self._control, self._folder, self._gpu = control, folder, gpu
        self._sandbox = Sandbox(environment.ROOT, tuple(rungs))
        self._forks: dict[int, _Fork] = {}
        self._loaded = 0  # len(sys.modules) when the next two lists were made
        self._to_join: list[int] = []  # addresses for hugepages.join
        self._course_modules: list[str] = []

    def prepare(self) -> None:
        """Import the modules that answers need, prove the rungs of the sandbox, and send "ready" to the judge."""
        gc.disable()  # modules imported now are never freed
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
        gc.freeze()  # without it, a collection in a fork writes to all objects and so copies their pages
        gc.enable()
        self._control.sendall(b"ready " + json.dumps(self._sandbox.status).encode())

    def step(self) -> bool:
        """Wait for the next event and handle it. Without an event, join one huge page. False if the judge is gone."""
        waiting = [self._control, *(fork.pidfd for fork in self._forks.values())]
        if self._loaded != len(sys.modules):
            self._to_join, self._course_modules, self._loaded = hugepages.ranges(), _course_modules(), len(sys.modules)
        if self._to_join and not select.select(waiting, [], [], 0)[0]:
            hugepages.join(self._to_join.pop())
            return True
        ready, _, _ = select.select(waiting, [], [], _POLL_SECONDS if self._forks else None)
        for number, fork in list(self._forks.items()):
            if fork.pidfd in ready:
                del self._forks[number]
                self._reap(fork)
            elif limits.overflows(fork.scratch):
                processes.kill(fork.pid)
        return self._control not in ready or self._handle_message()

    def close(self) -> None:
        """End every fork."""
        while self._forks:
            self._reap(self._forks.popitem()[1])

    def _handle_message(self) -> bool:
        """Handle one message of the judge: "fork NUMBER JOB" with a channel, or "kill NUMBER ". False at its end."""
        message, fds, _, _ = socket.recv_fds(self._control, 10_000, 1)
        if not message:
            return False
        verb, number, job = message.decode().split(" ", 2)
        if verb == "kill" and int(number) in self._forks:
            processes.kill(self._forks[int(number)].pid)
        elif verb == "fork" and fds:
            try:
                self._forks[int(number)] = self._fork(schema.unpack(json.loads(job), Job), fds[0])
            except OSError as error:  # such as a full disk: only this session gets the error
                _refuse(fds[0], error)
        return True

    def _fork(self, job: Job, channel: int) -> _Fork:
        """Fork a runner. channel: file descriptor of its socket to the judge. Raises OSError."""
        os.makedirs(self._folder, exist_ok=True)  # a cleaner of temporary files may have removed it
        scratch = tempfile.mkdtemp(dir=self._folder)
        for module in job.imports:
            with contextlib.suppress(ImportError):  # some builds of PyTorch lack some of them
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
        course = [*self._course_modules, *_course_modules(before)]
        self._sandbox.confine(scratch, parent, job.seconds, on_gpu, _files(job.modules, course))
        if job.tools:
            answering = os.getpid()
            tools.use_runtime(runtime)
            tools.start_beside(lambda: self._sandbox.confine_tools(answering))
        self._sandbox.refuse_calls(on_gpu=on_gpu)  # also on a GPU, where Triton starts an assembler
        warnings.simplefilter("ignore")
        # Random numbers are the same in every run of an answer. PyTorch's generator has a fixed seed by default.
        random.seed(0)
        numpy.random.seed(0)
        runner.leave_the_course(course)
        runner.serve(socket.socket(fileno=channel), scratch, job.device)

    def _reap(self, fork: _Fork) -> None:
        """End a fork that is no longer in the list; remove its processes and its scratch folder."""
        processes.kill(fork.pid)  # and the processes that it left in its session
        os.waitpid(fork.pid, 0)
        os.close(fork.pidfd)
        if fork.starts:
            processes.end_strays({other.pid for other in self._forks.values()})
        remove(fork.scratch)


def _keep_only(kept: set[int]) -> None:
    """Close all other file descriptors, such as the control socket and the pidfds of other forks.

    0, 1 and 2 are connected to /dev/null.
    """
    last = 2
    for fd in (*sorted(kept), 4096):
        os.closerange(last + 1, fd)
        last = fd
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    os.close(nowhere)


def _refuse(channel_fd: int, error: OSError) -> None:
    """Reply to the judge that there is no worker for this session."""
    with socket.socket(fileno=channel_fd) as channel, contextlib.suppress(OSError):
        frames.send(channel, {"no_worker": error.strerror})


def _course_modules(before: int = 0) -> list[str]:
    """Names of the loaded modules of the course, without the first `before` entries of sys.modules.

    A fork must not iterate over all modules: to read an object changes its reference count, and so copies its page.
    """
    names = itertools.islice(reversed(sys.modules), len(sys.modules) - before)
    return [name for name in names if name.split(".")[0] == _COURSE]


def _files(modules: list[str], course: list[str]) -> list[str]:
    """Source files of modules and of their submodules. Triton reads the source of a kernel at its launch."""
    beginnings = tuple(f"{module}." for module in modules)
    return [sys.modules[name].__file__ for name in course if name in modules or name.startswith(beginnings)]


def _warm_up() -> None:
    """Import and run once the code that every answer needs: its first use is slow, or impossible in a fork."""
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
    with contextlib.suppress(Exception):  # doctor() reports a failure; here it would hide the error of an answer
        if environment.interpreted():
            selfcheck.copy_once()
            caching.read_library()
        else:
            names = {"y_ptr": "*fp32", "x_ptr": "*fp32", "n": "i32"}
            lowering.lower(selfcheck.sum_unpadded, names, {"BLOCK": ["int", "8"]}, {})


def _use_gpu() -> None:
    """Compile a kernel and run it on the GPU. Raises RuntimeError for a wrong result."""
    import torch

    from ..interpreter import selfcheck

    x = torch.ones(8, device="cuda")
    y = torch.empty_like(x)
    selfcheck.copy[(1,)](y, x, 8, BLOCK=8)
    if not torch.equal(x, y):
        raise RuntimeError("a copy on the GPU differs")


def main(control_fd: int, folder: str, gpu: bool, rungs: list[str]) -> None:
    """Fork runners until the judge closes the control socket. Arguments as for Zygote; control_fd: its descriptor."""
    zygote = Zygote(socket.socket(fileno=control_fd), folder, gpu, rungs)
    zygote.prepare()
    while zygote.step():
        pass
    zygote.close()


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), sys.argv[2], sys.argv[3] == "gpu", sys.argv[4:])
    except BrokenPipeError:  # the judge ended during `prepare`
        pass
    finally:
        remove(sys.argv[2])  # the judge removes it too, unless it was killed
