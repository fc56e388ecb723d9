"""Mistakes of online softmax: the state (m, d), the merge of two states, and a kernel that walks in tiles."""

from __future__ import annotations

from dataclasses import replace

import torch

from ...checks import syntax
from ...checks.compare import same_number
from ...reference.online import too_wide
from ...spec import Answer, Case, Detector, Evidence
from .. import detectors
from ..detectors import both, formula, outside, value, value_formula, written
from ..mistake import Mistake
from . import walks
from .columns import SOFTMAX_KERNEL
from .rows import ROW_KERNEL

MISTAKES = [
    # ---- a state, and the merge of two
    Mistake(
        "not-a-state",
        "A state is two numbers: the maximum, and the sum that belongs to it.",
        "What does the docstring promise to return?",
    ),
    Mistake("state-swapped", "The two numbers have changed places.", "In which order does the docstring name them?"),
    Mistake(
        "walked-twice",
        "The maximum is there, and nothing was left for the sum: the numbers can be walked along only once.",
        "What do you know of the sum while you are still looking for the maximum?",
    ),
    Mistake(
        "not-rescaled",
        "A sum was added as it is, though its terms belong to another maximum.",
        "By which factor does exp(x - m) change when m changes?",
    ),
    Mistake(
        "maximum-not-kept",
        "The new maximum is used once and then forgotten: the next step starts from the old one.",
        "What does m hold when the next value comes?",
    ),
    Mistake(
        "one-side-rescaled",
        "One of the two sums was rescaled, the other added as it is.",
        "Which maximum do the terms of each sum belong to?",
    ),
    Mistake(
        "factor-inverted",
        "The factor is upside down: with yours, a sum grows when the maximum rises.",
        "Is exp(x - m) larger or smaller after m has risen?",
    ),
    Mistake(
        "both-rescaled",
        "The new terms were rescaled together with the old ones.",
        "Which maximum do the new terms belong to already?",
    ),
    Mistake(
        "stale-maximum",
        "The new terms are taken relative to the old maximum.",
        "Which maximum should all terms of the new sum belong to?",
    ),
    Mistake(
        "tile-maximum",
        "The maximum kept is that of the newest part alone: it can go down, and then the old sum's factor explodes.",
        "What is the largest value of everything seen so far?",
    ),
    Mistake(
        "start-at-zero",
        "The walk starts with a maximum of 0, which no value below 0 ever beats.",
        "What is the maximum of no values at all?",
    ),
    Mistake("maxima-added", "The two maxima were added.", "What is the largest value of both parts together?"),
    Mistake(
        "inf-minus-inf",
        "-inf minus -inf has no value, and NaN never goes away again.",
        "What is the factor of a sum that is still empty?",
    ),
    Mistake(
        "exp-out-of-range",
        "exp was asked for a number that no float holds.",
        "Which of your exponents can be positive, and is that one a difference to the maximum?",
    ),
    # ---- a kernel that walks in tiles
    Mistake(
        "wider-than-a-tile",
        "An access has more lanes than the launch gave the kernel: this is one block again, and not a walk in tiles.",
        "What happens to your kernel when the row grows beyond that width?",
    ),
    Mistake(
        "first-tile-minus-inf",
        "Rows that begin with a whole tile of -inf become NaN, though the rest of the row has a softmax.",
        "What is exp(m - new m) while both are still -inf?",
    ),
    Mistake(
        "tile-mask",
        "The last tile reaches past the end of the row: its mask does not know where the tile begins.",
        "Which column does lane 0 of the last tile have?",
    ),
    Mistake(
        "last-tile-maximum",
        "The second walk uses the maximum of the last tile.",
        "Which maximum does the final sum belong to?",
    ),
    Mistake("only-first-tile", "Only the first tile of each row was stored.", "How many tiles does a row have?"),
    Mistake(
        "last-tile-missing",
        "The end of each row was never stored: the tiles that fit are done, the rest is not.",
        "How many steps does your loop take when the last tile is only partly filled?",
    ),
    Mistake(
        "walks-too-many",
        "The numbers are right, but the row is walked along more often than twice.",
        "Which two walks are needed, and what does each of them find out?",
    ),
]


def _formula(test) -> Detector:
    """Matches a plain value that a known wrong formula gives: test gets the value and the facts of the case.

    Cases that passed tell such formulas apart, but the formula need not fit every case that ran: for -inf - -inf the
    answers with one mistake give NaN, an exception or the value of a guard.
    """
    detect = value(test)
    return replace(detect, fits=lambda case, evidence: detect(case, evidence, None))


def _state(update, start=(-torch.inf, 0.0)) -> Detector:
    """Matches the state (m, d) that a wrong update makes of the values facts["xs"], one value a step, from `start`."""

    def test(got, facts):
        m, d = (torch.full((1, 1), v, dtype=torch.float64) for v in start)
        for x in facts["xs"]:
            tile = torch.full((1, 1), x, dtype=torch.float64)
            m, d = update(m, d, tile, tile)
        pair = torch.tensor([got], dtype=torch.float64), torch.cat([m, d], 1)
        return torch.allclose(*pair, rtol=1e-5, atol=0, equal_nan=True)

    return _formula(test)


def _unshifted(m, d, tile, top):
    """The exponentials are added without a shift."""
    return torch.maximum(m, top), d + torch.exp(tile)


def _merged(compute) -> Detector:
    """Matches the pair that a wrong merge makes of the states facts["a"] and facts["b"].

    compute(ma, da, mb, db) returns the wrong (m, d).
    """

    def test(got, facts):
        wrong = compute(*facts["a"], *facts["b"])
        return all(same_number(g, w, rel=1e-5) for g, w in zip(got, wrong))

    return _formula(test)


def _exp(x: float) -> float:
    """exp in float64: inf where it overflows, NaN for NaN. math.exp raises an OverflowError."""
    return float(torch.tensor(x, dtype=torch.float64).exp())


def _first_sum_rescaled(ma, da, mb, db):
    """Only the first sum is rescaled to the common maximum."""
    m = max(ma, mb)
    return m, da * _exp(ma - m) + db


def _second_sum_rescaled(ma, da, mb, db):
    """Only the second sum is rescaled to the common maximum."""
    m = max(ma, mb)
    return m, da + db * _exp(mb - m)


def _factors_inverted(ma, da, mb, db):
    """Both factors are exp(new - old) in place of exp(old - new)."""
    m = max(ma, mb)
    return m, da * _exp(m - ma) + db * _exp(m - mb)


_NOT_A_STATE = ("not-a-state", value(lambda v, f: not isinstance(v, (tuple, list)) or len(v) != 2))

# The id of a mistake in one step of a walk, and the wrong update.
_WRONG_UPDATES = {
    "not-rescaled": walks.not_rescaled,
    "factor-inverted": walks.factor_inverted,
    "both-rescaled": walks.both_rescaled,
    "stale-maximum": walks.stale_maximum,
    "tile-maximum": walks.tile_maximum,
}

# The state of a list of numbers (8.1). facts: xs, want.
NORMALIZER = (
    _NOT_A_STATE,
    ("walked-twice", value_formula(lambda v, f: v[0] == f["want"][0] and v[1] == 0)),
    ("state-swapped", value_formula(lambda v, f: same_number(v[1], f["want"][0]))),
    ("maximum-not-kept", _state(walks.maximum_not_kept)),
    ("sum-of-x", _state(walks.sum_of_values)),
    ("start-at-zero", _state(walks.right, start=(0.0, 0.0))),
    *(
        (mistake, _state(each))
        for mistake, update in _WRONG_UPDATES.items()
        for each in (update, walks.first_as_it_is(update))
    ),
    ("no-max", _state(_unshifted)),
    ("inf-minus-inf", value(lambda v, f: v[1] != v[1] and -torch.inf in f["xs"])),
)

# The merge of two states (8.2). facts: a, b, want.
MERGE = (
    _NOT_A_STATE,
    ("one-side-rescaled", _merged(_first_sum_rescaled)),
    ("one-side-rescaled", _merged(_second_sum_rescaled)),
    ("factor-inverted", _merged(_factors_inverted)),
    ("not-rescaled", _merged(lambda ma, da, mb, db: (max(ma, mb), da + db))),
    ("maxima-added", _merged(lambda ma, da, mb, db: (ma + mb, da + db))),
    ("inf-minus-inf", value(lambda v, f: v[1] != v[1] and -torch.inf in (f["a"][0], f["b"][0]))),
)


@Detector
def _wider_than_a_tile(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """An access has more lanes than BLOCK."""
    return not evidence.error and bool(too_wide(evidence, case.facts["block"]))


@Detector
def _only_after_a_dead_tile(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Rows that begin with a whole tile of -inf are NaN, and no other row holds NaN."""
    x, got = case.facts.get("x"), detectors.output(case, evidence)
    if x is None or got is None or got.shape != x.shape or "block" not in case.facts:
        return False
    dead = (x[:, : case.facts["block"]] == -torch.inf).all(1)
    return bool(dead.any() and got[dead].isnan().all() and not got[~dead].isnan().any())


@Detector
def _ragged_tiles(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The last tile has lanes behind the end of the row."""
    x = case.facts.get("x")
    return x is not None and "block" in case.facts and x.shape[1] % case.facts["block"] != 0


@Detector
def _shorter_than_a_tile(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The row has fewer columns than a tile."""
    x = case.facts.get("x")
    return x is not None and x.shape[1] < case.facts.get("block", 0)


@Detector
def _several_tiles(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The row has more columns than a tile."""
    x = case.facts.get("x")
    return x is not None and x.shape[1] > case.facts.get("block", x.shape[1])


def _behind_the_last_tile(where: dict, facts: dict) -> bool:
    """For `outside`: a row of several tiles was left at its end."""
    return facts["x"].shape[1] > facts["block"] and (where.get("column") or 0) >= facts["x"].shape[1]


# A kernel that walks along each row in tiles, with any number of lanes (8.4).
TILED_WALK = (
    ("tile-mask", outside("load", _behind_the_last_tile)),
    ("tile-mask", outside("store", _behind_the_last_tile)),
    ("no-pad", both(written(syntax.load_without_other), detectors.all_nan)),
    ("pad-finite", both(_ragged_tiles, detectors.lowest_lost)),
    ("first-tile-minus-inf", _only_after_a_dead_tile),
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

# The same, where the launch sets the number of lanes (8.3).
ONLINE_KERNEL = (("wider-than-a-tile", _wider_than_a_tile), *TILED_WALK)
