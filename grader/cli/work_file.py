"""A learner's file as a check reads it: the answers in it, where they stand, and what is wrong with the file itself."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

from ..classroom import file_names, mending, percent, run_order, submissions
from ..sentence import said
from ..spec import Answer, Exercise


class Unreadable(ValueError):
    """The file holds no cells that could be read. The message is a sentence."""


@dataclass(frozen=True)
class WorkFile:
    """A file that was read. name: as it was given. text: of a file in Python; "" of a notebook, which has no lines."""

    name: str
    read: submissions.Submission
    text: str = ""

    def answer(self, exercise: Exercise) -> Answer:
        """The answer to an exercise, by the rule of a check in a notebook and of grading."""
        return submissions.answer(self.read, exercise)

    def faults(self) -> list[str]:
        """A sentence for each cell that Python cannot read, with its line."""
        return [said("{place}: {why}", place=f"{self.name}:{at}", why=why) for at, why in percent.faults(self.text)]

    def remarks(self, exercise: Exercise) -> list[str]:
        """Sentences about names of an exercise that stand in the file more than once, or only where nothing ran."""
        return run_order.remarks(self.read.in_file, dict.fromkeys(exercise.names, True))

    def place(self, exercise: Exercise) -> str:
        """The name of the file, with the line of the first TODO of an exercise, or of its last definition."""
        names = "|".join(map(re.escape, exercise.names))
        todo = re.search(rf"\bTODO {re.escape(exercise.id)}\b", self.text)
        defined = re.finditer(rf"^(?:(?:def|class)[ \t]+(?:{names})\b|(?:{names})[ \t]*(?::.*)?=)", self.text, re.M)
        at = todo or next(reversed([*defined]), None)
        return f"{self.name}:{self.text.count(chr(10), 0, at.start()) + 1}" if at else self.name


def read(path: pathlib.Path) -> WorkFile:
    """Read a lesson, as Python in percent cells or as a notebook. Raises OSError, and Unreadable with a sentence."""
    data = path.read_bytes()
    found = submissions.read(data, path.name)
    if not found.cells and data.strip():
        raise Unreadable(said("{file} cannot be read: it is no notebook and no Python, or too large.", file=path))
    is_text = found.cells and file_names.is_python(path.name)
    return WorkFile(str(path), found, mending.decoded(data)[0] if is_text else "")
