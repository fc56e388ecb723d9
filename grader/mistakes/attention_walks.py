"""Known wrong ways to compute attention along tiles of keys, in PyTorch: for naming the mistake.

The walk keeps (m, l, o) for each query: the largest score so far, the sum of exp(score - m), and the sum of
exp(score - m) times the rows of v (Milakov and Gimelshein, 2018; Rabe and Staats, 2021; Dao and others, 2022). A case's
facts hold q, k, v, scale, causal, tile (keys at once), want, and for kernels block (queries at once).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from ..reference.attention import INF, hidden, matmul

BASE_TWO = math.log(2)  # powers of two are powers of e with their exponents times this

# ---- wrong ways to walk; each takes (m, l, o), the scores of a tile, the same with nothing masked, and its part of v

State = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def textbook(m, l, o, s, raw, v) -> State:
    """The right update, without a guard for a tile of nothing but -inf."""
    new = torch.maximum(m, _top(s))
    return _added(new, torch.exp(m - new), l, o, torch.exp(s - new), v)


def _top(s):
    return s.amax(1, keepdim=True)


def _added(new, factor, l, o, p, v) -> State:
    return new, l * factor + p.sum(1, keepdim=True), o * factor + matmul(p, v)


def rescaled(which: str):
    """The sum "l", or the accumulator "o", or neither is rescaled when the maximum rises."""

    def update(m, l, o, s, raw, v) -> State:
        new = torch.maximum(m, _top(s))
        factor, p = torch.exp(m - new), torch.exp(s - new)
        l, o = l * factor if "l" in which else l, o * factor if "o" in which else o
        return new, l + p.sum(1, keepdim=True), o + matmul(p, v)

    return update


def factor_inverted(m, l, o, s, raw, v) -> State:
    """exp(new - old) in place of exp(old - new)."""
    new = torch.maximum(m, _top(s))
    return _added(new, torch.exp(new - m), l, o, torch.exp(s - new), v)


def stale_maximum(m, l, o, s, raw, v) -> State:
    """The new weights are taken relative to the old maximum."""
    new = torch.maximum(m, _top(s))
    return _added(new, torch.exp(m - new), l, o, torch.exp(s - m), v)


def tile_maximum(m, l, o, s, raw, v) -> State:
    """The tile's own maximum in place of the running one."""
    return _added(_top(s), torch.exp(m - _top(s)), l, o, torch.exp(s - _top(s)), v)


def maximum_not_kept(m, l, o, s, raw, v) -> State:
    """The new maximum is computed and then forgotten."""
    return m, *textbook(m, l, o, s, raw, v)[1:]


def unshifted(m, l, o, s, raw, v) -> State:
    """exp of the scores as they are."""
    return _added(m, 1.0, l, o, torch.exp(s), v)


def shared_maximum(m, l, o, s, raw, v) -> State:
    """One maximum for all queries."""
    new = torch.maximum(m, s.amax())
    return _added(new, torch.exp(m - new), l, o, torch.exp(s - new), v)


def first_maximum(m, l, o, s, raw, v) -> State:
    """The first tile's maximum for all tiles."""
    new = torch.where(m == -INF, _top(s), m)
    return _added(new, torch.exp(m - new), l, o, torch.exp(s - new), v)


def maxima_summed(m, l, o, s, raw, v) -> State:
    """The largest weight of each tile in place of their sum."""
    new = torch.maximum(m, _top(s))
    factor, p = torch.exp(m - new), torch.exp(s - new)
    return new, l * factor + _top(p), o * factor + matmul(p, v)


def both_rescaled(m, l, o, s, raw, v) -> State:
    """The new part is rescaled together with the old."""
    new = torch.maximum(m, _top(s))
    factor, p = torch.exp(m - new), torch.exp(s - new)
    return new, (l + p.sum(1, keepdim=True)) * factor, (o + matmul(p, v)) * factor


def last_sum(m, l, o, s, raw, v) -> State:
    """The sum is that of the newest tile alone."""
    new, _, o = textbook(m, l, o, s, raw, v)
    return new, torch.exp(s - new).sum(1, keepdim=True), o


def divided(by_all: bool, what: str):
    """A division at every tile, by all weights so far or the tile's own: of the "whole" of o, or of its "new" part."""

    def update(m, l, o, s, raw, v) -> State:
        new = torch.maximum(m, _top(s))
        factor, p = torch.exp(m - new), torch.exp(s - new)
        total = l * factor + p.sum(1, keepdim=True)
        by = total if by_all else p.sum(1, keepdim=True)
        return new, total, (o * factor + matmul(p, v)) / by if what == "whole" else o * factor + matmul(p, v) / by

    return update


def dropped_after_exp(m, l, o, s, raw, v) -> State:
    """What is masked takes part in the maximum."""
    new = torch.maximum(m, _top(raw))
    return _added(new, torch.exp(m - new), l, o, torch.where(s == -INF, 0.0, torch.exp(raw - new)), v)


def dropped_in_the_sum(m, l, o, s, raw, v) -> State:
    """What is masked is in the sum, and not in the accumulator."""
    new = torch.maximum(m, _top(raw))
    factor, p = torch.exp(m - new), torch.exp(raw - new)
    return new, l * factor + p.sum(1, keepdim=True), o * factor + matmul(torch.where(s == -INF, 0.0, p), v)


def guarded(update):
    """The same update, but the first tile becomes the state as it is, as those do who guard the start."""

    def first_as_it_is(m, l, o, s, raw, v) -> State:
        return (textbook if bool((m == -INF).all()) else update)(m, l, o, s, raw, v)

    return first_as_it_is


# ---- wrong scores, in float32; hidden ones and lanes without a key are -inf


def product(facts: dict) -> torch.Tensor:
    """q kᵀ."""
    return matmul(facts["q"].float(), facts["k"].float().t())


def scaled(factor: Callable[[float], float] = lambda scale: scale):
    """Scores of which the scale is factor(scale)."""

    def scores(facts: dict) -> torch.Tensor:
        s = product(facts) * factor(facts["scale"])
        return s.masked_fill(hidden(*s.shape), -INF) if facts["causal"] else s

    return scores


def seen(keep):
    """Scores with another idea of which keys a query sees: keep(query numbers, key numbers, facts)."""

    def scores(facts: dict) -> torch.Tensor:
        s = product(facts) * facts["scale"]
        kept = keep(torch.arange(s.shape[0])[:, None], torch.arange(s.shape[1])[None, :], facts)
        return s.masked_fill(~kept, -INF) if facts["causal"] else s

    return scores


def every(m, n, facts: dict):
    """All keys."""
    return m + n >= 0


def reached(m, n, facts: dict):
    """Keys in the tiles that a program comes to which stops behind the last of its queries."""
    end = (m // facts["block"] + 1) * facts["block"]
    return n < -(-end // facts["tile"]) * facts["tile"]


def _stopped(end):
    """Causal keys in the tiles of a program that stops at end(its number, facts)."""
    return lambda m, n, facts: (n <= m) & (n // facts["tile"] * facts["tile"] < end(m // facts["block"], facts))


STOPPED_EARLY = (
    _stopped(lambda program, facts: program * facts["block"] + 1),
    _stopped(lambda program, facts: (program + 1) * facts["tile"]),
)
PLACES_OF_A_BLOCK = (
    lambda m, n, facts: n <= m % facts["block"],
    lambda m, n, facts: (n % facts["tile"] <= m) & reached(m, n, facts),
    lambda m, n, facts: (n % facts["tile"] <= m % facts["block"]) & reached(m, n, facts),
)


def hidden_as_zero(facts: dict) -> torch.Tensor:
    """What a query may not look at has the score 0."""
    s = product(facts) * facts["scale"]
    return s.masked_fill(hidden(*s.shape), 0.0) if facts["causal"] else s


def walk(update=textbook, scores=None, raw=None, start: float = -INF, pad: float = -INF, raw_pad: float = 0.0,
         finish=lambda l, o: o / l, tiles=lambda tiles: tiles):  # fmt: skip
    """A formula facts -> M×dv: walk along the keys with `update`.

    scores: formula of the scores; raw: of those that are not masked. start: the first maximum. pad, raw_pad: the score
    of lanes behind the last key; where masking is causal, most queries see none. tiles: which tiles are met.
    """

    def compute(facts: dict) -> torch.Tensor:
        s, bare = (scores or scaled())(facts), (raw or seen(every))(facts)
        missing, v = -s.shape[1] % facts["tile"] if "block" in facts else 0, facts["v"].float()
        s = torch.nn.functional.pad(s, (0, missing), value=pad)
        bare = torch.nn.functional.pad(bare, (0, missing), value=raw_pad)
        if facts["causal"] and scores is None:
            s = s.masked_fill(hidden(*s.shape), -INF)
        v = torch.nn.functional.pad(v, (0, 0, 0, missing))
        parts = zip(*(t.split(facts["tile"], dim) for t, dim in ((s, 1), (bare, 1), (v, 0))))
        m, l = torch.full((len(s), 1), start), torch.zeros(len(s), 1)
        o = torch.zeros(len(s), v.shape[1])
        for part in tiles(list(parts)):
            m, l, o = update(m, l, o, *part)
        return finish(l, o)

    return compute


def by_blocks(formula):
    """The same formula for one block of queries at a time, for mistakes that mix the queries of a block."""

    def compute(facts: dict) -> torch.Tensor:
        want, size = facts["want"], facts["block"]
        if facts["causal"]:  # the places of the queries would be lost
            return torch.full_like(want, INF)
        made = []
        for first in range(0, len(want), size):
            part = facts | {"q": facts["q"][first : first + size], "want": want[first : first + size]}
            short = size - len(part["q"])
            part["q"] = torch.nn.functional.pad(part["q"], (0, 0, 0, short))
            made.append(formula(part)[: size - short])
        return torch.cat(made)

    return compute
