"""The cases of a softmax that chooses a kernel by shape and dtype.

Facts of a case with a matrix: x (M×N); block, x_stride and y_stride as `reference.softmax_function` has them; and alone
(whether many programs must share its only row). A case of an unfit input has `unfit`. A case about the choice of a
launcher has `choice`, the mistake of any other choice.
"""

from __future__ import annotations

import torch

from ..checks import compare, inputs
from ..gpus import JUDGED
from ..sentence import fault, said
from ..spec import Call, Case, Evidence
from . import softmax_function

ONE_PROGRAM = 8192  # columns that one program can hold on any device; a row of up to so many is read once
# Of one program at once: half the registers of a multiprocessor, because the computation takes registers as well.
MAX_ELEMENTS = JUDGED.multiprocessor.registers // 2
MIN_PROGRAMS = 32  # for a single very long row
OF_A_THREAD = 255  # registers, and so the numbers that a thread can hold at most
SHORT, MANY = 64, 64  # columns of a row that is too short for a program alone, where there are so many rows or more
CHOICES = "choices"  # the group of the cases about the choice of a launcher
REFUSALS = ("ValueError", "TypeError")
_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
# kernel of the shipped softmax -> the launcher that launches it
_LAUNCHERS = {
    "tile_kernel": "tile", "two_blocks_kernel": "two", "odd_kernel": "odd", "pair_row_kernel": "pairs",
    "partial_kernel": "split", "combine_kernel": "split", "shared_row_kernel": "shared", "online_kernel": "online",
}  # fmt: skip


def case(label: str, x: torch.Tensor, alone: bool = False, name: str = "softmax", own: bool = False) -> Case:
    """name(x), the softmax of a matrix. alone: x has one row, which is so long that many programs must share it.

    own: whether the kernels and their launches are the learner's, so that these are judged as well.
    """
    mn, n = x.numel(), x.shape[1]
    short, whole = n <= ONE_PROGRAM, x.is_contiguous()
    # The programs of a long row exchange states, for which the budget has half a matrix. A view may be copied first.
    read, written = (mn, mn) if short else (2 * mn + mn // 2, mn + mn // 4)
    budget = (read, written) if whole else (read + mn, written + mn)
    dtype = str(x.dtype).removeprefix("torch.")
    return Case(
        inputs.sized(label, len(x), n, dtype),
        Call("call", name, (x,)),
        lambda evidence: _fault(x, alone, evidence) or (_own_fault(x, evidence) if own else None),
        size=mn,
        dear=alone,
        budget=budget,
        may_read_less=not (short and whole),
        may_write_less=not (short and whole),
        unit=mn,
        interpreted_only=softmax_function.lowest(x),
        facts={"x": x, "block": softmax_function.block(n), "x_stride": x.stride(0), "y_stride": n, "alone": alone},
    )


def some_rows(x: torch.Tensor, rows: list[int], name: str) -> Case:
    """These rows of name(x), of a matrix of many long rows. Where each row has a program, only theirs run."""

    def verify(evidence: Evidence) -> str | None:
        if wrong := compare.kind(evidence.value, x):
            return wrong
        for row in rows:
            if wrong := compare.softmax(x[row : row + 1], evidence.value[row : row + 1]):
                return said("row {row}: {wrong}", row=row, wrong=wrong)
        return softmax_function.warps_fault(evidence) or _beyond_the_registers(evidence)

    return Case(
        said(
            "many long rows, {count}×{shape} {dtype}, of which {some} are looked at",
            count=len(x),
            shape=x.shape[1],
            dtype=str(x.dtype).removeprefix("torch."),
            some=len(rows),
        ),
        Call("call", name, (x,), few=(len(x), tuple(rows))),
        verify,
        size=x.numel(),
        dear=True,
        interpreted_only=True,
    )


def _fault(x: torch.Tensor, alone: bool, evidence: Evidence) -> str | None:
    """None if the softmax of x is right, by launches that suit its shape; else a sentence."""
    sentence = softmax_function.stored(x, evidence.value)
    if sentence:
        return sentence
    mistake, sentence = softmax_function.launch_fault(x, evidence)
    # A few long rows may take as many launches.
    if sentence and (x.shape[1] <= ONE_PROGRAM or mistake != "launch-per-row"):
        return sentence
    if short_row_read_twice(x, evidence):
        return fault(
            "way", "right numbers, but it reads {read} elements (budget: {numel})", read=evidence.read, numel=x.numel()
        )
    if sentence := _beyond_the_registers(evidence):
        return sentence
    if alone and (lanes := loaded_by_a_few(x, evidence)):
        return fault(
            "way",
            "right numbers, but launches of fewer than {MIN_PROGRAMS} programs at work load {lanes} numbers of {numel}",
            MIN_PROGRAMS=MIN_PROGRAMS,
            lanes=lanes,
            numel=x.numel(),
        )
    if alone and working_programs(evidence) < MIN_PROGRAMS:
        return fault(
            "way",
            "right numbers, but programs at work: {storing_programs}, expected {MIN_PROGRAMS} or more",
            storing_programs=working_programs(evidence),
            MIN_PROGRAMS=MIN_PROGRAMS,
        )
    return None


def _beyond_the_registers(evidence: Evidence) -> str | None:
    if widest(evidence) > MAX_ELEMENTS:
        return fault(
            "way", "right numbers, but a program holds {widest} elements at once", widest=f"{widest(evidence):,}"
        )
    return None


def _own_fault(x: torch.Tensor, evidence: Evidence) -> str | None:
    """None if the launches of the learner's own kernels suit x, whose softmax is right; else a sentence."""
    if held_by_a_thread(evidence) > OF_A_THREAD:
        return fault(
            "way",
            "right numbers, but a thread holds {held_by_a_thread} numbers, and has {OF_A_THREAD} registers",
            held_by_a_thread=held_by_a_thread(evidence),
            OF_A_THREAD=OF_A_THREAD,
        )
    if short_rows_alone(x, evidence):
        return fault(
            "way",
            "right numbers, but {storing_programs} programs share {count} rows of {shape}",
            storing_programs=storing_programs(evidence),
            count=len(x),
            shape=x.shape[1],
        )
    return None


def unfit(label: str, x, name: str = "softmax") -> Case:
    """An input that the function `name` does not promise to take: a refusal before any launch.

    For a tensor of another number of dimensions, and of a promised dtype, the right softmax is accepted as well.
    """
    right = x if isinstance(x, torch.Tensor) and x.dim() and x.dtype in _DTYPES else None

    def verify(evidence: Evidence) -> str | None:
        sentence = softmax_function.refused(right, evidence, label, REFUSALS)
        return sentence or (
            said("{label}: refused only when kernels had run", label=label) if refused_late(evidence) else None
        )

    return Case(
        said("not a matrix that it promises to take: {label}", label=label),
        Call("call", name, (x,)),
        verify,
        size=1 << 30,
        facts={"unfit": True},
        expects_error=True,
    )


def choice(m: int, n: int, dtype: torch.dtype, launchers: tuple[str, ...], mistake: str) -> Case:
    """The launcher for an M×N matrix on an NVIDIA GPU is one of these; any other is the mistake.

    A kernel of the answer's own is no choice: nothing runs here, so nothing tells how it would do.
    """
    name = str(dtype).removeprefix("torch.")

    def verify(evidence: Evidence) -> str | None:
        kernels = evidence.value if isinstance(evidence.value, list) else []
        if "own" in kernels:
            return said("a kernel of your own is launched here, and none of `pick` is chosen")
        chosen = dict.fromkeys(map(_LAUNCHERS.get, kernels))
        if kernels and set(chosen) <= set(launchers):
            return None
        return said(
            "right where it runs, but here it chose {value}", value=" and ".join(map(str, chosen)) or said("no kernel")
        )

    return Case(
        said("if this were an NVIDIA GPU: {m}×{n} {name}", m=m, n=n, name=name),
        Call("call", "check_choice", (m, n, name), dry=True),
        verify,
        size=m * n,
        group=CHOICES,
        facts={"choice": mistake},
        interpreted_only=True,
    )


def refused_late(evidence: Evidence) -> bool:
    """Whether the answer raised an error after it had launched kernels."""
    return bool(evidence.error and evidence.launches)


def widest(evidence: Evidence) -> int:
    """The most elements that an access of one program had."""
    return evidence.most("widest")


def storing_programs(evidence: Evidence) -> int:
    """The most programs of one launch that stored an element."""
    return evidence.most("storing")


def working_programs(evidence: Evidence) -> int:
    """The most programs of one launch that stored an element, and had a share of the loads."""
    return evidence.most("working")


def loaded_by_a_few(x: torch.Tensor, evidence: Evidence) -> int | None:
    """The numbers that launches load in which too few programs work for a long row, where they are many; else None."""
    lanes = sum(launch["lanes"] for launch in evidence.launches if launch["working"] < MIN_PROGRAMS)
    return lanes if 4 * lanes > x.numel() and working_programs(evidence) >= MIN_PROGRAMS else None


def held_by_a_thread(evidence: Evidence) -> int:
    """The most elements that one access of a program brings to each of its threads."""
    return max((each["widest"] // (32 * each["options"].get("num_warps", 4)) for each in evidence.launches), default=0)


def short_rows_alone(x: torch.Tensor, evidence: Evidence) -> bool:
    """Whether more than half as many programs as there are rows stored a matrix of many short rows."""
    return x.shape[1] <= SHORT and len(x) >= MANY and 2 * storing_programs(evidence) > len(x)


def short_row_read_twice(x: torch.Tensor, evidence: Evidence) -> bool:
    """Whether a contiguous x, each of whose rows one program can hold, was read twice and written once."""
    short = x.shape[1] <= ONE_PROGRAM and x.is_contiguous()
    return short and not evidence.error and evidence.read / x.numel() >= 2 and evidence.written / x.numel() < 1.25
