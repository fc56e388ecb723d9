"""Mistakes of a kernel with a tile of rows for each program: addresses, masks, axes, and the rows that are stored.

The facts of a case hold x, block (lanes across), x_stride, y_stride (elements between two rows of the input and of the
output), and tile (rows of a tile) or, for the addresses alone, programs (the number of programs that walk over rows).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from ...checks import syntax
from ...spec import Detector
from .. import detectors
from ..detectors import both, formula, looks, outside, shapes_clash, written, written_like
from ..kernels import KERNEL
from ..mistake import Mistake
from ..mutant import Mutant, also
from . import formulas
from .rows import row_stride

_STORED_SWAPPED = also("* y_row_stride + cols[None, :]", "+ cols[None, :] * y_row_stride")
_SUM_OF_THE_TILE = also("denominator[:, None]", "tl.sum(denominator, axis=0)")

MISTAKES = [
    Mistake(
        "lined-up-with-columns",
        "Two blocks do not line up: the rows of one meet the columns of the other.",
        "Which shapes do the two blocks have, and which shape should each of them have?",
    ),
    Mistake(
        "column-numbers-stood-up",
        "A reduction gave one number for each column, and they were used as one number for each row.",
        "Which axis did the reduction take away, and which one is left?",
    ),
    Mistake(
        "tile-roles-swapped",
        "Rows and columns have changed places, in an address or in a mask.",
        "Which of your two index blocks counts rows, and which stride and which limit belong to it?",
        Mutant("10.1", "* x_row_stride + cols[None, :]", "+ cols[None, :] * x_row_stride"),
        Mutant("10.1", "* y_row_stride + cols[None, :]", "+ cols[None, :] * y_row_stride"),
        Mutant("10.1", "* x_row_stride + cols[None, :]", "+ cols[None, :] * x_row_stride", then=_STORED_SWAPPED),
        Mutant("10.1", "rows < n_rows", "rows < n_cols", then=also("cols < n_cols", "cols < n_rows")),
    ),
    Mistake(
        "whole-tile-reduced",
        "The reduction was over the whole tile, so all rows got the same number.",
        "How many maxima does a tile have, and how many sums?",
        Mutant("10.1", "denominator[:, None]", "tl.sum(denominator, axis=0)"),
        Mutant("10.1", "row_max[:, None]", "tl.max(row_max, axis=0)"),
        Mutant("10.1", "row_max[:, None]", "tl.max(row_max, axis=0)", then=_SUM_OF_THE_TILE),
        Mutant("13.3", "tl.sum(p, axis=1)", "tl.sum(p)"),
        Mutant("15.3", "tl.max(x, axis=1)[:, None]", "tl.max(x)", replayed=False),
    ),
    Mistake(
        "rows-past-the-end",
        "The access goes on past the last row.",
        "Which rows belong to the program named above, and which part of its address, its mask or its loop "
        "depends on that?",
    ),
    Mistake(
        "columns-past-the-end",
        "The access has a mask, but goes past the last column nevertheless.",
        "Which of the matrix's two edges does your mask know?",
    ),
    Mistake(
        "columns-a-stride-apart",
        "The addresses of neighbours in a row are one row stride apart.",
        "How far apart in memory are two neighbours in a row, and how far two neighbours in a column?",
    ),
    Mistake(
        "mask-or",
        "The mask is true for lanes that have a row but no column, or a column but no row.",
        "Which of your two conditions must hold for an element to exist: one of them, or both?",
    ),
    Mistake(
        "tiles-apart",
        "A program begins past the end of the tile before it, so the rows in between have no program.",
        "At which row does program 1 begin, and how many rows does program 0 have?",
        Mutant("10.1", "tl.program_id(0) * ROWS", "tl.program_id(0) * BLOCK"),
    ),
    Mistake(
        "first-tile-only",
        "Every program loads or stores the first tile of rows.",
        "Which row does the tile of program 1 begin with?",
        Mutant("10.1", "x_ptr + rows[:, None]", "x_ptr + tl.arange(0, ROWS)[:, None]"),
        Mutant("10.1", "tl.program_id(0) * ROWS + ", ""),
        Mutant("15.3", "tl.program_id(0) * ROWS + ", "", replayed=False),
    ),
    Mistake(
        "tiles-overlap",
        "Each program begins one row after the one before it, but has several rows.",
        "How many rows do the programs before this one take care of?",
    ),
    Mistake(
        "one-row-each",
        "Each program stored one row, and no other one.",
        "When there are fewer programs than rows, which program does the other rows?",
    ),
]

# ---- addresses


def _intended_rows(where: dict, facts: dict) -> Iterable[int]:
    """The rows that this line of the block may be meant for: one row in a tile, each P-th row in a walk."""
    program = where["program"][0]
    if "tile" in facts:
        return (program * facts["tile"] + (where["line"] or 0),)
    return range(program, len(facts["x"]), facts["programs"])


def _row_begins(width):
    """A test for `outside`: a line of the block begins at element r · width(facts) for its row r > 0.

    The test fails where width(facts) is the right stride by chance, or where one of these rows begins.
    """

    def test(where: dict, facts: dict) -> bool:
        wrong, right, rows = width(facts), row_stride(where, facts), _intended_rows(where, facts)
        if wrong == right or where["begins"] in [r * right for r in rows]:
            return False
        return any(r > 0 and where["begins"] == r * wrong for r in rows)

    return test


def _behind_the_rows(where: dict, facts: dict) -> bool:
    """For `outside`: the lane is behind the last row."""
    return (where.get("row") or 0) >= len(facts["x"])


def _behind_the_columns(where: dict, facts: dict) -> bool:
    """For `outside`: the lane is behind the last column, and other lanes are inside."""
    return where["lanes"] < where["of"] and where["column"] >= facts["x"].shape[1]


def _first_column_behind(where: dict, facts: dict) -> bool:
    """For `outside`: the lane is one column behind the last one."""
    return _behind_the_columns(where, facts) and where["column"] == facts["x"].shape[1]


def _columns_a_stride_apart(where: dict, facts: dict) -> bool:
    """For `outside`: the column is a multiple of the row stride."""
    return _behind_the_columns(where, facts) and where["column"] % row_stride(where, facts) == 0


def _row_and_column_swapped(where: dict, facts: dict) -> bool:
    """For `outside`: lane c of row r is at element c · stride + r."""
    if where["row"] is None:
        return False
    row, *_ = _intended_rows(where, facts)
    away = where["row"] * row_stride(where, facts) + where["column"] - where["begins"]
    return where["begins"] == row and away > 0 and away % row_stride(where, facts) == 0


# The beginnings of rows, in a tile or in a walk from row to row.
ADDRESSES = (
    ("stride-in-bytes", outside("load", _row_begins(lambda f: 4 * f["x_stride"]))),
    ("stride-in-bytes", outside("store", _row_begins(lambda f: 4 * f["y_stride"]))),
    ("wrong-row-stride", outside("load", _row_begins(lambda f: f["y_stride"]))),
    ("wrong-row-stride", outside("store", _row_begins(lambda f: f["x_stride"]))),
    ("rows-assumed-adjacent", outside("any", _row_begins(lambda f: f["x"].shape[1]))),
    ("block-for-stride", outside("any", _row_begins(lambda f: f["block"]))),
    ("rows-past-the-end", outside("any", _behind_the_rows)),
    ("no-load-mask", both(detectors.unmasked("load"), outside("load", _behind_the_columns))),
    ("no-store-mask", both(detectors.unmasked("store"), outside("store", _behind_the_columns))),
    ("row-stride-missing", formula(formulas.one_apart)),  # a mutant has its own order of rows
)


# ---- masks


def _all_masked(op: str, arguments: int) -> Detector:
    """Matches when every call of tl.<op> has a mask: by name, or as the argument after `arguments` others."""

    def test(tree: ast.AST) -> bool:
        return all(len(c.args) > arguments or any(k.arg == "mask" for k in c.keywords) for c in syntax.calls(tree, op))

    return written(test)


@looks
def _some_rows_are_nan(got) -> bool:
    """Some rows hold nothing but NaN. A masked lane without a value may hold anything, so other rows may be right."""
    return got.dim() == 2 and bool(got.isnan().all(dim=1).any())


# ---- axes


@looks
def _not_in_a_mask(error) -> bool:
    """The line of the error compares nothing."""
    return "<" not in (error or {"line": ""})["line"]


@looks
def _not_in_a_store(error) -> bool:
    """The error is not in the line of a store, whose block and addresses may both be tiles."""
    return "store(" not in (error or {}).get("line", "")


_along_axis_zero = written_like("_.max(..., axis=0)", "_.sum(..., axis=0)", "_.max(_, 0, ...)", "_.sum(_, 0, ...)")


# ---- the rows of a program


def only_first_rows(rows) -> Detector:
    """Matches when the first rows(facts) rows hold numbers, and all later rows are still NaN."""

    @looks
    def detect(got, case) -> bool:
        if got.dim() != 2 or not 0 < (kept := rows(case.facts)) < len(got):
            return False
        return bool(got[kept:].isnan().all() and not got[:kept].isnan().any())

    return detect


def _programs(facts: dict) -> int:
    """The number of programs, one for each tile."""
    return -(-len(facts["x"]) // facts["tile"])


def _end_of_overlapping_tiles(facts: dict) -> int:
    """The end of the last tile, where each tile begins one row after the one before it."""
    return _programs(facts) - 1 + facts["tile"]


TILE = (
    *KERNEL,
    ("mask-or", both(written(syntax.masks_joined_by_or), outside("any"))),
    ("tile-roles-swapped", outside("any", _row_and_column_swapped)),
    ("columns-past-the-end", both(_all_masked("load", 1), outside("load", _first_column_behind))),
    ("columns-past-the-end", both(_all_masked("store", 2), outside("store", _first_column_behind))),
    ("columns-a-stride-apart", outside("any", _columns_a_stride_apart)),
    *ADDRESSES,
    ("column-numbers-stood-up", both(shapes_clash, _not_in_a_mask, _along_axis_zero)),
    ("lined-up-with-columns", both(shapes_clash, _not_in_a_store)),
    ("no-pad", detectors.no_pad(_some_rows_are_nan)),
    ("first-tile-only", both(detectors.shared, only_first_rows(lambda f: f["tile"]))),
    ("tiles-overlap", both(detectors.shared, only_first_rows(_end_of_overlapping_tiles))),
    ("one-row-each", replace(both(detectors.unshared, only_first_rows(_programs)), share=0.5)),
    ("rows-missing", both(detectors.unshared, detectors.tail_rows_nan)),
)
