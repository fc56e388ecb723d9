"""Known wrong states of the splits of a row, computed in PyTorch.

A case's facts hold x, n_splits, split_size and block.
"""

from __future__ import annotations

import torch

from ..checks import compare
from ..spec import Answer, Case, Detector, Evidence
from .softmax import walks
from .softmax.walks import INF

# ---- which columns a split takes in


def own(split: int, facts: dict) -> range:
    """The columns of a split, those beyond the row included."""
    return range(split * facts["split_size"], (split + 1) * facts["split_size"])


def first(split: int, facts: dict) -> range:
    """Split 0, whichever it is."""
    return own(0, facts)


def first_tile(split: int, facts: dict) -> range:
    """The first tile of the split, as far as it lies in it."""
    return own(split, facts)[: facts["block"]]


def whole_tiles(split: int, facts: dict) -> range:
    """The tiles that fit into the split; the rest is left out."""
    return own(split, facts)[: facts["split_size"] // facts["block"] * facts["block"]]


def hanging_over(split: int, facts: dict) -> range:
    """All lanes of all tiles, so that the last one hangs over into the next split."""
    begin, tiles = split * facts["split_size"], -(-facts["split_size"] // facts["block"])
    return range(begin, begin + tiles * facts["block"])


def to_the_end(split: int, facts: dict) -> range:
    """From the beginning of the split to the end of the row."""
    return range(split * facts["split_size"], facts["x"].shape[1])


def whole_row(split: int, facts: dict) -> range:
    """The whole row, in every split."""
    return range(facts["x"].shape[1])


def blocks_apart(split: int, facts: dict) -> range:
    """Splits that begin one block after each other."""
    return range(split * facts["block"], split * facts["block"] + facts["split_size"])


def first_tile_each_step(split: int, facts: dict) -> list[int]:
    """The first tile in every step: the walk forgets where it is, but not how much of the split is left."""
    begin, size, block = split * facts["split_size"], facts["split_size"], facts["block"]
    return [begin + lane for start in range(0, size, block) for lane in range(min(block, size - start))]


def first_split_alone(split: int, facts: dict) -> range:
    """Its own columns for split 0, and none for the others."""
    return own(0, facts)[: None if split == 0 else 0]


def walked(update=walks.right, columns=own, start=(-INF, 0.0), pad: float = -INF, rows=lambda x: x):
    """A formula facts -> (m, d): every split walked along in tiles with `update`, as in `walks.softmax`."""

    def compute(facts: dict) -> tuple[torch.Tensor, torch.Tensor]:
        x, found = rows(facts["x"].float()), []
        for split in range(facts["n_splits"]):
            lanes = [c for c in columns(split, facts)]
            inside = torch.tensor([c for c in lanes if c < x.shape[1]], dtype=torch.long)
            line = torch.nn.functional.pad(x[:, inside], (0, len(lanes) - len(inside)), value=pad)
            m, d = (torch.full((len(x), 1), v) for v in start)
            for tile in walks.tiles(line, facts["block"], pad) if lanes else []:
                m, d = update(m, d, tile, tile.amax(1, keepdim=True))
            found.append((m, d))
        return tuple(torch.cat(part, 1) for part in zip(*found))

    return compute


def guarded(m, d, tile, top):
    """`walks.right`, where a walk that has met nothing but -inf yet stays at (-inf, 0)."""
    new = torch.maximum(m, top)
    shift = torch.where(new == -INF, 0.0, new)
    return new, d * torch.exp(m - shift) + torch.exp(tile - shift).sum(1, keepdim=True)


def state_table(compute) -> Detector:
    """Matches when both tensors that were stored hold what compute(facts) gives, and that is not right."""

    def fits(case: Case, evidence: Evidence) -> bool:
        return _same(evidence.args[:2], compute(case.facts))

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        wrong = compute(case.facts)
        return _same(evidence.args[:2], wrong) and not _same(case.facts["states"], wrong)

    return Detector(detect, fits)


def _same(some, others) -> bool:
    return len(some) == len(others) and all(compare.alike(a, b) for a, b in zip(some, others))
