"""A learner's own way: what their right answers move, from the five passes to the last softmax that they wrote."""

from __future__ import annotations

from dataclasses import dataclass

from .. import lessons
from ..language import say
from ..sentence import joined, listed, said
from . import charts, progress_store, right_answers
from .picture import Picture

# The exercises that ask for the softmax of a matrix or of a row, and count its traffic: {exercise: bytes of an element}
_SOFTMAXES = {
    "1.1": 4, "4.1": 4, "5.2": 4, "7.1": 2, "8.4": 4, "10.1": 4, "10.4": 4, "12.5": 4, "12.6": 4, "12.7": 4, "14.2": 4,
}  # fmt: skip
SIDE = 4096  # rows and columns of the matrix for which bytes are shown


@dataclass(frozen=True)
class Step:
    """One right answer. name: of the exercise. read, written: in units of M·N elements. size: bytes of an element."""

    name: str
    read: float
    written: float
    size: int

    def megabytes(self, moved: float) -> float:
        """Megabytes of as many units of M·N."""
        return moved * SIDE**2 * self.size / 1e6


def own_way() -> Picture | None:
    """Draw what your right answers move, from 1.1 to the last softmax: elements, and megabytes for 4096×4096.

    They are those that recall() knows. Without any, it prints what to do.
    """
    kept, known = right_answers.kept(), lessons.exercises()
    steps = [
        Step(f"{i} {known[i].title}", one.read, one.written, size)
        for i, size in _SOFTMAXES.items()
        if (one := kept.get(i)) and one.read is not None and one.written is not None
    ]
    earned = progress_store.current()
    lost = [i for i in _SOFTMAXES if i not in kept and earned.get(i, 0.0) >= known[i].points]
    if lost:
        print(
            say(said("Not kept, so not shown: {list}. Run their cells and their checks once more.", list=listed(lost)))
        )
    if not steps:
        print(
            say(said("No right answer that moves a matrix is kept yet: check one, such as 1.1, and it is shown here."))
        )
        return None
    told = [
        said(
            "{name} reads {read} MN and writes {written} MN, {size} MB.",
            name=step.name,
            read=f"{step.read:.2f}",
            written=f"{step.written:.2f}",
            size=f"{step.megabytes(step.read + step.written):.0f}",
        )
        for step in steps
    ]
    head = said("Your way, in megabytes for a matrix of {side}×{side}.", side=SIDE)
    return Picture(joined("{one} {two}", [head, *told]), lambda: charts.own_way(steps, SIDE))
