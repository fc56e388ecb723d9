"""Known softmaxes of x (M×N) that merge right states wrongly, or miss columns, computed in PyTorch.

A case's facts hold x, n_splits, split_size and block.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from ..reference.splits import states
from ..spec import Answer, Case, Detector, Evidence
from . import detectors
from .detectors import formula


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


def largest_sum(m, d):
    """The largest of the sums, as they are."""
    return _top(m), d.amax(1, keepdim=True)


def largest_rescaled_sum(m, d):
    """The largest of the rescaled sums."""
    return _top(m), (d * torch.exp(m - _top(m))).amax(1, keepdim=True)


def factors_alone(m, d):
    """The factors were added, and not the sums that they belong to."""
    return _top(m), torch.exp(m - _top(m)).sum(1, keepdim=True)


def maxima_added(m, d):
    """The sum of the maxima in place of the largest."""
    shift = m.sum(1, keepdim=True)
    return shift, (d * torch.exp(m - shift)).sum(1, keepdim=True)


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


def first_block_of_states(x: torch.Tensor, facts: dict) -> torch.Tensor:
    """Only as many states take part as a block of columns has lanes."""
    return merged(first_states(lambda n: facts["block"]))(x, facts)


def maxima_added_with_pads(x: torch.Tensor, facts: dict) -> torch.Tensor:
    """The sum of the maxima in place of the largest, with -inf from every lane that has no state."""
    full = facts["n_splits"] & (facts["n_splits"] - 1) == 0
    return merged(maxima_added)(x, facts) if full else torch.full(x.shape, torch.nan)


def rounded_down(x: torch.Tensor, facts: dict) -> torch.Tensor:
    """A softmax of as many columns as splits of a length rounded down hold; the others were left as they were."""
    y = torch.full(x.shape, torch.nan, dtype=torch.float64)
    columns = max(x.shape[1] // facts["n_splits"], 1) * facts["n_splits"]
    y[:, :columns] = torch.softmax(x[:, :columns].double(), 1)
    return y


def _merge(merge) -> Detector:
    """The formula of a wrong merge. Nothing but NaN is no sign of it: with an empty state nearly all give that."""
    wrong = formula(merged(merge))

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        return wrong(case, evidence, answer) and not detectors.all_nan(case, evidence, answer)

    return Detector(detect, wrong.fits)


def _in_every_case(wrong: Detector) -> Detector:
    """The same, but no explanation unless it fits every case that ran."""
    return replace(wrong, exact=True)


MERGE = (
    ("partials-not-rescaled", _merge(not_rescaled)),
    ("factor-inverted", _merge(factor_inverted)),
    ("state-swapped", _merge(exchanged)),
    ("own-split-maximum", _merge(own_maximum)),
    ("own-split-sum", _merge(own_sum)),
    ("own-split-sum", _merge(own_state)),
    *(("sums-not-added", _merge(merge)) for merge in (largest_sum, largest_rescaled_sum, factors_alone)),
    ("shift-not-max", _in_every_case(formula(merged(maxima_added)))),
    ("shift-not-max", _in_every_case(formula(maxima_added_with_pads))),
    ("states-misplaced", _merge(of_row_zero)),
    ("pad-zero-wins", formula(merged(maximum_at_least_zero))),
    ("states-left-out", _merge(first_states(lambda n: 1 << (n.bit_length() - 1)))),
    ("states-left-out", _merge(first_states(lambda n: n - 1 or 1))),
    ("states-left-out", _merge(first_states(lambda n: 1))),
    ("states-left-out", formula(first_block_of_states)),
)
