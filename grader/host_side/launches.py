"""Launches: a kernel's text and its arguments go to the device. The decorators above @triton.jit stay on the host."""

from __future__ import annotations

import inspect

import torch

from ..interpreter.triton_private import is_kernel, private, send_decorated, under_decorators
from ..protocol import launches, schema
from ..protocol.kernels import KernelProgram
from . import handles
from .kernel_source import collect
from .wire import Wire


def send(wire: Wire) -> None:
    """Send every launch of a kernel in this process to the device, for good."""

    def run(kernel, *args, grid, warmup=False, **kwargs):
        if not warmup:
            wire.ask({"op": "launch", "program": program(kernel), "grid": _grid(grid, kernel.fn, args, kwargs)}
                     | arguments(wire, args, kwargs))  # fmt: skip

    private().replace("run_function", run)
    send_decorated()


def program(kernel) -> dict:
    """The text of a function with @triton.jit, as JSON data of protocol.kernels."""
    return schema.pack(collect(kernel.fn), KernelProgram)


def prepared(wire: Wire, kernel, args, kwargs) -> dict:
    """The text of a kernel, and the arguments that its decorators add to those of a launch. For a launch of the check.

    kernel: any object. Raises TypeError for one that no launch takes.
    """
    function, more = under_decorators(kernel, args, kwargs)
    return {"program": program(function), "more": arguments(wire, (), more)["kwargs"]}


def arguments(wire: Wire, args, kwargs) -> dict:
    """Arguments of a launch as JSON data."""

    def tensor(value: torch.Tensor):
        if not isinstance(value, handles.Handle):
            raise ValueError("a pointer argument cannot be accessed from Triton (cpu tensor?)")
        return {"tensor": value._reference.number}

    def kernel(value):
        return program(value) if is_kernel(value) else None

    return {
        "args": [launches.encode(each, tensor, kernel) for each in args],
        "kwargs": {name: launches.encode(each, tensor, kernel) for name, each in kwargs.items()},
    }


def _grid(grid, function, args, kwargs):
    """The grid as JSON data. A function gets the arguments by name."""
    if callable(grid):
        names = inspect.signature(function).parameters
        try:
            bound = inspect.signature(function).bind_partial(*args, **{k: v for k, v in kwargs.items() if k in names})
        except TypeError:
            bound = None  # the device says so, with the launch's arguments
        if bound is not None:
            bound.apply_defaults()
        grid = grid(bound.arguments | kwargs if bound is not None else kwargs)
    if isinstance(grid, (tuple, list)):
        return [getattr(n, "item", lambda n=n: n)() for n in grid]
    return grid if isinstance(grid, int) else str(grid)
