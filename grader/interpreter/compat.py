"""Repairs of the stock interpreter: scalars that newer versions of NumPy treat as arrays, and constants."""

from __future__ import annotations

import functools

import numpy as np

from .triton_private import Private


def hook_scalars(private: Private) -> None:
    """Repair two uses of a kernel's scalar, which the interpreter holds as an array of one element.

    range() needs an int, and NumPy no longer converts such an array to one. And the comparison of two scalars has
    boolean data under the dtype label of the scalars: when it is combined with a mask, it must stay boolean.
    """
    patch, splat = private.patch_tensor, private.splat

    @functools.wraps(patch)
    def patch_tensor(tensor, *args, **kwargs):
        patch(tensor, *args, **kwargs)
        tensor.__index__ = lambda self: int(self.handle.data.item())

    @functools.wraps(splat)
    def splat_truth(self, *args, **kwargs):
        value = splat(self, *args, **kwargs)
        if any(np.asarray(arg.data).dtype == np.bool_ for arg in (*args, *kwargs.values()) if hasattr(arg, "data")):
            value.data = value.data.astype(bool)
        return value

    private.replace("patch_tensor", patch_tensor)
    private.replace("splat", splat_truth)


_WITH_A_BLOCK = "add sub mul truediv floordiv mod and or xor lshift rshift lt le gt ge eq ne".split()


def hook_constants(private: Private) -> None:
    """Leave an operation between a global tl.constexpr and a block, in this order, to the block, as the compiler does.

    The constant's own operator would wrap the resulting block in a constant.
    """
    constexpr = private.core.constexpr
    for name in (f"__{each}__" for each in _WITH_A_BLOCK):
        setattr(constexpr, name, _not_with_blocks(getattr(constexpr, name), private.tensor))


def _not_with_blocks(operator, block: type):
    @functools.wraps(operator)
    def operate(self, other):
        return NotImplemented if isinstance(other, block) else operator(self, other)

    return operate
