"""linear_cross_entropy(hidden, weight, target): the loss of a linear layer, without the matrix of all logits."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import triton
from torch.autograd import forward_ad

from . import loss_launchers, pick
from .cross_entropy import cross_entropy
from .launchers import LINE, VECTOR, on_nvidia
from .on_device import has_kernels, on_its_device

CHUNK = 1 << 28  # bytes of logits that are there at once; or as many as weight has, where these are more
ODD = 16  # part of CHUNK that is stored whole of logits whose rows do not fill vectors: their product is slow
FEWEST = 128  # rows of a chunk, and what their number is a multiple of: fewer would leave a matrix product idle


def linear_cross_entropy(
    hidden: torch.Tensor,
    weight: torch.Tensor,
    target: torch.Tensor,
    bias: torch.Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> torch.Tensor:
    """cross_entropy(linear(hidden, weight, bias), target, ...), in chunks of rows.

    hidden: (M, K). weight: (N, K). bias: (N). All have one dtype: float32, bfloat16 or float16. target: (M), int64
    class indices. Returns the M losses for reduction "none", else one number; of that dtype, and of float32 under
    autocast, which converts hidden, weight and bias as it does for linear.

    All logits are stored where they take no more than 256 MB, or than weight (no more than 16 MB where their rows do
    not fill vectors of 16 bytes). Else there is one chunk at a time: 256 MB, as many bytes as weight has, or 128 rows,
    whichever is most. Its gradient takes the place of its logits.

    The gradients are made with the loss, in three matrix products, and wait for the gradient of the loss: that of
    hidden in its dtype, those of weight and bias in float32, in which they are summed (4 N (K + 1) bytes). They are
    rounded once, after the gradient of the loss is known. For reduction "none", and for float16, whose smallest numbers
    need that gradient first, a chunk's logits are made again in backward. This costs a fourth product; 8 bytes a row
    wait, and the sums are there in backward alone.

    Autograd gives the first gradient; the second is a RuntimeError where there are chunks. torch.compile knows them as
    an operator. Errors and what no kernel takes are those of linear and cross_entropy, and all logits are stored: also
    inside of torch.func, and for derivatives in forward mode.
    """
    inputs = _as_under_autocast(hidden, weight, bias)
    keeps_settings = (
        reduction in ("none", "mean", "sum") and type(ignore_index) is int
        and type(label_smoothing) in (int, float) and 0 <= label_smoothing <= 1
    )  # fmt: skip
    if not (keeps_settings and _in_chunks(*inputs, target) and _in_bounds(target, len(weight), ignore_index)):
        logits = torch.nn.functional.linear(hidden, weight, bias)
        return cross_entropy(
            logits, target, ignore_index=ignore_index, reduction=reduction, label_smoothing=label_smoothing
        )
    hidden, weight, bias = inputs
    early = torch.is_grad_enabled() and reduction != "none" and hidden.dtype != torch.float16
    keep = [early and t is not None and t.requires_grad for t in inputs]
    wide = torch.is_autocast_enabled(hidden.device.type)
    return _operator(hidden, weight, bias, target, ignore_index, float(label_smoothing), reduction, wide, keep)[0]


def _as_under_autocast(
    hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """The inputs in the dtypes that linear would take them in."""
    if not (has_kernels(hidden) and has_kernels(weight) and (bias is None or has_kernels(bias))):
        return hidden, weight, bias
    if not torch.is_autocast_enabled(hidden.device.type):
        return hidden, weight, bias
    narrow = torch.get_autocast_dtype(hidden.device.type)
    hidden, weight, bias = (
        t if t is None or t.dtype not in pick.KINDS else t.to(narrow) for t in (hidden, weight, bias)
    )
    return hidden, weight, bias


def _in_chunks(hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, target: torch.Tensor) -> bool:
    """Whether there are kernels for these, and more logits than a chunk."""
    matrices = [hidden, weight] if bias is None else [hidden, weight, bias]
    tensors = [*matrices, target]
    if not all(has_kernels(t) for t in tensors) or any(t.device != hidden.device for t in tensors):
        return False
    if not torch.compiler.is_compiling() and any(torch._C._functorch.is_functorch_wrapped_tensor(t) for t in tensors):
        return False
    return (
        hidden.dtype in pick.KINDS and all(t.dtype == hidden.dtype for t in matrices) and target.dtype == torch.int64
        and hidden.dim() == weight.dim() == 2 and target.dim() == 1 and len(hidden) == len(target)
        and hidden.shape[1] == weight.shape[1] > 0 and (bias is None or bias.shape == weight.shape[:1])
        and len(hidden) > FEWEST and len(hidden) * len(weight) * hidden.element_size() > _all_stored(weight)
        and forward_ad._current_level < 0  # derivatives in forward mode are PyTorch's own
    )  # fmt: skip


def _chunk(weight: torch.Tensor) -> int:
    """Bytes of logits of a chunk.

    When the gradient of weight is rounded, which takes as many bytes as weight has, there is no chunk. So a chunk of
    as many adds nothing to the most that is there at once.
    """
    return max(CHUNK, weight.numel() * weight.element_size())


def _all_stored(weight: torch.Tensor) -> int:
    """Up to how many bytes all logits are stored."""
    fills_vectors = len(weight) * weight.element_size() % VECTOR == 0
    return _chunk(weight) if fills_vectors else CHUNK // ODD


def _in_bounds(target: torch.Tensor, classes: int, ignore: int) -> bool:
    """Whether all targets are classes. Kernels on a GPU look themselves, and nobody waits for them."""
    if target.device.type != "cpu" or torch.compiler.is_compiling():
        return True
    return bool(((target >= 0) & (target < classes) | (target == ignore)).all())


def _chunks(
    hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
) -> Iterator[tuple[slice, torch.Tensor]]:
    """Which rows, and their logits, in the memory of one chunk.

    Rows of logits begin at lines of memory, whatever their number: so a product may store them 16 bytes at a time.
    """
    m, n, size = len(hidden), len(weight), hidden.element_size()
    stride = triton.cdiv(n * size, LINE) * LINE // size
    most = max(_chunk(weight) // (stride * size) // FEWEST * FEWEST, FEWEST)
    rows = triton.cdiv(triton.cdiv(m, triton.cdiv(m, most)), FEWEST) * FEWEST
    memory = torch.empty((min(rows, m), stride), dtype=hidden.dtype, device=hidden.device)
    for begin in range(0, m, rows):
        where = slice(begin, min(begin + rows, m))
        logits = memory[: where.stop - begin, :n]
        for part in _parts(weight):
            if bias is None:
                torch.mm(hidden[where], weight[part].t(), out=logits[:, part])
            else:
                torch.addmm(bias[part], hidden[where], weight[part].t(), out=logits[:, part])
        yield where, logits


def _parts(weight: torch.Tensor) -> list[slice]:
    """The classes whose logits fill vectors, and the few others: one product of all takes four times as long."""
    n, unit = len(weight), VECTOR // weight.element_size()
    whole = n // unit * unit
    return [part for part in (slice(0, whole), slice(whole, n)) if part.start < part.stop]


def _sums(wanted: list[bool], hidden: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Memory for the gradients of hidden, weight and bias: of no elements for one that is not wanted."""
    shapes = (hidden.shape, weight.shape, weight.shape[:1])
    dtypes = (hidden.dtype, torch.float32, torch.float32)
    return tuple(
        torch.empty(shape if want else (0,), dtype=dtype, device=hidden.device)
        for want, shape, dtype in zip(wanted, shapes, dtypes, strict=True)
    )


def _add(sums, hidden: torch.Tensor, weight: torch.Tensor, where: slice, d: torch.Tensor) -> None:
    """Add to the gradients what follows from d, the gradient of the logits of some rows."""
    of_hidden, of_weight, of_bias = sums
    first = where.start == 0
    for part in _parts(weight):
        if of_hidden.numel():
            of_hidden[where].addmm_(d[:, part], weight[part], beta=1 if part.start else 0)
        if of_weight.numel():
            _add_product(of_weight[part], d[:, part].t(), hidden[where], first)
    if of_bias.numel():
        summed = d.sum(0, dtype=torch.float32)
        of_bias.copy_(summed if first else of_bias + summed)


def _add_product(total: torch.Tensor, a: torch.Tensor, b: torch.Tensor, first: bool) -> None:
    """total += a @ b, or total = a @ b the first time, in the float32 of the total if the device can add to it."""
    beta = 0 if first else 1
    if a.dtype == total.dtype:
        total.addmm_(a, b, beta=beta)
    elif on_nvidia(a):
        torch.addmm(total, a, b, out_dtype=total.dtype, beta=beta, out=total)
    else:
        total.copy_(a @ b if first else total + a @ b)


@torch.library.custom_op("five_passes::linear_cross_entropy", mutates_args=())
def _operator(
    hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, target: torch.Tensor, ignore: int,
    smoothing: float, reduction: str, wide: bool, keep: list[bool],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    """(loss, states, share, and those gradients of hidden, weight and bias that `keep` says, for a loss of gradient 1).

    states: as of cross_entropy. share: of a row in the loss. wide: the loss is of float32.
    """
    m, floats = len(hidden), {"dtype": torch.float32, "device": hidden.device}
    losses, states, one, share = (torch.empty(shape, **floats) for shape in ((m,), (m, 2), (), ()))
    one.fill_(1)
    share.fill_(1)
    if reduction == "mean":
        share /= (target != ignore).sum()
    sums, targets = _sums(keep, hidden, weight), target.contiguous()
    each, together = (loss_launchers.settings(ignore, smoothing, r) for r in ("none", "sum"))
    with torch.autocast(hidden.device.type, enabled=False):
        for where, x in _chunks(hidden, weight, bias):
            on_its_device(loss_launchers.forward, losses[where], states[where], share, x, targets[where], each)
            if any(keep):
                on_its_device(loss_launchers.backward, x, x, targets[where], states[where], one, share, together)
                _add(sums, hidden, weight, where, x)
        loss = losses if reduction == "none" else losses.sum() * share
    return loss if wide else loss.to(hidden.dtype), states, share, *sums


@torch.library.custom_op("five_passes::linear_cross_entropy_scale", mutates_args=())
def _scale(
    g: torch.Tensor, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients that were kept, times that of the loss, in float32, rounded once to the dtype of the first."""
    scaled = tuple(torch.empty(t.shape, dtype=hidden.dtype, device=t.device) for t in (hidden, weight, bias))
    for y, x in zip(scaled, (hidden, weight, bias), strict=True):
        if x.numel():
            on_its_device(loss_launchers.scale, y, x, g)
    return scaled


@torch.library.custom_op("five_passes::linear_cross_entropy_backward", mutates_args=())
def _again(
    g: torch.Tensor, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, target: torch.Tensor,
    states: torch.Tensor, share: torch.Tensor, ignore: int, smoothing: float, reduction: str, wanted: list[bool],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    """The gradients of hidden, weight and bias, from logits that are made again."""
    sums, targets = _sums(wanted, hidden, weight), target.contiguous()
    settings = loss_launchers.settings(ignore, smoothing, reduction)
    with torch.autocast(hidden.device.type, enabled=False):
        for where, x in _chunks(hidden, weight, bias):
            of_loss = g[where] if reduction == "none" else g
            on_its_device(loss_launchers.backward, x, x, targets[where], states[where], of_loss, share, settings)
            _add(sums, hidden, weight, where, x)
    return tuple(t.to(hidden.dtype) for t in sums)


@_operator.register_fake
def _(hidden, weight, bias, target, ignore, smoothing, reduction, wide, keep):
    m, floats = len(hidden), {"dtype": torch.float32, "device": hidden.device}
    loss = hidden.new_empty((m,) if reduction == "none" else (), dtype=torch.float32 if wide else hidden.dtype)
    return loss, torch.empty((m, 2), **floats), torch.empty((), **floats), *_sums(keep, hidden, weight)


@_scale.register_fake
def _(g, hidden, weight, bias):
    return tuple(torch.empty(t.shape, dtype=hidden.dtype, device=t.device) for t in (hidden, weight, bias))


@_again.register_fake
def _(g, hidden, weight, bias, target, states, share, ignore, smoothing, reduction, wanted):
    return tuple(t.to(hidden.dtype) for t in _sums(wanted, hidden, weight))


def _save(ctx, inputs, output):
    hidden, weight, bias, target, *ctx.settings, _, keep = inputs
    _, states, share, *kept = output
    ctx.set_materialize_grads(False)  # what is kept has none, and is large
    ctx.kept = any(keep)
    ctx.save_for_backward(*(kept if ctx.kept else (hidden, weight, bias, target, states, share)))


def _differentiate(ctx, g, *_):
    wanted = list(ctx.needs_input_grad[:3])
    if ctx.kept:
        found = _scale(g, *ctx.saved_tensors)
    else:
        found = _again(g, *ctx.saved_tensors, *ctx.settings, wanted)
    return *(t if want else None for t, want in zip(found, wanted, strict=True)), *6 * [None]


def _refuse(ctx, *_):
    raise RuntimeError("linear_cross_entropy has no second gradient: take cross_entropy(linear(hidden, weight, bias))")


_operator.register_autograd(_differentiate, setup_context=_save)
_scale.register_autograd(_refuse)
_again.register_autograd(_refuse)
