"""Known wrong ways for the threads of a block to share a row, computed in PyTorch: for naming a CUDA kernel's mistake.

facts["threads"] is the number of threads. Each walks along its own columns with an update of walks.py, then all states
are reduced; a thread normalises its columns with the state that it ends with.
"""

from __future__ import annotations

import torch

from .softmax import walks

INF, LANES = torch.inf, 32


def softmax(
    update=walks.right, reduce=None, start: float = -INF, width: int = 1, guarded: bool = False, raw: bool = False
):
    """A formula (x, facts) -> y. reduce(m, d): from each thread's state (M×T) to the one that it ends with.

    width: neighbouring columns that belong to one thread, 4 for those who load a float4. guarded: the first value of a
    thread becomes its state as it is. raw: -inf is a value like any other.
    """

    def compute(x, facts):
        x, threads = x.float(), facts["threads"]
        if width > 1 and x.shape[1] % width:
            return softmax(update, reduce, start, guarded=guarded, raw=raw)(x, facts)  # the loop over single columns
        missing = -x.shape[1] % (threads * width)
        steps = torch.nn.functional.pad(x, (0, missing), value=-INF).reshape(len(x), -1, threads, width)
        m, d = torch.full((len(x) * threads, 1), start), torch.zeros(len(x) * threads, 1)
        real = (torch.arange(steps[0].numel()) < x.shape[1]).reshape(steps.shape[1:]).expand_as(steps)
        for step, inside in zip(steps.unbind(1), real.unbind(1)):
            for value, counts in zip(step.reshape(-1, width).split(1, 1), inside.reshape(-1, width).split(1, 1)):
                # A thread without a number above -inf keeps its state, as every right kernel sees to.
                new_m, new_d = update(m, d, value, value)
                alive = counts if raw else value > -INF
                if guarded:
                    new_m, new_d = torch.where(d == 0, value, new_m), torch.where(d == 0, 1.0, new_d)
                m, d = torch.where(alive, new_m, m), torch.where(alive, new_d, d)
        m, d = (reduce or all_threads())(m.reshape(len(x), threads), d.reshape(len(x), threads))
        owner = torch.arange(x.shape[1]) // width % threads
        return torch.exp(x - m[:, owner]) / d[:, owner]

    return compute


def right(m, d, other_m, other_d):
    """Both sums made relative to the larger maximum; two empty states stay empty."""
    top = torch.maximum(m, other_m)
    shift = torch.where(top == -INF, 0.0, top)
    return top, d * torch.exp(m - shift) + other_d * torch.exp(other_m - shift)


def not_rescaled(m, d, other_m, other_d):
    """The sums added as they are."""
    return torch.maximum(m, other_m), d + other_d


def one_side(m, d, other_m, other_d):
    """Only the own sum rescaled."""
    top = torch.maximum(m, other_m)
    return top, d * torch.exp(m - torch.where(top == -INF, 0.0, top)) + other_d


def inverted(m, d, other_m, other_d):
    """exp(new - old) in place of exp(old - new); an empty side has no say."""
    top = torch.maximum(m, other_m)
    parts = [torch.where(dd > 0, dd * torch.exp(top - mm), 0.0) for mm, dd in ((m, d), (other_m, other_d))]
    return top, parts[0] + parts[1]


def unguarded(m, d, other_m, other_d):
    """-inf minus -inf: two empty states make NaN."""
    top = torch.maximum(m, other_m)
    return top, d * torch.exp(m - top) + other_d * torch.exp(other_m - top)


def own_maximum(m, d):
    """Every thread has the sum of all, and keeps its own maximum."""
    return m, all_threads()(m, d)[1]


def nothing(m, d):
    """Every thread keeps its own state."""
    return m, d


def own_sum(m, d, other_m, other_d):
    """The other's maximum, and once more the own sum."""
    return right(m, d, other_m, d)


def sums_of_own_maxima(m, d):
    """Every thread keeps its own maximum; the sums are added as they are."""
    return m, d.sum(1, keepdim=True).expand_as(d)


def last_term(m, d, value, top):
    """A new value takes the place of all that came before it."""
    return value, torch.ones_like(d)


def every_other(m, d):
    """A tree without its last step: place 0 has heard of the threads with even numbers."""
    even_m, even_d = all_threads()(m[:, ::2], d[:, ::2])
    return even_m[:, :1].expand_as(m), even_d[:, :1].expand_as(d)


def of_thread_zero(m, d):
    """Every thread goes on with the state that thread 0 found."""
    return m[:, :1].expand_as(m), d[:, :1].expand_as(d)


def second_tree_over_maxima(x, facts):
    """Divided by the sum over the places in which the tree of maxima left what it found."""
    x = x.float()
    missing = -x.shape[1] % facts["threads"]
    wide = torch.nn.functional.pad(x, (0, missing), value=-INF)
    places = wide.reshape(len(x), -1, facts["threads"]).amax(1)
    half = facts["threads"] // 2
    while half:
        places[:, :half] = torch.maximum(places[:, :half], places[:, half : 2 * half])
        half //= 2
    return torch.exp(x - places[:, :1]) / places.sum(1, keepdim=True)


def all_threads(merge=right):
    """The tree: every thread ends with the state of all, from place 0."""

    def reduce(m, d):
        count = m.shape[1]
        while m.shape[1] > 1:
            half = m.shape[1] // 2
            m, d = merge(m[:, :half], d[:, :half], m[:, half:], d[:, half:])
        return m.expand(-1, count), d.expand(-1, count)

    return reduce


def two_levels(merge=right, shuffle="xor", last: int = 1, pad: float = -INF, told: int = LANES):
    """Each warp, then one over the results of all. shuffle: "xor" or "down". last: the smallest offset.

    pad: the maximum that lanes without a warp hold. told: how many warps learn what the second level found.
    """

    def warp(m, d):
        offset, lanes = LANES // 2, torch.arange(LANES)
        while offset >= last:
            other = lanes ^ offset if shuffle == "xor" else torch.where(lanes + offset < LANES, lanes + offset, lanes)
            m, d = merge(m, d, m[..., other], d[..., other])
            offset //= 2
        return m, d

    def reduce(m, d):
        rows, threads = m.shape
        m, d = warp(m.reshape(rows, -1, LANES), d.reshape(rows, -1, LANES))
        missing = LANES - m.shape[1]
        all_m, all_d = warp(
            torch.nn.functional.pad(m[:, :, 0], (0, missing), value=pad),
            torch.nn.functional.pad(d[:, :, 0], (0, missing)),
        )
        m[:, :told], d[:, :told] = all_m[:, None], all_d[:, None]
        return m.reshape(rows, -1), d.reshape(rows, -1)

    return reduce
