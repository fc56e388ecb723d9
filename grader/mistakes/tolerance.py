"""Mistakes in a tolerance (rtol, atol) for softmax results: too strict, too loose, swapped, the same for every dtype.

The facts of a case hold dtype and panel: a function without arguments that returns (right results, wrong results).
"""

from __future__ import annotations

import torch

from ..checks import bounds, syntax
from ..reference.tolerance import accepted, pair, refused
from ..sentence import foreign
from ..spec import Detector
from . import detectors
from .detectors import both, looks, written
from .mistake import Mistake

MISTAKES = [
    Mistake(
        "dtype-is-no-text",
        "A dtype of PyTorch is an object, and no text: it equals no text, and no dictionary finds it under a text.",
        "Of which type is the value that your function gets, and of which type is the value that you compare it with?",
    ),
    Mistake(
        "tolerance-not-numbers",
        "Two numbers were expected, rtol and atol, neither of them negative or nan.",
        "Which two numbers does the docstring promise?",
    ),
    Mistake(
        "tolerance-zero",
        "No difference at all is allowed, and even a right result is rounded.",
        "By how much may a value move when it is rounded to this dtype?",
    ),
    Mistake(
        "tolerances-swapped",
        "The two numbers are exchanged: in the other order, they are right for this case.",
        "Which of the two is multiplied by the expected value?",
    ),
    Mistake(
        "one-tolerance",
        "The same tolerance was given for every dtype.",
        "How many digits does each of the three dtypes have?",
    ),
    Mistake(
        "atol-vacuous",
        "In a row of n columns, the outputs are about 1/n. This atol is so large, compared with 1/n, that a wrong row "
        "is accepted.",
        "How large is the largest output of the row named above, and how large is your atol?",
    ),
    Mistake(
        "rtol-loose",
        "This rtol is much larger than rounding needs: whatever atol is, a wrong row is accepted.",
        "How large is the relative error of a right result: that of its rounding and, in float32, of its arithmetic?",
    ),
    Mistake(
        "subnormals-forgotten",
        "Below the smallest normal number of float16, the distance between two neighbouring numbers is always the "
        "same.",
        "How large is that distance, and which of your two numbers must cover half of it?",
    ),
    Mistake(
        "tolerance-strict",
        "A right result is refused: its arithmetic and its last rounding cost more than this tolerance allows.",
        "What is the relative error of float32 arithmetic on such a row, and of rounding its result to this dtype?",
    ),
]


def _tolerance(test) -> Detector:
    """Matches a pair of numbers for which test(facts, rtol, atol) holds."""

    @looks
    def detect(value, error, case) -> bool:
        tolerance = pair(value)
        return error is None and tolerance is not None and bool(test(case.facts, *tolerance))

    return detect


def _fits_the_panel(facts: dict, rtol: float, atol: float) -> bool:
    """Every right result is accepted, and every wrong one is refused."""
    right, wrong = facts["panel"]()
    return refused(right, rtol, atol) is None and accepted(wrong, rtol, atol) is None


def _accepts_a_wrong_result(facts: dict, rtol: float, atol: float) -> bool:
    """A wrong result is accepted."""
    return accepted(facts["panel"]()[1], rtol, atol) is not None


def _only_subnormals_refused(facts: dict, rtol: float, atol: float) -> bool:
    """A right result in float16 is refused, and none would be if atol covered the rounding of subnormal numbers.

    That rounding is half of the distance between two subnormal numbers.
    """
    right, _ = facts["panel"]()
    spacing = bounds.softmax_slack(torch.float16)
    enough = refused(right, rtol, atol + spacing / 2) is None
    return facts["dtype"] == torch.float16 and refused(right, rtol, atol) is not None and enough


def _swapped(facts: dict, rtol: float, atol: float) -> bool:
    """The pair fits the panel in the other order. rtol < atol, because in the right order rtol is the larger one."""
    return rtol < atol and _fits_the_panel(facts, atol, rtol)


def _rtol_is_loose(facts: dict, rtol: float, atol: float) -> bool:
    """A wrong result is accepted, even with atol = 0."""
    return _accepts_a_wrong_result(facts, 1.01 * rtol, 0.0)  # at the border, the smallest atol would be to blame


def _atol_is_loose(facts: dict, rtol: float, atol: float) -> bool:
    """A wrong result is accepted, and rtol is not the cause."""
    more = atol * facts["n"] > rtol  # than rtol, of a value of 1 / n
    return more and _accepts_a_wrong_result(facts, rtol, atol) and not _rtol_is_loose(facts, rtol, atol)


def _strict(facts: dict, rtol: float, atol: float) -> bool:
    """A right result is refused, and not only because of subnormal numbers."""
    fails = refused(facts["panel"]()[0], rtol, atol) is not None
    return fails and not _only_subnormals_refused(facts, rtol, atol)


def _rtol_is_wrong(facts: dict, rtol: float, atol: float) -> bool:
    """rtol is too loose or too strict."""
    return _rtol_is_loose(facts, rtol, atol) or _strict(facts, rtol, atol)


@looks
def _no_other_key(error) -> bool:
    """No dictionary was asked for anything but a dtype."""
    return not error or error["type"] != "KeyError" or foreign.is_a(error["message"], "dtype")


TOLERANCE = (
    ("returns-nothing", detectors.nothing),
    ("tolerance-not-numbers", detectors.value(lambda v, f: pair(v) is None)),
    ("dtype-is-no-text", both(written(syntax.compares_with_text), _no_other_key)),
    ("tolerance-zero", _tolerance(lambda f, rtol, atol: rtol == atol == 0)),
    ("tolerances-swapped", detectors.value_formula(lambda v, f: _swapped(f, *pair(v)))),
    (
        "one-tolerance",
        both(written(lambda tree: 0 in syntax.unused_parameters(tree, "tolerance")), _tolerance(_rtol_is_wrong)),
    ),
    ("subnormals-forgotten", _tolerance(_only_subnormals_refused)),
    ("rtol-loose", _tolerance(_rtol_is_loose)),
    ("atol-vacuous", _tolerance(_atol_is_loose)),
    ("tolerance-strict", _tolerance(_strict)),
)
