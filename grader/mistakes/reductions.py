"""The mistakes of reductions in plain Python: a tree, a butterfly, and two levels of butterflies.

Facts of a case. Tree: values. Butterfly: lanes, combine (the name of a function of reference/combines.py), and want
(the value of every lane at the end). Two levels: ms and ds (the states of a block's lanes), and want (their merged
state).
"""

from __future__ import annotations

import ast
import re

from ..checks import syntax
from ..checks.compare import same_number
from ..reference import combines
from ..reference.reductions import LANES, alike, butterfly, merged, powers, tree, warp_states
from ..spec import Answer, Case, Detector, Evidence
from .detectors import both, nothing, value, value_formula, written
from .mistake import Mistake

MISTAKES = [
    Mistake(
        "tree-of-fixed-steps",
        "The tree is right for 32 numbers and fewer, and wrong for more: its steps do not follow from the list.",
        "How many numbers does the list have before your first step, and who says how many are added?",
    ),
    # ---- a tree
    Mistake(
        "tree-only-result",
        "The result came back alone, without the states on the way to it.",
        "Which lists does a step make and throw away again?",
    ),
    Mistake(
        "tree-result-bare",
        "The last state is a number; the others are lists.",
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
        "The sums stand in the lower half, and the upper half came along once more.",
        "How many numbers are of use after a step?",
    ),
    Mistake(
        "tree-states-missing",
        "Every state that came back is right, but not all of them are there.",
        "How many states are there for eight numbers, the numbers themselves included?",
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
        "The lanes were added, whatever function was asked for.",
        "Where does your function call combine?",
    ),
    Mistake(
        "butterfly-in-place",
        "Lanes were changed while others of the same step still had to read them.",
        "Which value does the partner of lane 0 get when lane 0 was changed first?",
    ),
    Mistake(
        "butterfly-step-missing",
        "One step is missing, so a lane knows only half of the others.",
        "Which offsets does it take until lane 0 has heard of every lane?",
    ),
    Mistake(
        "butterfly-offsets",
        "The offsets are not powers of two, so some lanes are counted more than once.",
        "Which single bit do the numbers of two partners differ in, in each step?",
    ),
    Mistake(
        "butterfly-lane-zero",
        "Lane 0 has the result, and other lanes go on with something else.",
        "Which lanes receive a value in each step, and whose?",
    ),
    Mistake(
        "butterfly-too-far",
        "A partner was looked for behind the last lane.",
        "What is the largest offset for a list of four lanes?",
    ),
    Mistake(
        "butterfly-itself",
        "Every lane was combined with itself, too.",
        "Who is the partner of a lane when the offset is 0?",
    ),
    Mistake(
        "butterfly-in-series",
        "The values are right, but they were combined one after the other.",
        "How many lanes has a lane heard of after one step, and after two?",
    ),
    # ---- two levels
    Mistake(
        "warp-is-a-list",
        "A warp's result was taken as it is: a list with the state of every lane. One state was needed.",
        "How many lanes of a warp hold its result, and how many of them do you need?",
    ),
    Mistake(
        "warps-not-merged",
        "Each warp has its state, but the states of the warps were never merged.",
        "How does one warp learn what another one found?",
    ),
    Mistake(
        "states-pad-zero",
        "A lane without a warp behind it holds a maximum of 0, and that is a number like any other.",
        "Which state changes nothing when it is merged?",
    ),
    Mistake(
        "states-repeated",
        "Some states were merged more than once: their sum counts several times.",
        "What does a lane hold that has no warp behind it?",
    ),
    Mistake(
        "warps-unpadded",
        "The list that the second level was given is no full warp, and a partner was looked for behind its end.",
        "How many lanes does a warp have, however many warps there are?",
    ),
]


# ---- a tree


def _wrong_tree(compute) -> Detector:
    """Matches the states that a wrong tree compute(values) gives; on values where they are right it cannot match."""
    return value_formula(lambda v, f: alike(v, compute(f["values"])))


def _neighbours(values: list[float]) -> list[list[float]]:
    """Each step adds elements 0 and 1, 2 and 3, and so on."""
    states = [values]
    while len(values) > 1:
        values = [values[i] + values[i + 1] for i in range(0, len(values), 2)]
        states.append(values)
    return states


def _mirror(values: list[float]) -> list[list[float]]:
    """Each step adds the first and the last element, the second and the last but one, and so on."""
    states = [values]
    while len(values) > 1:
        values = [values[i] + values[-1 - i] for i in range(len(values) // 2)]
        states.append(values)
    return states


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


def _one_list(v, f: dict) -> bool:
    """All states are equal, and the first element is not the first value any more."""
    return len(v) > 1 and all(alike(s, v[0]) for s in v) and v[0][0] != f["values"][0]


TREE = (
    ("tree-of-fixed-steps", value(lambda v, f: len(f["values"]) > 32)),
    ("input-overwritten", value(lambda v, f: f["callers_list"] and v != f["values"])),
    ("returns-nothing", nothing),
    ("tree-only-result", value(_only_result)),
    ("tree-mirror", _wrong_tree(_mirror)),
    ("tree-result-bare", value(lambda v, f: len(v) > 1 and same_number(v[-1], sum(f["values"])))),
    ("tree-one-list", value(_one_list)),
    ("tree-neighbours", _wrong_tree(_neighbours)),
    ("tree-not-halved", _wrong_tree(_full_length)),
    ("tree-states-missing", value(lambda v, f: all(any(alike(s, t) for t in tree(f["values"])) for s in v))),
)


# ---- a butterfly


def _wrong_butterfly(*wrong) -> Detector:
    """Matches the lanes that one of these functions wrong(lanes, combine, offsets) gives."""

    def test(v, f):
        combine = getattr(combines, f["combine"])
        return any(alike(v, compute(f["lanes"], combine, powers(len(f["lanes"])))) for compute in wrong)

    return value(test)


def _in_place(lanes: list, combine, offsets) -> list:
    """A butterfly whose lanes read values that other lanes have stored in the same step."""
    lanes = list(lanes)
    for offset in offsets:
        for lane in range(len(lanes)):
            if lane ^ offset < len(lanes):
                lanes[lane] = combine(lanes[lane], lanes[lane ^ offset])
    return lanes


@Detector
def _index_out_of_range(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A list was indexed behind its end."""
    return "index out of range" in (evidence.error or {}).get("message", "")


@Detector
def _short_second_level(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """There are fewer warps than lanes in a warp, so that a list of their states is no full warp."""
    return len(case.facts["ms"]) < LANES * LANES


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
        ),
    ),
    (
        "butterfly-step-missing",
        _wrong_butterfly(
            lambda lanes, combine, offsets: butterfly(lanes, combine, offsets[1:]),
            lambda lanes, combine, offsets: butterfly(lanes, combine, offsets[:-1]),
        ),
    ),
    ("butterfly-offsets", _wrong_butterfly(lambda lanes, combine, _: butterfly(lanes, combine, range(1, len(lanes))))),
    ("butterfly-lane-zero", value(_only_lane_zero)),
)


# ---- two levels


def _wrong_state(compute) -> Detector:
    """Matches the state that a wrong formula compute(facts) gives."""
    return value_formula(lambda v, f: alike(v, compute(f), 1e-5))


def _sums_not_rescaled(f: dict) -> tuple[float, float]:
    """The maximum of all lanes, and the sums of the warps added as they are."""
    return max(f["ms"]), sum(d for _, d in warp_states(f["ms"], f["ds"]))


def _sums_in_warps(f: dict) -> tuple[float, float]:
    """In each warp the maximum, and the sums of the lanes added as they are; then the states of the warps merged."""
    starts = range(0, len(f["ms"]), LANES)
    return merged(*([reduce(f[key][i : i + LANES]) for i in starts] for key, reduce in (("ms", max), ("ds", sum))))


@Detector
def _type_error(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Python refused an operation on two lists or tuples."""
    return bool(re.search("'(list|tuple)' and '|' and '(list|tuple)'", (evidence.error or {}).get("message", "")))


def _whole_warp(tree: ast.Module) -> bool:
    """In two_level, the result of a call of butterfly is not indexed at once."""
    two_level = [n for n in syntax.nodes(tree) if isinstance(n, ast.FunctionDef) and n.name == "two_level"]
    nodes = [n for f in two_level for n in syntax.nodes(f)]
    taken = {id(n.value) for n in nodes if isinstance(n, ast.Subscript)}
    return any(
        isinstance(n, ast.Call) and getattr(n.func, "id", "") == "butterfly" and id(n) not in taken for n in nodes
    )


TWO_LEVEL = (
    ("returns-nothing", nothing),
    ("not-a-state", value(lambda v, f: not isinstance(v, (tuple, list)) or len(v) != 2)),
    ("state-swapped", value_formula(lambda v, f: alike(v[::-1], f["want"], 1e-5))),
    ("warps-not-merged", _wrong_state(lambda f: warp_states(f["ms"], f["ds"])[0])),
    ("warps-not-merged", _wrong_state(lambda f: warp_states(f["ms"], f["ds"])[-1])),
    ("not-rescaled", _wrong_state(_sums_not_rescaled)),
    ("not-rescaled", _wrong_state(lambda f: (max(f["ms"]), sum(f["ds"])))),
    ("not-rescaled", _wrong_state(_sums_in_warps)),
    ("states-pad-zero", value(lambda v, f: v[0] == 0 > f["want"][0])),
    ("states-repeated", value(lambda v, f: v[0] == f["want"][0] and v[1] > 1.5 * f["want"][1])),
    ("inf-minus-inf", value(lambda v, f: v[1] != v[1] and v[0] == f["want"][0])),
    ("warps-unpadded", both(_index_out_of_range, _short_second_level)),
    ("warp-is-a-list", both(_type_error, written(_whole_warp))),
)
