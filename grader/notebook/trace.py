"""trace(kernel, *args, grid=...): a table and a picture of the elements that each program loaded and stored."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import environment, interpreter
from ..interpreter import KernelMisuse, OutOfBounds, launch_args
from ..interpreter.recorder import Recorder
from ..interpreter.sectors import SectorCounter
from ..language.wrap import fitted
from ..sentence import fault, kind_of, listed, said
from ..spec import MemoryRequests
from ..spec.panel import Panel
from . import trace_drawing
from .drawing import Drawing
from .kernel_line import with_its_line
from .picture import Picture, in_a_line
from .trace_text import describe, in_time

ORDERS = ("forward", "reversed", "shuffled")


def trace(kernel_or_function, *args, grid=None, order="forward", sectors=False, **kwargs):
    """Run a kernel once, interpreted, and show which of its programs touched which element.

    A kernel needs its grid: the launch `k[(4,)](y, x, BLOCK=8)` is traced with `trace(k, y, x, BLOCK=8, grid=(4,))`.
    Any other function is called, and all launches in it are shown. order: of the programs, "forward", "reversed" or
    "shuffled". Stores change the tensors, as in a launch. An access outside of its tensor is shown, and stopped before
    it happens. sectors: show instead what its warps ask of memory: the sectors of 32 bytes of each request. Prints the
    table and returns a drawing of it, a Drawing or a Picture, or None if no kernel accessed memory. Raises KernelMisuse
    for wrong arguments.

    The text of a CUDA kernel runs as with `launch`, trace(source, x, threads=64). Shown are the ways of its requests to
    shared memory.

    >>> trace(copy_kernel, y, x, n, BLOCK=8, grid=(3,))
    """
    if isinstance(kernel_or_function, str):
        return _of_text(kernel_or_function, args, kwargs, plain=grid is None and order == "forward")
    _refuse_misuse(kernel_or_function, grid, order)
    panels, stopped, _, requests = run(kernel_or_function, args, kwargs, grid, order, sectors)
    if sectors:
        return _of_sectors(requests, stopped)
    lines = describe(panels, order, stopped)
    print("\n".join(map(fitted, lines)))
    if not panels:
        return None

    told = [fault("whole", "Picture of these accesses."), *lines, fault("whole", "In time:"), *in_time(panels)]
    return Drawing(in_a_line(map(_sentence, told)), trace_drawing.page(panels, order, stopped))


class Traced(NamedTuple):
    """A run: its panels, the sentence about a stopped access or None, a returned tensor, and requests to memory."""

    panels: list[Panel]
    stopped: str | None
    value: Any
    requests: list[MemoryRequests]


def run(target, args, kwargs, grid, order, sectors=False) -> Traced:
    """Run a kernel or a function, interpreted, under the recorder; the arguments are those of trace."""
    if environment.interpreted():
        return traced(target, args, kwargs, grid, order, sectors)
    from . import beside

    return beside.run(traced, target, args, kwargs, grid, order, sectors)


def _of_text(source: str, args, kwargs, plain: bool) -> Picture | None:
    """The trace of a CUDA kernel. plain: whether no grid and no order were given."""
    from . import trace_banks

    if not plain or len(args) != 1 or kwargs.keys() - {"threads"}:
        raise KernelMisuse(said("the text of a CUDA kernel is traced as it is launched: trace(source, x, threads=64)"))
    return trace_banks.trace(source, *args, **kwargs)


def _of_sectors(requests: list[MemoryRequests], stopped: str | None) -> Picture | None:
    """Print the requests to memory, and return their picture; None if there are none."""
    from . import trace_sectors

    lines = trace_sectors.describe(requests, stopped)
    print("\n".join(map(fitted, lines)))
    if not requests:
        return None
    told = [said("Picture of the sectors of a request."), *map(_sentence, lines), *trace_sectors.words(requests)]
    return Picture(in_a_line(told), lambda: trace_sectors.figure(requests))


def _is_kernel(target) -> bool:
    return hasattr(target, "fn") and hasattr(target, "__getitem__")


def _refuse_misuse(target, grid, order) -> None:
    if not callable(target) and not _is_kernel(target):
        raise KernelMisuse(
            said(
                "trace takes a kernel or a function and then its arguments, and got a {kind}: trace(kernel, y, x, "
                "BLOCK=8, grid=(4,))",
                kind=type(target).__name__,
            )
        )
    name = getattr(target, "__name__", said("the function"))
    if _is_kernel(target) and grid is None:
        raise KernelMisuse(
            said("{name} is a kernel, and a launch needs a grid: trace({name}, ..., grid=(4,))", name=name)
        )
    if not _is_kernel(target) and grid is not None:
        raise KernelMisuse(
            said(
                "{name} is a plain function: a kernel has @triton.jit above it, and only a kernel takes a grid=",
                name=name,
            )
        )
    if order not in ORDERS:
        raise KernelMisuse(
            said("there is no order {order} of programs: choose one of {list}", order=repr(order), list=listed(ORDERS))
        )


def traced(target, args, kwargs, grid, order, sectors=False) -> Traced:
    """As `run`, in this process, which interprets its kernels."""
    recorder = SectorCounter() if sectors else Recorder()
    try:
        with interpreter.recording(recorder=recorder), interpreter.conditions(order):
            value = (target if grid is None else target[grid])(*args, **kwargs)
    except OutOfBounds as error:
        return Traced(recorder.panels, with_its_line(error), None, _requests(recorder))
    return Traced(recorder.panels, None, value if launch_args.is_tensor(value) else None, _requests(recorder))


def _requests(recorder: Recorder) -> list[MemoryRequests]:
    return recorder.requests if isinstance(recorder, SectorCounter) else []


def _sentence(line: str) -> str:
    """A line as a sentence: with a full stop, unless it is whole as it stands."""
    return line if kind_of(line) == "whole" else said("{one}.", one=line)
