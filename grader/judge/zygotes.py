"""The judge's side of the zygotes: it starts them once, keeps them warm, and requests a fork for each answer."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable

from .. import environment
from ..isolation import LEVELS, RUNGS, level
from ..protocol import schema
from ..protocol.jobs import Job
from ..sentence import said, tree
from .session import Deadline, Died, Lower, NoAssembler, NotCompiled, NoWorker, Session
from .time_limit import LONGEST, TimeLimit

START_SECONDS = 120
_IDLE_SECONDS = 900  # a long paragraph takes less
_LOOKS = 10  # in as many seconds
_SPARES = 2  # kinds of which a fork waits: an answer's own, and that of the functions which it is given
# Environment variables that a worker needs. The others may contain secrets, and a child can read its environment.
_KEPT = ("PATH", "HOME", "LANG", "TZ", "VIRTUAL_ENV", "CONDA_PREFIX")
_KEPT_BEGINNINGS = ("LC_", "LD_", "PYTHON", "CUDA", "NVIDIA_", "TRITON_")


class Zygote:
    """A process that has imported PyTorch and Triton, and forks a child for every answer. Raises NoWorker.

    mode: "interpreted", or "compiled": on the GPU where there is one, otherwise the compiler's front end only. rungs:
    those of the sandbox to try. status: {rung: "on" or "off: why"}, once `wait` has returned. uses: how often somebody
    asked for it or for a fork, or a fork came to its end.
    """

    def __init__(self, mode: str, rungs: tuple[str, ...] = RUNGS):
        self.mode, self._rungs = mode, rungs
        self.status: dict[str, str] = {}
        self.uses = 0
        self._serving: set[int] = set()  # numbers of the forks that serve an answer
        self._lock, self._numbers, self._ready = threading.Lock(), itertools.count(), False
        self._spares: dict[Job, tuple[int, socket.socket]] = {}  # forks that wait for the next answer, the oldest first
        if sys.platform != "linux":
            raise NoWorker(said("checks need Linux (or Colab, or WSL): this platform cannot fork a guarded process"))
        try:
            self._start()
        except OSError as error:  # a full disk, too many processes
            raise NoWorker(
                said("the process that runs answers cannot be started: {strerror}", strerror=error.strerror)
            ) from None

    def _start(self) -> None:
        # A socket of packets keeps the messages apart.
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._log = tempfile.TemporaryFile()
        from ..isolation.linux.scratch import Scratch  # its system calls exist on Linux only

        self._scratch = Scratch()
        variables = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith(_KEPT_BEGINNINGS)} | {
            "FIVE_PASSES_WORKER": "1",
            "OMP_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",  # the iteration order of sets is the same in every run
            "TRITON_INTERPRET": "1" if self.mode == "interpreted" else "0",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grader.worker.start", *self._arguments(theirs)],
            cwd=environment.ROOT,
            env=variables,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )
        theirs.close()

    def _arguments(self, control: socket.socket) -> list[str]:
        # No namespaces with a GPU: its driver must reach its other parts.
        gpu = self.mode == "compiled" and environment.has_gpu()
        rungs = [rung for rung in self._rungs if not (gpu and rung == "namespaces")]
        mode = "gpu" if gpu else "interpreted" if self.mode == "interpreted" else "front end"
        return [str(control.fileno()), self._scratch.name, mode, *rungs]

    def wait(self) -> None:
        """Return when the process is ready to fork. Raises NoWorker with the last line of its log."""
        with self._lock:
            if self._ready:
                return
            self._control.settimeout(START_SECONDS)
            try:
                arrived = self._control.recv(10_000)
                if arrived.startswith(b"ready "):
                    self.status = {rung: tree.unpack(state) for rung, state in json.loads(arrived[6:]).items()}
                    self._ready = True
            except OSError:
                pass
            self._control.settimeout(None)
        if not self._ready:
            self._process.kill()
            self._log.seek(0)
            last = self._log.read()[-400:].decode(errors="replace").strip().splitlines()
            raise NoWorker(
                said(
                    "the process that runs answers did not start: {value}",
                    value=last[-1] if last else said("it said nothing"),
                )
            )

    @property
    def busy(self) -> bool:
        """Whether a fork serves an answer."""
        return bool(self._serving)

    def alive(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    def open(
        self, source: str, seconds: float | TimeLimit, driver: str = "", lower: Lower | None = None, **job
    ) -> Session:
        """A session with a new fork, which has imported the answer. Raises NoWorker, Deadline or Died.

        source: text of the answer. seconds: its time limit, or that of several sessions. driver: text of the course
        that calls the answer. lower: as in Session. job: the other fields of protocol.jobs.Job.
        """
        self.wait()
        limit = seconds if isinstance(seconds, TimeLimit) else TimeLimit(seconds)
        limit.watch(self._process.pid)
        wanted = Job(LONGEST * limit.seconds, **job)
        number, ours = self._spare_of(wanted) or self._request("fork", wanted)
        self._serving.add(number)
        return Session(lambda: self._end(number, wanted), ours, source, limit, driver, wanted.apart, lower)

    def race(
        self, clock: Zygote, source: str, seconds: float, driver: str, elsewhere: bool, modules: tuple[str, ...]
    ) -> Session:
        """As `open`, for a race: a fork of this process is the host, and one of `clock` the device with the GPU."""
        self.wait()
        clock.wait()
        limit = TimeLimit(seconds)
        limit.watch(self._process.pid)
        most = LONGEST * seconds
        host, to_host = self._request("fork", Job(most, elsewhere=elsewhere, modules=modules, raced="host"))
        with to_host:
            device, ours = clock._request("fork", Job(most, gpu=True, raced="device"), to_host)
        self._serving.add(host)
        clock._serving.add(device)

        def end() -> None:
            clock.kill(device)
            self.kill(host)

        return Session(end, ours, source, limit, driver, apart=True)

    def _request(self, verb: str, job: Job, *passed: socket.socket) -> tuple[int, socket.socket]:
        """Ask for a fork: its number, and the channel to it. verb: "fork", or "spare" for one that waits for its use.

        passed: a socket to a host that the fork gets as well. Raises NoWorker.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        number = next(self._numbers)
        asked = f"{verb} {number} {json.dumps(schema.pack(job, Job))}".encode()
        with self._lock:
            try:
                socket.send_fds(self._control, [asked], [theirs.fileno(), *(each.fileno() for each in passed)])
            except OSError as error:
                ours.close()
                self._process.kill()  # it may take a while to end, and `get` would return it again
                self._process.wait()
                raise NoWorker(said("the process that runs answers went away: {error}", error=error)) from None
            finally:
                theirs.close()
        return number, ours

    def _spare_of(self, job: Job) -> tuple[int, socket.socket] | None:
        """The fork of this kind that waits, if it still does."""
        number, ours = self._spares.pop(job, (0, None))
        if ours is None:
            return None
        try:
            ours.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)  # it ended, or the machine refused it something
        except BlockingIOError:
            self._tell(f"use {number} ")
            return number, ours
        except OSError:
            pass
        ours.close()
        return None

    def _end(self, number: int, job: Job) -> None:
        """End a fork. The next one of its kind is made while nobody waits: most checks are like the last one."""
        self.kill(number)
        if job.gpu or job.tools or job.assembles or job in self._spares:
            return  # these start processes of their own, or are rare
        self.end_spares(_SPARES - 1)
        with contextlib.suppress(NoWorker):
            self._spares[job] = self._request("spare", job)

    def end_spares(self, but: int = 0) -> None:
        """End the forks that wait for an answer, the oldest first. but: how many go on waiting."""
        while len(self._spares) > but:
            number, channel = self._spares.pop(next(iter(self._spares)))
            channel.close()
            self.kill(number)

    def _tell(self, sentence: str) -> None:
        with self._lock, contextlib.suppress(OSError):
            self._control.sendall(sentence.encode())

    def kill(self, number: int) -> None:
        """End one child and the processes that it started. number: of the fork request."""
        self.uses += 1
        self._serving.discard(number)
        self._tell(f"kill {number} ")

    def close(self, seconds: float = 5) -> None:
        """End the process and its children: by force after so many seconds."""
        self.end_spares()
        self._control.close()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        self._scratch.close()


_zygotes: dict[str, Zygote] = {}
_starting = threading.Lock()


def get(mode: str = "interpreted") -> Zygote:
    """The zygote of this mode, started if there is none. Returns at once; `open` waits until it is ready.

    Raises NoWorker.
    """
    with _starting:
        current = _zygotes.get(mode)
        if current is not None and not current.alive():
            current.close()
            current = None
        if current is None:
            current = _zygotes[mode] = Zygote(mode)
        current.uses += 1
        return current


def warm(*modes: str) -> None:
    """Start the zygotes of these modes in the background. Errors are ignored here; `get` and `wait` raise them."""
    for mode in modes:
        try:
            get(mode)
        except (NoWorker, OSError):
            return


class Rest:
    """The end of the zygotes of this process that nobody has used for a while. `get` starts them again.

    seconds: how long that is. clock: the time in seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic):
        self._seconds, self._clock = seconds, clock
        self._seen: dict[Zygote, tuple[int, float]] = {}  # by zygote: its uses, and since when there are so many

    def look(self) -> None:
        """End those that have not been used for so long since an earlier look."""
        with _starting:
            now, before, self._seen = self._clock(), self._seen, {}
            ended = []
            for mode, each in list(_zygotes.items()):
                uses, since = before.get(each, (None, now))
                since = now if each.busy or uses != each.uses else since
                self._seen[each] = each.uses, since
                if now - since >= self._seconds:
                    ended.append(_zygotes.pop(mode))
        for each in ended:
            each.close()


def end_when_idle(seconds: float = _IDLE_SECONDS) -> None:
    """From now on, end the zygotes that nobody has used for so long.

    For a process in which a person works: a class run is at work as long as it lives.
    """
    rest = Rest(seconds)

    def watch() -> None:
        while True:
            time.sleep(seconds / _LOOKS)
            rest.look()

    threading.Thread(target=watch, name="end of idle zygotes", daemon=True).start()


def isolation() -> str:
    """The isolation level of answers: the lowest of the zygotes that run them. "none" if none can be started."""
    modes = ["interpreted"] + ["compiled"] * environment.has_gpu()
    try:
        found = []
        for mode in modes:
            current = get(mode)
            current.wait()
            found.append(level(current.status))
    except NoWorker:
        return LEVELS[0]
    return min(found, key=LEVELS.index)


@atexit.register
def close_all() -> None:
    """End all zygotes of this process."""
    for each in list(_zygotes.values()):
        try:
            each.close()
        except KeyboardInterrupt:  # Ctrl-C once more: nobody waits any longer
            each.close(0)
    _zygotes.clear()


__all__ = ["Deadline", "Died", "NoAssembler", "NoWorker", "NotCompiled", "Rest", "Session", "Zygote"]
__all__ += ["close_all", "end_when_idle", "get", "isolation", "warm"]
