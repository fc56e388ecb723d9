"""CUDA C++ of this folder, compiled by CuPy (NVRTC) for the GPU at hand, and launched on PyTorch's stream."""

from __future__ import annotations

import functools
import pathlib
import warnings

import torch

from .. import environment

HALF = {torch.float32: 0, torch.bfloat16: 1, torch.float16: 2}
_FOLDER = pathlib.Path(__file__).parent
# The driver's numbers: needed above 48 KB of shared memory, and above 8 blocks.
_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
_CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14


def text(name: str) -> str:
    """The CUDA C++ of a file of this folder, with what all of them need before it."""
    return "".join((_FOLDER / part).read_text(encoding="utf-8") for part in ("elements.cuh", name))


@functools.cache
def can_compile(device: torch.device, capability: tuple[int, int]) -> bool:
    """Whether device is an NVIDIA GPU of that compute capability or a newer one, and CuPy compiles for it."""
    if device.type != "cuda" or torch.version.cuda is None or environment.interpreted():
        return False
    if torch.cuda.get_device_capability(device) < capability or not environment.has_cupy():
        return False
    try:
        with torch.cuda.device(device):
            macros = {"HALF": 0, "LOG": 0, "THREADS": 64, "LANES": 8, "EACH": 1, "ROWS": 8, "RESIDENT": 1}
            function("short_rows.cu", "forward", tuple(macros.items()), device)
    except Exception as error:  # a CuPy for another CUDA, or without its compiler: Triton's kernels serve
        warnings.warn(f"kernels in CUDA C++ are left out; CuPy could not compile them: {error}", stacklevel=2)
        return False
    return True


@functools.cache
def function(
    name: str, kernel: str, macros: tuple[tuple[str, int], ...], device: torch.device, blocks: int = 1, shared: int = 0
):
    """A kernel of a text, compiled with macros (name, value) for the current device.

    blocks: of a cluster. shared: bytes of dynamic shared memory of a block.
    """
    import cupy
    from cupy_backends.cuda.api import driver

    options = ("-std=c++17", *(f"-D{macro}={value}" for macro, value in macros))
    compiled = cupy.RawModule(code=text(name), options=options).get_function(kernel).kernel
    if shared:
        driver.funcSetAttribute(compiled.ptr, _CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)
    if blocks > 8:
        driver.funcSetAttribute(compiled.ptr, _CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)
    return compiled


def launcher(compiled, grid: int, threads: int, numbers: tuple, device: torch.device, shared: int = 0):
    """A function of tensors that launches what `function` compiled. numbers: the arguments behind the tensors, as
    NumPy's integers of the width that the kernel expects. shared: bytes of dynamic shared memory of a block.
    """
    # torch.cuda.current_stream would make an object for each launch.
    current_stream, index = torch._C._cuda_getCurrentRawStream, device.index
    size = (grid,), (threads,)

    def run(*tensors: torch.Tensor) -> None:
        arguments = (*(t.data_ptr() for t in tensors), *numbers)
        compiled(*size, arguments, shared_mem=shared, stream=_stream(current_stream(index)))

    return run


@functools.lru_cache(256)
def _stream(pointer: int):
    """PyTorch's stream at that address, for CuPy."""
    import cupy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its successor wants an object that PyTorch 2.8 has not
        return cupy.cuda.ExternalStream(pointer)
