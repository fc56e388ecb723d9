"""Mistakes in attention that show in how the walk is written, for answers whose numbers are all NaN or nearly right."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..checks import syntax
from ..spec import Detector
from . import detectors
from .detectors import both, written

_PRECISIONS = ("input_precision", "allow_tf32")


def _renamed(tree: ast.AST) -> dict[str, tuple[str, int]]:
    """Names that take over another's value, alone or in a tuple: {"m": ("new", line)} for `m = new`."""
    found = {}
    for node in syntax.nodes(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = zip(target.elts, node.value.elts) if _tuples(target, node.value) else [(target, node.value)]
                found |= {a.id: (b.id, node.lineno) for a, b in pairs if _names(a, b)}
    return found


def _tuples(*nodes: ast.AST) -> bool:
    return all(isinstance(node, ast.Tuple) for node in nodes)


def _names(*nodes: ast.AST) -> bool:
    return all(isinstance(node, ast.Name) for node in nodes)


def _between(tree: ast.AST, operator: type) -> Iterator[tuple[str, str, str]]:
    """Operations on a maximum before it takes the new value: (left, right, the name of the new one)."""
    renamed = _renamed(tree)
    for node in syntax.nodes(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, operator):
            left, right = (_bare(side) for side in (node.left, node.right))
            for old, (new, line) in renamed.items():
                if old in (left, right) and node.lineno <= line:
                    yield left, right, new


def _bare(node: ast.AST) -> str:
    """The name under `m[:, None]`, `m.unsqueeze(1)` and the like; "" for anything else."""
    while not isinstance(node, ast.Name):
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func
        else:
            return ""
    return node.id


def _factor_inverted(tree: ast.AST) -> bool:
    """exp(new - m)."""
    return any(left == new for left, right, new in _between(tree, ast.Sub))


def _stale_maximum(tree: ast.AST) -> bool:
    """exp(s - m), where m is still the old maximum."""
    return any(right not in (new, "") and left not in (new, right) for left, right, new in _between(tree, ast.Sub))


def _ratio_of_maxima(tree: ast.AST) -> bool:
    """m / new."""
    return any(new in (left, right) for left, right, new in _between(tree, ast.Div))


def _all_nan(test) -> Detector:
    """Written so, and NaN throughout, whatever the input; the causal cases may have faults besides."""
    detect = both(written(test), detectors.all_nan)
    return replace(
        detect,
        fits=lambda case, evidence: case.facts["causal"] or detectors.all_nan(case, evidence, None),
        exact=True,
    )


# With -inf to start from, the first tile already makes NaN of them all: the numbers do not tell them apart.
ALL_NAN = tuple((mistake, _all_nan(test)) for mistake, test in (
    ("factor-inverted", _factor_inverted),
    ("stale-maximum", _stale_maximum),
    ("factor-without-exp", _ratio_of_maxima),
))  # fmt: skip


def _dots(tree: ast.AST) -> list[ast.Call]:
    return [call for call in syntax.calls(tree, "dot") if ast.unparse(call.func).startswith("tl.")]


def precision_left_open(tree: ast.AST) -> bool:
    """A tl.dot that leaves the precision of its inputs to the hardware."""
    return any(len(call.args) < 4 and not any(k.arg in _PRECISIONS for k in call.keywords) for call in _dots(tree))


def asks_for_tf32(tree: ast.AST) -> bool:
    """A tl.dot that wants its inputs cut down to tf32."""
    said = [k for call in _dots(tree) for k in call.keywords if k.arg in _PRECISIONS]
    return any(isinstance(k.value, ast.Constant) and k.value.value in ("tf32", True) for k in said)


def in_tf32(tree: ast.AST) -> bool:
    """What makes a tl.dot compute in tf32 where the hardware has it."""
    return precision_left_open(tree) or asks_for_tf32(tree)


def in_half(tree: ast.AST) -> bool:
    """A block that is turned into half precision."""
    return any(ast.unparse(a) in ("tl.float16", "tl.bfloat16") for call in syntax.calls(tree, "to") for a in call.args)


def v_without_other(tree: ast.AST) -> bool:
    """A load of v with a mask, and no value for the lanes it masks."""
    loads = [call for call in syntax.calls(tree, "load") if "v_ptr" in ast.unparse(call)]
    return any(syntax.load_without_other(call) for call in loads)
