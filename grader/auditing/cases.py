"""The cases of an audit, made from the given arguments: the given ones first, then the smallest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from ..sentence import Said, joined, said
from . import sizes
from .arguments import Arguments
from .variants import Variant, variants

_FIRST = 3  # of so many sizes one comes before all that is no size: a slow kernel may not get further
_MOST = 1 << 18  # elements of all tensors together, of the given arguments that are run as they are


@dataclass(frozen=True)
class Case:
    """One call.

    kind: "given", "size", or that of a variant. label: "" where the sizes say it all. makes: each
    makes arguments anew, None where there are no such; those count that reference and function take first. usual: makes
    the arguments of which a variant is one. orders: whether the programs also run in other orders.
    """

    kind: str
    label: str
    makes: tuple[Callable[[], Arguments | None], ...]
    usual: Callable[[], Arguments] | None = None
    orders: bool = False

    def described(self, arguments: Arguments) -> Said | str:
        """The case in words."""
        return joined("{one}: {two}", [part for part in (self.label, arguments.described()) if part])


def cases(given: Arguments, examination, fixed: bool, seed: int) -> Iterator[Case]:
    """All cases. examination: knows what the ones so far have shown. fixed: whether sizes stay as they are."""
    lengths = [] if fixed else sizes.axes(given)
    base = sizes.small(given, lengths)
    if given.size() <= _MOST or fixed:
        yield Case("given", said("as given"), (lambda: kept(given),), orders=True)
    else:
        examination.not_seen(said("the given sizes: the cases have fewer rows and columns"))
    if base and not _works(examination, given, base, seed):
        base = {}
    work = sizes.resized(given, base, seed)
    if work is None or work.size() > _MOST:
        return
    other_sizes = [*_of_sizes(given, lengths, base, examination, seed)]
    yield from other_sizes[::_FIRST]
    for variant in variants(work):
        if not fixed or variant.kind in ("dtype", "values", "again"):
            yield from _of_variant(variant, work)
    yield from (case for i, case in enumerate(other_sizes) if i % _FIRST)


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


def _of_sizes(given: Arguments, lengths: list[int], base: dict[int, int], examination, seed: int) -> Iterator[Case]:
    seen: list[dict[int, int]] = []
    for change in sizes.changes(lengths, base, examination.blocks()):
        if change in seen or sizes.resized(given, change, seed) is None:
            continue
        seen.append(change)
        tries = sizes.attempts(change, base, given)
        makes = tuple(lambda each=each: sizes.resized(given, each, seed) for each in tries)
        if makes:
            yield Case("size", "", makes, orders=True)


def _of_variant(variant: Variant, work: Arguments) -> Iterator[Case]:
    yield Case(variant.kind, variant.label, (lambda: variant.make(kept(work)),), usual=lambda: kept(work))
