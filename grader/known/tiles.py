"""The mistakes of kernels that give a program several rows: a tile of rows at once, or a walk from row to row.

A case's facts hold x, block, x_stride, y_stride, and tile (rows at once) or programs (how many of them walk).
"""

from __future__ import annotations

from collections.abc import Iterable

import torch

from .. import detectors
from ..detectors import both, formula, outside
from ..exercise import Answer, Case, Detector, Evidence
from . import formulas


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


STRIDES = (
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


def _padded(tile: torch.Tensor, facts: dict) -> torch.Tensor:
    """A tile as a kernel sees it, with -inf in the masked lanes."""
    missing = (0, facts["block"] - tile.shape[1], 0, facts["tile"] - len(tile))
    return torch.nn.functional.pad(tile.float(), missing, value=-torch.inf)


def _by_tile(compute) -> Detector:
    """A formula of one padded tile at a time."""

    def whole(x, facts):
        try:
            parts = [compute(_padded(t, facts))[: len(t), : x.shape[1]] for t in x.split(facts["tile"])]
            return torch.cat(parts)
        except RuntimeError:  # shapes that do not line up: the answer had no numbers either
            return x[:0]

    return formula(whole)


def _reduced(max_axis: int, sum_axis: int) -> Detector:
    """Maximum and sum along these axes of the tile, each lined up with what it belongs to."""

    def compute(tile):
        e = torch.exp(tile - tile.amax(max_axis, keepdim=True))
        return e / e.sum(sum_axis, keepdim=True)

    return _by_tile(compute)


def _lined_up(top: bool, total: bool) -> Detector:
    """Row maxima or row sums lined up with the columns: silent where a tile is as high as it is wide."""

    def compute(tile):
        e = torch.exp(tile - tile.amax(1, keepdim=not top))
        return e / e.sum(1, keepdim=not total)

    return _by_tile(compute)


def _shapes_clash(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Two blocks of the kernel have shapes that do not line up, or one was stored into another's places."""
    message = (evidence.error or {}).get("message", "")
    return "incompatible dimensions" in message or "could not be broadcast" in message


def _swapped(where: dict, facts: dict) -> bool:
    """Lane c of row r was looked for at c·stride + r."""
    if where["row"] is None:
        return False
    row, *_ = _rows_of(where, facts)
    away = where["row"] * _stride(where, facts) + where["column"] - where["begins"]
    return where["begins"] == row and away > 0 and away % _stride(where, facts) == 0


def _transposed(stores: bool) -> Detector:
    """Element c·stride + r read as column c of row r; with stores, written there as well."""

    def compute(x, facts):
        (m, n), flat = x.shape, x.contiguous().reshape(-1)
        places = torch.arange(m)[:, None] + n * torch.arange(n)[None, :]
        if facts["x_stride"] != n or places.max() >= m * n:
            return x[:0]
        y = torch.softmax(flat[places].double(), 1)
        if stores:
            wrong = torch.full((m * n,), torch.nan, dtype=torch.float64)
            wrong[places] = y
            return wrong.reshape(m, n)
        return y

    return formula(compute)


def _only_first_rows(rows) -> Detector:
    """The first `rows(facts)` rows hold numbers, and the others were left as they were."""

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        got = detectors.output(case, evidence)
        if got is None or got.dim() != 2 or not 0 < (kept := rows(case.facts)) < len(got):
            return False
        return bool(got[kept:].isnan().all() and not got[:kept].isnan().any())

    return detect


def _of_overlapping_tiles(facts: dict) -> int:
    """Where the last tile ends when each begins one row after the one before it."""
    return -(-len(facts["x"]) // facts["tile"]) - 1 + facts["tile"]


TILE = (
    ("lined-up-with-columns", _shapes_clash),
    *_either("tile-roles-swapped", _swapped),
    *STRIDES,
    ("wrong-axis", _reduced(0, 0)),
    ("wrong-axis", _reduced(0, 1)),
    ("wrong-axis", _reduced(1, 0)),
    ("lined-up-with-columns", _lined_up(top=True, total=True)),
    ("lined-up-with-columns", _lined_up(top=True, total=False)),
    ("lined-up-with-columns", _lined_up(top=False, total=True)),
    ("tile-roles-swapped", _transposed(stores=False)),
    ("tile-roles-swapped", _transposed(stores=True)),
    ("first-tile-only", both(detectors.shared, _only_first_rows(lambda f: f["tile"]))),
    ("tiles-overlap", both(detectors.shared, _only_first_rows(_of_overlapping_tiles))),
    ("rows-missing", both(detectors.unshared, detectors.tail_rows_nan)),
)


def _rows_left(case: Case, evidence: Evidence) -> torch.Tensor | None:
    """Which rows were left as they were, None without an output."""
    got = detectors.output(case, evidence)
    return got.isnan().all(dim=1) if got is not None and got.dim() == 2 else None


def _same_rows(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Every program took rows 0, P, 2P and so on."""
    left, programs = _rows_left(case, evidence), case.facts["programs"]
    return left is not None and programs > 1 and torch.equal(left, torch.arange(len(left)) % programs > 0)


def _shares_cut(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Each program has M // P rows, and the last M % P rows have no program."""
    left, programs = _rows_left(case, evidence), case.facts["programs"]
    return left is not None and torch.equal(left, torch.arange(len(left)) >= len(left) // programs * programs)


WALK = (
    *STRIDES,
    ("one-row-each", both(detectors.unshared, _only_first_rows(lambda f: f["programs"]))),
    ("programs-share-rows", both(detectors.shared, _same_rows)),
    ("last-rows-missing", both(detectors.unshared, _shares_cut)),
    ("row-zero-only", both(detectors.shared, formula(formulas.first_row_everywhere))),
    ("stored-in-row-zero", both(detectors.shared, detectors.tail_rows_nan)),
    ("rows-missing", both(detectors.unshared, detectors.tail_rows_nan)),
)
