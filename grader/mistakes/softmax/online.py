"""The mistakes that a walk along a row in tiles can meet, on top of those of any kernel over rows."""

from __future__ import annotations

from dataclasses import replace

import torch

from ...checks import syntax
from ...checks.compare import same_number
from ...spec import Answer, Case, Detector, Evidence
from .. import detectors
from ..detectors import both, formula, outside, written
from . import walks
from .columns import SOFTMAX_KERNEL
from .rows import ROW_KERNEL


def _formula(test) -> Detector:
    """Matches a plain value; told from others on the cases that passed, but not exact: nobody agrees on -inf - -inf."""
    detect = detectors.value(test)
    return replace(detect, fits=lambda case, evidence: detect(case, evidence, None))


def state_formula(update, start=(-torch.inf, 0.0)) -> Detector:
    """Matches when the state (m, d) that came back is what a known wrong update makes of facts["xs"]."""

    def test(got, facts):
        m, d = (torch.full((1, 1), v, dtype=torch.float64) for v in start)
        for x in facts["xs"]:
            tile = torch.full((1, 1), x, dtype=torch.float64)
            m, d = update(m, d, tile, tile)
        pair = torch.tensor([got], dtype=torch.float64), torch.cat([m, d], 1)
        return torch.allclose(*pair, rtol=1e-5, atol=0, equal_nan=True)

    return _formula(test)


def merge_formula(compute):
    """Matches when merge gave what a known wrong formula of (ma, da), (mb, db) gives."""

    def test(got, facts):
        wrong = compute(*facts["a"], *facts["b"])
        return all(same_number(g, w, rel=1e-5) for g, w in zip(got, wrong))

    return _formula(test)


def exp(x: float) -> float:
    """exp as a float64 sees it: inf where it overflows, NaN for NaN."""
    return float(torch.tensor(x, dtype=torch.float64).exp())


@Detector
def _first_tile_minus_inf(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Only rows that begin with a whole tile of -inf came out as NaN."""
    x, got = case.facts.get("x"), detectors.output(case, evidence)
    if x is None or got is None or got.shape != x.shape or "block" not in case.facts:
        return False
    dead = (x[:, : case.facts["block"]] == -torch.inf).all(1)
    return bool(dead.any() and got[dead].isnan().all() and not got[~dead].isnan().any())


@Detector
def _ends_in_a_tile(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The last tile hangs over the end of the row."""
    x = case.facts.get("x")
    return x is not None and "block" in case.facts and x.shape[1] % case.facts["block"] != 0


@Detector
def _shorter_than_a_tile(case: Case, evidence: Evidence, answer: Answer) -> bool:
    x = case.facts.get("x")
    return x is not None and x.shape[1] < case.facts.get("block", 0)


@Detector
def _several_tiles(case: Case, evidence: Evidence, answer: Answer) -> bool:
    x = case.facts.get("x")
    return x is not None and x.shape[1] > case.facts.get("block", x.shape[1])


def _beyond_the_last_tile(where: dict, facts: dict) -> bool:
    return facts["x"].shape[1] > facts["block"] and (where.get("column") or 0) >= facts["x"].shape[1]


_WRONG_UPDATES = {
    "not-rescaled": walks.not_rescaled,
    "factor-inverted": walks.factor_inverted,
    "both-rescaled": walks.both_rescaled,
    "stale-maximum": walks.stale_maximum,
    "tile-maximum": walks.tile_maximum,
}

UPDATES = tuple(
    (mistake, state_formula(each))
    for mistake, update in _WRONG_UPDATES.items()
    for each in (update, walks.first_as_it_is(update))
)

ONLINE_KERNEL = (
    ("tile-mask", outside("load", _beyond_the_last_tile)),
    ("tile-mask", outside("store", _beyond_the_last_tile)),
    ("no-pad", both(written(syntax.load_without_other), detectors.all_nan)),
    ("pad-finite", both(_ends_in_a_tile, detectors.lowest_lost)),
    ("first-tile-minus-inf", _first_tile_minus_inf),
    ("maximum-not-kept", formula(walks.softmax(walks.maximum_not_kept))),
    *((mistake, formula(walks.softmax(update))) for mistake, update in _WRONG_UPDATES.items()),
    ("start-at-zero", formula(walks.softmax(walks.right, start=(0.0, 0.0)))),
    ("last-tile-maximum", formula(walks.softmax(walks.right, last_tile=True))),
    ("pad-zero", formula(walks.softmax(walks.right, pad=0.0))),
    ("only-first-tile", both(_several_tiles, detectors.first_block_only)),
    ("last-tile-missing", both(_several_tiles, detectors.tail_is_nan)),
    ("last-tile-missing", both(_shorter_than_a_tile, detectors.nothing_stored)),
    *ROW_KERNEL,
    *SOFTMAX_KERNEL,
)
