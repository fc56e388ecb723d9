"""Launchers of losses.cu: losses of many rows. They need an NVIDIA GPU of compute capability 8.0 or newer, and CuPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import triton

from . import cuda_texts
from .launchers import VECTOR

REGISTERS = 64  # of a thread


@dataclass(frozen=True)
class Division:
    """How rows are divided.

    threads: of a block. a_row: of a row. vectors: of a tile that a thread has. times: rows that it has in turn.
    """

    threads: int
    a_row: int
    vectors: int
    times: int

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return self.threads // self.a_row * self.times


def division(n: int, size: int) -> Division:
    """The division of rows of n logits of `size` bytes: a warp has a row, or where it is long, four warps."""
    return Division(256, 32, 4, 2) if n * size <= 4096 else Division(128, 128, 4, 1)


def plan(loss: torch.Tensor, x: torch.Tensor, settings) -> tuple[Callable[..., None], int] | None:
    """(a function (losses, states, parts, x, targets), its blocks) for tensors like these; None where it cannot."""
    if not cuda_texts.can_compile(x.device, (8, 0)):
        return None
    return start(division(x.shape[1], x.element_size()), loss, x, settings)


def start(divided: Division, loss: torch.Tensor, x: torch.Tensor, settings) -> tuple[Callable[..., None], int]:
    """The same, divided so."""
    import numpy as np

    (m, n), size = x.shape, x.element_size()
    aligned = x.data_ptr() % VECTOR == x.stride(0) * size % VECTOR == n * size % VECTOR == 0
    macros = {"HALF": cuda_texts.HALF[x.dtype], "ALIGNED": int(aligned), "THREADS": divided.threads}
    macros |= {"A_ROW": divided.a_row, "VECTORS": divided.vectors, "TIMES": divided.times}
    macros |= {"REDUCED": int(settings.reduced), "SMOOTH": int(settings.smooth)}
    macros["WIDE"] = int(loss.dtype == torch.float32)
    macros["RESIDENT"] = 65536 // (REGISTERS * divided.threads)
    compiled = cuda_texts.function("losses.cu", "forward", tuple(macros.items()), x.device)
    numbers = np.int64(m), np.int32(n), np.int64(x.stride(0)), np.int64(settings.ignore), np.float32(settings.smoothing)
    blocks = triton.cdiv(m, divided.rows)
    return cuda_texts.launcher(compiled, blocks, divided.threads, numbers, x.device), blocks
