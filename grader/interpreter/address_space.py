"""The guard: an address space for the tensors of one launch, in which an access outside of a tensor is found.

A kernel receives guarded addresses in place of real ones. `resolve` checks each access and translates its addresses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..sentence import Said, fault, joined, said
from ..spec import called

# Every tensor of a launch has its own window of guarded addresses, with its first element in the middle of the window.
# An address beyond the end of one tensor is therefore never an address of another one.
WINDOW_BITS = 41
_MIDDLE = 1 << (WINDOW_BITS - 1)


class OutOfBounds(RuntimeError):
    """An access of a kernel to an address outside of its tensor. where: the place, as in spec.evidence.Where."""

    def __init__(self, message: str, **where):
        super().__init__(message)
        self.where = where


@dataclass
class Region:
    """One tensor argument of a launch.

    name: of the kernel's parameter. index: from 1, the number of its window. real: real address of its first element.
    itemsize: bytes of an element, a power of two. shape, strides: in elements. floating: whether its dtype is.
    start: real address of its storage. storage: the storage's name, as in FloatStorages. sparse: whether it has its
    strides in the window alone; real memory then holds its elements in row-major order without gaps. base: guarded
    address of its first element. numel: number of elements of the shape. repeats: whether a stride is 0. contiguous:
    whether its elements lie in the window in row-major order without gaps.
    """

    name: str
    index: int
    real: int
    itemsize: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    floating: bool = True
    start: int = 0
    storage: int = 0
    sparse: bool = False

    def __post_init__(self):
        # The guarded address keeps the low bits of the real one, so it has the same alignment.
        self.base = (self.index << WINDOW_BITS) + _MIDDLE + (self.real & 0xFF)
        self.numel = int(np.prod(self.shape, dtype=np.int64))
        dims = [(s, n, d) for d, (n, s) in enumerate(zip(self.shape, self.strides)) if n > 1 and s > 0]
        self._dims = sorted(dims, reverse=True)
        self._logical = np.cumprod((1, *self.shape[:0:-1]))[::-1] if self.shape else np.ones(0, np.int64)
        # A stride of 0 repeats the same elements, so memory holds fewer elements than the shape has.
        self.repeats = any(n > 1 and s == 0 for n, s in zip(self.shape, self.strides))
        self.contiguous = not self.repeats and all(s == self._logical[d] for s, _, d in self._dims)

    def to_real(self, addresses: np.ndarray) -> np.ndarray:
        """The real addresses of guarded ones, of elements that exist. addresses: uint64 array of any shape."""
        if self.sparse:
            return np.uint64(self.real) + self.elements(addresses)[0].astype(np.uint64) * np.uint64(self.itemsize)
        return addresses + np.uint64((self.real - self.base) % 2**64)

    def holds(self, addresses: np.ndarray) -> np.ndarray:
        """Whether guarded addresses lie in its window. addresses: uint64 array."""
        return (addresses >> np.uint64(WINDOW_BITS)).astype(np.int64) == self.index

    def span(self) -> int:
        """Bytes from its first element to the end of its last one in the window, gaps included."""
        last = sum((n - 1) * s for n, s in zip(self.shape, self.strides)) if self.numel else -1
        return (last + 1) * self.itemsize

    def extent(self) -> tuple[int, int]:
        """(begin, end) of its memory as real addresses, gaps included."""
        return self.real, self.real + (self.numel * self.itemsize if self.sparse else self.span())

    def elements(self, addresses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(row-major element number, whether this element exists) for each guarded address.

        addresses: uint64 array of any shape. Both results have its shape; int64 and bool.
        """
        offset = addresses.astype(np.int64) - self.base
        # Element sizes are powers of two, and a division takes ten times as long as a shift.
        element, rest = offset >> (self.itemsize.bit_length() - 1), offset & (self.itemsize - 1)
        if self.contiguous:
            return element, (element >= 0) & (element < self.numel) & (rest == 0)
        left, logical = element, np.zeros_like(element)
        for stride, n, dim in self._dims:
            i = np.clip(left // stride, 0, n - 1)
            left = left - i * stride
            logical = logical + i * self._logical[dim]
        return logical, (element >= 0) & (left == 0) & (rest == 0) & (self.numel > 0)

    def steps(self, addresses: np.ndarray, width: int) -> np.ndarray:
        """The addresses of all elements that lanes of a width touch: those of one lane along a second axis.

        addresses: uint64 array with one axis. Lanes that are no wider than an element have one address each, and no
        second axis.
        """
        if width <= self.itemsize:
            return addresses
        return addresses[:, None] + np.arange(0, width, self.itemsize, dtype=np.uint64)

    def place(self, address: int, anchor: int | None) -> tuple[int | None, int]:
        """(row, column) of a guarded address, relative to the row of `anchor`, a valid address of the same access.

        A lane beyond the end of row 2 is in "row 2, column 5", and not in the next row in memory. The row is None for a
        tensor without rows in memory: of one dimension, or with a stride of 0.
        """
        offset = (int(address) - self.base) // self.itemsize
        if len(self.shape) < 2 or self.repeats:
            return None, offset
        row_stride, column_stride = max(self.strides[-2], 1), max(self.strides[-1], 1)
        start = (int(anchor) - self.base) // self.itemsize if anchor is not None else max(offset, 0)
        row = start // row_stride if row_stride >= column_stride else (start % column_stride) // row_stride
        return row, (offset - row * row_stride) // column_stride


class AddressSpace:
    """The tensors of one launch: checks the guarded addresses that a kernel computes, and translates them."""

    def __init__(self):
        self.regions: list[Region] = []

    def add(self, name: str, tensor, strides: tuple[int, ...] = ()) -> Region:
        """Give a tensor its window of addresses. tensor: a torch tensor, or an object with the same methods.

        strides: in elements, those that it has in the window in place of its own; it must be contiguous then. So a
        tensor of a few elements can have rows that lie far apart.
        """
        region = Region(
            name,
            len(self.regions) + 1,
            tensor.data_ptr(),
            tensor.element_size(),
            tuple(tensor.shape),
            strides or tuple(tensor.stride()),
            tensor.is_floating_point(),
            tensor.untyped_storage().data_ptr(),
            sparse=bool(strides),
        )
        self.regions.append(region)
        return region

    def resolve(
        self, op: str, addresses: np.ndarray, mask: np.ndarray, program: tuple[int, int, int], grid=(1, 1, 1), width=0
    ) -> tuple[np.ndarray, list[tuple[Region, np.ndarray]]]:
        """Translate the addresses of one access. Raises OutOfBounds before the access happens.

        op: "load" or "store". addresses: uint64 array, guarded. mask: bool array that broadcasts to its shape. program:
        (x, y, z). width: bytes of a lane, which reaches from its address to that many bytes further. Returns (real
        addresses, [(region, element numbers of its active lanes), ...]); a lane that is wider than an element has its
        element numbers along a second axis. The real addresses of masked lanes are meaningless.
        """
        if mask.shape != addresses.shape:
            mask = np.broadcast_to(mask, addresses.shape)
        active = addresses[mask]
        if active.size == 0:
            return addresses, []
        region = owner(self.regions, int(active.min()), int(active.max()))
        if region is not None:  # the usual case; an error takes the general path below
            elements, good = region.elements(region.steps(active, width))
            if good.all():
                return region.to_real(addresses), [(region, elements)]  # those of masked lanes are not used
        real = np.zeros(addresses.shape, np.uint64)
        owners = (active >> np.uint64(WINDOW_BITS)).astype(np.int64)
        touched, translated = [], np.empty_like(active)
        for index in owners[:1] if (owners == owners[0]).all() else np.unique(owners):
            if not 1 <= index <= len(self.regions):
                raise OutOfBounds(
                    said(
                        "a {op} in program {called} uses an address that belongs to no tensor of this "
                        "launch: build it from one of the kernel's pointer arguments",
                        op=in_words(op),
                        called=called(program, grid),
                    ),
                    op=op,
                    program=list(program),
                    lanes=int(active.size),
                    of=int(active.size),
                )
            region = self.regions[index - 1]
            lanes = owners == index
            mine = region.steps(active[lanes], width)
            elements, good = region.elements(mine)
            if not good.all():
                lines = _line_of_lanes(addresses.shape, mask)[lanes]
                if mine.ndim > 1:  # of each lane, its first element that does not exist
                    mine, good = mine[np.arange(len(mine)), good.argmin(axis=1)], good.all(axis=1)
                raise _out_of_bounds_error(op, region, mine, good, program, grid, lines)
            translated[lanes] = region.to_real(active[lanes])
            touched.append((region, elements))
        real[mask] = translated
        return real, touched


def owner(regions: list[Region], low: int, high: int) -> Region | None:
    """The tensor whose window holds all guarded addresses from low to high; None if no single window does."""
    index = low >> WINDOW_BITS
    return regions[index - 1] if index == high >> WINDOW_BITS and 1 <= index <= len(regions) else None


def _line_of_lanes(shape: tuple[int, ...], mask: np.ndarray) -> np.ndarray:
    """For each active lane of a block, the number of its line. Lines run along the last axis: the rows of a tile."""
    lines = np.arange(int(np.prod(shape[:-1]))).reshape((*shape[:-1], 1))
    return np.broadcast_to(lines, shape)[mask] if shape else np.zeros(1, int)


def _in_a_gap(region: Region, place: int) -> str:
    """Words for a place of a tensor's memory between two of its elements; the first element has place 0."""
    if len(region.shape) == 2 and not region.repeats:
        columns, (row_stride, column_stride) = region.shape[1], region.strides
        row, rest = divmod(place, row_stride)
        last = (columns - 1) * column_stride
        if last < rest:
            ends, begins = row * row_stride + last, (row + 1) * row_stride
            return said(
                "place {place} of its memory, in a gap: row {row} ends at place {ends}, and row "
                "{value} begins at place {begins}",
                place=place,
                row=row,
                ends=ends,
                value=row + 1,
                begins=begins,
            )
        if last < row_stride:
            column = rest // column_stride
            return said(
                "place {place} of its memory, in a gap between columns {column} and {value} of row {row}",
                place=place,
                column=column,
                value=column + 1,
                row=row,
            )
    return said("place {place} of its memory, in a gap between two elements", place=place)


def _called(region: Region, place: int, row: int | None, column: int) -> str:
    """Words for a place outside a tensor. row, column: as `Region.place` gives them."""
    if row is None:
        return said("element {column}", column=column)
    if len(region.shape) > 2:  # a row of several axes has no number that a learner knows
        return (
            said("element {place}", place=place)
            if region.contiguous
            else said("place {place} of its memory", place=place)
        )
    if region.contiguous:
        if column < 0:
            return said(
                "element {place}, {value} before the first one of row {row}", place=place, value=-column, row=row
            )
        return said("row {row}, column {column} (element {place})", row=row, column=column, place=place)
    if column < 0:
        return said(
            "place {place} of its memory, {value} before the first element of row {row}",
            place=place,
            value=-column,
            row=row,
        )
    return said(
        "row {row}, column {column} (place {place} of its memory)", row=row, column=column, place=place
    )  # it can lie in a gap


def in_words(op: str) -> Said | str:
    """The word for a load or a store."""
    return {"load": said("load"), "store": said("store")}.get(op, op)


def _size(region: Region) -> str:
    """The number of elements: that of each axis, where no axis repeats its elements."""
    if len(region.shape) < 2 or region.repeats:
        count = math.prod(n for _, n, _ in region._dims) if region.repeats else region.numel
        return said("{count} elements", count=count) if count != 1 else said("{count} element", count=count)
    size = said("{list} elements", list=" × ".join(map(str, region.shape)))
    return (
        size
        if region.contiguous
        else said("{size} (strides {list})", size=size, list=joined("{one} and {two}", [*map(str, region.strides)]))
    )


def _out_of_bounds_error(op: str, region: Region, addresses, good, program, grid, lines: np.ndarray) -> OutOfBounds:
    """The error for the first lane that leaves its tensor."""
    bad, line = addresses[~good][0], lines[~good][0]
    beside = addresses[good & (lines == line)]
    row, column = region.place(bad, int(beside[0]) if beside.size else None)
    first, begins = ((int(a) - region.base) // region.itemsize for a in (addresses[0], addresses[lines == line][0]))
    place = (int(bad) - region.base) // region.itemsize
    where, size = _called(region, place, row, column), _size(region)
    at = fault(
        "outside",
        "{where}, which is outside of it: {name} has {size}, numbered from 0",
        where=where,
        name=region.name,
        size=size,
    )
    behind_its_row = row is not None and beside.size > 0 and column >= region.shape[-1]
    if not region.contiguous and not behind_its_row and 0 <= int(bad) - region.base < region.span():
        at = _in_a_gap(region, place)
    values = {"called": called(program, grid), "name": region.name, "at": at, "op": in_words(op)}
    values |= {"sum": int((~good).sum()), "size": good.size}
    return OutOfBounds(
        fault(
            "whole",
            "program {called} stores to {name} at {at}. Unmasked lanes outside the tensor in this {op}: {sum} of "
            "{size}.",
            **values,
        )
        if op == "store"
        else fault(
            "whole",
            "program {called} loads from {name} at {at}. Unmasked lanes outside the tensor in this {op}: {sum} of "
            "{size}.",
            **values,
        ),
        op=op,
        tensor=region.name,
        row=row,
        column=int(column),
        program=list(program),
        first=first,
        line=int(line),
        begins=begins,
        lanes=int((~good).sum()),
        of=int(good.size),
        shape=list(region.shape),
    )
