"""Mistakes of a first kernel, which moves blocks: the elements of a program, its mask, the value of masked lanes.

The facts of a case hold x, want (the right output) and block. For a matrix they also hold rows (a function from rows of
x to rows of the output), x_stride, y_stride (elements between two rows of the input and of the output) and spare (rows
at the end of the output that are no part of the result).
"""

from __future__ import annotations

import ast
from dataclasses import replace

import torch

from ..checks import compare, syntax
from ..checks.syntax import load_without_other
from ..sentence import said
from ..spec import Case, Detector, Evidence
from . import detectors
from .detectors import both, formula, looks, masked, outside, past_the_row, right_lanes_elsewhere, unmasked, written
from .kernels import KERNEL
from .mistake import Mistake
from .mutant import Mutant, also, several
from .softmax.rows import ROW_SQUARED, row_begins, rows_apart

MISTAKES = [
    Mistake(
        "first-lane-skipped",
        "In this load or store, the first element of the vector or of a row has no lane, or its lane is masked.",
        "Which number does the first element have, which lane has it, and for which lanes is the mask true?",
    ),
    Mistake(
        "same-element-read",
        "Lanes that should store different elements all stored the same one.",
        "Which element does each lane load, and does a line make one number of all of them?",
    ),
    Mistake(
        "same-element-stored",
        "Only one element of each row, or of the vector, was stored to.",
        "Which part of the store's address differs from lane to lane, and which lanes does its mask let through?",
    ),
    Mistake(
        "values-unused",
        "Every element of the result is the same number.",
        "Which of your variables holds the loaded values, and what does the stored number have to do with them?",
    ),
    Mistake(
        "min-for-max",
        "This is the smallest value of each row, or its opposite.",
        "Which of the two ends of a row does the docstring name?",
    ),
    Mistake(
        "sum-for-max",
        "This is the sum of each row.",
        "Which values of a row should the result depend on?",
    ),
    Mistake(
        "last-column-left-out",
        "The last column took no part.",
        "For which columns is your mask true, and which number does the last one have?",
        Mutant("3.3 9.1 16.1", "cols < n_cols", "cols < n_cols - 1"),
    ),
    Mistake(
        "place-of-the-maximum",
        "The column of the maximum was stored, and not its value.",
        "What does the function of your reduction return: a value of the row, or a place in it?",
        Mutant("3.3", "tl.max(x, axis=0)", "tl.argmax(x, axis=0)"),
    ),
    Mistake(
        "first-row-alone",
        "In every row but the first, all lanes were masked.",
        "For program 1: which numbers does your mask compare, and with which number of columns?",
        Mutant(
            "3.3",
            "cols = tl.arange(0, BLOCK)",
            "cols = row * row_stride + tl.arange(0, BLOCK)",
            then=also("row * row_stride + cols, mask", "cols, mask"),
        ),
    ),
    Mistake(
        "nothing-read",
        "No value of the row took part in the maximum.",
        "For which lanes is the value of the row kept, and for which is it replaced or left out?",
    ),
    Mistake(
        "two-divided",
        "Two was divided by every value.",
        "What is 10 doubled, and what is 2 divided by 10?",
    ),
    Mistake(
        "another-factor",
        "Every result is its value times the same number, and that number is not 2.",
        "What is 10 doubled, and what is the result of your line for 10?",
    ),
    # ---- a vector
    Mistake(
        "mask-one-too-far",
        "The mask lets one lane too many through.",
        "Counted from 0, which is the first index that is outside?",
    ),
    Mistake(
        "mask-on-lanes",
        "Lanes of the last program are past the end: in every program, the lanes are counted from 0.",
        "Which number is the place of a lane in the whole vector, and does your mask compare that number?",
    ),
    Mistake(
        "block-zero-only",
        "Every program works on the first block.",
        "Which number is different in each program, and where does your kernel ask for it?",
        Mutant("3.1", "tl.program_id(0) * BLOCK + ", ""),
    ),
    Mistake(
        "stored-in-block-zero",
        "Every program stores into the first block of y.",
        "Which elements did the program load, and which does it store to?",
        Mutant("3.1", "y_ptr + offsets", "y_ptr + tl.arange(0, BLOCK)"),
        Mutant("3.1", "offsets, x, mask=mask", "tl.arange(0, BLOCK), x, mask=tl.arange(0, BLOCK) < n"),
    ),
    Mistake(
        "positions-stored",
        "The kernel stored the places of elements, and not their values.",
        "Which function loads the value at an address?",
        several("3.1", "offsets, x, mask", "offsets, offsets, mask", "offsets, tl.arange(0, BLOCK), mask"),
    ),
    Mistake(
        "lanes-a-block-apart",
        "Two neighbouring lanes of a program are one block apart, not one element.",
        "Which elements do lanes 0 and 1 of program 0 have, and lane 0 of program 1?",
        Mutant(
            "3.1",
            "tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
            "tl.program_id(0) + tl.arange(0, BLOCK) * BLOCK",
        ),
    ),
    Mistake(
        "blocks-overlap",
        "Each program begins one element after the one before it, not one block.",
        "How many elements belong to the programs before this one?",
        Mutant("3.1", "tl.program_id(0) * BLOCK", "tl.program_id(0)"),
    ),
    Mistake(
        "no-lanes",
        "The kernel has no lanes: without a block of addresses, each load and each store moves one element.",
        "Which function of triton.language gives a block of numbers, one for each lane?",
        Mutant("3.1", "tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)", "tl.program_id(0) * BLOCK", replayed=False),
        Mutant("3.2", "cols = tl.arange(0, BLOCK)", "cols = tl.program_id(1)", replayed=False),
    ),
    Mistake(
        "elements-missing",
        "The end of the output was never stored.",
        "Which lane of which program should store the last element, and what is its address and its mask?",
    ),
    Mistake(
        "absolute-values",
        "Signs were lost, of the values or of their maximum.",
        "Which is the larger of -5 and 3, with their signs and without?",
    ),
    Mistake(
        "masked-by-value",
        "Some elements were not stored because of their values: the mask compares values.",
        "Which lanes must be stored, for any values?",
        Mutant("4.1 5.1", "y, mask=mask", 'y, mask=x > -float("inf")'),
    ),
    # ---- the rows of a matrix
    Mistake(
        "length-and-stride",
        "The row stride was also multiplied by a length: by itself, by the width of a row or by that of a block.",
        "How far apart are the beginnings of two neighbouring rows, and which parameter gives that distance?",
    ),
    Mistake(
        "row-added-twice",
        "Each program begins twice as far from row 0 as its own row does.",
        "Which terms of that address hold the beginning of the row, and how often?",
    ),
    Mistake(
        "row-squared",
        "The number of the row is a factor of the address twice, so the rows lie further and further apart.",
        "At which elements do rows 1, 2 and 3 begin by your formula?",
        Mutant("5.1", "row * x_row_stride + cols", "row * x_row_stride * row + cols", replayed=False),
    ),
    Mistake(
        "row-and-column-swapped",
        "The lanes go down a column: neighbours in the block are one row stride apart in memory.",
        "Where are two neighbours in a row, and where are two neighbours in a column?",
        Mutant(
            "5.1",
            "row * x_row_stride + cols",
            "row + cols * x_row_stride",
            then=also("row * y_row_stride + cols", "row + cols * y_row_stride"),
        ),
        Mutant("5.1", "row * x_row_stride + cols", "row + cols * x_row_stride"),
    ),
    Mistake(
        "border-of-adjacent-rows",
        "The mask takes for granted that a row ends where the next one begins: it compares places in memory with a "
        "multiple of the number of columns.",
        "At which place in memory does row 1 end, if there are gaps between the rows?",
        Mutant("5.1", "cols < n_cols", "row * x_row_stride + cols < (row + 1) * n_cols"),
    ),
    Mistake(
        "addresses-not-mask",
        "As many lanes are active as there should be, but addresses of some of them are outside the tensor.",
        "Take one program and compute by hand: which element belongs to its lane 1, and which address do you compute "
        "for that lane?",
    ),
    Mistake(
        "neighbour-overwritten",
        "A program also stored into the row after its own. The result there depends on which program ran last.",
        "Which lanes of the store are outside the program's own row?",
    ),
    # ---- the maximum of a row
    Mistake(
        "values-taken-for-pads",
        "Values that equal the pad were left out of the maximum.",
        "How can you tell a masked lane from a value, if the value may be any number?",
    ),
    Mistake(
        "pad-zero-wins",
        "The maximum of a row is 0, but no value of the row is 0: another number won.",
        "Which numbers take part in your maximum besides the values of the row, and which rows are below these "
        "numbers?",
        Mutant(
            "4.1 5.1",
            'other=-float("inf")',
            "other=0.0",
            then=also("tl.exp(x - row_max)", "tl.where(mask, tl.exp(x - row_max), 0.0)"),
        ),
    ),
    Mistake(
        "zero-in-the-maximum",
        "The maximum of a row and of 0 was stored: a row below 0 gives 0, even where no lane is masked.",
        "Which numbers does your line compare, and which of them are values of the row?",
        Mutant("3.3", "tl.max(x, axis=0)", "tl.maximum(tl.max(x, axis=0), 0.0)"),
    ),
    Mistake(
        "mask-by-the-stride",
        "The mask is true up to the row stride. If there are gaps between rows, it lets lanes into them.",
        "Which number says how many columns a row has, and which one says how far apart two rows begin?",
        Mutant("3.2 3.3 3.4", "cols < n_cols", "cols < row_stride", replayed=False),
        Mutant("5.2", "cols < n_cols", "cols < x_row_stride", replayed=False),
        Mutant("5.2", "n_rows, n_cols = x.shape", "n_rows, n_cols = len(x), x.stride(0)", replayed=False),
    ),
    Mistake(
        "block-for-number",
        "The store has a whole block of addresses, and a row has one maximum.",
        "How many elements of y belong to one row?",
    ),
    Mistake(
        "output-spaced-like-rows",
        "The results were stored too far apart: y holds one number per row.",
        "How far apart in y are the maxima of two neighbouring rows?",
    ),
]

# ---- a vector


def _second_lane_first(where: dict, facts: dict) -> bool:
    """For `outside`: program p begins at element p · block + 1."""
    return where["first"] == where["program"][0] * facts["block"] + 1


def _one_too_far(where: dict, facts: dict) -> bool:
    """For `outside`: one lane of several is outside, the first behind the end; without a mask there would be more."""
    n = facts["x"].shape[-1]
    return where["of"] > 1 and where["lanes"] == 1 and where["column"] == n and -n % facts["block"] >= 2


def _offsets_in_bytes(where: dict, facts: dict) -> bool:
    """For `outside`: lane i of program 0 is at element 4 · i, and no more lanes are active than there are elements."""
    n = facts["x"].numel()
    behind = where["column"] >= n
    return behind and where["program"][0] == 0 and where["of"] <= n and where["lanes"] == where["of"] - -(-n // 4)


def _blocks_in_bytes(where: dict, facts: dict) -> bool:
    """For `outside`: program p > 0 begins at element 4 · p · block."""
    return 0 < where["program"][0] and where["first"] == 4 * where["program"][0] * facts["block"]


def _no_lane_masked(where: dict, facts: dict) -> bool:
    """For `outside`: all lanes of the block are active, and some of them are behind the end."""
    return past_the_row(where, facts) and where["of"] == facts["block"]


def _no_lane_of_the_last_masked(where: dict, facts: dict) -> bool:
    """For `outside`: all lanes of the block are active, some are behind the end, and there are several blocks."""
    return _no_lane_masked(where, facts) and facts["x"].numel() > facts["block"] and where["program"][0] > 0


@looks
def _tail_left(got) -> bool:
    """The last elements of a vector are still NaN, and all elements before them hold numbers."""
    nan = got.isnan()
    return got.dim() == 1 and bool(nan[-1] and not nan[0] and (nan.int().diff() >= 0).all())


@looks
def _masked_by_value(x, want, like_x) -> bool:
    """Zeros, NaN or infinite values were never stored, and every finite value but 0 is there."""
    left, usual = compare.never_stored(like_x), x.isfinite() & (x != 0)
    return bool(left.any()) and torch.equal(like_x[usual], want[usual])


_wide = looks(lambda like_x: like_x.shape[-1] > 1)


@looks
def _first_lane_skipped(like_x, want) -> bool:
    """In every row nothing was stored to the first element, and the others are right."""
    return bool(compare.never_stored(like_x[..., 0]).all()) and torch.equal(like_x[..., 1:], want[..., 1:])


@looks
def _same_element_read(like_x, want) -> bool:
    """The elements of each row are all the same one, which the right row holds somewhere."""
    first = like_x[..., :1]
    return bool((like_x == first).all() and (want == first).any(-1).all() and not (want == first).all())


@looks
def _same_element_stored(like_x) -> bool:
    """In every row one element was stored to."""
    return bool(((~compare.never_stored(like_x)).sum(-1) == 1).all())


@looks
def _elements_left(got) -> bool:
    """Some elements of the output were never stored."""
    return bool(compare.never_stored(got).any())


# Elements were left out by an answer that makes no block of numbers.
_without_lanes = both(detectors.opposite(detectors.written_like("arange", "_.arange")), _elements_left)


@looks
def _values_unused(got, want, case, evidence) -> bool:
    """Every element is the same number, and the right output holds it nowhere."""
    if got.shape != want.shape or got.numel() < 2 or not got.isfinite().all():
        return False
    return _one_number(case, evidence) and not bool((want == got.flatten()[0]).any())


def _one_number(case: Case, evidence: Evidence) -> bool:
    """Whether every element of the output is the same number, if there is an output."""
    got = detectors.output(case, evidence)
    return got is None or len(got.unique()) == 1


_LANES = (
    ("values-unused", replace(_values_unused, fits=_one_number, exact=True)),
    ("first-lane-skipped", both(_wide, _first_lane_skipped)),
    ("same-element-read", both(_wide, _same_element_read)),
    ("same-element-stored", both(_wide, _same_element_stored)),
)

# The mistakes of an access that lets too many lanes through: it has no mask, or a mask that does not help.
_MASKS = {op: ((f"no-{op}-mask", unmasked(op)), ("mask-does-not-help", masked(op))) for op in ("load", "store")}


def _one_number_a_step(tree: ast.AST) -> bool:
    """Recognises a kernel without tl.arange that loads in a loop."""
    loops = [node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While))]
    return not syntax.calls(tree, "arange") and any(syntax.calls(loop, "load") for loop in loops)


SERIAL_REMARKS = (
    (
        said(
            "Your kernel loads one number in each step of a loop. The result is right. A block of lanes, from "
            "tl.arange, loads all of its numbers at once, and that is what makes a GPU fast."
        ),
        written(_one_number_a_step),
    ),
)

COPY = (
    *KERNEL,
    ("masked-by-value", _masked_by_value),
    ("first-lane-skipped", outside("any", _second_lane_first)),
    ("mask-one-too-far", outside("any", _one_too_far)),
    ("stride-in-bytes", outside("any", _offsets_in_bytes)),
    ("stride-in-bytes", outside("any", _blocks_in_bytes)),
    ("mask-on-lanes", outside("any", _no_lane_of_the_last_masked)),
    *((name, both(text, outside(op, _no_lane_masked))) for op in ("load", "store") for name, text in _MASKS[op]),
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("no-lanes", _without_lanes),
    ("elements-missing", both(detectors.unshared, _tail_left)),
    *_LANES,
)  # fmt: skip

# ---- the rows of a matrix


def _lanes_at(address):
    """A test for `outside`: lane i of program r is at element address(r, i, row stride).

    Three numbers must agree: the first address, the first address outside, and the number of addresses outside.
    """

    def test(where: dict, facts: dict) -> bool:
        (m, n), stride, program = facts["x"].shape, facts["x_stride"], where["program"][0]
        m += facts.get("spare", 0) if where["op"] == "store" else 0
        at = [address(program, lane, stride) for lane in range(where["of"] or 0)]
        lost = [a for a in at if a // stride >= m or a % stride >= n]
        return len(lost) > 0 and (where["first"], where["lanes"], (where["row"] or 0) * stride + where["column"]) == (
            at[0], len(lost), lost[0]
        )  # fmt: skip

    return test


def _as_far_as_the_next_row(where: dict, facts: dict) -> bool:
    """For `outside`: the active lanes are those of the row and of the gap behind it, as far as the block reaches."""
    stride, columns = facts["x_stride"], facts["x"].shape[-1]
    return past_the_row(where, facts) and columns < stride and where["of"] == min(stride, facts["block"])


def _more_lanes_than_columns(where: dict, facts: dict) -> bool:
    """For `outside`: the number of active lanes is not that of the columns, and some of them are behind the row."""
    return past_the_row(where, facts) and where["of"] != facts["x"].shape[-1]


@looks
def _later_rows_left(got) -> bool:
    """Row 0 holds numbers, and every other row is still NaN."""
    return len(got) > 1 and bool(got[1:].isnan().all() and not got[0].isnan().any())


ROWS = (
    *KERNEL,
    ("masked-by-value", _masked_by_value),
    ("mask-by-the-stride", outside("any", _as_far_as_the_next_row)),
    ("mask-one-too-far", outside("any", _one_too_far)),
    ("row-stride-missing", outside("any", row_begins(lambda f: 1))),
    ("row-and-column-swapped", outside("any", _lanes_at(lambda program, lane, stride: program + lane * stride))),
    ("stride-in-bytes", outside("any", _lanes_at(lambda program, lane, stride: 4 * (program * stride + lane)))),
    ("stride-in-bytes", rows_apart(lambda f: 4 * f["x_stride"])),
    ("rows-assumed-adjacent", rows_apart(lambda f: f["x"].shape[1])),
    ("block-for-stride", rows_apart(lambda f: f["block"])),
    ROW_SQUARED,
    ("row-added-twice", rows_apart(lambda f: 2 * f["x_stride"])),
    *(("length-and-stride", outside(op, row_begins(lambda f, w=width, s=stride: w(f) * f[s])))
      for op, stride in (("load", "x_stride"), ("store", "y_stride"))
      for width in (lambda f: f["block"], lambda f: f["x"].shape[1], lambda f: f["x_stride"])),
    ("addresses-not-mask", outside("any", right_lanes_elsewhere)),
    *((name, both(text, outside(op, _more_lanes_than_columns)))
      for op in ("load", "store") for name, text in _MASKS[op]),
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("no-lanes", _without_lanes),
    ("rows-missing", both(detectors.unshared, _later_rows_left)),
    ("tail-missing", detectors.tail_is_nan),
    *_LANES,
)  # fmt: skip


# ---- the maximum of a row


def _pad_won(test) -> Detector:
    """Matches when all wrong maxima are one number, the pad, which is larger than the right ones; test gets the pad."""

    @looks
    def detect(got, want, x) -> bool:
        pads = got[got != want].unique() if got.shape == want.shape else want[:0]
        if len(pads) != 1 or (x == pads).any():  # a value of the matrix is no pad
            return False
        return bool((pads > want[got != want]).all()) and test(pads.item())

    return both(detectors.ragged, detect)


@looks
def _all_lowest(got, want) -> bool:
    """Every maximum is -inf, and no right one is."""
    return got.shape == want.shape and bool((got == -torch.inf).all() and want.isfinite().all())


def _of_full_rows(compute) -> Detector:
    """Matches compute(x), one wrong number for each row, wherever no lane is masked: a masked lane may add its own."""
    numbers = formula(lambda x, facts: compute(x))

    def fits(case: Case, evidence: Evidence) -> bool:
        return detectors.ragged(case, evidence, None) or numbers.fits(case, evidence)

    return replace(numbers, fits=fits, exact=True)


MAXIMUM = (
    *(
        ("values-taken-for-pads", formula(lambda x, facts, pad=pad: x.masked_fill(x == pad, -torch.inf).amax(1)))
        for pad in (0.0, torch.inf)
    ),
    *(
        ("output-spaced-like-rows", outside("store", row_begins(apart)))
        for apart in (lambda f: f["x_stride"], lambda f: f["block"], lambda f: f["x"].shape[1])
    ),
    ("block-for-number", outside("store", lambda where, facts: (where["of"] or 0) > 1)),
    # Before KERNEL, which looks at the text: torch.finfo(...).min is wrong here because of its value.
    ("absolute-values", written(lambda tree: any(syntax.calls(kernel, "abs") for kernel in syntax.kernels(tree)))),
    ("no-pad", both(written(load_without_other), _pad_won(lambda pad: pad == torch.inf))),
    ("pad-zero-wins", _pad_won(lambda pad: pad == 0)),
    ("pad-finite", _pad_won(lambda pad: pad < 0)),
    ("pad-wins", _pad_won(lambda pad: pad > 0)),
    *ROWS,
    ("min-for-max", _of_full_rows(lambda x: x.amin(1))),
    ("min-for-max", _of_full_rows(lambda x: -x.amin(1))),
    ("sum-for-max", _of_full_rows(lambda x: x.sum(1))),
    ("nothing-read", _all_lowest),
)


# ---- the kernel to repair


@looks
def _first_column_lost(got, want, block) -> bool:
    """In every row but the first, only the first value is wrong; without a mask more of them would be wrong."""
    if got.shape != want.shape or block - want.shape[1] < 2:
        return False
    wrong = got != want
    return bool(wrong[1:, 0].any() and not wrong[0].any() and not wrong[:, 1:].any())


@looks
def _all_stored_wrongly(got, want) -> bool:
    """Every element was stored, and the numbers are wrong."""
    return not compare.never_stored(got).any() and not torch.equal(got, want)


@looks
def _multiple(like_x, x) -> bool:
    """The output is a multiple of x, and not the right one."""
    if like_x.dtype != x.dtype or not like_x.isfinite().all() or not (x != 0).all():
        return False
    factors = like_x.double() / x.double()
    return bool((factors - factors.mean()).abs().max() < 1e-5) and abs(factors.mean().item() - 2) > 1e-3


DOUBLED = (
    ("added-two", formula(lambda x, facts: x + 2)),
    ("squared", formula(lambda x, facts: x * x)),
    ("two-divided", formula(lambda x, facts: 2 / x)),
    ("another-factor", _multiple),
)


REPAIR = (
    *ROWS,
    ("unchanged", detectors.unchanged),
    *DOUBLED,
    ("mask-one-too-far", both(detectors.shared, _first_column_lost)),
    ("neighbour-overwritten", both(detectors.shared, _all_stored_wrongly)),
)
