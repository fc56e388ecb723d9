"""Launchers of clusters.cu: a row of up to 2 MB in a thread block, or in a cluster of them; read once, written once.

They need an NVIDIA GPU of compute capability 9.0 or newer, where thread blocks of a cluster can write into each other's
shared memory, and CuPy, which compiles the text (NVRTC) and launches it. Triton has no word for that exchange.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import triton

from . import cuda_texts
from .launchers import LINE, VECTOR

REGISTERS, THREADS = 65536, 2048  # of a multiprocessor
MOST_BLOCKS = {9: 16, 10: 16}  # of a cluster, by the first number of the compute capability; all others promise 8


@dataclass(frozen=True)
class Shape:
    """How a row is divided: blocks of a cluster, threads of a block, vectors that a thread holds of each input."""

    blocks: int
    threads: int
    vectors: int

    def resident(self, inputs: int, aligned: bool) -> int:
        """The blocks that are to run on a multiprocessor at once: as many as the registers of the row allow."""
        registers = max(4 * self.vectors * inputs + (16 if aligned else 24), 56)
        return max(min(REGISTERS // (registers * self.threads), THREADS // self.threads), 1)


def shape(m: int, row_bytes: int, inputs: int, half: bool, multiprocessors: int, most_blocks: int = 16) -> Shape | None:
    """The division of m rows of row_bytes; a kernel holds 1 input (forward) or 2 (backward). None: too long a row.

    Each constant was the best, or within 2 % of it, of all divisions of some forty matrices on an H200.
    """
    vectors = triton.cdiv(row_bytes, VECTOR)
    widest = 512 if half else 1024  # threads of a block that holds a row alone
    # Where a block alone leaves no room for a second one, it must have nearly all registers for its loads.
    alone = inputs == 1 and (vectors <= 9 * widest or half and 15 * widest < vectors <= 16 * widest)
    blocks = 1 if alone else min(triton.next_power_of_2(triton.cdiv(vectors, 2048)), most_blocks)
    # Few rows: more blocks, so that all multiprocessors load. Below 8 KB a block they only wait for each other.
    while blocks < most_blocks and (
        2 * m * blocks <= 4 * multiprocessors and vectors >= 1024 * blocks
        or 2 * m * blocks <= multiprocessors and vectors >= 512 * blocks
    ):  # fmt: skip
        blocks *= 2
    piece = triton.cdiv(vectors, blocks)
    if m * blocks <= multiprocessors:
        held, widest = 4, 512
    elif m * blocks <= 4 * multiprocessors or blocks == 1 or inputs == 2 and half:
        held = 8
    else:
        held, widest = 16, 512
    needed = triton.next_power_of_2(triton.cdiv(piece, held))
    threads = min(max(needed, 64), widest if inputs == 1 else 256)
    divided = Shape(blocks, threads, triton.cdiv(piece, threads))
    return divided if divided.vectors <= 16 else None


def available(device: torch.device) -> bool:
    """Whether clusters.cu runs on a device."""
    return cuda_texts.can_compile(device, (9, 0))


def plan_forward(y: torch.Tensor, x: torch.Tensor, log: bool = False) -> Callable | None:
    """A function (y, x) that stores the softmax of rows with the layout of these, or its logarithm; None if it cannot.

    y and x: M×N, of float32, bfloat16 or float16, adjacent columns.
    """
    apart = (y.stride(0) - x.stride(0)) * x.element_size() % VECTOR and len(x) > 1
    if apart or (y.data_ptr() - x.data_ptr()) % VECTOR:
        return None  # vectors of a row of y would lie otherwise than those of x
    return _plan("forward", x, log, (y.stride(0), x.stride(0)))


def plan_backward(dx: torch.Tensor, y: torch.Tensor, dy: torch.Tensor, log: bool = False) -> Callable | None:
    """A function (dx, y, dy) that stores the gradient in dx. All are M×N and contiguous; None if it cannot."""
    if len({t.data_ptr() % VECTOR for t in (dx, y, dy)}) > 1:
        return None
    return _plan("backward", y, log, ())


def _plan(kernel: str, x: torch.Tensor, log: bool, strides: tuple[int, ...]) -> Callable | None:
    """A function of tensors that launches a kernel for matrices like x; None where none fits."""
    if not available(x.device):
        return None
    import numpy as np

    (m, n), size, device, inputs = x.shape, x.element_size(), x.device, 1 if kernel == "forward" else 2
    numbers = n * size, x.stride(0) * size, x.data_ptr()
    # The gradient of aligned 16-bit rows, compiled for these alone, spills half of its registers; for any rows none.
    aligned = kernel == "forward" and all(number % VECTOR == 0 for number in numbers)
    properties = torch.cuda.get_device_properties(device)
    # Where it is not `aligned`, the kernel counts vectors from the line in which a row begins.
    at_lines = all(number % LINE == 0 for number in numbers)
    row_bytes = n * size if aligned or at_lines else n * size + LINE
    most_blocks = MOST_BLOCKS.get(properties.major, 8)
    divided = shape(m, row_bytes, inputs, size == 2, properties.multi_processor_count, most_blocks)
    if divided is None:
        return None
    macros = {"HALF": cuda_texts.HALF[x.dtype], "LOG": int(log), "ALIGNED": int(aligned)}
    macros |= {"BLOCKS": divided.blocks, "THREADS": divided.threads, "VECTORS": divided.vectors}
    macros |= {"RESIDENT": divided.resident(inputs, aligned)}
    compiled = cuda_texts.function("clusters.cu", kernel, tuple(macros.items()), device, divided.blocks)
    arguments = (np.int32(n), *(np.int64(s) for s in strides), np.uint32(16))
    return cuda_texts.launcher(compiled, m * divided.blocks, divided.threads, arguments, device)
