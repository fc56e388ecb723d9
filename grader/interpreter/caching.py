"""Caches for work that the stock interpreter repeats for every launch or every operation."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import linecache
import sys
import types

from .fastpaths import FastPaths
from .state import current
from .triton_private import Private, changes_of, library_functions, take_back

_MOST_TYPES = 4096  # entries of a cache; a full one is emptied


def hook_patching(private: Private) -> None:
    """Patch triton.language once. The stock interpreter searches for the names to patch at each launch and tl.max."""
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
    """The patches of an interpreted launch to triton.language, applied and undone together."""

    def __init__(self, scope):
        """scope: the stock interpreter's record of the patches that it just applied (triton_private.changes_of)."""
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
        """Apply the patches. False if they are applied already."""
        if self._in_place:
            return False
        for place, names in self._patched.items():
            _set(place, names)
        self._in_place = True
        return True

    def take_back(self) -> None:
        """Undo the patches."""
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
    """Rewrite the library functions of triton.language now; the stock interpreter does so at the first call of each."""
    for function in library_functions():
        function.rewrite()


def hook_members(private: Private) -> None:
    """Use fast paths for the members of tl.tensor that kernels use most. The results are the same."""
    tensor, paths, patch = private.tensor, FastPaths(private), private.patch_attribute
    faster = paths.members()

    @functools.wraps(patch)
    def patch_faster(place, name, member, *args):
        patch(place, name, faster.get(name, member) if place is tensor else member, *args)

    private.replace("broadcast", paths.broadcast(private.broadcast))
    private.replace("patch_attribute", patch_faster)


def hook_first_line(private: Private) -> None:
    """Look up the line of a kernel's `def`: the stock interpreter makes a compiler's function of the kernel for it."""

    def first_line(rewriter) -> tuple[str, int]:
        code, names = rewriter.fn.__code__, rewriter.fn.__globals__
        number = code.co_firstlineno  # of its first decorator
        for line in linecache.getlines(code.co_filename, names)[number - 1 :]:
            if line.strip().startswith("def "):
                break
            number += 1
        return code.co_filename, number

    private.replace("first_line", first_line)


def hook_dtypes(private: Private) -> None:
    """Cache the lookup of NumPy dtypes. The stock interpreter builds its whole table for each lookup."""
    look_up, known = private.numpy_dtype, {}

    @functools.wraps(look_up)
    def cached(dtype):
        name = dtype.scalar.name
        if name not in known:
            known[name] = look_up(dtype)
        return known[name]

    private.replace("numpy_dtype", cached)


def hook_overflow(private: Private) -> None:
    """Switch off the overflow check of integers. The stock interpreter computes it always and uses it for debugging."""
    options = private.builder_options
    if not options.debug:
        private.replace("builder_options", dataclasses.replace(options, sanitize_overflow=False))


def hook_types(private: Private) -> None:
    """Cache the attributes of block types, and the shapes of tensors. Triton computes them again for every value."""
    make_type, make_tensor = private.make_block_type, private.make_tensor
    block_types, shapes = (
        {},
        {},
    )  # An entry holds each object whose id is in its key, so that no other object gets this id.

    @functools.wraps(make_type)
    def typed(self, element_ty, shape):
        key = id(element_ty), tuple(getattr(n, "value", n) for n in shape)
        if key in block_types:
            self.__dict__.update(block_types[key])
            return
        make_type(self, element_ty, shape)
        if len(block_types) == _MOST_TYPES:
            block_types.clear()
        block_types[key] = dict(self.__dict__)

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
    """Let the C library keep the memory of freed arrays.

    Each operation allocates an array. By default glibc returns the memory of a large one to the system, and the next
    array pays for every page again. https://www.gnu.org/software/libc/manual/html_node/Malloc-Tunable-Parameters.html
    Other C libraries have no mallopt, and nothing happens.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
        mallopt(M_MMAP_THRESHOLD, 32 << 20)  # the largest value that it accepts
        mallopt(M_TRIM_THRESHOLD, 256 << 20)


# keep_memory is the last: it replaces no name of Triton's, so it could not be undone if a later hook failed.
HOOKS = (hook_patching, hook_members, hook_first_line, hook_dtypes, hook_overflow, hook_types, keep_memory)
