"""The mistakes that a softmax kernel in CUDA C++ can meet, in the order they are tried."""

from __future__ import annotations

import re
from dataclasses import replace

import torch

from ..spec import Answer, Case, Detector, Evidence
from . import blocks, detectors
from .detectors import both, formula, outside
from .softmax import formulas, walks


def _of_my_row(where: dict, facts: dict) -> bool:
    """The thread's own columns, followed over the end of its row."""
    block, thread, _ = where["program"]
    if where["first"] is None:
        return False
    columns, threads = facts["x"].shape[1], facts["threads"]
    column = where["first"] - block * columns
    return columns <= column < columns + threads and (column - thread) % threads == 0


def _row_of_my_thread(where: dict, facts: dict) -> bool:
    block, thread, _ = where["program"]
    return where["row"] == thread != block


@Detector
def _first_columns_only(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """As many columns as there are threads, times the width of a load, were stored in each row; the rest was not."""
    got, threads = detectors.output(case, evidence), case.facts["threads"]
    if got is None or got.dim() != 2:
        return False
    return any(
        got.shape[1] > width * threads
        and bool(got[:, width * threads :].isnan().all() and not got[:, : width * threads].isnan().any())
        for width in (1, 4)
    )


@Detector
def _barrier_in_if(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Two threads have not met, and in the text a barrier stands between the braces of an if."""
    unmet = "have not met" in (evidence.error or {}).get("message", "")
    return unmet and bool(re.search(r"\bif\s*\([^{};]*\)\s*\{[^{}]*__syncthreads\(\)", answer.source))


@Detector
def _last_fours_missing(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Every row was stored up to the last multiple of four."""
    got = detectors.output(case, evidence)
    rest = got.shape[1] % 4 if got is not None and got.dim() == 2 else 0
    return case.group == "v3" and rest > 0 and bool(got[:, -rest:].isnan().all() and not got[:, :-rest].isnan().any())


def _everywhere(mistake: str, **how) -> list:
    """A wrong formula, for threads that load single columns and for those that load four."""
    return [(mistake, formula(blocks.softmax(width=width, **how))) for width in (1, 4)]


def _of(versions: str, compute):
    """A wrong formula that only these versions can be."""
    detect = formula(compute)

    def asked(case: Case, evidence: Evidence, answer: Answer) -> bool:
        return case.group in versions and detect(case, evidence, answer)

    return replace(detect, detect=asked)


def _fours(with_fours, without):
    """What v3 gives where float4s hold all columns, and where they hold none."""
    return lambda x, facts: (without if x.shape[1] % 4 else with_fours)(x.double())


def _softmax(x):
    return torch.softmax(x, 1)


def _differences(x, facts):
    shifted = x.double() - x.double().amax(1, keepdim=True)
    return torch.exp(shifted) / shifted.sum(1, keepdim=True)


@Detector
def _step_of_a_tree(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Two threads touch one place in the same line, and a barrier follows it in the same loop."""
    message = (evidence.error or {}).get("message", "")
    found = re.match(r"line (\d+), `([^`]*)`: .* shared memory that thread \d+ \(line \1\)", message)
    if not found or "have not met" not in message:
        return False
    step = rf"\bfor\s*\([^{{}}]*\)\s*\{{[^{{}}]*{re.escape(found[2])}[^{{}}]*__syncthreads\(\)[^{{}}]*\}}"
    return bool(re.search(step, answer.source))


_UPDATES = {
    "not-rescaled": walks.not_rescaled,
    "factor-inverted": walks.factor_inverted,
    "both-rescaled": walks.both_rescaled,
    "stale-maximum": walks.stale_maximum,
}
_MERGES = {
    "not-rescaled": blocks.not_rescaled,
    "one-side-rescaled": blocks.one_side,
    "factor-inverted": blocks.inverted,
}

CUDA_KERNEL = (
    ("barrier-divergent", _barrier_in_if),
    ("tree-threads", _step_of_a_tree),
    ("thread-for-row", outside("load", _row_of_my_thread)),
    ("thread-for-row", outside("store", _row_of_my_thread)),
    ("thread-beyond-row", outside("load", _of_my_row)),
    ("thread-beyond-row", outside("store", _of_my_row)),
    ("row-stride-missing", formula(formulas.shifted_window)),
    ("row-stride-missing", formula(formulas.shifted_stores)),
    ("row-zero-only", both(detectors.shared, formula(formulas.first_row_everywhere))),
    ("stored-in-row-zero", both(detectors.shared, detectors.tail_rows_nan)),
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("no-stride-loop", _first_columns_only),
    ("float4-tail", _last_fours_missing),
    ("no-max", formula(formulas.no_max)),
    ("no-division", formula(formulas.no_division)),
    ("sum-of-x", formula(formulas.sum_of_x)),
    ("no-exp", formula(formulas.no_exp)),
    ("base-two", formula(formulas.base_two)),
    ("columns-twice", _of("v3", _fours(lambda x: _softmax(x) / 2, _softmax))),
    ("columns-never-read", _of("v3", _fours(_softmax, lambda x: torch.exp(x + torch.inf) / 0))),
    ("second-tree-maxima", _of("v1", blocks.second_tree_over_maxima)),
    ("sum-of-differences", _of("v1", _differences)),
    ("tree-result-unread", _of("v1", blocks.softmax(reduce=blocks.sums_of_own_maxima))),
    ("sum-overwritten", _of("v1", blocks.softmax(blocks.last_term, raw=True))),
    ("tree-step-missing", _of("v1 v2", blocks.softmax(reduce=blocks.every_other))),
    ("merged-not-stored", _of("v2", blocks.softmax(reduce=blocks.of_thread_zero))),
    ("single-state", _of("v2 v3", lambda x, facts: torch.exp(x - x.amax(1, keepdim=True)) / 0)),
    ("own-sum-for-partner", _of("v3", blocks.softmax(reduce=blocks.two_levels(blocks.own_sum), width=4))),
    *_everywhere("not-rescaled", update=walks.not_rescaled, raw=True),
    *_everywhere("threads-not-merged", reduce=blocks.nothing),
    *_everywhere("thread-maximum", reduce=blocks.own_maximum),
    *_everywhere("warps-not-merged", reduce=blocks.two_levels(told=0)),
    *_everywhere("warps-not-merged", reduce=blocks.two_levels(told=1)),
    *_everywhere("butterfly-step-missing", reduce=blocks.two_levels(last=2)),
    *_everywhere("butterfly-lane-zero", reduce=blocks.two_levels(shuffle="down")),
    *_everywhere("states-pad-zero", reduce=blocks.two_levels(pad=0.0)),
    *_everywhere("start-at-zero", start=0.0),
    *_everywhere("inf-minus-inf", reduce=blocks.all_threads(blocks.unguarded)),
    *_everywhere("inf-minus-inf", reduce=blocks.two_levels(blocks.unguarded)),
    *(
        pair
        for mistake, update in _UPDATES.items()
        for guarded in (False, True)
        for pair in _everywhere(mistake, update=update, guarded=guarded)
    ),
    *(pair for mistake, merge in _MERGES.items() for pair in _everywhere(mistake, reduce=blocks.all_threads(merge))),
    *(pair for mistake, merge in _MERGES.items() for pair in _everywhere(mistake, reduce=blocks.two_levels(merge))),
)
