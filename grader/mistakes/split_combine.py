"""The mistakes that a kernel can meet which merges the states of the splits of a row, and stores its softmax."""

from __future__ import annotations

import ast

from ..checks import syntax
from ..reference import splits
from ..spec import Answer, Case, Detector, Evidence
from . import detectors, split_walks
from .detectors import both, formula, outside, written
from .softmax.columns import KERNEL, SOFTMAX_KERNEL
from .softmax.rows import ROW_KERNEL
from .split_kernels import ROWS, STATES, elsewhere, over_the_row, programs_swapped, read_while_stored, right, x_again
from .split_merges import MERGE, kept


def _state_without_other(tree) -> bool:
    """A load of states with masked lanes that get no value; the second walk over x needs none."""
    loads = [call for call in syntax.calls(tree, "load") if any(name in ast.unparse(call) for name in STATES)]
    return any(syntax.load_without_other(call) for call in loads)


def _stores(test):
    """Matches by test(first column, last column, split, facts), true of what every program stores into y."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        columns: dict[int, list[int]] = {}
        for (_, tensor, _, column), program in splits.touched(evidence, "store"):
            if tensor == "y_ptr":
                columns.setdefault(program, []).append(column)
        n_splits = case.facts["n_splits"]
        return len(columns) > len(case.facts["x"]) and all(
            test(min(kept), max(kept), program % n_splits, case.facts) for program, kept in columns.items()
        )

    return detect


def _whole_row(first: int, last: int, split: int, facts: dict) -> bool:
    return (first, last) == (0, facts["x"].shape[1] - 1)


def _in_split_zero(first: int, last: int, split: int, facts: dict) -> bool:
    return last < facts["split_size"]


def _from_its_beginning(first: int, last: int, split: int, facts: dict) -> bool:
    return first == split * facts["split_size"]


@Detector
def _loads_beyond_split_zero(case: Case, evidence: Evidence, answer: Answer) -> bool:
    loads = (place for place, _ in splits.touched(evidence, "load") if place[1] == "x_ptr")
    return any(column >= case.facts["split_size"] for *_, column in loads)


@Detector
def _no_state_loaded(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return not any(panel.tensor in STATES and panel.op == "load" for panel in evidence.panels)


@Detector
def _some_never_stored(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """What is NaN was left as it was, and not stored as NaN."""
    return evidence.written < case.facts["x"].numel()


SOFTMAX = tuple(pair for pair in SOFTMAX_KERNEL if pair[0] != "no-pad")  # see _state_without_other

COMBINE_KERNEL = (
    *KERNEL,
    ("no-grid-barrier", read_while_stored),
    ("programs-swapped", outside("load", programs_swapped)),
    ("split-mask", outside("load", over_the_row)),
    ("split-mask", outside("store", over_the_row)),
    ("states-misplaced", outside("load", elsewhere)),
    *MERGE,
    ("whole-row-each", _stores(_whole_row)),
    ("stored-in-split-zero", both(_stores(_in_split_zero), _loads_beyond_split_zero)),
    ("split-zero-only", both(detectors.shared, formula(kept(split_walks.first)))),
    ("split-cut-short", both(_some_never_stored, formula(kept(split_walks.first_tile)))),
    ("split-cut-short", both(_some_never_stored, formula(kept(split_walks.whole_tiles)))),
    ("no-pad", both(written(_state_without_other), detectors.all_nan)),
    ("splits-overlap", both(detectors.shared, _stores(_from_its_beginning))),
    ("splits-overlap", both(right, detectors.shared)),
    ("states-unused", both(right, x_again, _no_state_loaded)),
    ("row-read-twice", both(right, x_again)),
    *ROWS,
    *ROW_KERNEL,
    *SOFTMAX,
)
