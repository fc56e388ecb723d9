"""An exercise: a numbered task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .case import Case
from .detector import Detector


@dataclass(frozen=True)
class Exercise:
    """A numbered task. `cases(seed)` makes its inputs; `mistakes` are (id, detector) in the order they are tried."""

    id: str
    title: str
    names: tuple[str, ...]
    points: float
    cases: Callable[[int], list[Case]]
    hints: tuple[str, str, str]
    mistakes: tuple[tuple[str, Detector], ...] = ()
    kernels: bool = False  # whether a GPU, where there is one, checks it too
    # Cases of a group are worth a share of the points each, if all the others pass. The feedback counts failures by
    # group, and speaks of the first group that has one.
    groups: tuple[str, ...] = ()
    # A text of the course's own that runs in the answer's module, behind the answer: its functions are for cases to
    # call where calling one name of the answer is not enough.
    driver: str = ""
    # Modules of the course that the answer or the driver imports; no others can be imported where an answer runs.
    modules: tuple[str, ...] = ()
    # Modules of PyTorch's that it would import while the answer waits: the process that forks does it once for all.
    imports: tuple[str, ...] = ()
    # With it, the groups are a last step: worth so many points together, and nothing while one of their cases fails.
    last_step: float | None = None
    remarks: tuple[tuple[str, Detector], ...] = ()  # (sentence, detector): what to tell whoever passed
    # Every case has a group, each group is a part of its own, and a part is worth its share when all its cases pass.
    parts: bool = False
