"""Who has to hand in again, and what to write to them, in the language of their notebooks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..classroom.rows import GIVEN_UP, NOT_GRADED
from ..language import say
from ..sentence import kind_of, listed, said
from .entries import Entry, by_student

# What Canvas and Moodle set before the name that a student gave to a file.
_OF_PLATFORM = re.compile(r"^.+?_[0-9]{1,18}_(?:assignsubmission_[a-z]+_|[0-9]{1,18}_)(?=.)", re.DOTALL)


@dataclass(frozen=True)
class Letter:
    """What to write to one student. entries: the files that are meant. why: a sentence about each, for the instructor.

    language: the code of the language of subject and text, None for the one in use.
    """

    entries: list[Entry]
    why: list[str]
    subject: str
    text: str
    language: str | None

    @property
    def student(self) -> str:
        """The student's name."""
        return self.entries[0].student


def letters(entries: list[Entry]) -> list[Letter]:
    """A letter to each student who has to hand a file in again, in the order of the entries."""
    found = []
    for mine in by_student(entries).values():
        again = [(entry, why) for entry in mine if (why := _why(entry, mine))]
        if again:
            found.append(_letter(mine, again))
    return found


def _why(entry: Entry, mine: list[Entry]) -> str:
    """Why a file has to be handed in again, "" for one that has not."""
    row = entry.row
    if settled(entry, mine):
        return ""
    if is_blank(entry):
        return said("nothing in it was attempted")
    if not entry.asked and row["lesson"] and not any(other.counts for other in mine):
        return said("it is of lesson {lesson}, which is no part of the assignment", lesson=row["lesson"])
    machine = any(kind_of(problem) in (NOT_GRADED, GIVEN_UP) for problem in row["problems"])
    if row["lesson"] is not None or row["instead"] is not None or machine or not row["problems"]:
        return ""
    about = entry.path_info.lesson
    replaced = about is not None and any(other.counts and other.row["lesson"] == about for other in mine)
    return "" if replaced else row["problems"][0]


def settled(entry: Entry, mine: list[Entry]) -> bool:
    """Whether a person gave points for, or exempted from, each lesson that a file may be of. mine: of its student."""
    lesson = entry.row["lesson"] or entry.path_info.lesson
    may_be = {lesson} if lesson else {*(entry.assignment.lessons if entry.assignment else ())}
    words = {other.row["lesson"] for other in mine if any(word.of_lesson for word in other.worth.overrides)}
    return bool(may_be) and may_be <= words


def is_blank(entry: Entry) -> bool:
    """Whether a file counts and holds no answer at all."""
    exercises = entry.row["exercises"]
    return entry.counts and entry.of_file and bool(exercises) and all(e["status"] == "not_attempted" for e in exercises)


def to_absent(name: str = "") -> tuple[str, str]:
    """(subject, text) to those of the roster of whom there is no file. name: see greeting_of."""
    text = [
        greeting_of(name),
        said(
            "there is no file of yours. If you handed one in, it did not arrive: please hand it in again, or write to "
            "us."
        ),
    ]
    return say(said("Nothing of yours has arrived")), "\n\n".join(map(say, text))


def language_of(entries: list[Entry]) -> str | None:
    """The language of a student's last notebook that says its language."""
    return next((e.row["language"] for e in reversed(entries) if e.row["language"]), None)


def greeting(entries: list[Entry]) -> str:
    """The first line of a letter, with the name where a file says how it is written."""
    person, name = entries[0].person, re.match(r"(.+)_[0-9]+$", entries[0].student)
    spoken = person.name if person else name[1] if name and entries[0].path_info.canvas is None else ""
    return greeting_of(spoken)


def greeting_of(name: str) -> str:
    """The first line of a letter. name: as it is spoken, "" where that is not known."""
    return said("Hello {name},", name=name) if name else said("Hello,")


def _letter(mine: list[Entry], again: list[tuple[Entry, str]]) -> Letter:
    paragraphs: list[str] = [greeting(mine)]
    for entry, why in again:
        file = shown(entry.row["submission"])
        if is_blank(entry):
            paragraphs.append(
                said(
                    "your file {file} for lesson {lesson} holds no answer. Perhaps it is the notebook as it was handed "
                    "out, and yours is another file, or it was not saved.",
                    file=file,
                    lesson=entry.row["lesson"],
                )
            )
        elif entry.row["lesson"]:
            asked = entry.assignment.lessons if entry.assignment else ()
            paragraphs.append(
                said(
                    "your file {file} is of lesson {lesson}, and lesson {asked} was asked for. Perhaps it is another "
                    "file than you meant.",
                    file=file,
                    lesson=entry.row["lesson"],
                    asked=listed(list(asked)),
                )
            )
        else:
            paragraphs.append(said("your file {file} could not be graded: {why}.", file=file, why=why))
    paragraphs.append(
        said(
            "Please hand it in again: open the notebook in Jupyter, save it, and upload the file whose name ends in "
            ".ipynb."
        )
    )
    code = language_of(mine)
    subject = said("Please hand in again: {file}", file=shown(again[0][0].row["submission"]))
    text = "\n\n".join(say(paragraph, code) for paragraph in paragraphs)
    return Letter([entry for entry, _ in again], [why for _, why in again], say(subject, code), text, code)


def shown(submission: str) -> str:
    """The name that a student gave to a file."""
    return _OF_PLATFORM.sub("", submission.rpartition("/")[2])
