"""Mistakes in counting what a softmax moves, how long that takes, and what bounds it: for exercises 2.1 to 2.4."""

from __future__ import annotations

from fractions import Fraction

from ..checks import syntax
from ..checks.compare import same_number
from ..spec import Answer, Case, Detector, Evidence
from . import detectors

_NO_PAIR = detectors.value(lambda v, f: not isinstance(v, (tuple, list)) or len(v) != 2)
_NO_NUMBER = detectors.value(lambda v, f: isinstance(v, bool) or not isinstance(v, (int, float, Fraction)))
_VECTORS = [(a, b) for a in range(3) for b in range(3) if (a, b) != (0, 0)]
_UNITS = [10.0**k for k in (-12, -9, -6, -3, 3, 6, 9, 12)] + [2.0**k for k in (-30, -20, -10, 10, 20, 30)]


def _is(formula) -> Detector:
    """Matches a number that a known wrong formula gives. It gets the case's sizes, and the right number as want."""
    return detectors.value_formula(lambda v, f: same_number(v, formula(**f), rel=1e-6))


def _rule(test) -> Detector:
    """Matches where a wrong rule, which says "memory" when test holds, gives the same word."""
    words = {True: "memory", False: "compute"}
    return detectors.value_formula(lambda v, f: v == words[bool(test(f["intensity"], f["flops"], f["bandwidth"]))])


def _wrong_word(v, f: dict) -> bool:
    return v in ("memory", "compute") and v != f["want"]


def _ignores(*some: set[int]) -> Detector:
    """Matches a wrong word from a function that leaves exactly one of these sets of its parameters unused."""
    unused = detectors.written(lambda tree: syntax.unused_parameters(tree, "bound_by") in some)
    return detectors.both(detectors.value(_wrong_word), unused)


def _multiple(which: int, a: int, b: int):
    """One of the two numbers is a·mn + b·m."""
    return lambda v, f: v[which] == a * f["m"] * f["n"] + b * f["m"]


@Detector
def _pair_divided(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Python refused to calculate with the two numbers of a traffic function as if they were one."""
    return evidence.error is not None and "'tuple'" in evidence.error["message"]


# The answer's own fused_traffic, which comes along where it is used, gives something else than it should.
_TRAFFIC_IS_WRONG = detectors.written(
    lambda tree: syntax.worked_out(tree, "fused_traffic", 7, 11) not in (None, (7 * 11, 7 * 11))
)
_ROUNDED = detectors.both(
    detectors.value(lambda v, f: abs(v - f["want"]) < 1),
    detectors.written(syntax.cuts_digits),
)

FUSED_TRAFFIC = (
    ("returns-nothing", detectors.nothing),
    ("not-two-numbers", _NO_PAIR),
    *(
        ("vectors-on-chip", detectors.traffic(lambda m, n, a=a, b=b: (m * n + a * m, m * n + b * m)))
        for a, b in _VECTORS
    ),
    ("bytes-not-elements", detectors.traffic(lambda m, n: (4 * m * n, 4 * m * n))),
    ("one-row-counted", detectors.traffic(lambda m, n: (n, n))),
    ("row-read-twice", detectors.value_formula(_multiple(0, 2, 0))),
    ("row-read-twice", detectors.value_formula(_multiple(0, 3, 0))),
    ("intermediate-stored", detectors.value_formula(_multiple(1, 2, 0))),
    *(("five-passes-counted", detectors.value_formula(_multiple(0, 5, k))) for k in range(3)),
    *(("five-passes-counted", detectors.value_formula(_multiple(1, 3, k))) for k in range(3)),
)

IDEAL_SPEEDUP = (
    ("earlier-wrong", _TRAFFIC_IS_WRONG),
    ("pair-for-number", _pair_divided),
    ("returns-nothing", detectors.nothing),
    ("two-ratios", detectors.value(lambda v, f: isinstance(v, (tuple, list)))),
    ("not-a-number", _NO_NUMBER),
    ("ratio-upside-down", _is(lambda want, m, n: 1 / want)),
    ("two-ratios", _is(lambda want, m, n: 2 * want)),
    ("one-direction", _is(lambda want, m, n: want + 1)),
    *(("one-direction", _is(lambda want, m, n, k=k: k)) for k in (3, 5)),
    ("one-less", _is(lambda want, m, n: want - 1)),
    ("saving-not-ratio", _is(lambda want, m, n: (want - 1) * 2 * m * n)),
    ("saving-not-ratio", _is(lambda want, m, n: 1 - 1 / want)),
    ("rounded", _ROUNDED),
    *(("vectors-forgotten", _is(lambda want, m, n, k=k: 4 + Fraction(k, 2 * n))) for k in range(4)),
    ("vectors-of-n", _is(lambda want, m, n: 4 + Fraction(2, m))),
)

FLOOR_TIME = (
    ("earlier-wrong", _TRAFFIC_IS_WRONG),
    ("pair-for-number", _pair_divided),
    ("returns-nothing", detectors.nothing),
    ("not-a-number", _NO_NUMBER),
    ("one-direction", _is(lambda want, **f: want / 2)),
    ("counted-twice", _is(lambda want, **f: want * 2)),
    ("itemsize-forgotten", _is(lambda want, itemsize, **f: want / itemsize)),
    ("itemsize-forgotten", _is(lambda want, itemsize, **f: want / itemsize / 2)),
    ("float32-assumed", _is(lambda want, itemsize, **f: want * 4 / itemsize)),
    ("five-passes-counted", _is(lambda want, n, **f: want * (4 + Fraction(2, n)))),
    ("five-passes-counted", _is(lambda want, **f: want * 4)),
    *(("vectors-on-chip", _is(lambda want, n, k=k, **f: want * (1 + Fraction(k, 2 * n)))) for k in range(1, 5)),
    ("bits-not-bytes", _is(lambda want, **f: want * 8)),
    ("bits-not-bytes", _is(lambda want, **f: want / 8)),
    *(("not-in-seconds", _is(lambda want, unit=unit, **f: want * Fraction(unit))) for unit in _UNITS),
    ("not-a-time", _is(lambda want, **f: 1 / want)),
    ("not-a-time", _is(lambda want, bandwidth, **f: want * bandwidth**2)),
    ("rounded", _ROUNDED),
)

BOUND_BY = (
    ("returns-nothing", detectors.nothing),
    ("other-words", detectors.value(lambda v, f: v not in ("memory", "compute"))),
    ("always-one-answer", _ignores({0, 1, 2})),
    ("card-left-out", _ignores({1, 2})),
    ("units-do-not-match", _ignores({0}, {1}, {2}, {0, 1}, {0, 2})),
    *(("units-do-not-match", _rule(rule)) for rule in (
        lambda intensity, flops, bandwidth: intensity * flops < bandwidth,
        lambda intensity, flops, bandwidth: intensity * flops > bandwidth,
        lambda intensity, flops, bandwidth: intensity < bandwidth / flops,
        lambda intensity, flops, bandwidth: intensity > bandwidth / flops,
    )),
    *(("rounded", _rule(rule)) for rule in (
        lambda intensity, flops, bandwidth: intensity < flops // bandwidth,
        lambda intensity, flops, bandwidth: intensity < round(flops / bandwidth),
    )),
    ("faster-side-named", detectors.value_formula(_wrong_word)),
)  # fmt: skip
