"""Functions of the course's lessons: the measurements time the code that the course teaches."""

from __future__ import annotations

import functools
import importlib.util
import pathlib
import tempfile
from collections.abc import Callable

from ...classroom import submissions
from ...environment import ROOT
from ...judge import extract
from ...mistakes import mutant


def text(notebook: str, name: str) -> str:
    """The text of a function and of all that it needs. Raises FileNotFoundError in a course without solutions."""
    return _text(ROOT / "solutions" / notebook, name)


def function(notebook: str, name: str, change: Callable[[str], str] = lambda source: source):
    """The function of a solution. change: applied to its text first."""
    return _loaded(change(text(notebook, name)), name)


@functools.cache
def answer(exercise: str, name: str, change: Callable[[str], str] = lambda source: source):
    """A function, or another value, of the course's answer to an exercise, which a course without solutions has too."""
    return _loaded(change(mutant.reference(exercise)), name)


@functools.cache
def given(notebook: str, name: str, *exercises: str):
    """A function that a learner's notebook has from the beginning. exercises: those whose answers it needs."""
    return _loaded(_text(ROOT / "notebooks" / notebook, name, *map(mutant.reference, exercises)), name)


def _text(notebook: pathlib.Path, name: str, *more: str) -> str:
    """The text of a function. more: cells behind those of the notebook, whose definitions count."""
    cells = submissions.read(notebook.read_bytes()).cells
    return extract.extract([*cells, *more], (name,)).source


def _loaded(source: str, name: str):
    path = pathlib.Path(tempfile.mkdtemp()) / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)
