"""Launchers of clusters.cu: a row of 2 MB or more in a thread block, or in a cluster of them; read once, written once.

They need an NVIDIA GPU of compute capability 9.0 or newer, where thread blocks of a cluster can write into each other's
shared memory, and CuPy, which compiles the text (NVRTC) and launches it. Triton has no word for that exchange.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import triton

from ..gpus import GPUS
from . import cuda_texts
from .launchers import LINE, VECTOR

_OF_AN_H200 = GPUS["H200"].multiprocessor
REGISTERS, THREADS = _OF_AN_H200.registers, _OF_AN_H200.threads
SHARED = _OF_AN_H200.shared - _OF_AN_H200.reserved  # bytes of shared memory that a block may have
STATES = 6 * 1024  # of these, at most, for the states of a cluster and for CUDA itself
MOST_BLOCKS = {9: 16, 10: 16}  # of a cluster, by the first number of the compute capability; all others promise 8


@dataclass(frozen=True)
class Shape:
    """How a row is divided: blocks of a cluster, threads of a block, vectors that a thread holds of each input.

    vectors are held in registers, slots more in shared memory.
    """

    blocks: int
    threads: int
    vectors: int
    slots: int = 0

    def resident(self, inputs: int, aligned: bool, shared: int = SHARED) -> int:
        """The blocks that are to run on a multiprocessor at once: as many as it has registers and shared memory for."""
        registers = max(4 * self.vectors * inputs + (16 if aligned else 24), 56)
        fit = min(REGISTERS // (registers * self.threads), THREADS // self.threads)
        return max(min(fit, shared // (self.shared(inputs) + STATES)), 1)

    def shared(self, inputs: int) -> int:
        """Bytes of dynamic shared memory of a block."""
        return inputs * self.slots * self.threads * VECTOR


def forward_shape(m: int, row_bytes: int, half: bool, multiprocessors: int, most_blocks: int = 16) -> Shape | None:
    """The division of m rows of row_bytes; None: too long a row.

    Of all divisions of some hundred and forty matrices on an H200 this has the best or, on the mean, 0.985 of it.
    """
    vectors = triton.cdiv(row_bytes, VECTOR)
    widest = 512 if half else 1024  # threads of a block that holds a row alone
    many = m > 16 * multiprocessors
    # Where a block alone leaves no room for a second one, it must have nearly all registers for its loads.
    alone = vectors <= 9 * widest or half and many and 15 * widest < vectors <= 16 * widest
    blocks = _blocks(m, vectors, alone, 4 * multiprocessors, multiprocessors, most_blocks)
    if m * blocks <= multiprocessors:
        held, widest = 4, 512
    elif m * blocks <= 4 * multiprocessors:
        held = 8
    elif blocks == 1:
        held = 16 if half and m <= 32 * multiprocessors and 2048 < vectors <= 4096 else 8
    else:
        held, widest = 16, 512
    threads = _threads(vectors, blocks, held, 128, widest)
    divided = Shape(blocks, threads, triton.cdiv(triton.cdiv(vectors, blocks), threads))
    return divided if divided.vectors <= 16 else None


def backward_shape(
    m: int, row_bytes: int, half: bool, multiprocessors: int, most_blocks: int = 16, shared: int = SHARED
) -> Shape | None:
    """The same for the gradient, of which a block holds two inputs. shared: bytes that a block may have."""
    vectors = triton.cdiv(row_bytes, VECTOR)
    blocks = _blocks(m, vectors, False, 2 * multiprocessors, multiprocessors, most_blocks)
    few = m * blocks <= multiprocessors
    held = 4 if few else 8 if half or m * blocks <= 4 * multiprocessors or blocks == 1 else 16
    if half and vectors <= 512:
        held = min(held, 6)  # 64 threads with 8 vectors each took up to 6 % longer than 128 with 4
    threads = _threads(vectors, blocks, held, 64, 256)
    piece = triton.cdiv(vectors, blocks)
    in_all = triton.cdiv(piece, threads)
    if in_all <= (16 if threads < 256 else 13):
        return Shape(blocks, threads, in_all)
    # More in registers would leave room for one block on a multiprocessor, which loads or stores, never both.
    threads = 256 if in_all <= 20 else 512
    divided = Shape(blocks, threads, 8, triton.cdiv(piece, threads) - 8)
    return divided if divided.shared(inputs=2) + STATES <= shared else None


def _blocks(m: int, vectors: int, alone: bool, busy: int, multiprocessors: int, most_blocks: int) -> int:
    """Blocks of a cluster: more for few rows, so that `busy` blocks load at once; of 8 KB, or they only wait.

    Of 4 KB, and more than 8, only where half of the multiprocessors would have none.
    """
    blocks = 1 if alone else min(triton.next_power_of_2(triton.cdiv(vectors, 2048)), most_blocks)
    while blocks < most_blocks and (
        blocks < 8 and m * blocks <= busy and vectors >= 1024 * blocks
        or 2 * m * blocks <= multiprocessors and vectors >= 512 * blocks
    ):  # fmt: skip
        blocks *= 2
    return blocks


def _threads(vectors: int, blocks: int, held: int, least: int, most: int) -> int:
    return min(max(triton.next_power_of_2(triton.cdiv(triton.cdiv(vectors, blocks), held)), least), most)


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
    properties = torch.cuda.get_device_properties(device)
    # Where it is not `aligned`, the kernel counts vectors from the line in which a row begins.
    at_lines = all(number % LINE == 0 for number in numbers)
    most_blocks, shared = MOST_BLOCKS.get(properties.major, 8), properties.shared_memory_per_block_optin

    def divide(aligned: bool) -> Shape | None:
        row_bytes = n * size if aligned or at_lines else n * size + LINE
        common = m, row_bytes, size == 2, properties.multi_processor_count, most_blocks
        return forward_shape(*common) if inputs == 1 else backward_shape(*common, shared)

    aligned = all(number % VECTOR == 0 for number in numbers)
    divided = divide(aligned)
    if inputs == 2 and aligned and (divided is None or divided.vectors > 4):
        # More vectors, compiled for aligned 16-bit rows alone, spill half of the registers; for any rows, none.
        aligned, divided = False, divide(False)
    if divided is None:
        return None
    macros = {"HALF": cuda_texts.HALF[x.dtype], "LOG": int(log), "ALIGNED": int(aligned)}
    macros |= {"BLOCKS": divided.blocks, "THREADS": divided.threads, "VECTORS": divided.vectors}
    macros |= {"SLOTS": divided.slots, "RESIDENT": divided.resident(inputs, aligned, shared)}
    taken = divided.shared(inputs)
    compiled = cuda_texts.function("clusters.cu", kernel, tuple(macros.items()), device, divided.blocks, taken)
    arguments = (np.int32(n), *(np.int64(s) for s in strides), np.uint32(16))
    return cuda_texts.launcher(compiled, m * divided.blocks, divided.threads, arguments, device, taken)
