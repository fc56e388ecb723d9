"""A panel for a tolerance (exercise 7.2): right softmax results to accept, and wrong ones to refuse."""

from __future__ import annotations

import functools
import math

import torch

from ..checks import compare, inputs
from ..sentence import joined, said
from ..spec import Evidence

# The error of a wrong result, relative to each value: clearly more than the rounding to the dtype.
OFF = {torch.float32: 0.001, torch.float16: 0.05, torch.bfloat16: 0.1}


@functools.lru_cache(maxsize=36)
def panel(dtype: torch.dtype, n: int, seed: int) -> tuple[list, list]:
    """(right results, wrong results) for rows of n elements.

    Each entry is (description, result of shape (1, n) in dtype, truth of shape (1, n) in float64).
    """
    rows = {
        said("a row of random numbers"): inputs.randn(1, n, inputs.generator(seed)),
        said("a row with one outlier"): _outlier(n, inputs.generator(seed + 1)),
        said("a row of equal numbers"): inputs.constant(1, n, inputs.generator(seed)),
    }
    right, wrong = [], []
    for what, x in rows.items():
        x = x.to(dtype)
        truth = torch.softmax(x.double(), 1)
        right += [(joined("{one}, {two}", [what, how]), y.to(dtype), truth) for how, y in _careful(x)]
        wrong += [(joined("{one}, {two}", [what, how]), y.to(dtype), truth) for how, y in _wrong(x, truth)]
    return right, wrong


def _outlier(n: int, g: torch.Generator) -> torch.Tensor:
    """A row with one value of 20, as in the lesson: the error of exp grows with the distance to the maximum."""
    x = inputs.randn(1, n, g)
    x[:, n // 3] = 20
    return x


def _careful(x: torch.Tensor):
    """(description, softmax in float32), computed in three right ways."""
    x = x.float()
    e = torch.exp(x - x.amax(1, keepdim=True))
    scaled = x * math.log2(math.e)
    powers = torch.exp2(scaled - scaled.amax(1, keepdim=True))
    yield said("computed in float32"), e / e.sum(1, keepdim=True)
    yield said("computed in float32 with a reciprocal"), e * (1 / e.sum(1, keepdim=True))
    yield said("computed in float32 with powers of 2"), powers / powers.sum(1, keepdim=True)


def _wrong(x: torch.Tensor, truth: torch.Tensor):
    """(description, result): results whose error is larger than the rounding to the dtype."""
    n, off = x.shape[1], OFF[x.dtype]
    yield said("all zeros"), torch.zeros_like(truth)
    yield said("each value {value} % too large", value=f"{100 * off:g}"), truth * (1 + off)
    others = {
        said("1/n everywhere"): torch.full_like(truth, 1 / n),
        said("masked lanes padded with 0"): _padded_with_zeros(x),
    }
    if bool((x == x[:, :1]).all()):
        # A sum of ones stops there: 2048 + 1 is 2048 in float16, and 256 + 1 is 256 in bfloat16.
        largest = 256 if x.dtype == torch.bfloat16 else 2048
        others[said("summed up in low precision")] = torch.full_like(truth, 1 / min(n, largest))
    for how, y in others.items():
        if ((y - truth).abs() > 2 * off * truth).any():
            yield how, y


def _padded_with_zeros(x: torch.Tensor) -> torch.Tensor:
    """The softmax of a row in a block whose masked lanes hold 0, float64 of the shape of x."""
    lanes = torch.zeros(1, (1 << (x.shape[1] - 1).bit_length()) - x.shape[1], dtype=torch.float64)
    return torch.softmax(torch.cat([x.double(), lanes], 1), 1)[:, : x.shape[1]]


def pair(value) -> tuple[float, float] | None:
    """(rtol, atol) from a value that an answer returned; None when it is no pair of numbers that are at least 0."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        return None
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) or not v >= 0 for v in value):
        return None
    return float(value[0]), float(value[1])


def verify(evidence: Evidence, dtype: torch.dtype, n: int, seed: int) -> str | None:
    """None when the returned tolerance accepts the right results of the panel and no wrong one, else a sentence."""
    tolerance = pair(evidence.value)
    if tolerance is None:
        return said("{shown} came back, expected two numbers (rtol, atol)", shown=compare.shown(evidence.value))
    right, wrong = panel(dtype, n, seed)
    failed = refused(right, *tolerance)
    if failed:
        what, value, want = failed
        error = (
            said("has a relative error of {value}", value=f"{abs(value - want) / want:.3g}")
            if value
            else said("becomes 0")
        )
        allowed = (tolerance[0] * want + tolerance[1]) / want
        yours = said("your tolerance allows a relative error of {allowed}", allowed=f"{allowed:.3g}")
        return said(
            "a right result is refused: {what}, {want} {error}, and {yours}",
            what=what,
            want=f"{want:.3g}",
            error=error,
            yours=yours,
        )
    passed = accepted(wrong, *tolerance)
    return (
        said("a wrong result is accepted: {passed} (1/n is {value})", passed=passed, value=f"{1 / n:.2g}")
        if passed
        else None
    )


def refused(right: list, rtol: float, atol: float) -> tuple[str, float, float] | None:
    """(description, worst value, true value) of the first right result that is refused, or None."""
    for what, got, truth in right:
        excess = (got.double() - truth).abs() - (atol + rtol * truth)
        if excess.max() > 0:
            worst = int(excess.argmax())
            return what, got[0, worst].item(), truth[0, worst].item()
    return None


def accepted(wrong: list, rtol: float, atol: float) -> str | None:
    """The description of the first wrong result that is accepted, or None."""
    return next((w for w, got, truth in wrong if torch.allclose(got.double(), truth, rtol=rtol, atol=atol)), None)
