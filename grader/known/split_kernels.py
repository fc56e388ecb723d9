"""The mistakes that kernels and functions can meet where several programs share a row."""

from __future__ import annotations

import ast

import torch

from .. import compare, detectors, syntax, wrappers
from ..detectors import both, formula, outside, written
from ..exercise import Answer, Case, Evidence
from . import split_walks, splits, walks
from .rows import ROW_KERNEL, row_begins
from .softmax import KERNEL, SOFTMAX_KERNEL
from .split_walks import kept, merged, state_table, walked

_STATES = ("m_ptr", "d_ptr")


# ---- where an access left its tensor


def _programs_swapped(where: dict, facts: dict) -> bool:
    """Program (r, s) is in split r of row s of x, or at the states of row s."""
    row, split, _ = where["program"]
    began = split * facts["n_splits"] if _of_a_state(where) else split * facts["x_stride"] + row * facts["split_size"]
    return row != split and where["first"] == began


def _over_the_row(where: dict, facts: dict) -> bool:
    """A tile begins where it should, or a block later, and some of its lanes are beyond the row."""
    row, split, _ = where["program"]
    stride = facts["x_stride"] if where["op"] == "load" else facts["y_stride"]
    into = where["first"] - row * stride - split * facts["split_size"]
    return not _of_a_state(where) and 0 <= into < facts["split_size"] and into % facts["block"] == 0


def _of_a_state(where: dict, facts: dict | None = None) -> bool:
    return where["tensor"] in _STATES


def _elsewhere(where: dict, facts: dict) -> bool:
    """A state is not where the row and the split put it."""
    row, split, _ = where["program"]
    place = row * facts["n_splits"] + (split if where["op"] == "store" else 0)
    return _of_a_state(where) and where["first"] != place


def _in_its_split(test):
    """A test for `outside`, on where the program would be if its split were the first one."""
    return lambda where, facts: test(
        where | {"first": where["first"] - where["program"][1] * facts["split_size"]}, facts
    )


# ---- what came back


def _of_states(test):
    """Matches by test(m, d, facts) on the two tensors that 9.1 stores."""

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


def _state_without_other(tree) -> bool:
    """A load of states with masked lanes that get no value; the second walk over x needs none."""
    loads = [call for call in syntax.calls(tree, "load") if any(name in ast.unparse(call) for name in _STATES)]
    return any(syntax.load_without_other(call) for call in loads)


def _some_missing(m, d, facts) -> bool:
    return m.isnan().any() or d.isnan().any()


def _right(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return "x" in case.facts and compare.softmax(case.facts["x"], detectors.output(case, evidence)) is None


def _read_while_stored(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A program loads an element that another program of the same launch stores."""
    stored: dict[tuple, set[int]] = {}
    for place, program in splits.touched(evidence, "store"):
        stored.setdefault(place, set()).add(program)
    return any(stored.get(place, set()) - {program} for place, program in splits.touched(evidence, "load"))


def _by_one_alone(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return not _read_while_stored(case, evidence, answer)


def _x_again(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return splits.read_again(case.facts["x"], evidence) is not None


def _plain(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return "atomic" not in answer.source


def _programs(test):
    """Matches by test(programs, rows, splits, launches) where the numbers are right and that of programs is not."""

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        if not _right(case, evidence, answer):
            return False
        x, n_splits = case.facts["x"], case.facts["n_splits"]
        programs = splits.programs_over_the_row(x, evidence)
        return not splits.as_asked(programs, x, n_splits) and test(programs, len(x), n_splits, len(evidence.launches))

    return detect


def _a_launch_a_row(programs: int, rows: int, n_splits: int, launches: int) -> bool:
    return programs < rows * n_splits and launches >= 2 * rows > 2


def _one_a_row(programs: int, rows: int, n_splits: int, launches: int) -> bool:
    return 0 < programs <= rows


def _another_number(programs: int, rows: int, n_splits: int, launches: int) -> bool:
    return programs > rows


def _shifted(x: torch.Tensor) -> torch.Tensor:
    """Row r begins r elements in; as far as x goes."""
    flat, (m, n) = x.reshape(-1), x.shape
    return torch.stack([flat[r : r + n] for r in range(m)]) if m - 1 + n <= m * n else torch.full_like(x, torch.inf)


def _unshifted(m, d, tile, top):
    return torch.maximum(m, top), d + torch.exp(tile).sum(1, keepdim=True)


_ROWS = tuple((name, outside(op, _in_its_split(row_begins(width)))) for name, op, width in (
    ("stride-in-bytes", "load", lambda f: 4 * f["x_stride"]),
    ("stride-in-bytes", "store", lambda f: 4 * f["y_stride"]),
    ("wrong-row-stride", "load", lambda f: f["y_stride"]),
    ("wrong-row-stride", "store", lambda f: f["x_stride"]),
    ("rows-assumed-adjacent", "load", lambda f: f["x"].shape[1]),
    ("rows-assumed-adjacent", "store", lambda f: f["x"].shape[1]),
))  # fmt: skip

PARTIAL_KERNEL = (
    *KERNEL,
    ("programs-swapped", outside("load", _programs_swapped)),
    ("split-mask", outside("load", _over_the_row)),
    ("states-misplaced", outside("store", _elsewhere)),
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
    *(("splits-overlap", state_table(walked(split_walks.guarded, columns))) for columns in (
        split_walks.hanging_over, split_walks.to_the_end, split_walks.whole_row, split_walks.blocks_apart,
    )),
    ("split-zero-only", state_table(walked(split_walks.guarded, split_walks.first))),
    ("split-cut-short", state_table(walked(split_walks.guarded, split_walks.first_tile))),
    ("split-cut-short", state_table(walked(split_walks.guarded, split_walks.whole_tiles))),
    ("row-zero-only", state_table(walked(split_walks.guarded, rows=lambda x: x[:1].expand(x.shape)))),
    ("row-stride-missing", state_table(walked(split_walks.guarded, rows=_shifted))),
    *_ROWS,
    ("no-pad", both(written(syntax.load_without_other), _of_states(_some_missing))),
    ("nothing-stored", detectors.nothing_stored),
)  # fmt: skip

_SOFTMAX = tuple(pair for pair in SOFTMAX_KERNEL if pair[0] != "no-pad")  # see _state_without_other

_MERGE = (
    ("partials-not-rescaled", formula(merged(split_walks.not_rescaled))),
    ("factor-inverted", formula(merged(split_walks.factor_inverted))),
    ("state-swapped", formula(merged(split_walks.exchanged))),
    ("own-split-maximum", formula(merged(split_walks.own_maximum))),
    ("own-split-sum", formula(merged(split_walks.own_sum))),
    ("own-split-sum", formula(merged(split_walks.own_state))),
    ("states-misplaced", formula(merged(split_walks.of_row_zero))),
    ("pad-zero-wins", formula(merged(split_walks.maximum_at_least_zero))),
    ("states-left-out", formula(merged(split_walks.first_states(lambda n: 1 << (n.bit_length() - 1))))),
    ("states-left-out", formula(merged(split_walks.first_states(lambda n: n - 1 or 1)))),
    ("states-left-out", formula(merged(split_walks.first_states(lambda n: 1)))),
)

COMBINE_KERNEL = (
    *KERNEL,
    ("no-grid-barrier", _read_while_stored),
    ("programs-swapped", outside("load", _programs_swapped)),
    ("split-mask", outside("load", _over_the_row)),
    ("split-mask", outside("store", _over_the_row)),
    ("states-misplaced", outside("load", _elsewhere)),
    *_MERGE,
    ("split-zero-only", both(detectors.shared, formula(kept(split_walks.first)))),
    ("split-cut-short", formula(kept(split_walks.first_tile))),
    ("split-cut-short", formula(kept(split_walks.whole_tiles))),
    ("no-pad", both(written(_state_without_other), detectors.all_nan)),
    ("splits-overlap", both(_right, detectors.shared)),
    ("row-read-twice", both(_right, _x_again)),
    *_ROWS,
    *ROW_KERNEL,
    *_SOFTMAX,
)

SPLIT_FUNCTION = (
    *wrappers.FUNCTION,
    ("no-kernel", lambda case, evidence, answer: evidence.error is None and not evidence.launches),
    ("accumulated-without-atomics", both(_right, detectors.shared, _read_while_stored)),
    ("no-grid-barrier", both(_plain, _read_while_stored)),
    ("launch-per-row", _programs(_a_launch_a_row)),
    ("one-program-a-row", _programs(_one_a_row)),
    ("n-splits-ignored", _programs(_another_number)),
    ("split-rounded-down", formula(split_walks.rounded_down)),
    ("states-too-few", outside("load", _of_a_state)),
    ("states-too-few", outside("store", _of_a_state)),
    *_MERGE,
    ("splits-overlap", both(_right, detectors.shared, _by_one_alone)),
    *_ROWS,
    *ROW_KERNEL,
    *_SOFTMAX,
)
