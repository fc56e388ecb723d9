"""Proves which rungs work on this machine, and applies them to processes."""

from __future__ import annotations

import errno
import functools
import os
import pathlib
import tempfile
from collections.abc import Callable

from ...sentence import fault, listed, said
from .. import HIDDEN, RUNGS
from . import landlock, limits, namespaces, proof, seccomp
from .root import Root

_HEADERS = pathlib.Path(__file__).resolve().parents[2] / "cuda"


def proved(rung: str) -> str:
    """A sentence for a rung (or HIDDEN) that is "on": operations that worked behind it, and those that it refused."""
    controls = proof.HIDDEN if rung == HIDDEN else proof.CONTROLS.get(rung, ())
    works = [c.says for c in controls if c.error is None] or [said("a fork")]
    refused = [c.says for c in controls if c.error is not None] or [
        said("the machine's network"),
        said("its other processes"),
    ]
    return said("{list}; refused: {list2}", list=listed(works), list2=listed(refused))


class Sandbox:
    """The rungs that a worker has proved, and that each of its children applies.

    status: {rung or HIDDEN: "on" or "off: why"}.
    """

    def __init__(self, course: pathlib.Path, rungs: tuple[str, ...] = RUNGS):
        """Enter the namespaces; call it before large imports. course: a folder to close. rungs: those to try."""
        self.status = {rung: "" if rung in rungs else fault("off", "off: not asked for") for rung in RUNGS}
        self._reads = [*landlock.readable(course), str(_HEADERS)]  # g++ reads these
        self._root: Root | None = None
        if "namespaces" in rungs:
            self.status["namespaces"] = namespaces.enter()
        self.status[HIDDEN] = fault("off", "off: it needs namespaces")

    def prove(self, folder: str) -> None:
        """Prove every other rung, each in a fork of this process. folder: for the files of the forks."""
        for rung in [rung for rung in proof.CONTROLS if not self.status[rung]]:
            climb = functools.partial(self._climb, {rung}, os.getpid(), False)
            self.status[rung] = proof.prove(proof.CONTROLS[rung], climb, folder)
        if self.status["namespaces"] == "on":
            self.status[HIDDEN] = self._hide_files(folder)

    def _hide_files(self, folder: str) -> str:
        """Build a root folder for the forks, and prove it together with the rungs that restrict files."""
        rungs = {rung for rung in ("limits", "landlock") if self.status[rung] == "on"}
        try:
            self._root = Root(self._reads, landlock.names(), folder)
        except OSError as error:
            return fault("off", "off: {strerror}", strerror=error.strerror)
        outcome = proof.prove(proof.HIDDEN, functools.partial(self._climb, rungs, os.getpid(), False), folder)
        if outcome != "on":
            self._root = None
        return outcome

    @property
    def descriptors(self) -> set[int]:
        """Of the open files that `confine` needs."""
        return {self._root.descriptor} if self._root else set()

    def prove_on_gpu(self, folder: str, use_gpu: Callable[[], object]) -> None:
        """Keep in status the rungs behind which use_gpu() works: drivers need different files and system calls."""
        controls = (proof.Control(said("the GPU"), lambda *_: use_gpu()),)
        proved = {rung for rung in ("landlock", "seccomp") if self.status[rung] == "on"}
        for rungs in (proved, proved & {"seccomp"}, proved & {"landlock"}, set()):
            outcome = proof.prove(controls, functools.partial(self._climb, rungs, os.getpid(), True), folder)
            if outcome == "on" or not rungs:
                break
            self.status |= {rung: outcome for rung in proved}
        self.status |= dict.fromkeys(rungs, "on")

    def _climb(self, rungs: set[str], parent: int, on_gpu: bool, scratch: str) -> None:
        if self._root:
            self._root.enter()
        limits.move_into(scratch)
        limits.apply(proof.SECONDS, parent, on_gpu)
        if "landlock" in rungs:
            landlock.apply(scratch, self._reads, on_gpu)
        if "seccomp" in rungs:
            seccomp.apply(on_gpu=on_gpu)

    def confine(self, scratch: str, parent: int, seconds: float, on_gpu: bool) -> None:
        """Apply limits and Landlock to this process and its descendants, for good, in a root folder of their own.

        Call it once, early. Raises OSError or landlock.Unavailable.

        scratch: the folder that it may write to. parent: the process whose end ends this one. seconds: CPU time.
        """
        if on_gpu and os.statvfs(scratch).f_flag & os.ST_NOEXEC:
            raise OSError(
                errno.EACCES,
                said(
                    "a GPU runs libraries from {gettempdir}, which is mounted noexec", gettempdir=tempfile.gettempdir()
                ),
            )
        if self._root:
            self._root.enter()
        limits.move_into(scratch)
        limits.apply(seconds, parent, on_gpu)
        if self.status["landlock"] == "on":
            landlock.apply(scratch, self._reads, on_gpu)

    def confine_tools(self, parent: int) -> None:
        """Confine a fork of a confined process that starts the course's own programs. parent: as for `confine`."""
        limits.fork_for_programs(parent)
        self.refuse_calls(programs=True)

    def refuse_calls(self, programs: bool = False, on_gpu: bool = False) -> None:
        """Apply seccomp to this process for good. programs: it may start programs. on_gpu: it may use a GPU."""
        if self.status["seccomp"] == "on":
            seccomp.apply(programs, on_gpu)
