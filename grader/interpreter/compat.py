"""Repairs of the stock interpreter for newer versions of NumPy: scalars that are arrays of one element."""

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
