"""Work that the stock interpreter repeats for every operation, done once; and scalars that NumPy takes for arrays."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from .watch import watch


def hook_patching(stock) -> None:
    """The stock interpreter patches triton.language again for every call of tl.max or tl.sum: once is enough."""
    patch = stock._patch_lang
    nothing = type("Nothing", (), {"restore": lambda self: None})()
    for_good: set[int] = set()  # Triton before 3.6 never takes its patches back

    @functools.wraps(patch)
    def patch_once(fn):
        if not watch.in_kernel:
            return patch(fn)
        modules = frozenset(id(v) for v in fn.__globals__.values() if v is stock.tl or v is stock.tl.core)
        if modules and modules <= watch.patched | for_good:
            return nothing
        scope = patch(fn)
        if scope is None:
            for_good.update(modules)
        else:
            watch.patched |= modules
            watch.scopes.append(scope)
        return nothing

    stock._patch_lang = patch_once


def hook_dtypes(stock) -> None:
    """The stock interpreter builds its table of NumPy's dtypes anew each time it looks one up."""
    look_up, known = stock._get_np_dtype, {}

    @functools.wraps(look_up)
    def cached(dtype):
        name = dtype.scalar.name
        if name not in known:
            known[name] = look_up(dtype)
        return known[name]

    stock._get_np_dtype = cached


def hook_overflow(stock) -> None:
    """The stock interpreter computes for all integers whether they overflow, and asks for it only when debugging."""
    builder = stock.interpreter_builder
    if not builder.options.debug:
        builder.options = dataclasses.replace(builder.options, sanitize_overflow=False)


def hook_scalars(stock) -> None:
    """A scalar of a kernel is an array of one element, which NumPy no longer turns into an int; range() needs one.

    And true or false of two scalars, combined with a mask, must not become a number: it still has their type's label.
    """
    patch, splat = stock._patch_lang_tensor, stock.InterpreterBuilder.create_splat

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

    stock._patch_lang_tensor, stock.InterpreterBuilder.create_splat = patch_tensor, splat_truth
