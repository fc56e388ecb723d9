"""The cases of a softmax as a torch.autograd.Function: forward, backward, and the tensors kept between them.

Each case calls a function of lessons/drivers/gradient.py. All matrices have the shape M×N.

Facts of a case: x; `check` (which of those functions was called, in short); block, x_stride and y_stride as
`reference.softmax_function` has them. A case whose result is a gradient also has those of `reference.gradient.facts`,
with y in float64, and `strides` (elements between two rows of dx, y and dy).
"""

from __future__ import annotations

from dataclasses import replace

import torch

from ..checks import bounds, compare, inputs
from ..sentence import fault, foreign, joined, said
from ..spec import Call, Case, Evidence
from . import gradient, softmax_function

_TENSORS = {"x": "x", "y": "y", "other": said("another tensor")}
_PLACES = ("saved", "attribute")


def backward_case(label: str, x: torch.Tensor, dy: torch.Tensor) -> Case:
    """One forward and one backward: the gradient, the traffic, and one launch for each direction.

    An answer may refuse an x that is not contiguous. It may not refuse such a dy, because autograd chooses its layout.
    """
    mn, view = x.numel(), not x.is_contiguous()

    def verify(evidence: Evidence) -> str | None:
        if evidence.error:
            return softmax_function.refused(None, evidence, said("this input"))
        wrong = _gradient_fault(x, dy, evidence) or _launch_count_fault(mn, evidence)
        return wrong or softmax_function.launch_fault(x, evidence)[1] or _late_fault(evidence)

    return Case(
        said("backward, {label}", label=label),
        Call("call", "check_gradient", (x, dy)),
        verify=verify,
        size=mn,
        budget=None if view or not dy.is_contiguous() else (3 * mn, 2 * mn),
        unit=mn,
        each_once=True,
        expects_error=view,
        facts=_gradient_facts(x, "backward", dy),
    )


def gradient_case(label: str, function: str, check: str, x: torch.Tensor, dy: torch.Tensor) -> Case:
    """A gradient that another function of the driver computes; `check` is the fact of that name."""
    return Case(
        inputs.sized(label, *x.shape),
        Call("call", function, (x, dy)),
        verify=lambda e: _gradient_fault(x, dy, e),
        size=1000 + x.numel(),
        facts=_gradient_facts(x, check, dy),
    )


def output_case(x: torch.Tensor, dy: torch.Tensor) -> Case:
    """The output of forward must be unchanged after backward, because it belongs to the caller."""

    def verify(evidence: Evidence) -> str | None:
        sentence = compare.softmax(x, evidence.value)
        return said("after backward the output has changed: {sentence}", sentence=sentence) if sentence else None

    call = Call("call", "check_output_after", (x, dy))
    return Case(said("the output after backward, 3×6"), call, verify, size=2000, facts=_facts(x, "output after"))


def first_output_case(x: torch.Tensor, other: torch.Tensor) -> Case:
    """Two forwards, of x and of `other`; the first output must stay."""
    return Case(
        said("two outputs, and then the first one again, {count}×{shape}", count=len(x), shape=x.shape[1]),
        Call("call", "check_first_output", (x, other)),
        verify=lambda e: compare.softmax(x, e.value),
        size=1000,
        facts=_facts(x, "first output") | {"second": torch.softmax(other, 1)},
    )


def first_gradient_case(x: torch.Tensor, dy: torch.Tensor) -> Case:
    """Two backwards, for x and for -x; the first gradient must stay."""
    case = gradient_case(said("two gradients, and then the first one again"), "check_first_gradient", "backward", x, dy)
    second = compare.softmax_gradient(torch.softmax(-x.double(), 1), dy)
    return replace(case, facts=case.facts | {"second": second})


def changed_output_case(x: torch.Tensor, dy: torch.Tensor) -> Case:
    """The output is changed in place before backward. Backward must raise an error, or use a copy and be right."""

    def verify(evidence: Evidence) -> str | None:
        if evidence.error:
            error = evidence.error
            if foreign.is_a(error["message"], "changed-in-place") or error["raised"]:
                return None
            return said("it ends in {type}: {message}", type=error["type"], message=foreign.of_error(error))
        sentence = _gradient_fault(x, dy, evidence)
        return said("nobody noticed, and the gradient is wrong: {sentence}", sentence=sentence) if sentence else None

    call = Call("call", "check_changed_output", (x, dy))
    facts = _gradient_facts(x, "changed", dy)
    label = said("somebody changes the output before backward, 3×6")
    return Case(label, call, verify, size=3000, facts=facts, expects_error=True)


def kept_case(x: torch.Tensor) -> Case:
    """Forward keeps y by ctx.save_for_backward, and no other tensor that has as many bytes as x."""

    def verify(evidence: Evidence) -> str | None:
        large = [(place, tensor) for place, tensor, size in kept_tensors(evidence.value) if size >= x.nbytes]
        if large == [("saved", "y")]:
            return None
        shown = joined("{one} and {two}", [_kept(place, _TENSORS[tensor]) for place, tensor in large])
        kept = shown or said("nothing of the size of y")
        return fault(
            "way",
            "right numbers, but for backward it keeps {kept}, expected y alone, by ctx.save_for_backward",
            kept=kept,
        )

    call = Call("call", "check_kept", (x,))
    return Case(said("what is kept for backward, 4×6"), call, verify, size=4000, facts=_facts(x, "kept"))


def kept_tensors(value) -> list[tuple[str, str, int]]:
    """The entries (place, tensor, bytes) of a check_kept result; entries of any other form are left out.

    place: "saved" or "attribute"; tensor: "x", "y" or "other".
    """
    entries = value if isinstance(value, list) else []
    entries = [e for e in entries if isinstance(e, tuple) and [*map(type, e)] == [str, str, int]]
    return [e for e in entries if e[0] in _PLACES and e[1] in _TENSORS]


def repeated_kernel(mn: int, evidence: Evidence) -> str | None:
    """The name of a kernel that was launched twice for one forward and one backward of mn elements, else None.

    One kernel may serve both directions, and a third launch may copy dy. So two launches, or at most 3 · mn elements
    read, are no repetition.
    """
    names = [launch["kernel"] for launch in evidence.launches]
    extra = len(names) > 2 and evidence.read > 3 * mn
    return next((name for name in names if names.count(name) > 1), None) if extra else None


def reads_x_late(evidence: Evidence) -> int:
    """Elements of x that were read once dy had been read, so by backward."""
    return evidence.late_reads[0] if evidence.late_reads else 0


def _late_fault(evidence: Evidence) -> str | None:
    """None if backward read nothing of x, else a sentence. What the answer says of its graph does not matter here."""
    late = reads_x_late(evidence)
    return (
        fault("way", "right numbers, but backward reads {late} elements of x, which nothing needs to keep", late=late)
        if late
        else None
    )


def _gradient_fault(x: torch.Tensor, dy: torch.Tensor, evidence: Evidence) -> str | None:
    """None if the gradient is right to the precision of the dtype of x, else a sentence."""
    off = bounds.softmax_bound(x, x.dtype) * torch.finfo(x.dtype).eps / torch.finfo(torch.float32).eps
    return compare.gradient(torch.softmax(x.double(), 1), dy, evidence.value, off)


def _launch_count_fault(mn: int, evidence: Evidence) -> str | None:
    """None if there is one launch for each direction, else a sentence about a right gradient."""
    if len(evidence.launches) < 2:
        return fault("way", "right numbers, but only one kernel was launched, and there are two directions")
    repeated = repeated_kernel(mn, evidence)
    return (
        fault(
            "way",
            "right numbers, but {repeated} was launched twice, for one forward and one backward",
            repeated=repeated,
        )
        if repeated
        else None
    )


def _facts(x: torch.Tensor, check: str) -> dict:
    n = x.shape[1]
    return {"x": x, "check": check, "block": softmax_function.block(n), "x_stride": x.stride(0), "y_stride": n}


def _gradient_facts(x: torch.Tensor, check: str, dy: torch.Tensor) -> dict:
    n, y = x.shape[1], torch.softmax(x.double(), 1)
    return _facts(x, check) | gradient.facts(x, y, dy) | {"strides": {"dx": n, "y": n, "dy": dy.stride(0)}}


def _kept(place: str, tensor: str) -> str:
    return said("{tensor} as an attribute of ctx", tensor=tensor) if place == "attribute" else tensor
