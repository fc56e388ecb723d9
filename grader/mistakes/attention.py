"""Mistakes in attention along tiles of keys: texts, wrong formulas, detectors, tables.

The walk is an online softmax (Milakov and Gimelshein 2018, arXiv 1805.02867) with an accumulator beside it (Rabe and
Staats 2021, arXiv 2112.05682; FlashAttention: Dao et al. 2022, arXiv 2205.14135). For each query it keeps a state
(m, l, o): the largest score so far, the sum of exp(score - m), and the sum of exp(score - m) times the rows of v.

M queries, N keys: q is M×d, k is N×d, v is N×dv. The facts of a case are those of `reference/attention.py`.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from ..checks import syntax
from ..reference import attention
from ..reference.attention import causal_mask, matmul
from ..sentence import foreign, said
from ..spec import Case, Detector, Evidence
from . import detectors
from .detectors import both, looks, only_where, opposite, outside, shapes_clash, written, written_like
from .kernels import KERNEL
from .mistake import Mistake
from .mutant import Mutant, also, several

# ---- texts

_WEIGHTS = "p = tl.exp(s - new[:, None])"
# Where a program of 13.3 finds the first row of its head in each tensor.
PLACES = {t: f"{t}_ptr += batch * {t}_batch_stride + head * {t}_head_stride" for t in "oqkv"}


def _other_steps(of: str, walk: str, step: str) -> tuple[Mutant, ...]:
    """A walk that begins with this text, `range(0, end`, with a step of 1, or with one more or less than it should."""
    return several(of, f"{walk}, {step})", f"{walk})", f"{walk}, {step} - 1)", f"{walk}, {step} + 1)")


_LAST_KEY = "tl.minimum(n_keys, (tl.program_id(0) + 1) * BLOCK_M)"  # of a causal walk

MISTAKES = [
    Mistake(
        "accumulator-lost",
        "The sum of the weighted values, o, is lost at every step, and the sum of the weights, l, is kept.",
        "What does o hold after the second step, and where are the values of the first step?",
        Mutant("13.1", "o * factor + ", ""),
        Mutant("13.2 13.3", "o * factor[:, None] + ", ""),
    ),
    Mistake(
        "shift-not-maximum",
        "The scores of a tile are shifted by another number than their maximum, and exp overflowed.",
        "How much larger than the number that you subtract can a score of the tile be?",
    ),
    Mistake(
        "accumulator-not-rescaled",
        "When the maximum rose, the sum of the weights was rescaled, and the accumulator was not.",
        "Relative to which maximum are the weights that went into o so far?",
    ),
    Mistake(
        "queries-met-columns",
        "One number for each query was matched with the columns of o, and not with its rows. Where o has as many "
        "columns as rows, there is no error.",
        "Which shape does that number for each query have, and which shape fits the rows of o?",
        Mutant("13.1", "o * factor", "o * factor.flatten()"),
        Mutant("13.1", "o / l", "o / l.flatten()"),
        Mutant("13.1", "o * factor", "o * factor.flatten()", then=also("o / l", "o / l.flatten()")),
    ),
    Mistake(
        "tiles-averaged",
        "Each tile got a softmax of its own, and the tiles were added or averaged as if all of them weighed the same.",
        "How much of the weight of all keys belongs to a tile if its scores are far below the scores of another tile?",
        several(
            "13.1",
            "    return o / l",
            "    o, starts = 0 * o, range(0, len(k), tile)\n"
            "    for i in starts:\n"
            "        s = q @ k[i : i + tile].T * scale\n"
            "        e = torch.exp(s - s.amax(dim=1, keepdim=True))\n"
            "        o = o + e / e.sum(dim=1, keepdim=True) @ v[i : i + tile]\n"
            "    return o / len(starts)",
            "    o = 0 * o\n"
            "    for i in range(0, len(k), tile):\n"
            "        s = q @ k[i : i + tile].T * scale\n"
            "        e = torch.exp(s - s.amax(dim=1, keepdim=True))\n"
            "        o = o + e / e.sum(dim=1, keepdim=True) @ v[i : i + tile]\n"
            "    return o",
        ),
    ),
    Mistake(
        "scale-of-weights-alone",
        "The weights are computed from scaled scores and the factor from unscaled scores, or the other way round.",
        "Which of the numbers in your lines are scaled scores, and which are unscaled scores?",
        Mutant("13.1", ".T * scale", ".T", then=also("torch.exp(s - new)", "torch.exp((s - new) * scale)")),
        Mutant("13.1", ".T * scale", ".T", then=also("torch.exp(m - new)", "torch.exp((m - new) * scale)")),
        Mutant(
            "13.2",
            '"ieee") * scale',
            '"ieee")',
            then=also("tl.exp(s - new[:, None])", "tl.exp((s - new[:, None]) * scale)"),
        ),
    ),
    Mistake(
        "sum-over-queries",
        "The output of each query was divided by the sum of the weights of all queries together.",
        "How many numbers does l hold, and by which one is the output of query 3 divided?",
        Mutant("13.1", "o / l", "o / l.sum()"),
        Mutant("13.2 13.3", "o / l[:, None]", "o / tl.sum(l)"),
    ),
    Mistake(
        "values-of-other-tile",
        "The weights of a tile met the values of another tile.",
        "Which rows of v belong to the keys of this step?",
        several(
            "13.1",
            "v[start : start + tile]",
            "v[: min(tile, len(k) - start)]",
            "v[max(start - tile, 0) :][: s.shape[1]]",
            "v[len(k) - start - s.shape[1] : len(k) - start]",
        ),
        Mutant("13.2 13.3", "v_ptr + keys[:, None]", "v_ptr + (keys - start)[:, None]"),
    ),
    Mistake(
        "divided-at-every-tile",
        "A division by the sum took place before the walk ended.",
        "Which numbers did you divide in each step, and which sum do they belong to?",
        Mutant("13.2 13.3", _WEIGHTS, f"{_WEIGHTS}\n        p = p / tl.sum(p, axis=1)[:, None]"),
    ),
    Mistake(
        "factor-without-exp",
        "The factor is a ratio or a difference of the two maxima, and not a power of e.",
        "What is exp(v - a) divided by exp(v - b), for any number v and two maxima a and b?",
        several(
            "8.2",
            "da * math.exp(ma - m) + db * math.exp(mb - m)",
            "da * (ma - m) + db * (mb - m)",
            "da * (m - ma) + db * (m - mb)",
            "da * ma / m + db * mb / m",
        ),
        Mutant("8.2", "da * math.exp(ma - m)", "da * (ma - m)"),
        Mutant("8.2", "db * math.exp(mb - m)", "db * (mb - m)"),
        Mutant("8.1", "math.exp(m - new) +", "(m - new) +"),
    ),
    Mistake(
        "start-finite",
        "The walk starts with a maximum that is larger than the scores of some queries.",
        "What is the maximum of no values at all?",
        Mutant("13.1", "-math.inf, device", "-1e9, device", replayed=False),
        Mutant("13.2", '[BLOCK_M], -float("inf")', "[BLOCK_M], -1e9", replayed=False),
    ),
    Mistake(
        "maximum-of-first-tile",
        "The maximum of the first tile was kept, even if a later tile has a larger score.",
        "Which scores should m know of after the second tile?",
    ),
    Mistake(
        "weights-not-summed",
        "The output was divided by a wrong sum: only the largest weight of each tile was added to l.",
        "Which weights is o made of, and which of them are in l?",
    ),
    Mistake(
        "weights-averaged",
        "The output was divided by a wrong sum: the mean of the weights of each tile was added to l.",
        "Which number must the weights of a query have as their sum, once they are divided by l?",
    ),
    Mistake(
        "last-tile-sum",
        "The output was divided by the sum of the newest tile alone.",
        "Which keys do the weights in o come from, and which of them are in l?",
    ),
    Mistake(
        "not-normalised",
        "The accumulator was not divided by the sum of the weights: the weights of a query do not sum to 1.",
        "If every row of v holds ones, which output do you get, and which output is right?",
        Mutant("13.1", "o / l", "o / len(k)"),
        Mutant("13.2", "o / l[:, None]", "o / n_keys"),
    ),
    Mistake(
        "scale-forgotten",
        "The scores are those without the factor 1/√d.",
        "Which line multiplies by this factor, and which number is it for the d of this input?",
        Mutant("13.1", ".T * scale", ".T", then=also("o / l", "o / l * scale")),
        Mutant("13.2", '"ieee") * scale', '"ieee")', then=also("o / l[:, None]", "o * scale / l[:, None]")),
        Mutant("13.4", 'input_precision="ieee") * scale', 'input_precision="ieee")', 2),
    ),
    Mistake(
        "scaled-twice",
        "The scores were multiplied by the square of the scale; dividing by the number of columns does the same.",
        "Where does a score meet the scale on its way, and how often?",
    ),
    Mistake(
        "scale-upside-down",
        "The scores were divided by the scale.",
        "Should the scale make the scores of longer vectors larger or smaller?",
    ),
    Mistake(
        "scale-of-another-size",
        "The scale was made of another size than the number of columns of q.",
        "Which letter stands under the root in the formula, and which size of which tensor is it?",
    ),
    Mistake(
        "scale-of-its-own",
        "The kernel computes its own scale and does not use its parameter.",
        "What is the parameter scale for?",
    ),
    Mistake(
        "dot-shapes",
        "The shapes of a matrix product do not fit: the first has more or fewer columns than the second has rows.",
        "Which shapes do the two factors in that line have, and which two of their lengths must be equal?",
    ),
    Mistake(
        "keys-left-out",
        "Some of the keys were never used.",
        "Which keys does each step of your loop use, and which keys are used by no step?",
    ),
    Mistake(
        "steps-of-another-block",
        "The step of the walk is the number of queries of a block, but it should be the number of keys of a tile.",
        "With which key does the second tile begin, and with which one does your second step begin?",
        Mutant("13.2 13.3", "range(0, end, BLOCK_N)", "range(0, end, BLOCK_M)"),
    ),
    Mistake(
        "values-for-keys",
        "The scores were computed with the rows of v, and k was not used.",
        "Which of the two tensors determines the weights, and which one is multiplied by them?",
        Mutant("13.2 13.3", "k_ptr + keys[:, None] * k_row_stride", "v_ptr + keys[:, None] * v_row_stride"),
        Mutant("13.2 13.3", "tl.trans(k)", "tl.trans(v)"),
    ),
    Mistake(
        "keys-read-again",
        "The numbers are right, but keys or values are read more than once.",
        "What do you need of the earlier tiles when a new one arrives?",
    ),
    Mistake(
        "scores-stored",
        "As many numbers were kept at once as there are scores. The walk should avoid exactly that.",
        "Which tensors of yours grow with the number of keys?",
    ),
    Mistake(
        "shape-not-a-tuple",
        "A shape is a tuple, even with one size.",
        "How does Python write a tuple with one element, and how one with two?",
    ),
    Mistake(
        "dtype-missing",
        "tl.zeros takes a shape and a dtype, tl.full a shape, a value and a dtype. One of them is missing.",
        "Which of these does your line give, and in which order?",
    ),
    Mistake(
        "loop-over-a-block",
        "A loop needs one number for its beginning and one for its end, not a block of them.",
        "Which variable in the line of the loop is a block, and which single number should stand there?",
    ),
    Mistake(
        "matmul-in-kernel",
        "@ is PyTorch's matrix product, and Triton's blocks have no such operator.",
        "Which function of Triton multiplies two matrices, and which two operations turn two rows into one number?",
    ),
    Mistake(
        "strides-exchanged",
        "A tensor was addressed with a stride of another one.",
        "Which stride belongs to which pointer?",
        *(
            Mutant("13.3", PLACES[name], PLACES[other].replace(f"{other}_ptr", f"{name}_ptr"))
            for name in "qkv"
            for other in "oqkv"
            if other != name
        ),
    ),
    Mistake(
        "keys-past-the-end",
        "A load of keys or values reads past the last key.",
        "Which lanes of that block have a key, and which comparison finds the lanes that have none?",
    ),
    Mistake(
        "zero-times-nan",
        "Lanes past the last row of v hold an infinity or NaN, or may hold it. A weight of 0 does not help: 0 times "
        "an infinity is NaN, and so is 0 times NaN.",
        "What should a masked lane of v hold, so that 0 times it is 0?",
    ),
    Mistake(
        "absent-keys-weigh",
        "Lanes past the last key got a weight. If such a lane holds NaN, the whole query becomes NaN.",
        "Which score should a lane past the last key have?",
        Mutant("13.4", '        s = tl.where(keys[None, :] < n_keys, s, -float("inf"))\n', ""),
        Mutant("13.2 13.3 13.4", "keys[None, :] < n_keys, s", "keys[None, :] <= n_keys, s"),
    ),
    Mistake(
        "keys-for-values",
        "The weights were multiplied with the rows of k, and v was not used.",
        "Which pointer does each of your loads begin with?",
        Mutant("13.3", "v_ptr + keys[:, None] * v_row_stride", "k_ptr + keys[:, None] * k_row_stride"),
    ),
    Mistake(
        "hidden-as-zero",
        "Hidden keys have the score 0, which has a weight like any other.",
        "Which score can neither win a maximum nor add to the sum?",
        Mutant("13.3", '<= rows[:, None], s, -float("inf"))', "<= rows[:, None], s, 0.0)"),
    ),
    Mistake(
        "hidden-finite",
        "Hidden keys have a finite score, and all scores that a query may see can be below it. A score from which a "
        "large number was subtracted is finite as well.",
        "For which score is there no lower one?",
        Mutant("13.2", '<= rows[:, None], s, -float("inf"))', "<= rows[:, None], s, -1e9)"),
        Mutant("13.2 13.3", '<= rows[:, None], s, -float("inf"))', "<= rows[:, None], s, -10000.0)"),
        Mutant("13.3", '<= rows[:, None], s, -float("inf"))', "<= rows[:, None], s, -1000.0)"),
        Mutant(
            "13.2 13.3",
            's = tl.where(keys[None, :] <= rows[:, None], s, -float("inf"))',
            "s += tl.where(keys[None, :] <= rows[:, None], 0.0, -1e6)",
        ),
    ),
    Mistake(
        "hidden-after-exp",
        "The maximum was taken over hidden keys as well. A large score of a hidden key makes the weights of the "
        "others 0.",
        "Which is the first step whose result depends on a hidden key?",
    ),
    Mistake(
        "absent-keys-in-the-maximum",
        "The maximum was taken over lanes without a key as well. Their score is above all scores of this case, so "
        "every weight became 0.",
        "Which is the first step whose result depends on a lane past the last key?",
    ),
    Mistake(
        "hidden-in-the-sum",
        "Hidden keys were counted in l, so the weights of the other keys are too small.",
        "What should the weights of a query sum to, and at which step is a hidden key still there?",
    ),
    Mistake(
        "causal-places-of-a-block",
        "The kernel compared the places inside a block, and not the numbers of queries and keys.",
        "Which number does the first query of program 1 have, and which number does the first key of the second tile "
        "have?",
    ),
    Mistake(
        "tile-of-own-size",
        "A step of the walk takes more keys than `tile` says, so its scores need more room than they are given.",
        "How many rows of k and of v does each of your operations take, and on what does this number depend?",
    ),
    Mistake(
        "causal-ignored",
        "Queries look at keys that come after them.",
        "Which keys may query 0 look at when CAUSAL is on?",
    ),
    Mistake(
        "causal-off-by-one",
        "The border between seen and hidden keys is one key off.",
        "Does a query look at the key that has its own number?",
    ),
    Mistake(
        "causal-inverted",
        "Exactly the wrong keys are hidden: queries look ahead and not back.",
        "Take a query and a key that it may look at. Which of the two has the larger number?",
    ),
    Mistake(
        "causal-from-the-end",
        "Queries and keys were counted from their ends: the last query sees the last key, and not the key of its own "
        "number.",
        "Which keys may query 0 see if there are more keys than queries, and which does it see in your kernel?",
        Mutant(
            "13.2 13.3", "<= rows[:, None]", "<= rows[:, None] + n_keys - n_queries", then=also(_LAST_KEY, "n_keys")
        ),
    ),
    Mistake(
        "half-products",
        "The numbers have about three digits: blocks were turned into half precision on the way.",
        "Which dtype do q, k and v have, and which line of yours has another one?",
    ),
    Mistake(
        "one-row-for-all",
        "In one tensor, the same row was read for all queries, or for all keys.",
        "Which part of an address grows from row to row?",
        Mutant("13.2 13.3", "q_ptr + rows[:, None] * q_row_stride + dims", "q_ptr + dims"),
        Mutant("13.2 13.3", "k_ptr + keys[:, None] * k_row_stride + dims", "k_ptr + dims"),
        Mutant("13.2 13.3", "v_ptr + keys[:, None] * v_row_stride + dims", "v_ptr + dims"),
        Mutant("13.2 13.3", "q_ptr + rows[:, None] * q_row_stride + dims", "q_ptr + q_row_stride + dims"),
        Mutant("13.2 13.3", "k_ptr + keys[:, None] * k_row_stride + dims", "k_ptr + k_row_stride + dims"),
        Mutant("13.2 13.3", "v_ptr + keys[:, None] * v_row_stride + dims", "v_ptr + v_row_stride + dims"),
    ),
    Mistake(
        "tiles-out-of-step",
        "The tiles of the walk do not lie side by side: they overlap, or they leave gaps.",
        "By how much does the walk go forward, and how much does one step of it take?",
        _other_steps("13.2 13.3", "range(0, end", "BLOCK_N"),
        Mutant("13.2 13.3", "range(0, end, BLOCK_N)", "range(0, end, BLOCK_N // 2)"),
        several("13.1", "range(0, len(k), tile)", "range(0, len(k))", "range(0, len(k), tile + 1)"),
        _other_steps("13.4", "range(0, n_keys", "BLOCK_N"),
        _other_steps("13.4", "range(0, n_queries", "BLOCK_M"),
        _other_steps("8.3 16.1", "d = 0.0\n    for start in range(0, n_cols", "BLOCK"),
        _other_steps("9.1", "range(0, split_size", "BLOCK"),
    ),
    Mistake(
        "walks-the-other-length",
        "The walk has as many steps as the other length needs: that of the queries in place of the keys, or the other "
        "way round.",
        "Does your loop walk along queries or along keys, and how many of them are there?",
        Mutant("13.4", "range(0, n_keys, BLOCK_N)", "range(0, n_queries, BLOCK_N)"),
        Mutant("13.4", "range(0, n_queries, BLOCK_M)", "range(0, n_keys, BLOCK_M)"),
        Mutant("13.2 13.3", "end = n_keys", "end = n_queries"),
    ),
    Mistake(
        "first-left-out",
        "The walk begins one too late: the first one took no part.",
        "Does your loop count keys, queries or columns, and which number does the first of them have?",
        Mutant("13.2 13.3", "range(0, end, BLOCK_N)", "range(1, end, BLOCK_N)"),
        Mutant("13.1", "range(0, len(k), tile)", "range(1, len(k), tile)"),
        Mutant("13.4", "range(0, n_keys, BLOCK_N)", "range(1, n_keys, BLOCK_N)"),
        Mutant("13.4", "range(0, n_queries, BLOCK_M)", "range(1, n_queries, BLOCK_M)"),
        Mutant("8.3 16.1", "d = 0.0\n    for start in range(0", "d = 0.0\n    for start in range(1"),
        Mutant("9.1", "range(0, split_size", "range(1, split_size"),
    ),
    Mistake(
        "last-key-left-out",
        "The last key took no part.",
        "Which number does the last key have, and do your loop and your comparison reach it?",
        Mutant("13.2 13.3 13.4", "keys[None, :] < n_keys, s", "keys[None, :] < n_keys - 1, s"),
    ),
    Mistake(
        "always-causal",
        "Later keys were hidden, although CAUSAL is False.",
        "What should happen to the keys after a query if CAUSAL is False?",
        Mutant("13.2 13.3", "    if CAUSAL:\n            s", "    if True:\n            s"),
        Mutant("13.2 13.3", "if CAUSAL", "if True", 2),
        Mutant("13.2 13.3", "    if CAUSAL:\n            s", "    if not CAUSAL:\n            s"),
    ),
]

# ---- wrong formulas: updates of the state
#
# An update takes m and l (M×1), o (M×dv), the masked scores s of a tile (M×tile), the same scores unmasked (raw), and
# the tile's rows of v (tile×dv). All are float32.

State = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def _row_max(s):
    return s.amax(1, keepdim=True)


def _row_sum(p):
    return p.sum(1, keepdim=True)


def _right_sums(l, o, factor, p, v):
    """The right sums: l and o times factor (M×1), plus those of the weights p (M×tile)."""
    return l * factor + _row_sum(p), o * factor + matmul(p, v)


def update_with(
    top=lambda m, s, raw: torch.maximum(m, _row_max(s)),
    factor=lambda m, new: torch.exp(m - new),
    weights=lambda s, raw, m, new: torch.exp(s - new),
    sums=_right_sums,
):
    """The right update, without a guard for a tile of nothing but -inf, with some of its steps replaced.

    top(m, s, raw): the new maximum. factor(m, new): of the old sums. weights(s, raw, m, new): of the keys of the tile.
    sums(l, o, factor, p, v): the new l and o.
    """

    def update(m, l, o, s, raw, v) -> State:
        new = top(m, s, raw)
        return new, *sums(l, o, factor(m, new), weights(s, raw, m, new), v)

    return update


right_update = update_with()
# exp(new - old) in place of exp(old - new).
factor_inverted = update_with(factor=lambda m, new: torch.exp(new - m))
# The new weights are relative to the old maximum.
stale_maximum = update_with(weights=lambda s, raw, m, new: torch.exp(s - m))
# The tile's own maximum in place of the running one.
tile_maximum = update_with(lambda m, s, raw: _row_max(s))
# exp of the scores without a shift.
unshifted = update_with(lambda m, s, raw: m, lambda m, new: 1.0, lambda s, raw, m, new: torch.exp(s))
# One maximum for all queries.
shared_maximum = update_with(lambda m, s, raw: torch.maximum(m, s.amax()))
# The first tile's maximum for all tiles.
first_maximum = update_with(lambda m, s, raw: torch.where(m == -torch.inf, _row_max(s), m))
# l sums the largest weight of each tile in place of all weights.
maxima_summed = update_with(sums=lambda l, o, factor, p, v: (l * factor + _row_max(p), o * factor + matmul(p, v)))
# l sums the mean of the weights of each tile.
means_summed = update_with(
    sums=lambda l, o, factor, p, v: (l * factor + p.mean(1, keepdim=True), o * factor + matmul(p, v))
)
# l is the sum of the newest tile alone.
last_sum = update_with(sums=lambda l, o, factor, p, v: (_row_sum(p), o * factor + matmul(p, v)))
# The new part is rescaled together with the old one.
both_rescaled = update_with(sums=lambda l, o, factor, p, v: ((l + _row_sum(p)) * factor, (o + matmul(p, v)) * factor))
# Masked keys take part in the maximum; their weights are set to 0.
masked_after_exp = update_with(
    lambda m, s, raw: torch.maximum(m, _row_max(raw)),
    weights=lambda s, raw, m, new: torch.where(s == -torch.inf, 0.0, torch.exp(raw - new)),
)


def maximum_not_kept(m, l, o, s, raw, v) -> State:
    """The new maximum is used, but not kept for the next tile."""
    return m, *right_update(m, l, o, s, raw, v)[1:]


def rescaled(l_factor: bool, o_factor: bool):
    """Only l, only o, or neither of them is rescaled when the maximum rises."""
    return update_with(
        sums=lambda l, o, factor, p, v: (
            l * (factor if l_factor else 1.0) + _row_sum(p),
            o * (factor if o_factor else 1.0) + matmul(p, v),
        )
    )


def shifted_by(shift):
    """The update with shift(scores of the tile) in place of the tile's maximum."""
    return update_with(lambda m, s, raw: torch.maximum(m, shift(s)))


_OTHER_SHIFTS = (
    lambda s: s.mean(1, keepdim=True),
    lambda s: s.amin(1, keepdim=True),
    lambda s: s.median(1, keepdim=True).values,
    lambda s: s[:, :1],
    lambda s: s[:, -1:],
)


def divided(by_all: bool, what: str):
    """o is divided at every tile.

    by_all: the divisor is the sum of all weights so far; else it is the tile's own sum. what: the dividend is the
    "whole" of o, or its "new" part.
    """

    def sums(l, o, factor, p, v):
        total, whole = _right_sums(l, o, factor, p, v)
        by = total if by_all else _row_sum(p)
        return total, whole / by if what == "whole" else o * factor + matmul(p, v) / by

    return update_with(sums=sums)


def masked_in_sum(m, l, o, s, raw, v) -> State:
    """Masked keys take part in the maximum and in l, but not in o."""
    new = torch.maximum(m, _row_max(raw))
    factor, p = torch.exp(m - new), torch.exp(raw - new)
    return new, l * factor + _row_sum(p), o * factor + matmul(torch.where(s == -torch.inf, 0.0, p), v)


def first_tile_right(update):
    """The same update, with the right one for the first tile, as in answers that treat the start apart."""

    def first_apart(m, l, o, s, raw, v) -> State:
        return (right_update if bool((m == -torch.inf).all()) else update)(m, l, o, s, raw, v)

    return first_apart


# ---- wrong formulas: scores
#
# A formula of scores takes the facts of a case and gives float32 of shape M×N. Hidden keys are -inf.

LN_2 = math.log(2)  # 2**x is exp(x · LN_2)


def unscaled_scores(facts: dict) -> torch.Tensor:
    """q kᵀ."""
    return matmul(facts["q"].float(), facts["k"].float().t())


def scaled(factor: Callable[[float], float] = lambda scale: scale):
    """Scores that are multiplied by factor(scale)."""

    def scores(facts: dict) -> torch.Tensor:
        s = unscaled_scores(facts) * factor(facts["scale"])
        return s.masked_fill(causal_mask(*s.shape), -torch.inf) if facts["causal"] else s

    return scores


def scaled_by(size: Callable[[dict], int]):
    """Scores over the root of size(facts)."""
    return lambda facts: scaled(lambda scale: size(facts) ** -0.5)(facts)


# The columns of v, the keys, the queries.
_OTHER_SIZES = (lambda facts: facts["v"].shape[1], lambda facts: len(facts["k"]), lambda facts: len(facts["q"]))


def own_scale(facts: dict) -> torch.Tensor:
    """Scores with the scale 1/√d, whatever the given scale is."""
    return scaled(lambda scale: facts["k"].shape[1] ** -0.5)(facts)


def visible(keep):
    """Scores with another causal mask: query i sees the keys j where keep(i, j, facts) is True."""

    def scores(facts: dict) -> torch.Tensor:
        s = unscaled_scores(facts) * facts["scale"]
        kept = keep(torch.arange(s.shape[0])[:, None], torch.arange(s.shape[1])[None, :], facts)
        return s.masked_fill(~kept, -torch.inf) if facts["causal"] else s

    return scores


def all_keys(m, n, facts: dict):
    """Every query sees all keys."""
    return m + n >= 0


def keys_of_walk(m, n, facts: dict):
    """A query sees all keys of the tiles that its program loads, where the program stops behind its last query."""
    end = (m // facts["block"] + 1) * facts["block"]
    return n < -(-end // facts["tile"]) * facts["tile"]


def _stopped(end):
    """A causal mask, where program i loads no tile that begins at or behind end(i, facts)."""
    return lambda m, n, facts: (n <= m) & (n // facts["tile"] * facts["tile"] < end(m // facts["block"], facts))


STOPPED_EARLY = (
    _stopped(lambda program, facts: program * facts["block"] + 1),
    _stopped(lambda program, facts: (program + 1) * facts["tile"]),
)
# Causal masks that compare places inside a block of queries, inside a tile of keys, or both.
PLACES_OF_A_BLOCK = (
    lambda m, n, facts: n <= m % facts["block"],
    lambda m, n, facts: (n % facts["tile"] <= m) & keys_of_walk(m, n, facts),
    lambda m, n, facts: (n % facts["tile"] <= m % facts["block"]) & keys_of_walk(m, n, facts),
)


def hidden_as(score: float, keep=all_keys):
    """Scores with this number for the hidden keys among those where keep(i, j, facts) is True."""

    def scores(facts: dict) -> torch.Tensor:
        s = visible(keep)(facts)
        return s.masked_fill(causal_mask(*s.shape) & (s > -torch.inf), score) if facts["causal"] else s

    return scores


# ---- wrong formulas: attention
#
# A formula takes the facts of a case and gives the M×dv that an answer with the mistake gives.


def walk(update=right_update, scores=None, raw=None, start: float = -torch.inf, pad: float = -torch.inf,
         raw_pad: float = 0.0, finish=lambda l, o: o / l, tiles=lambda tiles: tiles):  # fmt: skip
    """A formula that walks along the keys with `update`.

    scores: formula of the masked scores; raw: formula of the unmasked ones. start: the first maximum. pad, raw_pad: the
    scores of the lanes behind the last key, which exist in kernels only; with the usual scores, causal masking hides
    these lanes from most queries. finish: the last step. tiles: selects tiles from the list of all.
    """

    def compute(facts: dict) -> torch.Tensor:
        s, bare = (scores or scaled())(facts), (raw or visible(all_keys))(facts)
        missing, v = -s.shape[1] % facts["tile"] if "block" in facts else 0, facts["v"].float()
        s = torch.nn.functional.pad(s, (0, missing), value=pad)
        bare = torch.nn.functional.pad(bare, (0, missing), value=raw_pad)
        if facts["causal"] and scores is None:
            s = s.masked_fill(causal_mask(*s.shape), -torch.inf)
        v = torch.nn.functional.pad(v, (0, 0, 0, missing))
        walked = _walked(facts, len(s), s.shape[1]).split(1, 1)
        parts = zip(walked, *(t.split(facts["tile"], dim) for t, dim in ((s, 1), (bare, 1), (v, 0))))
        state = torch.full((len(s), 1), start), torch.zeros(len(s), 1), torch.zeros(len(s), v.shape[1])
        for walks, *part in tiles(list(parts)):
            state = tuple(torch.where(walks, new, old) for new, old in zip(update(*state, *part), state))
        return finish(*state[1:])

    return compute


def _walked(facts: dict, n_queries: int, n_keys: int) -> torch.Tensor:
    """Which tiles the walk of each query visits, queries × tiles: a causal kernel ends where its block sees no key."""
    first = torch.arange(0, n_keys, facts["tile"])
    if not facts["causal"] or "block" not in facts:
        return torch.ones(n_queries, len(first), dtype=torch.bool)
    ends = (torch.arange(n_queries) // facts["block"] + 1) * facts["block"]
    return first < ends[:, None]


def by_blocks(formula):
    """The same formula for one block of queries at a time, for mistakes that mix the queries of a block."""

    def compute(facts: dict) -> torch.Tensor:
        want, size = facts["want"], facts["block"]
        if facts["causal"]:  # the numbers of the queries would be lost; inf equals no answer
            return torch.full_like(want, torch.inf)
        made = []
        for first in range(0, len(want), size):
            part = facts | {"q": facts["q"][first : first + size], "want": want[first : first + size]}
            short = size - len(part["q"])
            part["q"] = torch.nn.functional.pad(part["q"], (0, 0, 0, short))
            made.append(formula(part)[: size - short])
        return torch.cat(made)

    return compute


def softmax_over_queries(facts: dict) -> torch.Tensor:
    """The weights of a key sum to 1, not those of a query."""
    return matmul(torch.softmax(unscaled_scores(facts) * facts["scale"], 0), facts["v"].float())


def changed(**changes):
    """The right walk over other inputs: each change gives the replacement for a fact from all facts."""
    return lambda facts: walk()(facts | {name: change(facts) for name, change in changes.items()})


def row_stride_missing(names: str):
    """The right walk over tensors whose row r begins at element r; names: some of "q", "k" and "v"."""

    def window(name: str):
        def change(facts: dict) -> torch.Tensor:
            (m, n), flat = facts[name].shape, facts[name].reshape(-1)
            return torch.stack([flat[r : r + n] for r in range(m)])

        return change

    return changed(**{name: window(name) for name in names})


def first_tile_again(names: str):
    """The right walk, where every step loads the first tile of the named tensors."""

    def repeat(name: str):
        return lambda facts: facts[name][torch.arange(len(facts[name])) % facts["tile"]]

    return changed(**{name: repeat(name) for name in names})


# ---- wrong formulas: comparison with an answer

_FEW = 4  # queries: most formulas differ from the answer in the first few, which takes less time than all


def formula(compute, mixes_queries: bool = False) -> Detector:
    """Matches when the answer's numbers are those of a wrong formula of the facts, and not the right ones.

    mixes_queries: a query's result depends on other queries, so that a few of them cannot be computed alone.
    """

    def fits(case: Case, evidence: Evidence) -> bool:
        got, facts = detectors.output(case, evidence), case.facts
        if evidence.error or not isinstance(got, torch.Tensor):
            return False
        few = facts | {name: facts[name][:_FEW] for name in ("q", "want", "allowed")}
        return (mixes_queries or _same(got[:_FEW], compute(few), few)) and _same(got, compute(facts), facts)

    def right(case: Case, evidence: Evidence) -> bool:
        return _same(case.facts["want"], compute(case.facts), case.facts)

    def weight(case: Case, evidence: Evidence) -> float:
        return detectors.loss_weight(detectors.output(case, evidence), case.facts["want"])

    return detectors.wrong_numbers(fits, right, weight, share=0.0)


def _same(got: torch.Tensor, numbers: torch.Tensor, facts: dict) -> bool:
    """Whether got (M×dv) is roughly a formula's numbers, or both are right.

    Right numbers of scores around -20,000 may differ by more than `alike` allows: each rounds on its own.
    """
    return alike(got, numbers) or all(attention.correct(each, facts) for each in (numbers, got))


def alike(got: torch.Tensor, want: torch.Tensor) -> bool:
    """Whether got (M×dv) equals a formula's result roughly, NaN and inf included; too loose to accept an answer."""
    if got.shape != want.shape:
        return False
    rough = max(1e-3, 2 * torch.finfo(got.dtype).eps)  # half precision rounds each weight and the output
    got, want = got.double(), want.to(got.dtype).double()
    size = torch.where(want.isfinite(), want.abs(), 0.0).amax(1, keepdim=True)
    same = (got - want).abs() <= rough * size + 1e-30
    return bool((same | (got == want) | (got.isnan() & want.isnan())).all())


def _absent_keys_are_nan() -> Detector:
    """Recognises lanes behind the last key that have a weight: exactly the queries that see one are NaN.

    It compares where masked lanes hold poison. The causal cases are not compared, because there the answer may have
    other faults as well.
    """
    # 0/0 is NaN as well, where no tile was loaded.
    detect = only_where(looks(lambda read, q: read > q.numel()), formula(walk(pad=torch.nan)))
    return replace(
        detect,
        fits=lambda case, evidence: case.facts["causal"] or not case.call.poison or detect.fits(case, evidence),
        exact=True,
    )


# ---- numbers and traffic


_right_numbers = looks(lambda got, case: attention.correct(got, case.facts))
more_read = looks(lambda read, reads: read > reads)  # by a kernel, than q once and k and v once a block of queries


@looks
def _keys_read_again(case, evidence) -> bool:
    """Recognises that PyTorch operations read more elements of k or v than these have."""
    return any(read > size for _, read, size in attention.torch_reads(evidence, case.facts)[1:])


@looks
def _numbers_to_host(case, evidence) -> bool:
    """Recognises numbers that left their tensors: .numpy() or .tolist() was called, or too few elements were read."""
    left = {"numpy", "tolist"} & set(evidence.torch_ops)
    return bool(left) or any(read < size for _, read, size in attention.torch_reads(evidence, case.facts))


# As many numbers were alive at once as there are scores.
_beyond_a_tile = looks(lambda case, evidence: bool(attention.beyond_a_tile(evidence, case.facts)))
_all_scores_held = looks(lambda case, evidence: attention.holds_all_scores(evidence, case.facts))


@looks
def _wrong_dtype(value) -> bool:
    """Recognises a returned tensor that is not float32."""
    return isinstance(value, torch.Tensor) and value.dtype != torch.float32


@looks
def _no_tile_skipped(causal, read, reads) -> bool:
    """Recognises a causal kernel whose programs all load the same keys, also those behind all of their queries."""
    return causal and read == reads


@looks
def _nearly_right(got, want, v) -> bool:
    """Recognises errors of at most 1% of the largest |v|, as inputs in tf32 or float16 make with 10 bits each."""
    if got.shape != want.shape:
        return False
    return bool(((got.double() - want).abs() <= 0.01 * v.double().abs().amax()).all())


@looks
def _no_new_axis(error) -> bool:
    """Recognises an error whose line makes no new axis, and which names a dimension other than 0."""
    if error is None or "None" in error["line"]:
        return False
    return foreign.name_in(error["message"], "blocks-misfit") != "0"


@looks
def _first_block_only(got, block, case, evidence, answer) -> bool:
    """Recognises that several programs stored the first block of queries, and none stored another block."""
    if len(got) <= block or not detectors.shared(case, evidence, answer):
        return False
    return bool(got[block:].isnan().all() and not got[:block].isnan().any())


@looks
def _queries_of_nan(got) -> bool:
    """Recognises that at least one query is NaN in all columns."""
    return bool(got.isnan().all(1).any())


def _low_scores(limit: float) -> Detector:
    """Recognises a case whose scores are all below a limit, and whose last tile has lanes without a key."""

    @looks
    def detect(q, k, scale, tile) -> bool:
        return len(k) % tile > 0 and not scale * matmul(q.float(), k.float().t()).max() > limit

    return detect


_all_zero = looks(lambda got: bool((got.abs() < 1e-6).all()))


def _chosen_after_exp(tree: ast.AST) -> bool:
    """Recognises a tl.where whose values are exponentials: a weight is set to 0, and not the score before it."""
    exps = {name for name, value in syntax.assigned(tree) if syntax.calls(value, "exp")}
    chosen = [argument for call in syntax.calls(tree, "where") for argument in call.args[1:]]
    return any(syntax.calls(a, "exp") or getattr(a, "id", "") in exps for a in chosen)


# A maximum over lanes without a key, whose scores are 0: exp(s - 0) is 0 for all other scores s, and 0/0 is NaN.
_absent_in_maximum = both(_low_scores(-100), detectors.all_nan)
# Lanes behind the last key were the maximum: masked lanes hold 0.
_nan_without_poison = both(looks(lambda case: not case.call.poison), detectors.all_nan)


@looks
def _hidden_first_tile(got, want, allowed, causal) -> bool:
    """Recognises a walk that begins with a tile of hidden keys: with causal masking, some queries are NaN.

    The other queries are right.
    """
    nan = got.isnan().all(1)
    others = (t[~nan] for t in (got, want, allowed))
    return bool(causal and nan.any() and not nan.all()) and attention.difference(*others) is None


# ---- places of accesses


def _begins_with_stride(strides):
    """A test for `outside`: a line of the tile begins where it would with another row stride.

    strides(right, facts): the other strides, in elements. The right stride among them is ignored.
    """

    def test(where: dict, facts: dict) -> bool:
        line, begins, right = where["line"] or 0, where["begins"], facts["strides"].get(where["tensor"], 0)
        of_queries = where["tensor"] in ("q_ptr", "o_ptr")
        step, count = (facts["block"], len(facts["q"])) if of_queries else (facts["tile"], len(facts["k"]))
        for wrong in set(strides(right, facts)) - {right}:
            rows = range(line, count, step)
            upright = any(r > 0 and begins == r * wrong for r in rows)
            # In a tile that is loaded transposed, a line is one column of all its keys.
            lying = any(first > 0 and begins == first * wrong + line for first in range(0, count, step))
            if upright or lying:
                return True
        return False

    return test


def _past_last_row(*tensors: str):
    """A test for `outside`: the access is behind the last row of one of these tensors."""

    def test(where: dict, facts: dict) -> bool:
        last = len(facts["q"]) if where["tensor"] in ("q_ptr", "o_ptr") else len(facts["k"])
        return where["tensor"] in tensors and (where["row"] or 0) >= last

    return test


# ---- text patterns

_PRECISIONS = ("input_precision", "allow_tf32")


def _assigned_from(tree: ast.AST) -> dict[str, tuple[str, int]]:
    """Names that take over the value of another name, alone or in a tuple: {"m": ("new", line)} for `m = new`."""
    found = {}
    for node in syntax.nodes(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                tuples = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                pairs = zip(target.elts, node.value.elts) if tuples else [(target, node.value)]
                names = [(a, b) for a, b in pairs if isinstance(a, ast.Name) and isinstance(b, ast.Name)]
                found |= {a.id: (b.id, node.lineno) for a, b in names}
    return found


def _with_old_maximum(tree: ast.AST, operator: type) -> Iterator[tuple[str, str, str]]:
    """Operations on a maximum before it takes the new value: (left, right, name of the new maximum)."""
    assigned = _assigned_from(tree)
    for node in syntax.nodes(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, operator):
            left, right = (_bare_name(side) for side in (node.left, node.right))
            for old, (new, line) in assigned.items():
                if old in (left, right) and node.lineno <= line:
                    yield left, right, new


def _bare_name(node: ast.AST) -> str:
    """The name in `m[:, None]`, `m.unsqueeze(1)` and similar expressions; "" for anything else."""
    while not isinstance(node, ast.Name):
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func
        else:
            return ""
    return node.id


def _new_minus_old(tree: ast.AST) -> bool:
    """Recognises `new - m`, as in exp(new - m), before `m = new`."""
    return any(left == new for left, right, new in _with_old_maximum(tree, ast.Sub))


def _scores_minus_old(tree: ast.AST) -> bool:
    """Recognises `s - m`, as in exp(s - m), before `m = new`."""
    return any(
        right not in (new, "") and left not in (new, right) for left, right, new in _with_old_maximum(tree, ast.Sub)
    )


def _ratio_of_maxima(tree: ast.AST) -> bool:
    """Recognises `m / new` or `new / m`, before `m = new`."""
    return any(new in (left, right) for left, right, new in _with_old_maximum(tree, ast.Div))


def _written_and_all_nan(test) -> Detector:
    """Recognises a text pattern in an answer whose numbers are all NaN.

    The numbers must be NaN in every case that ran; the causal cases are not compared, because there the answer may have
    other faults as well.
    """
    return replace(
        both(written(test), detectors.all_nan),
        fits=lambda case, evidence: case.facts["causal"] or detectors.all_nan(case, evidence, None),
        exact=True,
    )


def _dots(tree: ast.AST) -> list[ast.Call]:
    return [call for call in syntax.calls(tree, "dot") if ast.unparse(call.func).startswith("tl.")]


def _dot_without_precision(tree: ast.AST) -> bool:
    """Recognises a tl.dot that leaves the precision of its inputs to the hardware."""
    return any(len(call.args) < 4 and not any(k.arg in _PRECISIONS for k in call.keywords) for call in _dots(tree))


def _masked_v_not_finite(tree: ast.AST) -> bool:
    """Recognises a load of v that has a mask and no `other`, or an `other` that is infinite or NaN."""
    loads = [call for call in syntax.calls(tree, "load") if "v_ptr" in ast.unparse(call)]
    pads = [ast.unparse(word.value) for call in loads for word in call.keywords if word.arg == "other"]
    return any(syntax.load_without_other(call) for call in loads) or any(re.search("inf|nan", pad) for pad in pads)


# ---- tables: (id, detector), in the order in which they are tried


_drops_its_maximum = written(syntax.drops_its_maximum)


@looks
def _all_read(error, read, case) -> bool:
    """A kernel read as much as it needs to, so it read every key."""
    return case.budget is not None and not error and read >= case.budget[0]


@looks
def _keys_unread(error, read, case) -> bool:
    """A kernel read less than it needs to. Of PyTorch's functions nobody knows what they used."""
    return case.budget is not None and not error and read < case.budget[0]


_LAST_TILE = formula(walk(tiles=lambda tiles: tiles[-1:]))


_DIVIDED = [divided(by_all, what) for by_all in (True, False) for what in ("whole", "new")]

# What any walk can meet.
_WALK = (
    # With a maximum that starts at -inf, the first tile already turns everything into NaN. So the numbers do not tell
    # the next three apart.
    ("factor-inverted", _written_and_all_nan(_new_minus_old)),
    ("stale-maximum", _written_and_all_nan(_scores_minus_old)),
    ("factor-without-exp", _written_and_all_nan(_ratio_of_maxima)),
    # The result is all NaN here too, which is weak evidence: so it must fit every case that ran.
    ("both-rescaled", replace(formula(walk(both_rescaled)), exact=True)),
    ("maximum-not-kept", only_where(_drops_its_maximum, formula(walk(maximum_not_kept)))),
    *((mistake, formula(numbers)) for mistake, numbers in (
        *(("shift-not-maximum", walk(shifted_by(shift))) for shift in _OTHER_SHIFTS),
        ("accumulator-not-rescaled", walk(rescaled(True, False))),
        ("not-rescaled", walk(rescaled(False, True))),
        ("not-rescaled", walk(rescaled(False, False))),
        ("factor-inverted", walk(first_tile_right(factor_inverted))),
        ("stale-maximum", walk(first_tile_right(stale_maximum))),
        ("tile-maximum", walk(tile_maximum)),
        *(("start-finite", walk(start=start)) for start in (-1e3, -1e4, -1e9)),
        ("start-at-zero", walk(start=0.0)),
        ("no-max", walk(unshifted, start=0.0)),
        *(("divided-at-every-tile", walk(each, finish=lambda l, o: o)) for each in _DIVIDED),
        *(("divided-at-every-tile", walk(each)) for each in _DIVIDED),
        ("maximum-of-first-tile", walk(first_maximum)),
        ("not-normalised", walk(finish=lambda l, o: o)),
        ("weights-not-summed", walk(maxima_summed)),
        ("weights-averaged", walk(means_summed)),
        ("last-tile-sum", walk(last_sum)),
        ("scale-forgotten", walk(scores=scaled(lambda scale: 1.0))),
        ("scaled-twice", walk(scores=scaled(lambda scale: scale * scale))),
        ("scale-upside-down", walk(scores=scaled(lambda scale: 1 / scale))),
        ("base-two", walk(scores=scaled(lambda scale: scale * LN_2))),
        ("keys-left-out", walk(tiles=lambda tiles: tiles[:1])),
        ("keys-left-out", walk(tiles=lambda tiles: tiles[:-1])),
    )),
    ("old-sum-lost", only_where(both(opposite(_keys_unread), opposite(_drops_its_maximum)), _LAST_TILE)),
    ("keys-left-out", only_where(opposite(_all_read), _LAST_TILE)),
)  # fmt: skip

TILED_ATTENTION = (
    ("output-reused", detectors.output_reused),
    ("input-overwritten", detectors.input_overwritten),
    ("numbers-to-host", both(_numbers_to_host, _right_numbers)),
    ("keys-read-again", both(_keys_read_again, _right_numbers)),
    ("scores-stored", both(_all_scores_held, _right_numbers)),
    ("tile-of-own-size", both(_beyond_a_tile, _right_numbers)),
    ("wrong-dtype", _wrong_dtype),
    *_WALK,
    *(("scale-of-another-size", formula(walk(scores=scaled_by(size)))) for size in _OTHER_SIZES),
    ("shift-global-max", formula(walk(shared_maximum), mixes_queries=True)),
    ("wrong-axis", formula(softmax_over_queries, mixes_queries=True)),
)

_masked_causally = looks(lambda causal: bool(causal))  # in other cases no key is hidden
_CAUSAL = tuple((mistake, formula(numbers)) for mistake, numbers in (
    ("causal-ignored", walk(scores=visible(all_keys))),
    ("causal-ignored", walk(scores=visible(keys_of_walk))),
    ("causal-off-by-one", walk(scores=visible(lambda m, n, facts: n < m))),
    ("causal-off-by-one", walk(scores=visible(lambda m, n, facts: n <= m + 1))),
    ("causal-inverted", walk(scores=visible(lambda m, n, facts: n >= m))),
    ("causal-inverted", walk(scores=visible(lambda m, n, facts: n > m))),
    *(("causal-places-of-a-block", walk(scores=visible(keep))) for keep in PLACES_OF_A_BLOCK),
    *(("keys-left-out", walk(scores=visible(keep))) for keep in STOPPED_EARLY),
    ("keys-left-out", walk(scores=visible(lambda m, n, facts: (n < m // facts["block"] * facts["block"])))),
))  # fmt: skip
_CAUSAL += (
    ("hidden-as-zero", only_where(_masked_causally, formula(walk(scores=hidden_as(0.0), pad=0.0)))),
    ("hidden-as-zero", only_where(_masked_causally, formula(walk(scores=hidden_as(0.0))))),
    *(
        ("hidden-finite", only_where(_masked_causally, formula(walk(scores=hidden_as(-1e9, keep)))))
        for keep in (all_keys, keys_of_walk)
    ),
)


PAD_FINITE = ("pad-finite", both(_low_scores(-50), _all_zero))
ZERO_TIMES_NAN = ("zero-times-nan", both(written(_masked_v_not_finite), _queries_of_nan))

# Wrong numbers of one head that a kernel in any precision can give.
ATTENTION_NUMBERS = (*_WALK, ("pad-zero", formula(walk(pad=0.0))), *_CAUSAL)


@looks
def _tiles_unread(error, read, case) -> bool:
    """The last tile of k and v was read by no program, though each query sees all keys."""
    facts = case.facts
    if error or facts["causal"]:
        return False
    (m, d), n = facts["q"].shape, len(facts["k"])
    missing, each = facts["reads"] - read, 2 * d * -(-m // facts["block"])  # elements of one key
    return missing == each * (n - (n - 1) // facts["tile"] * facts["tile"])


ATTENTION_KERNEL = (
    *KERNEL,
    ("input-overwritten", detectors.input_overwritten),
    ("rows-assumed-adjacent", outside("any", _begins_with_stride(lambda right, facts: [facts["q"].shape[1]]))),
    ("strides-exchanged", outside("any", _begins_with_stride(lambda right, facts: facts["strides"].values()))),
    ("stride-in-bytes", outside("any", _begins_with_stride(lambda right, facts: [4 * right]))),
    ("output-read-as-input", outside("load", lambda where, facts: where["tensor"] == "o_ptr")),
    ("rows-past-the-end", outside("any", _past_last_row("q_ptr", "o_ptr"))),
    ("keys-past-the-end", outside("load", _past_last_row("k_ptr", "v_ptr"))),
    ("nothing-stored", detectors.nothing_stored),
    ("lined-up-with-columns", both(shapes_clash, _no_new_axis)),
    ("first-tile-only", _first_block_only),
    ("row-read-twice", both(more_read, _right_numbers)),
    ZERO_TIMES_NAN,
    ("absent-keys-weigh", _absent_keys_are_nan()),
    *_WALK,
    ("keys-for-values", formula(changed(v=lambda facts: facts["k"]))),
    ("keys-left-out", formula(first_tile_again("kv"))),
    ("pad-zero", formula(walk(pad=0.0))),
    PAD_FINITE,
    ("absent-keys-in-the-maximum", both(written(_chosen_after_exp), _absent_in_maximum)),
    *_CAUSAL,
    ("hidden-after-exp", _nan_without_poison),
    ("first-tile-minus-inf", _hidden_first_tile),
    *(("hidden-after-exp", formula(walk(masked_after_exp, raw=visible(keep), raw_pad=pad)))
      for keep in (all_keys, keys_of_walk) for pad in (0.0, -torch.inf)),
    *(("hidden-in-the-sum", only_where(_masked_causally, formula(walk(masked_in_sum, raw=visible(keep), raw_pad=pad))))
      for keep in (all_keys, keys_of_walk) for pad in (0.0, -torch.inf)),
    ("scale-of-its-own", formula(walk(scores=own_scale))),
    ("whole-tile-reduced", formula(by_blocks(walk(shared_maximum)), mixes_queries=True)),
    *(("row-stride-missing", formula(row_stride_missing(names))) for names in ("k", "v", "kv")),
    *(("row-stride-missing", formula(row_stride_missing(names), mixes_queries=True)) for names in ("q", "qkv")),
    ("half-products", both(written_like("_.to(tl.float16)", "_.to(tl.bfloat16)"), _nearly_right)),
    ("keys-left-out", _tiles_unread),
)  # fmt: skip

# Remarks on right answers to 13.2: (text, detector).
KERNEL_REMARKS = (
    (
        said(
            "A tl.dot of yours does not name its input_precision. Some GPUs then cut float32 "
            "down to tf32, which keeps 10 bits after the point: about three digits of the result "
            "are right there."
        ),
        written(_dot_without_precision),
    ),
    (
        said(
            "A tl.dot of yours asks for tf32, which keeps 10 bits after the point. On a GPU that "
            "has it, about three digits of the result are right."
        ),
        written_like('tl.dot(..., input_precision="tf32")', "tl.dot(..., allow_tf32=True)"),
    ),
    (
        said(
            "With CAUSAL, every program walks along as many keys as the last program, also along "
            "keys that come after all of its own queries. The result is right, and a program "
            "that stops earlier has less to do."
        ),
        _no_tile_skipped,
    ),
)
