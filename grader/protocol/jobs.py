"""A job: what a judge asks of a zygote, which forks a runner for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """One fork.

    seconds: that the answer may run. device: "cpu" or "cuda". tools: whether g++ runs beside it, for CUDA on the CPU.
    modules: of the course, those that the answer may import. imports: of PyTorch, those to import before the fork.
    """

    seconds: float
    device: str = "cpu"
    tools: bool = False
    modules: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
