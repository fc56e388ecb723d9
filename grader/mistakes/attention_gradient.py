"""Mistakes in the gradient of attention: texts, wrong formulas, detectors.

The weights are computed again from the saved log-sum-exp (FlashAttention: Dao et al. 2022, arXiv 2205.14135, B.2).
The facts of a case are those of `reference/attention_gradient.py`.
"""

from __future__ import annotations

import ast

import torch

from ..checks import compare, syntax
from ..reference.attention_gradient import gradients
from ..spec import Case, Detector, Evidence
from . import detectors
from .detectors import both, looks, written
from .kernels import KERNEL
from .mistake import Mistake
from .mutant import Mutant, several

_P, _DS = "tl.exp(s - lse[:, None])", "p * (dp - delta[:, None]) * scale"
_LSE = "        lse = tl.load(lse_ptr + rows, mask=rows < n_queries, other=0.0)"

MISTAKES = [
    Mistake(
        "own-share-kept",
        "The gradient of the scores has the formula for weights that need not sum to 1.",
        "If one weight of a query grows, what happens to the others, and where does your formula say so?",
        Mutant("13.4", _DS, "p * dp * scale", 2),
    ),
    Mistake(
        "weights-left-out",
        "The gradient of the scores lacks the weights themselves.",
        "How much can a score matter if its weight is nearly 0?",
        Mutant("13.4", _DS, "(dp - delta[:, None]) * scale", 2),
    ),
    Mistake(
        "weights-not-normalised-again",
        "The weights are not exp(score - saved log-sum-exp), so the weights of a query do not sum to 1.",
        "What is exp(s - lse), summed over all keys of a query?",
        several("13.4", _P, "tl.exp(s)", "tl.exp(s) / lse[:, None]", "tl.exp2(s - lse[:, None])", times=2),
    ),
    Mistake(
        "gradient-without-scale",
        "The scale went into the scores, and it is missing in the gradient.",
        "By how much does s change when q kᵀ changes by 1?",
        Mutant("13.4", _DS, "p * (dp - delta[:, None])", 2),
    ),
    Mistake(
        "gradient-scaled-twice",
        "The gradient holds the scale twice.",
        "How often is each score multiplied by the scale, and how often should its gradient be?",
        Mutant("13.4", _DS, "p * (dp - delta[:, None]) * scale * scale", 2),
    ),
    Mistake(
        "lse-of-absent-queries",
        "In a lane past the last query, exp(s - lse) is inf, because lse is far below s there. inf times 0 is NaN.",
        "For which lse is the weight of such a lane a finite number?",
        several(
            "13.4",
            _LSE,
            _LSE.replace("other=0.0", 'other=-float("inf")'),
            _LSE.replace("other=0.0", "other=-1e9"),
            replayed=False,
        ),
    ),
    Mistake(
        "values-with-score-gradients",
        "dv was summed with the gradients of the scores in place of the weights.",
        "o is a sum of rows of v: by what is each row of v multiplied there?",
        several("13.4", "tl.dot(tl.trans(p), do", "tl.dot(tl.trans(ds), do", "tl.dot(tl.trans(ds / scale), do"),
    ),
    Mistake(
        "gradients-exchanged",
        "dk was stored where dv belongs, and dv where dk belongs.",
        "Which of the two gradients is a sum of rows of do, each times a weight, and which one needs the gradient of "
        "the scores?",
    ),
    Mistake(
        "gradient-from-one-tile",
        "Only the last tile of the walk reached the gradient.",
        "Which tiles of the walk does each gradient depend on, and what does your line do with the sum of earlier "
        "tiles?",
        *(Mutant("13.4", f"{name} += tl.dot(", f"{name} = tl.dot(") for name in ("dk", "dv", "dq")),
    ),
    Mistake(
        "gradient-negated",
        "A gradient has the right size and the wrong sign.",
        "If a score grows a little, which way does its weight go, and what does each step do with that sign?",
        Mutant("13.4", _DS, "p * (delta[:, None] - dp) * scale", 2),
        *(Mutant("13.4", f"{name} += tl.dot(", f"{name} -= tl.dot(") for name in ("dv", "dk", "dq")),
    ),
    Mistake(
        "delta-of-others",
        "For each query, dp is compared with a number that is not the sum of do times o over its columns.",
        "Of which two tensors is that number the product, and over which axis is it added up?",
        *(
            Mutant("13.4", "tl.sum(do * o, axis=1)", f"tl.sum({product}, axis=1)", 2)
            for product in ("do", "o", "do * do", "do * q", "o * o")
        ),
        Mutant("13.4", "delta = tl.sum(do * o, axis=1)\n        ds", "delta = tl.sum(dp, axis=1)\n        ds"),
        several("13.4", "tl.sum(do * o, axis=1)", "tl.max(do * o, axis=1)", "tl.sum(do * o, axis=0)", times=2),
    ),
    Mistake(
        "delta-of-one-tile",
        "Σ p·dp was added up over the keys of one tile alone, and a query has one such sum, over all of its keys.",
        "Over which keys does that sum run, and which product that needs no key gives the same number?",
        Mutant("13.4", "delta = tl.sum(do * o, axis=1)\n        ds", "delta = tl.sum(p * dp, axis=1)\n        ds"),
        Mutant(
            "13.4",
            '        dp = tl.dot(do, tl.trans(v), input_precision="ieee")\n        ds',
            '        dp = tl.dot(do, tl.trans(v), input_precision="ieee")\n'
            "        delta = tl.sum(p * dp, axis=1)\n        ds",
        ),
    ),
    Mistake(
        "one-tensor-for-another",
        "In one place, a tensor stands where another one belongs.",
        "For each product of the derivation: which two tensors does it have, and which two does your line have?",
        *(
            Mutant("13.4", f"tl.load({right}_ptr + at", f"tl.load({wrong}_ptr + at", 2)
            for right in ("do", "q")
            for wrong in ("do", "o", "q", "k", "v")
            if wrong != right
        ),
        *(Mutant("13.4", "tl.load(lse_ptr", f"tl.load({wrong}_ptr", 2) for wrong in ("do", "q", "k", "v")),
        Mutant("13.4", "tl.load(k_ptr", "tl.load(v_ptr", 2),
        Mutant("13.4", "tl.load(v_ptr", "tl.load(k_ptr", 2),
        *(
            Mutant("13.4", f"tl.dot({right}", f"tl.dot({wrong}", times)
            for right, times, others in (
                ("tl.trans(p), do", 1, ("tl.trans(p), o", "tl.trans(p), q", "tl.trans(ds), do")),
                ("tl.trans(ds), q", 1, ("tl.trans(ds), o", "tl.trans(ds), do", "tl.trans(p), q")),
                ("ds, k", 1, ("ds, v", "p, k")),
                ("do, tl.trans(v)", 2, ("o, tl.trans(v)", "q, tl.trans(v)", "do, tl.trans(k)")),
                ("q, tl.trans(k)", 2, ("o, tl.trans(k)", "do, tl.trans(k)", "q, tl.trans(v)")),
            )
            for wrong in others
        ),
    ),
]


def formula(order: tuple[int, ...] = (0, 1), **changes) -> Detector:
    """Matches the numbers of a wrong formula: gradients(facts, **changes), its outputs in another order."""

    def fits(case: Case, evidence: Evidence) -> bool:
        if evidence.error:
            return False
        outs = case.facts["outs"]
        made = gradients(case.facts, **changes)
        names = [outs[i % len(outs)][0] for i in order[: len(outs)]]
        return all(_alike(got, made[name]) for got, name in zip(evidence.args, names))

    return detectors.wrong_numbers(fits)


def _alike(got: torch.Tensor, want: torch.Tensor) -> bool:
    if got.shape != want.shape or got.isnan().all():
        return False
    size = torch.where(want.isfinite(), want.abs(), 0.0).amax()
    return bool((((got - want).abs() <= 1e-3 * size + 1e-30) | (got == want) | (got.isnan() & want.isnan())).all())


@looks
def _some_nan(args) -> bool:
    """An output holds NaN that was computed and stored."""
    return any(bool((got.isnan() & ~compare.never_stored(got)).any()) for got in args)


@looks
def _scores_far_below(q, k, scale) -> bool:
    """All scores are below -1e9."""
    return bool((scale * q @ k.T < -1e9).all())


def _lse_padded_low(tree: ast.AST) -> bool:
    """For `written`: a load of lse gives masked lanes another number than 0."""
    loads = [call for call in syntax.calls(tree, "load") if "lse_ptr" in ast.unparse(call)]
    pads = [ast.unparse(word.value) for call in loads for word in call.keywords if word.arg == "other"]
    return any(pad.startswith("-") for pad in pads)


ATTENTION_GRADIENT = (
    *KERNEL,
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("lse-of-absent-queries", both(written(_lse_padded_low), _some_nan)),
    ("no-pad", both(written(syntax.load_without_other), _some_nan)),
    ("pad-finite", both(_scores_far_below, _some_nan)),
    ("own-share-kept", formula(scores=lambda p, dp, delta: p * dp)),
    ("weights-left-out", formula(scores=lambda p, dp, delta: dp - delta)),
    ("weights-not-normalised-again", formula(weights=lambda s, lse: torch.exp(s))),
    ("gradient-without-scale", formula(outer=lambda scale: 1.0)),
    ("gradient-scaled-twice", formula(outer=lambda scale: scale * scale)),
    ("gradients-exchanged", formula(order=(1, 0))),
)
