"""Repairs of the stock interpreter: scalars that NumPy takes for arrays."""

from __future__ import annotations

import functools

import numpy as np

from .triton_private import Private


def hook_scalars(private: Private) -> None:
    """A scalar of a kernel is an array of one element, which NumPy no longer turns into an int; range() needs one.

    And true or false of two scalars, combined with a mask, must not become a number: it still has their type's label.
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
