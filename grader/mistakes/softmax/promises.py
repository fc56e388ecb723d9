"""Lesson 08, right numbers: a remark on a walk that keeps its numbers, and a block of another size than asked."""

from __future__ import annotations

from ...reference.online import block_fault
from ...sentence import said
from ..detectors import looks, value
from ..mistake import Mistake

MISTAKES = [
    Mistake(
        "block-out-of-range",
        "The block of a long row is smaller or larger than the exercise allows.",
        "Between which two numbers may the block be, and with which block did you launch?",
    ),
]

NUMBERS_KEPT = (
    (
        said(
            "Your walk keeps more than half of the numbers that it has seen. A row can be too long for that. It costs "
            "no points, because the check cannot be sure of what your function keeps."
        ),
        value(lambda v, f: v[1] > f["walk"] // 2),
    ),
)


@looks
def _block_out_of_range(block_range, error, launches, evidence) -> bool:
    """Launches over a long row had a block outside of facts["block_range"]."""
    return bool(block_range and not error and launches and block_fault(evidence, *block_range))


BLOCK_RANGE = (("block-out-of-range", _block_out_of_range),)
