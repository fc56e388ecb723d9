"""Functions of the solution notebooks: the measurements time the code that the course teaches."""

from __future__ import annotations

import importlib.util
import pathlib
import tempfile

from ...classroom import submissions
from ...environment import ROOT
from ...judge import extract


def text(notebook: str, name: str) -> str:
    """The text of a function and of all that it needs. Raises FileNotFoundError in a course without solutions."""
    cells = submissions.read((ROOT / "solutions" / notebook).read_bytes()).cells
    return extract.extract(cells, (name,)).source


def function(notebook: str, name: str, change=lambda source: source):
    """The function. change: applied to its text first."""
    path = pathlib.Path(tempfile.mkdtemp()) / f"{name}.py"
    path.write_text(change(text(notebook, name)), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)
