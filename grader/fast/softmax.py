"""softmax(x) and log_softmax(x): the functions, and their operators for torch.compile, vmap and autograd."""

from __future__ import annotations

import torch
from torch.autograd import forward_ad

from . import backward, pick
from .on_device import on_its_device


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Softmax along a dimension, as torch.softmax(x, dim, dtype).

    x: any shape, contiguous or not. dtype: x is converted to it first. Returns a contiguous tensor of the same shape.

    Kernels run for float32, bfloat16 and float16 on the device that Triton compiles for (or on the CPU, where Triton
    interprets). They compute in float32 and round once at the end: for float32 the relative error is a few units of
    6e-8 for each unit that an element lies below the maximum of its row; for 16 bits it is half a unit in the last
    place. A row of nothing but -inf, or with an inf or NaN, becomes NaN. The same input gives the same bits at each
    call. Everything else goes to torch.softmax: float64, no dimensions, what it refuses (with its errors).

    Autograd gives the first two gradients; vmap and torch.compile know it as an operator.
    """
    if _ours(x, dim, dtype):
        return _apply(x, False)
    return _other(torch.softmax, x, dim, dtype, False)


def log_softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    """The logarithm of softmax(x, dim, dtype), without its loss of digits: (x - m) - log(sum of exp(x - m)).

    Everything as for softmax, on the same kernels.
    """
    if _ours(x, dim, dtype):
        return _apply(x, True)
    return _other(torch.log_softmax, x, dim, dtype, True)


def _ours(x: object, dim: int, dtype: torch.dtype | None) -> bool:
    """Whether kernels run for x as it is."""
    return (
        isinstance(x, torch.Tensor) and dtype is None and x.dtype in pick.KINDS
        and x.dim() > 0 and (dim == -1 or dim == x.dim() - 1)
        and forward_ad._current_level < 0  # derivatives in forward mode are PyTorch's own
    )  # fmt: skip


def _other(reference, x: object, dim: int, dtype: torch.dtype | None, log: bool) -> torch.Tensor:
    """Another dimension or a conversion first, where kernels can run after that; reference(x, dim, dtype) elsewhere."""
    after = dtype or (x.dtype if isinstance(x, torch.Tensor) else None)
    fits = isinstance(x, torch.Tensor) and type(dim) is int and x.dim() > 0 and -x.dim() <= dim < x.dim()
    if not fits or after not in pick.KINDS or x.is_complex() or forward_ad._current_level >= 0:
        return reference(x, dim, dtype=dtype)
    last = x.to(after).movedim(dim, -1)
    return _apply(last, log).movedim(-1, dim).contiguous()


def _apply(x: torch.Tensor, log: bool) -> torch.Tensor:
    if torch.compiler.is_compiling():
        return _operator(x, log)
    if x.requires_grad and torch.is_grad_enabled():
        return _Softmax.apply(x, log)
    return _eager(x, log)


def _eager(x: torch.Tensor, log: bool) -> torch.Tensor:
    try:
        x.data_ptr()
    except RuntimeError:  # no memory of its own: a tensor of vmap, or one without data
        return _operator(x, log)
    return _forward(x, log)


def _forward(x: torch.Tensor, log: bool) -> torch.Tensor:
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    if x.numel():
        on_its_device(_store, y, x, log)
    return y


def _store(y: torch.Tensor, x: torch.Tensor, log: bool) -> None:
    if x.dim() == 2 and x.is_contiguous():
        pick.launch(y, x, log)
    else:
        rows = x.reshape(-1, x.shape[-1])
        rows = rows if rows.stride(1) == 1 or rows.shape[1] == 1 else rows.contiguous()
        pick.launch(y.view(rows.shape), rows, log)


@torch.library.custom_op("five_passes::softmax", mutates_args=())
def _operator(x: torch.Tensor, log: bool) -> torch.Tensor:
    return _forward(x, log)


def _eager_gradient(y: torch.Tensor, dy: torch.Tensor, log: bool) -> torch.Tensor:
    try:
        y.data_ptr(), dy.data_ptr()
    except RuntimeError:  # as in _eager
        return _gradient(y, dy, log)
    return _backward(y, dy, log)


def _backward(y: torch.Tensor, dy: torch.Tensor, log: bool) -> torch.Tensor:
    dx = torch.empty_like(y, memory_format=torch.contiguous_format)
    if y.numel():
        rows = (-1, y.shape[-1])
        y, dy = y.contiguous().view(rows), dy.contiguous().view(rows)
        on_its_device(backward.launch, dx.view(rows), y, dy, log)
    return dx


@torch.library.custom_op("five_passes::softmax_backward", mutates_args=())
def _gradient(y: torch.Tensor, dy: torch.Tensor, log: bool) -> torch.Tensor:
    return _backward(y, dy, log)


@_operator.register_fake
def _(x, log):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


@_gradient.register_fake
def _(y, dy, log):
    return torch.empty(y.shape, dtype=y.dtype, device=y.device)


def _save(ctx, inputs, output):
    ctx.log = inputs[1]
    ctx.save_for_backward(output)


def _save_gradient(ctx, inputs, output):
    y, dy, ctx.log = inputs
    ctx.save_for_backward(y, dy)


def _differentiate_gradient(ctx, g):
    """Of dx = y (dy - sum y dy), or for the logarithm dy - exp(y) sum dy, with respect to y and dy. g: that of dx."""
    y, dy = ctx.saved_tensors
    wide, dy_wide, g_wide = y.float(), dy.float(), g.float()
    if ctx.log:
        p = wide.exp()
        along = (g_wide * p).sum(-1, keepdim=True)
        return (-dy_wide.sum(-1, keepdim=True) * g_wide * p).to(y.dtype), (g_wide - along).to(dy.dtype), None
    along = (g_wide * wide).sum(-1, keepdim=True)
    dot = (dy_wide * wide).sum(-1, keepdim=True)
    return (g_wide * (dy_wide - dot) - dy_wide * along).to(y.dtype), (wide * (g_wide - along)).to(dy.dtype), None


_operator.register_autograd(lambda ctx, dy: (_gradient(ctx.saved_tensors[0], dy, ctx.log), None), setup_context=_save)
_gradient.register_autograd(_differentiate_gradient, setup_context=_save_gradient)


@torch.library.register_vmap(_operator)
def _(info, dims, x, log):
    return _operator(x.movedim(dims[0], 0), log), 0


@torch.library.register_vmap(_gradient)
def _(info, dims, y, dy, log):
    return _gradient(*_batches(info, dims, y, dy), log), 0


def _batches(info, dims, *tensors):
    """The tensors with the batch as first dimension. Each has it at another place, or not at all."""
    return (
        t.expand(info.batch_size, *t.shape) if dim is None else t.movedim(dim, 0)
        for t, dim in zip(tensors, dims, strict=False)
    )


# An operator of torch.library cannot be differentiated inside of vmap, torch.func.grad and the like; these can.
class _Softmax(torch.autograd.Function):
    forward = staticmethod(_eager)
    setup_context = staticmethod(_save)

    @staticmethod
    def backward(ctx, dy):
        gradient = _Gradient.apply if torch.is_grad_enabled() else _eager_gradient  # which the host calls sooner
        return gradient(ctx.saved_tensors[0], dy, ctx.log), None

    @staticmethod
    def vmap(info, dims, x, log):
        return _Softmax.apply(x.movedim(dims[0], 0), log), 0


class _Gradient(torch.autograd.Function):
    forward = staticmethod(_eager_gradient)
    setup_context = staticmethod(_save_gradient)
    backward = staticmethod(_differentiate_gradient)

    @staticmethod
    def vmap(info, dims, y, dy, log):
        return _Gradient.apply(*_batches(info, dims, y, dy), log), 0
