"""The other end of beside.py: it interprets kernels, and runs one function of the course after the other."""

from __future__ import annotations

import contextlib
import importlib
import io
import linecache
import os
import pickle
import sys
import traceback
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from .. import language

_storages: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # of the current order: (bytes now, bytes before)


@dataclass
class Reply:
    """What became of an order. changed: {place of a storage in the order: its bytes}, of those that changed.

    error: what the function raised; its `five_passes_places` are the (file, line of code) of its traceback.
    """

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    changed: dict[int, bytes] = field(default_factory=dict)


@dataclass
class Storage:
    """The memory of some tensors of an order. place: of this storage among all of the order."""

    place: int
    content: bytes


def serve() -> None:
    """Do what is asked, until the notebook's end of the pipe closes."""
    orders, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library writes to standard output must not mix with the replies
    sys.stdin = open(os.devnull)
    from .start import interpret

    interpret()
    while True:
        try:
            order = pickle.load(orders)
        except EOFError:
            return
        _storages.clear()
        _send(replies, _done(order))


def _done(order: bytes) -> Reply:
    """The reply to an order."""
    printed = io.StringIO()
    reply = Reply()
    try:
        with contextlib.redirect_stdout(printed):
            spoken, work, target, given = pickle.loads(order)
            language.use(spoken)
            with OnTheCpu():
                reply.value = work(target, *given)
    except Exception as error:
        error.five_passes_places = [(at.filename, at.line) for at in traceback.extract_tb(error.__traceback__)]
        reply.error = error.with_traceback(None)
        reply.error.__cause__ = reply.error.__context__ = None
    reply.printed = printed.getvalue()
    for place, (now, before) in _storages.items():
        if not torch.equal(now, before):
            reply.changed[place] = now.numpy().tobytes()
    return reply


def _send(replies, reply: Reply) -> None:
    import cloudpickle

    if error := reply.error:
        try:
            pickle.loads(cloudpickle.dumps(error))  # it may be one that only its own class can make again
        except Exception:
            reply.error = RuntimeError(f"{type(error).__name__}: {error}")
    replies.write(cloudpickle.dumps(reply))
    replies.flush()


class OnTheCpu(TorchFunctionMode):
    """Where a function asks for a tensor on a GPU, it gets one on the CPU."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.Tensor.cuda:
            return args[0]
        return function(*map(_cpu, args), **{name: _cpu(value) for name, value in (kwargs or {}).items()})


def _cpu(value):
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type in ("cuda", "xpu") else value
    return "cpu" if isinstance(value, str) and value.partition(":")[0] in ("cuda", "xpu") else value


# What the pickles of beside.py call.


def tensor(storage: Storage, dtype, offset: int, shape, stride, requires_grad: bool, parameter: bool) -> torch.Tensor:
    """A tensor on the CPU. Those of one storage share it here too."""
    if storage.place not in _storages:
        now = torch.frombuffer(bytearray(storage.content), dtype=torch.uint8) if storage.content else torch.empty(0)
        _storages[storage.place] = now, now.clone()
    memory = _storages[storage.place][0].untyped_storage()
    made = torch.empty(0, dtype=dtype).set_(memory, offset, shape, stride)
    return torch.nn.Parameter(made, requires_grad) if parameter else made.requires_grad_(requires_grad)


def imported(module: str, name: str):
    """A kernel of a module."""
    return getattr(importlib.import_module(module), name)


def kernel(function, file: str, lines: list[str]):
    """A function with @triton.jit. file, lines: its text, which the interpreter reads."""
    import triton

    linecache.cache.setdefault(file, (sum(map(len, lines)), None, lines, file))
    return triton.jit(function)


def autotuned(function, configurations, keys, pruned: dict):
    """A kernel with triton.autotune."""
    import triton

    return triton.autotune(configurations, keys, prune_configs_by=pruned)(function)


def with_heuristics(function, values):
    """A kernel with triton.heuristics."""
    import triton

    return triton.heuristics(values)(function)


def same(function):
    """A function that torch.compile made: it runs as it was before."""
    return function
