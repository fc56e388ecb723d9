"""Proves which rungs work on this machine, and applies them to processes."""

from __future__ import annotations

import functools
import os
import pathlib
from collections.abc import Callable

from .. import RUNGS
from . import landlock, limits, namespaces, proof, seccomp


def proved(rung: str) -> str:
    """A sentence for a rung that is "on": the operations that worked behind it, and those that it refused."""
    controls = proof.CONTROLS.get(rung, ())
    works = [c.says for c in controls if c.error is None] or ["a fork"]
    refused = [c.says for c in controls if c.error is not None] or ["the machine's network", "its other processes"]
    return f"{', '.join(works)}; but not {', '.join(refused)}"


class Sandbox:
    """The rungs that a worker has proved, and that each of its children applies.

    status: {rung: "on" or "off: why"}.
    """

    def __init__(self, course: pathlib.Path, rungs: tuple[str, ...] = RUNGS):
        """Enter the namespaces; call it before large imports. course: root of the course. rungs: those to try."""
        self.status = {rung: "" if rung in rungs else "off: not asked for" for rung in RUNGS}
        self._reads = [*landlock.readable(course), str(course / "grader" / "cuda")]  # g++ reads its headers
        if "namespaces" in rungs:
            self.status["namespaces"] = namespaces.enter()

    def prove(self, folder: str) -> None:
        """Prove every other rung, each in a fork of this process. folder: for the files of the forks."""
        for rung in [rung for rung in proof.CONTROLS if not self.status[rung]]:
            climb = functools.partial(self._climb, {rung}, os.getpid(), False)
            self.status[rung] = proof.prove(proof.CONTROLS[rung], climb, folder)

    def prove_on_gpu(self, folder: str, use_gpu: Callable[[], object]) -> None:
        """Keep in status the rungs behind which use_gpu() works: drivers need different files and system calls."""
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
        """Apply limits and Landlock to this process and its descendants, for good. Call it once, early.

        scratch: the folder that it may write to. parent: the process whose end ends this one. seconds: CPU time.
        reads: files that it may read in addition.
        """
        limits.move_into(scratch)
        limits.apply(seconds, parent, on_gpu)
        if self.status["landlock"] == "on":
            landlock.apply(scratch, [*self._reads, *reads], on_gpu)

    def confine_tools(self, parent: int) -> None:
        """Confine a fork of a confined process that starts the course's own programs. parent: as for `confine`."""
        limits.fork_for_programs(parent)
        self.refuse_calls(programs=True)

    def refuse_calls(self, programs: bool = False, on_gpu: bool = False) -> None:
        """Apply seccomp to this process for good. programs: it may start programs. on_gpu: it may use a GPU."""
        if self.status["seccomp"] == "on":
            seccomp.apply(programs, on_gpu)
