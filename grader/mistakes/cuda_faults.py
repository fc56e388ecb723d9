"""What is wrong with a CUDA kernel of lesson 12 whose numbers are right, and with shared memory that nobody filled."""

from __future__ import annotations

import torch

from ..checks import compare
from ..spec import Answer, Case, Detector, Evidence
from . import detectors
from .blocks import LANES

_BARRIERS = 6  # a block of v3 may have: a tree of 256 threads needs more
_WIDE = 4  # elements in one access of v3
_MANY = 256  # threads: a walk over what each of them has left is far longer than a tree


def numbers(x: torch.Tensor, evidence: Evidence) -> str | None:
    """None when the numbers are right, else a sentence, with the first load of shared memory that holds nothing."""
    sentence, unstored = compare.softmax(x, evidence.args[0]), _unstored(evidence)
    return f"{sentence}. {unstored[0].upper()}{unstored[1:]}" if sentence and unstored else sentence


def fault(version: str, evidence: Evidence, n: int) -> tuple[str, str] | tuple[None, None]:
    """(mistake, sentence) when a right kernel is not what its version is about."""
    launch = evidence.launches[0]
    options, v3 = launch["options"], version == "v3"
    barriers, threads, loads = options["barriers"] // launch["grid"][0], options["threads"], options["most_loads"]
    if v3 and barriers > _BARRIERS:
        return "too-many-barriers", f"right numbers, but each block meets at __syncthreads() {barriers} times"
    if v3 and n > LANES and not options["warp_operations"]:
        return "no-shuffle", "right numbers, but no lane ever gets a value from another one directly"
    if threads >= _MANY and loads > threads // 2:
        return "reduced-in-series", f"right numbers, but a thread loads from shared memory {loads} times"
    if v3 and options["stored_again"] and not options["loaded_back"]:
        return "stored-again", f"right numbers, but {options['stored_again']} elements are stored a second time"
    if v3 and n % _WIDE == 0 and launch["widest"] < _WIDE:
        return "no-float4", "right numbers, but no access is wider than 4 bytes"
    return None, None


def _falls_short(mistake: str):
    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        return not evidence.error and fault(case.group, evidence, case.facts["x"].shape[1])[0] == mistake

    return mistake, detect


def _unstored(evidence: Evidence) -> str:
    return evidence.launches[0]["options"]["unstored"] if evidence.launches else ""


def _poisoned(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """What nobody stored was loaded, and came out as NaN."""
    got = detectors.output(case, evidence)
    return bool(_unstored(evidence)) and got is not None and bool(got.isnan().any())


def _poisoned_or_harmless(case: Case, evidence: Evidence) -> bool:
    """Such a load does no harm where its value is thrown away: then it happens in cases that pass, too."""
    return _poisoned(case, evidence, None) if case.verify(evidence) else not _unstored(evidence)


FAULTS = (
    *map(_falls_short, "too-many-barriers no-shuffle reduced-in-series stored-again no-float4".split()),
    ("shared-unstored", Detector(_poisoned, _poisoned_or_harmless, exact=True)),
)
