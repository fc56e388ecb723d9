"""For which tensors kernels run, their batch under vmap, and launches on the GPU on which a tensor lies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import torch

from .. import environment

_PLAIN = (torch.Tensor, torch.nn.Parameter)
_interpreter = threading.Lock()  # it runs one kernel at a time


def has_kernels(x: object) -> bool:
    """Whether x is a plain dense tensor on a device for which Triton compiles, or on the CPU where it interprets.

    Not so are tensors of a subclass, fake, sparse, nested and meta tensors: PyTorch's own functions have an answer for
    them, or an error.
    """
    if type(x) not in _PLAIN and not (isinstance(x, torch.Tensor) and torch.compiler.is_compiling()):
        return False
    kind = x.device.type
    on_it = kind in ("cuda", "xpu") or kind == "cpu" and environment.interpreted()
    return on_it and x.layout is torch.strided and not x.is_nested


def is_hidden(*tensors: torch.Tensor) -> bool:
    """Whether tensors need an operator, not a kernel: under vmap, or where a mode sees operators."""
    if torch._C._len_torch_dispatch_stack():
        return True
    try:
        for x in tensors:
            x.data_ptr()
    except RuntimeError:  # no memory of its own: a tensor of vmap
        return True
    return False


def batch_first(info, dims: tuple[int | None, ...], *tensors: torch.Tensor) -> Iterator[torch.Tensor]:
    """The tensors with the batch as first dimension. Each has it at another place, or not at all."""
    return (
        t.expand(info.batch_size, *t.shape) if dim is None else t.movedim(dim, 0)
        for t, dim in zip(tensors, dims, strict=False)
    )


def on_its_device(launch: Callable[..., None], x: torch.Tensor, *others: object) -> None:
    """launch(x, *others), while the device of x is the current one, on which kernels run."""
    if x.is_cuda:
        if x.get_device() != torch.cuda.current_device():
            with torch.cuda.device(x.device):
                launch(x, *others)
        else:
            launch(x, *others)
    else:
        with _interpreter:
            launch(x, *others)
