"""The cases of an autotuned kernel that works in place (15.3). lessons/drivers/tuned.py plays the trials of a GPU."""

from __future__ import annotations

import torch

from ..checks import compare
from ..spec import Call, Case, Evidence
from . import softmax_function

CONFIGURATIONS, KINDS = 4, 2  # at least so many configurations, and so many values of ROWS and of num_warps among them


def case(label: str, x: torch.Tensor, which: int, gap: int = 0) -> Case:
    """inplace_softmax of a copy of x, where configuration number `which` is the fastest.

    gap: elements between the rows of the copy.
    """
    strides = {"x_stride": x.shape[1] + gap, "y_stride": x.shape[1] + gap}
    return Case(
        f"{label}, {len(x)}×{x.shape[1]}, configuration {which} is the fastest",
        Call("call", "check_tuned", (x, gap, which)),
        lambda evidence: compare.softmax(x, evidence.value),
        size=x.numel(),
        facts={"x": x, "block": softmax_function.block(x.shape[1])} | strides,
    )


def choices(x: torch.Tensor) -> Case:
    """What there is to choose from: the values of ROWS and of num_warps in the configurations of each launch."""

    def verify(evidence: Evidence) -> str | None:
        rows, warps, number = evidence.value
        if number >= CONFIGURATIONS and min(rows, warps) >= KINDS:
            return None
        if not number:
            return "no kernel with triton.autotune was launched"
        return f"{number} configurations, with {rows} values of ROWS and {warps} of num_warps"

    return Case(
        "the configurations",
        Call("call", "check_choices", (x,)),
        verify,
        size=1 << 20,
        facts={"choices": True},
    )


def tunings(x: torch.Tensor, longer: torch.Tensor, again: torch.Tensor) -> Case:
    """Three calls: each number of columns is tuned once. again: of the shape of x."""

    def verify(evidence: Evidence) -> str | None:
        said = ["tuned" if each else "not tuned" for each in evidence.value]
        if evidence.value == (True, True, False):
            return None
        few, more = x.shape[1], longer.shape[1]
        return f"rows of {few} are {said[0]}, rows of {more} {said[1]}, the first ones again {said[2]}"

    return Case(
        f"rows of {x.shape[1]}, of {longer.shape[1]}, and of {x.shape[1]} again",
        Call("call", "check_tunings", (x, longer, again)),
        verify,
        size=(1 << 20) + 1,
        facts={"tunings": True},
    )
