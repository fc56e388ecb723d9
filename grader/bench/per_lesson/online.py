"""Lesson 08: the online kernel (8.4), the one-block kernel (5.2), PyTorch's softmax and a copy."""

from __future__ import annotations

import functools

from .. import gpu
from . import solution

WHAT = "Softmaxes of lessons 05 and 08 beside PyTorch's and a copy."
SHAPES = [(4096, 4096), (4096, 12672), (8192, 32768), (2048, 128256), (2048, 262144), (16, 1048576), (1, 4194304)]
WIDEST_BLOCK = 1 << 17  # columns; wider rows exceed the registers by far, and take minutes to compile


def backwards(text: str) -> str:
    """The text of the kernel with a second walk that begins at the end of the row."""
    head, tail = text.rsplit("cols = start + lanes", 1)
    return f"{head}cols = (n_cols - 1) // BLOCK * BLOCK - start + lanes{tail}"


def measure() -> list[dict]:
    """One row for each shape (M, N) and function: median time in µs."""
    import torch

    fused = solution.answer("5.2", "fused_softmax")
    online = solution.answer("8.4", "online_softmax")
    other_way = solution.answer("8.4", "online_softmax", backwards)
    rows = []
    for m, n in SHAPES:
        x = torch.randn(m, n, device="cuda")
        functions = {"online": online, "online, second walk backwards": other_way}
        if n <= WIDEST_BLOCK:
            functions["one block"] = fused
        for function in functions.values():
            torch.testing.assert_close(function(x), torch.softmax(x, dim=1))
        known = {"copy": torch.empty_like(x).copy_, "torch.softmax": functools.partial(torch.softmax, dim=1)}
        for what, function in (known | functions).items():
            time = gpu.microseconds(functools.partial(function, x))
            rows.append({"m": m, "n": n, "dtype": "float32", "what": what, "microseconds": time})
    return rows
