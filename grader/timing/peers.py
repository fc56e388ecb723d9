"""Functions that race beside an answer: PyTorch's own, the same compiled, and the five passes of lesson 01."""

from __future__ import annotations

import functools
import importlib.util
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import torch

Function = Callable[..., Any]  # a tensor, or a tuple of all results of its family


def five_passes(x: torch.Tensor) -> torch.Tensor:
    """Softmax of x (M×N) as in lesson 01: maximum, subtract, exp, sum, divide."""
    e = torch.exp(x - x.amax(dim=1, keepdim=True))
    return e / e.sum(dim=1, keepdim=True)


def _softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


def _in_place(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1, out=x)


def _masked(x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x.masked_fill(keep == 0, -torch.inf), dim=1)


def _gradient(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten._softmax_backward_data(dy, y, 1, y.dtype)


def _autograd(x: torch.Tensor, dy: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y = _softmax(x)
    return y, _gradient(y, dy)


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.scaled_dot_product_attention(*(each.view(1, 1, *each.shape) for each in (q, k, v)))[0, 0]


def _losses(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(x.float(), target, reduction="none")


def _gradient_of(loss: Function) -> Function:
    """A loss of (logits, targets), and its gradient with respect to the logits."""

    def both(x: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            found = loss(x, target)
            return found.detach(), torch.autograd.grad(found, x)[0]

    return both


def _mean_loss(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(x.float(), target)


_REFERENCES: dict[str, tuple[str, Function]] = {  # by the name of a family
    "softmax": ("torch.softmax", _softmax),
    "in place": ("torch.softmax", _in_place),
    "masked": ("masked_fill, torch.softmax", _masked),
    "gradient": ("PyTorch's gradient of softmax", _gradient),
    "autograd": ("torch.softmax, its gradient", _autograd),
    "attention": ("scaled_dot_product_attention", _attention),
    "flash": ("scaled_dot_product_attention", torch.nn.functional.scaled_dot_product_attention),
    "losses": ("cross_entropy", _losses),
    "mean loss": ("cross_entropy, its gradient", _gradient_of(_mean_loss)),
}
# PyTorch's compiler reads the file of what it compiles, and this process may read no file of the course.
_COMPILED = {
    "softmax": "import torch\n\n\ndef peer(x):\n    return torch.softmax(x, dim=1)\n",
    "masked": "import torch\n\n\ndef peer(x, keep):\n"
    "    return torch.softmax(x.masked_fill(keep == 0, -torch.inf), dim=1)\n",
    "losses": "import torch\n\n\ndef peer(x, target):\n"
    "    return torch.nn.functional.cross_entropy(x.float(), target, reduction='none')\n",
    "mean loss": "import torch\n\n\ndef peer(x, target):\n"
    "    return torch.nn.functional.cross_entropy(x.float(), target)\n",
}


def of(family: str) -> dict[str, Function]:
    """The peers of a family by name: PyTorch's function, that function compiled, and for a softmax the five passes."""
    if family not in _REFERENCES:
        return {}
    name, function = _REFERENCES[family]
    found = {name: function}
    if family in _COMPILED:
        compiled = _compiled(_COMPILED[family])
        found["torch.compile"] = _gradient_of(compiled) if family == "mean loss" else compiled
    if family == "softmax":
        found["five passes"] = five_passes
    return found


@functools.cache
def _compiled(source: str) -> Function:
    path = pathlib.Path(tempfile.mkdtemp()) / "peer.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("peer", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch._dynamo.config.recompile_limit = 1024  # one compilation for each shape
    return torch.compile(module.peer, dynamic=False, options={"compile_threads": 1})
