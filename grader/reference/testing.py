"""Verification of test inputs: a matrix that breaks a wrong kernel, and on which a right kernel is right.

In both cases of an input exercise, evidence.value is the input that the answer returned, and evidence.then[0] is the
evidence of the kernel that ran on it.
"""

from __future__ import annotations

import torch

from ..checks import compare
from ..spec import Evidence


def is_matrix(x) -> bool:
    """Whether x is an input for the kernels: a float32 tensor of two dimensions."""
    return isinstance(x, torch.Tensor) and x.dim() == 2 and x.dtype == torch.float32


def right_kernel_fault(evidence: Evidence, name: str) -> str | None:
    """None if a right kernel is right on the input that the function `name` returned, else a sentence."""
    if not is_matrix(evidence.value):
        return _not_a_matrix(evidence.value, name)
    x, right = evidence.value, evidence.then[0]
    if right.error:
        return right.error["message"]
    finite = torch.softmax(x.double(), dim=1).isfinite()
    if not finite.all():
        row = int((~finite).any(dim=1).nonzero()[0])
        return f"row {row} has no softmax: the right answer is nan"
    return compare.softmax(x, right.value)


def broken_kernel_fault(evidence: Evidence, name: str, broken: str) -> str | None:
    """None if the kernel `broken` is wrong on the input that the function `name` returned, else a sentence."""
    if not is_matrix(evidence.value):
        return _not_a_matrix(evidence.value, name)
    x, result = evidence.value, evidence.then[0]
    if result.error:  # no kernel takes the input
        return result.error["message"]
    if compare.softmax(x, result.value):
        return None
    digits = 4 if f"{x.min():.4g}" != f"{x.max():.4g}" else 9
    values = f"values from {x.min():.{digits}g} to {x.max():.{digits}g}" if x.numel() else "no value"
    return f"{broken} is right on all of it ({x.shape[0]}×{x.shape[1]}, {values})"


def _not_a_matrix(x, name: str) -> str:
    if isinstance(x, torch.Tensor):
        returned = f"a tensor of shape {tuple(x.shape)} and {compare.name(x.dtype)}"
    else:
        returned = compare.shown(x).replace("an object of the type tensor", "a tensor")  # one that is too large to send
    return f"{name}() returned {returned}, expected a small float32 matrix"
