"""Lesson 13: attention that never holds all scores: the state of an online softmax, with an accumulator beside it.

Sizes: M queries, N keys, q is M×d, k is N×d, v is N×dv.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..checks import inputs
from ..mistakes.attention import ATTENTION_KERNEL, KERNEL_REMARKS, TILED_ATTENTION
from ..reference import attention
from ..spec import Call, Case, Exercise, Out

# Offsets of the scores: offsets(m, n, tile) -> (one number a query, one number a key).
Offsets = Callable[[int, int, int], tuple[torch.Tensor, torch.Tensor]]


def _keys(make) -> Offsets:
    return lambda m, n, tile: (torch.zeros(m), make(n, tile))


def _first_tile(first: float, rest: float) -> Offsets:
    return _keys(lambda n, tile: torch.where(torch.arange(n) < tile, first, rest))


_plain = _keys(lambda n, tile: torch.zeros(n))
_rising = _keys(lambda n, tile: torch.linspace(-6, 6, n))
_falling = _keys(lambda n, tile: torch.linspace(6, -6, n))
_below_zero = _keys(lambda n, tile: torch.full((n,), -200.0))
_above_zero = _keys(lambda n, tile: torch.full((n,), 200.0))
_far_below, _far_above = (_keys(lambda n, tile, s=s: torch.full((n,), s)) for s in (-20000.0, 1200.0))
_equal = _keys(lambda n, tile: torch.full((n,), -(2.0**40)))  # exact in float32, with a power of two as the scale
_below_millions = _keys(lambda n, tile: torch.full((n,), -1.2e6))
_outlier = _keys(lambda n, tile: torch.where(torch.arange(n) == n // 2, 20.0, 0.0))
# Inside a tile: as a shift, its first, last, mean or median score lets exp overflow.
_outlier_inside = _keys(lambda n, tile: torch.where(torch.arange(n) == tile + 1, 200.0, 0.0))
_outlier_last = _keys(lambda n, tile: torch.where(torch.arange(n) == n - 1, 200.0, 0.0))
_steps_up = _keys(lambda n, tile: 100.0 * torch.arange(n))
_cliff, _rising_cliff = _first_tile(200.0, -200.0), _first_tile(-200.0, 200.0)


def _queries_apart(m: int, n: int, tile: int) -> tuple[torch.Tensor, torch.Tensor]:
    return -150.0 * torch.arange(m), torch.zeros(n)


def _tensors(m: int, n: int, d: int, dv: int, tile: int, offsets: Offsets, scale: float, seed: int):
    """q (M×d), k (N×d) and v (N×dv) of normal values; a column of q and k each add the offsets to the scores."""
    g = inputs.generator(seed)
    q, k, v = inputs.randn(m, d, g), inputs.randn(n, d, g), inputs.randn(n, dv, g)
    of_query, of_key = offsets(m, n, tile)
    if of_query.any():
        q[:, -1], k[:, -1] = of_query / scale, 1.0
    if of_key.any():
        q[:, 0], k[:, 0] = 1 / scale, of_key
        if of_key.abs().max() > 1e6:
            q[:, 1:] = 0  # float32 has no digits left for the rest
    return q, k, v


_TILED = [  # label, offsets, M, N, d, dv, keys of a tile
    ("one tile", _plain, 2, 3, 4, 2, 4),
    ("two tiles", _plain, 3, 4, 2, 3, 2),
    ("a ragged last tile", _plain, 3, 5, 4, 2, 2),
    ("one key a tile", _plain, 3, 6, 4, 2, 1),
    ("one query", _plain, 1, 7, 4, 2, 3),
    ("one key", _plain, 20, 1, 4, 2, 3),
    ("more queries than keys", _plain, 9, 3, 4, 2, 2),
    ("rising scores", _rising, 3, 10, 4, 2, 4),
    ("falling scores", _falling, 3, 10, 4, 2, 4),
    ("scores around -200", _below_zero, 3, 11, 4, 2, 4),
    ("scores around +200", _above_zero, 3, 11, 4, 2, 4),
    ("scores around -20000", _far_below, 3, 11, 4, 2, 4),
    ("scores around +1200", _far_above, 3, 11, 4, 2, 4),
    ("a first tile at +200, the rest at -200", _cliff, 3, 12, 4, 2, 4),
    ("a first tile at -200, the rest at +200", _rising_cliff, 3, 12, 4, 2, 4),
    ("queries 150 apart", _queries_apart, 4, 10, 4, 2, 4),
    ("one key far above the others", _outlier, 4, 13, 4, 2, 4),
    ("a key inside a tile 200 above the others", _outlier_inside, 3, 14, 4, 2, 4),
    ("the last key 200 above the others", _outlier_last, 3, 15, 4, 2, 4),
    ("64 numbers a key", _plain, 8, 50, 64, 64, 16),
    ("many keys", _plain, 24, 300, 2, 2, 16),
    ("equal scores around -1e12", _equal, 3, 11, 4, 2, 4),
]


def _tiled_cases(seed: int) -> list[Case]:
    return [_tiled_case(*row, seed=seed + i) for i, row in enumerate(_TILED)]


def _tiled_case(label: str, offsets: Offsets, m: int, n: int, d: int, dv: int, tile: int, seed: int) -> Case:
    q, k, v = _tensors(m, n, d, dv, tile, offsets, d**-0.5, seed)
    # With many keys, all tensors of a walk together hold fewer numbers than the scores.
    exact = offsets is _equal
    facts = attention.case_facts(q, k, v, d**-0.5, tile, causal=False, exact=exact) | {"many": n > 100}
    return Case(
        f"{label}, {m} × {n} scores in tiles of {tile} keys",
        Call("call", "tiled_attention", (q, k, v, tile)),
        verify=lambda e: attention.returned(e, facts),
        size=m * n,
        facts=facts,
    )


_KERNEL = [  # label, offsets, M, N, D, BLOCK_M, BLOCK_N
    ("one key", _plain, 2, 1, 32, 16, 64),
    ("fewer keys than a tile", _plain, 3, 5, 32, 16, 64),
    ("several tiles", _plain, 8, 64, 64, 16, 32),
    ("a ragged last tile", _plain, 7, 75, 64, 16, 32),
    ("more queries than a block", _plain, 40, 20, 16, 32, 16),
    ("all blocks of 16", _plain, 24, 40, 16, 16, 16),
    ("rising scores", _rising, 17, 60, 16, 16, 16),
    ("falling scores", _falling, 17, 61, 16, 16, 16),
    ("scores around -200", _below_zero, 17, 62, 16, 16, 16),
    ("scores around +200", _above_zero, 17, 63, 16, 16, 16),
    ("scores around -20000", _far_below, 17, 62, 16, 16, 16),
    ("a first tile at +200, the rest at -200", _cliff, 17, 65, 16, 16, 16),
    ("a first tile at -200, the rest at +200", _rising_cliff, 17, 66, 16, 16, 16),
    ("queries 150 apart", _queries_apart, 18, 64, 16, 16, 16),
    ("one key far above the others", _outlier, 18, 65, 16, 16, 16),
    ("a key inside a tile 200 above the others", _outlier_inside, 18, 66, 16, 16, 16),
    ("the last key 200 above the others", _outlier_last, 18, 67, 16, 16, 16),
    ("96 queries, 80 keys", _plain, 96, 80, 16, 32, 16),
    ("equal scores around -1e12", _equal, 17, 62, 16, 16, 16),
]
_CAUSAL = [
    ("causal, one tile", _plain, 6, 6, 32, 16, 64),
    ("causal, one query", _plain, 1, 40, 16, 16, 16),
    ("causal, all blocks of 16", _plain, 40, 40, 16, 16, 16),
    ("causal, more queries than keys", _plain, 50, 20, 16, 32, 16),
    ("causal, more keys than queries", _plain, 20, 60, 16, 16, 16),
    ("causal, tiles higher than wide", _plain, 70, 70, 16, 32, 16),
    ("causal, tiles wider than high", _plain, 70, 71, 64, 16, 32),
    ("causal, scores around -200", _below_zero, 35, 41, 16, 16, 16),
    ("causal, scores around -1,200,000", _below_millions, 35, 41, 16, 16, 16),
    ("causal, falling scores", _falling, 35, 42, 16, 16, 16),
    ("causal, each key 100 above the one before", _steps_up, 35, 43, 16, 16, 16),
    ("causal, equal scores around -1e12", _equal, 35, 41, 16, 16, 16),
]


def _kernel_cases(seed: int) -> list[Case]:
    rows = [(row, causal) for causal, table in ((False, _KERNEL), (True, _CAUSAL)) for row in table]
    cases = [_kernel_case(*row, causal=causal, seed=seed + i) for i, (row, causal) in enumerate(rows)]
    blocks = (16, 16, 16)
    for i, name in enumerate("oqkv"):
        label = {"o": "output's rows", "q": "queries", "k": "keys", "v": "rows of v"}[name]
        gaps = {other: 1 + (j - i) % 4 for j, other in enumerate("vkqo")}
        cases.append(_kernel_case(f"gaps between the {label}", _plain, 33, 40 + i, *blocks, seed=seed, gaps=gaps))
    return [
        *cases,
        _kernel_case("another scale", _plain, 18, 30, *blocks, seed=seed, scale=0.6),
        # Poison in the masked lanes would hide that they became the maximum; zeros show it.
        _kernel_case(
            "scores around -20000, zeros in masked lanes", _far_below, 17, 62, *blocks, seed=seed, poison=False
        ),
        _kernel_case("programs in reversed order", _plain, 50, 30, *blocks, seed=seed, order="reversed"),
        _kernel_case("programs in shuffled order", _plain, 70, 30, *blocks, seed=seed, order="shuffled"),
        _kernel_case(
            "causal, programs in shuffled order", _plain, 70, 72, *blocks, seed=seed, causal=True, order="shuffled"
        ),
    ]


def _kernel_case(
    label: str, offsets: Offsets, m: int, n: int, d: int, block_m: int, block_n: int, seed: int,
    causal: bool = False, order: str = "forward", gaps: dict[str, int] | None = None, scale: float | None = None,
    poison: bool = True,
) -> Case:  # fmt: skip
    scale = d**-0.5 if scale is None else scale
    gap = dict.fromkeys("oqkv", 0) | (gaps or {})
    q, k, v = _tensors(m, n, d, d, block_n, offsets, scale, seed)
    facts = attention.case_facts(q, k, v, scale, block_n, causal, exact=offsets is _equal)
    strides = {f"{name}_ptr": d + gap[name] for name in "oqkv"}
    sent = (inputs.row_strided(t, gap[name]) for name, t in zip("qkv", (q, k, v)))
    blocks = -(-m // block_m)
    reads = m * d + 2 * blocks * n * d  # a causal kernel needs fewer
    facts |= {"out": 0, "block": block_m, "strides": strides, "reads": reads}
    return Case(
        f"{label}, {m} × {n} scores in tiles of {block_m} × {block_n}, D = {d}",
        Call(
            "launch",
            "attention_kernel",
            (Out((m, d), strides=(strides["o_ptr"], 1)), *sent, *strides.values(), m, n, scale),
            {"D": d, "BLOCK_M": block_m, "BLOCK_N": block_n, "CAUSAL": causal},
            grid=(blocks,),
            order=order,
            poison=poison,
        ),
        verify=lambda e: attention.stored(e, facts),
        size=m * n,
        budget=(reads, m * d),
        may_read_less=causal,
        unit=m * n,
        group="causal" if causal else None,
        interpreted_only=facts["exact"],
        facts=facts,
    )


EXERCISES = [
    Exercise(
        id="13.1",
        title="tiled_attention",
        names=("tiled_attention",),
        points=2,
        cases=_tiled_cases,
        hints=(
            "The walk of lesson 08 for all queries at once. What arrives with each tile is a block of scores, and a "
            "few rows of v.",
            "Everything that was summed up relative to the old maximum has to follow the new one. How many such sums "
            "are there now?",
            "For each tile: `s = <q times the tile of k, transposed> * <scale>`, the new maximum of each query, "
            "`<factor>` and `p` from it, then `l = l * <factor> + <sum of p>`, and likewise o, with `p @ <tile of v>`.",
        ),
        mistakes=TILED_ATTENTION,
    ),
    Exercise(
        id="13.2",
        title="attention_kernel",
        names=("attention_kernel",),
        points=3,
        cases=_kernel_cases,
        kernels=True,
        hints=(
            "13.1 in a kernel: a program has a block of queries, and m, l and o stay in its registers.",
            "Which keys of the last tile do not exist, and which may a query not look at? Both can be said with one "
            "mask of the scores, before the maximum is taken.",
            'In the loop: `s = tl.dot(<q>, tl.trans(<k>), input_precision="ieee") * scale`, '
            "`s = tl.where(<mask>, s, <what loses every maximum>)`, then 13.1. Causal: `<keys>[None, :] <= "
            "<queries>[:, None]`.",
        ),
        mistakes=ATTENTION_KERNEL,
        groups=("causal",),
        last_step=1,
        remarks=KERNEL_REMARKS,
    ),
    Exercise(
        id="13.3",
        title="flash_kernel",
        names=("flash_kernel",),
        points=2,
        cases=lambda seed: [],
        kernels=True,
        hints=("", "", ""),
    ),
]
