"""Lesson 02: the five passes (1.1), the fused kernel (5.2) and a copy."""

from __future__ import annotations

import functools

from .. import gpu
from . import solution

WHAT = "The five passes and the fused kernel beside a copy; elements as counted in lessons 01 and 02."
SHAPES = [(256, 256), (1024, 512), (4096, 781), (4096, 2048), (4096, 8192), (8192, 16384), (16384, 16384)]


def measure() -> list[dict]:
    """One row for each shape (M, N) and function: median time in µs, and the elements that it reads and writes."""
    import torch

    five = solution.answer("1.1", "naive_softmax")
    fused = solution.answer("5.2", "fused_softmax")
    rows = []
    for m, n in SHAPES:
        x = torch.randn(m, n, device="cuda")
        for function in (fused, five):
            torch.testing.assert_close(function(x), torch.softmax(x, dim=1))
        for what, run, read, written in [
            ("copy", functools.partial(torch.empty_like(x).copy_, x), m * n, m * n),
            ("five passes", functools.partial(five, x), 5 * m * n + 2 * m, 3 * m * n + 2 * m),
            ("fused", functools.partial(fused, x), m * n, m * n),
        ]:
            row = {"m": m, "n": n, "dtype": "float32", "what": what, "microseconds": gpu.microseconds(run)}
            rows.append(row | {"read": read, "written": written})
    return rows
