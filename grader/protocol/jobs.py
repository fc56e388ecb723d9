"""A job: the request of a judge to a zygote, which forks a runner for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """The request for one fork.

    seconds: time limit of the answer. device: "cpu" or "cuda". tools: whether g++ may run beside it, for CUDA kernels
    on the CPU. modules: modules of the course that the answer may import. imports: modules of PyTorch to import before
    the fork.
    """

    seconds: float
    device: str = "cpu"
    tools: bool = False
    modules: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
