"""Other numbers, dtypes and places in memory for the same arguments: each variant shows a mistake that others hide."""

from __future__ import annotations

import itertools
import math
import mmap
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import torch

from ..sentence import said
from .arguments import Arguments, dtype_name, is_coarse
from .sizes import are_distinct, axes, resized

_FAR = 1 << 31  # the first whole number that int32 does not have
_GAP = 3
_STRIDES = (101, 103, 107, 109, 113, 127, 131, 137)  # of vectors: numbers that nothing else in a launch is
_LONG = 1024  # elements of which half, 200 each, pass the largest float16
_VERY_LONG = 1 << 16  # whole numbers of 8 bits, of which a lane of a block has so many that their sum passes 16 bits
_NARROW = (torch.int8, torch.uint8, torch.int16)
_MOST_OTHERS = 4  # tensors whose numbers change, besides the largest one
_DTYPES = {
    torch.float32: (torch.float16, torch.bfloat16),
    torch.float16: (torch.float32, torch.bfloat16),
    torch.bfloat16: (torch.float32, torch.float16),
}


@dataclass(frozen=True)
class Variant:
    """One way to make other arguments.

    kind: "layout", "dtype", "values", "long", "empty", "again" or "far". label: in words. makes: each makes other
    arguments of the given ones, None where there is nothing to change; the first ones that function and reference take
    count. where_nan: what becomes of the case where the reference is NaN. "": as in any case. "left out". "elsewhere":
    only results that are as usual are compared.
    """

    kind: str
    label: str
    makes: tuple[Callable[[Arguments], Arguments | None], ...]
    where_nan: str = ""
    promised: bool = True


def variants(
    arguments: Arguments, changed: Collection[int], given: Callable[[Arguments], set[int]]
) -> Iterator[Variant]:
    """All of them for these arguments; one of each kind comes first, as a busy machine may not get to the others.

    changed: places of the arguments that the reference stores to. given: the whole numbers that the function gives to
    kernels for some arguments.
    """
    layouts, main = _layouts(changed), arguments.main()
    numbers = _numbers(arguments, main) if main is not None else iter(())
    yield from itertools.islice(layouts, 1)
    label = said("rows so far apart that the last one begins beyond element 2^31")
    yield Variant("far", label, _far_ones(changed))
    yield from itertools.islice(numbers, 1)
    for dtype in _DTYPES.get(_dtype(arguments), ()):
        label = said("as {dtype}", dtype=dtype_name(dtype))
        yield Variant("dtype", label, (lambda a, dtype=dtype: _as_dtype(a, dtype),))
    yield Variant("again", said("other numbers in the same memory"), (lambda a: _of_one(a, main, _others),))
    yield Variant("empty", said("no rows"), (_empty,))
    yield Variant("layout", said("vectors with gaps between their elements"), (lambda a: _spread(a, given),))
    yield from layouts
    yield from numbers
    vectors = tuple(lambda a, i=i: _spread_one(a, i, given) for i in _vectors(arguments))
    yield Variant("layout", "", vectors, promised=False)
    for axis in (-1, -2):
        label = said("whole numbers of few bits, all equal and large, along axis {axis}", axis=axis)
        makes = (lambda a, axis=axis: _narrow(a, axis, _VERY_LONG), lambda a, axis=axis: _narrow(a, axis, _LONG))
        yield Variant("long", label, makes)
        label = said("as float16, sums along axis {axis} that pass 65504 and come back", axis=axis)
        yield Variant("long", label, (lambda a, axis=axis: _up_and_down(a, axis),))


def _layouts(changed: Collection[int]) -> Iterator[Variant]:
    """Other places in memory. Tensors of one shape have other strides each, where the function takes that."""

    def gap(i, tensor):
        return _gapped(tensor, _GAP + i)

    def unchanged(lay):
        return lambda i, t: None if i in changed else lay(i, t)

    gaps = (
        lambda a: _laid_out(a, gap),
        lambda a: _laid_out(a, lambda _, t: _gapped(t)),
        # A cache that is stored to lies as it does, in many functions, and what is stored need not.
        lambda a: _laid_out(a, unchanged(gap)),
    )
    yield Variant("layout", said("rows with gaps between them"), gaps)
    whole = (lambda a: a.mapped(lambda _, t: _gapped(t) if _is_whole_matrix(t) else t) if _any_whole(a) else None,)
    yield Variant("layout", said("rows of whole numbers with gaps between them"), whole)
    for label, lay in (
        (said("first elements at odd addresses"), _offset),
        (said("transposed in memory"), _transposed),
        (said("axes 1 and 2 swapped in memory"), _swapped),
    ):
        laid = (lambda a, lay=lay: _laid_out(a, lambda _, t: lay(t)),)
        laid += (lambda a, lay=lay: _laid_out(a, unchanged(lambda _, t: lay(t))),) if changed else ()
        yield Variant("layout", label, laid)

    def expand(i, tensor):
        return None if i in changed else _expanded(tensor)  # nobody can store to all elements of one that is expanded

    yield Variant("layout", said("one row, expanded"), (lambda a: _laid_out(a, expand),))


def _numbers(arguments: Arguments, main: int) -> Iterator[Variant]:
    """Other numbers in the largest tensor of floating-point numbers, main; and fewer of them in the others."""

    def of_main(label, change, where_nan=""):
        return Variant("values", label, (lambda a: _of_one(a, main, change),), where_nan)

    yield of_main(said("numbers up to 200"), _large)
    yield of_main(said("numbers near 0.001"), lambda t: _scaled(t, -10))
    yield Variant("values", said("numbers near 0.001 in each tensor with rows"), (_rows_small,))
    yield of_main(said("numbers near 1000"), _around_1000)
    yield Variant("values", said("some numbers near 0.000001 in each tensor"), (_some_tiny,))
    yield of_main(said("denormal numbers"), _denormal)
    yield of_main(said("all below 0"), lambda t: -t.abs())
    yield of_main(said("all equal"), _equal)
    yield of_main(said("all 0"), torch.zeros_like)
    yield of_main(said("some -inf"), _masked, "left out")
    yield of_main(said("a row of -inf"), _masked_row, "elsewhere")
    yield of_main(said("one NaN"), _one_nan, "elsewhere")
    yield Variant("values", said("numbers up to 200 in each tensor"), (_all_large,))
    yield Variant("values", said("all 0 in each tensor"), (_all_zero,))
    for i, tensor in arguments.tensors().items():
        if tensor.dtype is torch.bool:
            told = said("nothing true in {name}", name=arguments.names[i])
            yield Variant("values", told, (lambda a, i=i: _of_one(a, i, torch.zeros_like),))
    floats = [i for i, t in arguments.tensors().items() if not is_coarse(t) and i != main]
    for i in floats[:_MOST_OTHERS]:
        for label, change, where_nan in (
            (said("numbers up to 200"), _large, ""),
            (said("all 0"), torch.zeros_like, ""),
            (said("some -inf"), _masked, "left out"),
        ):
            told = said("{numbers} in {name}", numbers=label, name=arguments.names[i])
            yield Variant("values", told, (lambda a, i=i, change=change: _of_one(a, i, change),), where_nan)


def _dtype(arguments: Arguments) -> torch.dtype | None:
    main = arguments.main()
    return None if main is None else arguments.leaves[main].dtype


def _of_one(
    arguments: Arguments, place: int | None, change: Callable[[torch.Tensor], torch.Tensor]
) -> Arguments | None:
    """With other numbers in one tensor alone."""
    if place is None or not arguments.leaves[place].numel():
        return None
    return arguments.mapped(lambda i, t: change(t) if i == place else t)


def _laid_out(arguments: Arguments, lay) -> Arguments | None:
    """With the floating-point tensors elsewhere in memory. lay(place, tensor): None for one that it does not suit."""
    new = {i: lay(i, t) for i, t in arguments.tensors().items() if t.is_floating_point() and t.numel()}
    if not any(t is not None for t in new.values()):
        return None
    return arguments.mapped(lambda i, t: t if new.get(i) is None else new[i])


def _any_whole(arguments: Arguments) -> bool:
    return any(map(_is_whole_matrix, arguments.tensors().values()))


def _is_whole_matrix(tensor: torch.Tensor) -> bool:
    """Whether a tensor has rows of whole numbers or truth values: targets, places or a mask."""
    return not tensor.is_floating_point() and tensor.ndim > 1 and tensor.numel() > 0


def _gapped(tensor: torch.Tensor, gap: int = _GAP) -> torch.Tensor | None:
    if tensor.ndim < 2:
        return None
    fill = torch.nan if tensor.is_floating_point() else 0
    wide = tensor.new_full((*tensor.shape[:-1], tensor.shape[-1] + gap), fill)
    wide[..., : tensor.shape[-1]] = tensor
    return wide[..., : tensor.shape[-1]]


def _spread(arguments: Arguments, given: Callable[[Arguments], set[int]]) -> Arguments | None:
    """With the vectors apart whose strides a kernel gets. Of any other, a function promises nothing."""
    strides = _with_given_strides(arguments, given)
    return _with_strides(arguments, strides) if strides else None


def _spread_one(arguments: Arguments, place: int, given: Callable[[Arguments], set[int]]) -> Arguments | None:
    """With one vector apart whose stride no kernel gets. None for any other."""
    if place in _with_given_strides(arguments, given):
        return None
    return _with_strides(arguments, {place: 2})


def _vectors(arguments: Arguments) -> list[int]:
    return [i for i, t in arguments.tensors().items() if t.ndim == 1 and len(t) > 1]


def _with_given_strides(arguments: Arguments, given: Callable[[Arguments], set[int]]) -> dict[int, int]:
    """{place: stride} of the vectors whose strides a kernel gets."""
    strides = dict(zip(_vectors(arguments), _STRIDES))
    known = given(_with_strides(arguments, strides)) if strides else set()
    return {i: stride for i, stride in strides.items() if stride in known}


def _with_strides(arguments: Arguments, strides: dict[int, int]) -> Arguments:
    """With these strides of vectors. What lies between their elements are zeros."""

    def lay(i, tensor):
        if i not in strides:
            return tensor
        wide = tensor.new_zeros(len(tensor), strides[i])
        wide[:, 0] = tensor
        return wide[:, 0]

    return arguments.mapped(lay)


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


def _large(tensor: torch.Tensor) -> torch.Tensor:
    return _scaled(tensor, 7)


def _around_1000(tensor: torch.Tensor) -> torch.Tensor:
    """Their spread is small beside their mean: of the mean of squares less the square of the mean, little is left."""
    return 1000 + _scaled(tensor, 0)


def _denormal(tensor: torch.Tensor) -> torch.Tensor:
    """All below the smallest normal number of the dtype. They keep most of their digits."""
    return _scaled(tensor, math.frexp(torch.finfo(tensor.dtype).smallest_normal)[1] - 4)


def _some_tiny(arguments: Arguments) -> Arguments:
    """Half of the numbers are so small that an eps counts beside them: in each tensor in other places."""
    turns = itertools.count()

    def shrink(_, tensor):
        if is_coarse(tensor) or not tensor.numel():
            return tensor
        small = (torch.arange(tensor.numel()) >> next(turns) & 1).bool().view(tensor.shape)
        return torch.where(small, _scaled(tensor, -20), tensor)

    return arguments.mapped(shrink)


def _rows_small(arguments: Arguments) -> Arguments | None:
    """Sums of what is small in several tensors are small, too, and an eps counts beside them. None for one tensor."""
    rows = [i for i, t in arguments.tensors().items() if not is_coarse(t) and t.numel() and t.ndim > 1]
    return arguments.mapped(lambda i, t: _scaled(t, -10) if i in rows else t) if len(rows) > 1 else None


def _all_large(arguments: Arguments) -> Arguments | None:
    """Products of what is large in two tensors are larger still. None where one tensor is all there is."""
    floats = [i for i, t in arguments.tensors().items() if not is_coarse(t) and t.numel()]
    return arguments.mapped(lambda i, t: _large(t) if i in floats else t) if len(floats) > 1 else None


def _all_zero(arguments: Arguments) -> Arguments | None:
    """What is made of several tensors is 0, too: a sign, a norm, a share. None where one tensor is all there is."""
    floats = [i for i, t in arguments.tensors().items() if not is_coarse(t) and t.numel()]
    return arguments.mapped(lambda i, t: torch.zeros_like(t) if i in floats else t) if len(floats) > 1 else None


def _equal(tensor: torch.Tensor) -> torch.Tensor:
    return torch.full_like(tensor, tensor.reshape(-1)[0].item())


def _up_and_down(arguments: Arguments, axis: int) -> Arguments | None:
    """200 in the first half of an axis of the largest tensor and -200 in the rest, and 1 in all others, in float16.

    A sum in float32 comes back to 0, and one in float16 has become infinite on its way. The axis is long enough.
    """
    main = arguments.main()
    if main is None or arguments.leaves[main].ndim < -axis or arguments.leaves[main].dtype not in _DTYPES:
        return None
    if not (arguments.leaves[main] < 0).any() or not (arguments.leaves[main] > 0).any():
        return None  # of probabilities, and of their logarithms, no sum comes back
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


def _narrow(arguments: Arguments, axis: int, length: int) -> Arguments | None:
    """Each tensor of whole numbers of 8 or 16 bits full of one power of two, and an axis of the largest one long.

    A sum of them in an accumulator of as many bits overflows. float32 has all sums of powers of two. Where the axis is
    very long, all others of this tensor are 1.
    """
    narrow = {i: t for i, t in arguments.tensors().items() if t.dtype in _NARROW and t.numel() and not are_distinct(t)}
    largest = max(narrow.values(), key=torch.numel, default=None)
    if largest is None or largest.ndim < -axis or largest.shape[axis] not in axes(arguments):
        return None
    n = largest.shape[axis]
    others = dict.fromkeys(largest.shape, 1) if length == _VERY_LONG else {}
    longer = resized(arguments, {**others, n: max(n, length)}, seed=0)
    if longer is None:
        return None

    def fill(i, tensor):
        if i not in narrow:
            return tensor
        least, most = int(narrow[i].min()), int(narrow[i].max())
        size = max(-least, most)
        power = 1 << (size.bit_length() - 1) if size > 0 else 0
        return torch.full_like(tensor, power if most >= power else -power)

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


def _far_ones(changed: Collection[int]) -> tuple[Callable[[Arguments], Arguments | None], ...]:
    ways = (lambda a: _far(a, apart=True), lambda a: _far(a, apart=False))
    return ways + ((lambda a: _far(a, apart=True, but=changed),) if changed else ())


def _far(arguments: Arguments, apart: bool, but: Collection[int] = ()) -> Arguments | None:
    """With rows so far apart that the place of the last one is no int32. Only the rows take memory.

    apart: tensors of one shape have other strides each. but: places of those that stay where they are. Where whole
    numbers may say which rows are loaded, and leave out the last one, that is so of every row of the second half; none
    begins beyond 2^32, where an int32 is above 0.

    Raises OSError where the machine does not lend so many addresses.
    """
    tensors = {i: t for i, t in arguments.tensors().items() if i not in but}
    matrices = {i for i, t in tensors.items() if not is_coarse(t) and t.ndim > 1 and len(t) > 2}
    indexed = any(not t.is_floating_point() for t in arguments.tensors().values())

    def lay(i, tensor):
        if i not in matrices:
            return tensor
        stride = (2 * _FAR // len(tensor) if indexed else _FAR // (len(tensor) - 1)) + 16 * (i + 1 if apart else 1)
        memory = mmap.mmap(
            -1,
            ((len(tensor) - 1) * stride + tensor[0].numel()) * tensor.element_size(),
            flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0),
        )
        strides = (stride, *tensor.contiguous().stride()[1:])
        return torch.frombuffer(memory, dtype=tensor.dtype).as_strided(tensor.shape, strides).copy_(tensor)

    return arguments.mapped(lay) if matrices else None
