"""The cases of an autotuned kernel that works in place (15.3). lessons/drivers/tuned.py plays the trials of a GPU."""

from __future__ import annotations

import torch

from ..checks import compare
from ..sentence import fault, said
from ..spec import Call, Case, Evidence
from . import softmax_function

_COPIES = frozenset("copy_ clone _to_copy contiguous empty_like new_empty empty zero_ zeros zeros_like fill_".split())
CONFIGURATIONS, KINDS = 4, 2  # at least so many configurations, and so many values of ROWS and of num_warps among them


def case(label: str, x: torch.Tensor, which: int, gap: int = 0) -> Case:
    """inplace_softmax of a copy of x, where configuration number `which` is the fastest.

    gap: elements between the rows of the copy.
    """
    return Case(
        said(
            "{label}, {count}×{shape}, configuration {which} is the fastest",
            label=label,
            count=len(x),
            shape=x.shape[1],
            which=which,
        ),
        Call("call", "check_tuned", (x, gap, which)),
        lambda e: softmax_function.warps_fault(e) or compare.softmax(x, e.value) or softmax_function.idle_fault(e),
        size=x.numel(),
        facts={"x": x} | _layout(x, x.shape[1] + gap),
    )


def _layout(x: torch.Tensor, stride: int = 0) -> dict[str, int]:
    """Facts of a call with a copy of x. stride: elements from one row of the copy to the next; 0 for no gaps."""
    return {"block": softmax_function.block(x.shape[1])} | dict.fromkeys(("x_stride", "y_stride"), stride or x.shape[1])


def choices(x: torch.Tensor) -> Case:
    """What there is to choose from: the values of ROWS and of num_warps in the configurations of each launch."""

    def verify(evidence: Evidence) -> str | None:
        rows, warps, number = evidence.value
        if alike := _alike(evidence, len(x)):
            return said(
                "the launches with {alike} and with {alike2} for ROWS do the same", alike=alike[0], alike2=alike[1]
            )
        if number >= CONFIGURATIONS and min(rows, warps) >= KINDS:
            return None
        if not number:
            return said("no kernel with triton.autotune was launched")
        return said(
            "{number} different configurations; values of ROWS: {rows}, of num_warps: {warps}",
            number=number,
            rows=rows,
            warps=warps,
        )

    return Case(
        said("the configurations"),
        Call("call", "check_choices", (x,)),
        verify,
        size=1 << 20,
        facts={"choices": True},
    )


def _alike(evidence: Evidence, rows: int) -> tuple[int, int] | None:
    """Two values of ROWS, one below the number of rows, with as many programs and as large accesses."""
    seen = {launch["constants"]["ROWS"]: (launch["storing"], launch["widest"]) for launch in evidence.launches
            if type(launch["constants"].get("ROWS")) is int}  # fmt: skip
    same = len(seen) > 1 and len(set(seen.values())) == 1 and min(seen) < rows
    return (min(seen), max(seen)) if same else None


def traffic(x: torch.Tensor, which: int) -> Case:
    """A call without trials, where configuration number `which` is known to be the fastest.

    A kernel reads and writes as many elements as x has, and PyTorch copies at most.
    """

    def verify(evidence: Evidence) -> str | None:
        if sentence := compare.softmax(x, evidence.value):
            return sentence
        kernels = {launch["kernel"] for launch in evidence.launches}
        computed = [name for name, *_ in evidence.rows if name not in kernels | _COPIES]
        if computed:
            return fault("way", "right numbers, but PyTorch's {computed} works on them as well", computed=computed[0])
        read = sum(read for name, read, _ in evidence.rows if name in kernels)
        written = sum(written for name, _, written in evidence.rows if name in kernels)
        if max(read, written) <= x.numel():
            return None
        return fault(
            "way",
            "right numbers, but kernels read {read} elements of {numel} and write {written} of {numel}",
            read=read,
            numel=x.numel(),
            written=written,
        )

    return Case(
        said("{count}×{shape}, when nothing is left to try", count=len(x), shape=x.shape[1]),
        Call("call", "check_traffic", (x, which)),
        verify,
        size=(1 << 20) + 2,
        facts={"traffic": True, "x": x} | _layout(x),
    )


def tunings(x: torch.Tensor, longer: torch.Tensor, again: torch.Tensor, stride: int = 0) -> Case:
    """Three calls: each number of columns is tuned once. again: of the shape of x.

    stride: elements from one row to the next in all three, for gaps; 0 for none.
    """

    def verify(evidence: Evidence) -> str | None:
        states = [said("tuned") if each else said("not tuned") for each in evidence.value]
        if evidence.value == (True, True, False):
            return None
        few, more = x.shape[1], longer.shape[1]
        return said(
            "rows of {few} are {said}, rows of {more} {said2}, the first ones again {said3}",
            few=few,
            said=states[0],
            more=more,
            said2=states[1],
            said3=states[2],
        )

    return Case(
        said(
            "rows of {shape}, of {shape2}, and of {shape} again{value}",
            shape=x.shape[1],
            shape2=longer.shape[1],
            value=said(", {stride} elements apart", stride=stride) if stride else "",
        ),
        Call("call", "check_tunings", (stride, x, longer, again)),
        verify,
        size=(1 << 20) + 1,
        facts={"tunings": True, "x": x} | _layout(x, stride),
    )
