"""What is asked of a function that measures bandwidth, on a simulated device, and how it goes wrong.

An answer's value is a pair: its result, and what it timed (see simulated.Device). Facts: m, n, itemsize, seconds of a
usual call, want (GB/s), peak; usual where a result is expected.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import torch

from ..reference import softmax_function
from ..spec import Answer, Call, Case, Detector, Evidence
from .detectors import both, value

_UNITS = [10.0**k for k in (-18, -15, -12, -9, -6, -3, 3, 6, 9)]
_CLOSE = 5e-3  # an answer may round
_ALIKE = 2e-3  # more than what the usual runs differ by
RUNS = 20  # at least, on a card that has reached its speed


def case(m: int, n: int, dtype: str, microseconds: float, disturbed: int, share: float = 0.0) -> Case:
    """A call that takes so long. share: the peak, as a multiple of the right result; 0 for a device that has none."""
    itemsize = getattr(torch, dtype).itemsize
    want = 2 * m * n * itemsize / (microseconds * 1e-6) / 1e9
    peak = share * want if share else math.inf
    usual = peak >= want
    device = f", a peak of {peak:.0f} GB/s" if share else ""

    def verify(evidence: Evidence) -> str | None:
        if not usual:
            return softmax_function.refused(None, evidence, f"a result of {want:.0f} GB/s where the peak is {peak:.0f}")
        return _off(want, evidence)

    call = Call("call", "check_bandwidth", (m, n, dtype, microseconds * 1e-6, disturbed, peak))
    return Case(
        f"{m}×{n} {dtype}, {microseconds} µs a call{device}",
        call,
        verify,
        size=m * n + (1 << 30) * (share > 0),
        expects_error=not usual,
        facts={"m": m, "n": n, "itemsize": itemsize, "seconds": microseconds * 1e-6, "want": want, "peak": peak}
        | {"usual": usual},
    )


def _off(want: float, evidence: Evidence) -> str | None:
    got, timed = evidence.value if isinstance(evidence.value, tuple) else (None, [])
    if isinstance(got, bool) or not isinstance(got, (int, float)):
        return f"it returned {got!r}, expected {want:.1f}"
    usual = sum(letters == "u" for letters, *_ in timed)
    if math.isclose(got, want, rel_tol=_CLOSE):
        few = f"the right rate, but of the timed runs {usual} came after the warm-up, expected {RUNS} or more"
        return few if usual < RUNS else None
    runs = "1 timed run" if len(timed) == 1 else f"{len(timed)} timed runs"
    return f"it says {got:.4g} GB/s after {runs}, expected {want:.4g}"


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-6)


def _timed(test) -> Detector:
    """Matches a wrong result by what was timed: test gets the letters, waited, waiting, and seconds of all of it."""

    def look(v, f) -> bool:
        wrong = f["usual"] and bool(_off(f["want"], Evidence(value=v)))
        return wrong and test(*(zip(*v[1]) if v[1] else [()] * 4))

    return value(look)


def _from(test) -> Detector:
    """Matches a result that follows from the times in a known wrong way: test gets the seconds it takes, and all."""

    def look(v, f) -> bool:
        times = [t[3] for t in v[1]]
        if not (f["usual"] and v[0] and times) or math.isclose(v[0], f["want"], rel_tol=_CLOSE):
            return False
        return test(2 * f["m"] * f["n"] * f["itemsize"] / v[0] / 1e9, times)

    return value(look)


def _rate(formula) -> Detector:
    """Matches a result that a wrong formula gives from the right time: in every case that has a result."""

    def look(v, f) -> bool:
        return f["usual"] and math.isclose(v[0], formula(f), rel_tol=_ALIKE)

    detect = value(look)
    return replace(
        detect,
        fits=lambda case, evidence: not case.facts["usual"] or bool(evidence.error) or detect(case, evidence, None),
        exact=True,
    )


@Detector
def _possible_refused(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return case.facts["usual"] and bool(evidence.error) and "raise" in evidence.error["line"]


@Detector
def _asks_another_clock(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """It wants a GPU, or no time has passed between two looks at a clock that no call of the check's moves."""
    error = evidence.error or {"type": "", "line": ""}
    return "cuda" in error["line"] or "do_bench" in error["line"] or error["type"] == "ZeroDivisionError"


_slow = _timed(lambda letters, *_: any(set("fs") & set(each) for each in letters))

BANDWIDTH = (
    ("returns-nothing", value(lambda v, f: f["usual"] and v[0] is None)),
    ("not-a-number", value(lambda v, f: f["usual"] and not isinstance(v[0], (int, float)))),
    ("clock-not-used", _asks_another_clock),
    ("clock-not-used", _timed(lambda letters, *_: not letters)),
    ("not-synchronised", _timed(lambda letters, waited, waiting, seconds: any(waiting))),
    ("timed-together", _timed(lambda letters, *_: any(len(each.strip("x")) > 1 for each in letters))),
    ("other-work-timed", _timed(lambda letters, waited, *_: any(waited) or any("x" in each for each in letters))),
    ("warm-up-too-short", both(_slow, _from(lambda got, times: _close(got, statistics.median(times))))),
    ("warm-up-too-short", both(_slow, _from(lambda got, times: any(_close(got, t) for t in times)))),
    ("warm-up-too-short", both(_slow, _from(lambda got, times: _close(got, statistics.fmean(times))))),
    ("cache-warm", _timed(lambda letters, *_: any("c" in each for each in letters))),
    ("too-few-runs", _timed(lambda letters, *_: len(letters) < 3)),
    ("mean-not-median", _from(lambda got, times: _close(got, statistics.fmean(times)))),
    ("mean-not-median", _from(lambda got, times: _close(got, statistics.harmonic_mean(times)))),
    ("one-run-of-many", _from(lambda got, times: any(_close(got, t) for t in times))),
    ("warm-up-too-short", _timed(lambda letters, *_: "s" in letters and letters.count("u") < RUNS <= len(letters))),
    ("too-few-runs", _timed(lambda letters, *_: set(letters) == {"u"} and len(letters) < RUNS)),
    ("one-direction", _rate(lambda f: f["want"] / 2)),
    ("elements-counted", _rate(lambda f: f["want"] / f["itemsize"])),
    ("float32-assumed", _rate(lambda f: f["want"] * 4 / f["itemsize"])),
    ("five-passes-counted", _rate(lambda f: f["want"] * (4 + 2 / f["n"]))),
    ("five-passes-counted", _rate(lambda f: f["want"] * 4)),
    ("bits-counted", _rate(lambda f: f["want"] * 8)),
    ("gibibytes", _rate(lambda f: f["want"] * 1e9 / 2**30)),
    *(("rate-in-other-units", _rate(lambda f, unit=unit: f["want"] * unit)) for unit in _UNITS),
    *(("rate-in-other-units", _rate(lambda f, k=k: f["want"] * 1e9 / 2.0**k)) for k in (10, 20)),
    *(("time-returned", _rate(lambda f, unit=unit: f["seconds"] * unit)) for unit in (1, 1e3, 1e6, 1e9)),
    *(("rate-upside-down", _rate(lambda f, unit=unit: unit / f["want"])) for unit in (1, *_UNITS)),
    ("capped-at-peak", value(lambda v, f: not f["usual"] and math.isclose(v[0], f["peak"], rel_tol=1e-6))),
    ("impossible-accepted", value(lambda v, f: not f["usual"] and isinstance(v[0], (int, float)))),
    ("wrong-refusal", Detector(lambda c, e, a: not c.facts["usual"])),
    ("possible-refused", _possible_refused),
)  # fmt: skip
