"""cross_entropy(input, target): the function, and its operators for torch.compile, vmap and autograd."""

from __future__ import annotations

import torch
from torch.autograd import forward_ad

from . import loss_launchers, pick
from .on_device import batch_first, has_kernels, is_hidden, on_its_device

_REDUCTIONS = ("none", "mean", "sum")


def cross_entropy(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> torch.Tensor:
    """Cross-entropy of logits and class indices, as torch.nn.functional.cross_entropy with the same arguments.

    input: (C), (N, C) or (N, C, d1, ...) logits. target: int64 class indices, of shape (), (N) or (N, d1, ...).
    Returns the losses in the shape of target for reduction "none", else one number; of the dtype of input, and under
    autocast of float32.

    Kernels run for float32, bfloat16 and float16 whose classes are adjacent in memory: (N, C), and (N, C, d1, ...) that
    is a transposed (N, d1, ..., C). They read the logits once for the loss and once for the gradient, compute in
    float32, round once at the end, and keep two numbers of float32 a row for the gradient. The same input gives the
    same bits at each call. A target that is no class ends as in PyTorch: IndexError on a CPU, a failed assertion on a
    GPU. Everything else goes to PyTorch: weight, class probabilities, float64, and what it refuses (with its errors).

    Autograd gives the first two gradients; vmap and torch.compile know it as an operator.
    """
    ours = (
        weight is None and size_average is None and reduce is None and reduction in _REDUCTIONS
        and type(ignore_index) is int and type(label_smoothing) in (int, float) and 0 <= label_smoothing <= 1
    )  # fmt: skip
    rows = _rows(input, target) if ours else None
    if rows is not None and _in_bounds(*rows, ignore_index):
        wide = torch.is_autocast_enabled(input.device.type)
        losses = _apply(*rows, ignore_index, float(label_smoothing), reduction, wide)
        return losses.view(target.shape) if reduction == "none" else losses
    return torch.nn.functional.cross_entropy(
        input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing
    )


def _rows(x: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor] | None:
    """(M×C logits with adjacent columns, M targets), where kernels run for them as they are."""
    if not (has_kernels(x) and has_kernels(target)):
        return None
    fits = (
        x.dtype in pick.KINDS and target.dtype == torch.int64 and x.device == target.device
        and x.dim() > 0 and target.shape == x.shape[:-1][:1] + x.shape[2:] and 0 < x.numel()
        and forward_ad._current_level < 0  # derivatives in forward mode are PyTorch's own
    )  # fmt: skip
    if not fits:
        return None
    last = x.movedim(1, -1) if x.dim() > 2 else x
    if last.stride(-1) != 1 and last.shape[-1] > 1:
        return None
    if x.dim() == 2:
        return x, target
    return last.reshape(-1, last.shape[-1]), target.reshape(-1)


def _in_bounds(x: torch.Tensor, target: torch.Tensor, ignore: int) -> bool:
    """Whether all targets are classes. A GPU is not asked: its kernels look, and nobody waits for them."""
    if x.device.type != "cpu" or torch.compiler.is_compiling() or torch._C._functorch.maybe_get_level(target) >= 0:
        return True
    return bool(((target >= 0) & (target < x.shape[1]) | (target == ignore)).all())


def _apply(
    x: torch.Tensor, target: torch.Tensor, ignore: int, smoothing: float, reduction: str, wide: bool
) -> torch.Tensor:
    if torch.compiler.is_compiling():
        return _operator(x, target, ignore, smoothing, reduction, wide)[0]
    if _is_batched(x) or _is_batched(target):  # rows are the batch of a kernel: only each alone can have a loss
        losses = _Losses.apply(x, target, ignore, smoothing, "none", wide)[0]
        if reduction == "none":
            return losses
        total = losses.sum()
        return total / (target != ignore).sum().to(losses.dtype) if reduction == "mean" else total
    if x.requires_grad and torch.is_grad_enabled():
        return _Losses.apply(x, target, ignore, smoothing, reduction, wide)[0]
    return _eager(x, target, ignore, smoothing, reduction, wide)[0]


def _eager(x, target, ignore, smoothing, reduction, wide):
    function = _operator if is_hidden(x, target) else _forward
    return function(x, target, ignore, smoothing, reduction, wide)


def _is_batched(x: torch.Tensor) -> bool:
    """Whether x is a tensor of vmap, at any level of torch.func."""
    while torch._C._functorch.is_functorch_wrapped_tensor(x):
        if torch._C._functorch.is_batchedtensor(x):
            return True
        x = torch._C._functorch.get_unwrapped(x)
    return False


def _forward(x, target, ignore, smoothing, reduction, wide):
    """(loss, states, weight), as loss_launchers.forward stores them; an empty weight for reduction "none".

    wide: the loss is of float32, else of the dtype of x.
    """
    m = x.shape[0]
    x = x if x.stride(1) == 1 or x.shape[1] == 1 else x.contiguous()
    loss = x.new_empty((m,) if reduction == "none" else (), dtype=torch.float32 if wide else x.dtype)
    states = torch.empty((m, 2), dtype=torch.float32, device=x.device)
    weight = torch.empty((0,) if reduction == "none" else (), dtype=torch.float32, device=x.device)
    settings = loss_launchers.settings(ignore, smoothing, reduction)
    on_its_device(loss_launchers.forward, loss, states, weight, x, target.contiguous(), settings)
    return loss, states, weight


def _backward(g, x, target, states, weight, ignore, smoothing, reduction):
    x = x if x.stride(1) == 1 or x.shape[1] == 1 else x.contiguous()
    dx = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    settings = loss_launchers.settings(ignore, smoothing, reduction)
    on_its_device(loss_launchers.backward, dx, x, target.contiguous(), states, g, weight, settings)
    return dx


@torch.library.custom_op("five_passes::cross_entropy", mutates_args=())
def _operator(
    x: torch.Tensor, target: torch.Tensor, ignore: int, smoothing: float, reduction: str, wide: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return _forward(x, target, ignore, smoothing, reduction, wide)


@torch.library.custom_op("five_passes::cross_entropy_backward", mutates_args=())
def _gradient(
    g: torch.Tensor, x: torch.Tensor, target: torch.Tensor, states: torch.Tensor, weight: torch.Tensor,
    ignore: int, smoothing: float, reduction: str,
) -> torch.Tensor:  # fmt: skip
    return _backward(g, x, target, states, weight, ignore, smoothing, reduction)


@_operator.register_fake
def _(x, target, ignore, smoothing, reduction, wide):
    loss = x.new_empty((x.shape[0],) if reduction == "none" else (), dtype=torch.float32 if wide else x.dtype)
    states = x.new_empty((x.shape[0], 2), dtype=torch.float32)
    return loss, states, x.new_empty((0,) if reduction == "none" else (), dtype=torch.float32)


@_gradient.register_fake
def _(g, x, target, states, weight, ignore, smoothing, reduction):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def _save(ctx, inputs, output):
    x, target, *ctx.settings, _ = inputs
    _, states, weight = output
    ctx.save_for_backward(x, target, states, weight)
    ctx.mark_non_differentiable(states, weight)


def _eager_gradient(g, x, target, states, weight, ignore, smoothing, reduction):
    function = _gradient if is_hidden(g, x, target) else _backward
    return function(g, x, target, states, weight, ignore, smoothing, reduction)


def _save_gradient(ctx, inputs, output):
    g, x, target, states, weight, *ctx.settings = inputs
    ctx.save_for_backward(g, x, target, states, weight)


def _differentiate_gradient(ctx, h):
    """Of dx = scale * (p - q) with respect to g, to which the scale is proportional, and x. h: the gradient of dx."""
    g, x, target, _, weight = ctx.saved_tensors
    ignore, smoothing, reduction = ctx.settings
    p = torch.softmax(x.float(), -1)
    hits = (torch.arange(x.shape[-1], device=x.device) == target.unsqueeze(-1)).float()
    counted = (target != ignore).unsqueeze(-1).float()
    if reduction != "none":
        counted = counted * weight
    wide = h.float() * counted
    scale = g.float().unsqueeze(-1)
    dg = (wide * (p - smoothing / x.shape[-1] - (1 - smoothing) * hits)).sum(-1)
    dx = scale * p * (wide - (wide * p).sum(-1, keepdim=True))
    return (dg.sum() if reduction != "none" else dg).to(g.dtype), dx.to(x.dtype)


def _save_operator(ctx, inputs, output):
    x, target, *ctx.settings, _ = inputs
    ctx.save_for_backward(x, target, *output[1:])


_operator.register_autograd(
    lambda ctx, g, *_: (_gradient(g, *ctx.saved_tensors, *ctx.settings), *5 * [None]),
    setup_context=_save_operator,
)
_gradient.register_autograd(
    lambda ctx, h: (*_differentiate_gradient(ctx, h), *6 * [None]), setup_context=_save_gradient
)


# An operator of torch.library cannot be differentiated inside of vmap, torch.func.grad and the like; these can.
class _Losses(torch.autograd.Function):
    forward = staticmethod(_eager)
    setup_context = staticmethod(_save)

    @staticmethod
    def backward(ctx, g, *_):
        gradient = _Gradient.apply if torch.is_grad_enabled() else _eager_gradient  # which the host calls sooner
        return gradient(g, *ctx.saved_tensors, *ctx.settings), *5 * [None]

    @staticmethod
    def vmap(info, dims, x, target, ignore, smoothing, reduction, wide):
        x, target = batch_first(info, dims, x, target)
        batch, m, n = x.shape
        loss, states, weight = _Losses.apply(
            x.reshape(batch * m, n), target.reshape(batch * m), ignore, smoothing, reduction, wide
        )
        return (loss.view(batch, m), states.view(batch, m, 2), weight), (0, 0, None)


class _Gradient(torch.autograd.Function):
    forward = staticmethod(_eager_gradient)
    setup_context = staticmethod(_save_gradient)

    @staticmethod
    def backward(ctx, h):
        return *_differentiate_gradient(ctx, h), *6 * [None]

    @staticmethod
    def vmap(info, dims, g, x, target, states, weight, ignore, smoothing, reduction):
        g, x, target, states = batch_first(info, dims, g, x, target, states)
        batch, m, n = x.shape
        dx = _Gradient.apply(
            g.reshape(batch * m), x.reshape(batch * m, n), target.reshape(batch * m), states.reshape(batch * m, 2),
            weight, ignore, smoothing, reduction,
        )  # fmt: skip
        return dx.view(batch, m, n), 0
