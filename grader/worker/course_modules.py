"""The modules of the course in a process of an answer: which are loaded, and that an answer imports no others."""

from __future__ import annotations

import itertools
import linecache
import os
import sys

from .. import environment
from ..interpreter.triton_private import is_kernel

_COURSE = __package__.partition(".")[0]


def loaded(before: int = 0) -> list[str]:
    """Names of the loaded modules of the course, without the first `before` entries of sys.modules.

    A fork must not iterate over all modules: to read an object changes its reference count, and so copies its page.
    """
    names = itertools.islice(reversed(sys.modules), len(sys.modules) - before)
    return [name for name in names if name.split(".")[0] == _COURSE]


def remember_kernels(modules: list[str]) -> None:
    """Keep the lines of modules with kernels in memory: Triton needs them, and an answer may read no file of these."""
    for module in map(sys.modules.get, modules):
        if any(is_kernel(value) for value in list(vars(module).values())):
            lines = linecache.getlines(module.__file__)
            linecache.cache[module.__file__] = sum(map(len, lines)), None, lines, module.__file__


def leave(modules: list[str]) -> None:
    """Make the rest of the course impossible to import: such an import of an answer raises ModuleNotFoundError.

    modules: names of the modules of the course that are loaded.
    """
    sys.path[:] = [p for p in sys.path if os.path.abspath(p) != str(environment.COURSE)]
    for name in modules:
        if hasattr(sys.modules[name], "__path__"):
            sys.modules[name].__path__ = []
