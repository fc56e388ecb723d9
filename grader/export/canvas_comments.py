"""Canvas: a zip of feedback, which "Upload submissions" of an assignment attaches to comments.

A file of comments in CSV is nothing that Canvas reads. It reads a zip of files with the names of the submissions that
it handed out, and attaches each to a comment, under the name that the student gave. So a notebook gets a notebook, and
any other file a text.
"""

from __future__ import annotations

import json
import pathlib

from ..language import say, speaking
from ..sentence import said
from . import archive, feedback
from .entries import Entry, by_student
from .letters import language_of

TO = "canvas_comments.zip"


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write a file for each one that counts, in the language of the notebook. Returns sentences. Raises OSError."""
    files, without = {}, []
    for mine in by_student(entries).values():
        for entry in (each for each in mine if each.counts):
            name = entry.row["submission"].rpartition("/")[2]
            if entry.path_info.canvas is None:
                without.append(entry.row["submission"])
                continue
            with speaking(language_of(mine)):
                lines = feedback.of_file(entry)
            files[name] = _notebook(lines) if name.lower().endswith(".ipynb") else "".join(f"# {x}\n" for x in lines)
    archive.write(to, files)
    log = [say(said("not of Canvas, and left out: {file}", file=file)) for file in without]
    return [*log, said("feedback on {count} files in {to}", count=len(files), to=to)]


def _notebook(lines: list[str]) -> str:
    """A notebook with one raw cell, in which no text is markup."""
    source = "\n".join(lines)
    cell = {"cell_type": "raw", "id": "feedback", "metadata": {}, "source": source}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
