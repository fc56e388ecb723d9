"""What a lesson says of itself in its first cell: its number, its title, and how long it takes."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOLUTIONS = ROOT / "solutions"
_TITLE = re.compile(r"^# # ([0-9]{2}) · (.+)$", re.MULTILINE)
_ABOUT = re.compile(r"^# \*About (.+?)\. ", re.MULTILINE)
_LENGTH = re.compile(r"(?:[0-9.]+ to )?(an?|half an|one|two|three|[0-9.]+) (minutes|hours?)\b")
_WORDS = {"a": 1.0, "an": 1.0, "half an": 0.5, "one": 1.0, "two": 2.0, "three": 3.0}


@dataclass(frozen=True)
class Heading:
    """number: such as "04". stem: of its file. about: its time in its own words. minutes: the same as a number."""

    number: str
    title: str
    stem: str
    about: str
    minutes: int


def of_lessons(folder: pathlib.Path = SOLUTIONS) -> list[Heading]:
    """The heading of each lesson, in order. Of "2 to 3 hours" the longer time counts.

    Raises SystemExit with a sentence about a lesson that does not say how long it takes.
    """
    return [_read(source) for source in sorted(folder.glob("[0-9][0-9]_*.py"))]


def _read(source: pathlib.Path) -> Heading:
    text = source.read_text(encoding="utf-8")
    title, about = _TITLE.search(text), _ABOUT.search(text)
    length = about and _LENGTH.match(about[1])
    if not (title and length):
        raise SystemExit(f'{source.name} does not say how long it takes, such as "*About 35 minutes."')
    number = _WORDS[length[1]] if length[1] in _WORDS else float(length[1])
    minutes = round(number * (60 if length[2].startswith("hour") else 1))
    return Heading(title[1], title[2], source.stem, about[1], minutes)
