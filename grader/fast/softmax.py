"""softmax(x): the function, its gradient, and the operators of both for torch.compile and autograd."""

from __future__ import annotations

import torch

from . import backward, pick


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax along the last dimension.

    x: any shape with at least one dimension, float32, bfloat16 or float16, contiguous or not, on the device that Triton
    compiles for (or on the CPU, where Triton interprets). Returns a contiguous tensor of the same shape and dtype.

    Computed in float32 and rounded once at the end: for float32 the relative error is a few units of 6e-8 for each
    unit that an element lies below the maximum of its row; for 16 bits it is half a unit in the last place. A row of
    nothing but -inf, or with an inf or NaN, becomes NaN, as in torch.softmax. Autograd gives the gradient.

    Raises TypeError for anything but a tensor of these dtypes, ValueError for a tensor without dimensions.
    """
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"softmax takes a tensor, and this is a {type(x).__name__}")
    if x.dtype not in pick.KINDS:
        raise TypeError(f"softmax takes float32, bfloat16 or float16, and this tensor has {x.dtype}")
    if x.dim() == 0:
        raise ValueError("softmax needs at least one dimension, and this tensor has none")
    if torch.compiler.is_compiling() or x.requires_grad and torch.is_grad_enabled():
        return _operator(x)
    return _forward(x)


def _forward(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    if x.dim() == 2 and x.is_contiguous() and x.numel():
        pick.launch(y, x)
    elif x.numel():
        rows = x.reshape(-1, x.shape[-1])
        rows = rows if rows.stride(1) == 1 or rows.shape[1] == 1 else rows.contiguous()
        pick.launch(y.view(rows.shape), rows)
    return y


@torch.library.custom_op("five_passes::softmax", mutates_args=())
def _operator(x: torch.Tensor) -> torch.Tensor:
    return _forward(x)


@torch.library.custom_op("five_passes::softmax_backward", mutates_args=())
def _gradient(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    dx = torch.empty_like(y)
    if y.numel():
        rows = (-1, y.shape[-1])
        backward.launch(dx.view(rows), y.view(rows), dy.contiguous().view(rows))
    return dx


@_operator.register_fake
def _(x):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


@_gradient.register_fake
def _(y, dy):
    return torch.empty_like(y)


def _save(ctx, inputs, output):
    ctx.save_for_backward(output)


def _differentiate(ctx, dy):
    return _gradient(ctx.saved_tensors[0], dy)


_operator.register_autograd(_differentiate, setup_context=_save)
