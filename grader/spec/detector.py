"""A detector: one way to recognise a mistake in a case that failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .answer import Answer
from .case import Case
from .evidence import Evidence


@dataclass(frozen=True)
class Detector:
    """Recognises one mistake in one case: by its numbers, by the place of an access, by the text of the answer.

    As a decorator it turns such a function into a detector, which can still be called as one.

    detect: looks at a case, its evidence and the answer; True when they bear the mark of the mistake.
    fits: for detectors that recompute a known wrong formula: whether it gives what the answer gave in a case, also in
        one that passed. That tells two formulas apart which agree where the answer failed. None: there is no formula.
    exact: the detector explains nothing unless it fits every case that ran.
    endless: the detector is asked also when an answer never ended.
    """

    detect: Callable[[Case, Evidence, Answer], bool]
    fits: Callable[[Case, Evidence], bool] | None = None
    exact: bool = False
    endless: bool = False

    def __call__(self, case: Case, evidence: Evidence, answer: Answer) -> bool:
        """The same as detect."""
        return self.detect(case, evidence, answer)
