"""Four kernels that load a ragged row with one pad, and the value that makes each of them right (exercise 4.2)."""

from __future__ import annotations

import math

import torch

from ..checks import compare
from ..sentence import listed, said


def _squared_distance(x: torch.Tensor, n: int) -> float:
    """The mean squared distance to the mean, of a block in which n lanes have an element."""
    mean = x.double().sum() / n
    return ((x.double() - mean) ** 2).sum().item() / n


# entry -> what the kernel computes of the lanes of a block, n of which have an element. The text is in the lesson.
KERNELS = {
    "a": lambda x, n: x.abs().amax().item(),
    "b": lambda x, n: x.amin().item(),
    "c": lambda x, n: torch.exp(-x).double().sum().item(),
    "d": _squared_distance,
}
_INF = math.inf
_ROWS = {
    "a": ([1.0, 2.0, 3.0], [-7.0, -5.0, -6.0], [0.0, 0.0, 0.0]),
    "b": ([1.0, 2.0, 3.0], [200.0, 300.0, 250.0], [3e38, 2e38, 3e38], [_INF, _INF, _INF]),
    "c": ([1.0, 2.0, 3.0], [-50.0, -60.0, -40.0], [95.0, 98.0, 102.0], [_INF, _INF, _INF]),
    "d": ([1.0, 2.0, 3.0], [4.0, 4.0, 4.0], [-3.0, 0.0, 3.0]),
}


def number(value) -> float | None:
    """A pad as a plain number; None if it is none. A tensor with one element is one."""
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        value = value.item()
    return None if isinstance(value, bool) or not isinstance(value, (int, float)) else float(value)


def fault(pads, entry: str) -> str | None:
    """None if the pad of an entry leaves the result of every row as it is, else a sentence; "d" has no such pad."""
    if not isinstance(pads, dict) or entry not in pads:
        return said("{shown} has no entry {entry}", shown=compare.shown(pads), entry=repr(entry))
    given = pads[entry]
    if entry == "d" and given is None:
        return None
    pad = number(given)
    if pad is None:
        return (
            said(
                "{shown} is no number that a lane can hold, and this kernel has a right pad", shown=compare.shown(given)
            )
            if given is None
            else said("{shown} is no number that a lane can hold", shown=compare.shown(given))
        )
    if math.isnan(pad):
        return said("with nan in the masked lane, the result is nan, or whatever the machine makes of it")
    for row in _ROWS[entry]:
        lanes = torch.tensor([*row, pad], dtype=torch.float64).float()
        got, want = KERNELS[entry](lanes, len(row)), KERNELS[entry](lanes[:-1], len(row))
        if not math.isclose(got, want, rel_tol=1e-12):
            values = listed([f"{v:g}" for v in row])
            digits = compare.apart(got, want, 4)
            got, want = (f"{number:.{digits}g}" for number in (got, want))
            return said(
                "with {pad} in the masked lane, the row {values} gives {got}, expected {want}",
                pad=f"{pad:g}",
                values=values,
                got=got,
                want=want,
            )
    return None
