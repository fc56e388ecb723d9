"""CUDA kernels on a GPU: NVRTC compiles them through CuPy, and they run on PyTorch's tensors."""

from __future__ import annotations

from ..sentence import foreign, said
from . import report

# NVRTC has no standard headers. These are the macros of cuda_on_cpu.h that a GPU does not have built in.
_PRELUDE = """
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef CUDART_INF_F
#define CUDART_INF_F __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fc00000)
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#endif
#line 1
"""


def kernel(source: str, function: str):
    """A function (grid, threads, args) -> None that launches one kernel of a CUDA source on PyTorch's current stream.

    args: torch tensors on the GPU, and integers (int32). Raises report.Stopped where NVRTC refuses the source, and
    where it has no such kernel.
    """
    import cupy
    import numpy as np
    import torch

    module = cupy.RawModule(code=_PRELUDE + report.without_includes(source), options=("--std=c++17",))
    try:
        found = module.get_function(function)
    except cupy.cuda.compiler.CompileException as error:
        raise report.Stopped(said("NVRTC refuses the kernel: {first}", first=foreign.of_nvrtc(str(error)))) from None
    except cupy.cuda.driver.CUDADriverError:
        raise report.no_kernel(function) from None

    def run(grid: tuple[int, ...], threads: int, args) -> None:
        given = tuple(np.uintp(a.data_ptr()) if hasattr(a, "data_ptr") else np.int32(a) for a in args)
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            found(grid, (threads,), given)

    return run


def launch(source: str, grid: tuple[int, ...], args, function: str, threads: int) -> None:
    """Run one kernel of a CUDA source over `grid` blocks of `threads` threads, and wait until it has ended."""
    import torch

    kernel(source, function)(grid, threads, args)
    torch.cuda.synchronize()
