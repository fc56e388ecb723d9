"""The mistakes that a kernel over the rows of a matrix can meet: where a row begins, and which rows are done.

A case's facts hold x, block, x_stride and y_stride (elements between rows of the input and of the output).
"""

from __future__ import annotations

from .. import detectors
from ..detectors import both, formula, outside
from . import formulas


def row_begins(width, right=None):
    """A test for `outside`: row r was looked for r times `width(facts)` elements in, and that left the tensor.

    Only where that number is not, by chance, the row stride: `right(facts)`, or else the input's or the output's.
    """

    def test(where: dict, facts: dict) -> bool:
        program, wrong = where["program"][0], width(facts)
        stride = right(facts) if right else facts["x_stride"] if where["op"] == "load" else facts["y_stride"]
        return program > 0 and wrong != stride and where["first"] == program * wrong

    return test


def either(mistake: str, width) -> list:
    """The mistake of looking for row r so many elements in, when loading or when storing."""
    return [(mistake, outside(op, row_begins(width))) for op in ("load", "store")]


ROW_KERNEL = (
    ("stride-in-bytes", outside("load", row_begins(lambda f: 4 * f["x_stride"]))),
    ("stride-in-bytes", outside("store", row_begins(lambda f: 4 * f["y_stride"]))),
    ("wrong-row-stride", outside("load", row_begins(lambda f: f["y_stride"]))),
    ("wrong-row-stride", outside("store", row_begins(lambda f: f["x_stride"]))),
    *either("rows-assumed-adjacent", lambda f: f["x"].shape[1]),
    *either("block-for-stride", lambda f: f["block"]),
    ("row-stride-missing", formula(formulas.shifted_window)),
    ("row-stride-missing", formula(formulas.shifted_stores)),
    ("row-zero-only", both(detectors.shared, formula(formulas.first_row_everywhere))),
    ("stored-in-row-zero", both(detectors.shared, detectors.tail_rows_nan)),
    ("rows-missing", both(detectors.unshared, detectors.tail_rows_nan)),
)
