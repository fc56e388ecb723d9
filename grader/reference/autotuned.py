"""The cases of an autotuned kernel that works in place (15.3). lessons/drivers/tuned.py plays the trials of a GPU."""

from __future__ import annotations

import torch

from ..checks import compare
from ..sentence import fault, said
from ..spec import Call, Case, Evidence, Launch
from . import softmax_function

_COPIES = frozenset("copy_ clone _to_copy contiguous empty_like new_empty empty zero_ zeros zeros_like fill_".split())
CONFIGURATIONS, KINDS = 4, 2  # at least so many configurations, and so many values of ROWS and of num_warps among them


def case(label: str, x: torch.Tensor, which: int) -> Case:
    """inplace_softmax(x), where configuration number `which` is the fastest."""
    return Case(
        said(
            "{label}, {count}×{shape}, configuration {which} is the fastest",
            label=label,
            count=len(x),
            shape=x.shape[1],
            which=which,
        ),
        Call("call", "check_tuned", (x, which)),
        lambda e: softmax_function.warps_fault(e) or compare.softmax(x, e.args[0]) or softmax_function.idle_fault(e),
        size=x.numel(),
        in_place=True,
        facts={"x": x} | _layout(x),
    )


def _layout(x: torch.Tensor) -> dict[str, int]:
    """Facts about the memory of x."""
    return {"block": softmax_function.block(x.shape[1])} | dict.fromkeys(("x_stride", "y_stride"), x.stride(0))


def tried(evidence: Evidence, x: torch.Tensor) -> list[Launch]:
    """The launches, one for each configuration; none if they stored less than all of x each.

    x: the tensor that they work on.
    """
    kernels = {launch["kernel"] for launch in evidence.launches}
    stored = sum(written for name, _, written in evidence.rows if name in kernels)
    if stored < len(evidence.launches) * x.numel():
        return []
    return list({repr((launch["constants"], launch["options"])): launch for launch in evidence.launches}.values())


def choices(x: torch.Tensor) -> Case:
    """What there is to choose from: the values of ROWS and of num_warps in the launches that stored all of x."""

    def verify(evidence: Evidence) -> str | None:
        if alike := _alike(evidence, len(x)):
            return said(
                "the launches with {alike} and with {alike2} for ROWS do the same", alike=alike[0], alike2=alike[1]
            )
        launched = tried(evidence, x)
        rows = {repr(launch["constants"].get("ROWS")) for launch in launched}
        warps = {launch["options"].get("num_warps", 4) for launch in launched}
        if len(launched) >= CONFIGURATIONS and min(len(rows), len(warps)) >= KINDS:
            return compare.softmax(x, evidence.args[0])
        if len(launched) < 2:
            return said("no kernel was tried in more than one configuration")
        return said(
            "{number} different configurations; values of ROWS: {rows}, of num_warps: {warps}",
            number=len(launched),
            rows=len(rows),
            warps=len(warps),
        )

    return Case(
        said("the configurations"),
        Call("call", "check_choices", (x,)),
        verify,
        size=1 << 20,
        in_place=True,
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
        if sentence := compare.softmax(x, evidence.args[0]):
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
        in_place=True,
        facts={"traffic": True, "x": x} | _layout(x),
    )


def tunings(x: torch.Tensor, longer: torch.Tensor, again: torch.Tensor) -> list[Case]:
    """Three calls, one after another: each number of columns is tuned once. again: of the shape and strides of x."""
    apart = said(", {stride} elements apart", stride=x.stride(0)) if x.stride(0) > longer.shape[1] else ""
    labels = (
        said("rows of {n}{apart}, for the first time", n=x.shape[1], apart=apart),
        said("then rows of {n}{apart}", n=longer.shape[1], apart=apart),
        said("then rows of {n}{apart} once more", n=x.shape[1], apart=apart),
    )
    return [_tuning(label, each, place) for place, (label, each) in enumerate(zip(labels, (x, longer, again)))]


def _tuning(label: str, x: torch.Tensor, place: int) -> Case:
    """One of the three calls: the first two try several configurations, and the third one does not."""

    def verify(evidence: Evidence) -> str | None:
        several = len(tried(evidence, x)) > 1
        if several and place == 2:
            return said("rows of {n} were tuned before, and are tuned again", n=x.shape[1])
        if not several and place < 2:
            return said("rows of {n} are not tuned", n=x.shape[1])
        return compare.softmax(x, evidence.args[0])

    return Case(
        label,
        Call("call", "check_tunings", (x, place == 0)),
        verify,
        size=(1 << 20) + 1,
        in_place=True,
        facts={"tunings": True, "x": x} | _layout(x),
    )
