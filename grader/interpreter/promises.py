"""What Triton's compiler takes on trust, checked: promises about the values of a block, and the indices of a gather."""

from __future__ import annotations

import functools

import numpy as np

from ..sentence import fault, said
from .batching.array import BatchArray
from .state import KernelMisuse, current
from .triton_private import Private


def hook(private: Private) -> None:
    """Hook tl.multiple_of, tl.max_contiguous, tl.max_constancy and tl.gather."""
    private.replace("promise", _kept(private.promise))
    if (gather := getattr(private.Builder, "create_gather", None)) is not None:
        private.replace_method("create_gather", _within(gather))


def _kept(promise):
    """The method of a handle that takes a promise, with the promise checked."""

    @functools.wraps(promise)
    def checked(self, key, values, *args, **kwargs):
        if current.launch is not None and key in _PROMISES:
            _check(self, key, values)
        return promise(self, key, values, *args, **kwargs)

    return checked


def _check(handle, key: str, values: list[int]) -> None:
    """Raise KernelMisuse for a promise that a block breaks. values: one for each axis."""
    name, broken = _PROMISES[key]
    numbers = handle.data.values if isinstance(handle.data, BatchArray) else np.asarray(handle.data)[None]
    kind = handle.dtype.scalar
    step = kind.element_ty.primitive_bitwidth // 8 if kind.is_ptr() else 1
    for axis, value in enumerate(values):
        if axis + 1 < numbers.ndim and (found := broken(numbers, axis + 1, value, step)) is not None:
            raise KernelMisuse(
                fault(
                    "no-multiple" if broken is _no_multiple else "promise",
                    "tl.{name} promises the compiler {value}, which here is not so: {found}",
                    name=name,
                    value=value,
                    found=found,
                )
            )


def _no_multiple(numbers: np.ndarray, axis: int, value: int, step: int) -> str | None:
    """The first lane counts: of a range, the compiler takes the lane with which it begins for a multiple."""
    first = np.take(numbers, 0, axis=axis)
    wrong = first[first % value != 0] if value else first[:0]
    return said("the first value is {first}", first=int(wrong.flat[0])) if wrong.size else None


def _apart(numbers: np.ndarray, axis: int, value: int, step: int) -> str | None:
    """Two neighbours within a group of `value` lanes that differ by something else than `step`."""
    lanes = np.moveaxis(numbers, axis, -1)
    if lanes.dtype.kind == "b":
        lanes = lanes.astype(np.int8)
    inner = np.arange(1, lanes.shape[-1]) % value != 0 if value else np.zeros(lanes.shape[-1] - 1, bool)
    differ = (lanes[..., 1:] - lanes[..., :-1] != np.array(step).astype(lanes.dtype)) & inner
    if not differ.any():
        return None
    at = tuple(int(place) for place in np.argwhere(differ)[0])
    one, other = lanes[at], lanes[(*at[:-1], at[-1] + 1)]
    return said("lane {lane} has {one}, and the next one {other}", lane=at[-1], one=int(one), other=int(other))


# Triton's name for a promise: the function that makes it; from the values of all programs, an axis, a number and the
# step between contiguous values to what breaks it, or None.
_PROMISES = {
    "tt.divisibility": ("multiple_of", _no_multiple),
    "tt.contiguity": ("max_contiguous", _apart),
    "tt.constancy": ("max_constancy", lambda numbers, axis, value, step: _apart(numbers, axis, value, 0)),
}


def _within(gather):
    """The gather, with its indices checked: NumPy takes negative ones too, and a GPU moves no one knows what."""

    @functools.wraps(gather)
    def checked(self, source, indices, axis, *args, **kwargs):
        numbers, count = getattr(indices.data, "values", indices.data), source.data.shape[axis]
        outside = numbers[(numbers < 0) | (numbers >= count)]
        if current.launch is not None and outside.size:
            raise KernelMisuse(
                said(
                    "tl.gather takes lane {lane} of a block with {count} lanes along this axis",
                    lane=int(outside.flat[0]),
                    count=count,
                )
            )
        return gather(self, source, indices, axis, *args, **kwargs)

    return checked
