"""Executors that grade files: processes on this machine, or a Dask cluster, both behind concurrent.futures."""

from __future__ import annotations

import contextlib
import logging
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
from multiprocessing.process import BaseProcess

from .. import environment
from ..sentence import said

CONNECT_TIMEOUT = 10  # seconds for a Dask scheduler to answer
NO_WORKERS = 15  # seconds without any worker after which a Dask cluster has none
_PRELOADED = ["torch", "grader.classroom.grading", "grader.lessons"]  # imported once, before the processes are forked
_LONGEST_TEMP = 70  # bytes of the folder for temporary files; a socket's path begins with it and has at most 107


@dataclass(frozen=True)
class GradingExecutor:
    """An executor for files to grade.

    capacity: returns the number of files that may be submitted and not finished at a time. lost_worker_errors: the
    exceptions of a future whose file ended the process that graded it. look: raises Unreachable where no file will be
    finished any more; it is called every few seconds while none is.
    """

    executor: Executor
    capacity: Callable[[], int]
    lost_worker_errors: tuple[type[Exception], ...] = ()
    look: Callable[[], None] = lambda: None


class Unreachable(Exception):
    """No cluster answers at the address, the connection was lost, or the library distributed is not installed."""


@contextlib.contextmanager
def local(jobs: int, seconds: float) -> Iterator[GradingExecutor]:
    """`jobs` processes on this machine, each with worker processes of its own.

    A process that needs more than `seconds` for a file is ended.
    """
    processes = _Processes(jobs, seconds)
    with _shut_down(processes):
        yield GradingExecutor(processes, lambda: jobs, (BrokenProcessPool, TimeoutError))


@contextlib.contextmanager
def dask_cluster(address: str) -> Iterator[GradingExecutor]:
    """The workers of a Dask cluster, including those that join later.

    Raises Unreachable, as `look` and `capacity` do where the scheduler does not answer. `look` does so as well where
    there is no worker for a while.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise Unreachable("--dask needs the library distributed: pip install distributed") from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what is lost is said here, without tracebacks
    try:
        client = Client(address, timeout=CONNECT_TIMEOUT)
    except (OSError, ValueError) as error:
        raise Unreachable(
            said("no Dask scheduler answers at {address}: {error}", address=repr(address), error=error)
        ) from None

    def threads() -> int:
        try:
            return sum(client.nthreads(callback_timeout=CONNECT_TIMEOUT).values())
        except Exception as error:  # of the network, of a client that closed itself, of an event loop that ended
            raise Unreachable(
                said("the Dask scheduler at {address} went away: {error}", address=repr(address), error=error)
            ) from None

    seen = time.monotonic()  # when there was a worker, or the beginning

    def look() -> None:
        nonlocal seen
        now = time.monotonic()
        seen = now if threads() else seen
        if now - seen > NO_WORKERS:
            raise Unreachable(
                said("the Dask cluster at {address} has had no worker for {seconds} seconds",
                    address=repr(address), seconds=f"{now - seen:.0f}")
            )  # fmt: skip

    def capacity() -> int:
        return 2 * max(threads(), 1)  # twice the files that are graded at a time, so that no worker waits for its next

    with client, _shut_down(client.get_executor(pure=False)) as executor:
        yield GradingExecutor(executor, capacity, (KilledWorker,), look)


@contextlib.contextmanager
def _shut_down(executor: Executor) -> Iterator[Executor]:
    """Shut the executor down at the end of the block: after its running files, or at once after an exception."""
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False)
        raise
    executor.shutdown()


class _Processes(Executor):
    """Threads that each own a process, so that a file that ends its process affects no other file.

    In a single pool, the end of one process would lose the files of all others. The processes end together with this
    one: each reads from a pipe that this process keeps open until it ends.
    """

    def __init__(self, count: int, seconds: float):
        self._seconds, self._context = seconds, _context()
        self._alive_reader, self._alive_writer = self._context.Pipe(duplex=False)
        self._threads, self._of_thread = ThreadPoolExecutor(count), threading.local()
        self._pools: set[ProcessPoolExecutor] = set()

    def submit(self, function, /, *args):
        """Run function(*args) in a process. The future raises BrokenProcessPool or TimeoutError if the process ends."""
        return self._threads.submit(self._run, function, args)

    def _run(self, function, args):
        try:
            return self._once(function, args)
        except BrokenProcessPool:
            if self._alive_writer.closed:
                raise
            return self._once(function, args)  # the system may have ended the process, to free memory for example

    def _once(self, function, args):
        pool, process = getattr(self._of_thread, "started", None) or self._start()
        try:
            return pool.submit(_bounded, self._seconds, function, args).result()
        except BrokenProcessPool as error:
            self._of_thread.started = None
            self._pools.discard(pool)
            pool.shutdown()  # now it knows how the process ended
            if process.exitcode == -signal.SIGALRM:
                raise TimeoutError(
                    said(
                        "the process that graded the file did not end in {seconds} seconds",
                        seconds=f"{self._seconds:g}",
                    )
                ) from error
            raise

    def _start(self) -> tuple[ProcessPoolExecutor, BaseProcess]:
        try:
            pool = ProcessPoolExecutor(1, self._context, _begin, (self._alive_reader,))
        except OSError as error:
            raise RuntimeError(
                said("processes to grade files in need /dev/shm: {strerror}", strerror=error.strerror)
            ) from error
        self._pools.add(pool)
        # The process inherits this mask, so that Ctrl-C reaches only the process that submits the files.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            number = pool.submit(os.getpid).result()
            process = next(each for each in multiprocessing.active_children() if each.pid == number)
        except (BrokenProcessPool, OSError, EOFError, StopIteration) as error:
            raise RuntimeError(said("a process to grade files in does not start")) from error
        self._of_thread.started = pool, process
        return pool, process

    def shutdown(self, wait: bool = True) -> None:
        """End the processes: after their running files, or at once if not wait."""
        if not wait:
            self._alive_writer.close()
        self._threads.shutdown(cancel_futures=not wait)
        for pool in self._pools:
            pool.shutdown()
        self._alive_writer.close()


def _context():
    """The start method for processes: forks of a server that has the imports, or "spawn" where forks do not work.

    CUDA does not survive a fork, and the fork server needs a folder whose path is short enough for a socket.
    """
    fork = "forkserver" in multiprocessing.get_all_start_methods() and not environment.has_gpu()
    if not fork or len(os.fsencode(tempfile.gettempdir())) > _LONGEST_TEMP:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


def _begin(alive) -> None:
    """Prepare a new process: the end of the pipe `alive` will end it, and its first answer needs no imports."""
    _watch(alive)
    from ..judge import zygotes

    zygotes.warm("interpreted")


def _watch(alive) -> None:
    """End this process when the other end of the pipe is closed."""
    threading.Thread(target=_end_with, args=(alive,), daemon=True).start()


def _end_with(alive) -> None:
    from ..judge import zygotes

    with contextlib.suppress(EOFError, OSError):
        alive.recv_bytes()
    zygotes.close_all()
    os._exit(1)


def _bounded(seconds: float, function, args):
    """function(*args); a signal ends the process after `seconds`.

    Answers have shorter deadlines of their own. This one holds for the grader.
    """
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return function(*args)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
