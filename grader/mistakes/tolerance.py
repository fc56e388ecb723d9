"""Is a tolerance any good? A panel of right results it must accept and of wrong ones it must refuse."""

from __future__ import annotations

import functools
import math

import torch

from ..checks import bounds, compare, inputs, syntax
from ..spec import Answer, Case, Detector, Evidence
from . import detectors
from .detectors import both, written

# By how much a wrong result is off, relative to each value: clearly more than rounding to the dtype explains.
OFF = {torch.float32: 0.001, torch.float16: 0.05, torch.bfloat16: 0.1}


@functools.lru_cache(maxsize=18)
def panel(dtype: torch.dtype, n: int, seed: int) -> tuple[list, list]:
    """(right results, wrong results) for rows of n elements: each a description, the result and the float64 truth."""
    rows = {
        "a row of random numbers": inputs.randn(1, n, inputs.generator(seed)),
        "a row with one outlier": _outlier(n, inputs.generator(seed + 1)),
        "a row of equal numbers": inputs.constant(1, n, inputs.generator(seed)),
    }
    right, wrong = [], []
    for what, x in rows.items():
        x = x.to(dtype)
        truth = torch.softmax(x.double(), 1)
        right += [(f"{what}, {how}", y.to(dtype), truth) for how, y in _careful(x)]
        wrong += [(f"{what}, {how}", y.to(dtype), truth) for how, y in _wrong(x, truth)]
    return right, wrong


def _outlier(n: int, g: torch.Generator) -> torch.Tensor:
    """One value of 20, as the lesson measures it: the error of exp grows with the distance to the maximum."""
    x = inputs.randn(1, n, g)
    x[:, n // 3] = 20
    return x


def _careful(x: torch.Tensor):
    """Softmax in float32, in three ways; the caller rounds it to the dtype."""
    x = x.float()
    e = torch.exp(x - x.amax(1, keepdim=True))
    scaled = x * math.log2(math.e)
    powers = torch.exp2(scaled - scaled.amax(1, keepdim=True))
    yield "computed in float32", e / e.sum(1, keepdim=True)
    yield "computed in float32 with a reciprocal", e * (1 / e.sum(1, keepdim=True))
    yield "computed in float32 with powers of 2", powers / powers.sum(1, keepdim=True)


def _wrong(x: torch.Tensor, truth: torch.Tensor):
    """Results that are off by more than rounding, with what is wrong about them."""
    n, off = x.shape[1], OFF[x.dtype]
    yield "all zeros", torch.zeros_like(truth)
    yield f"each value {100 * off:g} % too large", truth * (1 + off)
    others = {"1/n everywhere": torch.full_like(truth, 1 / n), "masked lanes padded with 0": _padded_with_zeros(x)}
    if bool((x == x[:, :1]).all()):
        # Adding 1 to 2048 in float16, or to 256 in bfloat16, gives the same number again.
        largest = 256 if x.dtype == torch.bfloat16 else 2048
        others["summed up in low precision"] = torch.full_like(truth, 1 / min(n, largest))
    for how, y in others.items():
        if ((y - truth).abs() > 2 * off * truth).any():
            yield how, y


def _padded_with_zeros(x: torch.Tensor) -> torch.Tensor:
    lanes = torch.zeros(1, (1 << (x.shape[1] - 1).bit_length()) - x.shape[1], dtype=torch.float64)
    return torch.softmax(torch.cat([x.double(), lanes], 1), 1)[:, : x.shape[1]]


def pair(value) -> tuple[float, float] | None:
    """(rtol, atol) of what came back, None when it is no such pair."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        return None
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) or not v >= 0 for v in value):
        return None
    return float(value[0]), float(value[1])


def verify(evidence: Evidence, dtype: torch.dtype, n: int, seed: int) -> str | None:
    """None when the tolerance that came back accepts and refuses what it should, else a sentence."""
    tolerance = pair(evidence.value)
    if tolerance is None:
        return f"{compare.shown(evidence.value)} came back, expected two numbers (rtol, atol)"
    right, wrong = panel(dtype, n, seed)
    refused = _refused(right, *tolerance)
    if refused:
        what, value, want = refused
        error = f"has a relative error of {abs(value - want) / want:.2g}" if value else "becomes 0"
        allowed = (tolerance[0] * want + tolerance[1]) / want
        return f"a right result is refused: {what}, {want:.3g} {error}; your tolerance allows {allowed:.2g} of it"
    accepted = _accepted(wrong, *tolerance)
    return f"a wrong result is accepted: {accepted} (1/n is {1 / n:.2g})" if accepted else None


def _refused(right: list, rtol: float, atol: float) -> tuple[str, float, float] | None:
    """The right result that is refused, with its worst value and the true one."""
    for what, got, truth in right:
        excess = (got.double() - truth).abs() - (atol + rtol * truth)
        if excess.max() > 0:
            worst = int(excess.argmax())
            return what, got[0, worst].item(), truth[0, worst].item()
    return None


def _accepted(wrong: list, rtol: float, atol: float) -> str | None:
    return next((w for w, got, truth in wrong if torch.allclose(got.double(), truth, rtol=rtol, atol=atol)), None)


def _known(test) -> Detector:
    """Matches by test(facts, rtol, atol), where two numbers came back."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        tolerance = pair(evidence.value)
        return evidence.error is None and tolerance is not None and bool(test(case.facts, *tolerance))

    return detect


def _fine(facts: dict, rtol: float, atol: float) -> bool:
    right, wrong = facts["panel"]()
    return _refused(right, rtol, atol) is None and _accepted(wrong, rtol, atol) is None


def _lets_wrong_pass(facts: dict, rtol: float, atol: float) -> bool:
    return _accepted(facts["panel"]()[1], rtol, atol) is not None


def _only_subnormals_refused(facts: dict, rtol: float, atol: float) -> bool:
    """With half the distance of float16's subnormals added to atol, the right results are accepted."""
    right, _ = facts["panel"]()
    spacing = bounds.softmax_slack(torch.float16)
    same = _refused(right, rtol, atol + spacing / 2) is None
    return facts["dtype"] == torch.float16 and _refused(right, rtol, atol) is not None and same


def _swapped(facts: dict, rtol: float, atol: float) -> bool:
    """The other way round they are fine. With rtol the larger one they stand as they should."""
    return rtol < atol and _fine(facts, atol, rtol)


def _rtol_is_loose(facts: dict, rtol: float, atol: float) -> bool:
    return _lets_wrong_pass(facts, rtol, 0.0)


def _atol_is_loose(facts: dict, rtol: float, atol: float) -> bool:
    """A wrong row passes, and with rtol alone it would not."""
    return _lets_wrong_pass(facts, rtol, atol) and not _rtol_is_loose(facts, rtol, atol)


def _strict(facts: dict, rtol: float, atol: float) -> bool:
    refused = _refused(facts["panel"]()[0], rtol, atol) is not None
    return refused and not _only_subnormals_refused(facts, rtol, atol)


def _rtol_is_wrong(facts: dict, rtol: float, atol: float) -> bool:
    return _rtol_is_loose(facts, rtol, atol) or _strict(facts, rtol, atol)


TOLERANCE = (
    ("returns-nothing", detectors.nothing),
    ("tolerance-not-numbers", detectors.value(lambda v, f: pair(v) is None)),
    ("tolerance-zero", _known(lambda f, rtol, atol: rtol == atol == 0)),
    ("tolerances-swapped", detectors.value_formula(lambda v, f: _swapped(f, *pair(v)))),
    (
        "one-tolerance",
        both(written(lambda tree: 0 in syntax.unused_parameters(tree, "tolerance")), _known(_rtol_is_wrong)),
    ),
    ("subnormals-forgotten", _known(_only_subnormals_refused)),
    ("rtol-loose", _known(_rtol_is_loose)),
    ("atol-vacuous", _known(_atol_is_loose)),
    ("tolerance-strict", _known(_strict)),
)
