"""Work that the stock interpreter repeats for every launch and every operation, done once."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import sys
import types

from .fastpaths import FastPaths
from .state import current
from .triton_private import Private, changes_of, library_functions, take_back

_MOST_TYPES = 4096


def hook_patching(private: Private) -> None:
    """The stock interpreter looks for what it patches in triton.language at each launch and each call of tl.max."""
    patch, languages = private.patch_language, (private.language, private.core)
    everything = types.SimpleNamespace(__globals__={"tl": private.language, "core": private.core})
    nothing = types.SimpleNamespace(restore=lambda: None)
    found: list[LanguagePatches] = []

    @functools.wraps(patch)
    def patch_once(fn):
        launch = current.launch
        if launch is None:
            return patch(fn)
        if id(fn.__globals__) in launch.patched:
            return nothing
        if not any(value is language for value in fn.__globals__.values() for language in languages):
            return patch(fn)  # its error names the missing import
        if not found:
            found.append(LanguagePatches(patch(everything)))
        if found[0].put_in_place():
            launch.patches = found[0]
        launch.patched.add(id(fn.__globals__))
        return nothing

    private.replace("patch_language", patch_once)


class LanguagePatches:
    """The changes of an interpreted launch to triton.language, to be put in place and taken back as a whole."""

    def __init__(self, scope):
        """scope: the stock interpreter's record of the changes that it just made (triton_private.changes_of)."""
        changes = changes_of(scope)
        self._in_place, self._before, self._patched = changes is None, {}, {}
        if changes is None:
            return
        for place, name, value in changes:
            self._before.setdefault(place, {}).setdefault(name, value)
        self._patched = {place: {name: vars(place)[name] for name in names} for place, names in self._before.items()}
        take_back(scope)
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
        """Restore the language."""
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
    """Translate the functions of triton.language now; the stock interpreter does so when one is first called."""
    for function in library_functions():
        function.rewrite()


def hook_members(private: Private) -> None:
    """Patch the members of tl.tensor that kernels use most with faster paths to the same result."""
    tensor, paths, patch = private.tensor, FastPaths(private), private.patch_attribute
    faster = paths.members()

    @functools.wraps(patch)
    def patch_faster(place, name, member, *args):
        patch(place, name, faster.get(name, member) if place is tensor else member, *args)

    private.replace("broadcast", paths.broadcast(private.broadcast))
    private.replace("patch_attribute", patch_faster)


def hook_dtypes(private: Private) -> None:
    """The stock interpreter builds its table of NumPy's dtypes anew each time it looks one up."""
    look_up, known = private.numpy_dtype, {}

    @functools.wraps(look_up)
    def cached(dtype):
        name = dtype.scalar.name
        if name not in known:
            known[name] = look_up(dtype)
        return known[name]

    private.replace("numpy_dtype", cached)


def hook_overflow(private: Private) -> None:
    """The stock interpreter computes for all integers whether they overflow; the result only matters for debugging."""
    options = private.builder_options
    if not options.debug:
        private.replace("builder_options", dataclasses.replace(options, sanitize_overflow=False))


def hook_types(private: Private) -> None:
    """Triton makes the type of every value anew, and the numbers of its shape. Those that are alike are made once."""
    make_type, make_tensor = private.make_block_type, private.make_tensor
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

    private.replace("make_block_type", typed)
    private.replace("make_tensor", shaped)


def keep_memory(private: Private) -> None:
    """Each operation makes an array, whose memory the C library gives back and gets anew, page by page: let it be kept.

    https://www.gnu.org/software/libc/manual/html_node/Malloc-Tunable-Parameters.html; other C libraries go their way.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
        mallopt(M_MMAP_THRESHOLD, 32 << 20)  # the most it takes
        mallopt(M_TRIM_THRESHOLD, 256 << 20)


# The last one touches no name of Triton's, so it need not be put back when another one does not fit.
HOOKS = (hook_patching, hook_members, hook_dtypes, hook_overflow, hook_types, keep_memory)
