"""Mistakes of programs that walk from row to row: rows that are taken twice or never, and values that live on.

The facts of a case hold x, block, x_stride, y_stride, and programs: P programs, of which program p takes the rows p,
p + P, p + 2P and so on.
"""

from __future__ import annotations

import ast

import torch

from ...reference.softmax_function import unequal
from ...spec import Detector
from .. import detectors
from ..detectors import both, fault, formula, looks, written
from ..kernels import KERNEL
from ..mistake import Mistake
from ..mutant import Mutant
from .tiles import ADDRESSES, only_first_rows

MISTAKES = [
    Mistake(
        "shares-unequal",
        "The numbers are right, but one program has more rows than an equal share, and the others wait for it.",
        "How many rows are left for the last program when the shares of the others are rounded down?",
    ),
    Mistake(
        "row-of-the-program",
        "The loop goes on to the next row, but an address stays at the first row of the program.",
        "Which variable changes in each step, and which addresses use it?",
        Mutant("10.2", "row * x_row_stride", "tl.program_id(0) * x_row_stride"),
    ),
    Mistake(
        "programs-share-rows",
        "Some rows belong to several programs, and other rows belong to none.",
        "Which row should program 1 begin with?",
    ),
    Mistake(
        "last-rows-missing",
        "The rows were divided and rounded down, so the last few rows have no program.",
        "How many rows would each program take if 5 rows were shared by 3 programs?",
    ),
    Mistake(
        "stored-after-the-loop",
        "Each program loaded all of its rows, and stored only the last of them.",
        "Which lines must run for every row, and which of them are after the loop?",
    ),
    Mistake(
        "mask-moves-with-the-row",
        "The mask has fewer lanes in each row, because the number of the row was added to the number of the column.",
        "Which columns does row 1 have, and does that depend on the row?",
        Mutant("10.2", "mask=mask", "mask=row + cols < n_cols", 2),
        Mutant("10.2", "mask=mask", "mask=row * x_row_stride + cols < n_cols", 2, replayed=False),
    ),
    Mistake(
        "rows-left-out",
        "Some rows were stored by no program.",
        "Which row does each program take next, where does each of them stop, and which rows does it store?",
    ),
    Mistake(
        "carried-to-the-next-row",
        "The maximum or the sum of one row was also used in the next row of the program.",
        "What should each variable of the loop hold when a new row begins?",
    ),
]


def _rows_left(test) -> Detector:
    """Matches an output with test(left, programs): left has for each row (M) whether it is still NaN."""
    return looks(lambda like_x, case: bool(test(like_x.isnan().all(1), case.facts["programs"])))


def _last_rows(left: torch.Tensor, programs: int) -> bool:
    """The last M % P rows are still NaN: each program took M // P rows."""
    return bool(left.any()) and torch.equal(left, torch.arange(len(left)) >= len(left) // programs * programs)


def _early_rows(left: torch.Tensor, programs: int) -> bool:
    """All rows but the last of each program are still NaN."""
    early = torch.arange(len(left)) + programs < len(left)
    return bool(early.any()) and torch.equal(left, early)


# Just the rows 0, P, 2P and so on were stored: every program took them.
_first_program_everywhere = _rows_left(
    lambda left, programs: programs > 1 and torch.equal(left, torch.arange(len(left)) % programs > 0)
)
_some_left = _rows_left(lambda left, programs: left.any() and not left.all())
_fewer_stored = looks(lambda written, x: written < x.numel())
_as_many_stored = looks(lambda written, x: written == x.numel())
_all_loaded = looks(lambda read, x: read == x.numel())


def _row_in_a_comparison(tree: ast.AST) -> bool:
    """Recognises a comparison with the counter of a loop on its left, as such or as a part of another value."""
    of_the_row = {name.id for loop in ast.walk(tree) if isinstance(loop, ast.For) for name in _names(loop.target)}
    values = [node for node in ast.walk(tree) if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign))]
    for _ in values:
        for each in values:
            if each.value is not None and of_the_row & {name.id for name in _names(each.value)}:
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                of_the_row |= {name.id for target in targets for name in _names(target)}
    compared = (node.left for node in ast.walk(tree) if isinstance(node, ast.Compare))
    return any(of_the_row & {name.id for name in _names(left)} for left in compared)


def _names(tree: ast.AST) -> list[ast.Name]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Name)]


def _end_of_overlapping_shares(facts: dict) -> int:
    """The end of the last share of ⌈M / P⌉ rows, where each share begins one row after the one before it."""
    return facts["programs"] - 1 + -(-len(facts["x"]) // facts["programs"])


def _carried(keep_max: bool, keep_sum: bool, rescale: bool = False) -> Detector:
    """Matches maximum or sum, or both, carried from each row of a program to its next row, in float32.

    rescale: the carried sum is rescaled to the new maximum.
    """

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
    ("shares-unequal", fault(lambda case, evidence: unequal(evidence, len(case.facts["x"]), case.facts["programs"]))),
    ("row-of-the-program", both(detectors.unshared, _as_many_stored, only_first_rows(lambda f: f["programs"]))),
    ("one-row-each", both(detectors.unshared, only_first_rows(lambda f: f["programs"]))),
    ("programs-share-rows", both(detectors.shared, _first_program_everywhere)),
    ("last-rows-missing", both(detectors.unshared, _rows_left(_last_rows))),
    ("stored-in-row-zero", both(detectors.shared, only_first_rows(lambda f: 1))),
    ("carried-to-the-next-row", _carried(keep_max=True, keep_sum=False)),
    ("carried-to-the-next-row", _carried(keep_max=False, keep_sum=True)),
    ("carried-to-the-next-row", _carried(keep_max=True, keep_sum=True)),
    ("carried-to-the-next-row", _carried(keep_max=True, keep_sum=True, rescale=True)),
    ("stored-after-the-loop", both(_all_loaded, _rows_left(_early_rows))),
    ("mask-moves-with-the-row", both(written(_row_in_a_comparison), detectors.unshared, only_first_rows(lambda f: 1))),
    ("tiles-overlap", both(detectors.shared, only_first_rows(_end_of_overlapping_shares))),
    (
        "rows-left-out",
        both(detectors.unshared, _fewer_stored, _some_left),
    ),
)
