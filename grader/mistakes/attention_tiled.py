"""The mistakes of attention in tiles of keys: those of any walk, and those of one written in PyTorch."""

from __future__ import annotations

from dataclasses import replace

import torch

from ..checks import compare
from ..reference import attention
from ..spec import Answer, Case, Detector, Evidence
from . import attention_walks as walks
from . import detectors
from .attention_walks import walk
from .attention_written import ALL_NAN

_FEW = 4  # queries to begin with: most formulas are ruled out by them


def formula(compute, mixes: bool = False) -> Detector:
    """Matches when the answer's numbers are those of a known wrong formula of the facts, and not the right ones.

    mixes: whether a query's result depends on other queries.
    """

    def fits(case: Case, evidence: Evidence) -> bool:
        got, facts = detectors.output(case, evidence), case.facts
        if evidence.error or not isinstance(got, torch.Tensor):
            return False
        few = facts | {"q": facts["q"][:_FEW], "want": facts["want"][:_FEW]}
        return (mixes or attention.alike(got[:_FEW], compute(few))) and attention.alike(got, compute(facts))

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        return fits(case, evidence) and not attention.alike(case.facts["want"], compute(case.facts))

    return Detector(detect, fits)


def exactly(detect: Detector) -> Detector:
    """A formula that explains nothing unless it gives what the answer gave in every case: NaN alone proves little."""
    return replace(detect, exact=True)


_DIVIDED = [walks.divided(by_all, what) for by_all in (True, False) for what in ("whole", "new")]

_BOTH = ("both-rescaled", exactly(formula(walk(walks.both_rescaled))))
NUMBERS = (*ALL_NAN, _BOTH, *((mistake, formula(numbers)) for mistake, numbers in (
    ("accumulator-not-rescaled", walk(walks.rescaled("l"))),
    ("not-rescaled", walk(walks.rescaled("o"))),
    ("not-rescaled", walk(walks.rescaled(""))),
    ("factor-inverted", walk(walks.guarded(walks.factor_inverted))),
    ("stale-maximum", walk(walks.guarded(walks.stale_maximum))),
    ("tile-maximum", walk(walks.tile_maximum)),
    ("maximum-not-kept", walk(walks.maximum_not_kept)),
    ("start-finite", walk(start=-1000.0)),
    ("start-at-zero", walk(start=0.0)),
    ("no-max", walk(walks.unshifted, start=0.0)),
    *(("divided-at-every-tile", walk(each, finish=lambda l, o: o)) for each in _DIVIDED),
    *(("divided-at-every-tile", walk(each)) for each in _DIVIDED),
    ("maximum-of-first-tile", walk(walks.first_maximum)),
    ("weights-not-summed", walk(walks.maxima_summed)),
    ("last-tile-sum", walk(walks.last_sum)),
    ("not-normalised", walk(finish=lambda l, o: o)),
    ("scale-forgotten", walk(scores=walks.scaled(lambda scale: 1.0))),
    ("scaled-twice", walk(scores=walks.scaled(lambda scale: scale * scale))),
    ("scale-upside-down", walk(scores=walks.scaled(lambda scale: 1 / scale))),
    ("base-two", walk(scores=walks.scaled(lambda scale: scale * walks.BASE_TWO))),
    ("keys-left-out", walk(tiles=lambda tiles: tiles[:1])),
    ("keys-left-out", walk(tiles=lambda tiles: tiles[:-1])),
    ("keys-left-out", walk(tiles=lambda tiles: tiles[-1:])),
)))  # fmt: skip


# ---- in PyTorch


def returned(evidence: Evidence, facts: dict) -> str | None:
    """None when attention came back, from one walk that never held all scores; else a sentence."""
    got = evidence.value
    sentence = compare.kind(got, facts["want"].float()) or attention.place(got, facts["want"], facts["allowed"])
    if sentence:
        return sentence
    for name, read in zip("kv", evidence.torch_reads[1:]):
        if read > facts[name].numel():
            return f"right numbers, but {name} is read {read / facts[name].numel():.3g} times over"
    for name, read in zip("qkv", evidence.torch_reads):
        if read < facts[name].numel():
            return f"right numbers, but PyTorch read {read} of the {facts[name].numel()} numbers of {name}"
    scores = len(facts["q"]) * len(facts["k"])
    if facts["many"] and evidence.peak >= scores:
        return (
            f"right numbers, but at one moment your tensors held {evidence.peak:,} numbers between them, and all the "
            f"scores are {len(facts['q'])}·{len(facts['k'])} = {scores:,}"
        )
    return None


def right(case: Case, evidence: Evidence) -> bool:
    """Whether the numbers are right, whatever else is not."""
    got = detectors.output(case, evidence)
    want = case.facts["want"]
    fits = isinstance(got, torch.Tensor) and got.shape == want.shape
    return fits and attention.place(got, want, case.facts["allowed"]) is None


@Detector
def _read_again(case: Case, evidence: Evidence, answer: Answer) -> bool:
    reads = zip("kv", evidence.torch_reads[1:])
    return right(case, evidence) and any(read > case.facts[name].numel() for name, read in reads)


@Detector
def _past_pytorch(case: Case, evidence: Evidence, answer: Answer) -> bool:
    reads = zip("qkv", evidence.torch_reads)
    left = {"numpy", "tolist"} & set(evidence.torch_ops)
    return right(case, evidence) and (bool(left) or any(read < case.facts[name].numel() for name, read in reads))


@Detector
def _all_kept(case: Case, evidence: Evidence, answer: Answer) -> bool:
    scores = len(case.facts["q"]) * len(case.facts["k"])
    return case.facts["many"] and evidence.peak >= scores and right(case, evidence)


@Detector
def _wrong_dtype(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return isinstance(evidence.value, torch.Tensor) and evidence.value.dtype != torch.float32


def _over_queries(facts: dict) -> torch.Tensor:
    """The weights of a key sum to 1, not those of a query."""
    return attention.matmul(torch.softmax(walks.product(facts) * facts["scale"], 0), facts["v"].float())


TILED = (
    ("input-overwritten", detectors.input_overwritten),
    ("past-pytorch", _past_pytorch),
    ("keys-read-again", _read_again),
    ("scores-stored", _all_kept),
    ("wrong-dtype", _wrong_dtype),
    *NUMBERS,
    ("shift-global-max", formula(walk(walks.shared_maximum), mixes=True)),
    ("wrong-axis", formula(_over_queries, mixes=True)),
)
