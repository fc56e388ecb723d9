"""Other softmaxes and cross-entropies, for the comparison on a GPU."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
import triton
import triton.language as tl

from ..timing.peers import five_passes

Softmax = Callable[[torch.Tensor], torch.Tensor]
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]  # of logits (M×N) and M targets, their mean


def all_of_them() -> tuple[dict[str, Softmax], list[str]]:
    """({name: function of a matrix on the GPU}, names of those that are left out)."""
    from ..fast import softmax

    here: dict[str, Softmax] = {
        "softmax": softmax,
        "torch.softmax": lambda x: torch.softmax(x, dim=1),
        "torch.compile": torch.compile(lambda x: torch.softmax(x, dim=1), dynamic=False),
        "five passes": five_passes,
        "one row": one_row,
    }
    torch._dynamo.config.cache_size_limit = 1024  # one compilation for each shape
    return here, _add_others(here, Liger=_liger, QuACK=_quack)


def _add_others(here: dict[str, Callable], **loads: Callable[[], Callable]) -> list[str]:
    """Add what other libraries have. Returns the names of those that are not installed, or that fail when imported."""
    missing = []
    for name, load in loads.items():
        try:
            here[name] = load()
        except ImportError:
            missing.append(name)
        except Exception as error:  # any error of another library: the others must still be measured
            missing.append(f"{name} ({type(error).__name__} when imported)")
    return missing


@triton.jit
def _one_row_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)


def one_row(x: torch.Tensor) -> torch.Tensor:
    """Softmax of x (M×N) as in lesson 05: one program per row, with more warps for a wider block."""
    y = torch.empty_like(x)
    block = triton.next_power_of_2(x.shape[1])
    warps = 16 if block >= 4096 else 8 if block >= 2048 else 4
    _one_row_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=block, num_warps=warps)
    return y


@functools.cache
def along(dim: int, log: bool = False) -> dict[str, Softmax]:
    """softmax along a dimension, or log_softmax: the shipped one, PyTorch's, and the compiled one."""
    from .. import fast

    name = "log_softmax" if log else "softmax"
    theirs = getattr(torch, name)
    torch._dynamo.config.cache_size_limit = 1024
    return {
        name: lambda x: getattr(fast, name)(x, dim),
        "torch": lambda x: theirs(x, dim),
        "torch.compile": torch.compile(lambda x: theirs(x, dim), dynamic=False),
    }


def losses() -> tuple[dict[str, Loss], list[str]]:
    """({name: cross-entropy}, names of those that are left out)."""
    from .. import fast

    theirs = torch.nn.functional.cross_entropy
    torch._dynamo.config.cache_size_limit = 1024
    here: dict[str, Loss] = {
        "cross_entropy": fast.cross_entropy,
        "torch": theirs,
        "torch.compile": torch.compile(lambda x, target: theirs(x, target), dynamic=False),
    }
    return here, _add_others(here, Liger=_liger_loss, QuACK=_quack_loss)


def linear_losses() -> tuple[dict[str, Callable[..., torch.Tensor]], list[str]]:
    """({name: mean loss of (hidden, weight, target)}, names of those that are left out)."""
    from .. import fast

    def theirs(hidden, weight, target):
        return torch.nn.functional.cross_entropy(torch.nn.functional.linear(hidden, weight), target)

    here = {
        "linear_cross_entropy": fast.linear_cross_entropy,
        "torch": theirs,
        "torch.compile": torch.compile(theirs, dynamic=False),
    }
    return here, _add_others(here, Liger=_liger_linear, QuACK=_quack_linear)


def _liger_linear() -> Callable[..., torch.Tensor]:
    from liger_kernel.ops.fused_linear_cross_entropy import LigerFusedLinearCrossEntropyFunction

    return lambda hidden, weight, target: LigerFusedLinearCrossEntropyFunction.apply(hidden, weight, target)[0]


def _quack_linear() -> Callable[..., torch.Tensor]:
    from quack.linear_cross_entropy import chunked_linear_cross_entropy

    return chunked_linear_cross_entropy


def _liger_loss() -> Loss:
    from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction

    return lambda x, target: LigerCrossEntropyFunction.apply(x, target, None)[0]


def _quack_loss() -> Loss:
    from quack.cross_entropy import cross_entropy

    return lambda x, target: cross_entropy(x, target, reduction="mean")


def _liger() -> Softmax:
    from liger_kernel.ops.softmax import LigerSoftmaxFunction

    return LigerSoftmaxFunction.apply


def _quack() -> Softmax:
    from quack.softmax import softmax

    return softmax
