"""Mistakes of any kernel: pads, masks, row addresses, block sizes; with the tables of exercises 4.2 and 4.3."""

from __future__ import annotations

import math

from ..checks import syntax
from . import detectors
from .detectors import value, written
from .mistake import Mistake

MISTAKES = [
    # ---- pads and masks
    Mistake(
        "pad-zero",
        "Masked lanes joined the sum. They were padded with 0, and exp(0 - max) is not 0.",
        "Which value v makes exp(v - max) vanish for every max?",
    ),
    Mistake(
        "no-pad",
        "Masked lanes have no value: the load has a mask and no `other`. A GPU may leave anything there.",
        "What should a lane hold that has no element of its own?",
    ),
    Mistake(
        "pad-finite",
        "A finite pad loses against most rows, not against all: a row can lie below it.",
        "Is there a value that no float is below?",
    ),
    Mistake(
        "pad-wins",
        "The pad is larger than the row's own values, or no number at all, and so becomes the maximum.",
        "What should max do when it meets a masked lane?",
    ),
    Mistake(
        "no-load-mask",
        "Lanes of the load lie beyond the end of what they may read.",
        "Which lanes of the block have an element, and which parameter of tl.load says so?",
    ),
    Mistake(
        "no-store-mask",
        "Lanes of the store lie beyond the end, in memory that belongs to somebody else.",
        "Which lanes of the block have an element of their own?",
    ),
    Mistake(
        "and-or-on-masks",
        "`and`, `or` and `not` do not work lane by lane: Python looks at each mask as a whole.",
        "Which operator works on every lane?",
    ),
    Mistake(
        "mask-precedence",
        "& binds tighter than <, so the comparison is not the one you see.",
        "Where do parentheses belong in that condition?",
    ),
    Mistake(
        "tail-missing",
        "Some columns at the end of a row were never stored.",
        "Which columns does your mask switch on, and does every column have a lane?",
    ),
    Mistake(
        "elements-unstored",
        "Some elements were never stored: they still hold the NaN that they began with.",
        "Which rows and columns are they in, and which programs and lanes should have stored them?",
    ),
    Mistake(
        "nan-computed",
        "The NaN was computed: an operation met infinities, 0 divided by 0, or a NaN that was there already.",
        "Which is the first of your lines whose result can be inf, -inf or NaN for this input?",
    ),
    # ---- rows and programs
    Mistake(
        "row-stride-missing",
        "The kernel begins row r only r elements after row 0: it works on a shifted window.",
        "How far apart in memory are two neighbours in a column?",
    ),
    Mistake(
        "rows-assumed-adjacent",
        "The kernel begins row r after r times the number of columns, but rows may lie further apart.",
        "Which number says how far apart two rows lie?",
    ),
    Mistake(
        "block-for-stride",
        "The kernel begins row r after r whole blocks; a block is wider than a row.",
        "Which number says how far apart two rows lie?",
    ),
    Mistake(
        "stored-in-row-zero",
        "Every program stores to the same place, at the beginning.",
        "How does the address of a store differ from program to program?",
    ),
    Mistake(
        "rows-missing",
        "Only the first rows were written.",
        "For which rows are the lanes of your mask switched on?",
    ),
    Mistake(
        "stride-in-bytes",
        "The offset is 4 times too large: Triton's pointers count elements, not bytes.",
        "What does x_ptr + 1 point at?",
    ),
    Mistake(
        "row-zero-only",
        "Every program works on the first row.",
        "Where does the kernel ask which program it is, and where does the address depend on it?",
    ),
    Mistake(
        "stored-twice",
        "The numbers are right, but elements were stored more than once: several programs did the same work.",
        "What does program 1 handle, and which part of it does program 0 handle too?",
    ),
    Mistake(
        "programs-idle",
        "Some programs stored nothing, and others did their work: on a GPU all of them would have done it at once.",
        "Which part of the work belongs to program 1, and which to the last?",
    ),
    # ---- block sizes
    Mistake(
        "block-is-n-cols",
        "The block has exactly as many lanes as the row has columns.",
        "Which sizes does tl.arange accept?",
    ),
    Mistake(
        "block-rounded-down",
        "The block is the power of two below the row's length, so the end of the row has no lane.",
        "Should the block be rounded down or up?",
    ),
    Mistake(
        "block-doubled",
        "A row whose length is a power of two already got a block twice as wide.",
        "What is the smallest power of two that is not less than n_cols, when n_cols is one itself?",
    ),
    Mistake("block-constant", "The block does not depend on the row's length.", "What happens when a row is longer?"),
    Mistake("block-not-int", "The block size is not an int.", "Which type does tl.arange need?"),
]

# Any kernel, whatever it computes.
KERNEL = (
    ("and-or-on-masks", written(syntax.boolean_on_masks)),
    ("mask-precedence", written(syntax.loose_ampersand)),
    ("torch-in-kernel", written(syntax.foreign_module)),
    ("returns-from-kernel", written(syntax.kernel_returns)),
)

# The value of masked lanes (4.2).
PAD_VALUE = (
    ("value-left-out", value(lambda v, f: v is None)),
    ("pad-zero", value(lambda v, f: v == 0)),
    ("pad-wins", value(lambda v, f: v != v or v > 0)),
    ("pad-finite", value(lambda v, f: math.isfinite(v) and v < 0)),
)

# The number of lanes for a row of facts["n"] columns (4.3).
BLOCK_SIZE = (
    ("returns-nothing", detectors.nothing),
    ("block-not-int", value(lambda v, f: isinstance(v, float))),
    ("block-is-n-cols", value(lambda v, f: v == f["n"])),
    ("block-rounded-down", value(lambda v, f: v < f["n"] < 2 * v)),
    ("block-doubled", value(lambda v, f: v == 2 * f["n"])),
    ("block-constant", value(lambda v, f: v in (1024, 2048, 4096, 65536, 128, 256, 512))),
)
