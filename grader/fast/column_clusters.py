"""Launchers of column_clusters.cu: a tile of columns in a thread block, or a cluster of them; read once, written once.

They need an NVIDIA GPU of compute capability 8.0 or newer (9.0 for clusters), and CuPy, which compiles the text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import triton

from . import cuda_texts
from .clusters import MOST_BLOCKS, REGISTERS

WORD = 4  # bytes
ALONE = 256  # threads of a block that holds columns without others; longer ones need a cluster of blocks


@dataclass(frozen=True)
class Division:
    """How columns are divided.

    wide: words that a thread moves at once. lanes: threads side by side. threads: of a block. steps: of its columns
    that a thread holds of each input. blocks: of a cluster.
    """

    wide: int
    lanes: int
    threads: int
    steps: int
    blocks: int

    def resident(self, inputs: int) -> int:
        """The blocks that are to run on a multiprocessor at once: as many as it has registers for."""
        registers = max(2 * self.steps * self.wide * inputs, 64)
        return max(min(REGISTERS // (registers * self.threads), 32), 1)


def division(
    outer: int, n: int, inner: int, size: int, wide: int, inputs: int, multiprocessors: int, most_blocks: int
) -> Division | None:
    """The division of outer × n × inner elements of `size` bytes, `wide` words at once; None: too long columns.

    Of some 1,100 divisions of seven tensors, of two dtypes, on an H200 this has 0.98 of the best on the mean.
    """
    most = 64 // (wide * inputs)  # steps; with more, too few threads fit
    segment = 256 if n <= 64 else 128  # bytes side by side: less than a line of the cache takes twice the time
    lanes = min(segment // (wide * WORD), triton.next_power_of_2(triton.cdiv(inner * size, wide * WORD)), 32)
    needed = triton.next_power_of_2(triton.cdiv(n, most // 2)) * lanes
    if needed > ALONE:
        needed = triton.next_power_of_2(triton.cdiv(n, most)) * lanes
    needed = max(needed, 32)
    threads = needed if needed <= ALONE or most_blocks == 1 else 128
    threads = max(threads, needed // most_blocks)
    blocks = max(needed // threads, 1)
    tiles = outer * triton.cdiv(inner * size, lanes * wide * WORD)
    while 2 * blocks <= most_blocks and tiles * blocks < multiprocessors and n >= 8 * blocks * (threads // lanes):
        blocks *= 2  # of few columns, so that no multiprocessor is without any
    if threads > 512:
        return None
    return Division(wide, lanes, threads, triton.cdiv(n, blocks * (threads // lanes)), blocks)


def plan(kernel: str, x: torch.Tensor, lies, unit: int, log: bool) -> Callable[..., None] | None:
    """A function of tensors (y, x) or (dx, y, dy) that runs "forward" or "backward"; None where it cannot.

    lies: outer, n and inner of all tensors. unit: elements at whose multiples every step of all tensors begins.
    """
    wide = min(unit * x.element_size() // WORD, 2)  # with 4, what a thread knows of its columns takes more registers
    if not wide or not cuda_texts.can_compile(x.device, (8, 0)):
        return None
    properties = torch.cuda.get_device_properties(x.device)
    most_blocks = 1 if properties.major < 9 else MOST_BLOCKS.get(properties.major, 8)
    inputs = 1 if kernel == "forward" else 2
    common = x.element_size(), wide, inputs, properties.multi_processor_count, most_blocks
    divided = division(lies.outer, lies.n, lies.inner, *common)
    return divided and start(kernel, divided, x, lies, log)


def start(kernel: str, divided: Division, x: torch.Tensor, lies, log: bool) -> Callable[..., None]:
    """The same, divided so."""
    import numpy as np

    inputs = 1 if kernel == "forward" else 2
    macros = {"HALF": cuda_texts.HALF[x.dtype], "LOG": int(log), "WIDE": divided.wide, "LANES": divided.lanes}
    macros |= {"THREADS": divided.threads, "STEPS": divided.steps, "BLOCKS": divided.blocks}
    macros["RESIDENT"] = divided.resident(inputs)
    compiled = cuda_texts.function("column_clusters.cu", kernel, tuple(macros.items()), x.device, divided.blocks)
    tiles = triton.cdiv(lies.inner * x.element_size(), divided.lanes * divided.wide * WORD)
    numbers = np.int32(lies.n), np.int32(tiles), np.int64(lies.inner), np.uint32(16)
    grid = lies.outer * tiles * divided.blocks
    return cuda_texts.launcher(compiled, grid, divided.threads, numbers, x.device)
