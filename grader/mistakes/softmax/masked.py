"""Mistakes of a softmax kernel with a mask `keep` of 0 and 1: entries with 0 are dropped.

The facts of a case hold raw (the values in memory), keep, x (raw with -inf for dropped entries), all of shape (M, N),
block, and keep_stride, x_stride and y_stride (elements between two rows of keep, of raw and of the output).
"""

from __future__ import annotations

import ast

import torch

from ...checks import syntax
from ...checks.examples import like
from .. import detectors
from ..detectors import both, looks, written
from ..mistake import Mistake
from ..mutant import Mutant, also, several
from .rows import row_begins

_DROP = 'tl.where(keep != 0, x, -float("inf"))'
_TIMES_KEEP = also("tl.exp(x - row_max)", "tl.exp(x - row_max) * keep")
_LANES_KEPT = also("other=0)", "other=1)")  # for keep, so that masked lanes hold the pad of x

MISTAKES = [
    Mistake(
        "nan-hidden",
        "A kept NaN was lost on the way: its row holds numbers, and the NaN should be in all its kept entries.",
        "Which of your operations gives a number although one of its inputs is NaN?",
    ),
    Mistake(
        "mask-of-numbers",
        "A load or store takes a mask of true and false, and this one holds numbers or addresses.",
        "Which comparison gives true and false, does `&` join a number with it, or are two arguments of that line in "
        "the wrong order?",
    ),
    Mistake(
        "keep-ignored",
        "Every entry takes part, also the dropped ones.",
        "Where does the kernel load keep, and which line uses it?",
        Mutant("7.3", _DROP, "x"),
    ),
    Mistake(
        "dropped-from-maximum-only",
        "The dropped entries were left out of the maximum, but not of the sum.",
        "Which lines use the row with the dropped entries replaced, and which lines use the row as it was loaded?",
        Mutant("7.3", "x = " + _DROP, "kept = " + _DROP, then=also("tl.max(x, axis=0)", "tl.max(kept, axis=0)")),
    ),
    Mistake(
        "keep-inverted",
        "Exactly the wrong entries were left out.",
        "Which value does keep have for an entry that takes part, and what does your line do for this value?",
        Mutant("7.3", "keep != 0", "keep == 0"),
    ),
    Mistake(
        "keep-row-stride",
        "The kernel looks for a row of keep in the wrong place.",
        "How far apart are two rows of keep, and which parameter gives that distance?",
        Mutant("7.3", "keep_ptr + row * keep_row_stride", "keep_ptr"),
        several("7.3", "row * keep_row_stride", "row", "row * x_row_stride"),
    ),
    Mistake(
        "dropped-after-exp",
        "The row maximum was taken over all entries, so a dropped one can be the maximum and push the others to 0.",
        "Which is the first step whose result depends on a dropped entry?",
        Mutant("7.3", _DROP, "x", then=also("tl.exp(x - row_max)", "tl.where(keep, tl.exp(x - row_max), 0.0)")),
        Mutant("7.3", _DROP, "x", then=_TIMES_KEEP),
    ),
    Mistake(
        "dropped-by-arithmetic",
        "Dropped entries or masked lanes still take part in arithmetic: 0 times inf is NaN, and inf plus -inf too.",
        "Which function takes one value or another without computing with either?",
        Mutant("7.3", _DROP, 'x + tl.where(keep != 0, 0.0, -float("inf"))'),
        Mutant("7.3", _DROP, "x * keep", replayed=False),
        Mutant("7.3", "tl.max(x", f"tl.max({_DROP}", then=also(f"x = {_DROP}", "", then=_TIMES_KEEP)),
    ),
    Mistake(
        "dropped-by-a-penalty",
        "A penalty was added to the dropped entries. It changes nothing in an entry that is inf, and a row that keeps "
        "nothing has it in every lane.",
        "What is left of the penalty in a row that keeps no entry, once the maximum is subtracted?",
        several("7.3", _DROP, "x + tl.where(keep != 0, 0.0, -1e30)", "x - (1 - keep) * 1e9", "x - (1 - keep) * 1e4"),
    ),
    Mistake(
        "dropped-in-the-sum",
        "The dropped entries were counted in the sum, so the shares of the others are too small.",
        "What should the kept entries of a row sum to, and at which step is a dropped one still there?",
        Mutant("7.3", _DROP, "x", then=also("y, mask=mask", "tl.where(keep != 0, y, 0.0), mask=mask")),
        Mutant("7.3", _DROP, "x", then=also("y, mask=mask", "y * keep, mask=mask")),
        Mutant("7.3", _DROP, "x", then=also("y, mask=mask", "y, mask=mask & (keep != 0)")),
    ),
    Mistake(
        "whole-block-asked",
        "`if` tests a whole block at once. It does not choose lane by lane.",
        "Which function takes one value or another for each lane?",
    ),
    Mistake(
        "bits-of-a-number",
        "`~` flips every bit of a number: 1 becomes -2, and both count as true.",
        "Which comparison turns keep into true and false?",
    ),
    Mistake(
        "dropped-as-zero",
        "A dropped entry or a masked lane takes part as the number 0.",
        "Which value can neither win a maximum nor add to the sum?",
        Mutant("7.3", _DROP, "tl.where(keep != 0, x, 0.0)"),
        Mutant("7.3", _DROP, "tl.where(keep != 0, x, 0.0)", then=_LANES_KEPT),
        Mutant("7.3", _DROP, "x * keep", then=_LANES_KEPT),
    ),
    Mistake(
        "dropped-finite",
        "Dropped entries became a very low number. It is the maximum of a row that keeps no entry, or only lower ones.",
        "For which value is there no smaller float?",
        Mutant(
            "7.3",
            _DROP,
            "tl.where(keep != 0, x, -1e30)",
            then=also("tl.exp(x - row_max)", "tl.where(keep != 0, tl.exp(x - row_max), 0.0)"),
        ),
        Mutant("7.3", _DROP, "tl.where(keep != 0, x, -1e30)"),
        Mutant("7.3", _DROP, "tl.where(keep != 0, x, -1e30)", then=_LANES_KEPT),
    ),
    Mistake(
        "dead-row-zero",
        "A row in which nothing above -inf takes part became zeros. That is another choice than the one of the lesson.",
        "What does the lesson say such a row holds?",
    ),
    Mistake(
        "dead-row-shares",
        "A row that keeps no entry became equal shares. That is another choice than the one of the lesson.",
        "What does the lesson say such a row holds?",
        several(
            "7.3",
            "y, mask=mask",
            "tl.where(tl.sum(keep, axis=0) == 0, 1.0 / n_cols, y), mask=mask",
            'tl.where(row_max == -float("inf"), 1.0 / n_cols, y), mask=mask',
        ),
        several(
            "7.3",
            "    row_max = ",
            "    x = tl.where(tl.sum(keep, axis=0) == 0, 0.0, x)\n    row_max = ",
            "    x = tl.where(tl.sum(keep, axis=0) == 0, 1.0, x)\n    row_max = ",
        ),
    ),
    Mistake(
        "keep-compared-with-columns",
        "keep was compared with the numbers of the columns, but it holds only 1 or 0 for each of them.",
        "What are the two values of keep, and which of them is in your comparison?",
        several("7.3", "keep != 0", "cols < keep", "cols == keep"),
    ),
    Mistake(
        "dropped-not-zero",
        "The kept entries are right, but a dropped one does not hold 0.",
        "What is stored where keep is 0?",
    ),
]


def _softmax(x: torch.Tensor) -> torch.Tensor:
    """The softmax of each row, float64."""
    return torch.softmax(x.double(), 1)


@looks
def _only_dropped_are_wrong(x, like_x, keep) -> bool:
    """Every kept entry is right, and a dropped entry is not 0 in a row that has a kept finite entry."""
    kept = keep != 0
    living = ~(x == -torch.inf).all(1, keepdim=True)
    right = torch.isclose(like_x.double(), _softmax(x), rtol=1e-4, atol=1e-30)
    return bool((right | ~kept | ~living).all() and ((like_x != 0) & ~kept & living).any())


def _loaded(tree: ast.AST) -> set[str]:
    """The names to which the result of a tl.load is assigned directly."""
    loads = syntax.calls(tree, "load")
    return {name for name, value in syntax.assigned(tree) if value in loads}


def _whole_block_asked(tree: ast.AST) -> bool:
    """For `written`: `if` on a loaded block, or on a comparison whose left side is one."""
    asked = [n.test for n in syntax.nodes(tree) if isinstance(n, (ast.If, ast.IfExp))]
    parts = [p for test in asked for p in ([test.left] if isinstance(test, ast.Compare) else [test])]
    return any(isinstance(p, ast.Name) and p.id in _loaded(tree) for p in parts)


def _bits_of_a_number(tree: ast.AST) -> bool:
    """For `written`: `~` on a loaded block, whose elements are 1 and 0."""
    return any(getattr(n.operand, "id", "") in _loaded(tree) for n in like(tree, "~_"))


def _times_infinity(tree: ast.AST) -> bool:
    """For `written`: a product with infinity in the text of one side, or of two loaded blocks: a pad is infinite."""
    products, loaded = like(tree, "_ * _"), _loaded(tree)
    blocks = any({getattr(n.left, "id", ""), getattr(n.right, "id", "")} <= loaded for n in products)
    return blocks or any("inf" in ast.unparse(side) for n in products for side in (n.left, n.right))


@looks
def _nan_hidden(x, got, keep) -> bool:
    """A kept NaN gave a row without NaN, or with NaN in fewer places."""
    rows = x.isnan().any(1)
    return bool(rows.any() and (~got[rows].isnan() & (keep[rows] != 0)).any())


MASKED_KERNEL = (
    ("nan-hidden", _nan_hidden),
    ("whole-block-asked", written(_whole_block_asked)),
    ("bits-of-a-number", both(written(_bits_of_a_number), detectors.all_nan)),
    ("no-pad", both(written(syntax.load_without_other), detectors.outside("load"))),
    ("no-pad", detectors.no_pad(detectors.all_nan)),
    ("dead-row-zero", detectors.dead_rows_are_zero),
    ("dropped-not-zero", _only_dropped_are_wrong),
    ("dropped-by-arithmetic", both(written(_times_infinity), detectors.all_nan)),
    ("wrong-row-stride", detectors.outside("any", row_begins(lambda f: f["keep_stride"]))),
)
