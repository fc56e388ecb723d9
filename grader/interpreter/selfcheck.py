"""Controls for the features of the interpreter: each must act on a wrong kernel and leave a right one unchanged."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from .. import interpreter
from ..sentence import fault
from .triton_private import private


@triton.jit
def copy(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """A right kernel: y = x for n elements."""
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + cols, x, mask=cols < n)


@triton.jit
def _store_everything(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + cols, x)


@triton.jit
def sum_unpadded(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """A wrong kernel: its masked lanes hold no value and join the sum."""
    cols = tl.arange(0, BLOCK)
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + cols, mask=cols < n), axis=0))


@triton.jit
def _double_bfloat16(y_ptr, x_ptr, CAST: tl.constexpr):
    x = tl.load(x_ptr)
    if CAST:
        x = x.to(tl.float32)
    tl.store(y_ptr, 2 * x)


@triton.jit
def _last_writer(y_ptr):
    tl.store(y_ptr, tl.program_id(0) * 1.0)


@triton.jit
def _own_element(y_ptr):
    program = tl.program_id(0)
    tl.store(y_ptr + program, program * 1.0)


def copy_once(device: str = "cpu") -> torch.Tensor:
    """Run a kernel with a known result: a copy of [0, 1, 2, 3, 4], float32, in a block of 8."""
    x, y = torch.arange(5.0, device=device), torch.full((5,), float("nan"), device=device)
    copy[(1,)](y, x, 5, BLOCK=8)
    return y


def run() -> dict[str, str]:
    """Run the controls. Returns {feature: "on" or "off: why"}; a feature whose control fails is off."""
    status = dict(interpreter.install())
    controls = {
        "guard": _guard, "poison": _poison, "ledger": _ledger, "order": _order, "speed": _speed, "bf16": _bf16,
        "batch": _batch,
    }  # fmt: skip
    for feature, control in controls.items():
        if status[feature] == "on":
            try:
                if not control():
                    status[feature] = fault("off", "off: its control failed")
            except Exception as error:
                status[feature] = fault(
                    "off", "off: its control raised {name}: {error}", name=type(error).__name__, error=error
                )
    return status


def _guard() -> bool:
    try:
        _store_everything[(1,)](torch.zeros(5), torch.zeros(5), 5, BLOCK=8)
    except interpreter.OutOfBounds as error:
        caught = (error.where["tensor"], error.where["column"]) == ("y_ptr", 5)
        return caught and torch.equal(copy_once(), torch.arange(5.0))
    return False


def _poison() -> bool:
    y = torch.zeros(1)
    sum_unpadded[(1,)](y, torch.ones(5), 5, BLOCK=8)
    return bool(y.isnan())


def _ledger() -> bool:
    with interpreter.recording() as ledger:
        copy_once()
    return ledger.totals() == (5, 5)


def _order() -> bool:
    y = torch.zeros(1)
    _last_writer[(4,)](y)
    forward = y.item()
    with interpreter.conditions("reversed"):
        _last_writer[(4,)](y)
    return (forward, y.item()) == (3.0, 0.0)


def _bf16() -> bool:
    x, y = torch.tensor([3.0], dtype=torch.bfloat16), torch.zeros(1, dtype=torch.bfloat16)
    try:
        _double_bfloat16[(1,)](y, x, CAST=False)
    except interpreter.KernelMisuse:
        _double_bfloat16[(1,)](y, x, CAST=True)
        return y.item() == 6.0
    return False


def _batch() -> bool:
    """For 16 programs without a conflict, the kernel's body runs fewer than 16 times. With one, they run in order."""
    y, last, calls, original = torch.zeros(16), torch.zeros(1), [], private().program_id
    with private().replaced("program_id", lambda *args: (calls.append(1), original(*args))[1]):
        _own_element[(16,)](y)
    _last_writer[(16,)](last)
    return len(calls) < 16 and torch.equal(y, torch.arange(16.0)) and last.item() == 15.0


def _speed() -> bool:
    """The second launch does not search for the patches of the language again, neither for itself nor for tl.sum."""
    sum_unpadded[(1,)](torch.zeros(1), torch.ones(8), 8, BLOCK=8)
    calls, original = [], private().patch_builtin
    with private().replaced("patch_builtin", lambda *args, **kwargs: (calls.append(1), original(*args, **kwargs))[1]):
        sum_unpadded[(1,)](torch.zeros(1), torch.ones(8), 8, BLOCK=8)
    return not calls
