"""The zygote: one process that holds PyTorch, Triton, or both, and forks the processes of every answer.

The zygote never receives an answer. A fork is confined first. Then it receives the text of an answer and one input
after another, and sends bytes back. It holds no expected value, no seed and no comparison.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import importlib
import json
import os
import select
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from .. import environment
from ..cuda import tools
from ..isolation.linux import limits, processes
from ..isolation.linux.ladder import Sandbox
from ..isolation.linux.scratch import remove
from ..protocol import frames, schema
from ..protocol.jobs import Job
from ..sentence import message, tree
from . import course_modules, hugepages

_DEVICE_OF_A_RACE = "grader.timing.timekeeper"  # no other fork has what it imports: right results, and their bounds
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
    parent of the scratch folders. mode: "interpreted" for answers; "front end" for kernels that are compiled; "gpu" for
    these, and for answers on a GPU, which this process itself must not use, because CUDA does not work after a fork.
    sandbox: has entered the namespaces.
    """

    def __init__(self, control: socket.socket, folder: str, mode: str, sandbox: Sandbox):
        self._control, self._folder, self._mode, self._sandbox = control, folder, mode, sandbox
        self._forks: dict[int, _Fork] = {}
        self._spares: set[int] = set()  # numbers of those that wait for an answer
        self._loaded = 0  # len(sys.modules) when the next two lists were made
        self._to_join: list[int] = []  # addresses for hugepages.join
        self._course_modules: list[str] = []

    def prepare(self) -> None:
        """Import the modules that forks need, prove the rungs of the sandbox, and send "ready" to the judge.

        The front end alone does without PyTorch, which is most of a process's memory.
        """
        gc.disable()  # modules imported now are never freed
        if self._mode != "front end":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                from . import warm_up
            warm_up.run()
        if self._mode != "interpreted":
            from . import front_end

            front_end.warm_up()
        processes.adopt_orphans()
        self._sandbox.prove(self._folder)
        if self._mode == "gpu":
            self._sandbox.prove_on_gpu(self._folder, warm_up.use_gpu)
        gc.freeze()  # without it, a collection in a fork writes to all objects and so copies their pages
        gc.enable()
        self._control.sendall(
            b"ready " + json.dumps({rung: tree.pack(state) for rung, state in self._sandbox.status.items()}).encode()
        )

    def step(self) -> bool:
        """Wait for the next event and handle it. Without an event, join one huge page. False if the judge is gone."""
        waiting = [self._control, *(w for fork in self._forks.values() if (w := fork.child.wakes) is not None)]
        if self._loaded != len(sys.modules):
            self._to_join, self._course_modules = hugepages.ranges(), course_modules.loaded()
            self._loaded = len(sys.modules)
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

        "fork NUMBER JOB" or "spare NUMBER JOB" with a channel, the first also with that to a host; "use NUMBER " for a
        spare one; "kill NUMBER ".
        """
        message, fds, _, _ = socket.recv_fds(self._control, 10_000, 2)
        if not message:
            return False
        verb, number, job = message.decode().split(" ", 2)
        if verb == "kill" and int(number) in self._forks:
            processes.kill(self._forks[int(number)].child.pid)
        elif verb == "use":
            self._spares.discard(int(number))
        elif verb in ("fork", "spare") and fds:
            try:
                self._forks[int(number)] = self._fork(schema.unpack(json.loads(job), Job), *fds)
                if verb == "spare":
                    self._spares.add(int(number))
            except (OSError, tools.Unavailable) as error:  # such as a full disk: only this session gets the error
                _refuse(fds[0], error)
        return True

    def _fork(self, job: Job, channel: int, *to_host: int) -> _Fork:
        """Fork the processes of an answer. Raises OSError.

        channel: file descriptor of its socket to the judge. to_host: that of a socket to a host, for its device alone.
        """
        os.makedirs(self._folder, exist_ok=True)  # a cleaner of temporary files may have removed it
        for module in job.imports:
            with contextlib.suppress(ImportError):  # some builds of PyTorch lack some of them
                importlib.import_module(module)
                gc.freeze()
        starts = job.gpu or job.tools or job.assembles or self._sandbox.status["seccomp"] != "on"
        folders = tuple(tempfile.mkdtemp(dir=self._folder) for _ in range(1 + job.apart))
        if job.raced:
            child = self._fork_one(job, folders[0], (channel, *to_host), _raced(job, folders[0], channel, *to_host))
            for descriptor in (channel, *to_host):
                os.close(descriptor)
            return _Fork(child, (), folders, starts)
        if not job.apart:
            child = self._fork_one(job, folders[0], (channel,), self._alone(job, channel, folders[0]))
            os.close(channel)
            return _Fork(child, (), folders, starts)
        from ..device_side import far_tensors, server
        from ..host_side import apart

        to_host, to_device = (end.detach() for end in socket.socketpair())
        try:
            serve = functools.partial(apart.serve, to_device, folders[1], job.elsewhere)
            host = self._fork_one(job, folders[1], (to_device,), serve)
            window = far_tensors.reserve()  # by now, because the memory of the device will be limited
            try:
                serve = functools.partial(server.serve, channel, to_host, _texts(job.modules), window)
                without = dataclasses.replace(job, modules=())
                device = self._fork_one(without, folders[0], (channel, to_host), serve, job.tools)
            except OSError:
                host.reap()
                raise
            finally:
                if window is not None:
                    window.close()
        finally:
            os.close(to_host)
            os.close(to_device)
        os.close(channel)
        return _Fork(device, (host,), folders, starts)

    def _alone(self, job: Job, channel: int, scratch: str) -> Callable[[], None]:
        """What the one process of a job does. Arguments as for `alone.serve`."""
        if self._mode == "interpreted" or job.gpu:
            from . import alone

            return functools.partial(alone.serve, channel, scratch, job.gpu)
        from . import front_end

        return functools.partial(front_end.serve, channel)

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
        for module in (_DEVICE_OF_A_RACE,) if job.raced == "device" else job.modules:
            importlib.import_module(module)
        added = course_modules.loaded(before)
        course_modules.remember_kernels(added)
        self._sandbox.confine(scratch, parent, job.seconds, job.gpu)
        warnings.simplefilter("ignore")
        course_modules.leave([*self._course_modules, *added])

    def _reap(self, fork: _Fork) -> None:
        """End the processes of a fork that is no longer in the list, and remove its scratch folders."""
        for child in (fork.child, *fork.others):
            child.reap()
        if fork.starts:
            processes.end_strays({c.pid for other in self._forks.values() for c in (other.child, *other.others)})
        for folder in fork.scratch:
            remove(folder)


def _raced(job: Job, scratch: str, channel: int, *to_host: int) -> Callable[[], None]:
    """What one of the two processes of a race does. Arguments as for `Zygote._fork`."""
    if job.raced == "host":
        from ..host_side import apart

        return functools.partial(apart.serve, channel, scratch, job.elsewhere, raced=True)

    def serve() -> None:
        from ..timing import timekeeper  # loaded by then, before this process was confined

        timekeeper.serve(channel, *to_host)

    return serve


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


@functools.cache
def _texts(modules: tuple[str, ...]) -> tuple[str, ...]:
    """The texts of packages of the course, by which a device tells their kernels from an answer's."""
    folders = [environment.ROOT / module.replace(".", "/") for module in modules]
    return tuple(file.read_text(encoding="utf-8") for folder in folders for file in sorted(folder.glob("*.py")))


def serve(control_fd: int, folder: str, mode: str, sandbox: Sandbox) -> None:
    """Fork runners until the judge closes the control socket. Arguments as for Zygote; control_fd: its descriptor."""
    zygote = Zygote(socket.socket(fileno=control_fd), folder, mode, sandbox)
    zygote.prepare()
    while zygote.step():
        pass
    zygote.close()
