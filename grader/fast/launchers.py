"""One launcher for each kernel: launcher(y, x, log=False) stores the softmax of the rows of x in y, or its logarithm.

y and x are M×N, of float32, bfloat16 or float16; elements of a row are adjacent in memory.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable

import torch
import triton

from .. import environment
from .online import online_kernel
from .packed import pair_row_kernel
from .plans import Plans
from .rows import odd_kernel, tile_kernel
from .shared import shared_row_kernel
from .split import combine_kernel, partial_kernel
from .tiled_two_pass import two_blocks_kernel

Launcher = Callable[[torch.Tensor, torch.Tensor], None]  # (y, x)

KINDS = {torch.float32: "float", torch.bfloat16: "bf16", torch.float16: "fp16"}
# Elements of whole rows that a thread holds, by the columns of a block; 16 for other blocks.
A_THREAD = {512: 8, 2048: 32, 4096: 32, 16384: 32, 32768: 32}
VECTOR = 16  # bytes that one instruction can load
LINE = 128  # bytes of a line of the cache
CACHE = 35_000_000  # bytes of x that an H200's cache still holds after a launch that read them

# For `shared`: a warp holds 1024 words. A program has 2 warps, or 4 where a row would have too many pieces.
# 20 warps with 96 registers per thread, or 16 with 128, fill the 65536 registers of a multiprocessor of any NVIDIA GPU.
WORDS_A_WARP = 1024
MANY = 262144  # words of a row


def layout(y: torch.Tensor, x: torch.Tensor) -> tuple:
    """The key of a plan: all pairs of matrices with the same layout are launched in the same way."""
    known = x.shape, x.dtype, x.device, x.data_ptr() % LINE, y.data_ptr() % VECTOR
    return known if x.is_contiguous() and y.is_contiguous() else (*known, x.stride(0), y.stride(0))


def _planned(plan: Callable[[torch.Tensor, torch.Tensor, bool], Launcher]) -> Callable[..., None]:
    """A launcher that makes a plan for the first matrices of a layout, and uses it again for the others.

    With an H200, a launch of two kernels without a plan took 71 µs of Python, longer than the kernels for a few MB.
    """
    plans = Plans()

    @functools.wraps(plan)
    def launcher(y: torch.Tensor, x: torch.Tensor, log: bool = False) -> None:
        plans.of((log, *layout(y, x)), lambda: plan(y, x, log))(y, x)

    launcher.plan = plan
    return launcher


def start(kernel, grid: int, numbers: tuple[int, ...], words: bool = False, **options) -> Callable[..., None]:
    """A function of tensors that launches kernel[(grid,)](*tensors, *numbers, **options).

    words: tensors of 16 bits are passed as int32 words of two elements each. The first launch compiles. Later ones take
    what was compiled, as Triton's tutorial on softmax does, and addresses in place of tensors: that spares the search
    for it and a look at each tensor, most of the time that a launch takes on the host. Interpreted kernels have nothing
    compiled.
    """
    first, compiled = kernel[(grid,)], []

    def launch(*tensors: torch.Tensor) -> None:
        if compiled:
            stream = torch._C._cuda_getCurrentRawStream(tensors[0].get_device())
            compiled[0](*(t.data_ptr() for t in tensors), *numbers, *constants, stream=stream)
            return
        views = (t.view(torch.int32) if words and t.element_size() == 2 else t for t in tensors)
        done = first(*views, *numbers, **options)
        if hasattr(done, "__getitem__"):
            compiled.append(done[(grid, 1, 1)])

    names = inspect.signature(kernel.fn).parameters
    constants = tuple(options[name] for name in names if name in options)
    return launch


@_planned
def tile(y: torch.Tensor, x: torch.Tensor, log: bool) -> Launcher:
    """One program has a row, or several short ones: read once, written once. Its registers hold the whole row."""
    (m, n), unit = x.shape, _unit(x, y)
    block = triton.next_power_of_2(n)
    rows = max(1, 2048 // (block * x.element_size()))  # several short rows, so that every thread has loads in flight
    # Where 16-bit elements are loaded one by one, more elements per thread are faster.
    a_thread = 32 if unit * x.element_size() == 2 else A_THREAD.get(block, 16)
    numbers = y.stride(0) // unit, x.stride(0) // unit, m, n // unit
    options = {"UNIT": unit, "ROWS": rows, "BLOCK": block, "LOG": log}
    options["num_warps"] = min(max(rows * block // (32 * a_thread), 1), 32)
    return start(tile_kernel, triton.cdiv(m, rows), numbers, **options)


@_planned
def two(y: torch.Tensor, x: torch.Tensor, log: bool) -> Launcher:
    """As tile, for rows a little longer than a power of two: that many columns in one block, the rest in another."""
    kind, y, x = _as_words(y, x)
    n, unit = x.shape[1], _unit(x, y)
    block = triton.next_power_of_2(n) // 2
    numbers = y.stride(0) // unit, x.stride(0) // unit, n // unit
    options = {"UNIT": unit, "BLOCK": block, "REST": triton.next_power_of_2(n - block)}
    options |= {"KIND": kind, "PTX": _ptx(x, kind), "LOG": log}
    options["num_warps"] = max(block // 1024, 1) if kind == "float" else min(max(block // 512, 1), 8)
    return start(two_blocks_kernel, len(x), numbers, kind != "float", **options)


@_planned
def odd(y: torch.Tensor, x: torch.Tensor, log: bool) -> Launcher:
    """As tile, for contiguous 16-bit rows that begin anywhere: whole vectors, and a few elements one by one."""
    (m, n), unit = x.shape, VECTOR // x.element_size()
    vectors = triton.next_power_of_2(max(n // unit, 1))
    options = {"VECTORS": vectors, "UNIT": unit, "LOG": log, "num_warps": min(max(vectors // 128, 2), 16)}
    return start(odd_kernel, m, (n,), **options)


@_planned
def pairs(y: torch.Tensor, x: torch.Tensor, log: bool) -> Launcher:
    """As tile, with two 16-bit elements in a register: an NVIDIA GPU, and rows of an even length."""
    if not can_pair(x):
        raise RuntimeError("pairs needs an NVIDIA GPU and 16-bit rows that consist of 32-bit words")
    kind, y, x = _as_words(y, x)
    n, unit = x.shape[1], _unit(x, y)
    block = triton.next_power_of_2(n)
    numbers = y.stride(0) // unit, x.stride(0) // unit, n // unit
    options = {"UNIT": unit, "BLOCK": block, "FULL": n == block, "KIND": kind, "PTX": _ptx(x, kind), "LOG": log}
    options["num_warps"] = min(max(block // 1024, 1), 32)
    if n == block:  # with so few registers per thread, 2 programs run on a multiprocessor: one computes, one waits
        options["maxnreg"] = 64 if block > 8192 else 80
    return start(pair_row_kernel, len(x), numbers, words=True, **options)


@_planned
def shared(y: torch.Tensor, x: torch.Tensor, log: bool) -> Launcher:
    """Programs that run at once share a row and wait for each other: read once, written once; an NVIDIA GPU only."""
    if not can_share(x):
        raise RuntimeError("shared needs an NVIDIA GPU, 32-bit words, and room for all programs of a row at once")
    kind, y, x = _as_words(y, x)
    (m, n), unit = x.shape, _unit(x, y)
    warps, pieces, programs = _sharing(m, n, x.device)
    length = triton.cdiv(triton.cdiv(n, pieces), unit)  # in units; the same for all pieces of a row
    numbers = y.stride(0) // unit, x.stride(0) // unit, m, n // unit, pieces, length
    options = {"UNIT": unit, "PIECES": triton.next_power_of_2(pieces), "BLOCK": warps * WORDS_A_WARP, "KIND": kind}
    options |= {
        "PTX": _ptx(x, kind),
        "LOG": log,
        "num_warps": warps,
        "maxnreg": {2: 96, 4: 128}[warps],
        "launch_cooperative_grid": True,
    }
    launch = start(shared_row_kernel, min(programs, m * pieces), numbers, kind != "float", **options)

    def run(y, x):
        launch(y, x, torch.zeros(m * pieces, dtype=torch.int64, device=x.device))

    return run


def _sharing(m: int, n: int, device: torch.device) -> tuple[int, int, int]:
    """(warps of a program, pieces of a row, programs that run at once) for m rows of n words."""
    warps = 2 if n <= MANY else 4
    programs = {2: 10, 4: 4}[warps] * _multiprocessors(device)
    pieces = triton.cdiv(n, warps * WORDS_A_WARP)
    rounds = triton.cdiv(m * pieces, programs)
    if rounds < 5:
        pieces = rounds * programs // m  # so that no program is idle in the last of few rounds
    return warps, pieces, programs


@_planned
def split(y: torch.Tensor, x: torch.Tensor, log: bool) -> Launcher:
    """Two launches of many programs per row, which wait for nobody: read twice, written once."""
    kind, y, x = _as_words(y, x)
    (m, n), unit = x.shape, _unit(x, y)
    block = 4096 if kind != "float" and m * n <= 1024 * 4096 else 8192  # up to 1024 short programs run at once
    pieces = triton.cdiv(n, block)
    x_units, y_units, numbers = x.stride(0) // unit, y.stride(0) // unit, (n // unit, pieces)
    overlap = on_nvidia(x) and torch.cuda.get_device_capability(x.device) >= (9, 0)
    options = {"UNIT": unit, "BLOCK": block, "OVERLAP": overlap, "KIND": kind, "PTX": _ptx(x, kind)}
    late = options | {"PIECES": triton.next_power_of_2(pieces), "LOG": log, "num_warps": 8 if kind == "float" else 4}
    # Of a matrix larger than a cache, the pieces that were read last are still there.
    late["BACKWARDS"] = m * n * x.element_size() > CACHE
    if overlap:
        late["launch_pdl"] = True
    words = kind != "float"
    first = start(partial_kernel, m * pieces, (x_units, *numbers), words, num_warps=8, **options)
    second = start(combine_kernel, m * pieces, (y_units, x_units, *numbers), words, **late)

    def run(y, x):
        states = torch.empty(2 * m * pieces, dtype=torch.float32, device=x.device)
        first(states, x)
        second(y, x, states)

    return run


@_planned
def online(y: torch.Tensor, x: torch.Tensor, log: bool) -> Launcher:
    """One program walks along each row twice, however long it is: read twice, written once."""
    alike = x.stride(0) == y.stride(0) and x.data_ptr() % VECTOR == 0
    unit = VECTOR // x.element_size() if alike else 1
    numbers = y.stride(0), x.stride(0), x.shape[1]
    options = {"VECTORS": 8192 // unit, "UNIT": unit, "LOG": log, "num_warps": 16}
    return start(online_kernel, len(x), numbers, **options)


def can_pair(x: torch.Tensor) -> bool:
    """Whether `pairs` can run on x: 16-bit rows of whole 32-bit words, compiled for an NVIDIA GPU."""
    return on_nvidia(x) and paired(x)


def can_share(x: torch.Tensor) -> bool:
    """Whether `shared` can run on x: all programs of a row must run at once, on an NVIDIA GPU, on 32-bit words."""
    if not on_nvidia(x) or x.element_size() == 2 and not paired(x):
        return False
    _, pieces, programs = _sharing(len(x), x.shape[1] * x.element_size() // 4, x.device)
    return pieces <= programs


def on_nvidia(x: torch.Tensor) -> bool:
    """Whether kernels for x are compiled for an NVIDIA GPU."""
    return x.is_cuda and torch.version.cuda is not None and not environment.interpreted()


def _ptx(x: torch.Tensor, kind: str) -> bool:
    """Whether the device has instructions for pairs of 16-bit floats, as NVIDIA GPUs do from capability 8.0 on."""
    return kind != "float" and torch.cuda.get_device_capability(x.device) >= (8, 0)


def _as_words(y: torch.Tensor, x: torch.Tensor) -> tuple[str, torch.Tensor, torch.Tensor]:
    """(kind of a word, y, x): as int32 words of two 16-bit elements each, where they can be paired."""
    if can_pair(x):
        return KINDS[x.dtype], y.view(torch.int32), x.view(torch.int32)
    return "float", y, x


@functools.cache
def _multiprocessors(device: torch.device) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


def _unit(*tensors: torch.Tensor) -> int:
    """The largest power of two, up to the elements of a vector, that divides the lengths and strides of all rows."""
    unit = VECTOR // tensors[0].element_size()
    return math.gcd(unit, tensors[0].shape[1], *(t.stride(0) for t in tensors))


def aligned(x: torch.Tensor) -> bool:
    """Whether every row begins at a multiple of VECTOR bytes."""
    return x.stride(0) * x.element_size() % VECTOR == 0 and x.data_ptr() % VECTOR == 0


def paired(x: torch.Tensor) -> bool:
    """Whether the elements have 16 bits, and those of every row form whole 32-bit words."""
    even = x.shape[1] % 2 == 0 and x.stride(0) % 2 == 0 and x.data_ptr() % 4 == 0
    return x.element_size() == 2 and even
