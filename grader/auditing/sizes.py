"""Sizes made from the given ones: which axes go together, and the same arguments with other lengths of some axes."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import torch

from .arguments import Arguments, is_coarse, is_tensor

_ROWS = 5  # of an axis that is the last one of no tensor, where its length is not what a case is about
_COLUMNS = 1024
BLOCKS = range(16, 2049)  # constants of a launch that may be the length of a block
_SPREAD = 1 / 64  # relative to a number
_RELATED = 4  # a shorter axis is a part of too many others by chance
_MOST_ELEMENTS = 1 << 17


def axes(arguments: Arguments) -> list[int]:
    """The lengths of axes that may be changed, ascending: axes of one length go together, whatever tensors they are of.

    A length that is the largest number of a tensor of integers is none of them: it may be where something ends. Of a
    kernel's tensors, one that a constant goes with is none, and none is one if a whole number may be anything.
    """
    tensors = arguments.tensors().values()
    ends = {int(t.max()) for t in tensors if _counts(t)}
    lengths = {n for t in tensors for n in t.shape if n > 1} - ends
    if arguments.constants is not None:
        if not _numbers(arguments) <= _facts(arguments, arguments).keys():
            return []
        lengths = {n for n in lengths if all(n % c and c % n for c in arguments.constants if c > 1)}
    return sorted(lengths)


def small(arguments: Arguments, lengths: list[int]) -> dict[int, int]:
    """A change to sizes that a case can afford: few rows, and the columns as they are, up to 1024."""
    last = {t.shape[-1] for t in arguments.tensors().values() if t.ndim}
    change = {n: m for n in lengths if (m := min(n, _COLUMNS if n in last else _ROWS)) != n}
    return _beside(change, {}, lengths)


def changes(lengths: list[int], base: dict[int, int], blocks: Iterable[int]) -> Iterator[dict[int, int]]:
    """Changes of one axis at a time, then of all of them: {length: other length}. Tiny ones come first.

    base: the change that all others begin with. blocks: lengths of blocks that launches have had. A ragged size is one
    that is no multiple of a block.
    """
    blocks = sorted({block for block in blocks if block in BLOCKS})
    for n in lengths:
        others = {1, 2, 3, 5, 7, 13, 17, 33, n - 1, n + 1}
        others |= {size for block in blocks for size in (block - 1, block, block + 1, 2 * block + 3)}
        for size in sorted(others):
            if 0 < size <= max(4 * _COLUMNS, n) and size != base.get(n, n):
                yield {**base, n: size}
    if len(lengths) > 1:
        yield dict.fromkeys(lengths, 1)
        yield {n: 2 * i + 3 for i, n in enumerate(lengths)}


def blocks_of(constants: Iterable) -> set[int]:
    """The whole numbers among the constants of launches."""
    return {value for value in constants if type(value) is int}


def parts_of(arguments: Arguments, results: list[torch.Tensor]) -> dict[int, int]:
    """{length of an axis: a plain whole number}, where a result has an axis of their quotient, and no tensor has one.

    So many experts of each token, say: such an axis is a multiple of its number.
    """
    numbers = {leaf for leaf in arguments.leaves if type(leaf) is int and leaf > 1}
    lengths = {n for tensor in arguments.tensors().values() for n in tensor.shape}
    made = {n for result in results for n in result.shape} - lengths
    return {n: number for n in lengths for number in numbers if n % number == 0 and n // number in made - {1}}


def as_multiples(change: dict[int, int], parts: dict[int, int]) -> dict[int, int]:
    """The change with the next multiple in place of a length that is none. parts: as `parts_of` has them."""
    return {n: -(-m // parts[n]) * parts[n] if n in parts else m for n, m in change.items()}


def resized(arguments: Arguments, change: dict[int, int], seed: int) -> Arguments | None:
    """The arguments with other lengths of axes; None where they have no such form.

    Numbers are those of the given tensors: a smaller tensor is a corner of the given one, and a larger one has more of
    the same. Integers keep their range: those that may be places along an axis stay within it, and no two places become
    one where the axis has room for all. A plain whole number
    that is the length of an axis changes with it, also in a tuple; those that a kernel gets are products of lengths and
    strides too. No axis of a kernel's tensors becomes longer, since its blocks may be as long as they are.
    """
    if arguments.constants is not None and any(m > n for n, m in change.items()):
        return None
    generator = torch.Generator().manual_seed(seed)
    limits = {n: m for n, m in change.items() if m < n}
    leaves = []
    for leaf in arguments.leaves:
        if not is_tensor(leaf):
            leaves.append(change.get(leaf, leaf) if type(leaf) is int else leaf)
            continue
        shape = tuple(change.get(n, n) for n in leaf.shape)
        if math.prod(shape) > max(_MOST_ELEMENTS, leaf.numel()):
            return None
        made = _with_shape(leaf, shape, generator)
        if made is None:
            return None
        if made.shape != leaf.shape and _ordered(leaf) and _is_length(leaf[-1], arguments):
            return None  # the last number says where something ends
        ends = _ordered(leaf) and _is_length(leaf[-1], arguments)
        room = _room_of_two_axes(leaf, arguments, change)
        made = _within(made, leaf, arguments, limits)
        if not ends:
            made = _distinct(made, leaf, arguments, change) if room is None else made.clamp(max=room)
        leaves.append(made)
    made = arguments.with_leaves(leaves)
    return made if arguments.constants is None else _with_numbers(made, arguments)


def _numbers(arguments: Arguments) -> set[int]:
    """The whole numbers among the arguments that are more than 1."""
    return {leaf for leaf in arguments.leaves if type(leaf) is int and leaf > 1}


def _facts(given: Arguments, made: Arguments) -> dict[int, set[int]]:
    """{a number: what becomes of it}, of the lengths of axes, of products of the first ones, and of strides."""
    facts = defaultdict(set)
    for place, old in given.tensors().items():
        new = made.leaves[place]
        for i in range(old.ndim):
            facts[old.shape[i]].add(new.shape[i])
            facts[math.prod(old.shape[: i + 1])].add(math.prod(new.shape[: i + 1]))
            facts[old.stride(i)].add(new.stride(i))
    return facts


def _with_numbers(made: Arguments, given: Arguments) -> Arguments | None:
    """The same with the whole numbers that go with the shapes; None where one may be this or that."""
    facts = _facts(given, made)  # a number that goes with no shape stays
    if any(len(facts[number]) > 1 for number in _numbers(given)):
        return None
    pairs = zip(given.leaves, made.leaves)
    return made.with_leaves(min(facts[old]) if type(old) is int and facts.get(old) else new for old, new in pairs)


def attempts(change: dict[int, int], base: dict[int, int], arguments: Arguments) -> list[dict[int, int]]:
    """The change of one axis with all axes that are multiples or parts of it, as far as they can follow, then alone.

    An axis that is one longer or shorter stays so first.

    Where others could be related to an axis of length 1, that axis is not changed alone: a reference repeats it, and
    does not complain. Nor is one of two that keep a ratio, such as the heads of queries and of keys.
    """
    lengths = axes(arguments)
    changed = [n for n in lengths if change.get(n, n) != base.get(n, n)]
    kept = _ratios(arguments)
    if len(changed) != 1:
        tries = [_beside(change, {}, lengths), change]
        return [each for each in tries if all(each.get(a, a) % each.get(b, b) == 0 for a, b in kept)]
    n, to = changed[0], change[changed[0]]
    related = {m for m in lengths if min(m, n) >= _RELATED and m != n and (m % n == 0 or n % m == 0)}
    related |= {m for pair in kept if n in pair for m in pair if m != n}
    follow = {m: m * to // n for m in related if m * to % n == 0 and m * to // n > 0}
    tries = [_beside({n: to, **follow}, base, lengths), {**change, **follow}] if follow else []
    tries += [_beside({n: to}, base, lengths)]
    tries += [change] if to != 1 or not related else []
    tries = [each for i, each in enumerate(tries) if each not in tries[:i]]
    return [each for each in tries if all(each.get(a, a) % each.get(b, b) == 0 for a, b in kept)]


def _beside(change: dict[int, int], base: dict[int, int], lengths: list[int]) -> dict[int, int]:
    """The change, where an axis that is one longer than another stays so: as tokens and what is predicted of them.

    base: the change that others begin with.
    """
    made = {**base, **change}
    for shorter in (n for n in lengths if n >= _RELATED and n + 1 in lengths):
        if shorter in change:
            made[shorter + 1] = change[shorter] + 1
        elif change.get(shorter + 1, 1) > 1:
            made[shorter] = change[shorter + 1] - 1
    return {n: m for n, m in made.items() if n != m}


def _ratios(arguments: Arguments) -> set[tuple[int, int]]:
    """(longer, shorter) of the axes by which two tensors of one shape otherwise differ, where one divides the other."""
    shapes = {tuple(t.shape) for t in arguments.tensors().values()}
    found = set()
    for one in shapes:
        for other in shapes:
            apart = [(a, b) for a, b in zip(one, other) if a != b]
            if len(one) == len(other) > 2 and len(apart) == 1 and apart[0][1] > 1 and apart[0][0] % apart[0][1] == 0:
                found.add(apart[0])
    return found


def _with_shape(tensor: torch.Tensor, shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor | None:
    """A contiguous tensor of this shape with numbers of another one."""
    if shape == tuple(tensor.shape):
        return tensor.detach().clone(memory_format=torch.contiguous_format)
    if all(new <= old for new, old in zip(shape, tensor.shape)):
        return tensor.detach()[tuple(slice(n) for n in shape)].clone(memory_format=torch.contiguous_format)
    if _ordered(tensor) or tensor.numel() == 0:
        return None
    places = torch.randint(tensor.numel(), (math.prod(shape),), generator=generator)
    made = tensor.detach().reshape(-1)[places].reshape(shape)
    if is_coarse(made) or bool((tensor == tensor.round()).all()):
        return made
    return made * (1 + _SPREAD * (2 * torch.rand(shape, generator=generator) - 1)).to(made.dtype)  # no two are equal


def _within(made: torch.Tensor, given: torch.Tensor, arguments: Arguments, limits: dict[int, int]) -> torch.Tensor:
    """Integers that may be places along an axis which has become shorter, within it. Those in order stay in order."""
    if not _counts(given):
        return made
    most = int(given.max())
    longer = {n for t in arguments.tensors().values() for n in t.shape if n > most}
    limit = min((limits[n] for n in longer & limits.keys()), default=0)
    if limit and _ordered(given):
        return made.clamp(max=limit - 1)
    return torch.where(made >= 0, made % limit, made) if limit else made


def _room_of_two_axes(given: torch.Tensor, arguments: Arguments, change: dict[int, int]) -> int | None:
    """The most that whole numbers may be which count along two axes in one, as tokens in pages do; None where they have
    the room they had."""
    if not _counts(given) or given.dtype not in (torch.int32, torch.int64):
        return None
    most = int(given.max())
    times = Counter(n for t in arguments.tensors().values() for n in t.shape if n <= most)
    pairs = [(a, b) for a in times for b in times if a * b >= most and (a < b or (a == b and times[a] > 1))]
    room = min((change.get(a, a) * change.get(b, b) for a, b in pairs), default=most)
    return room if room < most else None


def _distinct(made: torch.Tensor, given: torch.Tensor, arguments: Arguments, change: dict[int, int]) -> torch.Tensor:
    """Places of which no two are equal where no two of the given ones are, as far as the axis has room for so many.

    Two tokens of one slot would be a race that the given ones do not have. A permutation stays one.
    """
    if not are_distinct(given) or are_distinct(made):
        return made
    most = int(given.max())
    rooms = {change.get(n, n) for t in arguments.tensors().values() for n in t.shape if n > most}
    if int(given.min()) == 0 and most == given.numel() - 1:
        rooms.add(made.numel())
    room = min(rooms, default=0)
    places = made >= 0
    count = int(places.sum())
    if count > room:
        return made
    drawn = torch.randperm(room, generator=torch.Generator().manual_seed(room))[:count]
    distinct = made.clone()
    distinct[places] = (drawn.sort().values if _ordered(given) else drawn).to(made.dtype)
    return distinct


def are_distinct(tensor: torch.Tensor) -> bool:
    """Whether a tensor holds whole numbers of which no two that may be places are equal."""
    if not _counts(tensor) or tensor.numel() < 2:
        return False
    places = tensor[tensor >= 0]
    return len(places.unique()) == places.numel()


def _is_length(number: torch.Tensor, arguments: Arguments) -> bool:
    """Whether a number is the length of an axis."""
    return int(number) in {n for tensor in arguments.tensors().values() for n in tensor.shape}


def _counts(tensor: torch.Tensor) -> bool:
    """Whether a tensor holds whole numbers of which some may be places."""
    whole = not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)
    return whole and tensor.numel() > 0


def _ordered(tensor: torch.Tensor) -> bool:
    """Whether a tensor holds whole numbers in ascending order, as places where something begins have."""
    return _counts(tensor) and tensor.ndim == 1 and len(tensor) > 2 and bool((tensor.diff() >= 0).all())
