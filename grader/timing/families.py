"""The inputs of a race, family by family, and what is right for them: in float64, with the bounds of the checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from ..checks import compare
from ..checks.bounds import softmax_bound
from ..reference import attention, attention_gradient, cross_entropy, flash
from ..sentence import Said, joined, said

Sizes = tuple[int, ...]
Tensors = Sequence[torch.Tensor]


class Family(NamedTuple):
    """Inputs of one kind.

    inputs: from the sizes and the dtype of a race to (shape, dtype) of each input. fill: puts numbers of a generator
    into them. fault: from the inputs and a result to a sentence, or None if it is right; a function that has several
    results, as a tuple. moved: elements to read and to write, as many as the copy beside it moves. in_place: whether
    the result is what the first input holds afterwards. least: elements that nobody can do without, if these are fewer.
    results: how many there are.
    """

    inputs: Callable[[Sizes, torch.dtype], list[tuple[Sizes, torch.dtype]]]
    fill: Callable[[Tensors, torch.Generator], None]
    fault: Callable[[Tensors, Any], Said | str | None]
    moved: Callable[[Sizes], tuple[int, int]]
    in_place: bool = False
    least: Callable[[Sizes], tuple[int, int]] | None = None
    results: int = 1


_SPREAD, _FAR = 4.0, 16.0  # numbers are normal ones, up to so many times as wide, moved by up to so much
_BEYOND = 160.0  # a row that is moved by it has exponentials that float32 does not hold, or sums of zeros
_PEAKS = 16  # of a row, at most: whoever has found one does not know the others
_OUT, _COUNT = 8, 0.8  # one of so many rows of a loss does not count, by chance; nobody has to read more than this part
_SMALL, _LARGE = 1 / 8, 64.0  # of scores: bounds are narrow for small ones, and large ones need their maximum


def _rows(x: torch.Tensor, g: torch.Generator) -> None:
    """Fill x with rows that need all of a softmax: no shift but the row's maximum serves each of them.

    Width and middle of the normal numbers are drawn. A quarter of the rows lies far above, another far below, and in a
    quarter some numbers stand far above the others. How many is drawn too, so that no row may be left before its end.
    """
    x.normal_(generator=g)
    width, middle = torch.rand(2, generator=g, device=x.device)
    x.mul_((1 + width * (_SPREAD - 1)).to(x.dtype)).add_(((middle - 0.5) * 2 * _FAR).to(x.dtype))
    moved, peaked = torch.randint(4, (2, len(x), 1), generator=g, device=x.device)
    x.add_((((moved == 1).float() - (moved == 2).float()) * _BEYOND).to(x.dtype))
    several = len(x), min(_PEAKS, 2 + x.shape[1] // 64)
    peaks = torch.randint(x.shape[1], several, generator=g, device=x.device)
    drawn = torch.randint(2, several, generator=g, device=x.device)
    drawn[:, :2] = 1
    x.scatter_add_(1, peaks, ((peaked == 1) * drawn * _BEYOND).to(x.dtype))


def _fill_matrix(inputs: Tensors, g: torch.Generator) -> None:
    _rows(inputs[0], g)


def _fill_masked(inputs: Tensors, g: torch.Generator) -> None:
    x, keep = inputs
    _rows(x, g)
    keep.random_(0, 2, generator=g)
    keep[:, 0] = 1  # a row keeps something


def _fill_gradient(inputs: Tensors, g: torch.Generator) -> None:
    y, dy = inputs
    y.copy_(torch.softmax(torch.empty_like(y).normal_(generator=g).double(), 1))
    dy.normal_(generator=g)


def _fill_autograd(inputs: Tensors, g: torch.Generator) -> None:
    x, dy = inputs
    _rows(x, g)
    dy.normal_(generator=g)


def _normal(inputs: Tensors, g: torch.Generator) -> None:
    for each in inputs:
        each.normal_(generator=g)


def _some_queries(q: torch.Tensor, g: torch.Generator, times: float) -> None:
    """Multiply a quarter of the rows of q."""
    some = torch.randint(4, (*q.shape[:-1], 1), generator=g, device=q.device) == 0
    q.mul_(torch.where(some, times, 1.0).to(q.dtype))


def _fill_attention(inputs: Tensors, g: torch.Generator) -> None:
    _normal(inputs, g)
    for times in (_SMALL, _LARGE):
        _some_queries(inputs[0], g, times)


def _softmax_fault(inputs: Tensors, got: torch.Tensor):
    return compare.softmax(inputs[0], got)


def _masked_fault(inputs: Tensors, got: torch.Tensor):
    x, keep = inputs
    return compare.softmax(x.masked_fill(keep == 0, -torch.inf), got)


def _autograd_fault(inputs: Tensors, got: tuple[torch.Tensor, torch.Tensor]):
    """got: y and dx. Without y, the forward pass could leave its work to the other."""
    (x, dy), (y, dx) = inputs, got
    wrong = compare.softmax(x, y)
    return wrong or compare.gradient(torch.softmax(x.double(), 1), dy, dx, softmax_bound(x, x.dtype))


def _attention_fault(inputs: Tensors, got: torch.Tensor):
    q, k, v = inputs
    wrong = compare.kind(got, q)
    facts = {"q": q, "k": k, "v": v, "scale": q.shape[1] ** -0.5, "causal": False, "exact": False}
    allowed = attention.bound(facts) + attention.tf32_bound(facts)
    return wrong or attention.difference(got, attention.right(facts), allowed)


def _flash_fault(inputs: Tensors, got: torch.Tensor):
    q, k, v = inputs
    facts = flash.case_facts(q, k, v, q.shape[3] ** -0.5, 1, 1, causal=False)
    heads = zip(got.flatten(0, 1), facts["heads"], strict=True) if compare.kind(got, q) is None else ()
    wrong = (attention.difference(o, head["want"], head["allowed"]) for o, head in heads)
    return compare.kind(got, q) or next((sentence for sentence in wrong if sentence), None)


def _fill_attention_gradient(inputs: Tensors, g: torch.Generator) -> None:
    *matrices, lse = inputs
    _normal(matrices, g)
    matrices[0].mul_(torch.where(torch.randint(2, (), generator=g, device=lse.device) == 0, _SMALL, 1.0))
    # The gradient is a formula of any o and lse. With these, weights are about as large as those of an attention.
    lse.normal_(generator=g).mul_(0.1).add_(math.log(len(lse)) + 0.5)


def _attention_gradient_fault(inputs: Tensors, got: torch.Tensor):
    """got: dq, dk and dv, one after the other."""
    if wrong := compare.kind(got, inputs[0].expand(3, *inputs[0].shape)):
        return wrong
    facts: dict = {name: each.double() for name, each in zip(("q", "k", "v", "o", "do", "lse"), inputs)}
    facts["scale"] = inputs[0].shape[1] ** -0.5
    want, bounds, more = (
        of(facts) for of in (attention_gradient.gradients, attention_gradient.bounds, attention_gradient.tf32_bounds)
    )
    for name, each in zip(("dq", "dk", "dv"), got):
        if wrong := attention.difference(each, want[name], bounds[name] + more[name], of_keys=name != "dq"):
            return joined("{one}: {two}", [name, wrong])
    return None


def _fill_logits(inputs: Tensors, g: torch.Generator) -> None:
    """Rows as those of a softmax, and drawn targets, of which about an eighth do not count. One row does."""
    x, target = inputs[:2]
    _rows(x, g)
    target.random_(0, x.shape[1], generator=g)
    target.masked_fill_(
        torch.randint(_OUT, target.shape, generator=g, device=target.device) == 0, cross_entropy.IGNORED
    )
    target[:1].clamp_(min=0)


def _fill_logit_gradient(inputs: Tensors, g: torch.Generator) -> None:
    _fill_logits(inputs, g)
    x, _, lse, scale = inputs
    lse.copy_(cross_entropy.lse(x))
    scale.uniform_(0.5, 1.5, generator=g)


def _losses_fault(inputs: Tensors, got: torch.Tensor):
    x, target = inputs
    want = cross_entropy.losses(x, target, cross_entropy.IGNORED)
    return cross_entropy.wrong_row(said("loss"), got, want, cross_entropy.losses_bound(x))


def _logit_gradient_fault(inputs: Tensors, got: torch.Tensor):
    x, target, _, scale = inputs
    return cross_entropy.wrong_gradient(got, x, target, cross_entropy.IGNORED, scale.double())


def _mean_loss_fault(inputs: Tensors, got: tuple[torch.Tensor, torch.Tensor]):
    """got: the mean of the losses that count, and its gradient."""
    (x, target), (loss, gradient) = inputs, got
    scale = 1 / (target != cross_entropy.IGNORED).sum().double()
    want, allowed = cross_entropy.mean(x, target, cross_entropy.IGNORED), cross_entropy.losses_bound(x).amax()
    wrong = cross_entropy.wrong_row(said("loss"), *(each.reshape(-1) for each in (loss, want, allowed)))
    return wrong or cross_entropy.wrong_gradient(gradient, x, target, cross_entropy.IGNORED, scale)


def _logits(sizes: Sizes, dtype: torch.dtype) -> list[tuple[Sizes, torch.dtype]]:
    """Logits (M×N) and targets (M, int64)."""
    return [(sizes, dtype), (sizes[:1], torch.int64)]


def _matrices(*of: torch.dtype | None) -> Callable:
    """Inputs of one shape. of: their dtypes; None for that of the race."""
    return lambda sizes, dtype: [(sizes, each or dtype) for each in of]


def _moved(read: float, written: float) -> Callable[[Sizes], tuple[int, int]]:
    return lambda sizes: (int(read * math.prod(sizes)), int(written * math.prod(sizes)))


FAMILIES = {
    "softmax": Family(_matrices(None), _fill_matrix, _softmax_fault, _moved(1, 1)),
    "in place": Family(_matrices(None), _fill_matrix, _softmax_fault, _moved(1, 1), in_place=True),
    # x in float32 and keep, a byte each
    "masked": Family(_matrices(None, torch.int8), _fill_masked, _masked_fault, _moved(1.25, 1)),
    "gradient": Family(_matrices(None, None), _fill_gradient, lambda i, got: compare.gradient(*i, got), _moved(2, 1)),
    # forward: x to y; backward: y and dy to dx. The y that is read again may still be in the cache.
    "autograd": Family(
        _matrices(None, None), _fill_autograd, _autograd_fault, _moved(3, 2), least=_moved(2, 2), results=2
    ),
    "attention": Family(lambda sizes, dtype: [(sizes, dtype)] * 3, _fill_attention, _attention_fault, _moved(3, 1)),
    # q, k, v, o and do, M×D each, and lse; the result is dq, dk and dv
    "attention gradient": Family(
        lambda sizes, dtype: [(sizes, dtype)] * 5 + [(sizes[:1], dtype)],
        _fill_attention_gradient,
        _attention_gradient_fault,
        _moved(5, 3),
    ),
    # Numbers for each row, such as the losses themselves, are left out of what moves. Nobody has to read a row that
    # does not count.
    "losses": Family(_logits, _fill_logits, _losses_fault, _moved(1, 0), least=_moved(_COUNT, 0)),
    "gradient of losses": Family(  # and of each row its lse, and a scale for all rows
        lambda sizes, dtype: [*_logits(sizes, dtype), (sizes[:1], torch.float32), ((), torch.float32)],
        _fill_logit_gradient,
        _logit_gradient_fault,
        _moved(1, 1),
        least=_moved(_COUNT, 1),
    ),
    # Who makes the gradient while a row is at hand reads it once.
    "mean loss": Family(_logits, _fill_logits, _mean_loss_fault, _moved(1, 1), least=_moved(_COUNT, 1), results=2),
    # heads of batches: B×H×M×D
    "flash": Family(lambda sizes, dtype: [(sizes, dtype)] * 3, _fill_attention, _flash_fault, _moved(3, 1)),
}
