"""Launchers of short_rows.cu: contiguous rows of up to 1200 bytes that begin anywhere; read once, written once.

Triton moves such rows an element at a time, since none of its blocks begins and ends at 16 bytes. They need an NVIDIA
GPU of compute capability 8.0 or newer, which copies to shared memory without registers, and CuPy.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton

from . import cuda_texts
from .launchers import VECTOR

LONGEST = 1200  # bytes of a row; other kernels are as fast above
THREADS = 128
TILE = 16384  # bytes of the rows of a block, about: with more, fewer blocks fit
RESIDENT = {"forward": 9, "backward": 6}  # blocks of a multiprocessor at once, for which the compiler leaves registers
A_THREAD = 16  # words of 4 bytes of a row that a thread holds at least, before another one takes part
HELD = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16)  # words a thread for which kernels are compiled


def available(device: torch.device) -> bool:
    """Whether short_rows.cu runs on a device."""
    return cuda_texts.can_compile(device, (8, 0))


def fits(*tensors: torch.Tensor) -> bool:
    """Whether the rows of all tensors (M×N) are short, follow each other, and start at a multiple of 16 bytes."""
    return all(
        t.shape[1] * t.element_size() <= LONGEST and t.is_contiguous() and t.data_ptr() % VECTOR == 0 for t in tensors
    ) and available(tensors[0].device)  # fmt: skip


def division(n: int, size: int) -> tuple[int, int, int]:
    """(threads of a row, words that each holds, rows of a block) for rows of n elements of `size` bytes."""
    words = triton.cdiv(n * size, 4)
    lanes = min(triton.next_power_of_2(triton.cdiv(words, A_THREAD)), 32)
    held = next(h for h in HELD if h * lanes >= words)
    step = max(THREADS // lanes, VECTOR // size)  # both are powers of two
    return lanes, held, step * max(TILE // (step * n * size), 1)


def plan(kernel: str, x: torch.Tensor, log: bool) -> Callable:
    """A function of tensors (y, x) or (dx, y, dy) that runs "forward" or "backward" on matrices like x."""
    (m, n), size = x.shape, x.element_size()
    lanes, held, rows = division(n, size)
    macros = {"HALF": cuda_texts.HALF[x.dtype], "LOG": int(log), "THREADS": THREADS}
    macros |= {"LANES": lanes, "EACH": held, "ROWS": rows, "RESIDENT": RESIDENT[kernel]}
    compiled = cuda_texts.function("short_rows.cu", kernel, tuple(macros.items()), x.device)
    import numpy as np

    numbers, tensors_held = (np.int64(m), np.int32(n)), 1 if kernel == "forward" else 2
    shared = tensors_held * rows * n * size
    return cuda_texts.launcher(compiled, triton.cdiv(m, rows), THREADS, numbers, x.device, shared)
