"""The mistakes that a kernel can meet which stores the states of the splits of a row."""

from __future__ import annotations

import re

import torch

from ..checks import compare, syntax
from ..reference import splits
from ..spec import Answer, Case, Detector, Evidence
from . import detectors, split_walks
from .detectors import both, outside, written
from .softmax import walks
from .softmax.columns import KERNEL
from .softmax.rows import row_begins
from .split_walks import state_table, walked

STATES = ("m_ptr", "d_ptr")


# ---- where an access left its tensor


def programs_swapped(where: dict, facts: dict) -> bool:
    """Program (r, s) is in split r of row s of x, or at the states of row s."""
    row, split, _ = where["program"]
    began = split * facts["n_splits"] if of_a_state(where) else split * facts["x_stride"] + row * facts["split_size"]
    return row != split and where["first"] == began


def over_the_row(where: dict, facts: dict) -> bool:
    """A tile begins where it should, or a block later, and some of its lanes are beyond the row."""
    row, split, _ = where["program"]
    stride = facts["x_stride"] if where["op"] == "load" else facts["y_stride"]
    into = where["first"] - row * stride - split * facts["split_size"]
    return not of_a_state(where) and 0 <= into < facts["split_size"] and into % facts["block"] == 0


def of_a_state(where: dict, facts: dict | None = None) -> bool:
    """The access was one to the states."""
    return where["tensor"] in STATES


def elsewhere(where: dict, facts: dict) -> bool:
    """A state is not where the row and the split put it."""
    row, split, _ = where["program"]
    place = row * facts["n_splits"] + (split if where["op"] == "store" else 0)
    return of_a_state(where) and where["first"] != place


def _in_its_split(test):
    """A test for `outside`, on where the program would be if its split were the first one."""
    return lambda where, facts: test(
        where | {"first": where["first"] - where["program"][1] * facts["split_size"]}, facts
    )


# ---- what came back


def _of_states(test):
    """Matches by test(m, d, facts) on the two tensors that 9.1 stores."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        return len(evidence.args) > 1 and bool(test(*evidence.args[:2], case.facts))

    return detect


def _exchanged(m, d, facts) -> bool:
    return compare.alike(m, facts["states"][1]) and compare.alike(d, facts["states"][0])


def _transposed(m, d, facts) -> bool:
    """The states of all rows' first splits came first, then those of their second ones."""
    want = facts["states"][0]
    turned = want.t().reshape(want.shape)
    return compare.alike(m, turned) and not compare.alike(want, turned)


def _nothing_became_nan(m, d, facts) -> bool:
    """NaN in splits alone that are empty, or begin with a tile of nothing but -inf."""
    top, _ = walked(split_walks.guarded, split_walks.first_tile)(facts)
    nan = m.isnan() | d.isnan()
    return nan.any() and not (nan & (top > -torch.inf)).any()


def _some_missing(m, d, facts) -> bool:
    return m.isnan().any() or d.isnan().any()


@Detector
def right(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The softmax of x came out."""
    return "x" in case.facts and compare.softmax(case.facts["x"], detectors.output(case, evidence)) is None


@Detector
def read_while_stored(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A program loads an element that another program of the same launch stores."""
    stored: dict[tuple, set[int]] = {}
    for place, program in splits.touched(evidence, "store"):
        stored.setdefault(place, set()).add(program)
    return any(stored.get(place, set()) - {program} for place, program in splits.touched(evidence, "load"))


@Detector
def _of_right_states(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return len(evidence.args) > 1 and splits.wrong_state(evidence.args[:2], case.facts["states"]) is None


def _empty_states_alone(m, d, facts) -> bool:
    """Wrong, and no NaN, are the states of splits without a number above -inf, and no others."""
    want = facts["states"]
    empty = want[0] == -torch.inf
    others_right = all(compare.alike(got[~empty], right[~empty]) for got, right in zip((m, d), want))
    return empty.any() and others_right and not (m.isnan() | d.isnan()).any()


@Detector
def _one_never_stored(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """As many stores as there are splits, and one of the two tensors is as it was."""
    untouched = [bool(t.isnan().all()) for t in evidence.args[:2]]
    return sorted(untouched) == [False, True] and evidence.written <= case.facts["states"][0].numel()


@Detector
def _never_asks_for_its_split(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return re.search(r"program_id\(\s*(axis\s*=\s*)?1", answer.source) is None


@Detector
def x_again(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """An element of x was loaded twice."""
    return splits.read_again(case.facts["x"], evidence) is not None


def _shifted(x: torch.Tensor) -> torch.Tensor:
    """Row r begins r elements in; as far as x goes."""
    flat, (m, n) = x.reshape(-1), x.shape
    return torch.stack([flat[r : r + n] for r in range(m)]) if m - 1 + n <= m * n else torch.full_like(x, torch.inf)


def _unshifted(m, d, tile, top):
    return torch.maximum(m, top), d + torch.exp(tile).sum(1, keepdim=True)


ROWS = tuple((name, outside(op, _in_its_split(row_begins(width)))) for name, op, width in (
    ("stride-in-bytes", "load", lambda f: 4 * f["x_stride"]),
    ("stride-in-bytes", "store", lambda f: 4 * f["y_stride"]),
    ("wrong-row-stride", "load", lambda f: f["y_stride"]),
    ("wrong-row-stride", "store", lambda f: f["x_stride"]),
    ("rows-assumed-adjacent", "load", lambda f: f["x"].shape[1]),
    ("rows-assumed-adjacent", "store", lambda f: f["x"].shape[1]),
))  # fmt: skip

PARTIAL_KERNEL = (
    *KERNEL,
    ("programs-swapped", outside("load", programs_swapped)),
    ("split-mask", outside("load", over_the_row)),
    ("split-zero-only", _never_asks_for_its_split),
    ("states-misplaced", outside("store", elsewhere)),
    ("split-read-twice", both(_of_right_states, x_again)),
    ("state-not-stored", _one_never_stored),
    ("empty-state", _of_states(_empty_states_alone)),
    ("state-swapped", _of_states(_exchanged)),
    ("states-misplaced", _of_states(_transposed)),
    ("states-misplaced", both(detectors.shared, _of_states(_some_missing))),
    ("empty-split", _of_states(_nothing_became_nan)),
    ("not-rescaled", state_table(walked(walks.not_rescaled))),
    ("factor-inverted", state_table(walked(walks.factor_inverted))),
    ("both-rescaled", state_table(walked(walks.both_rescaled))),
    ("stale-maximum", state_table(walked(walks.stale_maximum))),
    ("tile-maximum", state_table(walked(walks.tile_maximum))),
    ("start-at-zero", state_table(walked(split_walks.guarded, start=(0.0, 0.0)))),
    ("pad-zero", state_table(walked(split_walks.guarded, pad=0.0))),
    ("no-max", state_table(walked(_unshifted))),
    *((mistake, state_table(walked(split_walks.guarded, columns))) for mistake, columns in (
        ("splits-overlap", split_walks.hanging_over),
        ("splits-overlap", split_walks.to_the_end),
        ("whole-row-each", split_walks.whole_row),
        ("splits-blocks-apart", split_walks.blocks_apart),
        ("only-first-split", split_walks.first_split_alone),
        ("split-zero-only", split_walks.first),
        ("split-cut-short", split_walks.first_tile),
        ("split-cut-short", split_walks.first_tile_each_step),
        ("split-cut-short", split_walks.whole_tiles),
    )),
    ("row-zero-only", state_table(walked(split_walks.guarded, rows=lambda x: x[:1].expand(x.shape)))),
    ("row-stride-missing", state_table(walked(split_walks.guarded, rows=_shifted))),
    *ROWS,
    ("no-pad", both(written(syntax.load_without_other), _of_states(_some_missing))),
    ("nothing-stored", detectors.nothing_stored),
)  # fmt: skip
