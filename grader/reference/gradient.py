"""The gradient of a softmax with respect to its input: the facts of its cases, and checks of the method.

For an output y and an incoming gradient dy, the Jacobian of a row is diag(y) - y yᵀ, so dx = y·(dy - Σ y·dy). The
formula itself is `compare.softmax_gradient`. All matrices have the shape M×N.
"""

from __future__ import annotations

import torch

from ..checks.compare import softmax_gradient
from ..sentence import fault, said
from ..spec import Evidence


def facts(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor) -> dict:
    """The facts of a case whose result is a gradient; `want` is the right result in float64.

    x is the input of the softmax. A case without a softmax gives y in its place.
    """
    return {"x": x, "y": y, "dy": dy, "want": softmax_gradient(y, dy)}


def other_method(y: torch.Tensor, evidence: Evidence) -> str | None:
    """A sentence if a right gradient was not computed with the formula, else None."""
    library = next((name for name in evidence.torch_ops if "softmax" in name), None)
    if library:
        return said("the answer runs PyTorch's {lstrip}", lstrip=library.lstrip("_"))
    other = next((name for name in evidence.torch_ops if name in ("exp", "log")), None)
    if other:
        return fault(
            "way", "right numbers, but on the way it calls PyTorch's {other}, and the formula has none", other=other
        )
    return whole_jacobian(y, evidence)


def whole_jacobian(y: torch.Tensor, evidence: Evidence) -> str | None:
    """A sentence if the answer wrote at least N elements for each element of y, as for N×N Jacobians; else None.

    Rows of fewer than 100 columns never match: a few intermediate results can be as large as their Jacobian.
    """
    times = evidence.written / y.numel()
    if y.shape[1] < 100 or times < y.shape[1]:
        return None
    return fault(
        "way",
        "right numbers, but on the way it writes {times} times as many elements as the matrix has",
        times=f"{times:.0f}",
    )
