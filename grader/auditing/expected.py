"""The results that the reference has for the arguments of a case, in float64, and the error that others may have."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cache, partial

import torch

from ..checks.bounds import HALF
from . import allowed_error
from .arguments import Arguments, flat, is_coarse
from .casts import Casts
from .launched_numbers import as_launched
from .one_run import quiet
from .rounded import Rounded

_RUNS = 16  # of the reference in float32, for the error that it has itself
_ROUNDED_RUNS, _STEPS = 8, 4  # steps: roundings in one operator of the reference may be several in a kernel


class ReferenceFailed(RuntimeError):
    """The reference raises an error for these arguments."""


@dataclass
class Expected:
    """What the reference does.

    results: what it returns, and after that the arguments that it changes; float64, or whole numbers. changed: the
    places of these arguments. allowed: the absolute error of each result. native: the same results in the dtypes of the
    arguments; None where it raises an error there. exact: whether it computed in float64. besides: compute the errors
    that it has in float32 for inputs beside these, and where it rounds each step, which takes many calls each.
    """

    results: list[torch.Tensor]
    changed: list[int]
    allowed: list[torch.Tensor]
    native: list[torch.Tensor] | None
    exact: bool
    besides: tuple[Callable[[], list[torch.Tensor]], ...] = ()

    def allowed_beside(self, place: int, beside: Callable[[], list[torch.Tensor]]) -> torch.Tensor:
        """The error of one result, also allowing twice that of the reference beside these inputs, or in small steps.
        beside: one of `besides`."""
        error, own = self.allowed[place], beside()
        if place >= len(own) or own[place].shape != error.shape:
            return error
        if is_coarse(want := self.results[place]):
            moved = allowed_error.as_places(own[place])
            most = float(want.double().abs().max()) if want.numel() else 0.0
            return torch.maximum(error, torch.where(moved > 1, moved.clamp(min=most), moved))  # of equals, any place
        return torch.maximum(error, 2 * _most_of_row(own[place]))

    def where_as(self, other: Expected) -> Expected:
        """The same, with any error allowed where another expectation has another result."""
        errors = [
            torch.where((mine == others) & mine.isfinite(), error, torch.inf)
            for mine, others, error in zip(self.results, other.results, self.allowed)
        ]
        return replace(self, allowed=errors)

    def where_apart_from(self, reference, usual: Arguments, arguments: Arguments) -> Expected:
        """The same, with any error allowed where a result depends on the numbers that differ from the usual ones.

        They are made larger than all others, then smaller. Of a sorted row that has a NaN, each element behind it is
        another one: where NaN belongs, implementations do not agree on.
        """
        errors = self.allowed
        first = _outputs(reference, usual.mapped(lambda _, t: _wide(t)), self.changed) if self.exact else []
        for sign in (1, -1):
            trial = usual.mapped(lambda i, t, sign=sign: _wide(_elsewhere(t, arguments.leaves[i], sign)))
            try:
                moved = _outputs(reference, trial, self.changed) if self.exact else []
            except Exception:  # it takes no such numbers
                continue
            errors = [
                torch.where(one == other, error, torch.inf) if one.shape == other.shape == error.shape else error
                for one, other, error in zip(first, moved, errors)
            ] or errors
        return replace(self, allowed=errors)


def _elsewhere(usual: torch.Tensor, other: torch.Tensor, sign: int) -> torch.Tensor:
    """The usual numbers, and where the others differ, one beyond all of them."""
    if not usual.is_floating_point() or is_coarse(usual) or not usual.numel():
        return usual
    return torch.where(usual == other, usual, sign * (1 + 2 * usual.abs().max()))


def expected(
    reference, arguments: Arguments, dtypes: set[torch.dtype], seed: int, changes: Collection[int] = ()
) -> Expected:
    """What is expected of a call. dtypes: of the tensors that came back from it. changes: places of arguments that are
    results also where the reference leaves them as they are, as it leaves zeros. Raises ReferenceFailed."""
    wide = arguments.mapped(lambda _, t: t.detach().double() if t.is_floating_point() else t)
    try:
        changed, native = _changed(reference, arguments, changes), None
        native = _outputs(reference, arguments, changed)
    except Exception as error:  # on a CPU it may lack an operator for half precision
        changed, native, failure = None, None, error
    single = native
    if native is not None and any(t.dtype in HALF for t in arguments.tensors().values()):
        single = _in_single(reference, arguments, changed)
    try:
        changed = _changed(reference, wide, changes) if changed is None else changed
        results, exact = _outputs(reference, wide, changed), True
    except Exception:  # it has tensors of its own, of another dtype
        if native is None:
            raise ReferenceFailed(f"{type(failure).__name__}: {failure}") from failure
        results, exact, wide = native, False, arguments
    dtypes = dtypes | {t.dtype for t in arguments.tensors().values()}
    length = _length(arguments, results)
    distance = allowed_error.step(length, dtypes)
    called, launched = (partial(_outputs, each, changed=changed) for each in (reference, as_launched(reference)))
    moved = allowed_error.moves(called, launched, wide, results, distance, seed)
    errors = [allowed_error.allowed(want, each, length, dtypes) for want, each in zip(results, moved)]
    if not all(want.is_floating_point() for want in results):
        errors = _any_for_casts(reference, wide, changed, errors)
    if single is not None:
        errors = [_no_stricter(error, want, each) for error, want, each in zip(errors, results, single)]
    kinds = (_own_errors, _errors_of_steps) if exact else ()
    besides = tuple(cache(partial(each, reference, arguments, changed, distance, seed)) for each in kinds)
    return Expected([_wide(each) for each in results], changed, errors, native, exact, besides)


def _outputs(reference, arguments: Arguments, changed: list[int]) -> list[torch.Tensor]:
    """What the reference returns, and the arguments of these places after the call. The arguments are copied first."""
    copies = arguments.mapped(lambda _, t: t.detach().clone())
    with quiet():
        results = flat(copies.given_to(reference))
    return [*results, *(copies.leaves[i].detach() for i in changed)]


def _any_for_casts(
    reference, arguments: Arguments, changed: list[int], errors: list[torch.Tensor]
) -> list[torch.Tensor]:
    """Any error is allowed where a result depends on the whole number that NaN or an infinity was cast to."""
    found = []
    for filling in (0, 1):
        try:
            with Casts(filling) as casts:
                found.append(_outputs(reference, arguments, changed))
        except Exception:  # it cannot be watched
            return errors
        if not casts.met:
            return errors
    return [
        torch.where((one == other) | (one != one), error, torch.inf)
        if one.shape == other.shape == error.shape
        else error
        for one, other, error in zip(*found, errors)
    ]


def looks_at(reference, arguments: Arguments, place: int, changed: list[int]) -> bool:
    """Whether the reference has other results where a tensor has other numbers. False where it refuses these."""

    def other(i, tensor):
        return (tensor.flip(-1) + 1 if tensor.ndim else tensor + 1).to(tensor.dtype) if i == place else tensor

    try:
        usual, moved = (_outputs(reference, each, changed) for each in (arguments, arguments.mapped(other)))
    except Exception:  # it takes no such numbers
        return False
    return not all(torch.equal(*(_plain(each).nan_to_num() for each in pair)) for pair in zip(usual, moved))


def _in_single(reference, arguments: Arguments, changed: list[int]) -> list[torch.Tensor] | None:
    """Its results in float32: in half precision, a CPU may add in half precision too."""
    try:
        return _outputs(reference, arguments.mapped(lambda _, t: t.float() if t.dtype in HALF else t), changed)
    except Exception:  # it has tensors of its own, in half precision
        return None


def _errors_of_steps(
    reference, arguments: Arguments, changed: list[int], distance: float, seed: int
) -> list[torch.Tensor]:
    """How far the results move when what each operator is given does. Empty where it takes no such tensors."""
    wide = arguments.mapped(lambda _, t: _wide(t.detach()))
    exact = _outputs(reference, wide, changed)
    largest = [torch.zeros(each.shape, dtype=torch.float64) for each in exact]
    for run in range(_ROUNDED_RUNS):
        try:
            with Rounded(_STEPS * distance, seed + run):
                moved = _outputs(reference, wide, changed)
            apart = [(a.double() - b.double()).abs().nan_to_num(0.0, 0.0, 0.0) for a, b in zip(moved, exact)]
            largest = [torch.maximum(a, b) for a, b in zip(largest, apart)]
        except Exception:  # it does with tensors what cannot be watched, or has other shapes then
            return []
    return largest


def _own_errors(reference, arguments: Arguments, changed: list[int], distance: float, seed: int) -> list[torch.Tensor]:
    """The largest errors that the reference has in float32 for inputs beside these, where they are finite.

    What cancels in exact arithmetic does not move with the inputs, and the rounding errors of a single run may cancel
    by luck. Empty where it refuses float32.
    """
    generator = torch.Generator().manual_seed(seed)
    largest: list[torch.Tensor] = []
    for _ in range(_RUNS):
        beside = arguments.mapped(lambda _, t: allowed_error.jittered(_float(t), distance, generator))
        try:
            single = _outputs(reference, beside, changed)
            exact = _outputs(reference, beside.mapped(lambda _, t: _wide(t)), changed)
        except Exception:  # it has tensors of its own, in half precision, or takes no numbers beside these
            return []
        found = [(a.double() - b.double()).abs().nan_to_num(0.0, 0.0, 0.0) for a, b in zip(single, exact)]
        largest = [torch.maximum(a, b) for a, b in zip(largest, found)] if largest else found
    return largest


def _float(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().float() if tensor.is_floating_point() else tensor


def _changed(reference, arguments: Arguments, changes: Collection[int]) -> list[int]:
    """The places of the arguments that the reference changes, and these ones."""
    places = [*arguments.tensors()]
    after = _outputs(reference, arguments, places)[-len(places) :] if places else []
    before = {i: _plain(arguments.leaves[i]) for i in places}
    return [
        i
        for i, t in zip(places, after)
        if i in changes or not torch.equal(_plain(t).nan_to_num(), before[i].nan_to_num())
    ]


def _no_stricter(error: torch.Tensor, want: torch.Tensor, single: torch.Tensor) -> torch.Tensor:
    """Twice the error that the reference has in float32 is allowed, and any where it is not finite there.

    A coarse number may be that of float32.
    """
    if single.shape != want.shape:
        return error
    if is_coarse(want):
        return torch.maximum(error, (single.double() - want.double()).abs().nan_to_num(0.0))
    own = (single.double() - want.double()).abs()
    own = torch.where(want.isfinite(), own.nan_to_num(torch.inf, torch.inf, torch.inf), 0.0)
    lost = own.isinf()
    return torch.where(lost, torch.inf, torch.maximum(error, 2 * _most_of_row(torch.where(lost, 0.0, own))))


def _most_of_row(error: torch.Tensor) -> torch.Tensor:
    return error.amax(-1, keepdim=True).expand(error.shape) if error.ndim and error.numel() else error


def _length(arguments: Arguments, results: list[torch.Tensor]) -> int:
    """The length of the longest sum that a result may be of: along an axis, or of all that one result is made of."""
    longest = max([n for t in arguments.tensors().values() for n in t.shape], default=1)
    most = max([t.numel() for t in arguments.tensors().values()], default=1)
    return max([longest, *(most // max(result.numel(), 1) for result in results)])


def _wide(result: torch.Tensor) -> torch.Tensor:
    return result.double() if result.is_floating_point() else result


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of numbers that PyTorch compares: it has few operators for those of 8 bits."""
    return tensor.float() if tensor.is_floating_point() and is_coarse(tensor) else tensor
