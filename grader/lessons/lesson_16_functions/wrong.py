"""Pairs of a mean cross-entropy and its gradient of which one is wrong, each in a way that some careless test misses.

x: M×N, float32; t: M, int64, of which -100 does not count.
"""

import torch


def right_loss(x, t):
    return torch.nn.functional.cross_entropy(x, t)


def right_gradient(x, t):
    right = x.clone().requires_grad_()
    torch.nn.functional.cross_entropy(right, t).backward()
    return right.grad


def _onehot(x, t):
    return (torch.arange(x.shape[1]) == t[:, None]).float()


# ---- nan


def all_nan_loss(x, t):
    return torch.tensor(torch.nan)


def all_nan_gradient(x, t):
    return torch.full_like(x, torch.nan)


# ---- rows that do not count


def ignored_counted_loss(x, t):
    """A row that does not count has the loss of column 0."""
    return torch.nn.functional.cross_entropy(x, t.clamp(min=0))


ignored_counted_gradient = right_gradient


def divided_by_all_loss(x, t):
    """The mean is over all rows."""
    return torch.nn.functional.cross_entropy(x, t, reduction="sum") / len(x)


def divided_by_all_gradient(x, t):
    return right_gradient(x, t) * (t != -100).sum() / len(x)


ignored_gradient_loss = right_loss


def ignored_gradient_gradient(x, t):
    """A row that does not count gets p."""
    counted = (t != -100)[:, None]
    return torch.where(counted, right_gradient(x, t), torch.softmax(x, 1) / counted.sum())


# ---- the column of the target


def next_column_loss(x, t):
    """The column behind the target, and column 0 behind the last."""
    return right_loss(x, torch.where(t == -100, t, (t + 1) % x.shape[1]))


def next_column_gradient(x, t):
    return right_gradient(x, torch.where(t == -100, t, (t + 1) % x.shape[1]))


def never_the_last_loss(x, t):
    """A target in the last column is taken as the one before it."""
    return right_loss(x, torch.where(t == x.shape[1] - 1, (t - 1).clamp(min=0), t))


never_the_last_gradient = right_gradient
one_forgotten_loss = right_loss


def one_forgotten_gradient(x, t):
    """1 is not subtracted where the target is column 0."""
    first = (t == 0)[:, None] * _onehot(x, t)
    return right_gradient(x, t) + first / (t != -100).sum()


# ---- large or low logits


def no_shift_loss(x, t):
    """exp of the logits as they are."""
    hit = x.gather(1, t.clamp(min=0)[:, None])[:, 0]
    return (x.exp().sum(1).log() - hit)[t != -100].mean()


no_shift_gradient = right_gradient


def zero_for_maximum_loss(x, t):
    """The maximum of a row is at least 0."""
    top = x.amax(1).clamp(min=0.0)
    hit = x.gather(1, t.clamp(min=0)[:, None])[:, 0]
    return ((x - top[:, None]).exp().sum(1).log() + top - hit)[t != -100].mean()


zero_for_maximum_gradient = right_gradient


def clipped_loss(x, t):
    """A share below 1e-7 counts as 1e-7, so that its logarithm is finite."""
    p = torch.softmax(x, 1).gather(1, t.clamp(min=0)[:, None])[:, 0]
    return -p.clamp(min=1e-7).log()[t != -100].mean()


clipped_gradient = right_gradient

# ---- long rows


def first_tile_loss(x, t):
    """log-sum-exp of the first 1024 columns."""
    hit = x.gather(1, t.clamp(min=0)[:, None])[:, 0]
    return (torch.logsumexp(x[:, :1024], 1) - hit)[t != -100].mean()


first_tile_gradient = right_gradient
lost_tail_loss = right_loss


def lost_tail_gradient(x, t):
    """Columns behind the last whole tile of 128 get 0, where there is a whole one."""
    dx = right_gradient(x, t)
    if x.shape[1] >= 128:
        dx[:, x.shape[1] // 128 * 128 :] = 0
    return dx


# ---- each loss


def rounded_lse_loss(x, t):
    """lse is kept in bfloat16."""
    lse = torch.logsumexp(x, 1).bfloat16().float()
    return (lse - x.gather(1, t.clamp(min=0)[:, None])[:, 0])[t != -100].mean()


rounded_lse_gradient = right_gradient

# ---- each gradient

only_the_target_loss = right_loss


def only_the_target_gradient(x, t):
    """0 but at the target."""
    return right_gradient(x, t) * _onehot(x, t)


not_averaged_loss = right_loss


def not_averaged_gradient(x, t):
    """p is not averaged over rows, and onehot is."""
    counted = (t != -100)[:, None]
    return counted * (torch.softmax(x, 1) / len(x) - _onehot(x, t) / counted.sum())


rounded_loss = right_loss


def rounded_gradient(x, t):
    """p is rounded to half precision."""
    counted = (t != -100)[:, None]
    return counted / counted.sum() * (torch.softmax(x, 1).bfloat16().float() - _onehot(x, t))


# ---- the input


in_place_loss = right_loss


def in_place_gradient(x, t):
    """The gradient is stored over the logits, too."""
    dx = right_gradient(x, t)
    x.copy_(dx)
    return dx
