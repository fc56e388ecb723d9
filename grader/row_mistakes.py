"""The mistakes that a kernel over the rows of a matrix can meet: where a row begins, and which rows are done.

A case's facts hold x, block, x_stride and y_stride (elements between rows of the input and of the output).
"""

from __future__ import annotations

from . import detectors, formulas
from .detectors import both, formula, outside
from .exercise import Answer, Case, Evidence


def _row_begins(width):
    """An access that left its tensor because row r was looked for r times `width(facts)` elements in.

    Only where that number is not, by chance, one of the row strides.
    """

    def test(where: dict, facts: dict) -> bool:
        program, wrong = where["program"][0], width(facts)
        stride = facts["x_stride"] if where["op"] == "load" else facts["y_stride"]
        return program > 0 and wrong != stride and where["first"] == program * wrong

    return test


def _shared(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Several programs stored the same element."""
    return any(launch["shared"] for launch in evidence.launches)


def _unshared(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return not _shared(case, evidence, answer)


def _either(mistake: str, width) -> list:
    return [(mistake, outside(op, _row_begins(width))) for op in ("load", "store")]


ROW_KERNEL = (
    ("stride-in-bytes", outside("load", _row_begins(lambda f: 4 * f["x_stride"]))),
    ("stride-in-bytes", outside("store", _row_begins(lambda f: 4 * f["y_stride"]))),
    ("wrong-row-stride", outside("load", _row_begins(lambda f: f["y_stride"]))),
    ("wrong-row-stride", outside("store", _row_begins(lambda f: f["x_stride"]))),
    *_either("rows-assumed-adjacent", lambda f: f["x"].shape[1]),
    *_either("block-for-stride", lambda f: f["block"]),
    ("row-stride-missing", formula(formulas.shifted_window)),
    ("row-stride-missing", formula(formulas.shifted_stores)),
    ("row-zero-only", both(_shared, formula(formulas.first_row_everywhere))),
    ("stored-in-row-zero", both(_shared, detectors.tail_rows_nan)),
    ("rows-missing", both(_unshared, detectors.tail_rows_nan)),
)
