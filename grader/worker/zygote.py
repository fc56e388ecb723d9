"""The zygote: one process that holds PyTorch and Triton, and forks the processes of every answer.

The zygote never receives an answer. A fork is confined first. Then it receives the text of an answer and one input
after another, and sends bytes back. It holds no expected value, no seed and no comparison.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import importlib
import itertools
import json
import linecache
import os
import random
import select
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy

from .. import environment, interpreter
from ..cuda import tools
from ..device_side import server
from ..host_side import apart
from ..host_side.answer import leave_the_course
from ..host_side.handles import OnDevice
from ..host_side.wire import Wire
from ..interpreter.triton_private import is_kernel
from ..isolation.linux import limits, processes
from ..isolation.linux.ladder import Sandbox
from ..isolation.linux.scratch import remove
from ..protocol import frames, schema
from ..protocol.calls import pack_call, unpack_call
from ..protocol.jobs import Job
from ..protocol.kernels import KernelProgram
from ..protocol.replies import pack_reply
from ..sentence import message, tree
from ..spec import Call
from . import alone, hugepages

_COURSE = __package__.partition(".")[0]
_POLL_SECONDS = 0.25  # between two checks of the files that the forks wrote


@dataclass(frozen=True)
class _Fork:
    """The processes of one answer. child: the one that serves the judge; when it ends, the others are ended."""

    child: processes.Child
    others: tuple[processes.Child, ...]
    scratch: tuple[str, ...]  # a folder for each
    starts: bool  # whether it can start processes of its own


class Zygote:
    """The process that forks the processes of an answer for each request of the judge.

    control: Unix socket of packets to the judge; each "fork" message carries the file descriptor of a channel. folder:
    parent of the scratch folders. gpu: whether forks may use a GPU; this process itself must not, because CUDA does not
    work after a fork. sandbox: has entered the namespaces.
    """

    def __init__(self, control: socket.socket, folder: str, gpu: bool, sandbox: Sandbox):
        self._control, self._folder, self._gpu, self._sandbox = control, folder, gpu, sandbox
        self._forks: dict[int, _Fork] = {}
        self._spares: set[int] = set()  # numbers of those that wait for an answer
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
        self._control.sendall(
            b"ready " + json.dumps({rung: tree.pack(state) for rung, state in self._sandbox.status.items()}).encode()
        )

    def step(self) -> bool:
        """Wait for the next event and handle it. Without an event, join one huge page. False if the judge is gone."""
        waiting = [self._control, *(w for fork in self._forks.values() if (w := fork.child.wakes) is not None)]
        if self._loaded != len(sys.modules):
            self._to_join, self._course_modules, self._loaded = hugepages.ranges(), _course_modules(), len(sys.modules)
        if self._to_join and not select.select(waiting, [], [], 0)[0]:
            hugepages.join(self._to_join.pop())
            return True
        ready, _, _ = select.select(waiting, [], [], _POLL_SECONDS if self._forks.keys() - self._spares else None)
        for number, fork in list(self._forks.items()):
            if fork.child.ended():
                del self._forks[number]
                self._spares.discard(number)
                self._reap(fork)
            elif any(map(limits.overflows, fork.scratch)):
                processes.kill(fork.child.pid)
        return self._control not in ready or self._handle_message()

    def close(self) -> None:
        """End every fork."""
        while self._forks:
            self._reap(self._forks.popitem()[1])

    def _handle_message(self) -> bool:
        """Handle one message of the judge. False at its end.

        "fork NUMBER JOB" or "spare NUMBER JOB" with a channel, "use NUMBER " for a spare one, "kill NUMBER ".
        """
        message, fds, _, _ = socket.recv_fds(self._control, 10_000, 1)
        if not message:
            return False
        verb, number, job = message.decode().split(" ", 2)
        if verb == "kill" and int(number) in self._forks:
            processes.kill(self._forks[int(number)].child.pid)
        elif verb == "use":
            self._spares.discard(int(number))
        elif verb in ("fork", "spare") and fds:
            try:
                self._forks[int(number)] = self._fork(schema.unpack(json.loads(job), Job), fds[0])
                if verb == "spare":
                    self._spares.add(int(number))
            except (OSError, tools.Unavailable) as error:  # such as a full disk: only this session gets the error
                _refuse(fds[0], error)
        return True

    def _fork(self, job: Job, channel: int) -> _Fork:
        """Fork the processes of an answer. channel: file descriptor of its socket to the judge. Raises OSError."""
        os.makedirs(self._folder, exist_ok=True)  # a cleaner of temporary files may have removed it
        for module in job.imports:
            with contextlib.suppress(ImportError):  # some builds of PyTorch lack some of them
                importlib.import_module(module)
                gc.freeze()
        starts = job.gpu or job.tools or job.assembles or self._sandbox.status["seccomp"] != "on"
        folders = tuple(tempfile.mkdtemp(dir=self._folder) for _ in range(1 + job.apart))
        if not job.apart:
            serve = functools.partial(alone.serve, channel, folders[0], job.gpu)
            child = self._fork_one(job, folders[0], (channel,), serve)
            os.close(channel)
            return _Fork(child, (), folders, starts)
        to_host, to_device = (end.detach() for end in socket.socketpair())
        try:
            serve = functools.partial(apart.serve, to_device, folders[1], job.elsewhere)
            host = self._fork_one(job, folders[1], (to_device,), serve)
            try:
                serve = functools.partial(server.serve, channel, to_host, _texts(job.modules))
                without = dataclasses.replace(job, modules=())
                device = self._fork_one(without, folders[0], (channel, to_host), serve, job.tools)
            except OSError:
                host.reap()
                raise
        finally:
            os.close(to_host)
            os.close(to_device)
        os.close(channel)
        return _Fork(device, (host,), folders, starts)

    def _fork_one(
        self, job: Job, scratch: str, channels: tuple[int, ...], serve: Callable[[], None], build: bool = False
    ) -> processes.Child:
        """Fork a process, confine it and let it serve. Raises OSError.

        channels: file descriptors that stay open. On the first one, the process tells what this machine lacks. build:
        whether g++ runs beside it.
        """
        runtime = tools.sealed_runtime(self._folder) if build else None
        parent, pid = os.getpid(), processes.ask(os.fork)
        if pid:
            return processes.Child(pid)
        status = 1
        try:
            try:
                self._confine(job, scratch, {*channels, runtime} - {None}, parent)
                if build:
                    answering = os.getpid()
                    tools.use_runtime(runtime)
                    tools.start_beside(lambda: self._sandbox.confine_tools(answering))
                if job.assembles:
                    self._sandbox.confine_tools(parent)
                else:
                    self._sandbox.refuse_calls(on_gpu=job.gpu)  # also on a GPU, where Triton starts an assembler
            except Exception as error:  # this machine lacks a call: no fault of the answer, which has not come yet
                _refuse(channels[0], error)
            else:
                serve()
                status = 0
        finally:
            os._exit(status)

    def _confine(self, job: Job, scratch: str, kept: set[int], parent: int) -> None:
        """In a fork: apply all of the sandbox but seccomp. kept: file descriptors that stay open."""
        _keep_only({*kept, *self._sandbox.descriptors})
        before = len(sys.modules)
        for module in job.modules:
            importlib.import_module(module)
        course = [*self._course_modules, *_course_modules(before)]
        _remember_kernels(_course_modules(before))
        self._sandbox.confine(scratch, parent, job.seconds, job.gpu)
        warnings.simplefilter("ignore")
        # Random numbers are the same in every run of an answer. PyTorch's generator has a fixed seed by default.
        random.seed(0)
        numpy.random.seed(0)
        leave_the_course(course)

    def _reap(self, fork: _Fork) -> None:
        """End the processes of a fork that is no longer in the list, and remove its scratch folders."""
        for child in (fork.child, *fork.others):
            child.reap()
        if fork.starts:
            processes.end_strays({c.pid for other in self._forks.values() for c in (other.child, *other.others)})
        for folder in fork.scratch:
            remove(folder)


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


def _refuse(channel_fd: int, error: Exception) -> None:
    """Reply to the judge that there is no worker for this session."""
    with socket.socket(fileno=channel_fd) as channel, contextlib.suppress(OSError):
        frames.send(channel, {"no_worker": getattr(error, "strerror", None) or tree.pack(message(error))})


def _course_modules(before: int = 0) -> list[str]:
    """Names of the loaded modules of the course, without the first `before` entries of sys.modules.

    A fork must not iterate over all modules: to read an object changes its reference count, and so copies its page.
    """
    names = itertools.islice(reversed(sys.modules), len(sys.modules) - before)
    return [name for name in names if name.split(".")[0] == _COURSE]


def _remember_kernels(modules: list[str]) -> None:
    """Keep the lines of modules with kernels in memory: Triton needs them, and an answer may read no file of these."""
    for module in map(sys.modules.get, modules):
        if any(is_kernel(value) for value in list(vars(module).values())):
            lines = linecache.getlines(module.__file__)
            linecache.cache[module.__file__] = sum(map(len, lines)), None, lines, module.__file__


@functools.cache
def _texts(modules: tuple[str, ...]) -> tuple[str, ...]:
    """The texts of packages of the course, by which a device tells their kernels from an answer's."""
    folders = [environment.ROOT / module.replace(".", "/") for module in modules]
    return tuple(file.read_text(encoding="utf-8") for folder in folders for file in sorted(folder.glob("*.py")))


class _Loop(Wire):
    """A wire to a device in this very process, to run the code of both sides once."""

    def __init__(self):
        ours, self._theirs = socket.socketpair()
        super().__init__(ours)
        self._server = server.Server(self._theirs)

    def ask(self, header: dict, payload: bytes = b"") -> tuple[dict, bytes]:
        """The reply of the device."""
        self._send(header, payload)
        frames.send(self._theirs, *self._server.obey(*frames.receive(self._theirs, 0)))
        return frames.receive(self._arriving, 0)


def _warm_up() -> None:
    """Import and run once the code that every answer needs: its first use is slow, or impossible in a fork."""
    import numpy.ma  # noqa: F401  # for numpy.unique
    import numpy.random  # noqa: F401
    import torch

    from ..device_side import kernel_text, lowering
    from ..host_side import kernel_source
    from ..interpreter import caching, selfcheck
    from ..interpreter.observe import Observer

    with OnDevice(_Loop()):
        x = torch.empty(2, 3)
        e = torch.exp(x - x.amax(dim=1, keepdim=True))
        (e / e.sum(dim=1, keepdim=True)).sum().item()
    with contextlib.suppress(Exception):  # doctor() reports a failure; here it would hide the error of an answer
        program = schema.pack(kernel_source.collect(selfcheck.copy.fn), KernelProgram)
        kernel_text.admit(schema.unpack(program, KernelProgram))
        if environment.interpreted():
            header, (data,) = pack_call(Call("launch", "copy", (torch.ones(5),), trace=True))
            call = unpack_call(header, data)
            with Observer(call) as observer:
                selfcheck.copy_once()
            pack_reply(None, call.args, observed=observer.observations([*call.args]))
            caching.read_library()
        else:
            names = {"y_ptr": "*fp32", "x_ptr": "*fp32", "n": "i32"}
            lowering.lower_kernel(selfcheck.sum_unpadded, names, {"BLOCK": ["int", "8"]}, {})


def _use_gpu() -> None:
    """Compile a kernel and run it on the GPU. Raises RuntimeError for a wrong result."""
    import torch

    from ..interpreter import selfcheck

    x = torch.ones(8, device="cuda")
    y = torch.empty_like(x)
    selfcheck.copy[(1,)](y, x, 8, BLOCK=8)
    if not torch.equal(x, y):
        raise RuntimeError("a copy on the GPU differs")


def serve(control_fd: int, folder: str, gpu: bool, sandbox: Sandbox) -> None:
    """Fork runners until the judge closes the control socket. Arguments as for Zygote; control_fd: its descriptor."""
    zygote = Zygote(socket.socket(fileno=control_fd), folder, gpu, sandbox)
    zygote.prepare()
    while zygote.step():
        pass
    zygote.close()
