"""What is asked of a softmax that picks a kernel by shape and dtype, and what its choice can get wrong."""

from __future__ import annotations

import re

import torch

from ..checks import compare, syntax
from ..reference import softmax_function
from ..spec import Answer, Call, Case, Detector, Evidence
from .detectors import both, written
from .softmax.function import WRAPPER

ONE_PROGRAM = 8192  # columns that a program can hold whatever the device: up to here a row is read once
REGISTERS = 65536  # of a multiprocessor, 32 bits each
ROOM = REGISTERS // 2  # for a row: computing takes some as well
PROGRAMS = 32  # at least, for a row that is alone
CHOICES = "choices"  # the group of cases that ask which launcher is called
_FITTING = ("ValueError", "TypeError")
_PROMISED = (torch.float32, torch.float16, torch.bfloat16)
# The kernels that are shipped, and the launcher that launches them.
_LAUNCHERS = {
    "tile_kernel": "tile", "two_blocks_kernel": "two", "odd_kernel": "odd", "pair_row_kernel": "pairs",
    "partial_kernel": "split", "combine_kernel": "split", "shared_row_kernel": "shared", "online_kernel": "online",
}  # fmt: skip


def case(label: str, x: torch.Tensor, alone: bool = False) -> Case:
    """softmax(x) for a matrix. alone: its only row is so long that many programs must share it."""
    mn, n = x.numel(), x.shape[1]
    short, whole = n <= ONE_PROGRAM, x.is_contiguous()
    # A view may be copied first. What a long row's programs tell each other is worth half a matrix more.
    read, written = (mn, mn) if short else (2 * mn + mn // 2, mn + mn // 4)
    budget = (read, written) if whole else (read + mn, written + mn)

    def verify(evidence: Evidence) -> str | None:
        sentence = compare.softmax(x, evidence.value)
        fault, odd = softmax_function.launch_fault(x, evidence)
        if not sentence and (short or fault != "launch-per-row"):  # a few long rows may take as many launches
            sentence = odd
        if not sentence and _read_twice(this, evidence, None):
            sentence = f"right numbers, but it reads {evidence.read} elements of {mn}"
        if not sentence and _widest(evidence) > ROOM:
            sentence = f"right numbers, but a program holds {_widest(evidence):,} elements at once"
        if not sentence and alone and _programs(evidence) < PROGRAMS:
            sentence = f"right numbers, but programs at work: {_programs(evidence)}, expected {PROGRAMS} or more"
        return sentence

    dtype = str(x.dtype).removeprefix("torch.")
    this = Case(
        f"{label}, {len(x)}×{n} {dtype}",
        Call("call", "softmax", (x,)),
        verify,
        size=mn,
        budget=budget,
        may_read_less=not (short and whole),
        may_write_less=not (short and whole),
        unit=mn,
        facts={"x": x, "block": softmax_function.block(n), "x_stride": x.stride(0), "y_stride": n, "alone": alone},
    )
    return this


def unfit(label: str, x) -> Case:
    """What is no such matrix: refused with a sentence; or right, if only the number of its dimensions is another."""
    right = x if isinstance(x, torch.Tensor) and x.dim() and x.dtype in _PROMISED else None

    def verify(evidence: Evidence) -> str | None:
        sentence = softmax_function.refused(right, evidence, label, _FITTING)
        return sentence or (f"{label}: refused only when kernels had run" if _too_late(evidence) else None)

    return Case(
        f"not a matrix that it promises to take: {label}",
        Call("call", "softmax", (x,)),
        verify,
        size=1 << 30,
        facts={"unfit": True},
        expects_error=True,
    )


def choice(m: int, n: int, dtype: torch.dtype, launchers: tuple[str, ...], mistake: str) -> Case:
    """Which launcher a matrix goes to on an NVIDIA GPU; mistake: what it is to choose another one.

    Kernels of the answer's own are welcome: what they do is seen where they run.
    """
    name = str(dtype).removeprefix("torch.")

    def verify(evidence: Evidence) -> str | None:
        kernels = evidence.value if isinstance(evidence.value, list) else []
        chosen = dict.fromkeys(_LAUNCHERS.get(kernel) for kernel in kernels if kernel != "own")
        if kernels and set(chosen) <= set(launchers):
            return None
        return f"right where it runs, but here it chose {' and '.join(map(str, chosen)) or 'no kernel'}"

    return Case(
        f"if this were an NVIDIA GPU: {m}×{n} {name}",
        Call("call", "check_choice", (m, n, name)),
        verify,
        size=m * n,
        group=CHOICES,
        facts={"choice": mistake},
        interpreted_only=True,
    )


def _too_late(evidence: Evidence) -> bool:
    return bool(evidence.error and evidence.launches)


def _widest(evidence: Evidence) -> int:
    """The most elements that an access of one program had."""
    return max((launch["widest"] for launch in evidence.launches), default=0)


def _programs(evidence: Evidence) -> int:
    """The most programs of a launch that stored something."""
    return max((launch["storing"] for launch in evidence.launches), default=0)


def _refused(test):
    """Matches where a matrix that should be taken was refused, and test holds for it."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        error, x = evidence.error, case.facts.get("x")
        meant = error is not None and "raise" in error["line"] and set(_FITTING) & set(error["kinds"])
        return x is not None and bool(meant) and test(x)

    return detect


def _meant(error: dict | None) -> bool:
    """Whether an error comes from a line that is there to stop."""
    return error is not None and bool(re.search(r"\b(raise|assert)\b", error["line"]))


@Detector
def _unfit(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return "unfit" in case.facts


@Detector
def _read_twice(case: Case, evidence: Evidence, answer: Answer | None) -> bool:
    """A row that one program can hold was read twice, and little more than the result was written."""
    x = case.facts.get("x")
    short = x is not None and x.shape[1] <= ONE_PROGRAM and x.is_contiguous()
    return short and not evidence.error and 2 <= evidence.read / case.unit and evidence.written / case.unit < 1.25


@Detector
def _no_launcher(case: Case, evidence: Evidence, answer: Answer) -> bool:
    message = (evidence.error or {"message": ""})["message"]
    return bool(re.search(r"'(NoneType|str|tuple|bool)' object is not callable", message))


def _choice(mistake: str):
    return mistake, Detector(lambda c, e, a: c.facts.get("choice") == mistake and not e.error)


PICK = (
    ("noticed-only", both(_unfit, written(syntax.prints_only))),
    ("unfit-accepted", Detector(lambda c, e, a: c.facts.get("unfit") and e.error is None)),
    ("unfit-without-a-word", Detector(lambda c, e, a: c.facts.get("unfit") and _meant(e.error) and not _too_late(e))),
    ("unfit-accident", Detector(lambda c, e, a: c.facts.get("unfit") and bool(e.error))),
    ("not-a-launcher", _no_launcher),
    *(_choice(mistake) for mistake in ("row-not-held", "vectors-unused", "pairs-unused", "sharing-unused")),
    ("row-read-twice", _read_twice),
    ("half-refused", _refused(lambda x: x.element_size() == 2)),
    ("view-refused", _refused(lambda x: not x.is_contiguous())),
    ("beyond-the-registers", Detector(lambda c, e, a: not e.error and _widest(e) > ROOM)),
    _choice("beyond-the-registers"),
    ("too-few-programs", Detector(lambda c, e, a: c.facts.get("alone") and not e.error and _programs(e) < PROGRAMS)),
    *WRAPPER,
)
