"""Mistakes in the shape of a launch that only its machine code shows: narrow loads, spills (exercise 10.4).

reference/wide_loads.py recognises all but the coarsest spills.
"""

from __future__ import annotations

import torch

from ..reference import wide_loads
from ..reference.softmax_function import idle_fault
from .detectors import fault, looks
from .mistake import Mistake
from .mutant import Mutant, several
from .softmax.function import ROWS_APART, WRAPPER_PLACES

MISTAKES = [
    Mistake(
        "loads-one-element",
        "Each thread loads one element at a time, 4 bytes in float32: a program has more threads than its tile has "
        "pieces of 16 bytes.",
        "How many bytes does the tile of a program have, and how many threads share them?",
    ),
    Mistake(
        "loads-too-narrow",
        "Each thread has several elements of the tile, but they are less than 16 bytes.",
        "How many bytes of the tile are there for each thread, in this dtype?",
        Mutant("10.4", "max(1, 512 // row_bytes)", "4 if n_cols < 256 else 1", replayed=False),
    ),
    Mistake(
        "divisibility-unknown",
        "The tile is large enough for its threads, but the compiler cannot tell that 16 divides where its rows begin "
        "and end.",
        "Which numbers does the kernel add to its pointers or compare with its columns, and which of them does 16 "
        "divide?",
    ),
    Mistake(
        "spills",
        "The threads of a program hold more values than they have registers for, so some go to memory and back.",
        "How many elements of the tile does one thread hold, and how many registers can it have?",
    ),
    Mistake(
        "programs-without-rows",
        "More programs were launched than there are tiles of rows, so the last programs find nothing to do.",
        "How many rows does one program of your launch take, and how many programs do all rows need?",
        several("10.4", "(triton.cdiv(n_rows, rows),)", "(n_rows,)", "(n_rows // rows + 1,)", replayed=False),
    ),
    Mistake(
        "alignment-promised",
        "The kernel promises that a number divides another one, and here it does not: on a GPU such a load can be an "
        "error.",
        "How many bytes after the first row does the second row begin, and which line makes another promise?",
    ),
]


@looks
def _more_than_the_registers(value, x, evidence) -> bool:
    """One load brings more bytes to a thread than its registers have."""
    return isinstance(value, torch.Tensor) and wide_loads.spills(x, evidence)


# The numbers are right, and some programs of a launch stored nothing.
programs_without_rows = fault(lambda case, evidence: idle_fault(evidence))


_OF_ONE_ROW = ("grid-of-columns", "grid-too-large")  # a program may have several rows
WIDE = (
    *(pair for pair in WRAPPER_PLACES if pair[0] not in _OF_ONE_ROW),
    *ROWS_APART,
    ("programs-without-rows", programs_without_rows),
    ("spills", _more_than_the_registers),
)
