"""The mistakes of a kernel that gives a program a tile of rows, and those of any kernel with several rows a program.

A case's facts hold x, block, x_stride, y_stride, and tile (rows at once) or programs (how many of them walk).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

import torch

from ...checks import syntax
from ...checks.syntax import load_without_other
from ...spec import Answer, Case, Detector, Evidence
from .. import detectors
from ..detectors import both, formula, outside, written
from . import formulas
from .columns import KERNEL
from .tile_axes import AXES


def _rows_of(where: dict, facts: dict) -> Iterable[int]:
    """The rows that this line of the access may have been meant for."""
    program = where["program"][0]
    if "tile" in facts:
        return (program * facts["tile"] + (where["line"] or 0),)
    return range(program, len(facts["x"]), facts["programs"])


def _stride(where: dict, facts: dict) -> int:
    return facts["x_stride"] if where["op"] == "load" else facts["y_stride"]


def _row_begins(width):
    """A test for `outside`: row r was looked for r times `width(facts)` elements in, and that is not its place."""

    def test(where: dict, facts: dict) -> bool:
        wrong = width(facts)
        return wrong != _stride(where, facts) and any(
            r > 0 and where["begins"] == r * wrong for r in _rows_of(where, facts)
        )

    return test


def _either(mistake: str, test) -> list:
    return [(mistake, outside(op, test)) for op in ("load", "store")]


def _below(where: dict, facts: dict) -> bool:
    """Behind the last row."""
    return (where.get("row") or 0) >= len(facts["x"])


def _across(where: dict, facts: dict) -> bool:
    """Behind the last column, with other lanes of the access inside."""
    return where["lanes"] < where["of"] and where["column"] >= facts["x"].shape[1]


ADDRESSES = (
    ("stride-in-bytes", outside("load", _row_begins(lambda f: 4 * f["x_stride"]))),
    ("stride-in-bytes", outside("store", _row_begins(lambda f: 4 * f["y_stride"]))),
    ("wrong-row-stride", outside("load", _row_begins(lambda f: f["y_stride"]))),
    ("wrong-row-stride", outside("store", _row_begins(lambda f: f["x_stride"]))),
    *_either("rows-assumed-adjacent", _row_begins(lambda f: f["x"].shape[1])),
    *_either("block-for-stride", _row_begins(lambda f: f["block"])),
    *_either("rows-past-the-end", _below),
    ("no-load-mask", outside("load", _across)),
    ("no-store-mask", outside("store", _across)),
    ("row-stride-missing", formula(formulas.shifted_window)),
    ("row-stride-missing", formula(formulas.shifted_stores)),
)


def row_again(count) -> Detector:
    """Row r is the softmax of row r modulo count(facts): the load does not move on."""

    def compute(x, facts):
        return torch.softmax(x[torch.arange(len(x)) % count(facts)].double(), 1)

    return formula(compute)


def _swapped(where: dict, facts: dict) -> bool:
    """Lane c of row r was looked for at c·stride + r."""
    if where["row"] is None:
        return False
    row, *_ = _rows_of(where, facts)
    away = where["row"] * _stride(where, facts) + where["column"] - where["begins"]
    return where["begins"] == row and away > 0 and away % _stride(where, facts) == 0


def _transposed(loads: bool, stores: bool) -> Detector:
    """Column c of row r read from element c·stride + r, or written there, or both."""

    def compute(x, facts):
        (m, n), flat = x.shape, x.contiguous().reshape(-1)
        places = torch.arange(m)[:, None] + n * torch.arange(n)[None, :]
        if {facts["x_stride"], facts["y_stride"]} != {n} or places.max() >= m * n:
            return x[:0]
        y = torch.softmax((flat[places] if loads else x).double(), 1)
        if stores:
            whole = torch.full((m * n,), torch.nan, dtype=torch.float64)
            whole[places] = y
            return whole.reshape(m, n)
        return y

    return formula(compute)


@Detector
def _mask_transposed(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Just those elements were stored that would be inside if the matrix had its shape the other way round."""
    x, got = case.facts["x"], detectors.output(case, evidence)
    if got is None or got.shape != x.shape:
        return False
    (m, n), left = x.shape, got.isnan()
    return bool(left.any()) and torch.equal(left, (torch.arange(m) >= n)[:, None] | (torch.arange(n) >= m)[None, :])


@Detector
def _wrong_rows_are_nan(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Some rows came out as NaN. What a masked lane holds is chance, so it need not be all of them."""
    got = detectors.output(case, evidence)
    return got is not None and got.dim() == 2 and bool(got.isnan().all(dim=1).any())


def only_first_rows(rows) -> Detector:
    """The first `rows(facts)` rows hold numbers, and the others were left as they were."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        got = detectors.output(case, evidence)
        if got is None or got.dim() != 2 or not 0 < (kept := rows(case.facts)) < len(got):
            return False
        return bool(got[kept:].isnan().all() and not got[:kept].isnan().any())

    return detect


def _of_overlapping_tiles(facts: dict) -> int:
    """Where the last tile ends when each begins one row after the one before it."""
    return -(-len(facts["x"]) // facts["tile"]) - 1 + facts["tile"]


def _rows_times(name: str):
    """Whether the tile's first row is a number times `name`, as it is written."""
    return lambda tree: f"* {name} + tl.arange(0, ROWS)" in ast.unparse(tree)


def _rows_begin(apart) -> Detector:
    """Program p stored the rows from p times `apart(facts)` on, as many as a tile has, and some were left out."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        got, tile, step = detectors.output(case, evidence), case.facts["tile"], apart(case.facts)
        if got is None or got.dim() != 2 or step <= tile:
            return False
        left = torch.arange(len(got)) % step >= tile
        return bool(left.any()) and torch.equal(got.isnan().all(dim=1), left)

    return detect


def _column_behind(where: dict, facts: dict) -> bool:
    """The first column that does not exist."""
    return _across(where, facts) and where["column"] == facts["x"].shape[1]


def _columns_a_stride_apart(where: dict, facts: dict) -> bool:
    """A column was looked for that lies whole row strides behind the row's beginning."""
    return _across(where, facts) and where["column"] % _stride(where, facts) == 0


def _masked(op: str, arguments: int) -> Detector:
    """Every call of tl.<op> has a mask, by name or in its place."""

    def test(tree) -> bool:
        return all(len(c.args) > arguments or any(k.arg == "mask" for k in c.keywords) for c in syntax.calls(tree, op))

    return written(test)


TILE = (
    *KERNEL,
    ("mask-or", both(written(syntax.masks_joined_by_or), outside("load"))),
    ("mask-or", both(written(syntax.masks_joined_by_or), outside("store"))),
    *_either("tile-roles-swapped", _swapped),
    ("columns-past-the-end", both(_masked("load", 1), outside("load", _column_behind))),
    ("columns-past-the-end", both(_masked("store", 2), outside("store", _column_behind))),
    *_either("columns-a-stride-apart", _columns_a_stride_apart),
    *ADDRESSES,
    *AXES,
    ("tile-roles-swapped", _transposed(loads=True, stores=False)),
    ("tile-roles-swapped", _transposed(loads=False, stores=True)),
    ("tile-roles-swapped", _transposed(loads=True, stores=True)),
    ("tile-roles-swapped", both(detectors.unshared, _mask_transposed)),
    ("no-pad", both(written(load_without_other), _wrong_rows_are_nan)),
    ("first-tile-only", row_again(lambda f: f["tile"])),
    ("first-tile-only", both(detectors.shared, only_first_rows(lambda f: f["tile"]))),
    ("tiles-overlap", both(detectors.shared, only_first_rows(_of_overlapping_tiles))),
    ("tiles-apart", both(written(_rows_times("BLOCK")), _rows_begin(lambda f: f["block"]))),
    ("tiles-apart", both(written(_rows_times("n_rows")), _rows_begin(lambda f: len(f["x"])))),
    ("one-row-each", both(detectors.unshared, only_first_rows(lambda f: -(-len(f["x"]) // f["tile"])))),
    ("rows-missing", both(detectors.unshared, detectors.tail_rows_nan)),
)
