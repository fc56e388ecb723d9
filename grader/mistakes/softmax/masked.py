"""The mistakes of a softmax kernel that leaves out the entries a mask of 0 and 1 drops.

A case's facts hold x as it is judged (dropped entries are -inf), raw as it is sent, keep (M×N), and keep_stride.
"""

from __future__ import annotations

import ast

import torch

from ...checks import syntax
from ...spec import Answer, Case, Detector, Evidence
from .. import detectors
from ..detectors import both, formula, outside, written
from .rows import row_begins


def _softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x.double(), 1)


def _terms(x: torch.Tensor, top: torch.Tensor) -> torch.Tensor:
    """exp(x - top), as float32 sees it."""
    return torch.exp(x.float() - top.float()).double()


def _top(x: torch.Tensor) -> torch.Tensor:
    """The maximum as tl.max takes it: NaN is passed over."""
    return x.nan_to_num(-torch.inf, torch.inf, -torch.inf).amax(1, keepdim=True)


def _raw(x, facts):
    """The mask was never looked at."""
    return _softmax(facts["raw"])


def _inverted(x, facts):
    return _softmax(facts["raw"].masked_fill(facts["keep"] != 0, -torch.inf))


def _dropped_wins_the_maximum(x, facts):
    """exp with the maximum of all entries; the mask comes afterwards."""
    e = _terms(facts["raw"], _top(facts["raw"]))
    e = torch.where(facts["keep"] != 0, e, 0.0)
    return e / e.sum(1, keepdim=True)


def _dropped_wins_and_is_multiplied(x, facts):
    """The same, with a product in place of a selection."""
    e = _terms(facts["raw"], _top(facts["raw"])) * facts["keep"]
    return e / e.sum(1, keepdim=True)


def _multiplied(x, facts):
    """exp with the right maximum, times the mask: inf·0 is NaN."""
    e = _terms(facts["raw"], _top(x)) * facts["keep"]
    return e / e.sum(1, keepdim=True)


def _infinity_added(x, facts):
    """-inf added to what is dropped: inf and -inf make NaN."""
    return _softmax(facts["raw"] + torch.where(facts["keep"] != 0, 0.0, -torch.inf))


def _zero_wins_the_maximum(x, facts):
    """The shift is the maximum of a row in which dropped entries and masked lanes are 0."""
    top = _top(facts["raw"].masked_fill(facts["keep"] == 0, 0.0))
    filled = (facts["keep"] == 0).any(1, keepdim=True) | (facts["block"] > x.shape[1])
    e = _terms(x, torch.where(filled, top.clamp(min=0), top))
    return e / e.sum(1, keepdim=True)


def _dropped_in_the_sum(dropped):
    """The softmax of all entries; afterwards the dropped ones became `dropped`, or were multiplied by 0."""

    def compute(x, facts):
        y = _softmax(facts["raw"])
        return y * facts["keep"] if dropped is None else torch.where(facts["keep"] != 0, y, dropped)

    return compute


def _infinite_lanes(x, facts):
    """Dropped entries and masked lanes are inf."""
    raw = facts["raw"].masked_fill(facts["keep"] == 0, torch.inf)
    return _with_lanes(raw.double(), facts["block"] - x.shape[1], torch.inf)


def _infinite_pad(x, facts):
    """Masked lanes are inf, dropped entries as they should be."""
    return _with_lanes(x.double(), facts["block"] - x.shape[1], torch.inf)


def _infinity_times_mask(x, facts):
    """x + (1 - keep)·(-inf): 0·inf is NaN, and that is added to every entry that is kept."""
    return _softmax(facts["raw"] + (1 - facts["keep"]) * -torch.inf)


def _zeros_in_place_of_dropped(pads):
    """Dropped entries take part as 0; with pads the masked lanes do so too."""

    def compute(x, facts):
        filled = torch.where(facts["keep"] != 0, facts["raw"], 0.0).double()
        extra = facts["block"] - x.shape[1] if pads else 0
        return _with_lanes(filled, extra, 0.0)

    return compute


def _values_times_mask(x, facts):
    """x·keep: dropped entries take part as 0, and inf·0 is NaN."""
    return _softmax(facts["raw"] * facts["keep"])


def _lowest_in_place_of_dropped(pads):
    """Dropped entries take part as a very low number. Which one does not show: only rows without any other see it."""

    def compute(x, facts):
        filled = torch.where(facts["keep"] != 0, facts["raw"].double(), -1e30)
        extra = facts["block"] - x.shape[1] if pads else 0
        return _with_lanes(filled, extra, -1e30)

    return compute


def _lowest_added(x, facts):
    """A very low number was added to dropped entries: an infinite one, or NaN, is not impressed."""
    return _softmax(facts["raw"].double() + torch.where(facts["keep"] != 0, 0.0, -1e30))


def _with_lanes(x: torch.Tensor, extra: int, value: float) -> torch.Tensor:
    """The softmax of rows with `extra` further lanes that hold a value."""
    lanes = torch.full((len(x), extra), value, dtype=torch.float64)
    return torch.softmax(torch.cat([x, lanes], 1), 1)[:, : x.shape[1]]


def _mask_of_row_zero(x, facts):
    return _softmax(facts["raw"].masked_fill(facts["keep"][:1] == 0, -torch.inf))


def _mask_shifted(x, facts):
    """The mask's row r read from element r on."""
    (m, n), flat = x.shape, facts["keep"].contiguous().reshape(-1)
    if m < 2 or m - 1 + n > flat.numel() or facts["keep_stride"] != n:
        return torch.full((m, n), torch.inf)
    return _softmax(facts["raw"].masked_fill(torch.stack([flat[r : r + n] for r in range(m)]) == 0, -torch.inf))


def _rows_shifted(x, facts):
    """The values' row r read from element r on, with the right mask."""
    raw, (m, n) = facts["raw"], x.shape
    flat = raw.contiguous().reshape(-1)
    if m < 2 or m - 1 + n > flat.numel() or raw.stride(0) != n:
        return torch.full((m, n), torch.inf)
    window = torch.stack([flat[r : r + n] for r in range(m)])
    return _softmax(window.masked_fill(facts["keep"] == 0, -torch.inf))


def _in_the_mask(test):
    """An access that left the mask, the first tensor after the output and the values."""
    return lambda where, facts: str(where.get("tensor")).startswith("keep") and test(where, facts)


def _mask_rows(width):
    """The mask's row r looked for r times `width(facts)` elements in."""
    return outside("load", _in_the_mask(row_begins(width, lambda facts: facts["keep_stride"])))


@Detector
def _dead_rows_are_zero(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Rows without a kept finite entry hold zeros, in all places or in those dropped, where PyTorch has NaN."""
    x, got = case.facts.get("x"), detectors.output(case, evidence)
    if x is None or got is None or got.shape != x.shape:
        return False
    dead = (x == -torch.inf).all(1)
    return bool((got[dead] == 0).any() and ((got[dead] == 0) | got[dead].isnan()).all())


@Detector
def _only_dropped_are_wrong(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Every kept entry is right, and a dropped one of a living row is not 0."""
    x, got = case.facts.get("x"), detectors.output(case, evidence)
    if x is None or got is None or got.shape != x.shape:
        return False
    kept = case.facts["keep"] != 0
    living = ~(x == -torch.inf).all(1, keepdim=True)
    right = torch.isclose(got.double(), _softmax(x), rtol=1e-4, atol=1e-30)
    return bool((right | ~kept | ~living).all() and ((got != 0) & ~kept & living).any())


def _loaded(tree: ast.AST) -> set[str]:
    """Names that hold what a load gave, as it came."""
    loads = {id(call) for call in syntax.calls(tree, "load")}
    assigned = [n for n in syntax.nodes(tree) if isinstance(n, ast.Assign) and id(n.value) in loads]
    return {t.id for n in assigned for t in n.targets if isinstance(t, ast.Name)}


def _whole_block_asked(tree: ast.AST) -> bool:
    """`if` or `not` on a block that was loaded, or on a comparison of it."""
    asked = [n.test for n in syntax.nodes(tree) if isinstance(n, (ast.If, ast.IfExp))]
    asked += [n.operand for n in syntax.nodes(tree) if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not)]
    parts = [p for test in asked for p in ([test.left] if isinstance(test, ast.Compare) else [test])]
    return any(isinstance(p, ast.Name) and p.id in _loaded(tree) for p in parts)


def _bits_of_a_number(tree: ast.AST) -> bool:
    """`~keep`, where keep holds 1 and 0."""
    flipped = [n.operand for n in syntax.nodes(tree) if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Invert)]
    return any(isinstance(n, ast.Name) and n.id in _loaded(tree) for n in flipped)


def _times_infinity(tree: ast.AST) -> bool:
    """A product of which one side mentions infinity."""
    products = [n for n in syntax.nodes(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)]
    return any("inf" in ast.unparse(side) for n in products for side in (n.left, n.right))


MASKED_KERNEL = (
    ("whole-block-asked", written(_whole_block_asked)),
    ("bits-of-a-number", both(written(_bits_of_a_number), detectors.all_nan)),
    ("no-pad", both(written(syntax.load_without_other), detectors.all_nan)),
    ("keep-row-stride", _mask_rows(lambda f: f["x_stride"])),
    ("keep-row-stride", _mask_rows(lambda f: f["y_stride"])),
    ("keep-row-stride", _mask_rows(lambda f: f["x"].shape[1])),
    ("keep-ignored", formula(_raw)),
    ("keep-inverted", formula(_inverted)),
    ("keep-row-stride", formula(_mask_of_row_zero)),
    ("keep-row-stride", formula(_mask_shifted)),
    ("row-stride-missing", formula(_rows_shifted)),
    ("dropped-after-exp", formula(_dropped_wins_the_maximum)),
    ("dropped-after-exp", formula(_dropped_wins_and_is_multiplied)),
    ("dropped-by-arithmetic", formula(_infinity_added)),
    ("dropped-by-arithmetic", formula(_multiplied)),
    ("dropped-in-the-sum", formula(_dropped_in_the_sum(0.0))),
    ("dropped-in-the-sum", formula(_dropped_in_the_sum(None))),
    ("dropped-in-the-sum", formula(_dropped_in_the_sum(torch.nan))),
    ("shift-not-max", formula(_zero_wins_the_maximum)),
    ("dropped-as-zero", formula(_values_times_mask)),
    ("dropped-as-zero", formula(_zeros_in_place_of_dropped(pads=False))),
    ("dropped-as-zero", formula(_zeros_in_place_of_dropped(pads=True))),
    ("dropped-finite", formula(_lowest_in_place_of_dropped(pads=False))),
    ("dropped-finite", formula(_lowest_in_place_of_dropped(pads=True))),
    ("dropped-by-arithmetic", formula(_lowest_added)),
    ("dead-row-zero", _dead_rows_are_zero),
    ("dropped-not-zero", _only_dropped_are_wrong),
    ("dropped-by-arithmetic", both(written(_times_infinity), formula(_infinity_times_mask))),
    ("pad-wins", formula(_infinite_lanes)),
    ("pad-wins", formula(_infinite_pad)),
)
