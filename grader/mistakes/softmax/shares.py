"""How the numbers of a row are wrong where no formula says why: in proportion, or with the right sum.

These detectors are asked last, and must not contradict any case that ran.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from ...spec import Answer, Case, Detector, Evidence
from .. import detectors

_CLOSE = 1e-3  # relative; numbers of half precision may be off by eight times as much


def factors(case: Case, evidence: Evidence) -> torch.Tensor | None:
    """Each number beside the right share, NaN where both are next to nothing; None where a number is not finite.

    None also where a row has no softmax.
    """
    got = detectors.output(case, evidence)
    x = case.facts.get("x")
    if got is None or x is None or "want" in case.facts or got.shape != x.shape or not got.isfinite().all():
        return None
    want = torch.softmax(x.double(), -1)
    if want.isnan().any():
        return None  # a row without shares
    nothing = torch.where(got.abs() > _CLOSE, torch.inf, torch.nan)  # beside a share that is next to nothing
    return torch.where(want > 1e-30, got.double() / want, nothing)


def of_factors(test, of_others=None) -> Detector:
    """Matches a finite output with test(factors, case). of_others: the test of the other cases that ran."""

    def fits(case: Case, evidence: Evidence) -> bool:
        found = factors(case, evidence)
        return found is None or (of_others or test)(found, case)

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        found = factors(case, evidence)
        some = found is not None and bool(found.nan_to_num().any(-1).all())  # zeros are in no proportion
        return some and test(found, case)

    return Detector(detect, fits, share=detectors.MOST, exact=True, last=True)


def constant(found: torch.Tensor) -> bool:
    """Whether each row (of the last axis) has one factor. NaN is none."""
    low, high = (torch.where(found.isnan(), limit, found) for limit in (torch.inf, -torch.inf))
    return bool((high.amax(-1) - low.amin(-1) <= _CLOSE * found.nan_to_num().abs().amax(-1).clamp(max=1e300)).all())


def proportional(found: torch.Tensor, case: Case) -> bool:
    """Whether the numbers of each row stand in the right proportion to each other."""
    return constant(found)


def scaled(found: torch.Tensor, case: Case) -> bool:
    """As proportional, and the sum of some row is not 1."""
    return constant(found) and bool((found - 1).abs().nan_to_num().max() > _CLOSE)


def summand(extra: float) -> Detector:
    """Matches where each row was divided by its sum plus this number, the same in every case that ran."""

    def added(found: torch.Tensor, case: Case) -> bool:
        x = case.facts["x"].double()
        total = torch.exp(x - x.amax(-1, keepdim=True)).sum(-1)
        more = total / found.nanmean(-1) - total
        return constant(found) and bool(((more - extra).abs() <= 0.2 * extra + 2e-6 * total).all())

    def seen(found: torch.Tensor, case: Case) -> bool:
        return added(found, case) and not added(torch.ones_like(found), case)

    return replace(of_factors(seen, added), last=False, by_numbers=True)


def _sum_to_one(case: Case, evidence: Evidence) -> bool | None:
    """Whether all numbers are at least 0, and each row sums to 1; None where that cannot be said."""
    if factors(case, evidence) is None:
        return None
    got = detectors.output(case, evidence)
    close = 2e-5 if got.dtype.itemsize >= 4 else 8 * _CLOSE
    return bool((got >= 0).all() and ((got.double().sum(-1) - 1).abs() <= close).all())


def _on_average(case: Case, evidence: Evidence) -> bool:
    """Whether the rows sum to 1 on average: roundings go up and down, and a factor does not."""
    got = detectors.output(case, evidence)
    return abs((got.double().sum(-1) - 1).mean().item()) <= torch.finfo(got.dtype).eps / 4 + 2e-5


shares_of_other_numbers = Detector(
    lambda case, evidence, answer: bool(_sum_to_one(case, evidence)) and _on_average(case, evidence),
    lambda case, evidence: _sum_to_one(case, evidence) is not False,
    share=detectors.MOST,
    exact=True,
    last=True,
)
