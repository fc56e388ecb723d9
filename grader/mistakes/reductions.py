"""The mistakes of reductions in plain Python: a tree, a butterfly, and two levels of butterflies.

Facts of a case. Tree: values. Butterfly: lanes, combine (the name of a function of reference/combines.py), and want
(the value of every lane at the end). Two levels: ms and ds (the states of a block's lanes), and want (their merged
state).
"""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from operator import and_, or_

from ..checks import compare, syntax
from ..checks.compare import same_number
from ..checks.examples import like
from ..reference import combines
from ..reference.reductions import LANES, alike, butterfly, merged, powers, tree, warp_states
from ..sentence import foreign, said
from ..spec import Case, Detector, Evidence
from .detectors import both, looks, nothing, opposite, value, value_formula, written, written_like
from .mistake import Mistake, Mutant

MISTAKES = [
    Mistake(
        "tree-of-fixed-steps",
        "The tree is right for up to 32 numbers and wrong for more: its number of steps does not depend on the list.",
        "How many numbers does the list have before your first step, and how many of them does that step add?",
    ),
    # ---- a tree
    Mistake(
        "tree-only-result",
        "The result came back alone, without the states on the way to it.",
        "Which lists does your function make and not keep?",
    ),
    Mistake(
        "tree-one-number-bare",
        "For one number, its list came back, and not a list that holds this one state.",
        "How many states does a single number have, and what holds the states of longer lists?",
    ),
    Mistake(
        "tree-result-bare",
        "The last state is a bare number, and a state is a list.",
        "What is a list called that has one number in it?",
    ),
    Mistake(
        "tree-one-list",
        "All states are one and the same list, which went on changing after it was kept.",
        "How many lists does your function make, and how many does it return?",
    ),
    Mistake(
        "tree-neighbours",
        "Neighbours were added to each other. The sum is right, but these are the steps of another tree.",
        "How far apart are the two numbers that the example adds first?",
    ),
    Mistake(
        "tree-not-halved",
        "The sums are in the lower half of the list, and the list still has its upper half.",
        "How many numbers are of use after a step?",
    ),
    Mistake(
        "tree-states-missing",
        "Every state that came back is right, but not all of them are there.",
        "How many states are there for eight numbers, the numbers themselves included?",
    ),
    Mistake(
        "list-changed",
        "The list that you were given was changed.",
        "Which list does your line change, and who still needs its values?",
    ),
    Mistake(
        "state-changed-later",
        "The list of the first state was changed after it had become a state.",
        "How many lists are there in the result, and in which of them does each step store?",
    ),
    Mistake(
        "tree-states-too-many",
        "The right states were returned, and more lists than there are states.",
        "How many states does the tree of the failing input have, and how many lists does your function keep?",
    ),
    Mistake(
        "tree-states-reversed",
        "The states are right, and they came back in the opposite order.",
        "Which state does the docstring name first?",
    ),
    Mistake(
        "tree-next-element",
        "Each number was added to its right neighbour, and half of the list is not in the result.",
        "How far apart are the two numbers that the example adds first?",
    ),
    Mistake(
        "tree-not-added",
        "The pairs are right, but they were not added.",
        "Which operation does the example apply to the two numbers of a pair?",
        Mutant("12.1", "values[i] + values[i + half]", "values[i] * values[i + half]"),
        Mutant("12.1", "values[i] + values[i + half]", "max(values[i], values[i + half])"),
        Mutant("12.1", "values[i] + values[i + half]", "values[i] - values[i + half]"),
    ),
    Mistake(
        "tree-one-partner",
        "All numbers of a step were added to one and the same number.",
        "Which number does the example add to the first one, and which number to the second one?",
        Mutant("12.1", "values[i] + values[i + half]", "values[i] + values[half]"),
        Mutant("12.1", "values[i] + values[i + half]", "values[i] + values[-1]"),
        Mutant("12.1", "values[i] + values[i + half]", "values[0] + values[i + half]"),
    ),
    Mistake(
        "tree-mirror",
        "Each number was added to its mirror image, counted from the end. The sum is right, but these are other steps.",
        "Which number does the example add to the first one?",
    ),
    # ---- a butterfly
    Mistake(
        "not-lanes", "A list with one value for each lane was expected.", "How many lanes hold the result at the end?"
    ),
    Mistake(
        "combine-ignored",
        "The lanes were always added, and the function combine was not used.",
        "Where does your function call combine?",
    ),
    Mistake(
        "states-in-series",
        "The states were merged one after another, so each step waits for the one before it.",
        "How many steps does the first level take, for all warps at once, and how many does the second one take?",
    ),
    Mistake(
        "butterfly-in-place",
        "Lanes were changed before other lanes of the same step had read them.",
        "Which value does the partner of lane 0 get when lane 0 was changed first?",
    ),
    Mistake(
        "butterfly-not-run",
        "Every lane still has the value that it had at the beginning.",
        "Which line of yours gives a lane another value, and does your function reach it?",
    ),
    Mistake(
        "butterfly-step-missing",
        "One step is missing, so a lane knows only half of the lanes.",
        "Which offsets does it take until lane 0 has heard of every lane?",
    ),
    Mistake(
        "butterfly-offsets",
        "The offsets are not powers of two, so some lanes are counted more than once.",
        "Which single bit do the numbers of two partners differ in, in each step?",
    ),
    Mistake(
        "butterfly-lane-zero",
        "Lane 0 has the result, but other lanes have other values.",
        "Which lanes receive a value in each step, and from which lane?",
    ),
    Mistake(
        "butterfly-too-far",
        "An index is past the last lane of the list.",
        "In the step that fails, how large is the offset, and how long is the list?",
    ),
    Mistake(
        "butterfly-itself",
        "In one step, lanes were combined that already hold the same.",
        "Which offsets does your function use, and how often each of them?",
    ),
    Mistake(
        "butterfly-old-values",
        "In every step the partner's value was taken from the list that the function was given.",
        "What does the partner hold when the second step begins, and in which list?",
    ),
    Mistake(
        "butterfly-one-step",
        "The result is that of one step alone: each lane has its own value and that of one partner.",
        "Whose values must a lane have in the end, and which list does your second step read?",
    ),
    Mistake(
        "butterfly-own-value-twice",
        "Each lane was combined with its own value in place of its partner's.",
        "Whose value is the second argument of combine, in your line?",
    ),
    Mistake(
        "butterfly-another-partner",
        "The partner was not computed with the operation that flips one bit.",
        "With which lane does lane 5 exchange values when the offset is 4, and what does your line give?",
    ),
    Mistake(
        "butterfly-in-series",
        "The values are right, but they were combined one after the other.",
        "How many lanes has a lane heard of after one step, and after two?",
    ),
    # ---- two levels
    Mistake(
        "warp-is-a-list",
        "The result of a warp is a list with the state of every lane, and one state is needed here.",
        "How many lanes of a warp hold its result, and how many of them do you need?",
    ),
    Mistake(
        "warps-not-merged",
        "The states of the warps were never merged: a thread goes on with the state of one warp, or of none.",
        "How does one warp learn what another one found?",
    ),
    Mistake(
        "states-pad-zero",
        "A lane that has no warp holds a maximum of 0, and such a state takes part in the merge.",
        "Which state changes nothing when it is merged?",
    ),
    Mistake(
        "states-pad-finite",
        "A lane that has no warp holds a finite maximum. If all values of the block are -inf, that maximum is the "
        "result.",
        "Which state changes nothing when it is merged?",
    ),
    Mistake(
        "lanes-left-out",
        "Some lanes of the block were left out: they are in none of the lists that were merged.",
        "Which lanes are in the list of your second warp, and are they all merged?",
    ),
    Mistake(
        "states-repeated",
        "The maximum is right and the sum is too large, as if states had been merged more than once.",
        "Which two sums does each merge add, and how often is each part of the row among them?",
    ),
    Mistake(
        "warps-overlap",
        "The warps begin one lane after each other, so they share lanes.",
        "Which lane is the first one of warp 1?",
        Mutant("12.3", "range(0, len(lanes), 32)", "range(len(lanes) // 32)", replayed=False),
    ),
    Mistake(
        "largest-state-kept",
        "Of several states, the largest one was kept, and the sums of the others are missing.",
        "What does a merge do with the two sums?",
        Mutant("12.3", "butterfly(warps, merge)", "butterfly(warps, max)", replayed=False),
    ),
    Mistake(
        "warps-unpadded",
        "The list that a butterfly was given does not have 32 lanes, and a partner was looked for past its end.",
        "How many lanes does a warp have, however many warps there are?",
    ),
]


# ---- a tree


def _wrong_tree(compute) -> Detector:
    """Matches the states that a wrong tree compute(values) gives, in every case whose value is the states."""
    return value_formula(lambda v, f: alike(v, compute(f["values"])), lambda f: not f.get("callers_list"))


def _tree_by(step):
    """A tree whose states follow from each other: step(values) gives the next one, until one number is left."""

    def compute(values: list[float]) -> list[list[float]]:
        states = [values]
        while len(states[-1]) > 1:
            states.append(step(states[-1]))
        return states

    return compute


# Each step adds elements 0 and 1, 2 and 3, and so on.
_neighbours = _tree_by(lambda values: [values[i] + values[i + 1] for i in range(0, len(values), 2)])
# Each step adds the first and the last element, the second and the last but one, and so on.
_mirror = _tree_by(lambda values: [values[i] + values[-1 - i] for i in range(len(values) // 2)])
# Each step adds elements i and i + 1, for i in the lower half.
_next_element = _tree_by(lambda values: [values[i] + values[i + 1] for i in range(len(values) // 2)])


def _pairs(combine):
    """A tree over the right pairs, with another operation than the sum."""
    return _tree_by(lambda values: [combine(a, b) for a, b in zip(values, values[len(values) // 2 :])])


def _full_length(values: list[float]) -> list[list[float]]:
    """Each step adds the right elements and keeps the upper half of the list."""
    states, half = [list(values)], len(values) // 2
    while half:
        values = [v + values[i + half] if i < half else v for i, v in enumerate(values)]
        states.append(values)
        half //= 2
    return states


def _only_result(v, f: dict) -> bool:
    """The sum came back alone, bare or in a list."""
    return same_number(v, sum(f["values"])) or alike(v, [sum(f["values"])])


def _result_bare(v, f: dict) -> bool:
    """The last state is the sum itself, and those before it are lists."""
    return len(v) > 1 and same_number(v[-1], sum(f["values"])) and all(isinstance(s, (list, tuple)) for s in v[:-1])


def _one_list(v, f: dict) -> bool:
    """All states are equal, and the first element is not the first value any more."""
    return len(v) > 1 and all(alike(s, v[0]) for s in v) and v[0][0] != f["values"][0]


def _some_missing(v, f: dict) -> bool:
    """Fewer states came back than there are, all of them right and in the right order."""
    right = tree(f["values"])
    left = iter(right)
    return len(v) < len(right) and all(any(alike(s, t) for t in left) for s in v)


def _too_many(v, f: dict) -> bool:
    """The right states are at the beginning, and more came back."""
    right = tree(f["values"])
    return len(v) > len(right) and all(alike(s, t) for s, t in zip(v, right))


def _first_state_changed(states, facts: dict) -> bool:
    """The first state begins with the sums of the first step: they were stored in the list that was given."""
    right = tree(facts["values"])
    return len(right) > 1 and len(states[0]) == len(right[0]) and alike(states[0][: len(right[1])], right[1])


_too_few_steps = value(lambda v, f: len(f["values"]) > LANES and len(v) < len(tree(f["values"])))


def _too_few_beyond_a_warp(case: Case, evidence: Evidence) -> bool:
    """Whether a list has states left out, if it is longer than a warp."""
    return len(case.facts["values"]) <= LANES or _too_few_steps(case, evidence, None)


TREE = (
    ("tree-of-fixed-steps", replace(_too_few_steps, fits=_too_few_beyond_a_warp, exact=True)),
    ("list-changed", value(lambda v, f: f["callers_list"] and v != f["values"])),
    ("returns-nothing", nothing),
    ("tree-one-number-bare", value(lambda v, f: len(f["values"]) == 1 and v == f["values"])),
    ("tree-only-result", value(_only_result)),
    ("tree-mirror", _wrong_tree(_mirror)),
    ("tree-result-bare", value(_result_bare)),
    ("tree-one-list", value(_one_list)),
    ("tree-neighbours", _wrong_tree(_neighbours)),
    ("tree-not-halved", _wrong_tree(_full_length)),
    ("state-changed-later", value(_first_state_changed)),
    ("tree-states-too-many", value(_too_many)),
    ("tree-states-reversed", _wrong_tree(lambda values: tree(values)[::-1])),
    ("tree-next-element", _wrong_tree(_next_element)),
    *(("tree-not-added", _wrong_tree(_pairs(each))) for each in (max, min, lambda a, b: a - b, lambda a, b: a * b)),
    ("tree-states-missing", value(_some_missing)),
)


# ---- a butterfly


def _wrong_butterfly(*wrong) -> Detector:
    """Matches the lanes that one of these functions wrong(lanes, combine, offsets) gives."""

    def test(v, f):
        combine = getattr(combines, f["combine"])
        return any(alike(v, compute(f["lanes"], combine, powers(len(f["lanes"])))) for compute in wrong)

    return replace(value(test), by_numbers=True)


def _in_place(lanes: list, combine, offsets) -> list:
    """A butterfly whose lanes read values that other lanes have stored in the same step."""
    lanes = list(lanes)
    for offset in offsets:
        for lane in range(len(lanes)):
            if lane ^ offset < len(lanes):
                lanes[lane] = combine(lanes[lane], lanes[lane ^ offset])
    return lanes


def _in_one_list(lanes: list, combine, offsets) -> list:
    """A butterfly whose steps store into one list: from the second step on, it is also the list that they read."""
    now = [combine(value, lanes[lane ^ offsets[0]]) for lane, value in enumerate(lanes)] if offsets else lanes
    return _in_place(now, combine, offsets[1:])


def _old_values(lanes: list, combine, offsets) -> list:
    """A butterfly whose partners hold in every step what they held at first."""
    now = list(lanes)
    for offset in offsets[::-1]:
        now = [combine(value, lanes[lane ^ offset]) for lane, value in enumerate(now)]
    return now


def _with_partner(partner):
    """A butterfly in which lane l meets lane partner(l, offset)."""

    def compute(lanes: list, combine, offsets) -> list:
        for offset in offsets[::-1]:
            lanes = [combine(value, lanes[partner(lane, offset)]) for lane, value in enumerate(lanes)]
        return lanes

    return compute


def _down_by_one(lanes: list, combine) -> list:
    """A butterfly with the offsets from half a list down to 1, one by one."""
    return butterfly(lanes, combine, range(len(lanes) // 2, 0, -1))


@looks
def _index_out_of_range(error) -> bool:
    """A list was indexed behind its end."""
    return bool(error) and foreign.is_a(error["message"], "place-of-a-list-outside")


@looks
def _in_butterfly(tree, source, error) -> bool:
    """An error in the function butterfly."""
    own = syntax.functions(tree, "butterfly")
    return any(error["line"] in (ast.get_source_segment(source, function) or "") for function in own)


# No place of a list is computed by adding an offset, which passes the end of a full warp, too.
_never_past_a_warp = opposite(written_like("_[_ + _]"))


@looks
def _short_second_level(case) -> bool:
    """There are fewer warps than lanes in a warp, so that a list of their states is no full warp."""
    return len(case.facts.get("ms", ())) < LANES * LANES


def _bare_lists(v, f: dict) -> bool:
    """A lane holds a list where its value is a number."""
    return f["combine"] in ("total", "larger") and any(isinstance(lane, list) for lane in v)


def _in_series(v, f: dict) -> bool:
    """The sum of lane 0 is right, and its count of consecutive combinations is too large."""
    return f["combine"] == "steps" and v[0][0] > f["want"][0] and v[0][1] == f["want"][1]


def _added(v, f: dict) -> bool:
    """Every lane holds the sum where the maximum was asked for."""
    return f["combine"] == "larger" and alike(v, [sum(f["lanes"])] * len(f["lanes"]))


def _only_lane_zero(v, f: dict) -> bool:
    """Lane 0 is right and another lane is wrong."""
    return alike(v[0], f["want"]) and not all(alike(lane, f["want"]) for lane in v)


BUTTERFLY = (
    ("returns-nothing", nothing),
    ("not-lanes", value(lambda v, f: not isinstance(v, (list, tuple)) or len(v) != len(f["lanes"]))),
    ("not-lanes", value(_bare_lists)),
    ("butterfly-too-far", _index_out_of_range),
    ("butterfly-itself", _wrong_butterfly(lambda lanes, combine, offsets: butterfly(lanes, combine, [*offsets, 0]))),
    ("butterfly-in-series", value(_in_series)),
    ("combine-ignored", value(_added)),
    (
        "butterfly-in-place",
        _wrong_butterfly(
            _in_place,
            lambda lanes, combine, offsets: _in_place(lanes, combine, offsets[::-1]),
            _in_one_list,
            lambda lanes, combine, offsets: _in_one_list(lanes, combine, offsets[::-1]),
        ),
    ),
    ("butterfly-not-run", _wrong_butterfly(lambda lanes, combine, offsets: list(lanes))),
    ("butterfly-one-step", _wrong_butterfly(lambda lanes, combine, offsets: butterfly(lanes, combine, offsets[:1]))),
    (
        "butterfly-step-missing",
        _wrong_butterfly(
            lambda lanes, combine, offsets: butterfly(lanes, combine, offsets[1:]),
            lambda lanes, combine, offsets: butterfly(lanes, combine, offsets[:-1]),
        ),
    ),
    ("butterfly-old-values", _wrong_butterfly(_old_values)),
    ("butterfly-own-value-twice", _wrong_butterfly(_with_partner(lambda lane, offset: lane))),
    *(("butterfly-another-partner", _wrong_butterfly(_with_partner(each))) for each in (and_, or_)),
    ("butterfly-offsets", _wrong_butterfly(lambda lanes, combine, offsets: _down_by_one(lanes, combine))),
    ("butterfly-offsets", _wrong_butterfly(lambda lanes, combine, _: butterfly(lanes, combine, range(1, len(lanes))))),
    ("butterfly-lane-zero", value(_only_lane_zero)),
)


# ---- two levels


def _wrong_state(compute) -> Detector:
    """Matches the state that a wrong formula compute(facts) gives."""
    return value_formula(lambda v, f: alike(v, compute(f), 1e-5), lambda f: "ms" in f)


def _overlapping_warps(f: dict) -> tuple[float, float]:
    """The state of all warps together, if warp i begins with lane i."""
    lanes = [lane for first in range(len(f["ms"]) // LANES) for lane in range(first, first + LANES)]
    return merged([f["ms"][lane] for lane in lanes], [f["ds"][lane] for lane in lanes])


def _largest_of_each_warp(f: dict) -> tuple[float, float]:
    """The merged states of the warps, each of which kept its largest pair (m, d)."""
    lanes = list(zip(f["ms"], f["ds"], strict=True))
    kept = [max(lanes[first : first + LANES]) for first in range(0, len(lanes), LANES)]
    return merged([m for m, _ in kept], [d for _, d in kept])


def _sums_not_rescaled(f: dict) -> tuple[float, float]:
    """The maximum of all lanes, and the sums of the warps added as they are."""
    return max(f["ms"]), sum(d for _, d in warp_states(f["ms"], f["ds"]))


def _sums_in_warps(f: dict) -> tuple[float, float]:
    """In each warp the maximum, and the sums of the lanes added as they are; then the states of the warps merged."""
    starts = range(0, len(f["ms"]), LANES)
    return merged(*([reduce(f[key][i : i + LANES]) for i in starts] for key, reduce in (("ms", max), ("ds", sum))))


def _zeros_added(f: dict) -> tuple[float, float]:
    """The state of all lanes, and of a number 0 in each lane of the second level that has no warp."""
    missing = LANES - len(f["ms"]) // LANES
    return merged([*f["ms"], *[0.0] * missing], [*f["ds"], *[1.0] * missing])


def _some_lanes(step: int, count: int):
    """The state of `count` lanes from every lane on that `step` divides, in `LANES` lists at most."""

    def compute(f: dict) -> tuple[float, float]:
        taken = [i for start in range(0, len(f["ms"]), step)[:LANES] for i in range(start, start + count)]
        kept = [i for i in taken if i < len(f["ms"])]
        return merged([f["ms"][i] for i in kept], [f["ds"][i] for i in kept])

    return compute


@looks
def _type_error(error) -> bool:
    """Python refused an operation on two lists or tuples."""
    return bool(error) and foreign.is_a(error["message"], "list-for-a-number")


def _whole_warp(tree: ast.Module) -> bool:
    """In two_level, the result of a call of butterfly is not indexed at once."""
    two_level = syntax.functions(tree, "two_level")
    return any(len(like(f, "butterfly(...)")) > len(like(f, "butterfly(...)[_]")) for f in two_level)


def _one_after_another(v, f: dict) -> bool:
    """The state of the case that tells it is right but for its last digits."""
    return f["in_series"] and compare.state(v[0], f["want"]) is None


LANES_REMARKS = (
    (
        said(
            "Your result is right, but a butterfly got more lanes than the 32 that a warp has, and lanes of different "
            "warps cannot exchange values by shuffles."
        ),
        value(lambda v, f: f["in_series"] and v[1] > LANES),
    ),
)

TWO_LEVEL = (
    ("states-in-series", value(_one_after_another)),
    ("returns-nothing", nothing),
    ("not-a-state", value(lambda v, f: not isinstance(v, (tuple, list)) or len(v) != 2)),
    ("state-swapped", _wrong_state(lambda f: f["want"][::-1])),
    ("state-swapped", _wrong_state(lambda f: merged(f["ds"], f["ms"]))),
    ("warps-not-merged", _wrong_state(lambda f: warp_states(f["ms"], f["ds"])[0])),
    ("warps-not-merged", _wrong_state(lambda f: warp_states(f["ms"], f["ds"])[-1])),
    ("not-rescaled", _wrong_state(_sums_not_rescaled)),
    ("not-rescaled", _wrong_state(lambda f: (max(f["ms"]), sum(f["ds"])))),
    ("not-rescaled", _wrong_state(_sums_in_warps)),
    ("warps-overlap", _wrong_state(_overlapping_warps)),
    ("largest-state-kept", _wrong_state(lambda f: max(warp_states(f["ms"], f["ds"])))),
    ("largest-state-kept", _wrong_state(_largest_of_each_warp)),
    ("states-pad-zero", value(lambda v, f: v[0] == 0 > f["want"][0])),
    ("states-pad-zero", _wrong_state(_zeros_added)),
    ("states-pad-finite", value(lambda v, f: -math.inf == f["want"][0] < v[0] < 0)),
    *(("lanes-left-out", _wrong_state(_some_lanes(*each))) for each in ((32, 16), (16, 16), (64, 32), (32, 31))),
    ("lanes-left-out", _wrong_state(lambda f: merged(f["ms"][::LANES], f["ds"][::LANES]))),
    (
        "states-repeated",
        replace(value(lambda v, f: v[0] == f["want"][0] and 1.5 * f["want"][1] < v[1] < 64 * f["want"][1]), last=True),
    ),
    ("inf-minus-inf", replace(value(lambda v, f: v[1] != v[1] and v[0] == f["want"][0]), by_numbers=True)),
    ("warps-unpadded", both(_index_out_of_range, _in_butterfly, _short_second_level, _never_past_a_warp)),
    ("warp-is-a-list", both(_type_error, written(_whole_warp))),
)
