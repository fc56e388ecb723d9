"""The device's side of lesson 14.1: a simulated GPU that an answer asks for the time, over the wire."""

from __future__ import annotations

import torch

from ..sentence import said
from ..simulated import Device


class Clock:
    """A simulated GPU, the matrix that a call of it copies, and the peak of its memory.

    shape, dtype: of the matrix. seconds, disturbed, seed: as in grader.simulated.Device. peak: GB/s.
    """

    def __init__(self, shape: tuple[int, int], dtype: str, seconds: float, disturbed: int, peak: float, seed: int):
        self._device, self._peak = Device(seconds, disturbed, seed), peak
        self._matrix = torch.empty(shape, dtype=getattr(torch, dtype))

    @property
    def timed(self) -> list:
        """The timed intervals, as grader.simulated.Device has them."""
        return self._device.timed

    def ask(self, name: str, args: list):
        """The answer to one question. Raises TypeError for other arguments than a GPU's clock takes."""
        if name == "matrix":
            return self._matrix
        if name in ("now", "synchronize", "clear_cache"):
            self._expect(name, args, [])
            return getattr(self._device, name)()
        if name not in ("run", "peak"):
            raise TypeError(said("the clock does not know {name}", name=name))
        self._expect(said("the function to measure") if name == "run" else name, args, [self._matrix])
        return self._device.run(self._matrix) if name == "run" else self._peak

    def _expect(self, name: str, args: list, wanted: list) -> None:
        if len(args) != len(wanted) or any(a is not b and not _same(a, b) for a, b in zip(args, wanted)):
            raise TypeError(
                said("{name} was called with other arguments than it takes: x and nothing else", name=name)
                if wanted
                else said("{name} was called with other arguments than it takes: no arguments", name=name)
            )


def _same(a, b: torch.Tensor) -> bool:
    """Whether two tensors are the same numbers in memory."""
    return isinstance(a, torch.Tensor) and a.dtype == b.dtype and a.shape == b.shape and a.data_ptr() == b.data_ptr()
