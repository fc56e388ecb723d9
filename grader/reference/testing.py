"""Verification of test inputs: a matrix that breaks a wrong kernel, and on which a right kernel is right.

In both cases of an input exercise, evidence.value is the input that the answer returned, and evidence.then[0] is the
evidence of the kernel that ran on it.
"""

from __future__ import annotations

import torch

from ..checks import compare
from ..sentence import Said, foreign, said
from ..spec import Evidence, Unreadable


def is_matrix(x) -> bool:
    """Whether x is an input for the kernels: a float32 tensor of two dimensions."""
    return isinstance(x, torch.Tensor) and x.dim() == 2 and x.dtype == torch.float32


def right_kernel_fault(evidence: Evidence, name: str) -> str | None:
    """None if a right kernel is right on the input that the function `name` returned, else a sentence."""
    if not is_matrix(evidence.value):
        return _not_a_matrix(evidence.value, name)
    x, right = evidence.value, evidence.then[0]
    if right.error:
        return foreign.of_error(right.error)
    finite = torch.softmax(x.double(), dim=1).isfinite()
    if not finite.all():
        row = int((~finite).any(dim=1).nonzero()[0])
        return said("row {row} has no softmax: the right answer is nan", row=row)
    return compare.softmax(x, right.value)


def broken_kernel_fault(evidence: Evidence, name: str, broken: str) -> str | None:
    """None if the kernel `broken` is wrong on the input that the function `name` returned, else a sentence."""
    if not is_matrix(evidence.value):
        return _not_a_matrix(evidence.value, name)
    x, result = evidence.value, evidence.then[0]
    if result.error:  # no kernel takes the input
        return foreign.of_error(result.error)
    if compare.softmax(x, result.value):
        return None
    digits = 4 if f"{x.min():.4g}" != f"{x.max():.4g}" else 9
    values = (
        said("values from {min} to {max}", min=f"{x.min():.{digits}g}", max=f"{x.max():.{digits}g}")
        if x.numel()
        else said("no value")
    )
    return said(
        "{broken} is right on all of it ({shape}×{shape2}, {values})",
        broken=broken,
        shape=x.shape[0],
        shape2=x.shape[1],
        values=values,
    )


def _not_a_matrix(x, name: str) -> str:
    returned: str
    if isinstance(x, torch.Tensor):
        returned = said("a tensor of shape {tuple} and {name}", tuple=tuple(x.shape), name=compare.name(x.dtype))
    # One that is too large to send:
    elif isinstance(x, Unreadable) and isinstance(x.kind, Said) and x.kind.kind == "tensor":
        returned = said(
            "a tensor of {dtype}, shape {shape}", dtype=x.kind.values["dtype"], shape=x.kind.values["tuple"]
        )
    else:
        returned = compare.shown(x)
    return said("{name}() returned {returned}, expected a small float32 matrix", name=name, returned=returned)
