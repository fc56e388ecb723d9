"""Tensors of a few elements whose rows lie billions of elements apart, in addresses that have no memory between them.

So an answer that is a function of a tensor finds strides whose multiples pass 2^31, and whatever it does with the
tensor has the result that it would have on a GPU with as much memory.
"""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
import mmap
import operator

import torch

from ..spec import Call

_BYTES = 9 << 30  # of addresses: three rows of float32, 2^30 elements apart, and some more
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0)
_NOTHING, _READ_AND_WRITE = 0, mmap.PROT_READ | mmap.PROT_WRITE


def reserve() -> mmap.mmap | None:
    """Reserve addresses, of which a process may have too few once its memory is limited. None where there are none.

    Nobody can load from them or store to them, so they are no way around that limit.
    """
    try:
        window = mmap.mmap(-1, _BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
    except (OSError, ValueError):
        return None
    return window if _protected(window, 0, _BYTES, _NOTHING) else None


def placed(call: Call, window: mmap.mmap | None) -> Call:
    """A call of a function, with the tensors for which it has strides (Call.strides) placed in the window.

    Where there is no window, or it is too small, they stay as they are: rows that follow each other.
    """
    if call.kind != "call" or not any(call.strides):
        return call
    of_tensors, args, begin = iter(call.strides), list(call.args), 0
    for place, arg in enumerate(args):
        strides = next(of_tensors) if isinstance(arg, torch.Tensor) else ()
        far = _far(arg, strides, window, begin) if window is not None and strides else None
        if far is not None:
            args[place] = far
            begin += _pages(_span(far.shape, far.stride()) * far.element_size())
    return dataclasses.replace(call, args=tuple(args), strides=())


def _far(near: torch.Tensor, strides: tuple[int, ...], window: mmap.mmap, begin: int) -> torch.Tensor | None:
    """A tensor with these strides and the numbers of `near`, from this place of the window on; None without room."""
    size, item = _span(near.shape, strides), near.element_size()
    if begin + size * item > len(window):
        return None
    memory = (ctypes.c_char * (size * item)).from_buffer(window, begin)
    for place in itertools.product(*map(range, near.shape[:-1])):
        row = begin + sum(map(operator.mul, place, strides)) * item
        if not _protected(window, row, row + ((near.shape[-1] - 1) * strides[-1] + 1) * item, _READ_AND_WRITE):
            return None
    return torch.frombuffer(memory, dtype=near.dtype).as_strided(near.shape, strides).copy_(near)


def _span(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """Elements from the first one to the end of the last one."""
    return sum((n - 1) * stride for n, stride in zip(shape, strides)) + 1


def _pages(size: int) -> int:
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE


def _protected(window: mmap.mmap, begin: int, end: int, rights: int) -> bool:
    """Give the pages of a part of the window these rights. Returns whether the machine has the memory."""
    base = ctypes.addressof(ctypes.c_char.from_buffer(window))
    page = begin // mmap.PAGESIZE * mmap.PAGESIZE
    return ctypes.CDLL(None).mprotect(ctypes.c_void_p(base + page), ctypes.c_size_t(end - page), rights) == 0
