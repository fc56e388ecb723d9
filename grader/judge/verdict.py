"""The verdict on one case: library calls, errors, numbers, side effects, idle programs, width and traffic, in order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from ..checks import in_parallel
from ..mistakes.detectors import output, overwritten
from ..mistakes.errors import from_error
from ..sentence import Said, fault, foreign, kind_of, said, within
from ..spec import Case, Evidence
from . import render, untrusted

# PyTorch operations that compute a whole softmax, or the part of it that an exercise asks for.
_LIBRARY = frozenset(
    "softmax _softmax log_softmax _log_softmax _safe_softmax _masked_softmax _sparse_softmax _softmax_backward_data "
    "logsumexp logcumsumexp _logcumsumexp scaled_dot_product_attention _scaled_dot_product_attention_math "
    "_scaled_dot_product_flash_attention_for_cpu".split()
)


def _incomparable(why: str) -> Said:
    return said("the result cannot be compared with the right one ({why})", why=why)


def _with_the_last_input(sentence: str, evidence: Evidence) -> str:
    """The sentence about an error, and the input of the last call of a function that the answer was given."""
    x = evidence.last_given
    if not isinstance(x, torch.Tensor) or not x.numel() or x.is_complex():
        return sentence
    numbers = x.double().flatten()
    inner = numbers[~numbers.isnan()]
    if not inner.numel():
        return sentence
    return said(  # in brackets: many messages of PyTorch end with a full stop, and others do not
        "{sentence} (the last input before it was {size}, with values from {low} to {high})",
        sentence=sentence,
        size=" × ".join(map(str, x.shape)),
        low=f"{float(inner.min()):.4g}",
        high=f"{float(inner.max()):.4g}",
    )


@dataclass
class Failure:
    """One failing case.

    sentence: for the learner. mistake: id of the mistake if it is certain already, or None.
    """

    case: Case
    evidence: Evidence
    sentence: str
    mistake: str | None = None

    @property
    def right_numbers(self) -> bool:
        """Whether the numbers are right, and only the way to them is wrong, as its traffic."""
        return kind_of(self.sentence) == "way"

    @property
    def tells(self) -> bool:
        """Whether its numbers tell mistakes apart: an error, inf, NaN, and rows of equal numbers have many causes."""
        got = output(self.case, self.evidence)
        if self.evidence.error or self.case.expects_error or self.right_numbers or got is None or got.dim() == 0:
            return False
        return got.is_floating_point() and bool(got.isfinite().all()) and bool((got != got[..., :1]).any())

    @property
    def shows_nan(self) -> bool:
        """Whether a number that its sentence shows is NaN."""
        return any("nan" in each for each in within(self.sentence) if not isinstance(each, Said))


def failure_of(case: Case, evidence: Evidence) -> Failure | None:
    """The failure of one case, None if the case is right. A result that cannot be compared is a failure as well."""
    return untrusted.handle(
        _failure_of, case, evidence, otherwise=lambda why: Failure(case, evidence, _incomparable(why))
    )


def verified(case: Case, evidence: Evidence) -> str | None:
    """None if the evidence is right, else a sentence, also for a result that cannot be compared."""
    return untrusted.handle(case.verify, evidence, otherwise=_incomparable)


def _failure_of(case: Case, evidence: Evidence) -> Failure | None:
    called = [] if case.may_call_library else evidence.torch_ops
    forbidden = next((n.lstrip("_") for n in called if n in _LIBRARY), None)
    if forbidden:
        return Failure(
            case, evidence, said("the answer runs PyTorch's {forbidden}", forbidden=forbidden), "library-softmax"
        )
    if "softmax" in evidence.language:
        return Failure(case, evidence, said("a kernel calls Triton's own tl.softmax"), "library-softmax")
    if evidence.error and not case.expects_error:
        mistake = from_error(evidence.error)
        message = evidence.error["message"]
        by_the_check = not evidence.error["line"] and foreign.is_a(message, "positional-argument")
        called = foreign.name_in(message, "about-a-call")
        if called and case.call.kind == "launch":
            by_the_check = by_the_check and called == case.call.name  # a kernel may call helpers of the answer
        if (by_the_check and mistake in (None, "missing-argument", "arguments-misfit")) or (
            mistake == "launch-arguments" and case.call.kind == "launch"
        ):
            mistake = "signature-changed"  # the check made the call with these arguments
        return Failure(case, evidence, _with_the_last_input(render.error_sentence(evidence.error), evidence), mistake)
    sentence = case.verify(evidence)
    if sentence:
        return Failure(case, evidence, sentence)
    changed = [] if case.expects_error else overwritten(case, evidence)
    if changed:
        count = sum(isinstance(a, torch.Tensor) for a in case.call.args)
        which = (
            said("input tensor {changed} of {count}", changed=changed[0], count=count)
            if count > 1
            else said("the input tensor")
        )
        return Failure(case, evidence, said("{which} was changed", which=which), "input-overwritten")
    return _idle(case, evidence) or _width(case, evidence) or _unrolled(case, evidence) or _traffic(case, evidence)


def unordered(case: Case, evidence: Evidence) -> Failure | None:
    """A failure of a right case if programs of a launch share an element that one of them stores without an atomic.

    Or if lanes of a program share one without a barrier.
    """
    stored, loaded = in_parallel.stored_by_several(evidence), in_parallel.counted_too_early(evidence)
    if stored is None and loaded is None:
        lanes = in_parallel.overtaken(evidence)
        return None if lanes is None else Failure(case, evidence, lanes, "lanes-without-barrier")
    return Failure(case, evidence, stored or loaded, "accumulated-without-atomics" if stored and loaded else None)


def _idle(case: Case, evidence: Evidence) -> Failure | None:
    """A failure if too few programs of the check's own launch stored anything: others did their work in a loop."""
    if case.call.kind != "launch" or case.may_idle:
        return None
    launched, storing = math.prod(case.call.grid), sum(launch["storing"] for launch in evidence.launches)
    if storing >= (launched if case.busy is None else case.busy):
        return None
    sentence = fault(
        "way",
        "right numbers, but of {launched} programs only {storing} stored anything",
        launched=launched,
        storing=storing,
    )
    return Failure(case, evidence, sentence, "programs-idle")


def _width(case: Case, evidence: Evidence) -> Failure | None:
    """A failure if an access or a block is wider than a tile, or than the block that the launch asks for."""
    if _beyond("widest", case.tile, evidence):
        sentence = fault(
            "way",
            "right numbers, but one access moves {widest} elements, and a tile has {tile}",
            widest=evidence.most("widest"),
            tile=case.tile,
        )
    elif _beyond("largest", case.largest, evidence):
        sentence = fault(
            "way",
            "right numbers, but a kernel computes with a block of {largest} elements, expected {most} at most",
            largest=evidence.most("largest"),
            most=case.largest,
        )
    else:
        return None
    of_a_row = case.tile is None and case.call.kind == "launch"
    return Failure(case, evidence, sentence, "more-lanes-than-the-block" if of_a_row else "wider-than-a-tile")


def _unrolled(case: Case, evidence: Evidence) -> Failure | None:
    """A failure if a walk has a load for each of its steps: it ends with the longest row that its text knows."""
    if not _beyond("loads", case.loads, evidence):
        return None
    loads = evidence.most("loads")
    sentence = fault("way", "right numbers, but the compiler makes {loads} loads of the kernel's text", loads=loads)
    return Failure(case, evidence, sentence, "unrolled-to-a-length")


def _beyond(count: str, limit: int | None, evidence: Evidence) -> bool:
    """Whether a launch counted more than a case allows; None allows all."""
    return limit is not None and evidence.most(count) > limit


def _traffic(case: Case, evidence: Evidence) -> Failure | None:
    """A failure if the traffic differs from the budget of the case."""
    if case.budget is None:
        return None
    read, written = case.budget
    spent = fault(
        "way",
        "right numbers, but it reads {read} elements (budget: {read2}) and writes {written} (budget: {written2})",
        read=evidence.read,
        read2=read,
        written=evidence.written,
        written2=written,
    )
    if evidence.read > read or evidence.written > written:
        if any(launch["shared"] for launch in evidence.launches):
            return Failure(case, evidence, spent, "stored-twice")
        kernels = {launch["kernel"] for launch in evidence.launches}
        mistake = "row-read-twice" if read < 2 * case.unit or case.each_once else "walks-too-many"
        if not case.each_once and (read >= 3 * case.unit or read > case.unit > 2 * (evidence.read - read)):
            mistake = "more-traffic"  # no whole walk more
        if evidence.written > written:
            mistake = "intermediate-stored"
        if any(name not in kernels for name, _, _ in evidence.rows):
            mistake = "more-traffic"  # PyTorch operations moved elements too
        return Failure(case, evidence, spent, mistake)
    read_less = evidence.read < (case.least_read if case.may_read_less else read)
    if read_less or (evidence.written < written and not case.may_write_less):
        return Failure(case, evidence, spent, "less-traffic")
    return None
