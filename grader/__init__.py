"""Five Passes to One: the judge of a course on fast GPU kernels.

The public names are loaded when they are first used: a worker, which imports `grader.worker`, loads none of them.
Importing `grader` in a notebook chooses how kernels run, which must come before anything imports Triton.
"""

from __future__ import annotations

import importlib
import os

from . import environment, version
from .sentence import said

# public name -> the module that defines it
_PUBLIC = {
    "audit": "auditing.audit",
    "check": "notebook.api",
    "device": "environment",
    "doctor": "notebook.doctor",
    "hint": "notebook.api",
    "launch": "notebook.cuda_launch",
    "machine_code": "notebook.machine_code",
    "own_card": "bench.own_card",
    "own_way": "notebook.own_way",
    "progress": "notebook.api",
    "race": "notebook.api",
    "recall": "notebook.api",
    "trace": "notebook.trace",
    "traffic": "notebook.traffic",
}
__all__ = [*_PUBLIC]
__version__ = version.VERSION


def __getattr__(name: str):
    """A public name, imported on first use (PEP 562)."""
    if name not in _PUBLIC:
        raise AttributeError(said("module {name} has no attribute {name2}", name=repr(__name__), name2=repr(name)))
    value = getattr(importlib.import_module(f".{_PUBLIC[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])


if "FIVE_PASSES_WORKER" not in os.environ:
    environment.spare_threads()
    from .notebook.start import start

    start()
