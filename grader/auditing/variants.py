"""Other numbers, dtypes and places in memory for the same arguments: each variant shows a mistake that others hide."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from ..sentence import said
from .arguments import Arguments, dtype_name
from .sizes import axes, resized

_FAR = 1 << 31  # the first whole number that int32 does not have
_GAP = 3
_LONG = 1024  # elements of which half, 200 each, pass the largest float16
SOME_INF, ROW_OF_INF, ONE_NAN = said("some -inf"), said("a row of -inf"), said("one NaN")
_DTYPES = {
    torch.float32: (torch.float16, torch.bfloat16),
    torch.float16: (torch.float32, torch.bfloat16),
    torch.bfloat16: (torch.float32, torch.float16),
}


@dataclass(frozen=True)
class Variant:
    """One way to make other arguments.

    kind: "layout", "dtype", "values", "long", "empty", "again" or "far". label: in words. make: makes other arguments
    of the given ones; None where there is nothing to change.
    """

    kind: str
    label: str
    make: Callable[[Arguments], Arguments | None]


def variants(arguments: Arguments) -> Iterator[Variant]:
    """All of them for these arguments; one of each kind comes first, as a busy machine may not get to the others."""
    yield Variant("layout", said("rows with gaps between them"), _gapped)
    yield Variant("far", said("rows so far apart that the last one begins beyond element 2^31"), _far)
    yield Variant("values", said("numbers up to 200"), lambda a: _of_main(a, lambda t: _scaled(t, 7)))
    for dtype in _DTYPES.get(_dtype(arguments), ()):
        label = said("as {dtype}", dtype=dtype_name(dtype))
        yield Variant("dtype", label, lambda a, dtype=dtype: _as_dtype(a, dtype))
    yield Variant("again", said("other numbers in the same memory"), lambda a: _of_main(a, _others))
    yield Variant("empty", said("no rows"), _empty)
    yield Variant("layout", said("transposed in memory"), lambda a: _laid_out(a, _transposed))
    yield Variant("layout", said("axes 1 and 2 swapped in memory"), lambda a: _laid_out(a, _swapped))
    yield Variant("layout", said("first elements at odd addresses"), lambda a: _laid_out(a, _offset))
    yield Variant("layout", said("one row, expanded"), lambda a: _laid_out(a, _expanded))
    yield Variant("values", said("numbers near 0.001"), lambda a: _of_main(a, lambda t: _scaled(t, -10)))
    yield Variant("values", said("all below 0"), lambda a: _of_main(a, lambda t: -t.abs()))
    yield Variant("values", said("all equal"), lambda a: _of_main(a, _equal))
    yield Variant("values", said("all 0"), lambda a: _of_main(a, torch.zeros_like))
    yield Variant("values", SOME_INF, lambda a: _of_main(a, _masked))
    yield Variant("values", ROW_OF_INF, lambda a: _of_main(a, _masked_row))
    yield Variant("values", ONE_NAN, lambda a: _of_main(a, _one_nan))
    for axis in (-1, -2):
        label = said("as float16, sums along axis {axis} that pass 65504 and come back", axis=axis)
        yield Variant("long", label, lambda a, axis=axis: _up_and_down(a, axis))


def _dtype(arguments: Arguments) -> torch.dtype | None:
    main = arguments.main()
    return None if main is None else arguments.leaves[main].dtype


def _of_main(arguments: Arguments, change: Callable[[torch.Tensor], torch.Tensor]) -> Arguments | None:
    """With other numbers in the largest tensor of floating-point numbers alone."""
    main = arguments.main()
    if main is None or not arguments.leaves[main].numel():
        return None
    return arguments.mapped(lambda i, t: change(t) if i == main else t)


def _laid_out(arguments: Arguments, lay) -> Arguments | None:
    """With the floating-point tensors elsewhere in memory. lay: returns None for a tensor that it does not suit."""
    new = {i: lay(t) for i, t in arguments.tensors().items() if t.is_floating_point() and t.numel()}
    if not any(t is not None for t in new.values()):
        return None
    return arguments.mapped(lambda i, t: t if new.get(i) is None else new[i])


def _gapped(arguments: Arguments) -> Arguments | None:
    """With a gap after each row, of another width in each tensor: so no stride serves for two of them."""
    widths = {i: _GAP + 2 * k for k, i in enumerate(arguments.tensors())}

    def lay(i, tensor):
        if not tensor.is_floating_point() or tensor.ndim < 2 or not tensor.numel():
            return tensor
        n = tensor.shape[-1]
        wide = tensor.new_full((*tensor.shape[:-1], n + widths[i]), torch.nan)
        wide[..., :n] = tensor
        return wide[..., :n]

    made = arguments.mapped(lay)
    return made if any(t.ndim > 1 and t.is_floating_point() for t in made.tensors().values()) else None


def _offset(tensor: torch.Tensor) -> torch.Tensor:
    memory = tensor.new_full((tensor.numel() + 2,), torch.nan)
    memory[1:-1] = tensor.reshape(-1)
    return memory[1:-1].view(tensor.shape)


def _transposed(tensor: torch.Tensor) -> torch.Tensor | None:
    if tensor.ndim < 2 or 1 in tensor.shape[-2:]:
        return None
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)


def _swapped(tensor: torch.Tensor) -> torch.Tensor | None:
    if tensor.ndim < 4 or 1 in tensor.shape[1:3]:
        return None
    return tensor.transpose(1, 2).contiguous().transpose(1, 2)


def _expanded(tensor: torch.Tensor) -> torch.Tensor | None:
    return tensor[:1].clone().expand(tensor.shape) if tensor.ndim > 1 and len(tensor) > 1 else None


def _as_dtype(arguments: Arguments, dtype: torch.dtype) -> Arguments:
    main = arguments.leaves[arguments.main()].dtype
    return arguments.mapped(lambda _, t: t.to(dtype) if t.dtype == main else t)


def _scaled(tensor: torch.Tensor, exponent: int) -> torch.Tensor:
    """Multiplied by a power of two, so that the largest number is 2^exponent or more, and less than twice that."""
    largest = tensor.abs().nan_to_num(0.0, 0.0, 0.0).max().double()
    if not largest:
        return tensor
    return (tensor.double() * 2.0 ** (exponent - torch.floor(torch.log2(largest)))).to(tensor.dtype)


def _equal(tensor: torch.Tensor) -> torch.Tensor:
    return torch.full_like(tensor, tensor.reshape(-1)[0].item())


def _up_and_down(arguments: Arguments, axis: int) -> Arguments | None:
    """200 in the first half of an axis of the largest tensor and -200 in the rest, and 1 in all others, in float16.

    A sum in float32 comes back to 0, and one in float16 has become infinite on its way. The axis is long enough.
    """
    main = arguments.main()
    if main is None or arguments.leaves[main].ndim < -axis or arguments.leaves[main].dtype not in _DTYPES:
        return None
    length = arguments.leaves[main].shape[axis]
    longer = resized(arguments, {length: max(length, _LONG)}, seed=0)
    if longer is None:
        return None

    def fill(i, tensor):
        if tensor.dtype != arguments.leaves[main].dtype:
            return tensor
        made = torch.ones(tensor.shape, dtype=torch.float16)
        if i == main:
            first, rest = made.movedim(axis, 0).tensor_split(2)
            first.fill_(200.0)
            rest.fill_(-200.0)
        return made

    return longer.mapped(fill)


def _masked(tensor: torch.Tensor) -> torch.Tensor:
    """-inf in the first half of every second row, and in one place of the others."""
    made = tensor.clone()
    rows = made.view(-1, made.shape[-1]) if made.ndim else made.view(1, 1)
    if rows.shape[-1] < 2:
        return made
    rows[::2, : rows.shape[-1] // 2] = -torch.inf
    rows[1::2, rows.shape[-1] // 2] = -torch.inf
    return made


def _masked_row(tensor: torch.Tensor) -> torch.Tensor:
    made = tensor.clone()
    if made.ndim > 1 and made.shape[-1]:
        made.view(-1, made.shape[-1])[-1] = -torch.inf
    return made


def _others(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.flip(-1) / 2 if tensor.ndim else tensor / 2


def _one_nan(tensor: torch.Tensor) -> torch.Tensor:
    made = tensor.clone()
    made.view(-1)[made.numel() // 3] = torch.nan
    return made


def _empty(arguments: Arguments) -> Arguments | None:
    """Without an element along the first axis of the largest tensor, and along all axes of its length."""
    main = arguments.main()
    if main is None or arguments.leaves[main].ndim < 2:
        return None
    rows = arguments.leaves[main].shape[0]
    if rows > 1 and rows not in axes(arguments):
        return None  # whole numbers say where something ends
    return arguments.mapped(lambda _, t: t[tuple(slice(0 if n == rows else n) for n in t.shape)].clone())


def _far(arguments: Arguments) -> Arguments | None:
    """With rows so far apart that the place of the last one is no int32. Only the rows take memory.

    Raises OSError where the machine does not lend so many addresses.
    """
    matrices = {i for i, t in arguments.tensors().items() if t.is_floating_point() and t.ndim > 1 and len(t) > 2}

    def lay(i, tensor):
        if i not in matrices:
            return tensor
        stride = _FAR // (len(tensor) - 1) + 16 * (i + 1)
        memory = mmap.mmap(
            -1,
            ((len(tensor) - 1) * stride + tensor[0].numel()) * tensor.element_size(),
            flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0),
        )
        strides = (stride, *tensor.contiguous().stride()[1:])
        return torch.frombuffer(memory, dtype=tensor.dtype).as_strided(tensor.shape, strides).copy_(tensor)

    return arguments.mapped(lay) if matrices else None
