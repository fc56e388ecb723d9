"""What is asked of a softmax that picks a kernel by shape and dtype, and what its choice can get wrong."""

from __future__ import annotations

import torch

from .. import compare, wrappers
from ..exercise import Answer, Call, Case, Evidence

ONE_PROGRAM = 8192  # columns that a program can hold whatever the device: up to here a row is read once
REGISTERS = 65536  # of a multiprocessor, 32 bits each
PROGRAMS = 32  # at least, for a row that is alone
_FITTING = ("ValueError", "TypeError")


def case(label: str, x: torch.Tensor, alone: bool = False) -> Case:
    """softmax(x) for a matrix. alone: its only row is so long that many programs must share it."""
    mn, n = x.numel(), x.shape[1]
    short, whole = n <= ONE_PROGRAM, x.is_contiguous()
    # A view may be copied first. What a long row's programs tell each other is worth half a matrix more.
    read, written = (mn, mn) if short else (2 * mn + mn // 2, mn + mn // 4)
    budget = (read, written) if whole else (read + mn, written + mn)

    def verify(evidence: Evidence) -> str | None:
        sentence = compare.softmax(x, evidence.value)
        fault, odd = wrappers.launch_fault(x, evidence)
        if not sentence and (short or fault != "launch-per-row"):  # a few long rows may take as many launches
            sentence = odd
        if not sentence and _widest(evidence) > REGISTERS:
            sentence = f"right numbers, but a program holds {_widest(evidence):,} elements at once"
        if not sentence and alone and _programs(evidence) < PROGRAMS:
            sentence = f"right numbers, but programs at work: {_programs(evidence)}, expected {PROGRAMS} or more"
        return sentence

    dtype = str(x.dtype).removeprefix("torch.")
    return Case(
        f"{label}, {len(x)}×{n} {dtype}",
        Call("call", "softmax", (x,)),
        verify,
        size=mn,
        budget=budget,
        may_read_less=not (short and whole),
        may_write_less=not (short and whole),
        unit=mn,
        facts={"x": x, "block": wrappers.block(n), "x_stride": x.stride(0), "y_stride": n, "alone": alone},
    )


def unfit(label: str, x) -> Case:
    """What is no matrix of floating-point numbers: refused with a sentence, or, if it has a softmax, right."""
    right = x if isinstance(x, torch.Tensor) and x.dim() else None
    return Case(
        f"not a matrix that it promises to take: {label}",
        Call("call", "softmax", (x,)),
        verify=lambda e: wrappers.refused(right, e, label, _FITTING),
        size=1 << 30,
        facts={"unfit": True},
        expects_error=True,
    )


def _widest(evidence: Evidence) -> int:
    """The most elements that an access of one program had."""
    return max((launch["widest"] for launch in evidence.launches), default=0)


def _programs(evidence: Evidence) -> int:
    """The most programs of a launch that stored something."""
    return max((launch["storing"] for launch in evidence.launches), default=0)


def _refused(test):
    """Matches where a matrix that should be taken was refused, and test holds for it."""

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        error, x = evidence.error, case.facts.get("x")
        meant = error is not None and "raise" in error["line"] and set(_FITTING) & set(error["kinds"])
        return x is not None and bool(meant) and test(x)

    return detect


PICK = (
    ("unfit-accepted", lambda c, e, a: c.facts.get("unfit") and e.error is None),
    ("unfit-accident", lambda c, e, a: c.facts.get("unfit") and bool(e.error)),
    ("half-refused", _refused(lambda x: x.element_size() == 2)),
    ("view-refused", _refused(lambda x: not x.is_contiguous())),
    ("beyond-the-registers", lambda c, e, a: not e.error and _widest(e) > REGISTERS),
    ("too-few-programs", lambda c, e, a: c.facts.get("alone") and not e.error and _programs(e) < PROGRAMS),
    *wrappers.WRAPPER,
)
