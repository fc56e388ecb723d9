"""An exercise: a numbered task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .case import Case
from .detector import Detector


@dataclass(frozen=True)
class Exercise:
    """A numbered task.

    names: required names in the answer. cases: seed -> its inputs. mistakes: (id, detector), in the order of trial.
    """

    id: str
    title: str
    names: tuple[str, ...]
    points: float
    cases: Callable[[int], list[Case]]
    hints: tuple[str, str, str]
    mistakes: tuple[tuple[str, Detector], ...] = ()
    kernels: bool = False  # whether its kernels also run on a GPU, where there is one
    # Each case of a group is worth a share of the points, provided that all cases without a group pass. The feedback
    # counts failures by group, and describes the first group with a failure.
    groups: tuple[str, ...] = ()
    # Source text of the course that runs in a module of its own, before the answer. A case calls its functions where a
    # call of one name of the answer is not enough.
    driver: str = ""
    # Modules of the course that the answer or the driver imports. No other module of the course can be imported.
    modules: tuple[str, ...] = ()
    # Modules that PyTorch or many answers would otherwise import while they run. The zygote imports them once for all.
    imports: tuple[str, ...] = ()
    # Points of a last step: its cases are those with a group. It gives all these points, or none if one case fails.
    last_step: float | None = None
    remarks: tuple[tuple[str, Detector], ...] = ()  # (sentence for a passed exercise, its condition)
    # Whether each group is a part of its own. Every case then has a group, and a part gives its share of the points if
    # all its cases pass.
    parts: bool = False
    # Why somebody with the files of the course can know all that its check asks, as the page for instructors says. "":
    # its cases are drawn from the seed.
    open_book: str = ""
    # Whether its points are on top of the 100 of the course: earned ones count, and no maximum contains them.
    bonus: bool = False
