"""Which kernels of losses.py compute the loss of a matrix of logits and its gradient, and their launches."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import triton

from .. import environment
from . import loss_rows, losses
from .launchers import VECTOR, on_nvidia, start
from .plans import Plans

LONGEST_TILE = 4096  # logits of a row that a block holds whole; a longer one is walked along in tiles
FEW = 264  # rows: with fewer, a long one is divided among programs, or most of a GPU has none
PIECE = 16384  # logits of such a piece at least

_forward_plans, _backward_plans, _scale_plans = Plans(), Plans(), Plans()


@dataclass(frozen=True)
class Settings:
    """What a caller of cross_entropy can set.

    ignore: the target of rows that do not count. smoothing: label_smoothing. reduction: "none", "mean" or "sum".
    """

    ignore: int
    smoothing: float
    reduction: str

    @property
    def reduced(self) -> bool:
        """Whether there is one loss of all rows."""
        return self.reduction != "none"

    @property
    def smooth(self) -> bool:
        """Whether other columns than the target have a share in the loss."""
        return self.smoothing != 0


def forward(loss, states, weight, x, targets, settings: Settings) -> None:
    """Store the loss of the rows of x (M×N, adjacent columns) in `loss`: M numbers or one, of x's dtype or float32.

    targets: M of int64, contiguous. states: M×2 of float32, what the gradient needs of each row. weight: one of
    float32, the weight of a row in the loss, where that is one number.
    """
    begins = x.data_ptr() % VECTOR, targets.data_ptr() % VECTOR
    key = settings, x.shape, x.stride(0), x.dtype, x.device, begins, loss.dtype
    _forward_plans.of(key, lambda: _plan_forward(loss, x, settings))(loss, states, weight, x, targets)


def backward(dx, x, targets, states, g, weight, settings: Settings) -> None:
    """Store the gradient in dx (M×N, adjacent columns; it may be x). g: that of the loss, M at any stride or one."""
    stride = g.stride(0) if g.dim() else 0
    begins = x.data_ptr() % VECTOR, dx.data_ptr() % VECTOR, targets.data_ptr() % VECTOR, g.data_ptr() % VECTOR
    key = settings, x.shape, x.stride(0), dx.stride(0), x.dtype, x.device, begins, stride, g.dtype
    _backward_plans.of(key, lambda: _plan_backward(dx, x, stride, settings))(dx, x, targets, states, g, weight)


def scale(y: torch.Tensor, x: torch.Tensor, g: torch.Tensor) -> None:
    """y = x times g, one number. x and y are contiguous, of one shape and any dtypes, and begin at a vector."""
    key = x.numel(), x.dtype, y.dtype, x.device, g.data_ptr() % VECTOR, g.dtype
    _scale_plans.of(key, lambda: _plan_scale(x))(y, x, g)


def _plan_scale(x: torch.Tensor) -> Callable[..., None]:
    return start(losses.scale_kernel, triton.cdiv(x.numel(), 4096), (x.numel(),), BLOCK=4096, num_warps=8)


def _plan_forward(loss: torch.Tensor, x: torch.Tensor, settings: Settings) -> Callable[..., None]:
    pieces = _pieces(x)
    if pieces > 1:
        return _in_pieces(x, pieces, settings)
    if _fits_a_tile(x):
        launch, parts = _tile(x, settings)
    else:
        launch, parts = loss_rows.plan(loss, x, settings) or _walk(x, settings)
    if not settings.reduced:
        return lambda loss, states, weight, x, targets: launch(loss, states, states, x, targets)
    reduce = _reduce(x, parts, settings)

    def run(loss, states, weight, x, targets):
        scratch = torch.empty(2 * parts, dtype=torch.float32, device=x.device)
        launch(loss, states, scratch, x, targets)
        reduce(loss, weight, scratch)

    return run


def _fits_a_tile(x: torch.Tensor) -> bool:
    n = x.shape[1]
    return n <= 256 or n <= LONGEST_TILE and _unit(x) * x.element_size() == VECTOR


def _pieces(x: torch.Tensor) -> int:
    """Into how many pieces each row is divided: 1 where there are rows enough."""
    m, n = x.shape
    return max(min(triton.cdiv(2 * FEW, m), n // PIECE), 1) if m < FEW else 1


def _options(settings: Settings, **options) -> dict:
    """Options of a launch. The kernels look for targets that are no column, as PyTorch's do."""
    common = {"REDUCED": settings.reduced, "SMOOTH": settings.smooth, "FUSED": not environment.interpreted()}
    return common | options | {"debug": True, "sanitize_overflow": False}


def _numbers(settings: Settings) -> tuple[int, float]:
    return settings.ignore, settings.smoothing


def _tile(x: torch.Tensor, settings: Settings) -> tuple[Callable[..., None], int]:
    """(launch of tile_kernel, its programs)."""
    (m, n), unit = x.shape, _unit(x)
    block = triton.next_power_of_2(n)
    rows = max(2048 // (block * x.element_size()), 2 if block <= 1024 else 1)
    programs = triton.cdiv(m, rows)
    warps = max(rows * block // 2048, 1)  # a row for each warp, where it can: then no reduction waits for other warps
    options = _options(settings, UNIT=unit, ROWS=rows, BLOCK=block, num_warps=warps)
    numbers = x.stride(0) // unit, m, n // unit, *_numbers(settings)
    return start(losses.tile_kernel, programs, numbers, **options), programs


def _tiles_of(x: torch.Tensor) -> dict:
    """Options of kernels that walk along a row of x."""
    unit = VECTOR // x.element_size() if x.data_ptr() % VECTOR == 0 else 1
    warps = 4 if x.shape[1] > 2048 else 1
    return {"UNIT": unit, "LANES": 32 * warps, "EACH": 2, "num_warps": warps}


def _walk(x: torch.Tensor, settings: Settings) -> tuple[Callable[..., None], int]:
    """(launch of walk_kernel, its programs)."""
    m, n = x.shape
    numbers = x.stride(0), n, *_numbers(settings)
    return start(losses.walk_kernel, m, numbers, **_options(settings, **_tiles_of(x))), m


def _in_pieces(x: torch.Tensor, pieces: int, settings: Settings) -> Callable[..., None]:
    """Launches of pieces_kernel, merge_kernel, and reduce_kernel."""
    (m, n), tiles = x.shape, _tiles_of(x)
    length = triton.cdiv(n // tiles["UNIT"], pieces)
    options = _options(settings, **tiles)
    del options["REDUCED"]
    first = start(losses.pieces_kernel, m * pieces, (x.stride(0), n, pieces, length), **options)
    block = triton.next_power_of_2(pieces)
    rows = max(min(triton.next_power_of_2(m), 1024 // block), 1)
    parts = triton.cdiv(m, rows)
    numbers = x.stride(0), m, n, pieces, *_numbers(settings)
    second = start(losses.merge_kernel, parts, numbers, **_options(settings, ROWS=rows, PIECES=block, num_warps=4))
    reduce = _reduce(x, parts, settings) if settings.reduced else None

    def run(loss, states, weight, x, targets):
        found = torch.empty((4 if settings.smooth else 2) * m * pieces, dtype=torch.float32, device=x.device)
        sums = torch.empty(2 * parts, dtype=torch.float32, device=x.device)
        first(found, x)
        second(loss, states, sums, found, x, targets)
        if reduce:
            reduce(loss, weight, sums)

    return run


def _reduce(x: torch.Tensor, parts: int, settings: Settings) -> Callable[..., None]:
    overlap = on_nvidia(x) and torch.cuda.get_device_capability(x.device) >= (9, 0)
    block = min(max(triton.next_power_of_2(parts), 32), 8192)
    options = {"BLOCK": block, "MEAN": settings.reduction == "mean", "OVERLAP": overlap}
    options["num_warps"] = min(max(block // 128, 1), 32)
    if overlap:
        options["launch_pdl"] = True
    return start(losses.reduce_kernel, 1, (parts,), **options)


def _plan_backward(dx: torch.Tensor, x: torch.Tensor, g_stride: int, settings: Settings) -> Callable[..., None]:
    (m, n), size = x.shape, x.element_size()
    options = {"REDUCED": settings.reduced, "SMOOTH": settings.smooth, "FUSED": not environment.interpreted()}
    if _fits_a_tile(x) and dx.data_ptr() % VECTOR == 0:
        unit, block = math.gcd(_unit(x), _unit(dx)), triton.next_power_of_2(n)
        rows = max(1, 2048 // (block * size))
        options |= {"UNIT": unit, "ROWS": rows, "BLOCK": block, "num_warps": min(max(rows * block // 512, 1), 16)}
        numbers = dx.stride(0) // unit, x.stride(0) // unit, m, n // unit, g_stride, *_numbers(settings)
        return start(losses.tile_gradient_kernel, triton.cdiv(m, rows), numbers, **options)
    unit = VECTOR // size
    if dx.data_ptr() % VECTOR or x.data_ptr() % VECTOR or (x.stride(0) - dx.stride(0)) % unit and m > 1:
        unit = 1  # vectors of a row of dx would lie otherwise than those of x
    vectors = max(n // unit, 1)
    pieces = triton.cdiv(vectors, 1024)
    length = triton.cdiv(vectors, pieces)
    options |= {"UNIT": unit, "VECTORS": triton.next_power_of_2(length)}
    options["num_warps"] = min(max(options["VECTORS"] * unit // 1024, 1), 8)
    numbers = dx.stride(0), x.stride(0), n, pieces, length, g_stride, *_numbers(settings)
    return start(losses.piece_gradient_kernel, m * pieces, numbers, **options)


def _unit(x: torch.Tensor) -> int:
    """The largest power of two, up to the elements of a vector, that divides every row of x and where it begins."""
    size = x.element_size()
    return math.gcd(VECTOR // size, x.shape[1], x.stride(0), (x.data_ptr() % VECTOR) // size or VECTOR)


@functools.cache
def settings(ignore: int, smoothing: float, reduction: str) -> Settings:
    """One object for equal settings, which a call of an operator names by its fields."""
    return Settings(ignore, smoothing, reduction)
