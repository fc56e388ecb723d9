"""The mistakes of a softmax as a torch.autograd.Function: texts and detectors.

The facts of a case are described in reference/autograd.py.
"""

from __future__ import annotations

import ast

import torch

from ..checks import syntax
from ..checks.compare import softmax_gradient
from ..reference.autograd import kept_tensors, reads_x_late, repeated_kernel
from ..sentence import foreign
from ..spec import Answer, Case, Detector, Evidence
from . import detectors
from .detectors import both, looks, written
from .gradient import gradient_formula
from .mistake import Mistake

MISTAKES = [
    Mistake(
        "one-direction-only",
        "Only one of the two directions launched a kernel.",
        "Which kernel does each of your two methods launch?",
    ),
    Mistake(
        "nothing-kept",
        "A line asks for the tensors that forward keeps, and none was kept before it.",
        "Which line of forward hands a tensor to ctx, and which line asks for it?",
    ),
    Mistake(
        "context-misused",
        "save_for_backward is called with tensors, one argument each; saved_tensors is a tuple, which PyTorch fills.",
        "Which of the two is called, in which method, and with what?",
    ),
    Mistake(
        "not-an-autograd-function",
        "Softmax is not an autograd function, so it has no apply.",
        "Which class should yours be built on, and what do its two methods get as their first argument?",
    ),
    Mistake(
        "x-for-y",
        "The formula needs the output of the softmax, and it was given the input.",
        "Which tensor did forward keep, and which one does the formula of 11.1 take?",
    ),
    Mistake(
        "x-kept",
        "The input is kept until backward, though the gradient does not need it.",
        "Which tensors does the formula of 11.1 take?",
    ),
    Mistake(
        "kept-beside-the-graph",
        "A tensor is kept for backward at a place that PyTorch does not know.",
        "Which tensors does backward need, and which method of ctx keeps a tensor together with its version?",
    ),
    Mistake(
        "kept-too-much",
        "Besides y, another tensor as large as a matrix is kept for backward.",
        "Which tensors does the formula of 11.1 take?",
    ),
    Mistake(
        "y-recomputed",
        "A kernel was launched twice for the same numbers.",
        "Which result of the first launch could have been kept, or which of the two launches is not needed?",
    ),
    Mistake(
        "y-overwritten",
        "Backward changed the output of forward: it belongs to the caller, and a second backward needs it too.",
        "Which tensor do the stores of your launch in backward go to?",
    ),
    Mistake(
        "dy-assumed-adjacent",
        "The gradient that backward gets may be a view. Its elements need not be row by row in memory.",
        "Which strides does dy have in this case, which of them does your kernel assume, and which one does it get?",
    ),
    Mistake(
        "float64-refused",
        "float64 was refused, though the exercise promises it.",
        "Which dtypes does the docstring name, and which of your lines looks at the dtype?",
    ),
    Mistake(
        "gradients-miscounted",
        "backward returned another number of gradients than forward has inputs.",
        "How many inputs does forward have besides ctx?",
    ),
    Mistake(
        "gradient-none",
        "backward gave None for x.",
        "What does your backward return, and for which input?",
    ),
    Mistake(
        "gradient-shape",
        "backward returned a gradient that does not have the shape of x.",
        "Which shape does the gradient of a matrix have?",
    ),
    Mistake("no-backward", "The function has no backward.", "Which two methods does an autograd function need?"),
    Mistake(
        "saved-tuple",
        "A tuple was used as if it were a tensor.",
        "What does ctx.saved_tensors hold when one tensor was saved?",
    ),
]


def _keeps_the_tuple(tree: ast.AST) -> bool:
    """The text gives one name to all of `saved_tensors`."""
    return any(
        isinstance(n, ast.Assign)
        and isinstance(n.targets[0], ast.Name)
        and ast.unparse(n.value).endswith("saved_tensors")
        for n in ast.walk(tree)
    )


def _in_check(check: str, *more: Detector) -> Detector:
    """Matches a case whose fact `check` is this one, without an error, if all of `more` match as well."""
    return both(Detector(lambda c, e, a: c.facts.get("check") == check and not e.error), *more)


def _kept(place: str | None, tensor: str | None) -> Detector:
    """Matches if a tensor was kept in this place, or if this tensor was kept; None names no place or tensor."""
    return _in_check(
        "kept", Detector(lambda c, e, a: any(p == place or t == tensor for p, t, _ in kept_tensors(e.value)))
    )


def _error(kind: str, *names: str) -> Detector:
    """Matches an exception whose message is of this kind of foreign.kinds, with one of these names."""
    return Detector(lambda c, e, a: bool(e.error) and foreign.is_a(e.error["message"], kind, *names))


@Detector
def _gradient_is_none(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Backward returned None in a case whose result is a gradient."""
    return "dy" in case.facts and detectors.nothing(case, evidence, answer)


@looks
def _refused_otherwise(error, x) -> bool:
    """The answer refused an x that is not contiguous, by a raise or assert, and not with a ValueError."""
    return bool(error) and error["raised"] and not x.is_contiguous() and "ValueError" not in error["kinds"]


@Detector
def _constant_block(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A launch had a BLOCK shorter than the row, and the answer's text holds that number as a constant."""
    blocks = {launch["constants"].get("BLOCK") for launch in evidence.launches}
    short = {b for b in blocks if isinstance(b, int) and b < case.facts["x"].shape[1]}

    def spelled(tree: ast.AST) -> bool:
        values = [n.value for n in syntax.nodes(tree) if isinstance(n, (ast.keyword, ast.Assign, ast.AnnAssign))]
        return any(isinstance(v, ast.Constant) and v.value in short for v in values)

    return bool(short) and written(spelled)(case, evidence, answer)


@looks
def _no_apply(evidence) -> bool:
    """The call of apply in the driver failed: Softmax has no method of that name that takes x."""
    error = evidence.error or {"line": "", "message": ""}
    return not error["line"] and foreign.is_a(error["message"], "no-apply")


@looks
def _none_used(error) -> bool:
    """An error outside the answer's own lines is about None, which one of the two methods returned."""
    return bool(error) and not error["line"] and foreign.is_a(error["message"], "about-none")


@Detector
def _repeated(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A kernel was launched once more than the two directions need."""
    return bool(repeated_kernel(case.unit, evidence))


@looks
def _one_launch(launches) -> bool:
    """There was a single launch for forward and backward."""
    return len(launches) == 1


@looks
def _refuses_float64(x, error) -> bool:
    """The answer raised ValueError for float64."""
    return x.dtype == torch.float64 and (error or {}).get("type") == "ValueError"


def _x_for_y(y: torch.Tensor, dy: torch.Tensor, facts: dict) -> torch.Tensor:
    """The right formula with the softmax's input in place of its output."""
    return softmax_gradient(facts["x"], dy)


@looks
def _only_dy_strided(dy, x) -> bool:
    """dy is not contiguous, and x is."""
    return not dy.is_contiguous() and x.is_contiguous()


@looks
def _dy_or_x_apart(dy, x, error) -> bool:
    """Neighbours in a row of dy or of x are no neighbours in memory: an answer that copies neither fails in both."""
    if error and error["type"] != "OutOfBounds":
        return False  # that error has a reason of its own
    return dy.stride(1) != 1 or x.stride(1) != 1


FUNCTION = (
    ("gradient-none", _gradient_is_none),
    ("nothing-kept", _error("nothing-to-unpack")),
    ("context-misused", _error("context-misused")),
    ("context-misused", _error("not-callable", "tuple")),
    ("saved-tuple", both(_error("tuple-for-a-tensor"), written(_keeps_the_tuple))),
    ("wrong-exception", _refused_otherwise),
    ("arguments-exchanged", both(detectors.all_nan, written(syntax.launched_into_another))),
    ("block-constant", _constant_block),
    ("not-an-autograd-function", _no_apply),
    ("returns-nothing", _none_used),
    ("y-overwritten", _in_check("output after")),
    ("y-overwritten", _in_check("second")),
    ("x-kept", _kept(None, "x")),
    ("kept-beside-the-graph", _kept("attribute", None)),
    ("kept-beside-the-graph", _in_check("first of two")),
    ("kept-beside-the-graph", _in_check("changed")),
    ("kept-too-much", _kept(None, "other")),
    ("y-recomputed", _in_check("backward", _repeated)),
    ("one-direction-only", _in_check("backward", _one_launch)),
    ("x-for-y", gradient_formula(_x_for_y)),  # its numbers tell more than what it reads
    ("x-kept", _in_check("backward", Detector(lambda c, e, a: reads_x_late(e) > 0))),
    ("float64-refused", _refuses_float64),
    ("dy-assumed-adjacent", _only_dy_strided),
    ("column-stride", _dy_or_x_apart),  # behind the one before: where dy alone fails, that one says more
)
