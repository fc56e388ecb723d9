"""CUDA kernels on a GPU: NVRTC compiles them through CuPy, and they run on PyTorch's tensors."""

from __future__ import annotations

from ..sentence import foreign, said
from . import headers, report

# NVRTC has no standard headers. These are the names of cuda_on_cpu.h that a GPU does not have built in.
MACROS = {
    "INFINITY": "__builtin_bit_cast(float, 0x7f800000)",
    "HUGE_VALF": "__builtin_bit_cast(float, 0x7f800000)",
    "CUDART_INF_F": "__builtin_bit_cast(float, 0x7f800000)",
    "CUDART_INF": "__builtin_bit_cast(double, 0x7ff0000000000000)",
    "NAN": "__builtin_bit_cast(float, 0x7fc00000)",
    "CUDART_NAN_F": "__builtin_bit_cast(float, 0x7fc00000)",
    "CUDART_NAN": "__builtin_bit_cast(double, 0x7ff8000000000000)",
    "FLT_MAX": "3.402823466e+38f",
    "CUDART_MAX_NORMAL_F": "3.402823466e+38f",
    "FLT_MIN": "1.175494351e-38f",
    "FLT_EPSILON": "1.192092896e-07f",
    "DBL_MAX": "1.7976931348623158e+308",
    "DBL_MIN": "2.2250738585072014e-308",
    "DBL_EPSILON": "2.2204460492503131e-16",
    "INT_MAX": "2147483647",
    "INT_MIN": "(-2147483647 - 1)",
    "UINT_MAX": "4294967295u",
    "NULL": "0",
    "__builtin_inff()": "__builtin_bit_cast(float, 0x7f800000)",
    "__builtin_nanf(text)": "__builtin_bit_cast(float, 0x7fc00000)",
    "__assume(condition)": "__builtin_assume(condition)",
    "assert(...)": "((__VA_ARGS__) ? (void)0 : __trap())",
}
_TYPES = {
    "ptrdiff_t": "long", "intptr_t": "long", "uintptr_t": "unsigned long",
    "int8_t": "signed char", "int16_t": "short", "int32_t": "int", "int64_t": "long",
    "uint8_t": "unsigned char", "uint16_t": "unsigned short", "uint32_t": "unsigned", "uint64_t": "unsigned long",
    "uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned", "ulong": "unsigned long",
}  # fmt: skip
_PRELUDE = "".join(
    [f"#ifndef {name.partition('(')[0]}\n#define {name} {value}\n#endif\n" for name, value in MACROS.items()]
    + [f"typedef {kind} {name};\n" for name, kind in _TYPES.items()]
    + ["#line 1\n"]
)


def kernel(source: str, function: str):
    """A function (grid, threads, args) -> None that launches one kernel of a CUDA source on PyTorch's current stream.

    args: torch tensors on the GPU, and integers (int32). Raises report.Stopped where NVRTC refuses the source, and
    where it has no such kernel.
    """
    import cupy
    import numpy as np
    import torch

    module = cupy.RawModule(code=_PRELUDE + headers.left_out(source), options=("--std=c++17",))
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
