"""Rows that several programs share: the states of their splits."""

from __future__ import annotations

import torch


def states(x: torch.Tensor, n_splits: int, split_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """(m, d) of each split of each row, float64 of shape (M, n_splits); of an empty split (-inf, 0)."""
    missing = max(n_splits * split_size - x.shape[1], 0)
    wide = torch.nn.functional.pad(x.double(), (0, missing), value=-torch.inf)
    parts = wide[:, : n_splits * split_size].reshape(len(x), n_splits, split_size)
    m = parts.amax(2)
    shift = torch.where(m == -torch.inf, 0.0, m)
    return m, torch.exp(parts - shift[..., None]).sum(2)


def wrong_state(got: list[torch.Tensor], want: tuple[torch.Tensor, torch.Tensor]) -> str | None:
    """None when got holds the states that were wanted, else a sentence about the first that differs."""
    good = [g.double() == w for g, w in zip(got, want)]
    good[1] |= (got[1].double() - want[1]).abs() <= 1e-4 * want[1]
    if good[0].all() and good[1].all():
        return None
    row, split = (int(i) for i in (~(good[0] & good[1])).nonzero()[0])
    name, g, w = next((n, g, w) for n, g, w, ok in zip("md", got, want, good) if not ok[row, split])
    return f"{name} of row {row}, split {split} is {g[row, split].item():.6g}, expected {w[row, split].item():.6g}"
