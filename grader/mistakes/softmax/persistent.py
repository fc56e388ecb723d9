"""The mistakes of programs that walk from row to row: which rows they take, and which rows they take twice or never.

A case's facts hold x, block, x_stride, y_stride, and programs (how many of them walk).
"""

from __future__ import annotations

import torch

from ...spec import Answer, Case, Detector, Evidence
from .. import detectors
from ..detectors import both, formula
from . import formulas
from .columns import KERNEL
from .tiles import ADDRESSES, only_first_rows, row_again


def _rows_left(case: Case, evidence: Evidence) -> torch.Tensor | None:
    """Which rows were left as they were, None without an output."""
    got = detectors.output(case, evidence)
    return got.isnan().all(dim=1) if got is not None and got.dim() == 2 else None


@Detector
def _same_rows(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Every program took rows 0, P, 2P and so on."""
    left, programs = _rows_left(case, evidence), case.facts["programs"]
    return left is not None and programs > 1 and torch.equal(left, torch.arange(len(left)) % programs > 0)


@Detector
def _shares_cut(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Each program has M // P rows, and the last M % P rows have no program."""
    left, programs = _rows_left(case, evidence), case.facts["programs"]
    return left is not None and torch.equal(left, torch.arange(len(left)) >= len(left) // programs * programs)


@Detector
def _some_rows_left(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Some rows were left as they were, and others hold numbers."""
    left = _rows_left(case, evidence)
    return left is not None and bool(left.any() and not left.all())


@Detector
def _first_row_of_each(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The first P rows hold numbers, and as many elements were stored as all rows have."""
    stays = only_first_rows(lambda f: f["programs"])
    return evidence.written == case.facts["x"].numel() and stays(case, evidence, answer)


@Detector
def _last_row_of_each(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Every element was loaded, and of the rows of each program only the last one was stored."""
    left, x = _rows_left(case, evidence), case.facts["x"]
    early = torch.arange(len(x)) + case.facts["programs"] < len(x)
    return left is not None and evidence.read == x.numel() and bool(early.any()) and torch.equal(left, early)


def _mask_moves(step):
    """In row r the last r times `step(facts)` columns are switched off."""

    def compute(x, facts):
        (m, n), y = x.shape, torch.full(x.shape, torch.nan, dtype=torch.float64)
        for r in range(m):
            kept = max(n - r * step(facts), 0)
            y[r, :kept] = torch.softmax(x[r, :kept].double(), 0)
        return y

    return compute


def _of_overlapping_shares(facts: dict) -> int:
    """Where the last share ends when each begins one row after the one before it."""
    return facts["programs"] - 1 + -(-len(facts["x"]) // facts["programs"])


def _shifted_walk(x, facts):
    """Rows read and stored from element r on, in the order in which the programs come to them."""
    (m, n), flat, programs = x.shape, x.contiguous().reshape(-1), facts["programs"]
    whole = torch.full((m * n,), torch.nan, dtype=torch.float64)
    for r in [r for p in range(programs) for r in range(p, m, programs)]:
        whole[r : r + n] = torch.softmax(flat[r : r + n].double(), dim=0)[: m * n - r]
    return whole.reshape(m, n)


def _carried(keep_max: bool, keep_sum: bool, rescale: bool = False):
    """The maximum, or the sum, or both, go on from each row of a program to its next one."""

    def compute(x, facts):
        y = torch.empty(x.shape)
        for p in range(facts["programs"]):
            m, d = torch.tensor(-torch.inf), torch.tensor(0.0)
            for row in range(p, len(x), facts["programs"]):
                new = torch.maximum(m, x[row].max()) if keep_max else x[row].max()
                e = torch.exp(x[row] - new)
                d = (d * torch.exp(m - new) if rescale else d) + e.sum() if keep_sum else e.sum()
                m, y[row] = new, e / d
        return y

    return formula(compute)


PERSISTENT = (
    *KERNEL,
    *ADDRESSES,
    ("row-stride-missing", formula(_shifted_walk)),
    ("row-zero-only", row_again(lambda f: 1)),
    ("row-of-the-program", row_again(lambda f: f["programs"])),
    ("row-of-the-program", both(detectors.unshared, _first_row_of_each)),
    ("one-row-each", both(detectors.unshared, only_first_rows(lambda f: f["programs"]))),
    ("programs-share-rows", both(detectors.shared, _same_rows)),
    ("last-rows-missing", both(detectors.unshared, _shares_cut)),
    ("row-zero-only", both(detectors.shared, formula(formulas.first_row_everywhere))),
    ("stored-in-row-zero", both(detectors.shared, only_first_rows(lambda f: 1))),
    ("carried-to-the-next-row", _carried(keep_max=True, keep_sum=False)),
    ("carried-to-the-next-row", _carried(keep_max=False, keep_sum=True)),
    ("carried-to-the-next-row", _carried(keep_max=True, keep_sum=True)),
    ("carried-to-the-next-row", _carried(keep_max=True, keep_sum=True, rescale=True)),
    ("stored-after-the-loop", _last_row_of_each),
    ("mask-moves-with-the-row", both(detectors.unshared, formula(_mask_moves(lambda f: 1)))),
    ("mask-moves-with-the-row", both(detectors.unshared, formula(_mask_moves(lambda f: f["x_stride"])))),
    ("tiles-overlap", both(detectors.shared, only_first_rows(_of_overlapping_shares))),
    ("rows-left-out", both(detectors.unshared, _some_rows_left)),
)
