"""Lesson 14: the four launchers of the lesson's kernels and its softmax over many shapes, beside PyTorch's softmax."""

from __future__ import annotations

import functools

from .. import gpu
from . import solution

SHAPES = [
    (65536, 64), (32768, 256), (65536, 781), (32768, 1024), (4096, 1000), (16384, 3000), (4096, 4096), (4096, 8192),
    (4096, 16384), (4096, 32768), (2048, 128256), (4096, 131072), (64, 131072), (16, 1048576), (1, 4194304),
]  # fmt: skip
COMPILED = [
    s for s in SHAPES if s[1] in (256, 781, 4096, 32768, 128256, 4194304)
]  # torch.compile takes a second a shape
EXERCISE = "14.2"
LAUNCHERS = ("by_tiles", "by_rows", "by_walks", "by_splits")
_LONGEST = {"by_tiles": 16384, "by_rows": 65536}  # columns; a wider block takes minutes to compile
WHAT = (
    "microseconds of a copy, of each launcher of the lesson (null where a block would be too wide), of its my_softmax, "
    "which chose `route`, and of PyTorch's softmaxes (torch.compile on some shapes)."
)


def measure() -> list[dict]:
    """One row for each shape (M, N) and dtype: µs of each softmax, whose result was compared first."""
    import torch

    launchers = {name: solution.answer(EXERCISE, name) for name in LAUNCHERS}
    mine, route = solution.answer(EXERCISE, "my_softmax"), solution.answer(EXERCISE, "my_route")
    compiled = torch.compile(lambda x: torch.softmax(x, dim=1), dynamic=False)
    torch._dynamo.config.cache_size_limit = 1024  # one compilation for each shape
    rows = []
    for dtype in ("float32", "bfloat16"):
        for m, n in SHAPES:
            x = torch.randn(m, n, device="cuda").to(getattr(torch, dtype))
            y = torch.empty_like(x)
            ways = {"copy": functools.partial(y.copy_, x), "my_softmax": functools.partial(mine, x)}
            ways |= {name: functools.partial(f, y, x) for name, f in launchers.items() if n <= _LONGEST.get(name, n)}
            ways["torch.softmax"] = functools.partial(torch.softmax, x, dim=1)
            if (m, n) in COMPILED:
                ways["torch.compile"] = functools.partial(compiled, x)
            times = {name: _time(name, way, x, y) for name, way in ways.items()}
            names = ("copy", "my_softmax", *LAUNCHERS, "torch.softmax", "torch.compile")
            rows.append({
                "m": m, "n": n, "dtype": dtype, "route": route(x).__name__,
                "microseconds": {name: times.get(name) for name in names},
            })  # fmt: skip
    return rows


def _time(name: str, way, x, y) -> float:
    """µs of a softmax of x, which returns it or fills y. Raises AssertionError for a wrong one."""
    import torch

    if name != "copy":
        y.fill_(torch.nan)
        returned = way()
        got = returned if isinstance(returned, torch.Tensor) else y
        torch.testing.assert_close(got, torch.softmax(x, dim=1))
    return gpu.microseconds(way)
