"""Known wrong ways to reduce a list step by step, in plain Python: for naming the mistake in a tree or a butterfly."""

from __future__ import annotations

import ast
import re

from ..checks import compare, syntax
from ..checks.compare import same_number
from ..reference import combines
from ..spec import Detector
from .blocks import LANES
from .detectors import both, nothing, value, value_formula, written
from .softmax.walks import INF

_NOTHING = "nothing came back: is there a return?"


def alike(a, b, rel: float = 1e-6) -> bool:
    """Whether two values are the same numbers in the same nesting; a tuple is as good as a list."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(alike(x, y, rel) for x, y in zip(a, b))
    return same_number(a, b, rel)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def tree(values: list[float]) -> list[list[float]]:
    """Every state of a sum by halves, the values first."""
    states = [values]
    while len(values) > 1:
        half = len(values) // 2
        values = [values[i] + values[i + half] for i in range(half)]
        states.append(values)
    return states


def tree_fault(got, want: list[list[float]]) -> str | None:
    """None when these are the states of a tree, else a sentence."""
    if not isinstance(got, (list, tuple)):
        return (
            f"{compare.shown(got)} came back, expected a list of {_count(len(want), 'list')}"
            if got is not None
            else _NOTHING
        )
    for step, (g, w) in enumerate(zip(got, want)):
        if not alike(g, w):
            when = f"after step {step}" if step else "before the first step"
            if not isinstance(g, (list, tuple)):
                return f"the state {when} is {compare.shown(g)}, expected a list of {_count(len(w), 'number')}"
            if len(g) != len(w):
                return f"the state {when} has {_count(len(g), 'number')}, expected {len(w)}"
            i = next(i for i in range(len(w)) if not alike(g[i], w[i]))
            return f"the state {when} has {compare.shown(g[i])} in place {i}, expected {w[i]:g}"
    return f"{_count(len(got), 'state')} came back, expected {len(want)}" if len(got) != len(want) else None


def _neighbours(values: list[float]) -> list[list[float]]:
    states = [values]
    while len(values) > 1:
        values = [values[i] + values[i + 1] for i in range(0, len(values), 2)]
        states.append(values)
    return states


def _mirror(values: list[float]) -> list[list[float]]:
    states = [values]
    while len(values) > 1:
        values = [values[i] + values[-1 - i] for i in range(len(values) // 2)]
        states.append(values)
    return states


def _full_length(values: list[float]) -> list[list[float]]:
    states, half = [list(values)], len(values) // 2
    while half:
        values = [v + values[i + half] if i < half else v for i, v in enumerate(values)]
        states.append(values)
        half //= 2
    return states


def _wrong_tree(compute):
    """A wrong way that is no wrong way where it gives the right states."""
    return value_formula(lambda v, f: alike(v, compute(f["values"])))


TREE = (
    ("returns-nothing", nothing),
    ("tree-only-result", value(lambda v, f: same_number(v, sum(f["values"])) or alike(v, [sum(f["values"])]))),
    ("tree-mirror", _wrong_tree(_mirror)),
    ("tree-result-bare", value(lambda v, f: len(v) > 1 and same_number(v[-1], sum(f["values"])))),
    ("tree-one-list", value(lambda v, f: len(v) > 1 and all(alike(s, v[0]) for s in v) and v[0][0] != f["values"][0])),
    ("tree-neighbours", _wrong_tree(_neighbours)),
    ("tree-not-halved", _wrong_tree(_full_length)),
    ("tree-states-missing", value(lambda v, f: all(any(alike(s, t) for t in tree(f["values"])) for s in v))),
)


def steps(lanes: list, combine, offsets, in_place: bool = False) -> list:
    """A butterfly with the given offsets. in_place: later lanes read what earlier ones have stored in the same step."""
    lanes = list(lanes)
    for offset in offsets:
        old = lanes if in_place else list(lanes)
        for lane in range(len(lanes)):
            if lane ^ offset < len(lanes):
                lanes[lane] = combine(old[lane], old[lane ^ offset])
    return lanes


def lanes_fault(got, count: int, want) -> str | None:
    """None when every one of `count` lanes holds what is wanted, else a sentence."""
    if got is None:
        return _NOTHING
    if not isinstance(got, (list, tuple)):
        return f"{compare.shown(got)} came back, expected a list of {count} lanes"
    if len(got) != count:
        return f"{_count(len(got), 'lane')} came back, expected {count}"
    wrong = [lane for lane, value in enumerate(got) if not alike(value, want)]
    if not wrong:
        return None
    first = f"lane {wrong[0]} ends with {compare.shown(got[wrong[0]])}, expected {compare.shown(want)}"
    return f"{first}; {len(wrong)} of {count} lanes are wrong"


def powers(count: int) -> list[int]:
    """1, 2, 4, ... below count."""
    return [1 << k for k in range(count.bit_length() - 1)]


def _wrong_butterfly(*ways):
    def test(v, f):
        combine = getattr(combines, f["combine"])
        return any(alike(v, way(f["lanes"], combine, powers(len(f["lanes"])))) for way in ways)

    return value(test)


@Detector
def _index_out_of_range(case, evidence, answer) -> bool:
    return "index out of range" in (evidence.error or {}).get("message", "")


def _added(v, f) -> bool:
    return f["combine"] == "larger" and alike(v, [sum(f["lanes"])] * len(f["lanes"]))


BUTTERFLY = (
    ("returns-nothing", nothing),
    ("not-lanes", value(lambda v, f: not isinstance(v, (list, tuple)) or len(v) != len(f["lanes"]))),
    ("not-lanes", value(lambda v, f: f["combine"] in ("total", "larger") and any(isinstance(w, list) for w in v))),
    ("butterfly-too-far", _index_out_of_range),
    ("butterfly-itself", _wrong_butterfly(lambda lanes, combine, offsets: steps(lanes, combine, [*offsets, 0]))),
    (
        "butterfly-in-series",
        value(lambda v, f: f["combine"] == "steps" and v[0][0] > f["want"][0] and v[0][1] == f["want"][1]),
    ),
    ("combine-ignored", value(_added)),
    (
        "butterfly-in-place",
        _wrong_butterfly(
            lambda lanes, combine, offsets: steps(lanes, combine, offsets, in_place=True),
            lambda lanes, combine, offsets: steps(lanes, combine, offsets[::-1], in_place=True),
        ),
    ),
    (
        "butterfly-step-missing",
        _wrong_butterfly(
            lambda lanes, combine, offsets: steps(lanes, combine, offsets[1:]),
            lambda lanes, combine, offsets: steps(lanes, combine, offsets[:-1]),
        ),
    ),
    ("butterfly-offsets", _wrong_butterfly(lambda lanes, combine, _: steps(lanes, combine, range(1, len(lanes))))),
    ("butterfly-lane-zero", value(lambda v, f: alike(v[0], f["want"]) and not all(alike(w, f["want"]) for w in v))),
)


def state_of(ms: list[float], ds: list[float]) -> tuple[float, float]:
    """The lanes' states merged one after the other."""
    state = (-INF, 0.0)
    for lane in zip(ms, ds):
        state = combines.merge(state, lane)
    return state


def _warps(f: dict) -> list[tuple[float, float]]:
    parts = range(0, len(f["ms"]), LANES)
    return [state_of(f["ms"][i : i + LANES], f["ds"][i : i + LANES]) for i in parts]


def _sums_in_warps(f: dict) -> tuple[float, float]:
    """Maximum and sum apart in each warp, and merged as states then."""
    starts = range(0, len(f["ms"]), LANES)
    return state_of(*([reduce(f[key][i : i + LANES]) for i in starts] for key, reduce in (("ms", max), ("ds", sum))))


@Detector
def _type_error(case, evidence, answer) -> bool:
    return bool(re.search("'(list|tuple)' and '|' and '(list|tuple)'", (evidence.error or {}).get("message", "")))


def _whole_warp(tree: ast.Module) -> bool:
    """A butterfly's result in two_level that nothing is taken out of at once."""
    two_level = [n for n in syntax.nodes(tree) if isinstance(n, ast.FunctionDef) and n.name == "two_level"]
    nodes = [n for f in two_level for n in syntax.nodes(f)]
    taken = {id(n.value) for n in nodes if isinstance(n, ast.Subscript)}
    return any(
        isinstance(n, ast.Call) and getattr(n.func, "id", "") == "butterfly" and id(n) not in taken for n in nodes
    )


def _wrong_state(compute):
    return value_formula(lambda v, f: alike(v, compute(f), 1e-5))


TWO_LEVEL = (
    ("returns-nothing", nothing),
    ("not-a-state", value(lambda v, f: not isinstance(v, (tuple, list)) or len(v) != 2)),
    ("state-swapped", value_formula(lambda v, f: alike(v[::-1], f["want"], 1e-5))),
    ("warps-not-merged", _wrong_state(lambda f: _warps(f)[0])),
    ("warps-not-merged", _wrong_state(lambda f: _warps(f)[-1])),
    ("not-rescaled", _wrong_state(lambda f: (max(f["ms"]), sum(d for _, d in _warps(f))))),
    ("not-rescaled", _wrong_state(lambda f: (max(f["ms"]), sum(f["ds"])))),
    ("not-rescaled", _wrong_state(_sums_in_warps)),
    ("states-pad-zero", value(lambda v, f: v[0] == 0 > f["want"][0])),
    ("states-repeated", value(lambda v, f: v[0] == f["want"][0] and v[1] > 1.5 * f["want"][1])),
    ("inf-minus-inf", value(lambda v, f: v[1] != v[1])),
    ("warps-unpadded", _index_out_of_range),
    ("warp-is-a-list", both(_type_error, written(_whole_warp))),
)
