"""A job: the request of a judge to a zygote, which forks a runner for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Job:
    """The request for one answer.

    seconds: of CPU time, at most, in each of its processes. apart: whether its numbers live on a device, a process of
    their own. elsewhere: whether a tensor made without `device=` is on another device than its inputs there, as it is
    where there is a GPU. gpu: whether it may use the GPU. tools: whether g++ may run beside the device, for CUDA
    kernels on the CPU. assembles: whether the tools of Triton's wheel may run, for kernels that arrive as text; such a
    job has no answer. modules: modules of the course that the answer may import. imports: others to import before the
    fork. raced: "host" for the process of an answer's Python alone, whose channel leads to its device; "device" for a
    device that has the GPU and the clock (timing/timekeeper.py), and gets the other end of that channel too.
    """

    seconds: float
    apart: bool = False
    elsewhere: bool = False
    gpu: bool = False
    tools: bool = False
    assembles: bool = False
    modules: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    raced: Literal["", "host", "device"] = ""
