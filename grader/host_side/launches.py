"""Launches: a kernel's text and its arguments go to the device. The decorators above @triton.jit stay on the host."""

from __future__ import annotations

import functools
import inspect
import json

import torch

from ..interpreter.triton_private import is_kernel, private, send_decorated, under_decorators
from ..protocol import launches, schema
from ..protocol.kernels import KernelProgram
from ..sentence import fault
from . import handles
from .kernel_source import collect
from .wire import Wire


def send(wire: Wire, tuned: bool = False) -> None:
    """Send every launch of a kernel in this process to the device, for good.

    tuned: whether the device chooses the configuration of an autotuned kernel by its clock; else it is the first one.
    """

    def run(kernel, *args, grid, warmup=False, **kwargs):
        if not warmup:
            wire.ask({"op": "launch"} | _order(wire, kernel, grid, args, kwargs))

    private().replace("run_function", run)  # before Triton 3.6, each function has one of its own
    private().replace("launcher", lambda kernel, grid: functools.partial(run, kernel, grid=grid))
    send_decorated(choose=functools.partial(_fastest, wire, {}) if tuned else None)


def _order(wire: Wire, kernel, grid, args, kwargs) -> dict:
    more = [*args, *kwargs.values()]
    sent = {"kernel": number(wire, kernel, more), "grid": _grid(grid, kernel.fn, args, kwargs)}
    return sent | arguments(wire, args, kwargs)


def _fastest(wire: Wire, known: dict, key, launches_of: list) -> int:
    """The place of the fastest of some launches, each (kernel, grid, args, kwargs), by the clock of the device.

    known: the choices so far, by the key of Triton's own cache.
    """
    if key not in known:
        choices = [_order(wire, *launch) for launch in launches_of]
        known[key] = wire.ask({"op": "tune", "choices": choices})[0]["choice"]
    return known[key]


def number(wire: Wire, kernel, arguments=()) -> int:
    """The number of a function with @triton.jit on the device, which gets its text once. arguments: of its launch."""
    text = json.dumps(schema.pack(collect(kernel.fn, arguments), KernelProgram))
    if text not in wire.kernels:
        wire.kernels[text] = wire.ask({"op": "admit", "program": text})[0]["kernel"]
    return wire.kernels[text]


def prepared(wire: Wire, kernel, args, kwargs) -> dict:
    """The number of a kernel, and the arguments that its decorators add to those of a launch: for the check's own.

    kernel: any object. Raises TypeError for one that no launch takes.
    """
    function, more = under_decorators(kernel, args, kwargs)
    return {"kernel": number(wire, function), "more": arguments(wire, (), more)["kwargs"]}


def arguments(wire: Wire, args, kwargs) -> dict:
    """Arguments of a launch as JSON data."""

    def tensor(value: torch.Tensor):
        if not isinstance(value, handles.Handle) or (value.device == handles.ELSEWHERE and value.numel()):
            raise ValueError(
                fault(
                    "wrong-device",
                    "Pointer argument cannot be accessed from Triton (cpu tensor?): its tensor was made without "
                    "`device=`, so in the memory of the CPU",
                )
            )
        return {"tensor": value._reference.number}

    def kernel(value):
        return number(wire, value) if is_kernel(value) else None

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
