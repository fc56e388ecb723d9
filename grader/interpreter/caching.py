"""Work that the stock interpreter repeats for every operation, done once; and scalars that NumPy takes for arrays."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import sys
import types

import numpy as np

from .fastpaths import Quick
from .state import watch

_MOST_TYPES = 4096


def hook_patching(stock) -> None:
    """The stock interpreter looks for what it patches in triton.language at each launch and each call of tl.max."""
    patch, languages = stock._patch_lang, (stock.tl, stock.tl.core)
    everything = types.SimpleNamespace(__globals__={"tl": stock.tl, "core": stock.tl.core})
    nothing = types.SimpleNamespace(restore=lambda: None)
    found: list[_Patches] = []

    @functools.wraps(patch)
    def patch_once(fn):
        if not watch.in_kernel:
            return patch(fn)
        if id(fn.__globals__) in watch.patched:
            return nothing
        if not any(value is language for value in fn.__globals__.values() for language in languages):
            return patch(fn)  # it says what is missing
        if not found:
            found.append(_Patches(patch(everything)))
        if found[0].put_in_place():
            watch.patches = found[0]
        watch.patched.add(id(fn.__globals__))
        return nothing

    stock._patch_lang = patch_once


class _Patches:
    """What an interpreted launch changes in triton.language, to be put in place and taken back as a whole."""

    def __init__(self, scope):
        """scope: the stock interpreter's record of changes just made, which are taken back; None before Triton 3.6,
        which leaves them for good."""
        self._in_place, self._before, self._patched = scope is None, {}, {}
        if scope is None:
            return
        for place, name, value in scope._changes:
            self._before.setdefault(place, {}).setdefault(name, value)
        self._patched = {place: {name: vars(place)[name] for name in names} for place, names in self._before.items()}
        scope.restore()
        for place, names in self._before.items():
            for name in names.keys() - vars(place).keys():
                del names[name]

    def put_in_place(self) -> bool:
        """Whether they were not there already, as they are when one launch is part of another."""
        if self._in_place:
            return False
        for place, names in self._patched.items():
            _set(place, names)
        self._in_place = True
        return True

    def take_back(self) -> None:
        for place, names in self._before.items():
            _set(place, names)
            for name in self._patched[place].keys() - names.keys():
                delattr(place, name)
        self._in_place = False


def _set(place, names: dict) -> None:
    if isinstance(place, types.ModuleType):
        vars(place).update(names)
        return
    for name, value in names.items():
        setattr(place, name, value)


def read_library() -> None:
    """Translate the functions of triton.language now, which the stock interpreter does when one is first called."""
    from triton.language import standard
    from triton.runtime.interpreter import InterpretedFunction

    for function in list(vars(standard).values()):  # it adds to them
        if isinstance(function, InterpretedFunction):
            function.rewrite()


def hook_members(stock) -> None:
    """Patch the members of tl.tensor that kernels use most with quicker ways to the same result."""
    tensor, semantic, quick = stock.tl.core.tensor, stock.interpreter_semantic, Quick(stock)
    quicker = quick.members()
    semantic.broadcast_impl_value = quick.broadcast(semantic.broadcast_impl_value)
    patch = stock._patch_attr

    @functools.wraps(patch)
    def patch_quicker(place, name, member, *args):
        patch(place, name, quicker.get(name, member) if place is tensor else member, *args)

    stock._patch_attr = patch_quicker


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


def hook_memory(stock) -> None:
    """Each operation makes an array, whose memory the C library gives back and gets anew, page by page: let it be kept.

    https://www.gnu.org/software/libc/manual/html_node/Malloc-Tunable-Parameters.html; other C libraries go their way.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
        mallopt(M_MMAP_THRESHOLD, 32 << 20)  # the most it takes
        mallopt(M_TRIM_THRESHOLD, 256 << 20)


def hook_overflow(stock) -> None:
    """The stock interpreter computes for all integers whether they overflow, and asks for it only when debugging."""
    builder = stock.interpreter_builder
    if not builder.options.debug:
        builder.options = dataclasses.replace(builder.options, sanitize_overflow=False)


def hook_types(stock) -> None:
    """Triton makes the type of every value anew, and the numbers of its shape. Those that are alike are made once."""
    block_type, tensor = stock.tl.core.block_type, stock.tl.core.tensor
    make_type, make_tensor = block_type.__init__, tensor.__init__
    alike, shapes = {}, {}  # what a number in a key identifies is kept in its entry, so that the number stays its own

    @functools.wraps(make_type)
    def typed(self, element_ty, shape):
        key = id(element_ty), tuple(getattr(n, "value", n) for n in shape)
        if key in alike:
            self.__dict__.update(alike[key])
            return
        make_type(self, element_ty, shape)
        if len(alike) == _MOST_TYPES:
            alike.clear()
        alike[key] = dict(self.__dict__)

    @functools.wraps(make_tensor)
    def shaped(self, handle, type):
        shape = getattr(type, "shape", None)
        if id(shape) in shapes:
            _, self.shape, self.numel = shapes[id(shape)]
            self.handle, self.type, self.dtype = handle, type, type.scalar
            return
        make_tensor(self, handle, type)
        if len(shapes) == _MOST_TYPES:
            shapes.clear()
        if self.__dict__.keys() == {"handle", "type", "dtype", "shape", "numel"}:
            shapes[id(shape)] = shape, self.shape, self.numel

    block_type.__init__, tensor.__init__ = typed, shaped


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
