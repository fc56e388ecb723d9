"""Reductions of a tile along the wrong axis, and numbers that are lined up with the wrong axis.

A case's facts hold x, block, and tile (rows at once).
"""

from __future__ import annotations

import ast

import torch

from ...checks import syntax
from ...spec import Answer, Case, Detector, Evidence
from ..detectors import formula, written


def _padded(tile: torch.Tensor, facts: dict) -> torch.Tensor:
    """A tile as a kernel sees it, with -inf in the masked lanes."""
    missing = (0, facts["block"] - tile.shape[1], 0, facts["tile"] - len(tile))
    return torch.nn.functional.pad(tile.float(), missing, value=-torch.inf)


def _by_tile(compute) -> Detector:
    """A formula of one padded tile at a time."""

    def whole(x, facts):
        try:
            parts = [compute(_padded(t, facts))[: len(t), : x.shape[1]] for t in x.split(facts["tile"])]
            return torch.cat(parts)
        except RuntimeError:  # shapes that do not line up: the answer had no numbers either
            return x[:0]

    return formula(whole)


def _divided(tile: torch.Tensor, top: torch.Tensor, total) -> torch.Tensor:
    e = torch.exp(tile - top)
    return e / total(e)


def _reduced(max_axis: int, sum_axis: int) -> Detector:
    """Maximum and sum along these axes of the tile, each lined up with what it belongs to."""
    return _by_tile(lambda t: _divided(t, t.amax(max_axis, keepdim=True), lambda e: e.sum(sum_axis, keepdim=True)))


def _lined_up(top: bool, total: bool) -> Detector:
    """Row maxima or row sums lined up with the columns: silent where a tile is as high as it is wide."""
    return _by_tile(lambda t: _divided(t, t.amax(1, keepdim=not top), lambda e: e.sum(1, keepdim=not total)))


@Detector
def _shapes_clash(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Two blocks of the kernel have shapes that do not line up, or one was stored into another's places."""
    message = (evidence.error or {}).get("message", "")
    return "incompatible dimensions" in message or "could not be broadcast" in message


def _reduces_along_axis_zero(tree: ast.AST) -> bool:
    """A call of tl.max or tl.sum with axis 0, by name or in its place."""
    reductions = [*syntax.calls(tree, "max"), *syntax.calls(tree, "sum")]
    given = [arg for c in reductions for arg in (*c.args[1:2], *(k.value for k in c.keywords if k.arg == "axis"))]
    return any(isinstance(arg, ast.Constant) and arg.value == 0 for arg in given)


def _stood_up(top: bool, total: bool) -> Detector:
    """Column maxima or column sums under [:, None]: the shapes clash, or else these are the numbers."""

    def reduced(t: torch.Tensor, reduce, columns: bool) -> torch.Tensor:
        return reduce(t, 0)[:, None] if columns else reduce(t, 1)[:, None]

    along_axis_zero = written(_reduces_along_axis_zero)
    numbers = _by_tile(lambda t: _divided(t, reduced(t, torch.amax, top), lambda e: reduced(e, torch.sum, total)))

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        clash = _shapes_clash(case, evidence, answer) and along_axis_zero(case, evidence, answer)
        return clash or numbers(case, evidence, answer)

    return Detector(detect, numbers.fits, exact=True)


AXES = (
    ("column-numbers-stood-up", _stood_up(top=True, total=True)),
    ("column-numbers-stood-up", _stood_up(top=True, total=False)),
    ("column-numbers-stood-up", _stood_up(top=False, total=True)),
    ("lined-up-with-columns", _shapes_clash),
    ("wrong-axis", _reduced(0, 0)),
    ("wrong-axis", _reduced(0, 1)),
    ("wrong-axis", _reduced(1, 0)),
    ("lined-up-with-columns", _lined_up(top=True, total=True)),
    ("lined-up-with-columns", _lined_up(top=True, total=False)),
    ("lined-up-with-columns", _lined_up(top=False, total=True)),
    ("whole-tile-reduced", _by_tile(lambda t: _divided(t, t.amax(1, keepdim=True), lambda e: e.sum()))),
    ("whole-tile-reduced", _by_tile(lambda t: _divided(t, t.max(), lambda e: e.sum(1, keepdim=True)))),
    ("whole-tile-reduced", _by_tile(lambda t: _divided(t, t.max(), lambda e: e.sum()))),
)
