"""Lesson 13: attention that never holds all scores: the state of an online softmax, with an accumulator beside it.

Sizes: M queries, N keys, q is M×d, k is N×d, v is N×dv.
"""

from __future__ import annotations

import functools
import pathlib
import random
from collections.abc import Callable

import torch

from ..checks import compare, inputs
from ..mistakes.attention import ATTENTION_KERNEL, KERNEL_REMARKS, TILED_ATTENTION
from ..mistakes.attention_gradient import ATTENTION_GRADIENT
from ..mistakes.flash import FLASH_KERNEL, FLASH_REMARKS
from ..reference import attention, attention_gradient, far_rows, flash
from ..reference.attention_gradient import KEYS, QUERIES
from ..sentence import said
from ..spec import Call, Case, Exercise, Out

_TWICE_DRIVER = (pathlib.Path(__file__).parent / "drivers" / "first_result.py").read_text(encoding="utf-8")

# Offsets of the scores: offsets(m, n, tile) -> (one number per query, one number per key).
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
# Exact in float32, and in bfloat16, with a power of two as the scale.
_equal = _keys(lambda n, tile: torch.full((n,), -(2.0**40)))
_far_steps_up = _keys(lambda n, tile: 2.0**40 * torch.arange(n))
_EXACT = (_equal, _far_steps_up)
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
    (said("one tile"), _plain, 2, 3, 4, 2, 4),
    (said("two tiles"), _plain, 3, 4, 2, 3, 2),
    (said("a ragged last tile"), _plain, 3, 5, 4, 2, 2),
    (said("one key a tile"), _plain, 3, 6, 4, 2, 1),
    (said("one query"), _plain, 1, 7, 4, 2, 3),
    (said("one key"), _plain, 20, 1, 4, 2, 3),
    (said("more queries than keys"), _plain, 9, 3, 4, 2, 2),
    (said("rising scores"), _rising, 3, 10, 4, 2, 4),
    (said("falling scores"), _falling, 3, 10, 4, 2, 4),
    (said("scores around -200"), _below_zero, 3, 11, 4, 2, 4),
    (said("scores around +200"), _above_zero, 3, 11, 4, 2, 4),
    (said("scores around -20000"), _far_below, 3, 11, 4, 2, 4),
    (said("scores around +1200"), _far_above, 3, 11, 4, 2, 4),
    (said("a first tile at +200, the rest at -200"), _cliff, 3, 12, 4, 2, 4),
    (said("a first tile at -200, the rest at +200"), _rising_cliff, 3, 12, 4, 2, 4),
    (said("queries 150 apart"), _queries_apart, 4, 10, 4, 2, 4),
    (said("one key far above the others"), _outlier, 4, 13, 4, 2, 4),
    (said("a key inside a tile 200 above the others"), _outlier_inside, 3, 14, 4, 2, 4),
    (said("the last key 200 above the others"), _outlier_last, 3, 15, 4, 2, 4),
    (said("64 numbers per key"), _plain, 8, 50, 64, 64, 16),
    (said("many keys"), _plain, 8, 400, 10, 2, 16),
    (said("equal scores around -1e12"), _equal, 3, 11, 4, 2, 4),
]


def _tiled_cases(seed: int) -> list[Case]:
    return [*(_tiled_case(*row, seed=seed + i) for i, row in enumerate(_TILED)), _tiled_twice(seed)]


def _tiled_twice(seed: int) -> Case:
    """Two calls with other queries; the first result must stay."""
    q, k, v = _tensors(6, 5, 4, 2, 2, _plain, 0.5, seed)
    first, second = (attention.case_facts(part, k, v, 0.5, 2, causal=False, exact=False) for part in q.split(3))
    return Case(
        said("two calls with 3 queries each, and then the first result again"),
        Call("call", "check_first_result", ("tiled_attention", *q.split(3), k, v, 2)),
        verify=lambda e: compare.kind(e.value, first["want"].float()) or attention.numbers_fault(e.value, first),
        size=5_000,
        facts=first | {"many": False, "second": second["want"].float()},
    )


def _tiled_case(label: str, offsets: Offsets, m: int, n: int, d: int, dv: int, tile: int, seed: int) -> Case:
    q, k, v = _tensors(m, n, d, dv, tile, offsets, d**-0.5, seed)
    # With many keys, all tensors of a walk together hold fewer numbers than the scores, and a copy of k as many.
    exact = offsets in _EXACT
    facts = attention.case_facts(q, k, v, d**-0.5, tile, causal=False, exact=exact) | {"many": n > 100}
    return Case(
        said("{label}, {m} × {n} scores in tiles of {tile} keys", label=label, m=m, n=n, tile=tile),
        Call("call", "tiled_attention", (q, k, v, tile)),
        verify=lambda e: attention.returned(e, facts),
        size=m * n,
        dear=facts["many"],
        facts=facts,
    )


_ONE_TILE = [  # label, offsets, M, N, D, BLOCK_M, BLOCK_N; every block is full
    (said("one tile"), _plain, 16, 32, 64, 16, 32),
    (said("one tile, wide"), _plain, 16, 64, 32, 16, 64),
    (said("one tile, two blocks of queries"), _plain, 32, 32, 16, 16, 32),
    (said("one tile, scores around -200"), _below_zero, 16, 32, 64, 16, 32),
    (said("one tile, scores around +200"), _above_zero, 16, 32, 64, 16, 32),
    (said("one tile, queries 150 apart"), _queries_apart, 16, 32, 64, 16, 32),
]
_EDGES = [
    (said("one key"), _plain, 2, 1, 32, 16, 64),
    (said("fewer keys than a tile"), _plain, 3, 5, 32, 16, 64),
    (said("more queries than a block, fewer keys than a tile"), _plain, 20, 11, 16, 16, 16),
    (said("fewer keys than a tile, scores around -200"), _below_zero, 17, 12, 16, 16, 16),
    (said("fewer keys than a tile, scores around +200"), _above_zero, 17, 13, 16, 16, 16),
    (said("fewer keys than a tile, scores around -20000"), _far_below, 5, 14, 16, 16, 16),
]
_TILES = [
    (said("several tiles"), _plain, 8, 64, 64, 16, 32),
    (said("a ragged last tile"), _plain, 7, 75, 64, 16, 32),
    (said("more queries than a block"), _plain, 40, 20, 16, 32, 16),
    (said("all blocks of 16"), _plain, 24, 40, 16, 16, 16),
    (said("rising scores"), _rising, 17, 60, 16, 16, 16),
    (said("falling scores"), _falling, 17, 61, 16, 16, 16),
    (said("scores around -200"), _below_zero, 17, 62, 16, 16, 16),
    (said("scores around +200"), _above_zero, 17, 63, 16, 16, 16),
    (said("scores around -20000"), _far_below, 17, 62, 16, 16, 16),
    (said("a first tile at +200, the rest at -200"), _cliff, 17, 65, 16, 16, 16),
    (said("a first tile at -200, the rest at +200"), _rising_cliff, 17, 66, 16, 16, 16),
    (said("queries 150 apart"), _queries_apart, 18, 64, 16, 16, 16),
    (said("one key far above the others"), _outlier, 18, 65, 16, 16, 16),
    (said("a key inside a tile 200 above the others"), _outlier_inside, 18, 66, 16, 16, 16),
    (said("the last key 200 above the others"), _outlier_last, 18, 67, 16, 16, 16),
    (said("96 queries, 80 keys"), _plain, 96, 80, 16, 32, 16),
    (said("equal scores around -1e12"), _equal, 17, 62, 16, 16, 16),
]
_CAUSAL = [
    (said("causal, one tile"), _plain, 6, 6, 32, 16, 64),
    (said("causal, one query"), _plain, 1, 40, 16, 16, 16),
    (said("causal, all blocks of 16"), _plain, 40, 40, 16, 16, 16),
    (said("causal, more queries than keys"), _plain, 50, 20, 16, 32, 16),
    (said("causal, more keys than queries"), _plain, 20, 60, 16, 16, 16),
    (said("causal, tiles higher than wide"), _plain, 70, 70, 16, 32, 16),
    (said("causal, tiles wider than high"), _plain, 70, 71, 64, 16, 32),
    (said("causal, scores around -200"), _below_zero, 35, 41, 16, 16, 16),
    (said("causal, scores around -1,200,000"), _below_millions, 35, 41, 16, 16, 16),
    (said("causal, falling scores"), _falling, 35, 42, 16, 16, 16),
    (said("causal, each key 100 above the one before"), _steps_up, 35, 43, 16, 16, 16),
    (said("causal, equal scores around -1e12"), _equal, 35, 41, 16, 16, 16),
    (said("causal, each key 1e12 above the one before"), _far_steps_up, 35, 44, 16, 16, 16),
]


# The steps of 13.2, each with its inputs. An answer climbs them one by one.
_STEPS = {said("one tile"): _ONE_TILE, said("edges"): _EDGES, said("several tiles"): _TILES, said("causal"): _CAUSAL}


def _kernel_cases(seed: int) -> list[Case]:
    rows = [(row, group) for group, table in _STEPS.items() for row in table]
    cases = [_kernel_case(*row, group=group, seed=seed + i) for i, (row, group) in enumerate(rows)]
    blocks = (16, 16, 16)
    for i, name in enumerate("oqkv"):
        label = {"o": said("output's rows"), "q": "queries", "k": "keys", "v": said("rows of v")}[name]
        gaps = {other: 1 + (j - i) % 4 for j, other in enumerate("vkqo")}
        for group, m, n, tile in ((said("one tile"), 32, 32, 32), (said("several tiles"), 33, 40 + i, 16)):
            row = (said("gaps between the {label}", label=label), _plain, m, n, 16, 16, tile)
            cases.append(_kernel_case(*row, group=group, seed=seed, gaps=gaps))
    tiles = functools.partial(_kernel_case, group=said("several tiles"), seed=seed)
    m, n = (random.Random(seed + i).randint(33, 160) for i in range(2))
    return [
        *cases,
        _kernel_case(
            said("another scale, one tile"), _plain, 16, 32, 64, 16, 32, group=said("one tile"), seed=seed, scale=0.6
        ),
        tiles(said("another scale"), _plain, 18, 30, *blocks, scale=0.6),
        # Poison in the masked lanes would hide that they became the maximum; zeros show it.
        *(
            _kernel_case(
                said("scores around -20000, zeros in masked lanes"), _far_below, 17, n, *blocks, group=group, seed=seed,
                poison=False,
            )
            for group, n in ((said("edges"), 12), (said("several tiles"), 62))
        ),
        tiles(said("programs in reversed order"), _plain, m, 30, *blocks, order="reversed"),
        tiles(said("programs in shuffled order"), _plain, 70, n, *blocks, order="shuffled"),
        _kernel_case(
            said("causal, programs in shuffled order"), _plain, 70, 72, *blocks, seed=seed, group=said("causal"),
            order="shuffled",
        ),
    ]  # fmt: skip


def _kernel_case(
    label: str, offsets: Offsets, m: int, n: int, d: int, block_m: int, block_n: int, seed: int,
    group: str, order: str = "forward", gaps: dict[str, int] | None = None, scale: float | None = None,
    poison: bool = True,
) -> Case:  # fmt: skip
    scale, causal = d**-0.5 if scale is None else scale, group == "causal"
    gap = dict.fromkeys("oqkv", 0) | (gaps or {})
    q, k, v = _tensors(m, n, d, d, block_n, offsets, scale, seed)
    facts = attention.case_facts(q, k, v, scale, block_n, causal, exact=offsets in _EXACT)
    strides = {f"{name}_ptr": d + gap[name] for name in "oqkv"}
    sent = (inputs.row_strided(t, gap[name]) for name, t in zip("qkv", (q, k, v)))
    blocks = -(-m // block_m)
    reads = m * d + 2 * blocks * n * d  # a causal kernel needs fewer
    facts |= {"out": 0, "block": block_m, "strides": strides, "reads": reads}
    return Case(
        said(
            "{label}, {m} × {n} scores in tiles of {block_m} × {block_n}, D = {d}",
            label=label,
            m=m,
            n=n,
            block_m=block_m,
            block_n=block_n,
            d=d,
        ),
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
        compiled=lambda e: attention.numbers_fault(e.args[0], facts, "allowed_on_gpu"),
        size=m * n,
        budget=(reads, m * d),
        may_read_less=causal,
        tile=max(block_m, block_n) * d,
        unit=m * n,
        group=group,
        interpreted_only=facts["exact"],
        facts=facts,
    )


_F16, _BF16 = torch.float16, torch.bfloat16
# Axes of a tensor in memory, the slowest first: batch, head, row, dimension. Heads first, rows first, batches inside.
_LAYOUTS = {"h": "bhrd", "r": "brhd", "b": "hbrd"}
_FLASH = [  # label, dtype, offsets, B, H, M, N, causal, layouts of o, q, k and v
    (said("one head"), _F16, _plain, 1, 1, 3, 10, False, "hhhh"),
    (said("one head"), _BF16, _plain, 1, 1, 4, 11, False, "hhhh"),
    (said("several tiles"), _F16, _plain, 1, 1, 17, 60, False, "hhhh"),
    (said("several tiles"), _BF16, _plain, 1, 1, 18, 61, False, "hhhh"),
    (said("two heads"), _F16, _plain, 1, 2, 17, 23, False, "hhhh"),
    (said("two batches"), _BF16, _plain, 2, 1, 18, 24, False, "hhhh"),
    (said("two batches of three heads"), _F16, _plain, 2, 3, 19, 35, False, "hhhh"),
    (said("two batches of three heads"), _BF16, _plain, 2, 3, 20, 34, False, "hhhh"),
    (said("heads alternate from row to row"), _F16, _plain, 2, 3, 21, 33, False, "rrrr"),
    (said("four tensors, not all laid out alike"), _BF16, _plain, 2, 3, 22, 37, False, "rhrb"),
    (said("four tensors, not all laid out alike"), _F16, _plain, 3, 2, 23, 38, False, "hbrr"),
    (said("falling scores"), _F16, _falling, 1, 2, 17, 61, False, "hhhh"),
    (said("rising scores"), _BF16, _rising, 1, 2, 17, 60, False, "hhhh"),
    (said("scores around -200"), _BF16, _below_zero, 1, 2, 18, 62, False, "hhhh"),
    (said("scores around +200"), _F16, _above_zero, 1, 2, 18, 63, False, "hhhh"),
    (said("scores around -20000"), _F16, _far_below, 1, 1, 17, 62, False, "hhhh"),
    (said("a first tile at +200, the rest at -200"), _F16, _cliff, 1, 1, 17, 65, False, "hhhh"),
    (said("a first tile at -200, the rest at +200"), _BF16, _rising_cliff, 1, 1, 17, 66, False, "hhhh"),
    (said("causal"), _F16, _plain, 1, 2, 40, 40, True, "hhhh"),
    (said("causal, more keys than queries"), _BF16, _plain, 2, 2, 20, 50, True, "rrrr"),
    (said("causal, more queries than keys"), _F16, _plain, 1, 2, 50, 20, True, "hhhh"),
    (said("causal, scores around -200"), _BF16, _below_zero, 1, 2, 35, 41, True, "hhhh"),
    (said("causal, scores around -20000"), _BF16, _far_below, 1, 1, 36, 42, True, "hhhh"),
    (said("equal scores around -1e12"), _BF16, _equal, 1, 1, 17, 62, False, "hhhh"),
    (said("causal, equal scores around -1e12"), _BF16, _equal, 1, 1, 35, 48, True, "hhhh"),
    (said("causal, each key 1e12 above the one before"), _BF16, _far_steps_up, 1, 1, 35, 44, True, "hhhh"),
]


def _flash_cases(seed: int) -> list[Case]:
    cases = [_flash_case(*row, seed=seed + i) for i, row in enumerate(_FLASH)]
    more = functools.partial(_flash_case, offsets=_plain, causal=False, layouts="hhhh")
    for dtype, one, most in ((_F16, 2.0**15, 6e4), (_BF16, 2.0**12, 1e30)):
        # Each further tile adds half of the last place of the first one, and an accumulator in half precision stays.
        late = torch.ones(160, 16).index_fill_(0, torch.tensor([0]), one)
        cases.append(
            more(said("equal scores, one value far above the others"), dtype, b=1, h=1, m=5, n=160, seed=seed, v=late)
        )
        high = most * (1 - 0.25 * torch.rand(40, 16, generator=inputs.generator(seed)))
        cases.append(
            more(
                said("values near {most}", most=f"{most:.0e}"),
                dtype,
                b=1,
                h=1,
                m=6,
                n=40,
                seed=seed + 1,
                v=high,
                flat=False,
            )
        )
    far = [
        far_rows.of_heads(more(label, dtype, b=b, h=h, m=5, n=20, seed=seed + 8), axis)
        for label, dtype, b, h, axis in (
            (said("heads more than 2^30 elements apart"), _F16, 1, 3, 1),
            (said("batches more than 2^30 elements apart"), _BF16, 3, 1, 0),
        )
    ]
    return [
        *cases,
        *far,
        more(said("another scale"), _F16, b=1, h=2, m=18, n=30, seed=seed + 2, scale=0.6),
        more(said("tiles wider than high"), _BF16, b=1, h=2, m=18, n=70, seed=seed + 3, d=32, blocks=(16, 32)),
        more(said("tiles higher than wide"), _F16, b=1, h=2, m=40, n=40, seed=seed + 4, d=32, blocks=(32, 16)),
        more(said("programs in shuffled order"), _F16, b=2, h=2, m=35, n=20, seed=seed + 5, order="shuffled"),
        more(
            said("causal, tiles wider than high"),
            _BF16,
            b=1,
            h=2,
            m=40,
            n=70,
            seed=seed + 6,
            causal=True,
            blocks=(16, 32),
        ),
        more(
            said("causal, tiles higher than wide"),
            _F16,
            b=1,
            h=2,
            m=40,
            n=40,
            seed=seed + 7,
            causal=True,
            blocks=(32, 16),
        ),
    ]


def _flash_case(
    label: str, dtype: torch.dtype, offsets: Offsets, b: int, h: int, m: int, n: int, causal: bool, layouts: str,
    seed: int, d: int = 16, blocks: tuple[int, int] = (16, 16), scale: float | None = None, order: str = "forward",
    v: torch.Tensor | None = None, flat: bool = True,
) -> Case:  # fmt: skip
    """v: the values (N×D) of a head, where they are not normal. flat: whether all scores are equal then."""
    scale = d**-0.5 if scale is None else scale
    heads = [_tensors(m, n, d, d, blocks[1], offsets, scale, seed + 100 * i) for i in range(b * h)]
    q, k, values = (torch.stack(t).reshape(b, h, -1, d).to(dtype) for t in zip(*heads))
    if v is not None:
        values, q = v.to(dtype).expand(b, h, n, d).clone(), q * (0 if flat else 1)
    of_o, *of_inputs = (_LAYOUTS[letter] for letter in layouts)
    q, k, values = (_laid_out(t, axes) for t, axes in zip((q, k, values), of_inputs))
    facts = flash.case_facts(q, k, values, scale, *blocks, causal, exact=offsets in _EXACT)
    out = _laid_out(torch.empty(b, h, m, d), of_o)
    strides = [s for t in (out, q, k, values) for s in t.stride()[:3]]
    return Case(
        said(
            "{label}, {dtype}, {b} × {h} heads, {m} × {n} scores in tiles of {blocks} × {blocks2}, D = {d}",
            label=label, dtype=str(dtype)[6:], b=b, h=h, m=m, n=n, blocks=blocks[0], blocks2=blocks[1], d=d,
        ),
        Call(
            "launch",
            "flash_kernel",
            (
                Out((b, h, m, d), str(dtype)[6:], out.stride()), Out((b, h, m)), q, k, values, *strides, h, m, n, scale,
            ),
            {"D": d, "BLOCK_M": blocks[0], "BLOCK_N": blocks[1], "CAUSAL": causal},
            grid=(-(-m // blocks[0]), b * h),
            order=order,
        ),
        verify=lambda e: flash.stored(e, facts),
        size=b * h * m * n,
        budget=(facts["reads"], b * h * m * (d + 1)),
        tile=max(blocks) * d,
        may_read_less=causal,
        unit=b * h * m * n,
        interpreted_only=facts["exact"],
        facts=facts,
    )  # fmt: skip


def _laid_out(t: torch.Tensor, axes: str) -> torch.Tensor:
    """The same tensor (B×H×rows×D), with its axes in another order in memory, the slowest first."""
    order = ["bhrd".index(axis) for axis in axes]
    return t.permute(order).contiguous().permute([order.index(i) for i in range(4)])


_GRADIENT = [  # label, offsets, M, N, D, BLOCK_M, BLOCK_N
    (said("one block"), _plain, 16, 32, 16, 16, 32),
    (said("fewer than a block"), _plain, 3, 5, 16, 16, 32),
    (said("several tiles"), _plain, 40, 70, 16, 16, 32),
    (said("more queries than keys"), _plain, 70, 20, 16, 16, 32),
    (said("64 numbers per key"), _plain, 33, 34, 64, 32, 16),
    (said("scores around -200"), _below_zero, 18, 40, 16, 16, 32),
    (said("scores around +200"), _above_zero, 19, 41, 16, 16, 32),
    (said("falling scores"), _falling, 34, 60, 16, 16, 32),
    (said("one more than whole tiles"), _plain, 17, 65, 16, 16, 32),
    (said("scores around +1200"), _far_above, 19, 42, 16, 16, 32),
    (said("scores around -20000"), _far_below, 18, 43, 16, 16, 32),
    (said("equal scores around -1e12"), _equal, 18, 44, 16, 16, 32),
]


def _gradient_cases(seed: int) -> list[Case]:
    cases = [_gradient_case(name, *row, seed=seed + i) for name in (KEYS, QUERIES) for i, row in enumerate(_GRADIENT)]
    others = [
        _gradient_case(name, said("another scale"), _plain, 20, 36, 16, 16, 32, seed=seed + 9, scale=0.6)
        for name in (KEYS, QUERIES)
    ]
    return [*cases, *others]


def _gradient_case(
    kernel: str, label: str, offsets: Offsets, m: int, n: int, d: int, block_m: int, block_n: int, seed: int,
    scale: float | None = None,
) -> Case:  # fmt: skip
    scale = d**-0.5 if scale is None else scale
    q, k, v = _tensors(m, n, d, d, block_n, offsets, scale, seed)
    do = inputs.randn(m, d, inputs.generator(seed + 1000))
    facts = attention_gradient.case_facts(kernel, q, k, v, do, scale)
    of_keys = kernel == KEYS
    own, walked = (2 * n * d, m * (3 * d + 1)) if of_keys else (m * (3 * d + 1), 2 * n * d)
    blocks = -(-n // block_n) if of_keys else -(-m // block_m)
    outs = [Out((n, d)), Out((n, d))] if of_keys else [Out((m, d))]
    return Case(
        said(
            "{kernel}, {label}, {m} × {n} scores in tiles of {block_m} × {block_n}, D = {d}",
            kernel=kernel,
            label=label,
            m=m,
            n=n,
            block_m=block_m,
            block_n=block_n,
            d=d,
        ),
        Call(
            "launch",
            kernel,
            (*outs, q, k, v, facts["o"], do, facts["lse"], m, n, scale),
            {"D": d, "BLOCK_M": block_m, "BLOCK_N": block_n},
            grid=(blocks,),
        ),
        verify=lambda e: attention_gradient.stored(e, facts),
        compiled=lambda e: attention_gradient.stored(e, facts, "outs_on_gpu"),
        size=m * n,
        budget=(own + blocks * walked, len(outs) * outs[0].shape[0] * d),
        tile=max(block_m, block_n) * d,
        may_read_less=True,
        unit=m * n,
        group=kernel,
        interpreted_only=offsets in _EXACT,
        facts=facts,
    )


EXERCISES = [
    Exercise(
        id="13.1",
        title="tiled_attention",
        names=("tiled_attention",),
        points=1,
        cases=_tiled_cases,
        driver=_TWICE_DRIVER,
        hints=(
            said(
                "It is the walk of lesson 08, for all queries at once. Each tile brings a block of "
                "scores and a few rows of v."
            ),
            said(
                "When the maximum rises, each sum that is relative to the old maximum has to be "
                "rescaled. How many such sums does a query have now?"
            ),
            said(
                "For each tile: `s = <q times the tile of k, transposed> * <scale>`, the new maximum "
                "of each query, `<factor>` and `p` from it, then `l = l * <factor> + <sum of p>`, "
                "and likewise o, with `p @ <tile of v>`."
            ),
        ),
        mistakes=TILED_ATTENTION,
    ),
    Exercise(
        id="13.2",
        title="attention_kernel",
        names=("attention_kernel",),
        points=2,
        cases=_kernel_cases,
        kernels=True,
        hints=(
            said("13.1 in a kernel: a program has a block of queries, and m, l and o stay in its registers."),
            said(
                "Which keys of the last tile do not exist, and which keys may a query not see? Both "
                "get the same score, and they get it before the maximum is taken."
            ),
            said(
                'In the loop: `s = tl.dot(<q>, tl.trans(<k>), input_precision="ieee") * scale`, `s = '
                "tl.where(<mask>, s, <a value that is never the maximum>)`, then 13.1. Causal: "
                "`<keys>[None, :] <= <queries>[:, None]`."
            ),
        ),
        mistakes=ATTENTION_KERNEL,
        groups=tuple(_STEPS),
        parts=True,
        remarks=KERNEL_REMARKS,
    ),
    Exercise(
        id="13.3",
        title="flash_kernel",
        names=("flash_kernel",),
        points=2,
        cases=_flash_cases,
        kernels=True,
        hints=(
            said(
                "`tl.program_id(1)` numbers the heads of all batches. First find out where this head "
                "begins in memory. The rest is 13.2."
            ),
            said(
                "Both blocks of a tl.dot have the same dtype. Your two products have four blocks. "
                "Which of them is not in half precision, and should be rounded for its product alone?"
            ),
            said(
                "`batch = tl.program_id(1) // <heads per batch>`, and `%` for the head; `<pointer> "
                "+= batch * <its batch stride> + head * <its head stride>`, four times; "
                "`tl.dot(p.to(<dtype of the values>), v)`; at the end `<maximum> + <logarithm of the "
                "sum>`."
            ),
        ),
        mistakes=FLASH_KERNEL,
        remarks=FLASH_REMARKS,
    ),
    Exercise(
        id="13.4",
        title=said("key_gradient_kernel, query_gradient_kernel"),
        names=(KEYS, QUERIES),
        points=2,
        cases=_gradient_cases,
        kernels=True,
        groups=(KEYS, QUERIES),
        parts=True,
        bonus=True,
        hints=(
            said(
                "Both kernels make the same tile of weights and the same tile of ds. They differ in "
                "the walk and in the sums."
            ),
            said(
                "A weight is exp(s - lse), so no walk for the maximum and the sum is needed. The sum "
                "of do · o is one number for each query."
            ),
            said(
                "`p = tl.exp(<scores> - lse[:, None])`, `ds = p * (<do, times v transposed> - <one "
                "per query>) * scale`; then `dv += <p transposed, times do>`, `dk += <ds transposed, "
                "times q>`, `dq += <ds, times k>`."
            ),
        ),
        mistakes=ATTENTION_GRADIENT,
    ),
]
