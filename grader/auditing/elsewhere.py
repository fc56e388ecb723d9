"""A GPU that is not there: what a function for GPUs asks PyTorch about it before it launches a kernel."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import torch

from ..gpus import JUDGED
from ..notebook.beside_worker import OnTheCpu
from ..notebook.kernel_line import is_theirs

_PROPERTIES = SimpleNamespace(
    name=JUDGED.name,
    major=JUDGED.target[1] // 10,
    minor=JUDGED.target[1] % 10,
    multi_processor_count=JUDGED.multiprocessors,
    warp_size=JUDGED.warp,
    total_memory=int(JUDGED.memory),
)
# Of torch.cuda, by name.
_ANSWERS = {
    "is_available": lambda: True,
    "current_device": lambda: 0,
    "device_count": lambda: 1,
    "device": lambda device: contextlib.nullcontext(),
    "device_of": lambda tensor: contextlib.nullcontext(),
    "current_stream": lambda device=None: SimpleNamespace(cuda_stream=0),
    "synchronize": lambda device=None: None,
    "get_device_name": lambda device=None: _PROPERTIES.name,
    "get_device_capability": lambda device=None: (_PROPERTIES.major, _PROPERTIES.minor),
    "get_device_properties": lambda device=None: _PROPERTIES,
}


# Of a tensor: what asks for its place, and what a tensor of a GPU answers.
_PLACES = {
    torch.Tensor.is_cuda.__get__: True,
    torch.Tensor.device.__get__: torch.device("cuda:0"),
    torch.Tensor.get_device: 0,
}


class _TensorsOfAGpu(OnTheCpu):
    """Also, a tensor on the CPU says that it is on a GPU where the audited code asks, and no library below it."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in _PLACES and is_theirs(sys._getframe(1).f_code.co_filename):
            return _PLACES[function]
        return super().__torch_function__(function, types, args, kwargs)


@contextlib.contextmanager
def as_on_a_gpu() -> Iterator[None]:
    """Inside the block, tensors on the CPU pass for those of an H100, and what is made on a GPU is made on the CPU."""
    before = {name: getattr(torch.cuda, name) for name in _ANSWERS}
    try:
        for name, answer in _ANSWERS.items():
            setattr(torch.cuda, name, answer)
        with _TensorsOfAGpu():
            yield
    finally:
        for name, answer in before.items():
            setattr(torch.cuda, name, answer)
