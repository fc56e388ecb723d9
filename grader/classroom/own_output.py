"""What the grader itself wrote and somebody left beside a class: results of an earlier run, and feedback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence

from . import file_names

_RESULTS = "results.jsonl"
_OF_A_ROW = {"student", "submission", "sha256", "grader", "exercises"}
_PAGE = re.compile(rb"(?:Five Passes to One|\xe4\xba\x94\xe9\x81\x8d\xe5\xbd\x92\xe4\xb8\x80) \xc2\xb7 ")  # above each
_UPLOADS = re.compile(r"canvas_comments|moodle_feedback", re.IGNORECASE)  # zips for a platform, packed or unpacked
_OF_VERDICTS = {"version", "status", "max_score", "tests"}, {"output_format", "stdout_visibility", "tests"}
_MOST_READ = 1 << 20  # bytes of a page, whose head is short


def folders(names: Sequence[str], load: Callable[[str], bytes]) -> list[str]:
    """The folders that the grader wrote, each with a "/" at its end. names: of all files. load: their bytes.

    A folder is known by what it holds, and only where a notebook lies beside it: what is all that a student handed in
    stays the student's. One that holds a notebook besides feedback is none. load may raise OSError.
    """
    inside: dict[str, list[str]] = {}
    for name in names:
        parts = name.split("/")[:-1]
        for end in range(1, len(parts) + 1):
            inside.setdefault("/".join(parts[:end]) + "/", []).append(name)
    reader = _Reader(load, {*names}, inside.keys())
    found: list[str] = []
    for folder in sorted(inside):  # the outer ones first
        if any(folder.startswith(each) for each in found):
            continue
        above = folder[: -len(folder.split("/")[-2]) - 1]
        if not reader.wrote(folder, inside[folder]):
            continue
        beside = (name for name in (inside[above] if above else names) if not name.startswith(folder))
        if any(map(file_names.is_notebook, beside)):
            found.append(folder)
    return found


class _Reader:
    """Looks into files. Nothing is read but what has a name of the grader's, or pages beside each other."""

    def __init__(self, load: Callable[[str], bytes], names: Collection[str], folders: Collection[str]):
        self._load, self._names, self._folders = load, names, folders

    def wrote(self, folder: str, files: Sequence[str]) -> bool:
        """Whether the grader wrote a folder. files: all in it, at any depth."""
        if _is_upload(folder.split("/")[-2]):
            return self._all_feedback(files)
        results, index = f"{folder}{_RESULTS}", f"{folder}index.html"
        if results in self._names or (index in self._names and f"{folder}students/" in self._folders):
            own = (name for name in files if not any(map(_is_upload, name[len(folder) :].split("/")[:-1])))
            if any(map(file_names.is_notebook, own)):
                return False
            return self._is_row(results) if results in self._names else self._is_page(index)
        # One page alone may be what a student handed in by mistake.
        of_students = {".html": self._is_page, ".json": self._is_verdicts}
        is_ours = of_students.get(files[0][-5:])
        alike = is_ours and len(files) > 1 and all(name.endswith(files[0][-5:]) for name in files)
        return bool(is_ours and alike and all(map(is_ours, files)))

    def _all_feedback(self, files: Iterable[str]) -> bool:
        told = [
            self._is_page(name) if name.endswith(".html") else self._is_notebook_of_feedback(name)
            for name in files if name.endswith(".html") or file_names.is_ipynb(name)
        ]  # fmt: skip
        return bool(told) and all(told)

    def _is_row(self, name: str) -> bool:
        try:
            row = json.loads(self._load(name).partition(b"\n")[0])
        except (OSError, ValueError, RecursionError):
            return False
        return isinstance(row, dict) and row.keys() >= _OF_A_ROW

    def _is_page(self, name: str) -> bool:
        try:
            return _PAGE.search(self._load(name)[:_MOST_READ]) is not None
        except OSError:
            return False

    def _is_verdicts(self, name: str) -> bool:
        """Whether it is what a test runner of GitHub or Gradescope reads, a file a student."""
        try:
            told = json.loads(self._load(name))
        except (OSError, ValueError, RecursionError):
            return False
        return isinstance(told, dict) and any(told.keys() >= keys for keys in _OF_VERDICTS)

    def _is_notebook_of_feedback(self, name: str) -> bool:
        """Whether it has one cell, in which the feedback stands as text."""
        try:
            (cell,) = json.loads(self._load(name))["cells"]
            return (cell["cell_type"], cell["id"]) == ("raw", "feedback")
        except (OSError, ValueError, RecursionError, LookupError, TypeError):
            return False


def _is_upload(part: str) -> bool:
    """Whether a folder or a zip is called as what `export` writes for a platform to import."""
    return _UPLOADS.fullmatch(file_names.without_marks_of_a_program(file_names.without_ending(part))) is not None
