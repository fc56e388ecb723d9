"""The error that careful arithmetic may have: derived from dtypes, from lengths, and from the reference itself.

A backward stable algorithm returns the exact result for inputs that differ from the given ones by a few roundings. So
the audit asks the reference how far its results move when each input moves by a few roundings up or down. Sums of n
terms, one after another, add about √n roundings (Higham and Mary, "A new approach to probabilistic rounding error
analysis", 2019). A tie, or a number halfway between two whole ones, moves to the other side: so either side is right.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from .arguments import Arguments, is_coarse

_TRIALS = 6
_TIES = 12  # more trials for whole numbers: of several equal inputs, each comes first in some
_ROUNDINGS = 16  # in float32, before the length of a sum counts
_HUGE = 1e30
_TIE = 1e-13  # of zeros: more than float64 rounds away, and next to nothing beside any number
_BRINK = torch.finfo(torch.float32).max * 2.0**-24  # a step of an algorithm may overflow where another one's does not
_NOTHING = 1e-30  # what is smaller passes for 0
_SINGLE = torch.finfo(torch.float32).eps / 2


def step(length: int, dtypes: set[torch.dtype]) -> float:
    """The relative distance by which inputs move. length: of the longest sum. dtypes: of inputs and results.

    In half precision a kernel may round what it has loaded or computed once more: one eps.
    """
    return max([(_ROUNDINGS + length**0.5) * _SINGLE, *(torch.finfo(dtype).eps for dtype in _halves(dtypes))])


def moves(
    outputs: Callable[[Arguments], list[torch.Tensor]],
    launched: Callable[[Arguments], list[torch.Tensor]],
    exact: Arguments,
    wants: list[torch.Tensor],
    distance: float,
    seed: int,
) -> list[torch.Tensor]:
    """The largest distance that each result moves when the inputs do: float64, of the shapes of the results.

    outputs: calls the reference. launched: calls it with plain numbers as a launch passes them. exact: the arguments in
    the precision in which it computes. wants: its results.
    """
    generator = torch.Generator().manual_seed(seed)
    found = [torch.zeros(want.shape, dtype=torch.float64) for want in wants]
    trials = [exact.mapped(lambda _, t, sign=sign: _ramp(t, sign * distance)) for sign in (1, -1)]
    trials += [exact.mapped(lambda _, t: jittered(t, distance, generator)) for _ in range(_TRIALS)]
    told_apart = _told_apart(outputs, exact, wants)
    calls = [(launched, exact), *((outputs, trial) for trial in trials)]
    usual = len(calls)
    if any(map(is_coarse, wants)):
        trials = [exact.mapped(lambda _, t, sign=sign: _climbing(t, sign * distance)) for sign in (1, -1)]
        trials += [exact.mapped(lambda _, t: _without_ties(t, distance, generator)) for _ in range(_TIES)]
        calls += [(outputs, trial) for trial in trials]
    for number, (call, trial) in enumerate(calls):
        try:
            outcome = call(trial)
        except Exception:  # it takes no numbers beside these
            continue
        for i, moved in enumerate(outcome):
            if moved.shape == wants[i].shape and (number < usual or is_coarse(wants[i])):
                apart = (moved.double() - wants[i].double()).abs().nan_to_num(0.0, torch.inf, torch.inf)
                counts = wants[i].double().isfinite() & ~told_apart[i]
                found[i] = torch.maximum(found[i], torch.where(counts, apart, 0.0))
    return [as_places(each) if is_coarse(want) else _smooth(each) for each, want in zip(found, wants)]


def _told_apart(
    outputs: Callable[[Arguments], list[torch.Tensor]], exact: Arguments, wants: list[torch.Tensor]
) -> list[torch.Tensor]:
    """Which coarse results are others where infinite inputs are only large: trials put large numbers in their place."""
    none = [torch.zeros(want.shape, dtype=torch.bool) for want in wants]
    infinite = any(t.is_floating_point() and t.isinf().any() for t in exact.tensors().values())
    if not infinite or not any(map(is_coarse, wants)):
        return none
    try:
        large = outputs(exact.mapped(lambda _, t: _large(t) if t.is_floating_point() else t.clone()))
    except Exception:  # it takes no such numbers
        return none
    return [
        large[i] != want if is_coarse(want) and large[i].shape == want.shape else none[i]
        for i, want in enumerate(wants)
    ]


def _large(tensor: torch.Tensor) -> torch.Tensor:
    """With numbers in place of infinities."""
    return tensor.nan_to_num(torch.nan, _HUGE, -_HUGE)


def allowed(want: torch.Tensor, moved: torch.Tensor, length: int, dtypes: set[torch.dtype]) -> torch.Tensor:
    """The absolute error that a result may have: float64, of its shape. moved: as `moves` gives them.

    Arithmetic in float32 makes errors relative to the largest number of a row too: an activation may add 1 to a small
    number. A coarse number has no error of its own.
    """
    if is_coarse(want):
        return moved
    size = want.double().nan_to_num(0.0, 0.0, 0.0).abs()
    error = moved + (_ROUNDINGS + length**0.5) * _SINGLE * _of_row(size, torch.amax)
    if halves := _halves(dtypes):
        error = error + max(torch.finfo(dtype).eps for dtype in halves) * size
    # Below the smallest normal number digits are lost, and a GPU may flush to 0. float16 keeps its subnormal numbers.
    kinds = [torch.finfo(dtype) for dtype in dtypes if dtype.is_floating_point and torch.finfo(dtype).bits > 8]
    tiny = [kind.smallest_normal * (kind.eps if kind.dtype == "float16" else 2) for kind in kinds]
    return torch.where(size > _BRINK, torch.inf, error + max(tiny, default=0.0))


def _halves(dtypes: set[torch.dtype]) -> list[torch.dtype]:
    return [dtype for dtype in dtypes if dtype.is_floating_point and 8 < torch.finfo(dtype).bits < 32]


def jittered(tensor: torch.Tensor, distance: float, generator: torch.Generator) -> torch.Tensor:
    """Each number moved up or down."""
    if not tensor.is_floating_point():
        return tensor.clone()
    signs = torch.randint(2, tensor.shape, generator=generator).to(tensor.dtype) * 2 - 1
    return tensor * (1 + distance * signs)


def _without_ties(tensor: torch.Tensor, distance: float, generator: torch.Generator) -> torch.Tensor:
    """Each number moved by a part of the distance, so that no two equal ones stay equal.

    Zeros move only down: what is not above 0 stays so.
    """
    if not tensor.is_floating_point() or not tensor.numel():
        return tensor.clone()
    parts = torch.rand(tensor.shape, generator=generator, dtype=tensor.dtype)
    size = tensor.abs().nan_to_num(0.0, 0.0, 0.0).max()
    zeros = -_TIE * parts * (size if size > _NOTHING else 1.0)
    return torch.where(tensor.abs() < _NOTHING, zeros, tensor * (1 + distance * (2 * parts - 1)))


def _ramp(tensor: torch.Tensor, distance: float) -> torch.Tensor:
    """The numbers moved further and further along a row: of equal ones, the last becomes the largest or smallest."""
    if not tensor.is_floating_point() or tensor.ndim == 0:
        return tensor.clone()
    tensor = _large(tensor)  # infinities do not move
    climb = torch.linspace(0, distance, max(tensor.shape[-1], 2), dtype=tensor.dtype)[: tensor.shape[-1]]
    return tensor + climb * tensor.abs().clamp(min=1e-30)


def _climbing(tensor: torch.Tensor, distance: float) -> torch.Tensor:
    """The numbers moved further and further along all axes at once: of equal ones, the last one along any axis becomes
    the largest or smallest, of however many."""
    return _ramp(tensor.reshape(-1), distance).reshape(tensor.shape)


def _smooth(moved: torch.Tensor) -> torch.Tensor:
    """No less than the mean of the row: where an input moves at random, one result can stay where it was."""
    return torch.maximum(moved, _of_row(moved.nan_to_num(0.0, 0.0, 0.0), torch.mean))


def as_places(moved: torch.Tensor) -> torch.Tensor:
    """Where a whole number moves by more than 1, it is a place among ties, and so are the others of its row."""
    most = _of_row(moved, torch.amax)
    return torch.where(most > 1, most, moved)


def _of_row(values: torch.Tensor, of) -> torch.Tensor:
    if values.ndim == 0 or values.numel() == 0:
        return values
    return of(values, dim=-1, keepdim=True).expand(values.shape)
