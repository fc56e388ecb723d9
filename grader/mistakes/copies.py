"""The mistakes that a kernel which moves blocks can meet: which elements, which lanes, what the masked lanes hold.

A case's facts hold x, want (what is right), block and, for matrices, rows (from rows of x to rows of the result),
x_stride and y_stride.
"""

from __future__ import annotations

import torch

from ..checks import compare
from ..checks.syntax import load_without_other
from ..spec import Answer, Case, Detector, Evidence
from . import detectors
from .detectors import both, formula, outside, past_the_row, written
from .softmax.columns import KERNEL
from .softmax.rows import either, row_begins


def _one_too_far(where: dict, facts: dict) -> bool:
    """One lane is outside, and without a mask it would have been more."""
    n = facts["x"].shape[-1]
    return where["lanes"] == 1 and where["column"] == n and -n % facts["block"] >= 2


@Detector
def _first_column_lost(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Of every row but the first, the first value alone is wrong, and without a mask it would have been more."""
    got, want = detectors.output(case, evidence), case.facts["want"]
    if got is None or got.shape != want.shape or case.facts["block"] - want.shape[1] < 2:
        return False
    wrong = got != want
    return bool(wrong[1:, 0].any() and not wrong[0].any() and not wrong[:, 1:].any())


def _spread(where: dict, facts: dict) -> bool:
    """Lane i of the first program is looked for at element 4·i, and no more lanes are on than there are elements."""
    n = facts["x"].numel()
    return where["program"][0] == 0 and where["of"] <= n and where["lanes"] == where["of"] - -(-n // 4)


def _lanes_at(address):
    """A test for `outside`: lane i of program r was looked for at element address(r, i, row stride), and that left x.

    The first address, the first one outside and how many are outside must all fit.
    """

    def test(where: dict, facts: dict) -> bool:
        (m, n), stride, program = facts["x"].shape, facts["x_stride"], where["program"][0]
        m += facts.get("spare", 0) if where["op"] == "store" else 0
        at = [address(program, lane, stride) for lane in range(where["of"] or 0)]
        lost = [a for a in at if a // stride >= m or a % stride >= n]
        return len(lost) > 0 and (where["first"], where["lanes"], (where["row"] or 0) * stride + where["column"]) == (
            at[0], len(lost), lost[0]
        )  # fmt: skip

    return test


def _no_lane_masked(where: dict, facts: dict) -> bool:
    return past_the_row(where, facts) and where["of"] == facts["block"]


def _more_lanes_than_columns(where: dict, facts: dict) -> bool:
    return past_the_row(where, facts) and where["of"] != facts["x"].shape[-1]


def _right_lanes_elsewhere(where: dict, facts: dict) -> bool:
    """As many lanes of program 0 are on as a row has columns, and some of them left the tensor.

    Program 0 alone: in others it may be the beginning of the row that is wrong, which has names of its own.
    """
    return where["program"][0] == 0 and (where["lanes"] or 0) < where["of"] == facts["x"].shape[-1]


def _no_lane_of_the_last_masked(where: dict, facts: dict) -> bool:
    return _no_lane_masked(where, facts) and facts["x"].numel() > facts["block"]


def _only_the_first(keeps):
    """The first `keeps(x, facts)` elements were copied, and the others keep NaN."""

    def compute(x: torch.Tensor, facts: dict) -> torch.Tensor:
        wrong = x.clone()
        wrong[keeps(x, facts) :] = torch.nan
        return wrong

    return formula(compute)


def _every_fourth(x: torch.Tensor, facts: dict) -> torch.Tensor:
    """Offsets counted in bytes, and masked as such."""
    wrong = torch.full_like(x, torch.nan)
    wrong[::4] = x[::4]
    return wrong


@Detector
def _later_blocks_left(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The first block holds numbers, and everything behind it was left as it was."""
    got, block = detectors.output(case, evidence), case.facts["block"]
    return got is not None and bool(got[block:].isnan().all() and not got[:block].isnan().any())


def _end_of_the_last(x: torch.Tensor, facts: dict) -> int:
    """Where the last program ends when each begins one element after the one before it."""
    return (len(x) - 1) // facts["block"] + facts["block"]


@Detector
def _tail_left(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The last elements of a vector were left as they were, the first holds a number."""
    got = detectors.output(case, evidence)
    nan = got.isnan() if got is not None and got.dim() == 1 else torch.tensor([True])
    return bool(nan[-1] and not nan[0] and (nan.int().diff() >= 0).all())


COPY = (
    *KERNEL,
    *((name, outside(op, test)) for op in ("load", "store") for name, test in (
        ("mask-one-too-far", _one_too_far),
        ("stride-in-bytes", _spread),
        ("stride-in-bytes", lambda w, f: 0 < w["program"][0] and w["first"] == 4 * w["program"][0] * f["block"]),
        ("mask-on-lanes", _no_lane_of_the_last_masked),
        (f"no-{op}-mask", _no_lane_masked),
    )),
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("block-zero-only", both(detectors.shared, _only_the_first(lambda x, f: f["block"]))),
    ("stored-in-block-zero", both(detectors.shared, _later_blocks_left)),
    ("positions-stored", formula(lambda x, facts: torch.arange(float(len(x))))),
    ("positions-stored", formula(lambda x, facts: torch.arange(float(len(x))) % facts["block"])),
    ("stride-in-bytes", formula(_every_fourth)),
    ("blocks-overlap", both(detectors.shared, _only_the_first(_end_of_the_last))),
    ("elements-missing", both(detectors.unshared, _tail_left)),
)  # fmt: skip


def _shifted_window(x: torch.Tensor, facts: dict) -> torch.Tensor:
    """Row r read from element r on: the row stride is missing."""
    flat, (m, n) = x.reshape(-1), x.shape
    return facts["rows"](torch.stack([flat[r : r + n] for r in range(m)])) if m - 1 + n <= m * n else x[:0]


def _shifted_stores(x: torch.Tensor, facts: dict) -> torch.Tensor:
    """Rows read and stored from element r on: the row stride is missing twice."""
    flat = facts["rows"](x.reshape(1, -1)).reshape(-1).clone()
    flat[len(x) - 1 + x.shape[1] :] = torch.nan
    return flat.reshape(x.shape) if flat.numel() == x.numel() else x[:0]


def _row_zero(stored_in: slice):
    """Every program read row 0, and stored it in the rows of this slice; the others keep NaN."""

    def compute(x: torch.Tensor, facts: dict) -> torch.Tensor:
        wrong = torch.full_like(facts["want"], torch.nan)
        wrong[stored_in] = facts["rows"](x[:1])
        return wrong

    return formula(compute)


@Detector
def _later_rows_left(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Row 0 holds numbers, and every other row was left as it was."""
    got = detectors.output(case, evidence)
    return got is not None and len(got) > 1 and bool(got[1:].isnan().all() and not got[0].isnan().any())


ROWS = (
    *KERNEL,
    *((name, outside(op, test)) for op in ("load", "store") for name, test in (
        ("mask-one-too-far", _one_too_far),
        ("row-stride-missing", row_begins(lambda f: 1)),
        ("row-and-column-swapped", _lanes_at(lambda program, lane, stride: program + lane * stride)),
        ("stride-in-bytes", _lanes_at(lambda program, lane, stride: 4 * (program * stride + lane))),
    )),
    *either("stride-in-bytes", lambda f: 4 * f["x_stride"]),
    *either("rows-assumed-adjacent", lambda f: f["x"].shape[1]),
    *either("block-for-stride", lambda f: f["block"]),
    *(("width-and-stride", outside(op, row_begins(lambda f, w=width, s=stride: w(f) * f[s])))
      for op, stride in (("load", "x_stride"), ("store", "y_stride"))
      for width in (lambda f: f["block"], lambda f: f["x"].shape[1])),
    *((name, outside(op, test)) for op in ("load", "store") for name, test in (
        ("addresses-not-mask", _right_lanes_elsewhere),
        (f"no-{op}-mask", _more_lanes_than_columns),
    )),
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("row-stride-missing", formula(_shifted_window)),
    ("row-stride-missing", formula(_shifted_stores)),
    ("row-zero-only", _row_zero(slice(None))),
    ("row-zero-only", both(detectors.shared, _row_zero(slice(1)))),
    ("stored-in-row-zero", both(detectors.shared, _later_rows_left)),
    ("rows-missing", both(detectors.unshared, _later_rows_left)),
    ("tail-missing", detectors.tail_is_nan),
)  # fmt: skip


def _pad_won(test):
    """Every wrong result is one and the same number, larger than what is right: the masked lanes' own."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        got, want = detectors.output(case, evidence), case.facts["want"]
        if not detectors.ragged(case, evidence, answer) or got is None or got.shape != want.shape:
            return False
        pads = got[got != want].unique()
        return len(pads) == 1 and bool((pads > want[got != want]).all()) and test(pads.item())

    return detect


MAXIMUM = (
    ("output-spaced-like-rows", outside("store", row_begins(lambda f: f["x_stride"]))),
    ("block-for-number", outside("store", lambda where, facts: (where["of"] or 0) > 1)),
    # Before what is read from the text: torch.finfo(...).min is refused for its value, and not for its origin.
    ("no-pad", both(written(load_without_other), _pad_won(lambda pad: pad == torch.inf))),
    ("pad-zero-wins", _pad_won(lambda pad: pad == 0)),
    ("pad-finite", _pad_won(lambda pad: pad < 0)),
    ("pad-wins", _pad_won(lambda pad: pad > 0)),
    *ROWS,
)


@Detector
def _overwritten(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Several programs stored the same element, and the numbers are wrong."""
    got = detectors.output(case, evidence)
    return got is not None and detectors.shared(case, evidence, answer) and not torch.equal(got, case.facts["want"])


@Detector
def _not_doubled(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return compare.alike(detectors.output(case, evidence), case.facts["x"])


REPAIR = (
    *ROWS,
    ("unchanged", _not_doubled),
    ("mask-one-too-far", both(detectors.shared, _first_column_lost)),
    ("neighbour-overwritten", _overwritten),
)
