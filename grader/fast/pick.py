"""Which kernel for which matrix, and how each is launched.

Every rule says why; what the rules gain stands in docs/softmax_on_h200.json.
"""

from __future__ import annotations

import functools
import math

import torch
import triton

from .. import machine
from .online import online_kernel
from .rows import odd_kernel, tile_kernel
from .shared import shared_row_kernel
from .split import combine_kernel, partial_kernel
from .two import two_blocks_kernel
from .words import pair_row_kernel

KINDS = {torch.float32: "float", torch.bfloat16: "bf16", torch.float16: "fp16"}

A_THREAD = {512: 8, 2048: 32, 4096: 32, 16384: 32, 32768: 32}  # elements of whole rows, by columns; 16 for others
VECTOR = 16  # bytes that one instruction can load
FEW = {
    4: 16_000_000,
    2: 34_000_000,
}  # bytes of a matrix that a cache can hold between two launches

# Rows that are shared: a warp takes in 1024 words. A program has 2 warps, or 4 where a row would make too many pieces.
# 20 warps with 96 registers a thread, or 16 with 128, fill the 65536 registers of a multiprocessor of any NVIDIA GPU.
WORDS_A_WARP = 1024
MANY = 262144  # words of a row


def route(x: torch.Tensor) -> str:
    """The kernel for a matrix x (M×N): "tile", "two", "odd", "pairs", "split", "shared" or "online"."""
    m, n = x.shape
    half = x.element_size() == 2
    nvidia = _nvidia(x)
    if half and not aligned(x) and x.is_contiguous() and 256 < n <= 32768:
        return "odd"  # 2 bytes a lane leave most of the bus idle
    block = triton.next_power_of_2(n) // 2
    rest = n - block
    if (4096 if half else 1024) <= block <= 16384 and (2 * rest < block or half and 2 * rest == block):
        return "two"  # one block would be a quarter empty, or more
    if n <= 8192 or not half and n <= 32768 or not nvidia and n <= 16384:
        return "tile"  # one program holds a row, or several
    if can_pair(x) and (n <= 16384 or n == 32768):
        return "pairs"  # as float32 such a row would fill the registers
    if m * n * x.element_size() <= FEW[x.element_size()]:
        return "split"  # over before programs that wait for each other would pay
    if can_share(x):
        return "shared"
    return "split" if nvidia and (not half or _paired(x)) else "online"


def launch(y: torch.Tensor, x: torch.Tensor) -> None:
    """Fill y with the softmax of the rows of x: both M×N, columns next to each other, float32 or 16 bits."""
    globals()[route(x)](y, x)


def tile(y: torch.Tensor, x: torch.Tensor) -> None:
    """One program has a row, or several short ones: read once, written once. Its registers hold the whole row."""
    (m, n), unit = x.shape, _unit(x, y)
    block = triton.next_power_of_2(n)
    rows = max(1, 2048 // (block * x.element_size()))  # short rows together, so that every thread has bytes under way
    a_thread = 32 if unit * x.element_size() == 2 else A_THREAD.get(block, 16)  # one by one, the more the better
    strides = y.stride(0) // unit, x.stride(0) // unit
    tile_kernel[(triton.cdiv(m, rows),)](
        y,
        x,
        *strides,
        m,
        n // unit,
        UNIT=unit,
        ROWS=rows,
        BLOCK=block,
        num_warps=min(max(rows * block // (32 * a_thread), 1), 32),
    )


def two(y: torch.Tensor, x: torch.Tensor) -> None:
    """As tile, for rows a little longer than a power of two: that many columns in one block, the rest in another."""
    kind, y, x = _as_words(y, x)
    (m, n), unit = x.shape, _unit(x, y)
    block = triton.next_power_of_2(n) // 2
    two_blocks_kernel[(m,)](
        y, x, y.stride(0) // unit, x.stride(0) // unit, n // unit,
        UNIT=unit, BLOCK=block, REST=triton.next_power_of_2(n - block), KIND=kind, PTX=kind != "float",
        num_warps=max(block // 1024, 1) if kind == "float" else min(max(block // 512, 1), 8),
    )  # fmt: skip


def odd(y: torch.Tensor, x: torch.Tensor) -> None:
    """As tile, for contiguous 16-bit rows that begin anywhere: whole vectors, and a few elements one by one."""
    (m, n), unit = x.shape, VECTOR // x.element_size()
    vectors = triton.next_power_of_2(max(n // unit, 1))
    odd_kernel[(m,)](y, x, n, VECTORS=vectors, UNIT=unit, num_warps=min(max(vectors // 128, 2), 16))


def pairs(y: torch.Tensor, x: torch.Tensor) -> None:
    """As tile, with two 16-bit elements in a register: an NVIDIA GPU, and rows of an even length."""
    if not can_pair(x):
        raise RuntimeError("pairs needs an NVIDIA GPU and 16-bit rows that consist of 32-bit words")
    kind, y, x = _as_words(y, x)
    (m, n), unit = x.shape, _unit(x, y)
    block = triton.next_power_of_2(n)
    full = n == block
    # With so few registers a thread, 2 programs fit beside each other (3 of half the length): one computes, one waits.
    registers = {"maxnreg": 64 if block > 8192 else 80} if full else {}
    pair_row_kernel[(m,)](
        y, x, y.stride(0) // unit, x.stride(0) // unit, n // unit,
        UNIT=unit, BLOCK=block, FULL=full, KIND=kind, PTX=True, num_warps=min(max(block // 1024, 1), 32), **registers,
    )  # fmt: skip


def shared(y: torch.Tensor, x: torch.Tensor) -> None:
    """Programs that run at once share a row and wait for each other: read once, written once; an NVIDIA GPU only."""
    if not can_share(x):
        raise RuntimeError("shared needs an NVIDIA GPU, 32-bit words, and room for all programs of a row at once")
    kind, y, x = _as_words(y, x)
    (m, n), unit = x.shape, _unit(x, y)
    warps, pieces, programs = _sharing(m, n, x.device)
    length = triton.cdiv(triton.cdiv(n, pieces), unit)  # all pieces of a row alike
    states = torch.zeros(m * pieces, dtype=torch.int64, device=x.device)
    shared_row_kernel[(min(programs, m * pieces),)](
        y, x, states, y.stride(0) // unit, x.stride(0) // unit, m, n // unit, pieces, length,
        UNIT=unit, PIECES=triton.next_power_of_2(pieces), BLOCK=warps * WORDS_A_WARP, KIND=kind,
        PTX=True, num_warps=warps, maxnreg={2: 96, 4: 128}[warps], launch_cooperative_grid=True,
    )  # fmt: skip


def _sharing(m: int, n: int, device: torch.device) -> tuple[int, int, int]:
    """For m rows of n words: warps of a program, pieces of a row, programs that run at once."""
    warps = 2 if n <= MANY else 4
    programs = {2: 10, 4: 4}[warps] * _multiprocessors(device)
    pieces = triton.cdiv(n, warps * WORDS_A_WARP)
    rounds = triton.cdiv(m * pieces, programs)
    if rounds < 5:
        pieces = rounds * programs // m  # so many that no program is idle in the last of few rounds
    return warps, pieces, programs


def split(y: torch.Tensor, x: torch.Tensor) -> None:
    """Two launches of many programs a row, which wait for nobody: read twice, written once."""
    kind, y, x = _as_words(y, x)
    (m, n), unit, block = x.shape, _unit(x, y), 8192
    pieces = triton.cdiv(n, block)
    ms, ds = torch.empty(2, m * pieces, device=x.device)
    overlap = _nvidia(x) and torch.cuda.get_device_capability(x.device) >= (9, 0)
    late = {"launch_pdl": True} if overlap else {}
    common = {"UNIT": unit, "BLOCK": block, "OVERLAP": overlap, "KIND": kind, "PTX": kind != "float"}
    partial_kernel[(m * pieces,)](ms, ds, x, x.stride(0) // unit, n // unit, pieces, num_warps=8, **common)
    combine_kernel[(m * pieces,)](
        y, x, ms, ds, y.stride(0) // unit, x.stride(0) // unit, n // unit, pieces,
        PIECES=triton.next_power_of_2(pieces), num_warps=4, **common, **late,
    )  # fmt: skip


def online(y: torch.Tensor, x: torch.Tensor) -> None:
    """One program walks along each row twice, however long it is: read twice, written once."""
    alike = x.stride(0) == y.stride(0) and x.data_ptr() % VECTOR == 0
    unit = VECTOR // x.element_size() if alike else 1
    online_kernel[(x.shape[0],)](
        y, x, y.stride(0), x.stride(0), x.shape[1], VECTORS=8192 // unit, UNIT=unit, num_warps=16
    )


def can_pair(x: torch.Tensor) -> bool:
    """Whether `pairs` takes x here: 16-bit rows of whole 32-bit words, compiled for an NVIDIA GPU."""
    return _nvidia(x) and _paired(x)


def can_share(x: torch.Tensor) -> bool:
    """Whether `shared` takes x here: all programs that share a row must run at once, on an NVIDIA GPU."""
    if not _nvidia(x) or x.element_size() == 2 and not _paired(x):
        return False
    _, pieces, programs = _sharing(len(x), x.shape[1] * x.element_size() // 4, x.device)
    return pieces <= programs


def _nvidia(x: torch.Tensor) -> bool:
    return x.is_cuda and torch.version.cuda is not None and not machine.interpreted()


def _as_words(y: torch.Tensor, x: torch.Tensor) -> tuple[str, torch.Tensor, torch.Tensor]:
    """(kind of a word, y and x as words): two 16-bit elements each where they can be paired."""
    if can_pair(x):
        return KINDS[x.dtype], y.view(torch.int32), x.view(torch.int32)
    return "float", y, x


@functools.cache
def _multiprocessors(device: torch.device) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


def _unit(*tensors: torch.Tensor) -> int:
    """The largest power of two, up to a vector, that divides the lengths and strides of all rows."""
    unit = VECTOR // tensors[0].element_size()
    return math.gcd(unit, tensors[0].shape[1], *(t.stride(0) for t in tensors))


def aligned(x: torch.Tensor) -> bool:
    """Whether every row begins where a vector can be loaded."""
    return x.stride(0) * x.element_size() % VECTOR == 0 and x.data_ptr() % VECTOR == 0


def _paired(x: torch.Tensor) -> bool:
    """Whether the 16-bit elements of every row can be taken as 32-bit words."""
    even = x.shape[1] % 2 == 0 and x.stride(0) % 2 == 0 and x.data_ptr() % 4 == 0
    return x.element_size() == 2 and even
