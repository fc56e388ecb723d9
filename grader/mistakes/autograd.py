"""What is asked of a softmax that autograd can use, and the mistakes that such a function can meet.

Its cases call the functions of drivers/gradient.py. Their facts hold x, what known/gradient_kernel.py wants, and way:
which of these functions it was.
"""

from __future__ import annotations

import ast
import re

import torch

from ..checks import bounds, compare, syntax
from ..checks.compare import softmax_gradient
from ..reference import softmax_function
from ..spec import Answer, Call, Case, Detector, Evidence
from . import detectors
from .detectors import both, written
from .gradients import gradient

_NAMES = {"x": "x", "y": "y", "other": "another tensor"}
_HOW = {"saved": "", "attribute": " as an attribute of ctx"}


def _right(x: torch.Tensor, dy: torch.Tensor, evidence: Evidence) -> str | None:
    """The gradient of a softmax of x, compared in the precision of x."""
    off = bounds.softmax_bound(x, x.dtype) * torch.finfo(x.dtype).eps / torch.finfo(torch.float32).eps
    return compare.gradient(torch.softmax(x.double(), 1), dy, evidence.value, off)


def _facts(x: torch.Tensor, way: str, dy: torch.Tensor | None = None) -> dict:
    """What detectors look at. With dy the result is a gradient, without it is something else."""
    n = x.shape[1]
    facts = {"x": x, "way": way, "block": softmax_function.block(n), "x_stride": x.stride(0), "y_stride": n}
    if dy is None:
        return facts
    y = torch.softmax(x.double(), 1)
    strides = {"dx": n, "y": n, "dy": dy.stride(0)}
    return facts | {"y": y, "dy": dy, "want": softmax_gradient(y, dy), "strides": strides}


def case(label: str, x: torch.Tensor, dy: torch.Tensor) -> Case:
    """One forward, one backward. A view of x may be refused; dy comes as autograd has it, and there is no choice."""
    mn, view = x.numel(), not x.is_contiguous()

    def verify(evidence: Evidence) -> str | None:
        if evidence.error:
            return softmax_function.refused(None, evidence, "this input")
        return _right(x, dy, evidence) or _odd_launches(mn, evidence) or softmax_function.launch_fault(x, evidence)[1]

    return Case(
        f"backward, {label}",
        Call("call", "check_gradient", (x, dy)),
        verify=verify,
        size=mn,
        budget=None if view or not dy.is_contiguous() else (3 * mn, 2 * mn),
        unit=mn,
        each_once=True,
        expects_error=view,
        facts=_facts(x, "backward", dy),
    )


def _odd_launches(mn: int, evidence: Evidence) -> str | None:
    """What is odd about the launches of a forward and a backward whose numbers are right."""
    if len(evidence.launches) < 2:
        return "right numbers, but only one kernel was launched, and there are two directions"
    again = _again(mn, evidence)
    return f"right numbers, but {again} was launched twice, for one forward and one backward" if again else None


def way(label: str, function: str, way: str, x: torch.Tensor, dy: torch.Tensor) -> Case:
    """A gradient that was come by in another way."""
    return Case(
        f"{label}, {len(x)}×{x.shape[1]}",
        Call("call", function, (x, dy)),
        verify=lambda e: _right(x, dy, e),
        size=1000 + x.numel(),
        facts=_facts(x, way, dy),
    )


def output_after(x: torch.Tensor, dy: torch.Tensor) -> Case:
    """The output must be what it was: it belongs to the caller."""

    def verify(evidence: Evidence) -> str | None:
        sentence = compare.softmax(x, evidence.value)
        return f"after backward the output has changed: {sentence}" if sentence else None

    call = Call("call", "check_output_after", (x, dy))
    return Case("the output after backward, 3×6", call, verify, size=2000, facts=_facts(x, "output after"))


def changed(x: torch.Tensor, dy: torch.Tensor) -> Case:
    """An output changed in place: backward ends in an error, or is right all the same because it has a copy."""

    def verify(evidence: Evidence) -> str | None:
        if evidence.error:
            noticed = "modified by an inplace operation" in evidence.error["message"]
            by_hand = evidence.error["line"].startswith("raise")
            return None if noticed or by_hand else f"it ends in {evidence.error['type']}: {evidence.error['message']}"
        sentence = _right(x, dy, evidence)
        return f"nobody noticed, and the gradient is wrong: {sentence}" if sentence else None

    call = Call("call", "check_changed_output", (x, dy))
    facts = _facts(x, "changed", dy)
    label = "somebody changes the output before backward, 3×6"
    return Case(label, call, verify, size=3000, facts=facts, expects_error=True)


def kept(x: torch.Tensor) -> Case:
    """What forward keeps for backward: y by ctx.save_for_backward, and besides no more than a few numbers a row."""

    def verify(evidence: Evidence) -> str | None:
        large = [(how, what) for how, what, size in _entries(evidence.value) if size >= x.nbytes]
        if large == [("saved", "y")]:
            return None
        shown = " and ".join(_NAMES[what] + _HOW[how] for how, what in large) or "nothing of the size of y"
        return f"{shown}, expected y alone, by ctx.save_for_backward"

    call = Call("call", "check_kept", (x,))
    return Case("what is kept for backward, 4×6", call, verify, size=4000, facts=_facts(x, "kept"))


def _entries(value) -> list[tuple[str, str, int]]:
    """(how, what, bytes) of each tensor that waits for backward, as far as what came back has that form."""
    entries = value if isinstance(value, list) else []
    entries = [e for e in entries if isinstance(e, tuple) and [*map(type, e)] == [str, str, int]]
    return [e for e in entries if e[0] in _HOW and e[1] in _NAMES]


def _kept(how: str | None, what: str | None) -> Detector:
    """Matches when some tensor was kept in this way, or when this tensor was."""
    return _of("kept", Detector(lambda c, e, a: any(h == how or w == what for h, w, _ in _entries(e.value))))


def _of(kind: str, *more: Detector) -> Detector:
    """Matches on cases of one kind, without an error, where `more` match as well."""
    return both(Detector(lambda c, e, a: c.facts.get("way") == kind and not e.error), *more)


@Detector
def _another_view(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The gradient that arrived does not lie in memory row by row, and the input does."""
    dy, x = case.facts.get("dy"), case.facts.get("x")
    return dy is not None and not dy.is_contiguous() and x.is_contiguous()


@Detector
def _constant_block(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The row is longer than the block that was launched, and that number stands in the answer as it is."""
    blocks = {launch["constants"].get("BLOCK") for launch in evidence.launches}
    short = {b for b in blocks if isinstance(b, int) and b < case.facts["x"].shape[1]}

    def spelled(tree: ast.AST) -> bool:
        values = [n.value for n in syntax.nodes(tree) if isinstance(n, (ast.keyword, ast.Assign, ast.AnnAssign))]
        return any(isinstance(v, ast.Constant) and v.value in short for v in values)

    return bool(short) and written(spelled)(case, evidence, answer)


@Detector
def _refused_otherwise(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A view of x was refused on purpose, with another exception than ValueError."""
    error, x = evidence.error, case.facts.get("x")
    deliberate = bool(error) and bool(re.match(r"\s*(assert|raise)\b", error["line"]))
    return deliberate and not x.is_contiguous() and "ValueError" not in error["kinds"]


def _error(pattern: str) -> Detector:
    return Detector(lambda c, e, a: bool(e.error) and bool(re.search(pattern, e.error["message"])))


_CONTEXT = r"can only save variables|'saved_tensors'.* not writable|'tuple' object is not callable"


@Detector
def _refuses_float64(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return case.facts["x"].dtype == torch.float64 and (evidence.error or {}).get("type") == "ValueError"


def _x_for_y(y, dy, facts):
    return softmax_gradient(facts["x"], dy)


def _again(mn: int, evidence: Evidence) -> str | None:
    """A kernel that ran once too often. One kernel may do both directions, and a copy of dy is read besides."""
    names = [launch["kernel"] for launch in evidence.launches]
    extra = len(names) > 2 and evidence.read > 3 * mn
    return next((name for name in names if names.count(name) > 1), None) if extra else None


@Detector
def _nothing_to_apply(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """It was the check that called apply, and there is none that takes x."""
    error = evidence.error or {"line": "", "message": ""}
    return not error["line"] and bool(re.search(r"attribute 'apply'|\bapply\(\)", error["message"]))


FUNCTION = (
    ("gradient-none", both(Detector(lambda c, e, a: "dy" in c.facts), detectors.nothing)),
    ("nothing-kept", _error(r"not enough values to unpack \(expected 1, got 0\)")),
    ("context-misused", _error(_CONTEXT)),
    ("wrong-exception", _refused_otherwise),
    ("tensors-in-another-order", both(detectors.all_nan, written(syntax.launched_into_another))),
    ("block-constant", _constant_block),
    ("not-an-autograd-function", _nothing_to_apply),
    (
        "returns-nothing",
        Detector(lambda c, e, a: bool(e.error) and not e.error["line"] and "'NoneType'" in e.error["message"]),
    ),
    ("y-overwritten", _of("output after")),
    ("y-overwritten", _of("second")),
    ("x-kept", _kept(None, "x")),
    ("kept-beside-the-graph", _kept("attribute", None)),
    ("kept-beside-the-graph", _of("first of two")),
    ("kept-beside-the-graph", _of("changed")),
    ("kept-too-much", _kept(None, "other")),
    ("y-recomputed", _of("backward", Detector(lambda c, e, a: bool(_again(c.unit, e))))),
    ("one-direction-only", _of("backward", Detector(lambda c, e, a: len(e.launches) == 1))),
    ("float64-refused", _refuses_float64),
    ("x-for-y", gradient(_x_for_y)),
    ("dy-assumed-adjacent", _another_view),
)
