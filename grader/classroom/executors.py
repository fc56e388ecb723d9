"""Who grades: processes of this machine, or a Dask cluster. Both take work through concurrent.futures."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from .. import environment

PATIENCE = 10  # seconds until a scheduler has answered
_ONCE = [
    "torch",
    "grader.classroom.grading",
    "grader.lessons",
]  # imported by one process, of which the others are forks
_LONGEST = 70  # bytes of the folder for temporary files: a socket's name of 107 begins with it


@dataclass(frozen=True)
class Crew:
    """An executor; how many files it takes at a time; what its futures raise when a file ended whoever graded it."""

    executor: Executor
    width: Callable[[], int]
    lost: tuple[type[Exception], ...] = ()


class Unreachable(Exception):
    """There is no such cluster, or not any more, or no library to speak with it."""


@contextlib.contextmanager
def of_this_machine(jobs: int, seconds: float) -> Iterator[Crew]:
    """`jobs` processes, each with worker processes of its own. One that is longer than `seconds` at a file is ended."""
    processes = _Processes(jobs, seconds)
    with _ending(processes):
        yield Crew(processes, lambda: jobs, (BrokenProcessPool, TimeoutError))


@contextlib.contextmanager
def of_cluster(address: str) -> Iterator[Crew]:
    """The workers of a Dask cluster, those that join later too. Raises Unreachable."""
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise Unreachable("--dask needs the library distributed: pip install distributed") from None
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise Unreachable(f"no Dask scheduler answers at {address!r}: {error}") from None

    def width() -> int:
        try:
            threads = sum(client.nthreads().values())
        except OSError as error:
            raise Unreachable(f"the Dask scheduler at {address!r} went away: {error}") from None
        return 2 * max(threads, 1)  # twice as many as can be graded at a time, so that nobody waits for the next one

    with client, _ending(client.get_executor(pure=False)) as executor:
        yield Crew(executor, width, (KilledWorker,))


@contextlib.contextmanager
def _ending(executor: Executor) -> Iterator[Executor]:
    """Wait for what runs when all is well; when something is raised, end it."""
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False)
        raise
    executor.shutdown()


class _Processes(Executor):
    """Threads that each own a process: a file that ends its process costs no other file anything.

    Not one pool of processes, because there all that runs is lost with one process. The processes end with this one,
    however it ends: they wait for the end of a pipe whose other end is here.
    """

    def __init__(self, count: int, seconds: float):
        self._seconds, self._context = seconds, _context()
        self._theirs, self._ours = self._context.Pipe(duplex=False)
        self._threads, self._own = ThreadPoolExecutor(count), threading.local()
        self._pools: set[ProcessPoolExecutor] = set()

    def submit(self, function, /, *args):
        """Run function(*args) in a process. The future raises BrokenProcessPool or TimeoutError if that ends early."""
        return self._threads.submit(self._run, function, args)

    def _run(self, function, args):
        try:
            return self._once(function, args)
        except BrokenProcessPool:
            if self._ours.closed:
                raise
            return self._once(function, args)  # somebody else may have ended it, to save memory for example

    def _once(self, function, args):
        pool = getattr(self._own, "pool", None)
        if pool is None:
            pool = self._start()
        began = time.monotonic()
        try:
            return pool.submit(_bounded, self._seconds, function, args).result()
        except BrokenProcessPool as error:
            self._own.pool = None
            self._pools.discard(pool)
            if time.monotonic() - began >= self._seconds:
                raise TimeoutError(f"given up after {self._seconds:g} seconds") from error
            raise

    def _start(self) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(1, self._context, _begin, (self._theirs,))
        self._pools.add(pool)
        # The process inherits this: Ctrl-C is for the one that hands out the work.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            pool.submit(os.getpid).result()
        except (BrokenProcessPool, OSError, EOFError) as error:
            raise RuntimeError("a process to grade files in does not start") from error
        self._own.pool = pool
        return pool

    def shutdown(self, wait: bool = True) -> None:
        """End the processes: when they have done their work, or without wait now."""
        if not wait:
            self._ours.close()
        self._threads.shutdown(cancel_futures=not wait)
        for pool in self._pools:
            pool.shutdown()
        self._ours.close()


def _context():
    """How processes are started: as forks where nothing is against it, else anew.

    CUDA does not outlive a fork, and whoever forks needs a folder in which a socket can be named.
    """
    fork = "forkserver" in multiprocessing.get_all_start_methods() and not environment.has_gpu()
    if not fork or len(os.fsencode(tempfile.gettempdir())) > _LONGEST:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_ONCE)
    return context


def _begin(alive) -> None:
    _watch(alive)
    from ..judge import zygotes

    zygotes.warm("interpreted")
    import torch  # meanwhile

    torch.set_num_threads(1)  # there is a process for every core


def _watch(alive) -> None:
    threading.Thread(target=_end_with, args=(alive,), daemon=True).start()


def _end_with(alive) -> None:
    from ..judge import zygotes

    with contextlib.suppress(EOFError, OSError):
        alive.recv_bytes()
    zygotes.close_all()
    os._exit(1)


def _bounded(seconds: float, function, args):
    """A last resort: the deadlines inside hold for answers, this one holds for whatever grades them."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return function(*args)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
