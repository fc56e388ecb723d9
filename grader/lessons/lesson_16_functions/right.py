"""Pairs of a mean cross-entropy and its gradient that are right, each by another method. x: M×N, float32; t: M, int64.

Rows whose target is -100 do not count. Where none does, the loss is NaN and the gradient 0. Logits may be -inf, a whole
tile of them too, as long as a row has another one.
"""

import torch


def _rows(x, t):
    """(log-sum-exp of each row, M×1; whether it counts, M×1; how many do) in the dtype of x, by a shift."""
    top = x.amax(1, keepdim=True)
    counted = (t != -100)[:, None]
    return top + (x - top).exp().sum(1, keepdim=True).log(), counted, counted.sum()


def _columns(x, t):
    return torch.arange(x.shape[1]) == t[:, None]


def reference_loss(x, t):
    return torch.nn.functional.cross_entropy(x, t)


def reference_gradient(x, t):
    right = x.clone().requires_grad_()
    torch.nn.functional.cross_entropy(right, t).backward()
    return right.grad


def tiled_loss(x, t):
    m, d = torch.full((len(x),), -torch.inf), torch.zeros(len(x))
    for tile in x.split(64, dim=1):
        new = torch.maximum(m, tile.amax(1))
        shift = torch.where(new == -torch.inf, 0.0, new)  # as long as there is nothing but -inf
        d = d * (m - shift).exp() + (tile - shift[:, None]).exp().sum(1)
        m = new
    hit = x.gather(1, t.clamp(min=0)[:, None])[:, 0]
    return torch.where(t != -100, d.log() + (m - hit), 0.0).sum() / (t != -100).sum()


def tiled_gradient(x, t):
    lse, counted, count = _rows(x, t)
    dx = torch.empty_like(x)
    for start in range(0, x.shape[1], 64):
        tile = x[:, start : start + 64]
        hits = torch.arange(start, start + tile.shape[1]) == t[:, None]
        dx[:, start : start + 64] = torch.where(counted, ((tile - lse).exp() - hits.float()) / count, 0.0)
    return dx


def by_hits_loss(x, t):
    top = x.amax(1)
    d = (x - top[:, None]).exp().sum(1)
    hit = torch.where(_columns(x, t), x, 0.0).sum(1)
    losses = torch.where(t == -100, 0.0, d.log() + (top - hit))
    return losses.sum() / (t != -100).sum()


def by_hits_gradient(x, t):
    e = (x - x.amax(1, keepdim=True)).exp()
    counted = (t != -100)[:, None]
    dx = (e / e.sum(1, keepdim=True) - _columns(x, t).float()) / counted.sum()
    return dx.masked_fill(~counted, 0.0)


def base_two_loss(x, t):
    top = x.amax(1)
    d = ((x - top[:, None]) * 1.4426950408889634).exp2().sum(1)
    hit = x.gather(1, t.clamp(min=0)[:, None])[:, 0]
    losses = d.log2() * 0.6931471805599453 + (top - hit)
    return losses[t != -100].mean()


def base_two_gradient(x, t):
    e = ((x - x.amax(1, keepdim=True)) * 1.4426950408889634).exp2()
    counted = (t != -100)[:, None]
    return torch.where(counted, (e / e.sum(1, keepdim=True) - _columns(x, t).float()) / counted.sum(), 0.0)


def exact_loss(x, t):
    return torch.nn.functional.cross_entropy(x.double(), t).float()


def exact_gradient(x, t):
    return reference_gradient(x.double(), t).float()
