"""The grid of queries and keys of an attention: the tiles that its programs computed, masked, or left out."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from ..interpreter import KernelMisuse
from ..sentence import Said, joined, said
from . import trace_time
from .drawing import Drawing, cell, chip, escaped, frames, label, legend, table
from .trace import run

_MOST_ROWS, _MOST_WEIGHTS = 16, 8  # programs and tiles that are drawn; queries and keys of a tile with its weights
_LEGEND = {
    "computed": said("computed: every query of the tile gives every key of it a weight; the number tells the order"),
    "partial": said("partial: loaded, and some of its scores are masked: their weight is 0"),
    "masked": said("masked: loaded, and all of its scores are masked"),
    "skipped": said("skipped: the program does not load these keys"),
    "not a number": said("not a number: a weight of the tile is NaN"),
}
_LOOKS = {
    "computed": "load",
    "partial": "load, partial",
    "masked": "masked",
    "skipped": "empty",
    "not a number": "outside",
}

_WORDS = {
    "computed": said("computed"),
    "partial": said("partial"),
    "masked": said("masked"),
    "skipped": said("skipped"),
    "not a number": said("not a number"),
}


@dataclass
class Tile:
    """Some queries of one program, some keys. order: of the program's loads, from 1; 0 if it loads none of the keys."""

    queries: range
    keys: range
    kind: str
    order: int
    weights: torch.Tensor

    def words(self) -> str:
        """The kind, with the order of a tile that was loaded."""
        word = _WORDS[self.kind]
        return said("{one} {two}", one=self.order, two=word) if self.order else word


def attention_tiles(attention, q, k, v, *args, **kwargs) -> Drawing:
    """Draw the grid of queries × keys of attention(q, k, v, *args, **kwargs), from runs of it.

    q: of shape (m, d), k and v: (n, d), float32. The kernel loads from q_ptr and k_ptr. The weights are the outputs for
    columns of v that are 1 for one key and 0 for all others. Returns a Drawing. Raises KernelMisuse where the kernel is
    stopped or loads from no such tensor.
    """
    panels = _run(attention, (q, k, v, *args), kwargs).panels
    loads = {panel.tensor: panel for panel in panels if panel.op == "load"}
    if not {"q_ptr", "k_ptr"} <= loads.keys():
        raise KernelMisuse("attention_tiles draws what a kernel loads from q_ptr and k_ptr, and it loads nothing there")
    weights = _weights(attention, q, k, v, args, kwargs)
    rows = _tiles(loads["q_ptr"], loads["k_ptr"], weights)
    told = [_sentence(loads["k_ptr"].called(program), tiles) for program, tiles in rows.items()]
    shape = said("queries × keys, {shape} × {shape2}", shape=q.shape[0], shape2=k.shape[0])
    return Drawing(
        said("Grid of {shape}. {list}", shape=shape, list=joined("{one} {two}", told)),
        _page(shape, rows, loads["k_ptr"].called),
    )


def _run(attention, args, kwargs):
    traced = run(attention, args, kwargs, None, "forward")
    if traced.stopped:
        raise KernelMisuse(said("stopped before it happened: {stopped}", stopped=traced.stopped))
    return traced


def _weights(attention, q, k, v, args, kwargs) -> torch.Tensor:
    """The weight that each query gives to each key, of shape (m, n)."""
    parts = []
    for first in range(0, k.shape[0], v.shape[1]):
        one = torch.zeros_like(v)
        for column, key in enumerate(range(first, min(first + v.shape[1], k.shape[0]))):
            one[key, column] = 1
        parts.append(_run(attention, (q, k, one, *args), kwargs).value.detach().cpu())
    return torch.cat(parts, dim=1)[:, : k.shape[0]]


def _tiles(q_panel, k_panel, weights: torch.Tensor) -> dict[int, list[Tile]]:
    """The tiles of each program, from left to right."""
    queries, keys = {}, {}
    for program, row, *_ in q_panel.touched:
        queries.setdefault(program, set()).add(row)
    for access in trace_time.accesses(k_panel):
        if access.touched:
            rows = [row for _, row, *_ in access.touched]
            keys.setdefault(access.program, []).append(range(min(rows), max(rows) + 1))
    edges = {0, weights.shape[1], *(edge for of in keys.values() for part in of for edge in (part.start, part.stop))}
    columns = [range(*pair) for pair in zip(sorted(edges), sorted(edges)[1:])]
    found = {}
    for program, rows in sorted(queries.items()):
        rows = range(min(rows), max(rows) + 1)
        loaded = keys.get(program, [])
        found[program] = [_tile(rows, column, loaded, weights) for column in columns]
    return found


def _tile(queries: range, keys: range, loaded: list[range], weights: torch.Tensor) -> Tile:
    weights = weights[queries.start : queries.stop, keys.start : keys.stop]
    order = next((number for number, part in enumerate(loaded, 1) if keys.start in part), 0)
    if not order:
        kind = "skipped"
    elif weights.isnan().any():
        kind = "not a number"
    else:
        kind = "computed" if (weights != 0).all() else "partial" if (weights != 0).any() else "masked"
    return Tile(queries, keys, kind, order, weights)


def _sentence(program: str, tiles: list[Tile]) -> str:
    told = joined("{one}; {two}", [_of_a_tile(tile) for tile in tiles])
    return said(
        "Program {program}, {span}: {told}.",
        program=program,
        span=_queries(tiles[0].queries),
        told=told,
    )


def _of_a_tile(tile: Tile) -> Said:
    told = said("{one} {two}", one=_keys(tile.keys), two=_WORDS[tile.kind])
    return said("{told} ({order})", told=told, order=tile.order) if tile.order else told


def _page(shape: str, rows: dict[int, list[Tile]], called) -> str:
    pages = [(said("all programs"), _grid(shape, rows, rows, called))]
    programs = list(rows)[:_MOST_ROWS]
    for number, program in enumerate(programs if len(programs) > 1 else [], 1):
        done = dict.fromkeys(programs[:number])
        pages.append(
            (
                said("{number}: program {called}", number=number, called=called(program)),
                _grid(shape, rows, done, called, program),
            )
        )
    kinds = {tile.kind for tiles in rows.values() for tile in tiles}
    samples = [(chip("&emsp;", _LOOKS[kind]), words) for kind, words in _LEGEND.items() if kind in kinds]
    steps = frames(said("Step through the programs:"), pages)
    return f"<div>{steps}{legend(samples)}</div>"


def _grid(shape: str, rows: dict[int, list[Tile]], done, called, now: int | None = None) -> str:
    """The tiles as a table. done: programs whose tiles are drawn. now: the one to outline."""
    drawn = list(rows.items())[:_MOST_ROWS]
    head = label("") + "".join(label(_keys(tile.keys)) for tile in drawn[0][1][:_MOST_ROWS])
    lines = []
    for program, tiles in drawn:
        name = said("program {called}\n{span}", called=called(program), span=_queries(tiles[0].queries))
        cells = [_cell(tile, program == now) if program in done else cell("", "none") for tile in tiles[:_MOST_ROWS]]
        lines.append(label(name, scope="row") + "".join(cells))
    cut = (
        ""
        if len(drawn) == len(rows) and len(drawn[0][1]) <= _MOST_ROWS
        else said("; drawn: {MOST_ROWS} × {MOST_ROWS} tiles", MOST_ROWS=_MOST_ROWS)
    )
    told = joined("{one} {two}", [_sentence(called(program), tiles) for program, tiles in drawn if program in done])
    return table(said("Tiles of {shape}{cut}, and the weights in them", shape=shape, cut=cut), [head], lines, told)


def _cell(tile: Tile, now: bool) -> str:
    words = escaped(tile.words())
    if tile.order and max(len(tile.queries), len(tile.keys)) <= _MOST_WEIGHTS:
        lines = (" ".join(_number(float(weight)) for weight in row) for row in tile.weights)
        words += f'<div style="font-family:monospace;white-space:pre">{"<br>".join(lines)}</div>'
    return cell(words, _LOOKS[tile.kind], now=now)


def _number(weight: float) -> str:
    """A weight in four characters, as HTML."""
    if weight == 0:
        return "   0"
    return f"{weight:4.2f}" if not weight < 0.005 else "&lt;.01"


def _keys(of: range) -> Said:
    if len(of) == 1:
        return said("key {key}", key=of.start)
    return said("keys {first}-{last}", first=of.start, last=of.stop - 1)


def _queries(of: range) -> Said:
    if len(of) == 1:
        return said("query {query}", query=of.start)
    return said("queries {first}-{last}", first=of.start, last=of.stop - 1)
