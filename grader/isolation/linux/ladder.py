"""Which rungs hold on this machine, and how a process climbs them."""

from __future__ import annotations

import functools
import os
import pathlib
from collections.abc import Callable

from .. import RUNGS
from . import landlock, limits, namespaces, proof, seccomp


def proved(rung: str) -> str:
    """What was seen to work and to be refused behind a rung that is "on"."""
    controls = proof.CONTROLS.get(rung, ())
    works = [c.says for c in controls if c.error is None] or ["a fork"]
    refused = [c.says for c in controls if c.error is not None] or ["the machine's network", "its other processes"]
    return f"{', '.join(works)}; but not {', '.join(refused)}"


class Sandbox:
    """The rungs that a worker has proved, to be climbed by each of its children.

    status: for each rung "on" or "off: why".
    """

    def __init__(self, course: pathlib.Path, rungs: tuple[str, ...] = RUNGS):
        """rungs: which to try. Enters the namespaces at once: to be made before anything large is imported."""
        self.status = {rung: "" if rung in rungs else "off: not asked for" for rung in RUNGS}
        self._reads = [*landlock.readable(course), str(course / "grader" / "cuda")]  # g++ reads its headers
        if "namespaces" in rungs:
            self.status["namespaces"] = namespaces.enter()

    def prove(self, folder: str) -> None:
        """Try every other rung, on a fork of this process each. folder: where the forks may leave files."""
        for rung in [rung for rung in proof.CONTROLS if not self.status[rung]]:
            climb = functools.partial(self._climb, {rung}, os.getpid(), False)
            self.status[rung] = proof.prove(proof.CONTROLS[rung], climb, folder)

    def prove_on_gpu(self, folder: str, use_gpu: Callable[[], object]) -> None:
        """Keep the rungs behind which use_gpu() still works: drivers differ in what they look at. status names them."""
        controls = (proof.Control("the GPU", lambda *_: use_gpu()),)
        proved = {rung for rung in ("landlock", "seccomp") if self.status[rung] == "on"}
        for rungs in (proved, proved & {"seccomp"}, proved & {"landlock"}, set()):
            outcome = proof.prove(controls, functools.partial(self._climb, rungs, os.getpid(), True), folder)
            if outcome == "on" or not rungs:
                break
            self.status |= {rung: outcome for rung in proved}
        self.status |= dict.fromkeys(rungs, "on")

    def _climb(self, rungs: set[str], parent: int, on_gpu: bool, scratch: str) -> None:
        limits.move_into(scratch)
        limits.apply(proof.SECONDS, parent, on_gpu)
        if "landlock" in rungs:
            landlock.apply(scratch, self._reads, on_gpu)
        if "seccomp" in rungs:
            seccomp.apply(on_gpu=on_gpu)

    def confine(self, scratch: str, parent: int, seconds: float, on_gpu: bool, reads: list[str]) -> None:
        """Confine this process and all that it starts, but for its system calls. Call it once, early.

        scratch: the folder it may write to. reads: files it may read besides.
        """
        limits.move_into(scratch)
        limits.apply(seconds, parent, on_gpu)
        if self.status["landlock"] == "on":
            landlock.apply(scratch, [*self._reads, *reads], on_gpu)

    def confine_tools(self, parent: int) -> None:
        """What remains for a fork of a confined process that starts the course's own programs."""
        limits.fork_for_programs(parent)
        self.refuse_calls(programs=True)

    def refuse_calls(self, programs: bool = False, on_gpu: bool = False) -> None:
        """Refuse system calls for good, but those that starting programs or using a GPU takes."""
        if self.status["seccomp"] == "on":
            seccomp.apply(programs, on_gpu)
