"""A detector: one way to recognise a mistake in a case that failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .answer import Answer
from .case import Case
from .evidence import Evidence


@dataclass(frozen=True)
class Detector:
    """One way to recognise one mistake in a case: by numbers, by the place of an access, or by the text of the answer.

    As a decorator, it turns a function into a detector that can still be called like the function.

    detect: (case, evidence, answer) -> whether they show the mistake.
    fits: for a detector with a known wrong formula: (case, evidence) -> whether the formula gives the output of the
        answer. It also applies to cases that passed, which separates two formulas that agree on the failing cases.
        None: there is no formula.
    weight: for a detector with `fits`: (case, evidence) -> the weight of a match: 1 where the output has a wrong finite
        number, 0.5 where right numbers are left beside NaN and infinities, 0.25 where infinities are left, 0 for
        nothing but NaN; of a mutant, 0.1 for nothing but zeros. None: 1.
    share: of the failing cases, the least that it must match; with `fits`, the least that it must fit of those with
        wrong numbers.
    exact: whether the detector counts only if it fits every case that ran.
    by_numbers: whether it compares numbers alone. Another mistake can give the same ones, and the feedback says so.
    endless: whether the detector also applies to an answer that ran out of time.
    last: whether it is asked only where no other detector explains the failures.
    """

    detect: Callable[[Case, Evidence, Answer], bool]
    fits: Callable[[Case, Evidence], bool] | None = None
    weight: Callable[[Case, Evidence], float] | None = None
    share: float = 0.0
    exact: bool = False
    by_numbers: bool = False
    endless: bool = False
    last: bool = False

    def __call__(self, case: Case, evidence: Evidence, answer: Answer) -> bool:
        """The result of detect."""
        return self.detect(case, evidence, answer)
