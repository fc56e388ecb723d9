"""Every mistake that a check can name, by id, and the mutants of each exercise: of all modules beside this one."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from . import __name__ as _ROOM
from . import __path__ as _PATH
from .mistake import Mistake
from .mutant import Mutant


def lists() -> dict[str, list[Mistake]]:
    """{module: its MISTAKES}, for the modules that have such a list."""
    names = [found.name for found in pkgutil.walk_packages(_PATH, f"{_ROOM}.") if found.name != __name__]
    modules = [importlib.import_module(name) for name in names]
    return {module.__name__: module.MISTAKES for module in modules if hasattr(module, "MISTAKES")}


MISTAKES: dict[str, Mistake] = {mistake.id: mistake for found in lists().values() for mistake in found}


@functools.cache
def mutants() -> dict[str, list[tuple[str, Mutant]]]:
    """{exercise: [(id of the mistake, mutant)]}, in the order of the lists."""
    found: dict[str, list[tuple[str, Mutant]]] = {}
    for mistake in MISTAKES.values():
        for mutant in mistake.mutants:
            for exercise in mutant.of.split():
                found.setdefault(exercise, []).append((mistake.id, mutant))
    return found
