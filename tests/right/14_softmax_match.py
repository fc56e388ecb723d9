# exercise: 14.3
import torch
from grader.fast import pick as p


def choose(x):
    if x.element_size() == 2 and x.is_contiguous() and x.shape[1] % 8 and 64 < x.shape[1] <= 32768:
        return p.odd
    match x.shape, x.element_size():
        case (m, n), _ if 1024 < n <= 8192 and n & (n - 1):
            return p.two
        case (_, n), 2 if n > 16384 and p.can_pair(x) and n == 32768:
            return p.pairs
        case (_, n), _ if n <= 16384:
            return p.tile
        case (m, n), _ if m < 16:
            return p.split
        case _ if p.can_share(x):
            return p.shared
    return p.online


def softmax(x):
    if not isinstance(x, torch.Tensor) or not x.is_floating_point() or x.ndim != 2:
        raise TypeError("x is no matrix of floating-point numbers")
    if x.dtype.itemsize not in (2, 4):
        _refuse(x)
    y = x.new_empty(x.shape)
    if x.stride(-1) != 1:
        x = x.clone(memory_format=torch.contiguous_format)
    choose(x)(y, x)
    return y


def _refuse(x):
    raise ValueError(f"no kernel takes {x.dtype}")
