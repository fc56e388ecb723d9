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

from .address_space import OutOfBounds
from .hooks import hook
from .ledger import Ledger
from .recorder import Recorder
from .state import FEATURES, KernelMisuse, watch

STATUS: dict[str, str] = {feature: "off: not installed" for feature in FEATURES}


def in_kernel() -> bool:
    """Whether a kernel is being interpreted right now."""
    return watch.in_kernel


@contextlib.contextmanager
def recording(ledger: Ledger | None = None, recorder: Recorder | None = None):
    """Count every access of the kernels launched inside the block; with a recorder, keep who touched which element."""
    before = watch.ledger, watch.recorder
    watch.ledger, watch.recorder = ledger if ledger is not None else Ledger(), recorder
    try:
        yield watch.ledger
    finally:
        watch.ledger, watch.recorder = before


@contextlib.contextmanager
def conditions(order: str = "forward", poison: bool = True, batch: bool = True):
    """How the launches inside the block run.

    order: of the programs, "forward", "reversed" or "shuffled"; a GPU promises none of them. poison: whether masked
    lanes without a value hold something that shows, or 0 as on most GPUs. batch: whether many programs may run at once;
    the results are the same, so this is for tests.
    """
    before = watch.order, watch.poison, watch.batch
    watch.order, watch.poison, watch.batch = order, poison, batch and watch.batch
    try:
        yield
    finally:
        watch.order, watch.poison, watch.batch = before


def install() -> dict[str, str]:
    """Hook Triton's interpreter, once. Returns STATUS: for each feature "on" or "off: why"."""
    try:
        from triton.runtime import interpreter as stock
    except Exception as error:  # no Triton on this platform, or one that does not import
        STATUS.update({feature: f"off: Triton does not import ({error})" for feature in FEATURES})
        return STATUS
    if not getattr(stock, "_five_passes_installed", False):
        hook(stock, STATUS)
        stock._five_passes_installed = True
        watch.batch = STATUS["guard"] == STATUS["batch"] == "on"
    return STATUS


__all__ = [
    "FEATURES",
    "STATUS",
    "KernelMisuse",
    "OutOfBounds",
    "conditions",
    "in_kernel",
    "install",
    "recording",
]
