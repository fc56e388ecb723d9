"""Mistakes of a kernel with one program per row: the place where a row begins, and the rows that are stored.

The facts of a case hold x, block, x_stride and y_stride (elements between two rows of the input and of the output).
"""

from __future__ import annotations

from dataclasses import replace

from ...checks import syntax
from ...spec import Detector
from .. import detectors
from ..detectors import both, formula, outside, written
from ..mistake import Mistake
from ..mutant import Mutant, several
from . import formulas

MISTAKES = [
    Mistake(
        "wrong-row-stride",
        "A row stride was used for a tensor that has another one: tensors may have different row strides.",
        "Which tensor does each of the strides belong to, and which tensor does this address point into?",
        Mutant("5.1 7.1 7.3 8.3 10.2", "row * y_row_stride", "row * x_row_stride"),
        Mutant("8.3", "row * x_row_stride", "row * y_row_stride", 2),
        Mutant("16.2", "row * dx_row_stride", "row * x_row_stride"),
        Mutant("16.2", "row * x_row_stride", "row * dx_row_stride"),
        Mutant("5.1 7.1 7.3 10.2", "row * x_row_stride", "row * y_row_stride"),
    ),
    Mistake(
        "same-row-read",
        "All programs read the same row.",
        "Which part of the address of a load differs from one program to the next?",
        Mutant("8.3 8.4", "row * x_row_stride + cols", "cols", 2),
        Mutant("5.1 5.2 10.2 16.1 16.2", "x_ptr + row * x_row_stride + cols", "x_ptr + cols"),
        Mutant("10.2", "row * x_row_stride", "x_row_stride"),
        Mutant("16.1 16.2", "x_ptr + row * x_row_stride + cols", "x_ptr + x_row_stride + cols"),
        Mutant("3.2 3.3 3.4", "x_ptr + row * row_stride", "x_ptr"),
        several("10.1", "rows[:, None] * x_row_stride", "0 * rows[:, None]", "0 * rows[:, None] + x_row_stride"),
    ),
    Mistake(
        "row-plus-stride",
        "The number of the row and the row stride were added.",
        "Where does row 2 begin, if a row begins 10 elements after the one before it?",
        Mutant("10.2", "row * x_row_stride", "row + x_row_stride"),
        Mutant("10.1", "rows[:, None] * x_row_stride", "rows[:, None] + x_row_stride"),
    ),
]


def row_stride(where: dict, facts: dict) -> int:
    """The row stride of the input for a load, that of the output for a store."""
    return facts["x_stride"] if where["op"] == "load" else facts["y_stride"]


def row_begins(width):
    """A test for `outside`: program p began at element p · width(facts), and that access left the tensor.

    The test fails where width(facts) is the right stride by chance: the row stride of the input for a load, that of the
    output for a store.
    """

    def test(where: dict, facts: dict) -> bool:
        program, wrong = where["program"][0], width(facts)
        stride = row_stride(where, facts)
        return program > 0 and wrong != stride and where["first"] == program * wrong

    return test


def _row_plus_stride(where: dict, facts: dict) -> bool:
    """For `outside`: program p > 1 began at element p + row stride. So does program 1 if its row begins one late."""
    return where["program"][0] > 1 and where["first"] == where["program"][0] + row_stride(where, facts)


def rows_apart(width) -> Detector:
    """Matches rows that begin width(facts) elements apart, in a load or in a store."""
    return replace(outside("any", row_begins(width)), share=0.4)


ROW_SQUARED = ("row-squared", both(written(syntax.squares_a_row), outside("any")))

ROW_PLACES = (
    # In most cases: a block or a row may have 4 elements as well.
    ("stride-in-bytes", replace(outside("load", row_begins(lambda f: 4 * f["x_stride"])), share=0.6)),
    ("stride-in-bytes", replace(outside("store", row_begins(lambda f: 4 * f["y_stride"])), share=0.6)),
    ("wrong-row-stride", outside("load", row_begins(lambda f: f["y_stride"]))),
    ("wrong-row-stride", outside("store", row_begins(lambda f: f["x_stride"]))),
    ("rows-assumed-adjacent", rows_apart(lambda f: f["x"].shape[1])),
    ("block-for-stride", rows_apart(lambda f: f["block"])),
    ROW_SQUARED,
    ("row-added-twice", outside("load", row_begins(lambda f: 2 * f["x_stride"]))),
    ("row-added-twice", outside("store", row_begins(lambda f: 2 * f["y_stride"]))),
    ("row-plus-stride", formula(formulas.from_elements_on(lambda row, stride: row + stride))),
    ("row-plus-stride", outside("any", _row_plus_stride)),
    *(("same-row-read", both(detectors.unshared, formula(formulas.same_row(which)))) for which in (0, 1)),
    ("rows-missing", both(detectors.unshared, detectors.tail_rows_nan)),
)

ROW_KERNEL = (
    ("row-stride-missing", formula(formulas.shifted_window)),
    ("row-stride-missing", formula(formulas.shifted_stores)),
    ("row-stride-missing", formula(formulas.one_apart)),
    ("row-zero-only", both(detectors.shared, formula(formulas.first_row_everywhere))),
    ("stored-in-row-zero", both(detectors.shared, detectors.only_first_row)),
    *ROW_PLACES,
)
