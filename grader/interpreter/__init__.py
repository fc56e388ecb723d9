"""Triton's interpreter with a guard, poison, a ledger, a choice of program order, batched passes, and bfloat16.

Runs in: a worker, and a notebook's kernel where there is no GPU.
May import: sentence, spec.
Start reading: hooks.py, then address_space.py (the guard), ledger.py, and batching/.

hooks            the hooks around launches, accesses and programs
triton_private   every private name of Triton, and what a version lacks
address_space    the guard: windows of addresses, OutOfBounds
ledger           elements moved, by tensor and launch; torch_ledger: the same for PyTorch's operators
float_storages   storages from birth to release: which hold floating-point numbers, how many elements live
observe          all counts of one call, as plain data
poison, bfloat16 values of masked lanes; conversions, and arithmetic that is refused; float8: conversions
left_open        what a GPU may do in one way or another, done in two; open_lanes: which lane it takes;
                 addresses_as_numbers: where a tensor lies; promises: what the compiler takes on trust
storing_lanes    which lane stored an element: another one of its program needs a barrier
recorder         which program touched which element, for traces; sectors: what its warps ask of memory
state            the running launch, conditions and recordings
launch_args      arguments, options and grid of a launch, and their refusals
libdevice        NVIDIA's functions, in NumPy
fastpaths        common operations straight to NumPy; caching: repeated work done once; compat: repairs
batching/        many programs in one pass
selfcheck        a control for each feature

The stock interpreter reads and writes raw addresses. One missing mask can therefore end the Python process or, worse,
go unnoticed. `install()` hooks the interpreter in place, for every kernel that runs interpreted in this process. The
hooks replace private functions of triton.runtime.interpreter. Where one does not fit the installed Triton, its feature
stays off, and `STATUS` holds the reason.

guard   an access outside of its tensor raises OutOfBounds before it happens
poison  masked lanes of a load without `other` hold inf, -inf and NaN, so that their use shows in the result
ledger  the record of each launch: elements moved, by tensor, and which program stored which element
order   the order in which the programs of a launch run
speed   less work per launch and per operation, with the same results
bf16    exact conversions of bfloat16 and of numbers of 8 bits, and an error where a kernel computes with it
batch   many programs in one pass of the kernel, with the same results
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from ..sentence import fault
from .address_space import OutOfBounds
from .hooks import hook
from .ledger import Launch, Ledger
from .recorder import Recorder
from .state import FEATURES, EndlessKernel, KernelMisuse, current
from .triton_private import private

_NOT_YET = fault("off", "off: not installed")
STATUS: dict[str, str] = dict.fromkeys(FEATURES, _NOT_YET)


def in_kernel() -> bool:
    """Whether an interpreted kernel is running in this process."""
    return current.launch is not None


@contextlib.contextmanager
def recording(ledger: Ledger | None = None, recorder: Recorder | None = None):
    """Count every access of the kernels that are launched inside the block. Yields the ledger.

    ledger: None makes a new one. recorder: keeps which program touched which element; None keeps nothing.
    """
    before = current.ledger, current.recorder
    current.ledger, current.recorder = ledger if ledger is not None else Ledger(), recorder
    try:
        yield current.ledger
    finally:
        current.ledger, current.recorder = before


@contextlib.contextmanager
def conditions(
    order: str = "forward",
    poison: bool = True,
    batch: bool = True,
    strides: tuple[tuple[int, ...], ...] = (),
    few: tuple[int, tuple[int, ...]] | None = None,
    blind: tuple[int, int] | None = None,
    bfloat16: bool = False,
    tf32: bool = False,
    magnified: int = 0,
):
    """Set how the launches inside the block run.

    order: of the programs, "forward", "reversed" or "shuffled"; a GPU guarantees none of them. poison: whether masked
    lanes of a load without `other` hold poison, or else 0, as on most GPUs. batch: whether batched passes are allowed.
    The results are the same with and without them, so only tests switch them off. strides, few, blind: as in Call.
    bfloat16: whether kernels may compute with it, as on a GPU; else it is an error. tf32: whether tl.dot rounds float32
    to tf32, as NVIDIA's GPUs do where it is not told to keep all bits. magnified: how many times the error that a float
    has in float32 is added to it, where a launch passes one.
    """
    before = current.order, current.poison, current.batch, current.strides, current.few, current.blind
    numbers = current.bfloat16, current.tf32, current.magnified
    current.bfloat16, current.tf32, current.magnified = bfloat16, tf32, magnified
    # A pass loads for all its programs at once.
    current.order, current.poison, current.batch = order, poison, batch and blind is None and current.batch
    current.strides, current.few, current.blind = strides, few, blind
    try:
        yield
    finally:
        current.bfloat16, current.tf32, current.magnified = numbers
        current.order, current.poison, current.batch, current.strides, current.few, current.blind = before


@contextlib.contextmanager
def each_launch(before: Callable[[Launch], Any]):
    """Call a function with the record of each launch inside the block, before it runs.

    before: returns the function to run in the place of the kernel's own, or None.
    """
    outer, current.before_launch = current.before_launch, before
    try:
        yield
    finally:
        current.before_launch = outer


def install() -> dict[str, str]:
    """Hook Triton's interpreter; a second call changes nothing. Returns STATUS: for each feature "on" or "off: why"."""
    if _NOT_YET not in STATUS.values():
        return STATUS
    try:
        names = private()
    except Exception as error:  # no Triton on this platform, or one that does not import
        STATUS.update(
            {feature: fault("off", "off: Triton does not import ({error})", error=error) for feature in FEATURES}
        )
        return STATUS
    hook(names, STATUS)
    current.batch = STATUS["guard"] == STATUS["batch"] == "on"
    return STATUS


__all__ = [
    "FEATURES",
    "STATUS",
    "EndlessKernel",
    "KernelMisuse",
    "OutOfBounds",
    "conditions",
    "each_launch",
    "in_kernel",
    "install",
    "recording",
]
