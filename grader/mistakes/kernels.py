"""Mistakes of any kernel: pads, masks, row addresses, block sizes; with the tables of exercises 4.2 and 4.3."""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from ..checks import syntax
from ..checks.examples import like
from ..reference import pads
from ..spec import Detector
from . import detectors
from .detectors import both, looks, outside, value, value_formula, written
from .mistake import Mistake
from .mutant import Mutant, also, several

_Y, _DY = (f"tl.load({t}_ptr + row * {t}_row_stride + cols, mask=mask, other=0.0)" for t in ("y", "dy"))
_WITHOUT_NUMBERS = "return (m, d) if d else (-math.inf, 0.0)"
_LOWEST = "other=-3.4028234663852886e38"  # of all finite pads it alone is above no number of any row

MISTAKES = [
    # ---- pads and masks
    Mistake(
        "pad-zero",
        "Masked lanes joined the sum. They were padded with 0, and exp(0 - max) is not 0.",
        "Which number makes exp(number - max) exactly 0, whatever the maximum is?",
        Mutant("8.3", 'other=-float("inf")', "other=0.0", 2),
        Mutant("4.1 5.1 5.2 7.1 10.1 10.2 16.1", 'other=-float("inf")', "other=0.0"),
        Mutant("7.3", 'other=-float("inf")', "other=0.0", then=also("other=0)", "other=1)")),
    ),
    Mistake(
        "no-pad",
        "Masked lanes have no value: the load has a mask and no `other`. A GPU may leave anything there.",
        "What should a lane hold that has no element of its own?",
        Mutant("4.1 5.1", ', other=-float("inf")', "", replayed=False),
        Mutant(
            "4.1",
            ', other=-float("inf")',
            "",
            then=also("tl.exp(x - row_max)", "tl.where(mask, tl.exp(x - row_max), 0.0)"),
            replayed=False,
        ),
        Mutant("8.3", ', other=-float("inf")', "", 2, replayed=False),
    ),
    Mistake(
        "pad-finite",
        "A finite number takes part in the maximum. In most rows it does not win, but all values of a row can be below "
        "it.",
        "For which value is there no smaller float?",
        several(
            "8.3",
            'other=-float("inf")',
            _LOWEST,
            "other=-3e38",
            "other=-1e30",
            "other=-10000.0",
            "other=-100.0",
            times=2,
        ),
        *(
            Mutant("8.1", "-math.inf, 0.0", f"{start}, 0.0", then=also("return m, d", _WITHOUT_NUMBERS))
            for start in ("-1e38", "-3e38", "-1e30", "-1e9")
        ),
        Mutant("13.2", '< n_keys, s, -float("inf"))', "< n_keys, s, -1e9)", replayed=False),
        several("4.1 5.1 10.1 10.2", 'other=-float("inf")', _LOWEST, "other=-3e38"),
        several("4.1 5.1 5.2 7.1 10.1 10.2 16.1", 'other=-float("inf")', "other=-1e30", "other=-100.0"),
        Mutant("16.1", 'other=-float("inf")', "other=-10000.0"),
        Mutant("7.1", 'other=-float("inf")', "other=-65504.0"),
        Mutant("7.1 10.1 10.2 16.1", 'other=-float("inf")', "other=-1e38"),
    ),
    Mistake(
        "half-on-the-way",
        "Numbers were rounded to half precision on the way, and digits are missing.",
        "Which dtype do the numbers have in each line of yours, and how many digits does it keep?",
        several(
            "4.1 5.1",
            "tl.exp(x - row_max)",
            "tl.exp((x - row_max).to(tl.float16).to(tl.float32))",
            "tl.exp((x.to(tl.float16) - row_max.to(tl.float16)).to(tl.float32))",
            "tl.exp(x.to(tl.float16).to(tl.float32) - row_max.to(tl.float16).to(tl.float32))",
            "tl.exp(x.to(tl.bfloat16).to(tl.float32) - row_max.to(tl.bfloat16).to(tl.float32))",
        ),
        Mutant("16.1 16.2", 'other=-float("inf")).to(tl.float32)', 'other=-float("inf")).to(tl.float16)'),
        *(
            mutant
            for half in (".to(tl.float16).to(tl.float32)", ".to(tl.bfloat16).to(tl.float32)")
            for mutant in (
                Mutant("11.2", _Y, _Y + half),
                Mutant("11.2", _DY, _DY + half),
                Mutant("11.2", _Y, _Y + half, then=also(_DY, _DY + half)),
                Mutant("11.2", "dx = y * (dy - dot)", f"dx = (y * (dy - dot)){half}"),
                Mutant("16.1", "counted, other=0.0)", f"counted, other=0.0){half}"),
                Mutant("16.2", "tl.exp(x - lse)", f"tl.exp(x - lse){half}"),
            )
        ),
    ),
    Mistake(
        "pad-wins",
        "The pad is larger than the values of the row, or it is NaN. So it reaches the maximum or the sum.",
        "Which value can a masked lane hold without changing the maximum or the sum?",
        several("8.3", 'other=-float("inf")', 'other=float("inf")', "other=10.0", "other=100.0", times=2),
        Mutant("9.1", 'other=-float("inf")', 'other=float("inf")'),
        Mutant("8.3", 'other=-float("inf")', 'other=float("nan")', 2),
        several(
            "4.1 5.1 5.2 7.1 10.1 10.2 16.1",
            'other=-float("inf")',
            "other=10.0",
            "other=100.0",
            "other=1e9",
            'other=float("inf")',
            'other=float("nan")',
        ),
        Mutant("7.3", '-float("inf"))\n    row_max', 'float("inf"))\n    row_max'),
        Mutant("7.3", 'other=-float("inf")', 'other=float("inf")', then=also("other=0)", "other=1)")),
    ),
    Mistake(
        "pad-counts",
        "Masked lanes joined the sum: what they hold there is large enough to change it.",
        "What does a masked lane hold when the sum is taken, and which number must it add?",
        several("8.3", 'other=-float("inf")', "other=1.0", "other=-1.0", "other=-5.0", "other=-10.0", times=2),
        several(
            "4.1 5.1 5.2 7.1 10.1 10.2 16.1",
            'other=-float("inf")',
            "other=1.0",
            "other=-1.0",
            "other=-5.0",
            "other=-10.0",
        ),
        Mutant("4.1 5.1", "tl.sum(numerator, axis=0)", "tl.sum(tl.where(mask, numerator, 1.0), axis=0)"),
    ),
    Mistake(
        "pad-entry-missing",
        'A dictionary with the keys "a" to "d" was expected.',
        "Which type does your object have, and for which kernel does it have no entry?",
    ),
    Mistake(
        "pad-of-no-kind",
        "Each entry is a number that a lane can hold, or None, and this one is neither.",
        "Of which type is the value, and which value should a masked lane hold?",
    ),
    Mistake(
        "pad-given-up",
        "None says that this kernel has no right pad, but it has one.",
        "Which number, when a masked lane holds it, does not change the result of the reduction?",
    ),
    Mistake(
        "pad-for-two-reductions",
        "The block is reduced twice. A pad that is right for both reductions of every row does not exist.",
        "What does your pad add to the first sum, and what does it add to the second?",
    ),
    Mistake(
        "pad-not-a-number",
        "A sum with a NaN is NaN, and on some machines a minimum or a maximum with a NaN is NaN as well.",
        "What may a sum, a minimum and a maximum give for the two values 1 and NaN?",
    ),
    Mistake(
        "pad-of-another",
        "This pad is right in some kernels of the course, but it changes the result of this one.",
        "What does the reduction of this kernel get from a masked lane, and how does that change the result?",
    ),
    Mistake(
        "pad-within-reach",
        "This pad is right for some rows. It changes the result of the row named above.",
        "What is left of the pad when it reaches the reduction, and for which rows does that matter?",
    ),
    Mistake(
        "no-load-mask",
        "Lanes of the load are past the end of the elements that they may read.",
        "Which lanes of the block have an element, and which parameter of tl.load says so?",
        Mutant("4.1 5.1", ', mask=mask, other=-float("inf"))', ")", replayed=False),
    ),
    Mistake(
        "no-store-mask",
        "Lanes of the store are past the end, in memory that does not belong to this program.",
        "Which lanes of the block have an element of their own?",
        Mutant("4.1 5.1", ", y, mask=mask)", ", y)", replayed=False),
        Mutant("8.3", "tl.exp(x - m) / d, mask=cols < n_cols)", "tl.exp(x - m) / d)", replayed=False),
    ),
    Mistake(
        "mask-does-not-help",
        "The access has a mask, but lanes leave the tensor: the mask is true for them, or their addresses are wrong.",
        "Which lane has the address named above, which element should that lane have, and is its mask true?",
        Mutant("8.3", "mask=cols < n_cols, other", "mask=cols < n_cols + BLOCK, other", 2, replayed=False),
    ),
    Mistake(
        "before-the-beginning",
        "Lanes of this access are in front of the first element of their tensor.",
        "Which offset becomes negative, and in which program?",
        Mutant("4.1 5.1", "+ cols, mask=mask, other", "+ cols - 1, mask=mask, other", replayed=False),
    ),
    Mistake(
        "offset-in-16-bits",
        "An offset is below 0, because the kernel keeps numbers in 16 bits: int16 ends at 32767.",
        "How large can an offset be in this matrix, and how many bits does the number of tl.program_id have?",
    ),
    Mistake(
        "offset-in-32-bits",
        "The number of a row times the row stride passes 2^31 - 1, where whole numbers of 32 bits end. So the product "
        "wraps around, and its address is no element of this row.",
        "How many bits has the number that tl.program_id gives, and where does row 2 begin if rows are 2^30 elements "
        "apart?",
        Mutant(
            "5.1 7.1 7.3 8.3 9.1 9.2 10.2 11.2 16.1 16.2",
            "tl.program_id(0).to(tl.int64)",
            "tl.program_id(0)",
            replayed=False,
        ),
        Mutant("10.1", ".to(tl.int64)", "", replayed=False),
        Mutant("13.3", ".to(tl.int64)", "", 2, replayed=False),
    ),
    Mistake(
        "and-or-on-masks",
        "`and`, `or` and `not` are for single truth values. Triton does not take them for blocks of numbers. For masks "
        "it takes them lane by lane, and has deprecated `and` and `or`.",
        "Which operator works on every lane?",
        several(
            "4.1",
            "mask = cols < n_cols",
            "mask = cols >= 0 and cols < n_cols",
            "mask = cols < n_cols and cols >= 0",
            replayed=False,
        ),
    ),
    Mistake(
        "mask-inverted",
        "The mask is true for lanes past the end, and false for those that have an element.",
        "Does a true in a mask let a lane load and store, or does it stop the lane?",
        Mutant("3.1", "offsets < n", "offsets >= n", replayed=False),
        Mutant("3.2 3.3 4.1 5.1 16.1 16.2", "cols < n_cols", "cols >= n_cols", replayed=False),
    ),
    Mistake(
        "lanes-one-by-one",
        "Python cannot go through the lanes of a block one by one.",
        "Which operation on the whole block gives all lanes their value at once?",
    ),
    Mistake(
        "loop-left",
        "Triton's loops have neither `break` nor `continue`.",
        "Which end of the range, or which mask, has the same effect?",
        Mutant(
            "10.2",
            "tl.num_programs(0)):\n",
            "tl.num_programs(0)):\n        if row >= n_rows:\n            break\n",
            replayed=False,
        ),
    ),
    Mistake(
        "loop-without-range",
        "In a kernel, a `for` runs over a range. This one got a block or a single number.",
        "Which values should the loop variable take and, if they are the lanes of a block, which operation on the "
        "whole block does the same?",
        Mutant(
            "4.1",
            "row_max = tl.max(x, axis=0)",
            "row_max = -float('inf')\n    for value in x:\n        row_max = tl.maximum(row_max, value)",
            replayed=False,
        ),
    ),
    Mistake(
        "branch-on-lanes",
        "An `if` or a `while` needs one truth value, and a condition of yours has one for each lane. Triton's compiler "
        "refuses that.",
        "What can choose for each lane of a load, of a store or of a block, without an `if`?",
    ),
    Mistake(
        "assigned-to-a-part",
        "A kernel cannot change some lanes of a block by an assignment.",
        "Which function of Triton makes a new block, in which each lane holds one of two values?",
    ),
    Mistake(
        "python-cast",
        "Python's float(), int() and bool() make a single number, and this is a block.",
        "Which method of a block changes the dtype of all lanes?",
    ),
    Mistake(
        "arange-from-one",
        "The lanes of a block are numbered from 0, and your numbers begin later.",
        "Which number does the first lane have, and how many numbers are there from your first to your last one?",
        Mutant("3.1", "tl.arange(0, BLOCK)", "tl.arange(1, BLOCK)", replayed=False),
    ),
    Mistake(
        "is-on-a-block",
        "`is` asks whether two names stand for the same object. It compares no numbers, and it gives one answer for "
        "all lanes.",
        "Which operator compares the number in every lane?",
        Mutant("7.3", "keep != 0", "keep is True", replayed=False),
    ),
    Mistake(
        "mask-precedence",
        "Python evaluates & before <, so this is not the comparison that you expect.",
        "Where do parentheses belong in that condition?",
        Mutant("4.1", "mask = cols < n_cols", "mask = cols < n_cols & cols >= 0", replayed=False),
    ),
    Mistake(
        "lanes-multiplied",
        "The columns were multiplied by another number, so the address does not step by one element per lane.",
        "Which addresses do the first three lanes of a program compute?",
        Mutant("3.2 3.4", "row * row_stride + cols", "row * (row_stride + cols)", 2, replayed=False),
        Mutant("5.1 7.1 7.3", "row * x_row_stride + cols", "row * (x_row_stride + cols)", replayed=False),
    ),
    Mistake(
        "tail-missing",
        "The end of a row was never stored.",
        "Which columns does your kernel reach, and what decides that?",
        Mutant("4.1", ", y, mask=mask)", ", y, mask=mask & (cols < 4))", replayed=False),
        Mutant("5.2", "triton.next_power_of_2(n_cols)", "triton.next_power_of_2(n_cols // 2 + 1)", replayed=False),
    ),
    Mistake(
        "stored-elsewhere",
        "Elements were stored, but not one of them into the output.",
        "Into which tensor does each of your stores write?",
        Mutant("3.2", "tl.store(y_ptr", "tl.store(x_ptr", replayed=False),
    ),
    Mistake(
        "elements-unstored",
        "Some elements were never stored: they still hold the NaN that they began with.",
        "Which elements are they, and which store of which program or thread should have reached them?",
    ),
    Mistake(
        "nan-computed",
        "The NaN was computed: an operation met infinities, 0 divided by 0, the logarithm of a negative number, or a "
        "NaN that was there already.",
        "Which is the first of your lines whose result can be inf, -inf or NaN for this input?",
    ),
    # ---- rows and programs
    Mistake(
        "pointers-exchanged",
        "The kernel loads from the tensor of the results and stores into the tensor of the input.",
        "Which tensor does the first parameter of the kernel lead to, and which one does the second?",
        Mutant(
            "3.1 3.2 3.3 4.1 5.1 7.1 7.3",
            "x_ptr +",
            "x_pointer +",
            then=also("y_ptr +", "x_ptr +", then=also("x_pointer +", "y_ptr +")),
            replayed=False,
        ),
    ),
    Mistake(
        "strides-exchanged-in-launch",
        "The launch passes the row stride of one tensor in the place of that of another one.",
        "In which order does the kernel take the strides, and in which order does the launch pass them?",
        Mutant("5.2 8.4", "y, x, y.stride(0), x.stride(0)", "y, x, x.stride(0), y.stride(0)", replayed=False),
        Mutant("9.3", "y.stride(0), x.stride(0)", "x.stride(0), y.stride(0)", replayed=False),
    ),
    Mistake(
        "row-stride-missing",
        "The kernel begins row r only r elements after row 0: it works on a shifted window.",
        "How far apart in memory are two neighbours in a column?",
        Mutant("8.3 8.4 16.1", "row * x_row_stride", "row", 2),
        Mutant("16.1", "row * x_row_stride + cols", "row + cols"),
        Mutant("5.1 5.2 7.1 7.3 8.3 8.4 10.2", "row * y_row_stride", "row"),
        Mutant("8.3 8.4", "row * x_row_stride", "row", 2, then=also("row * y_row_stride", "row")),
        Mutant("5.1 5.2 7.1 7.3 10.2 16.2", "row * x_row_stride", "row"),
        Mutant("5.1 5.2 7.1 7.3 10.2", "row * x_row_stride", "row", then=also("row * y_row_stride", "row")),
        Mutant("16.2", "row * dx_row_stride", "row"),
        Mutant("10.1", "rows[:, None] * x_row_stride", "rows[:, None]"),
        Mutant("10.1", "rows[:, None] * y_row_stride", "rows[:, None]"),
        Mutant("10.1", "rows[:, None] * ", "rows[:, None] + 0 * ", 2),
        Mutant("3.2 3.4", "x_ptr + row * row_stride", "x_ptr + row"),
        Mutant("3.2 3.4", "y_ptr + row * row_stride", "y_ptr + row"),
        Mutant("3.2 3.4", "row * row_stride", "row", 2),
        Mutant("3.3", "row * row_stride", "row"),
        Mutant("13.3", "keys[:, None] * k_row_stride", "keys[:, None]"),
        Mutant("13.3", "keys[:, None] * v_row_stride", "keys[:, None]"),
        Mutant("13.3", "rows[:, None] * q_row_stride", "rows[:, None]"),
    ),
    Mistake(
        "rows-assumed-adjacent",
        "The kernel begins row r after r times the number of columns, but rows may be further apart.",
        "Which number gives the distance between two rows?",
        Mutant("8.3 16.1", "row * x_row_stride", "row * n_cols", 2),
        Mutant("5.1 7.1 7.3 8.3 10.2", "row * y_row_stride", "row * n_cols"),
        Mutant("5.1 16.2", "row * x_row_stride", "row * n_cols"),
        Mutant("5.1", "row * x_row_stride", "row * n_cols", then=also("row * y_row_stride", "row * n_cols")),
        Mutant("16.2", "row * dx_row_stride", "row * n_cols"),
    ),
    Mistake(
        "block-for-stride",
        "The kernel begins row r after r whole blocks.",
        "Which number gives the distance between two rows?",
        Mutant("8.3 16.1", "row * x_row_stride", "row * BLOCK", 2),
        Mutant("5.1 8.3", "row * y_row_stride", "row * BLOCK"),
        Mutant("5.1 16.2", "row * x_row_stride", "row * BLOCK"),
    ),
    Mistake(
        "stored-in-row-zero",
        "All programs store to the beginning of the output.",
        "How does the address of a store differ from program to program?",
        Mutant("5.1 5.2 7.1 7.3 8.3 8.4 10.2", "row * y_row_stride + cols", "cols"),
        Mutant("3.2 3.4", "y_ptr + row * row_stride", "y_ptr"),
        Mutant("3.3", "y_ptr + row", "y_ptr"),
        Mutant("16.2", "dx_ptr + row * dx_row_stride + cols", "dx_ptr + cols"),
        Mutant("10.2", "row * x_row_stride", "0", then=also("row * y_row_stride", "0")),
    ),
    Mistake(
        "rows-missing",
        "At least one row was never written.",
        "Which rows does the kernel take, for which of them is the mask true, and which does it store?",
        Mutant("5.1", "mask = cols < n_cols", "mask = row * x_row_stride + cols < n_cols", replayed=False),
    ),
    Mistake(
        "stride-in-bytes",
        "The offset is 4 times too large: Triton's pointers count elements, not bytes.",
        "What does x_ptr + 1 point at?",
        Mutant("8.3 16.1", "row * x_row_stride", "row * x_row_stride * 4", 2, replayed=False),
        Mutant("5.1 8.3", "row * y_row_stride", "row * y_row_stride * 4", replayed=False),
        Mutant("5.1 16.2", "row * x_row_stride", "row * x_row_stride * 4", replayed=False),
        Mutant(
            "3.1",
            "mask = offsets < n",
            "mask = offsets * 4 < n",
            then=also("ptr + offsets", "ptr + offsets * 4", 2),
        ),
    ),
    Mistake(
        "row-zero-only",
        "Every program works on the first row.",
        "Where does the kernel ask which program it is, and where does the address depend on it?",
        Mutant("3.2 3.3 3.4", "row = tl.program_id(0)", "row = 0"),
        Mutant("5.1 5.2 7.1 7.3 8.3 8.4 16.1 16.2", "row = tl.program_id(0).to(tl.int64)", "row = 0"),
    ),
    Mistake(
        "stored-twice",
        "The numbers are right, but elements were stored more than once: several programs did the same work.",
        "Which elements does program 1 store, and which of them does program 0 store, too?",
    ),
    Mistake(
        "programs-idle",
        "Some programs stored nothing, and others did their work. On a GPU, all of them can work at the same time.",
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
        "The block is half of the right one, rounded down, so the end of the row has no lane.",
        "Should the power of two be the next one below the length of the row, or above it?",
    ),
    Mistake(
        "natural-logarithm",
        "The exponent comes from a logarithm whose base is e, and the block is a power of 2.",
        "Which number do you have to raise to math.log(8) to get 8?",
    ),
    Mistake(
        "block-doubled",
        "For this number of columns, a block of half the width is wide enough.",
        "What is the smallest power of two that is not less than n_cols, when n_cols is 1, 2, 4, ... itself?",
    ),
    Mistake(
        "block-constant",
        "The block does not depend on the row's length.",
        "How many lanes does a row of 5 columns need, and how many a row of 5,000?",
    ),
    Mistake(
        "block-capped",
        "The block stops growing at some length of a row, and in a longer row the last columns have no lane.",
        "How many elements may one block hold, and how many lanes does your longest row get?",
    ),
    Mistake(
        "block-at-least",
        "For short rows, the block has more than twice as many lanes as columns: your block has a minimum size.",
        "How many lanes does the smallest block of tl.arange have, and how many does a row of one column need?",
    ),
    Mistake(
        "block-squared",
        "The block grows too fast: it was squared and not doubled.",
        "Which power of two comes after 16?",
    ),
    Mistake(
        "block-one-short",
        "This is the block of a row of n_cols - 1 columns, so the last column may have no lane.",
        "Which block does your function give to a row of 5 columns, and which one does that row need?",
    ),
    Mistake(
        "columns-doubled",
        "This is twice the number of columns, which is a power of two only by chance.",
        "Which block does a row of 5 columns need, and which number does your line give for 5?",
    ),
    Mistake(
        "columns-squared",
        "This is n_cols times n_cols, which is a power of two only by chance.",
        "Which block does a row of 5 columns need, and which number does your line give for 5?",
    ),
    Mistake(
        "n-for-exponent",
        "This is 2 to the power of n_cols.",
        "Which power of two is the smallest one that is not less than 5, and which exponent does it have?",
    ),
    Mistake(
        "two-added",
        "This is n_cols or the number after it, as of a candidate that grows by 2, and not by the factor 2.",
        "Which numbers of lanes can a block have, and which of them come after 4?",
    ),
    Mistake(
        "block-exponent",
        "This is the exponent of the power of two, and not the power itself.",
        "How many lanes does a block with the exponent 5 have?",
    ),
    Mistake(
        "block-multiple",
        "The block is a multiple of some number, and a multiple need not be a power of two.",
        "Which numbers of lanes does tl.arange take between 16 and 64?",
    ),
    Mistake("block-not-int", "The block size is not an int.", "Which type does tl.arange need?"),
]


@looks
def _pointers_exchanged(case, evidence, answer) -> bool:
    """A kernel that the case itself launches loads from its output and stores into its input."""
    launched = case.call.kind == "launch" and case.facts.get("out") == 0
    exchanged = written(lambda tree: syntax.pointers_exchanged(tree, case.call.name))
    return launched and exchanged(case, evidence, answer)


_of_16_bits = written(lambda tree: any(like(kernel, "_.int16") for kernel in syntax.kernels(tree)))


def _below_zero(where: dict, facts: dict) -> bool:
    """For `outside`: the first lane outside is in front of its tensor."""
    return not where.get("row") and (where.get("column") or 0) < 0


def _wrapped(where: dict, facts: dict) -> bool:
    """For `outside`: a lane is 2^32 elements, once or several times, away from an element of another row, or its own.

    facts["far"]: the row strides of a case whose rows lie so far apart. facts["apart"]: how many parts do so, and the
    elements of each, where these are no rows of x.
    """
    column = where.get("column")
    if column is None or "far" not in facts:
        return False
    rows, columns = facts.get("apart") or facts["x"].shape[-2:]
    if 0 <= column < columns:
        return False
    return any((column + r * stride) % 2**32 < columns for stride in facts["far"] for r in range(-rows, rows))


# Any kernel, whatever it computes.
KERNEL = (
    ("pointers-exchanged", _pointers_exchanged),
    ("offset-in-16-bits", both(_of_16_bits, outside("any", _below_zero))),
    ("offset-in-32-bits", outside("any", _wrapped)),
    ("and-or-on-masks", written(syntax.boolean_on_masks)),
    ("branch-on-lanes", written(syntax.branches_on_lanes)),
    ("mask-inverted", written(syntax.masks_inverted)),
    ("is-on-a-block", written(syntax.compares_by_identity)),
    ("mask-precedence", written(syntax.loose_ampersand)),
    ("lanes-multiplied", written(syntax.multiplies_lanes)),
    ("torch-in-kernel", written(syntax.foreign_module)),
    ("returns-from-kernel", written(syntax.kernel_returns)),
)


def _wrong_pad(given, facts: dict) -> str:
    """The id of the mistake in one entry of a dictionary of pads: each entry has one, so none has another's votes."""
    entry = facts["entry"]
    if given is None or given is ...:
        return "value-left-out"
    if not isinstance(given, dict) or entry not in given:
        return "pad-entry-missing"
    pad = given[entry]
    if pad is ...:
        return "value-left-out"
    if isinstance(pad, str):
        return "text-for-number"
    if pad is None:
        return "pad-given-up"
    number = pads.number(pad)
    if number is None:
        return "pad-of-no-kind"
    if entry == "d":
        return "pad-for-two-reductions"
    if math.isnan(number):
        return "pad-not-a-number"
    return "pad-of-another" if number in (0.0, math.inf, -math.inf) else "pad-within-reach"


# The value of masked lanes in four kernels (4.2).
PADS = tuple(
    (mistake, value(lambda given, facts, mistake=mistake: _wrong_pad(given, facts) == mistake))
    for mistake in (
        "value-left-out",
        "pad-entry-missing",
        "text-for-number",
        "pad-given-up",
        "pad-of-no-kind",
        "pad-for-two-reductions",
        "pad-not-a-number",
        "pad-of-another",
        "pad-within-reach",
    )
)

_SIZES = [2**i for i in range(3, 15)]


def _power(n: int) -> int:
    """The smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length()


def _block(size) -> Detector:
    """Matches the number of lanes that size(n) gives for every length of a row."""
    return value_formula(lambda v, f: v == size(f["n"]))


# The number of lanes for a row of facts["n"] columns (4.3).
BLOCK_SIZE = (
    ("returns-nothing", detectors.nothing),
    ("block-not-int", value(lambda v, f: isinstance(v, (float, bool, str, torch.Tensor)))),
    ("xor-for-power", written(syntax.xor_for_power)),
    ("block-is-n-cols", replace(value(lambda v, f: v == f["n"]), share=0.6, by_numbers=True)),
    ("natural-logarithm", _block(lambda n: 2 ** math.ceil(math.log(n)))),
    *(("block-one-short", _block(lambda n, of_one=of_one: _power(n - 1) if n > 1 else of_one)) for of_one in (0, 1)),
    ("block-rounded-down", replace(value(lambda v, f: v == _power(f["n"]) // 2), share=0.6, by_numbers=True)),
    ("block-doubled", replace(value(lambda v, f: v == 2 * f["n"] == 2 * _power(f["n"])), share=0.9, by_numbers=True)),
    ("columns-doubled", _block(lambda n: 2 * n)),
    *(("block-capped", _block(lambda n, most=most: min(_power(n), most))) for most in _SIZES),
    *(("block-at-least", _block(lambda n, least=least: max(_power(n), least))) for least in _SIZES),
    *(("block-multiple", _block(lambda n, of=of: -(-n // of) * of)) for of in (2, 4, *_SIZES)),
    ("block-squared", _block(lambda n: next(v for v in (1, 2, 4, 16, 256, 65536, 2**32) if v >= n))),
    ("block-squared", _block(lambda n: next(v for v in (2, 4, 16, 256, 65536, 2**32) if v >= n))),
    ("columns-squared", _block(lambda n: n * n)),
    ("block-rounded-down", _block(lambda n: _power(n) // 2)),
    # protocol/values.py brings no number of over 1000 bits.
    ("n-for-exponent", value_formula(lambda v, f: v == 2 ** f["n"] if f["n"] < 900 else not isinstance(v, int))),
    *(("two-added", _block(lambda n, first=first: n + (n - first) % 2)) for first in (1, 2)),
    ("block-exponent", _block(lambda n: (n - 1).bit_length())),
    ("block-exponent", _block(lambda n: n.bit_length())),
    ("block-constant", value(lambda v, f: v in (1024, 2048, 4096, 65536, 128, 256, 512))),
    *(("block-constant", _block(lambda n, one=one: one)) for one in (1, 2, 4, 8, 16, 32, 64)),
)
