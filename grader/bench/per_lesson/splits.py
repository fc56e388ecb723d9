"""Lesson 09: its softmax (9.3) for several numbers of splits, PyTorch's softmax and a copy."""

from __future__ import annotations

import functools

from .. import gpu
from . import solution

WHAT = "Elements as counted in lesson 09, every program of the second launch reading all states of its row."
SHAPES = [(1, 4194304), (16, 1048576), (64, 131072)]
N_SPLITS = [1, 4, 16, 64, 256, 1024]


def measure() -> list[dict]:
    """One row for each shape (M, N) and function: median time in µs, elements read and written, number of splits."""
    import torch

    split_softmax = solution.answer("9.3", "split_softmax")
    rows = []
    for m, n in SHAPES:
        x = torch.randn(m, n, device="cuda")
        runs = [
            ("copy", None, functools.partial(torch.empty_like(x).copy_, x), m * n, m * n),
            ("torch.softmax", None, functools.partial(torch.softmax, x, dim=1), None, None),
        ]
        for s in N_SPLITS:
            torch.testing.assert_close(split_softmax(x, s), torch.softmax(x, dim=1))
            run = functools.partial(split_softmax, x, s)
            runs.append(("split_softmax", s, run, 2 * m * n + 2 * m * s * s, m * n + 2 * m * s))
        for what, n_splits, run, read, written in runs:
            row = {"m": m, "n": n, "dtype": "float32", "what": what, "n_splits": n_splits}
            rows.append(row | {"microseconds": gpu.microseconds(run), "read": read, "written": written})
    return rows
