"""Known wrong states of the splits of a row, and softmaxes that merge right states wrongly, computed in PyTorch.

A case's facts hold x, n_splits, split_size and block.
"""

from __future__ import annotations

import torch

from .. import compare
from ..exercise import Answer, Case, Detector, Evidence
from . import walks
from .splits import states
from .walks import INF

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

    detect.fits = fits
    return detect


def _same(some, others) -> bool:
    return len(some) == len(others) and all(compare.alike(a, b) for a, b in zip(some, others))


# ---- known wrong softmaxes of x (M×N) from the right states


def merged(merge):
    """A formula (x, facts) -> y: merge(m, d) gives what each split subtracts and divides by, from all states (M×S)."""

    def compute(x: torch.Tensor, facts: dict) -> torch.Tensor:
        m, d = states(x, facts["n_splits"], facts["split_size"])
        shift, total = (t.float().expand(m.shape) for t in merge(m.float(), d.float()))
        which = torch.arange(x.shape[1]) // facts["split_size"]
        return torch.exp(x.float() - shift[:, which]) / total[:, which]

    return compute


def _top(m: torch.Tensor) -> torch.Tensor:
    return m.amax(1, keepdim=True)


def total(m: torch.Tensor, d: torch.Tensor) -> torch.Tensor:
    """The sum of the row."""
    return (d * torch.exp(m - _top(m))).sum(1, keepdim=True)


def not_rescaled(m, d):
    """The sums added as they are."""
    return _top(m), d.sum(1, keepdim=True)


def factor_inverted(m, d):
    """exp(row's maximum - split's) in place of exp(split's - row's)."""
    return _top(m), (d * torch.exp(_top(m) - m)).sum(1, keepdim=True)


def own_maximum(m, d):
    """The split's maximum over the row's sum."""
    return m, total(m, d)


def own_sum(m, d):
    """The row's maximum over the split's sum."""
    return _top(m), d


def own_state(m, d):
    """Each split a softmax of its own."""
    return m, d


def exchanged(m, d):
    """The sums taken for maxima, and the maxima for sums."""
    return _top(d), total(d, m)


def of_row_zero(m, d):
    """Every row with the states of row 0."""
    return _top(m)[:1], total(m, d)[:1]


def maximum_at_least_zero(m, d):
    """A masked lane holds a maximum of 0."""
    m0 = _top(m).clamp(min=0)
    return m0, (d * torch.exp(m - m0)).sum(1, keepdim=True)


def first_states(count):
    """Only the first count(n_splits) states take part."""

    def merge(m, d):
        kept = count(m.shape[1])
        return _top(m[:, :kept]), total(m[:, :kept], d[:, :kept])

    return merge


def kept(columns):
    """A formula (x, facts) -> y: right in the given columns of each split, and the others were left as they were."""

    def compute(x: torch.Tensor, facts: dict) -> torch.Tensor:
        y = torch.full(x.shape, torch.nan, dtype=torch.float64)
        mine = [c for s in range(facts["n_splits"]) for c in columns(s, facts) if c < x.shape[1]]
        y[:, mine] = torch.softmax(x.double(), 1)[:, mine]
        return y

    return compute


def rounded_down(x: torch.Tensor, facts: dict) -> torch.Tensor:
    """A softmax of as many columns as splits of a length rounded down hold; the others were left as they were."""
    y = torch.full(x.shape, torch.nan, dtype=torch.float64)
    columns = max(x.shape[1] // facts["n_splits"], 1) * facts["n_splits"]
    y[:, :columns] = torch.softmax(x[:, :columns].double(), 1)
    return y
