"""softmax(x) and log_softmax(x): the functions, and their operators for torch.compile, vmap and autograd."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.autograd import forward_ad

from . import backward, column_launchers, pick
from .on_device import batch_first, has_kernels, is_hidden, on_its_device


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Softmax along a dimension, as torch.softmax(x, dim, dtype).

    x: any shape, contiguous or not. dtype: x is converted to it first. The result has the strides of
    torch.empty_like(x): those of x where x is dense, as after permute(). So nothing is transposed, whatever dim is.

    Kernels run for float32, bfloat16 and float16 on the device that Triton compiles for (or on the CPU, where Triton
    interprets). They compute in float32 and round once at the end: for float32 the relative error is a few units of
    6e-8 for each unit that an element lies below the maximum of its row; for 16 bits it is half a unit in the last
    place. A row of nothing but -inf, or with an inf or NaN, becomes NaN. The same input gives the same bits at each
    call. Everything else goes to torch.softmax: float64, no dimensions, subclasses and tensors that
    are not dense, and what it refuses (with its errors).

    Autograd gives the first two gradients; vmap and torch.compile know it as an operator.
    """
    return _of(torch.softmax, x, dim, dtype, False)


def log_softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    """The logarithm of softmax(x, dim, dtype), without its loss of digits: (x - m) - log(sum of exp(x - m)).

    Everything as for softmax, on the same kernels.
    """
    return _of(torch.log_softmax, x, dim, dtype, True)


def _of(reference: Callable, x: object, dim: int, dtype: torch.dtype | None, log: bool) -> torch.Tensor:
    """From a kernel, after a conversion, where kernels can run; from reference(x, dim, dtype=dtype) elsewhere."""
    if not has_kernels(x) or type(dim) is not int or not -x.dim() <= dim < x.dim():
        return reference(x, dim, dtype=dtype)
    if (dtype or x.dtype) not in pick.KINDS or x.is_complex() or forward_ad._current_level >= 0:
        return reference(x, dim, dtype=dtype)  # derivatives in forward mode are PyTorch's own
    if dtype is None and x.is_cuda and torch.is_autocast_enabled("cuda"):
        dtype = torch.float32  # as PyTorch's functions
    return _apply(x if dtype is None else x.to(dtype), dim % x.dim(), log)


def _apply(x: torch.Tensor, dim: int, log: bool) -> torch.Tensor:
    if torch.compiler.is_compiling():
        return _operator(x, dim, log)
    if x.requires_grad and torch.is_grad_enabled():
        return _Softmax.apply(x, dim, log)
    return _eager(x, dim, log)


def _eager(x: torch.Tensor, dim: int, log: bool) -> torch.Tensor:
    return _operator(x, dim, log) if is_hidden(x) else _forward(x, dim, log)


def _forward(x: torch.Tensor, dim: int, log: bool) -> torch.Tensor:
    y = torch.empty_like(x)
    if x.numel():
        on_its_device(_store, y, x, dim, log)
    return y


def _store(y: torch.Tensor, x: torch.Tensor, dim: int, log: bool) -> None:
    """Store the result in y, which is dense."""
    if x.dim() == 2 and dim == 1 and x.is_contiguous():
        pick.launch(y, x, log)
    elif x.stride() != y.stride() and dim == x.dim() - 1 and x.stride(dim) == 1 and y.is_contiguous():
        rows = x.reshape(-1, x.shape[dim])  # which may lie apart
        pick.launch(y.view(rows.shape), rows, log)
    else:
        x = _like(y, x)
        if lies := column_launchers.shape(y, dim):
            column_launchers.forward(y, x, lies, log)
        else:
            pick.launch(_rows(y, dim), _rows(x, dim), log)


def _like(dense: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """x, in the memory order of a dense tensor."""
    return x if x.stride() == dense.stride() else torch.empty_like(dense).copy_(x)


def _rows(dense: torch.Tensor, dim: int) -> torch.Tensor:
    """A dense tensor as a matrix, along whose rows the dimension goes that is the last one in memory."""
    n = dense.shape[dim]
    return dense.as_strided((dense.numel() // n, n), (n, 1))


@torch.library.custom_op("five_passes::softmax", mutates_args=())
def _operator(x: torch.Tensor, dim: int, log: bool) -> torch.Tensor:
    return _forward(x, dim, log)


def _eager_gradient(y: torch.Tensor, dy: torch.Tensor, dim: int, log: bool) -> torch.Tensor:
    return _gradient(y, dy, dim, log) if is_hidden(y, dy) else _backward(y, dy, dim, log)


def _backward(y: torch.Tensor, dy: torch.Tensor, dim: int, log: bool) -> torch.Tensor:
    dx = torch.empty_like(y)
    if y.numel():
        on_its_device(_store_gradient, dx, y, dy, dim, log)
    return dx


def _store_gradient(dx: torch.Tensor, y: torch.Tensor, dy: torch.Tensor, dim: int, log: bool) -> None:
    y, dy = _like(dx, y), _like(dx, dy)
    if lies := column_launchers.shape(dx, dim):
        column_launchers.backward(dx, y, dy, lies, log)
    else:
        backward.launch(_rows(dx, dim), _rows(y, dim), _rows(dy, dim), log)


@torch.library.custom_op("five_passes::softmax_backward", mutates_args=())
def _gradient(y: torch.Tensor, dy: torch.Tensor, dim: int, log: bool) -> torch.Tensor:
    return _backward(y, dy, dim, log)


@_operator.register_fake
def _(x, dim, log):
    return torch.empty_like(x)


@_gradient.register_fake
def _(y, dy, dim, log):
    return torch.empty_like(y)


def _save(ctx, inputs, output):
    _, ctx.dim, ctx.log = inputs
    ctx.save_for_backward(output)


def _save_gradient(ctx, inputs, output):
    y, dy, ctx.dim, ctx.log = inputs
    ctx.save_for_backward(y, dy)


def _differentiate_gradient(ctx, g):
    """Of dx = y (dy - sum y dy), or for the logarithm dy - exp(y) sum dy, with respect to y and dy. g: that of dx."""
    y, dy = ctx.saved_tensors
    wide, dy_wide, g_wide = y.float(), dy.float(), g.float()
    if ctx.log:
        p = wide.exp()
        along = (g_wide * p).sum(ctx.dim, keepdim=True)
        first, second = -dy_wide.sum(ctx.dim, keepdim=True) * g_wide * p, g_wide - along
    else:
        along = (g_wide * wide).sum(ctx.dim, keepdim=True)
        dot = (dy_wide * wide).sum(ctx.dim, keepdim=True)
        first, second = g_wide * (dy_wide - dot) - dy_wide * along, wide * (g_wide - along)
    return first.to(y.dtype), second.to(dy.dtype), None, None


_operator.register_autograd(
    lambda ctx, dy: (_gradient(ctx.saved_tensors[0], dy, ctx.dim, ctx.log), None, None), setup_context=_save
)
_gradient.register_autograd(_differentiate_gradient, setup_context=_save_gradient)


@torch.library.register_vmap(_operator)
def _(info, dims, x, dim, log):
    return _operator(x.movedim(dims[0], 0), dim + 1, log), 0


@torch.library.register_vmap(_gradient)
def _(info, dims, y, dy, dim, log):
    return _gradient(*batch_first(info, dims, y, dy), dim + 1, log), 0


# An operator of torch.library cannot be differentiated inside of vmap, torch.func.grad and the like; these can.
class _Softmax(torch.autograd.Function):
    forward = staticmethod(_eager)
    setup_context = staticmethod(_save)

    @staticmethod
    def backward(ctx, dy):
        gradient = _Gradient.apply if torch.is_grad_enabled() else _eager_gradient  # which the host calls sooner
        return gradient(ctx.saved_tensors[0], dy, ctx.dim, ctx.log), None, None

    @staticmethod
    def vmap(info, dims, x, dim, log):
        return _Softmax.apply(x.movedim(dims[0], 0), dim + 1, log), 0


class _Gradient(torch.autograd.Function):
    forward = staticmethod(_eager_gradient)
    setup_context = staticmethod(_save_gradient)
    backward = staticmethod(_differentiate_gradient)

    @staticmethod
    def vmap(info, dims, y, dy, dim, log):
        return _Gradient.apply(*batch_first(info, dims, y, dy), dim + 1, log), 0
