"""Plain numbers as a launch passes them: a kernel gets every float of Python in float32.

A kernel that gets beta = 0.999 computes 1 - beta as 0.00099998713, which is right to 10^-5 only, and no fault of it. So
the audit asks the reference how far its results move when its plain numbers are rounded like that.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import torch
from torch.utils import _pytree


def as_launched(function: Callable) -> Callable:
    """The same function, with each float among its arguments and its defaults rounded to float32."""

    def called(*args, **kwargs):
        try:
            bound = inspect.signature(function).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        except (TypeError, ValueError):  # a function of PyTorch that does not tell its parameters
            pass
        args, kwargs = _pytree.tree_map_only(float, in_single, (args, kwargs))
        return function(*args, **kwargs)

    return called


def in_single(number: float) -> float:
    """The number as a launch passes it."""
    return torch.tensor(number, dtype=torch.float64).float().item()
