"""What a function tells PyTorch of the card that it runs on, and no order follows from.

Names of ranges for a profiler, the current stream, and the device of its own input: on a GPU each of them changes
nothing, and without one PyTorch refuses them. A stream of one's own stays refused: the device has one.
"""

from __future__ import annotations

import contextlib

import torch
from torch.cuda import nvtx

from .handles import HERE


class _Stream:
    """The stream of all orders. cuda_stream: its address, which is that of CUDA's default stream."""

    cuda_stream = 0


class _Device(torch.cuda.device):
    """torch.cuda.device, which also takes the device of an input."""

    def __init__(self, device):
        super().__init__(-1 if device == HERE else device)


def pretend() -> None:
    """From now on, this process takes such calls, as a process with a GPU does."""
    only, made = _Stream(), torch.cuda.stream
    torch.cuda.current_stream = torch.cuda.default_stream = lambda device=None: only
    torch.cuda.stream = lambda stream: contextlib.nullcontext() if stream is only else made(stream)
    torch.cuda.device = _Device
    for name in ("mark", "range_push", "range_pop", "range_start", "range_end"):
        setattr(nvtx, name, lambda *words, **more: 0)
