"""Lesson 12: its CUDA kernels (12.5 to 12.7), the Triton kernel of lesson 05, PyTorch's softmax and a copy."""

from __future__ import annotations

import functools
import importlib.metadata

from .. import gpu
from . import solution

WHAT = "Bytes are counted once read and once written for every function, whatever it moves."
M, N = 4096, 2048
THREADS = 256
EXERCISES = {"v1": "12.5", "v2": "12.6", "v3": "12.7"}


def measure() -> list[dict]:
    """One row for each function: median time in µs, and the bytes of 2·M·N elements, the least that it moves."""
    import torch

    from ...cuda import device

    fused_softmax = solution.answer("5.2", "fused_softmax")
    x = torch.randn(M, N, device="cuda")
    want, y = torch.softmax(x.double(), dim=1), torch.empty_like(x)
    runs = {
        "copy": functools.partial(y.copy_, x),
        "torch.softmax": functools.partial(torch.softmax, x, dim=1),
        "fused_softmax": functools.partial(fused_softmax, x),
    }
    for name, exercise in EXERCISES.items():
        kernel = device.kernel(solution.answer(exercise, name), f"softmax_{name}")
        y.fill_(float("nan"))
        kernel((M,), THREADS, (y, x, N))
        torch.testing.assert_close(y.double(), want, rtol=1e-4, atol=0)
        runs[name] = functools.partial(kernel, (M,), THREADS, (y, x, N))
    rows = []
    for what, run in runs.items():
        row = {"m": M, "n": N, "dtype": "float32", "what": what, "threads": THREADS if what[0] == "v" else None}
        rows.append(row | {"microseconds": gpu.microseconds(run), "bytes": 2 * M * N * x.element_size()})
    return rows


def also() -> dict:
    """The version of CuPy, which compiled the kernels."""
    return {"cupy": importlib.metadata.version(next(d for d in importlib.metadata.packages_distributions()["cupy"]))}
