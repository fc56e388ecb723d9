"""Mistakes of a softmax kernel with a mask `keep` of 0 and 1: entries with 0 are dropped.

The facts of a case hold raw (the values in memory), keep, x (raw with -inf for dropped entries), all of shape (M, N),
block, and keep_stride, x_stride and y_stride (elements between two rows of keep, of raw and of the output).
"""

from __future__ import annotations

import ast

import torch

from ...checks import syntax
from ...spec import Answer, Case, Detector, Evidence
from .. import detectors
from ..detectors import both, formula, outside, written
from ..mistake import Mistake
from .rows import row_begins

MISTAKES = [
    Mistake(
        "nan-hidden",
        "A kept NaN was replaced, and its row looks like a softmax.",
        "Which entries may be left out here, and who would notice that one of the others was no number?",
    ),
    Mistake(
        "mask-of-numbers",
        "A load or store takes a mask of true and false, and this one holds numbers. `&` with numbers gives numbers.",
        "Which comparison turns them into true and false?",
    ),
    Mistake(
        "keep-ignored",
        "Every entry takes part, the dropped ones too.",
        "Where does the kernel look at keep, and what becomes of the answer?",
    ),
    Mistake(
        "keep-inverted",
        "Exactly the wrong entries were left out.",
        "Which of its two values does keep have for an entry that takes part?",
    ),
    Mistake(
        "keep-row-stride",
        "The kernel looks for a row of keep in the wrong place.",
        "How far apart do two rows of keep lie, and which parameter says so?",
    ),
    Mistake(
        "dropped-after-exp",
        "The row maximum was taken over all entries, so a dropped one can be the maximum and push the others to 0.",
        "At which of the steps does a dropped entry first have a say?",
    ),
    Mistake(
        "dropped-by-arithmetic",
        "Dropped entries still take part in arithmetic: 0 times inf is NaN, inf plus -inf too, inf minus 1e9 is inf.",
        "Which function takes one value or another without computing with either?",
    ),
    Mistake(
        "dropped-in-the-sum",
        "The dropped entries were counted in the sum, so what is left for the others is too little.",
        "What should the kept entries of a row sum to, and at which step is a dropped one still there?",
    ),
    Mistake(
        "whole-block-asked",
        "`if` and `not` ask a whole block one question: neither of them chooses lane by lane.",
        "Which function takes one value or another for each lane?",
    ),
    Mistake(
        "bits-of-a-number",
        "`~` flips every bit of a number: of 1 it makes -2, and that is as true as 1.",
        "Which comparison turns keep into true and false?",
    ),
    Mistake(
        "dropped-as-zero",
        "A dropped entry takes part as the number 0.",
        "Which value can neither win a maximum nor add to the sum?",
    ),
    Mistake(
        "dropped-finite",
        "Dropped entries became some very low number: where nothing else is left, that number has a softmax.",
        "What should a row without a kept entry be, and what is that number minus itself?",
    ),
    Mistake(
        "dead-row-zero",
        "A row with nothing to share came out as zeros. That is a policy too, but not the one stated here.",
        "What does the lesson say such a row holds?",
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


def _terms(x: torch.Tensor, top: torch.Tensor) -> torch.Tensor:
    """exp(x - top) with the range of float32, as float64."""
    return torch.exp(x.float() - top.float()).double()


def _top(x: torch.Tensor) -> torch.Tensor:
    """The row maxima as tl.max computes them: NaN is ignored. Shape (M, 1)."""
    return x.nan_to_num(-torch.inf, torch.inf, -torch.inf).amax(1, keepdim=True)


def _unmasked(x, facts):
    """The softmax of all entries."""
    return _softmax(facts["raw"])


def _inverted(x, facts):
    """The entries with keep = 1 are dropped, the others are kept."""
    return _softmax(facts["raw"].masked_fill(facts["keep"] != 0, -torch.inf))


def _selected_after_exp(x, facts):
    """The shift is the maximum of all entries; tl.where drops terms after exp."""
    e = _terms(facts["raw"], _top(facts["raw"]))
    e = torch.where(facts["keep"] != 0, e, 0.0)
    return e / e.sum(1, keepdim=True)


def _multiplied_after_exp(x, facts):
    """The shift is the maximum of all entries; a product with the mask drops terms after exp."""
    e = _terms(facts["raw"], _top(facts["raw"])) * facts["keep"]
    return e / e.sum(1, keepdim=True)


def _multiplied(x, facts):
    """The shift is the maximum of the kept entries; a product with the mask drops terms, and inf · 0 is NaN."""
    e = _terms(facts["raw"], _top(x)) * facts["keep"]
    return e / e.sum(1, keepdim=True)


def _infinity_added(x, facts):
    """-inf is added to dropped entries: inf + -inf is NaN."""
    return _softmax(facts["raw"] + torch.where(facts["keep"] != 0, 0.0, -torch.inf))


def _zero_wins_the_maximum(x, facts):
    """The shift is the maximum of a row with 0 in place of dropped entries and masked lanes."""
    top = _top(facts["raw"].masked_fill(facts["keep"] == 0, 0.0))
    filled = (facts["keep"] == 0).any(1, keepdim=True) | (facts["block"] > x.shape[1])
    e = _terms(x, torch.where(filled, top.clamp(min=0), top))
    return e / e.sum(1, keepdim=True)


def _selected_after_division(dropped: float):
    """The softmax of all entries; dropped entries are replaced by `dropped` afterwards."""
    return lambda x, facts: torch.where(facts["keep"] != 0, _softmax(facts["raw"]), dropped)


def _multiplied_after_division(x, facts):
    """The softmax of all entries, times the mask."""
    return _softmax(facts["raw"]) * facts["keep"]


def _infinite_lanes(x, facts):
    """Dropped entries and masked lanes hold inf."""
    raw = facts["raw"].masked_fill(facts["keep"] == 0, torch.inf)
    return _with_lanes(raw.double(), facts["block"] - x.shape[1], torch.inf)


def _infinite_pad(x, facts):
    """Masked lanes hold inf; dropped entries hold -inf, which is right."""
    return _with_lanes(x.double(), facts["block"] - x.shape[1], torch.inf)


def _infinity_times_mask(x, facts):
    """x + (1 - keep) · (-inf): 0 · inf is NaN in each kept entry."""
    return _softmax(facts["raw"] + (1 - facts["keep"]) * -torch.inf)


def _zeros_in_place_of_dropped(pads: bool):
    """Dropped entries hold 0; with `pads` masked lanes hold 0, too."""

    def compute(x, facts):
        filled = torch.where(facts["keep"] != 0, facts["raw"], 0.0).double()
        extra = facts["block"] - x.shape[1] if pads else 0
        return _with_lanes(filled, extra, 0.0)

    return compute


def _values_times_mask(x, facts):
    """x · keep: dropped entries hold 0, and inf · 0 is NaN."""
    return _softmax(facts["raw"] * facts["keep"])


def _low_in_place_of_dropped(pads: bool):
    """Dropped entries hold a very low finite number; with `pads` masked lanes hold it, too.

    The number itself changes nothing: it matters only in rows where all entries are dropped, and there all are equal.
    """

    def compute(x, facts):
        filled = torch.where(facts["keep"] != 0, facts["raw"].double(), -1e30)
        extra = facts["block"] - x.shape[1] if pads else 0
        return _with_lanes(filled, extra, -1e30)

    return compute


def _low_added(x, facts):
    """A very low finite number is added to dropped entries: inf stays inf, and NaN stays NaN."""
    return _softmax(facts["raw"].double() + torch.where(facts["keep"] != 0, 0.0, -1e30))


def _with_lanes(x: torch.Tensor, extra: int, value: float) -> torch.Tensor:
    """The softmax of rows with `extra` masked lanes that hold `value`, float64 of the shape of x."""
    lanes = torch.full((len(x), extra), value, dtype=torch.float64)
    return torch.softmax(torch.cat([x, lanes], 1), 1)[:, : x.shape[1]]


def _mask_of_row_zero(x, facts):
    """Every row uses row 0 of the mask."""
    return _softmax(facts["raw"].masked_fill(facts["keep"][:1] == 0, -torch.inf))


def _mask_shifted(x, facts):
    """Row r of the mask is read from element r on. Where the formula does not apply, the result is all inf."""
    (m, n), flat = x.shape, facts["keep"].contiguous().reshape(-1)
    if m < 2 or m - 1 + n > flat.numel() or facts["keep_stride"] != n:
        return torch.full((m, n), torch.inf)
    return _softmax(facts["raw"].masked_fill(torch.stack([flat[r : r + n] for r in range(m)]) == 0, -torch.inf))


def _rows_shifted(x, facts):
    """Row r of the values is read from element r on, with the right mask. Where it does not apply: all inf."""
    raw, (m, n) = facts["raw"], x.shape
    flat = raw.contiguous().reshape(-1)
    if m < 2 or m - 1 + n > flat.numel() or raw.stride(0) != n:
        return torch.full((m, n), torch.inf)
    window = torch.stack([flat[r : r + n] for r in range(m)])
    return _softmax(window.masked_fill(facts["keep"] == 0, -torch.inf))


def _mask_rows_begin(width) -> Detector:
    """Matches a load of the mask that began at element p · width(facts) in program p, and left the mask."""
    begins = row_begins(width, lambda facts: facts["keep_stride"])
    return outside("load", lambda where, facts: str(where.get("tensor")).startswith("keep") and begins(where, facts))


@Detector
def _only_dropped_are_wrong(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Every kept entry is right, and a dropped entry is not 0 in a row that has a kept finite entry."""
    x, got = case.facts.get("x"), detectors.output(case, evidence)
    if x is None or got is None or got.shape != x.shape:
        return False
    kept = case.facts["keep"] != 0
    living = ~(x == -torch.inf).all(1, keepdim=True)
    right = torch.isclose(got.double(), _softmax(x), rtol=1e-4, atol=1e-30)
    return bool((right | ~kept | ~living).all() and ((got != 0) & ~kept & living).any())


def _loaded(tree: ast.AST) -> set[str]:
    """The names to which the result of a tl.load is assigned directly."""
    loads = {id(call) for call in syntax.calls(tree, "load")}
    assigned = [n for n in syntax.nodes(tree) if isinstance(n, ast.Assign) and id(n.value) in loads]
    return {t.id for n in assigned for t in n.targets if isinstance(t, ast.Name)}


def _whole_block_asked(tree: ast.AST) -> bool:
    """For `written`: `if` or `not` on a loaded block, or on a comparison whose left side is one."""
    asked = [n.test for n in syntax.nodes(tree) if isinstance(n, (ast.If, ast.IfExp))]
    asked += [n.operand for n in syntax.nodes(tree) if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not)]
    parts = [p for test in asked for p in ([test.left] if isinstance(test, ast.Compare) else [test])]
    return any(isinstance(p, ast.Name) and p.id in _loaded(tree) for p in parts)


def _bits_of_a_number(tree: ast.AST) -> bool:
    """For `written`: `~` on a loaded block, whose elements are 1 and 0."""
    flipped = [n.operand for n in syntax.nodes(tree) if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Invert)]
    return any(isinstance(n, ast.Name) and n.id in _loaded(tree) for n in flipped)


def _times_infinity(tree: ast.AST) -> bool:
    """For `written`: a product with infinity in the text of one side."""
    products = [n for n in syntax.nodes(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)]
    return any("inf" in ast.unparse(side) for n in products for side in (n.left, n.right))


@Detector
def _nan_hidden(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A kept NaN gave a row without NaN, or with NaN in fewer places."""
    x, got = case.facts["x"], detectors.output(case, evidence)
    rows = x.isnan().any(1)
    return got is not None and bool(rows.any() and (~got[rows].isnan() & (case.facts["keep"][rows] != 0)).any())


MASKED_KERNEL = (
    ("nan-hidden", _nan_hidden),
    ("whole-block-asked", written(_whole_block_asked)),
    ("bits-of-a-number", both(written(_bits_of_a_number), detectors.all_nan)),
    ("no-pad", both(written(syntax.load_without_other), detectors.all_nan)),
    ("keep-row-stride", _mask_rows_begin(lambda f: f["x_stride"])),
    ("keep-row-stride", _mask_rows_begin(lambda f: f["y_stride"])),
    ("keep-row-stride", _mask_rows_begin(lambda f: f["x"].shape[1])),
    ("keep-ignored", formula(_unmasked)),
    ("keep-inverted", formula(_inverted)),
    ("keep-row-stride", formula(_mask_of_row_zero)),
    ("keep-row-stride", formula(_mask_shifted)),
    ("row-stride-missing", formula(_rows_shifted)),
    ("dropped-after-exp", formula(_selected_after_exp)),
    ("dropped-after-exp", formula(_multiplied_after_exp)),
    ("dropped-by-arithmetic", formula(_infinity_added)),
    ("dropped-by-arithmetic", formula(_multiplied)),
    ("dropped-in-the-sum", formula(_selected_after_division(0.0))),
    ("dropped-in-the-sum", formula(_multiplied_after_division)),
    ("dropped-in-the-sum", formula(_selected_after_division(torch.nan))),
    ("shift-not-max", formula(_zero_wins_the_maximum)),
    ("dropped-as-zero", formula(_values_times_mask)),
    ("dropped-as-zero", formula(_zeros_in_place_of_dropped(pads=False))),
    ("dropped-as-zero", formula(_zeros_in_place_of_dropped(pads=True))),
    ("dropped-finite", formula(_low_in_place_of_dropped(pads=False))),
    ("dropped-finite", formula(_low_in_place_of_dropped(pads=True))),
    ("dropped-by-arithmetic", formula(_low_added)),
    ("dead-row-zero", detectors.dead_rows_are_zero),
    ("dropped-not-zero", _only_dropped_are_wrong),
    ("dropped-by-arithmetic", both(written(_times_infinity), formula(_infinity_times_mask))),
    ("pad-wins", formula(_infinite_lanes)),
    ("pad-wins", formula(_infinite_pad)),
)
