"""The compiler's view of the launches of an audit: compiled, while cases run, for GPUs that are not here."""

from __future__ import annotations

import math
import os
import time
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
from dataclasses import dataclass, field
from types import SimpleNamespace

from ..compiler import request
from ..compiler.targets import TARGETS
from ..notebook.machine_code import column
from ..notebook.machine_table import MachineCode
from ..sentence import message, said
from .one_run import Launched

CARDS = ("T4", "H100", "MI300X")
_WARPS = 4  # of a launch that does not say
_MOST = 3  # kernels
_NICE = 2  # of the compiler: two thirds of the time that a case has beside it; with less, it does not end in time


@dataclass
class CompilersView:
    """What the compiler made of the launches. tables: one a kernel. refused: (the launch, why) of those that it refuses
    for every GPU. unseen: sentences about what it could not look at."""

    tables: list[MachineCode] = field(default_factory=list)
    refused: list[tuple[Launched, str]] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)


class Compiling:
    """The compilations that were begun for some launches."""

    def __init__(self, launched: list[Launched], gpus: tuple[str, ...]):
        self.gpus, self.view = gpus, CompilersView()
        self._pool = ThreadPoolExecutor(1, initializer=_yield)
        self._begun: list[tuple[Launched, list, Future]] = []
        kernels = list({launch.kernel: launch for launch in launched}.values())
        if not gpus:
            self.view.unseen.append(said("what the compiler makes of it, for which no GPU was named"))
            return
        for launch in kernels[:_MOST]:
            self._begin(launch)
        for launch in kernels[_MOST:]:
            self.view.unseen.append(_not_compiled(launch, said("{most} others were compiled", most=_MOST)))

    def _begin(self, launch: Launched) -> None:
        options = {"num_warps": _WARPS, **launch.options}
        targets = [(TARGETS[card], options) for card in self.gpus]
        try:
            order = request.asked(SimpleNamespace(fn=launch.kernel), [], launch.arguments)
        except request.NotCompiled as error:
            self.view.unseen.append(_not_compiled(launch, message(error)))
            return
        self._begun.append((launch, targets, self._pool.submit(request.answered, order, targets)))

    def finished(self, seconds: float) -> CompilersView:
        """What is known after these seconds at most."""
        end = time.monotonic() + seconds
        for launch, targets, future in self._begun:
            try:
                made = future.result(max(end - time.monotonic(), 0))
                self.view.tables.append(self._table(launch, targets, made))
            except TimeoutError:
                self.view.unseen.append(_not_compiled(launch, said("the time was over")))
            except request.NotCompiled as error:
                if error.refused:
                    self.view.refused.append((launch, message(error)))
                else:
                    self.view.unseen.append(_not_compiled(launch, message(error)))
        self._pool.shutdown(wait=False, cancel_futures=True)
        return self.view

    def _table(self, launch: Launched, targets: list, made: list[dict]) -> MachineCode:
        call, programs = {"kernel": launch.kernel.__name__}, math.prod(launch.record.grid)
        warps = targets[0][1]["num_warps"]
        columns = zip(self.gpus, made, strict=True)
        return MachineCode([column(gpu, warps, call, programs, each) for gpu, each in columns])


def _yield() -> None:
    """Let the cases go first on a busy machine: Linux has a niceness of each thread, and its processes inherit it."""
    os.nice(_NICE)


def _not_compiled(launch: Launched, why: str) -> str:
    return said("what the compiler makes of {kernel}: {why}", kernel=launch.kernel.__name__, why=why)
