"""Canvas: a zip of feedback, which "Upload submissions" of an assignment attaches to comments.

A file of comments in CSV is nothing that Canvas reads. It reads a zip of files with the names of the submissions that
it handed out, and attaches each to a comment, under the name that the student gave. So a notebook gets a notebook, a
zip a zip with a text in it, and any other file a text. Where a file has to be handed in again, the letter is the
feedback, if such a file can hold it.
"""

from __future__ import annotations

import json
import pathlib
import re

from ..classroom import file_names
from ..language import say, speaking
from ..sentence import counted, said
from . import archive, feedback
from .entries import Entry, by_student, without_file
from .gradebook import NothingFits
from .letters import language_of, letters

TO = "canvas_comments.zip"
_HOLDS_TEXT = re.compile(r"\.(?:ipynb|json|txt|py|zip)$", re.IGNORECASE)


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write a file for each one that counts, in the language of the notebook. Returns sentences.

    Raises OSError, or NothingFits where no file was handed in on Canvas.
    """
    feedbacks: dict[str, list[str]] = {}
    left_out = []
    for mine in by_student(entries).values():
        for entry in (each for each in mine if each.counts):
            name = _of_canvas(entry.row["submission"])
            if entry.path_info.canvas is None or name is None:
                strange = said("not of Canvas, and left out: {file}", file=entry.row["submission"])
                left_out.append(strange if entry.of_file else without_file(entry))
                continue
            with speaking(language_of(mine)):
                feedbacks.setdefault(name, []).extend(feedback.of_file(entry))  # a zip may hold several lessons
    for letter in letters(entries):
        for entry in letter.entries:
            name = _of_canvas(entry.row["submission"])
            if name and not entry.counts and _HOLDS_TEXT.search(name):
                feedbacks.setdefault(name, letter.text.splitlines())
    if not feedbacks:
        raise NothingFits(
            said(
                "no file in these results has a name of Canvas', such as “lovelaceada_101_9001_04_one_row.ipynb”. "
                "Grade what Canvas handed out, or export another format"
            )
        )
    archive.write(to, {name: _file(name, lines) for name, lines in feedbacks.items()})
    return [*map(say, left_out), said("feedback on {files} in {to}", files=counted(len(feedbacks), "file"), to=to)]


def _of_canvas(submission: str) -> str | None:
    """The name of the file that Canvas handed out: of a notebook in a zip, that of the zip."""
    return next((part for part in submission.split("/") if file_names.read(part).canvas), None)


def _file(name: str, lines: list[str]) -> str | bytes:
    if name.lower().endswith(".ipynb"):
        return _notebook(lines)
    text = "".join(f"# {line}\n" for line in lines)
    return archive.packed({"feedback.txt": text}) if name.lower().endswith(".zip") else text


def _notebook(lines: list[str]) -> str:
    """A notebook with one raw cell, in which no text is markup."""
    source = "\n".join(lines)
    cell = {"cell_type": "raw", "id": "feedback", "metadata": {}, "source": source}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
