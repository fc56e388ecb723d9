"""Lesson 10: one row per program (5.2), tiles of rows (10.1), programs that walk over all rows (10.2)."""

from __future__ import annotations

import functools

from .. import gpu
from . import solution

SHAPES = [(32768, 64), (32768, 256), (4096, 256), (4096, 781), (4096, 1000), (32768, 1024)]
ROWS = [1, 2, 4, 8, 16, 32]
WARPS = 4
LESSON = "10_rows_and_residency.ipynb"
WHAT = f"programs, of {WARPS} warps: in the launch; n_regs, n_spills: of a thread, as compiled; shared: its bytes."


def ways(x, y) -> list[tuple[str, int | None, object]]:
    """(name, programs, function) of a copy, PyTorch's softmax and each kernel, for x and y (both M×N)."""
    import torch
    import triton

    fused, tile = solution.answer("5.2", "fused_softmax"), solution.answer("10.1", "tile_softmax_kernel")
    walk = solution.answer("10.2", "persistent_softmax_kernel")
    resident, properties = solution.answer("10.3", "resident_programs"), solution.given(LESSON, "device_properties")
    sizes = (y, x, y.stride(0), x.stride(0), *x.shape)
    block = triton.next_power_of_2(x.shape[1])
    found = [
        ("copy", None, functools.partial(y.copy_, x)),
        ("torch.softmax", None, functools.partial(torch.softmax, x, dim=1, out=y)),
        ("one row", len(x), functools.partial(fused, x)),
    ]
    for rows in ROWS:
        programs = triton.cdiv(len(x), rows)
        run = functools.partial(tile[(programs,)], *sizes, ROWS=rows, BLOCK=block, num_warps=WARPS)
        found.append((f"tile of {rows}", programs, run))
    compiled = walk[(1,)](*sizes, BLOCK=block, num_warps=WARPS)
    programs = min(resident(properties(), compiled.n_regs, compiled.metadata.shared, WARPS), len(x))
    found.append(("persistent", programs, functools.partial(walk[(programs,)], *sizes, BLOCK=block, num_warps=WARPS)))
    return found


def measure() -> list[dict]:
    """One row for each shape (M, N) and way: median time in µs; for kernels also programs, registers and spills."""
    import torch

    results = []
    for m, n in SHAPES:
        x = torch.randn(m, n, device="cuda")
        want, y = torch.softmax(x, dim=1), torch.empty_like(x)
        for what, programs, run in ways(x, y):
            y.fill_(torch.nan)
            returned = run()
            got = returned if isinstance(returned, torch.Tensor) else y
            torch.testing.assert_close(got, x if what == "copy" else want)
            microseconds = gpu.microseconds(run)
            row = {"m": m, "n": n, "dtype": "float32", "what": what, "microseconds": microseconds, "programs": programs}
            if got is not returned:  # a launch, which returns the compiled kernel
                row |= {"n_regs": returned.n_regs, "n_spills": returned.n_spills, "shared": returned.metadata.shared}
            results.append(row)
    return results


def also() -> dict:
    """The properties of the device in Triton's driver, read by the lesson's own function."""
    return {"properties": solution.given(LESSON, "device_properties")()}
