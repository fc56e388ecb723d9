"""The cases of an audit, made from the given arguments: the given ones first, then the smallest."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import torch

from ..sentence import Said, joined, said
from . import sizes
from .arguments import Arguments
from .variants import Variant, variants

_FIRST = 3  # of so many sizes one comes with the other cases, and the rest after them
_BEFORE = 6  # variants that come before other configurations
_CHEAP = 1 << 14  # elements of all tensors together; a size with more of them than this and the usual one comes last
_MOST = 1 << 18  # elements of all tensors together, of the given arguments that are run as they are


@dataclass(frozen=True)
class Case:
    """One call.

    kind: "given", "size", or that of a variant. label: "" where the sizes say it all. makes: each
    makes arguments anew, None where there are no such; those count that reference and function take first. usual: makes
    the arguments of which a variant is one. orders: whether the programs also run in other orders. where_nan,
    promised: as of a Variant. turn, rehearsed: of autotuned kernels, as in Tuning.
    """

    kind: str
    label: str
    makes: tuple[Callable[[], Arguments | None], ...]
    usual: Callable[[], Arguments] | None = None
    orders: bool = False
    where_nan: str = ""
    promised: bool = True
    turn: int = 0
    rehearsed: bool = False

    def described(self, arguments: Arguments) -> Said | str:
        """The case in words."""
        return joined("{one}: {two}", [part for part in (self.label, arguments.described()) if part])


def cases(given: Arguments, examination, fixed: bool, seed: int) -> Iterator[Case]:
    """All cases. examination: knows what the ones so far have shown. fixed: whether sizes stay as they are."""
    lengths = [] if fixed else sizes.axes(given)
    if given.constants is not None:
        examination.not_seen(
            said("other places in memory, since a kernel gets its strides as numbers")
            if lengths
            else said("other sizes and places in memory, since a kernel gets its sizes and strides as numbers")
        )
    base = sizes.as_multiples(sizes.small(given, lengths), examination.parts)
    if given.size() <= _MOST or fixed:
        yield Case("given", said("as given"), (lambda: kept(given),), orders=True)
    else:
        examination.not_seen(said("the given sizes: the cases have fewer rows and columns"))
    if base and not _works(examination, given, base, seed):
        base = {}
    work = sizes.resized(given, base, seed)
    if work is None or work.size() > _MOST:
        return
    sized = [*_of_sizes(given, lengths, base, examination, seed)]
    cheap = max(work.size(), _CHEAP)
    other_sizes = [case for elements, case in sized if elements <= cheap]
    dear = sorted(((n, case) for n, case in sized if n > cheap), key=lambda each: each[0])

    def short() -> tuple[Callable[[], Arguments | None], ...]:
        """With the longest axis as long as the shortest block: for other configurations it is ragged."""
        block = min((b for b in examination.blocks() if b in sizes.BLOCKS), default=0)
        if not block or not lengths:
            return ()
        tries = sizes.attempts({**base, lengths[-1]: block}, base, given)
        return tuple(lambda each=each: sizes.resized(given, each, seed) for each in tries)

    all_variants = (
        _of_variant(each, work)
        for each in variants(work, examination.changes, examination.numbers_given)
        if _suits(each, work)
    )
    all_variants = itertools.chain(
        itertools.islice(all_variants, _BEFORE), _tuned(examination, work, short), all_variants
    )
    yield from _by_turns(other_sizes[::_FIRST], all_variants)
    yield from (case for i, case in enumerate(other_sizes) if i % _FIRST)
    yield from (case for _, case in dear)


def _tuned(examination, work: Arguments, short: Callable[[], tuple]) -> Iterator[Case]:
    """The other configurations of autotuned kernels, which are known once a first case has run.

    short: the forms of a case of another size.
    """
    for turn, rehearsed, label in examination.tuning.turns():
        yield Case("tuned", label, (lambda: kept(work),), turn=turn, rehearsed=rehearsed)
        if not rehearsed and (makes := short()):
            yield Case("tuned", label, makes, turn=turn)


def kept(arguments: Arguments) -> Arguments:
    """Copies that lie in memory as the given tensors do: views of one memory stay views of one."""
    memory: dict[int, torch.UntypedStorage] = {}

    def copy(_, tensor):
        storage = tensor.untyped_storage()
        own = memory.setdefault(storage.data_ptr() or id(storage), storage.clone())
        made = torch.empty(0, dtype=tensor.dtype)
        return made.set_(own, tensor.storage_offset(), tensor.shape, tensor.stride())

    return arguments.mapped(copy)


def _works(examination, given: Arguments, base: dict[int, int], seed: int) -> bool:
    """Whether function and reference take the smaller sizes."""
    smaller = sizes.resized(given, base, seed)
    return smaller is not None and examination.accepts(smaller)


def _of_sizes(given: Arguments, lengths: list[int], base: dict[int, int], examination, seed: int):
    """(elements of its arguments, case) of each other size."""
    seen: list[dict[int, int]] = []
    for each in sizes.changes(lengths, base, examination.blocks()):
        change = sizes.as_multiples(each, examination.parts)
        if change in seen or sizes.resized(given, change, seed) is None:
            continue
        seen.append(change)
        tries = [sizes.as_multiples(each, examination.parts) for each in sizes.attempts(change, base, given)]
        makes = tuple(lambda each=each: sizes.resized(given, each, seed) for each in tries)
        if makes:
            first = makes[0]()
            yield first.size() if first else 0, Case("size", "", makes, orders=True)


def _suits(variant: Variant, arguments: Arguments) -> bool:
    """Whether a variant is one for these arguments: those of a kernel have sizes and strides among them."""
    return arguments.constants is None or variant.kind in ("dtype", "values", "again")


def _by_turns(*many: Iterable[Case]) -> Iterator[Case]:
    """The first case of each, then the second one of each, and so on: the time may not reach all of them."""
    for row in itertools.zip_longest(*many):
        yield from (case for case in row if case is not None)


def _of_variant(variant: Variant, work: Arguments) -> Case:
    makes = tuple(lambda make=make: make(kept(work)) for make in variant.makes)
    special = {"where_nan": variant.where_nan, "promised": variant.promised}
    return Case(variant.kind, variant.label, makes, usual=lambda: kept(work), **special)
