"""The mistakes that a softmax(x) which others can call can meet."""

from __future__ import annotations

from ...reference.softmax_function import launch_fault
from ...spec import Case, Detector, Evidence
from .. import detectors
from .columns import SOFTMAX_KERNEL
from .rows import ROW_KERNEL


def _launched(mistake: str):
    @Detector
    def detect(case: Case, evidence: Evidence, answer) -> bool:
        x = case.facts.get("x")
        return x is not None and evidence.error is None and launch_fault(x, evidence)[0] == mistake

    return mistake, detect


@Detector
def _view_assumed_contiguous(case: Case, evidence: Evidence, answer) -> bool:
    """The first input whose rows have gaps between them is read as if they had none."""
    x = case.facts.get("x")
    return x is not None and x.dim() == 2 and x.stride(1) == 1 and x.stride(0) != x.shape[1]


@Detector
def _columns_apart(case: Case, evidence: Evidence, answer) -> bool:
    x = case.facts.get("x")
    return x is not None and x.dim() == 2 and x.shape[1] > 1 and x.stride(1) != 1


def _grid(test):
    @Detector
    def detect(case: Case, evidence: Evidence, answer) -> bool:
        x = case.facts.get("x")
        return x is not None and any(test(launch["grid"][0], x) for launch in evidence.launches)

    return detect


# What any function of a matrix can meet, however it launches its kernels.
FUNCTION = (
    ("accepts-anything", Detector(lambda c, e, a: c.facts.get("refuses") and e.error is None)),
    ("wrong-exception", Detector(lambda c, e, a: c.facts.get("refuses") and bool(e.error))),
    _launched("bad-num-warps"),
    ("returns-nothing", detectors.nothing),
    ("wrong-shape", detectors.wrong_kind("shape")),
    ("wrong-dtype", detectors.wrong_kind("dtype")),
    ("rows-assumed-adjacent", _view_assumed_contiguous),
    ("column-stride", _columns_apart),
)

WRAPPER = (
    *FUNCTION,
    _launched("no-kernel"),
    ("grid-of-columns", _grid(lambda g, x: g == x.shape[1] != x.shape[0])),
    ("grid-too-large", Detector(lambda c, e, a: bool(e.error) and _grid(lambda g, x: g > x.shape[0])(c, e, a))),
    ("grid-too-small", detectors.both(detectors.tail_rows_nan, _grid(lambda g, x: g < x.shape[0]))),
    _launched("launch-per-row"),
    *ROW_KERNEL,
    *SOFTMAX_KERNEL,
)
