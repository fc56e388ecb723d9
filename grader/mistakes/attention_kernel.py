"""The mistakes of an attention kernel that gives a program a block of queries: addresses, masks, order, precision."""

from __future__ import annotations

from dataclasses import replace

import torch

from ..reference import attention
from ..spec import Answer, Case, Detector, Evidence
from . import attention_walks as walks
from . import attention_written as text
from . import detectors
from .attention_tiled import NUMBERS, formula, right
from .attention_walks import walk
from .detectors import both, outside, written
from .softmax.columns import KERNEL


def _changed(**changes):
    """The right walk over other facts: each change is a function of the facts."""
    return lambda facts: walk()(facts | {name: change(facts) for name, change in changes.items()})


def _window(name: str):
    """Row r of a tensor read from element r on: the row stride is missing."""

    def change(facts: dict) -> torch.Tensor:
        (m, n), flat = facts[name].shape, facts[name].reshape(-1)
        return torch.stack([flat[r : r + n] for r in range(m)])

    return change


def _first_tile_again(name: str):
    """Every step of the loop reads the first tile."""
    return lambda facts: facts[name][torch.arange(len(facts[name])) % facts["tile"]]


def stored(evidence: Evidence, facts: dict) -> str | None:
    """None when attention was stored, and q read once, k and v once for each block of queries; else a sentence."""
    q, k, read = facts["q"], facts["k"], facts["reads"]
    sentence = attention.place(evidence.args[0], facts["want"], facts["allowed"])
    if sentence or evidence.read <= read:
        return sentence
    blocks = -(-len(q) // facts["block"])
    return (
        f"right numbers, but {evidence.read:,} elements are read; q once ({q.numel():,}) and k and v once for each of "
        f"{blocks} block{'s' * (blocks > 1)} of queries ({2 * blocks * k.numel():,}) are {read:,}"
    )


@Detector
def _nothing_skipped(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Tiles were loaded that lie behind the places of all the program's queries."""
    return case.facts["causal"] and evidence.read == case.facts["reads"]


@Detector
def _nearly_right(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Off by no more than a few digits of tf32 make, which keeps 10 bits after the point."""
    got, want = detectors.output(case, evidence), case.facts["want"]
    if got is None or got.shape != want.shape:
        return False
    return bool(((got.double() - want).abs() <= 0.01 * case.facts["v"].double().abs().amax()).all())


def _begins(width):
    """A test for `outside`: a line of the tile begins where row r would, if rows lay `width` apart.

    width(right, facts): numbers of elements; among them, the right one means nothing.
    """

    def test(where: dict, facts: dict) -> bool:
        line, begins, right = where["line"] or 0, where["begins"], facts["strides"].get(where["tensor"], 0)
        of_queries = where["tensor"] in ("q_ptr", "o_ptr")
        step, count = (facts["block"], len(facts["q"])) if of_queries else (facts["tile"], len(facts["k"]))
        for wrong in set(width(right, facts)) - {right}:
            rows = range(line, count, step)
            upright = any(r > 0 and begins == r * wrong for r in rows)
            # Loaded transposed, a line of the tile is one column of all its keys.
            lying = any(first > 0 and begins == first * wrong + line for first in range(0, count, step))
            if upright or lying:
                return True
        return False

    return test


def _past(*tensors: str):
    """Behind the last row of these tensors, with other lanes inside."""

    def test(where: dict, facts: dict) -> bool:
        last = len(facts["q"]) if where["tensor"] in ("q_ptr", "o_ptr") else len(facts["k"])
        return where["tensor"] in tensors and (where["row"] or 0) >= last

    return test


def _either(mistake: str, test) -> list:
    return [(mistake, outside(op, test)) for op in ("load", "store")]


@Detector
def _shapes_clash(case: Case, evidence: Evidence, answer: Answer) -> bool:
    message = (evidence.error or {}).get("message", "")
    return "incompatible dimensions" in message or "could not be broadcast" in message


@Detector
def _first_block_only(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Several programs stored the first block of queries, and nobody the others."""
    got, block = detectors.output(case, evidence), case.facts["block"]
    if got is None or len(got) <= block or not detectors.shared(case, evidence, answer):
        return False
    return bool(got[block:].isnan().all() and not got[:block].isnan().any())


@Detector
def _rows_of_nan(case: Case, evidence: Evidence, answer: Answer) -> bool:
    got = detectors.output(case, evidence)
    return got is not None and bool(got.isnan().all(1).any())


def _scale_of_d(facts: dict) -> torch.Tensor:
    """Scores with the usual scale, whatever the given one is."""
    return walks.scaled(lambda scale: facts["k"].shape[1] ** -0.5)(facts)


def _absent_keys_are_nan():
    """Exactly those queries are NaN that see a lane behind the last key, where masked lanes hold what shows.

    The causal cases may have faults besides.
    """
    detect = formula(walk(pad=torch.nan))
    return replace(
        detect,
        fits=lambda case, evidence: case.facts["causal"] or not case.call.poison or detect.fits(case, evidence),
        exact=True,
    )


@Detector
def _pad_won(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """All scores are far below zero, and beside the lanes behind the last key their weights vanished."""
    got, facts = detectors.output(case, evidence), case.facts
    highest = facts["scale"] * attention.matmul(facts["q"], facts["k"].t()).max()
    if got is None or highest > -50 or len(facts["k"]) % facts["tile"] == 0:
        return False
    return bool((got.abs() < 1e-6).all())


@Detector
def _shown_by_zeros(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """NaN where masked lanes hold 0: lanes behind the last key were the maximum."""
    return not case.call.poison and detectors.all_nan(case, evidence, answer)


@Detector
def _began_with_nothing(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Where masking is causal, some queries are NaN, and the others are right."""
    got, facts = detectors.output(case, evidence), case.facts
    if not facts["causal"] or got is None:
        return False
    nan = got.isnan().all(1)
    others = (t[~nan] for t in (got, facts["want"], facts["allowed"]))
    return bool(nan.any() and not nan.all()) and attention.place(*others) is None


@Detector
def _more_read(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return evidence.read > case.facts["reads"] and right(case, evidence)


_CAUSAL = tuple((mistake, formula(numbers)) for mistake, numbers in (
    ("causal-ignored", walk(scores=walks.seen(walks.every))),
    ("causal-ignored", walk(scores=walks.seen(walks.reached))),
    ("causal-off-by-one", walk(scores=walks.seen(lambda m, n, facts: n < m))),
    ("causal-off-by-one", walk(scores=walks.seen(lambda m, n, facts: n <= m + 1))),
    ("causal-inverted", walk(scores=walks.seen(lambda m, n, facts: n >= m))),
    ("causal-inverted", walk(scores=walks.seen(lambda m, n, facts: n > m))),
    *(("causal-places-of-a-block", walk(scores=walks.seen(keep))) for keep in walks.PLACES_OF_A_BLOCK),
    *(("keys-left-out", walk(scores=walks.seen(keep))) for keep in walks.STOPPED_EARLY),
    ("keys-left-out", walk(scores=walks.seen(lambda m, n, facts: (n < m // facts["block"] * facts["block"])))),
    ("hidden-as-zero", walk(scores=walks.hidden_as_zero, pad=0.0)),
    ("hidden-as-zero", walk(scores=walks.hidden_as_zero)),
))  # fmt: skip

ATTENTION_KERNEL = (
    *KERNEL,
    ("input-overwritten", detectors.input_overwritten),
    *_either("rows-assumed-adjacent", _begins(lambda right, facts: [facts["q"].shape[1]])),
    *_either("strides-exchanged", _begins(lambda right, facts: facts["strides"].values())),
    *_either("stride-in-bytes", _begins(lambda right, facts: [4 * right])),
    *_either("rows-past-the-end", _past("q_ptr", "o_ptr")),
    ("keys-past-the-end", outside("load", _past("k_ptr", "v_ptr"))),
    ("nothing-stored", detectors.nothing_stored),
    ("lined-up-with-columns", _shapes_clash),
    ("first-tile-only", _first_block_only),
    ("row-read-twice", _more_read),
    ("zero-times-nan", both(written(text.v_without_other), _rows_of_nan)),
    ("absent-keys-weigh", _absent_keys_are_nan()),
    *NUMBERS,
    ("keys-for-values", formula(_changed(v=lambda facts: facts["k"]))),
    ("keys-left-out", formula(_changed(k=_first_tile_again("k"), v=_first_tile_again("v")))),
    ("pad-zero", formula(walk(pad=0.0))),
    ("pad-finite", _pad_won),
    *_CAUSAL,
    ("hidden-after-exp", _shown_by_zeros),
    ("first-tile-minus-inf", _began_with_nothing),
    *((mistake, formula(walk(update, raw=walks.seen(reach), raw_pad=pad)))
      for mistake, update in (
          ("hidden-after-exp", walks.dropped_after_exp), ("hidden-in-the-sum", walks.dropped_in_the_sum))
      for reach in (walks.every, walks.reached) for pad in (0.0, -torch.inf)),
    ("scale-of-its-own", formula(walk(scores=_scale_of_d))),
    ("whole-tile-reduced", formula(walks.by_blocks(walk(walks.shared_maximum)), mixes=True)),
    *(("row-stride-missing", formula(_changed(**{n: _window(n) for n in names})))
      for names in ("k", "v", "kv")),
    *(("row-stride-missing", formula(_changed(**{n: _window(n) for n in names}), mixes=True))
      for names in ("q", "qkv")),
    ("half-products", both(written(text.in_half), _nearly_right)),
    ("tf32", both(written(text.in_tf32), _nearly_right)),
)  # fmt: skip

REMARKS = (
    (
        "A tl.dot of yours does not name its input_precision. Some GPUs then cut float32 down to tf32, which keeps 10 "
        "bits after the point, and a check there refuses the result.",
        written(text.precision_left_open),
    ),
    (
        "A tl.dot of yours asks for tf32, which keeps 10 bits after the point. On a GPU that has it, a check refuses "
        "the result.",
        written(text.asks_for_tf32),
    ),
    (
        "With CAUSAL, every program reads all the keys, also those that come after all of its queries.",
        _nothing_skipped,
    ),
)
