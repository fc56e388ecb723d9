"""The kernels whose profiles lesson 17 reads: eight kernels of the course, each with the launches that are recorded.

The first launch of each is the one whose whole report is kept. Every function is named kernel, so that no report tells
by its name whose it is; profiles.py renames the shipped ones. Run by itself, it launches all of them, for the profiler:
profiles.py has the command.
"""

from __future__ import annotations

import functools
import pathlib
import sys
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

from grader import fast  # noqa: E402

NEIGHBOURS = r"""
extern "C" __global__ void kernel(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float m = -INFINITY;
    for (int c = me; c < n_cols; c += blockDim.x) m = fmaxf(m, x[c]);
    buffer[me] = m;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        const int at = 2 * step * me;
        if (at < blockDim.x) buffer[at] = fmaxf(buffer[at], buffer[at + step]);
        __syncthreads();
    }
    m = buffer[0];
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = x[c] - m;
}
"""


def _copy():
    @triton.jit
    def kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n)
        tl.store(y_ptr + at, x, mask=at < n)

    def call(y, x):
        return (triton.cdiv(x.numel(), 4096),), (y, x, x.numel()), {"BLOCK": 4096, "num_warps": 8}

    return kernel, call


def _one_row(num_warps):
    @triton.jit
    def kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        row_max = tl.max(x, axis=0)
        numerator = tl.exp(x - row_max)
        denominator = tl.sum(numerator, axis=0)
        y = numerator / denominator
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)

    def call(y, x):
        block = triton.next_power_of_2(x.shape[1])
        return (x.shape[0],), (y, x, y.stride(0), x.stride(0), x.shape[1]), {"BLOCK": block, "num_warps": num_warps}

    return kernel, call


def _persistent(programs, num_warps):
    @triton.jit
    def kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        mask = cols < n_cols
        for row in range(tl.program_id(0).to(tl.int64), n_rows, tl.num_programs(0)):
            x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
            numerator = tl.exp(x - tl.max(x, axis=0))
            y = numerator / tl.sum(numerator, axis=0)
            tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)

    def call(y, x):
        block = triton.next_power_of_2(x.shape[1])
        return (programs,), (y, x, y.stride(0), x.stride(0), *x.shape), {"BLOCK": block, "num_warps": num_warps}

    return kernel, call


def _one_column(num_warps):
    @triton.jit
    def kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, BLOCK: tl.constexpr):
        column = tl.program_id(0)
        rows = tl.arange(0, BLOCK)
        mask = rows < n_rows
        x = tl.load(x_ptr + rows * x_row_stride + column, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + rows * y_row_stride + column, y, mask=mask)

    def call(y, x):
        block = triton.next_power_of_2(x.shape[0])
        return (x.shape[1],), (y, x, y.stride(0), x.stride(0), x.shape[0]), {"BLOCK": block, "num_warps": num_warps}

    return kernel, call


CUDA_PRELUDE = "#define INFINITY __builtin_bit_cast(float, 0x7f800000)\n#line 1\n"


def _in_cuda(threads):
    import cupy
    import numpy as np

    module = cupy.RawModule(code=CUDA_PRELUDE + NEIGHBOURS, options=("--std=c++17", "-lineinfo"))
    found = module.get_function("kernel")

    def launch(y, x):
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            found((x.shape[0],), (threads,), (np.uintp(y.data_ptr()), np.uintp(x.data_ptr()), np.int32(x.shape[1])))

    return launch


def _two_walks():
    @triton.jit
    def kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        lanes = tl.arange(0, BLOCK)
        m = -float("inf")
        d = 0.0
        for start in range(0, n_cols, BLOCK):
            cols = start + lanes
            x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
            new = tl.maximum(m, tl.max(x, axis=0))
            shift = tl.where(new == -float("inf"), 0.0, new)
            d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
            m = new
        for start in range(0, n_cols, BLOCK):
            cols = start + lanes
            x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
            tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)

    def call(y, x):
        return (x.shape[0],), (y, x, y.stride(0), x.stride(0), x.shape[1]), {"BLOCK": 4096, "num_warps": 8}

    return kernel, call


def launcher(name: str) -> Callable:
    """A function (y, x) -> None that launches a kernel of this name."""
    if name == "conflicts":
        return _in_cuda(1024)
    if name == "shipped":
        return lambda y, x: fast.softmax(x)
    kernel, call = TRITON[name]()

    def launch(y, x):
        grid, args, constants = call(y, x)
        kernel[grid](*args, **constants)

    return launch


# name: a function that makes (kernel, call); call(y, x) gives grid, arguments and keyword arguments of a launch.
TRITON: dict[str, Callable] = {
    "copy": _copy,
    "odd_rows": functools.partial(_one_row, 4),
    "spilled": functools.partial(_one_row, 4),
    "few_warps": functools.partial(_persistent, 132, 4),
    "columns": functools.partial(_one_column, 8),
    "two_walks": _two_walks,
}
# name: the shapes that it is launched for, in the order of the reports.
LAUNCHES: dict[str, list[tuple[int, int]]] = {
    "copy": [(16384, 4096), (65536, 1000), (8192, 12672)],
    "odd_rows": [(65536, 1021), (65536, 781), (32768, 1999)],
    "spilled": [(2048, 32768), (3000, 30000), (2048, 50304)],
    "few_warps": [(65536, 1024), (32768, 2048), (32768, 1536)],
    "columns": [(4096, 16384), (2048, 32768), (1024, 65536)],
    "conflicts": [(65536, 1024), (32768, 2048), (65536, 1536)],
    "two_walks": [(512, 131072), (256, 262144), (640, 128000)],
    "shipped": [(65536, 1024), (16384, 4096), (8192, 12672)],
}


def main() -> None:
    """Launch all of them, each once unseen by the profiler and once seen."""
    for name, shapes in LAUNCHES.items():
        launch = launcher(name)
        for m, n in shapes:
            x = torch.randn(m, n, device="cuda")
            y = torch.empty_like(x)
            launch(y, x)
            torch.cuda.synchronize()
            torch.cuda.cudart().cudaProfilerStart()
            launch(y, x)
            torch.cuda.synchronize()
            torch.cuda.cudart().cudaProfilerStop()
            print(name, m, n, flush=True)


if __name__ == "__main__":
    main()
