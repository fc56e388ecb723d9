"""The cases of a function that measures bandwidth, on a simulated device.

Each case calls check_bandwidth of lessons/drivers/bandwidth.py. Its value is a pair: the answer's result, and the list
`timed` of grader.simulated.Device, with one entry for each timed interval.

Facts of a case: m, n, itemsize (bytes), seconds (of an undisturbed call), compiling (further seconds of the first
call), want (GB/s, the right result), peak (GB/s), and possible (whether the right result is at most the peak; if not,
the answer must raise ValueError). The case of `peak_case` measures nothing: its fact peak_of is True, its value is the
list of two peaks.
"""

from __future__ import annotations

import math

import torch

from ..sentence import said
from ..simulated.device import Pace
from ..spec import Call, Case, Evidence
from . import softmax_function

TOLERANCE = 5e-3  # relative, because an answer may round
MIN_RUNS = 20  # timed runs on a card that has reached its full speed


def case(m: int, n: int, dtype: str, microseconds: float, disturbed: int, seed: int, share: float = 0.0) -> Case:
    """A copy of an M×N matrix that takes so many microseconds.

    disturbed: the first of the device's disturbed calls. seed: of the device's pace. share: the peak as a multiple of
    the right result; with 0 the peak is infinite.
    """
    itemsize = getattr(torch, dtype).itemsize
    want = 2 * m * n * itemsize / (microseconds * 1e-6) / 1e9
    peak = share * want if share else math.inf
    possible = peak >= want
    device = said(", a peak of {peak} GB/s", peak=f"{peak:.0f}") if share else ""

    def verify(evidence: Evidence) -> str | None:
        if not possible:
            measured = said(
                "a measurement of {want} GB/s where the peak is {peak}", want=f"{want:.0f}", peak=f"{peak:.0f}"
            )
            return softmax_function.refused(None, evidence, measured)
        return result_fault(want, evidence.value)

    return Case(
        said(
            "{m}×{n} {dtype}, {microseconds} µs per call{device}",
            m=m,
            n=n,
            dtype=dtype,
            microseconds=microseconds,
            device=device,
        ),
        Call("call", "check_bandwidth", clock=((m, n), dtype, microseconds * 1e-6, disturbed, peak, seed)),
        verify,
        size=m * n + (1 << 30) * (share > 0),
        expects_error=not possible,
        facts={"m": m, "n": n, "itemsize": itemsize, "seconds": microseconds * 1e-6}
        | {"compiling": Pace.drawn(seed).compiling, "want": want, "peak": peak, "possible": possible},
    )


def peak_case(peak: float) -> Case:
    """The answer's own peak, of a tensor on a GPU of so many GB/s and of one on the CPU: two numbers."""

    def verify(evidence: Evidence) -> str | None:
        peaks = evidence.value if isinstance(evidence.value, list) else []
        same = len(peaks) == 2 and peaks[0] == peaks[1]
        return said("the peak is {peaks} for x on a GPU and for x on the CPU", peaks=f"{peaks[0]:g}") if same else None

    label, facts = said("the peak of two devices"), {"peak_of": True, "possible": True, "want": math.nan}
    return Case(label, Call("call", "check_peak", (peak,)), verify, size=1 << 31, facts=facts, may_call_library=True)


def result_fault(want: float, value) -> str | None:
    """None if the value of check_bandwidth holds `want` GB/s from enough runs at full speed, else a sentence."""
    got, timed = value if isinstance(value, tuple) else (None, [])
    if isinstance(got, bool) or not isinstance(got, (int, float)):
        return said("it returned {got}, expected {want}", got=repr(got), want=f"{want:.1f}")
    usual = sum(letters == "u" for letters, *_ in timed)
    if math.isclose(got, want, rel_tol=TOLERANCE):
        few = said(
            "the right rate, but of the timed runs {usual} came after the warm-up, expected {MIN_RUNS} or more",
            usual=usual,
            MIN_RUNS=MIN_RUNS,
        )
        return few if usual < MIN_RUNS else None
    runs = said("1 timed interval") if len(timed) == 1 else said("{count} timed intervals", count=len(timed))
    return said("it says {got} GB/s after {runs}, expected {want}", got=f"{got:.4g}", runs=runs, want=f"{want:.4g}")
