"""linear_cross_entropy(hidden, weight, target): the loss of a linear layer, without the matrix of all logits."""

from __future__ import annotations

import torch
from torch.autograd.function import once_differentiable

from . import loss_launchers, pick
from .cross_entropy import cross_entropy
from .on_device import has_kernels, is_hidden, on_its_device

CHUNK = 1 << 28  # bytes of the logits that are there at once, about


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

    hidden: (N, H). weight: (C, H). bias: (C). All have one dtype: float32, bfloat16 or float16. target: (N), int64
    class indices. Returns one number of that dtype,
    or of float32 under autocast, which converts the inputs first.

    A chunk is some rows: 256 MB of logits, or 128 rows where these are more. Its gradient takes the place of its
    logits, and is multiplied with weight and hidden at once. So memory holds one chunk and the gradients of the inputs,
    which are made with the loss. The gradient of weight is rounded once a chunk. Autograd gives the first gradient.

    Where no kernels run, for reduction "none", and inside of torch.compile and torch.func, all logits are stored.
    """
    kind = hidden.device.type if isinstance(hidden, torch.Tensor) else ""
    if kind and torch.is_autocast_enabled(kind) and all(has_kernels(t) for t in (hidden, weight)):
        narrow = torch.get_autocast_dtype(kind)
        hidden, weight, bias = (t if t is None else t.to(narrow) for t in (hidden, weight, bias))
    tensors = (hidden, weight) if bias is None else (hidden, weight, bias)
    chunked = (
        reduction in ("mean", "sum") and 0 <= label_smoothing <= 1 and all(has_kernels(t) for t in (*tensors, target))
        and not torch.compiler.is_compiling() and not is_hidden(*tensors, target)
        and {t.dtype for t in tensors} < pick.KINDS.keys() and len({t.dtype for t in tensors}) == 1
        and hidden.dim() == weight.dim() == 2 and target.dim() == 1 and target.dtype == torch.int64
        and len(hidden) == len(target) > 0 and weight.numel() and hidden.shape[1] == weight.shape[1]
        and (bias is None or bias.shape == weight.shape[:1]) and len({t.device for t in (*tensors, target)}) == 1
    )  # fmt: skip
    if not chunked or hidden.device.type == "cpu" and not _in_bounds(target, len(weight), ignore_index):
        logits = torch.nn.functional.linear(hidden, weight, bias)
        return cross_entropy(
            logits, target, ignore_index=ignore_index, reduction=reduction, label_smoothing=label_smoothing
        )
    wide = torch.is_autocast_enabled(kind)
    with torch.autocast(kind, enabled=False):
        return _Chunks.apply(hidden, weight, bias, target, ignore_index, float(label_smoothing), reduction, wide)


def _in_bounds(target: torch.Tensor, classes: int, ignore: int) -> bool:
    return bool(((target >= 0) & (target < classes) | (target == ignore)).all())


class _Chunks(torch.autograd.Function):
    @staticmethod
    def forward(ctx, hidden, weight, bias, target, ignore, smoothing, reduction, wide):
        wanted = dict(zip(("hidden", "weight", "bias"), ctx.needs_input_grad, strict=False))
        settings = loss_launchers.settings(ignore, smoothing, "sum")
        share = torch.ones((), dtype=torch.float32, device=hidden.device)  # of a row in the loss
        if reduction == "mean":
            share /= (target != ignore).sum()
        losses, gradients = [], {}
        for rows, targets in zip(_chunks(hidden, weight), _chunks(target, weight, hidden), strict=True):
            logits = torch.nn.functional.linear(rows, weight, bias)
            states = torch.empty((len(rows), 2), dtype=torch.float32, device=rows.device)
            loss, unused = torch.empty_like(share), torch.empty_like(share)
            on_its_device(loss_launchers.forward, loss, states, unused, logits, targets.contiguous(), settings)
            losses.append(loss)
            if any(wanted.values()):
                on_its_device(
                    loss_launchers.backward, logits, logits, targets.contiguous(), states, share, unused, settings
                )
                _add(gradients, wanted, rows, weight, logits)
        ctx.kept = [gradients.get(name) for name in ("hidden", "weight", "bias")]
        if wanted["hidden"]:
            ctx.kept[0] = torch.cat(gradients["hidden"])
        loss = torch.stack(losses).sum() * share
        return loss if wide else loss.to(hidden.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return *(None if kept is None else kept * g.to(kept.dtype) for kept in ctx.kept), *5 * [None]


def _chunks(x: torch.Tensor, weight: torch.Tensor, hidden: torch.Tensor | None = None) -> tuple[torch.Tensor, ...]:
    """x in chunks of rows, of so many that their logits are about CHUNK bytes, and 128 at least."""
    size = (x if hidden is None else hidden).element_size()
    return x.split(max(CHUNK // (len(weight) * size) // 128 * 128, 128))


def _add(gradients: dict, wanted: dict[str, bool], rows: torch.Tensor, weight: torch.Tensor, d: torch.Tensor) -> None:
    """Add to the gradients of the inputs what follows from d, the gradient of some rows of logits."""
    if wanted["hidden"]:
        gradients.setdefault("hidden", []).append(d @ weight)
    if wanted["weight"]:
        if "weight" in gradients:
            gradients["weight"].addmm_(d.t(), rows)
        else:
            gradients["weight"] = d.t() @ rows
    if wanted["bias"]:
        gradients["bias"] = gradients.get("bias", 0) + d.sum(0)
