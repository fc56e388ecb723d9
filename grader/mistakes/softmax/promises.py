"""Mistakes of lesson 08 with right numbers: a walk that keeps its numbers, a block of another size than asked."""

from __future__ import annotations

from ...reference.online import block_fault
from ...spec import Answer, Case, Detector, Evidence
from ..detectors import value
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


@Detector
def _block_out_of_range(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Launches over a long row had a block outside of facts["block_range"]."""
    limits = case.facts.get("block_range")
    return bool(limits and not evidence.error and evidence.launches and block_fault(evidence, *limits))


BLOCK_RANGE = (("block-out-of-range", _block_out_of_range),)
