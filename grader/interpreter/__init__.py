"""Triton's interpreter with a guard, poison, a ledger, a choice of program order, less work, and bfloat16.

Runs in: a worker, and a notebook's kernel where there is no GPU.
May import: spec.
Start reading: hooks.py, then address_space.py (the guard), ledger.py, and batching/.

The stock interpreter reads and writes raw addresses, so one missing mask can end the Python process or, worse, pass
unnoticed. `install()` hooks it in place; everything that runs interpreted in this process is then watched. The hooks
name private functions of triton.runtime.interpreter: where one does not fit the Triton at hand, the feature is left
out and `STATUS` says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from .address_space import OutOfBounds
from .hooks import hook
from .ledger import Ledger
from .recorder import Recorder
from .state import FEATURES, KernelMisuse, current
from .triton_private import private

_NOT_YET = "off: not installed"
STATUS: dict[str, str] = dict.fromkeys(FEATURES, _NOT_YET)


def in_kernel() -> bool:
    """Whether a kernel is being interpreted right now."""
    return current.launch is not None


@contextlib.contextmanager
def recording(ledger: Ledger | None = None, recorder: Recorder | None = None):
    """Count every access of the kernels launched inside the block; with a recorder, keep who touched which element."""
    before = current.ledger, current.recorder
    current.ledger, current.recorder = ledger if ledger is not None else Ledger(), recorder
    try:
        yield current.ledger
    finally:
        current.ledger, current.recorder = before


@contextlib.contextmanager
def conditions(order: str = "forward", poison: bool = True, batch: bool = True):
    """How the launches inside the block run.

    order: of the programs, "forward", "reversed" or "shuffled"; a GPU promises none of them. poison: whether masked
    lanes without a value hold something that shows, or 0 as on most GPUs. batch: whether many programs may run at once;
    the results are the same, so this is for tests.
    """
    before = current.order, current.poison, current.batch
    current.order, current.poison, current.batch = order, poison, batch and current.batch
    try:
        yield
    finally:
        current.order, current.poison, current.batch = before


def install() -> dict[str, str]:
    """Hook Triton's interpreter, once. Returns STATUS: for each feature "on" or "off: why"."""
    if _NOT_YET not in STATUS.values():
        return STATUS
    try:
        names = private()
    except Exception as error:  # no Triton on this platform, or one that does not import
        STATUS.update({feature: f"off: Triton does not import ({error})" for feature in FEATURES})
        return STATUS
    hook(names, STATUS)
    current.batch = STATUS["guard"] == STATUS["batch"] == "on"
    return STATUS


@contextlib.contextmanager
def instead_of_running(tell: Callable[[Callable], None]):
    """No kernel that is launched inside the block runs: tell(kernel function) is called instead."""
    with private().replaced("launch", lambda executor, *args, **kwargs: tell(executor.fn)):
        yield


__all__ = [
    "FEATURES",
    "STATUS",
    "KernelMisuse",
    "OutOfBounds",
    "conditions",
    "in_kernel",
    "install",
    "instead_of_running",
    "recording",
]
