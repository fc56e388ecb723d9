"""Mistakes of lesson 08 with right numbers: a walk that keeps its numbers, a block of another size than asked."""

from __future__ import annotations

from ...reference.online import block_fault
from ..detectors import looks, value
from ..mistake import Mistake

MISTAKES = [
    Mistake(
        "numbers-kept",
        "The walk keeps all numbers that it has seen. A row can be too long for that.",
        "Which numbers do you need from the earlier steps, besides m and d?",
    ),
    Mistake(
        "block-out-of-range",
        "The block of a long row is smaller or larger than the exercise allows.",
        "Between which two numbers may the block be, and with which block did you launch?",
    ),
]

NUMBERS_KEPT = (("numbers-kept", value(lambda v, f: f["kept"])),)


@looks
def _block_out_of_range(block_range, error, launches, evidence) -> bool:
    """Launches over a long row had a block outside of facts["block_range"]."""
    return bool(block_range and not error and launches and block_fault(evidence, *block_range))


BLOCK_RANGE = (("block-out-of-range", _block_out_of_range),)
