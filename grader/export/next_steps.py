"""What those who grade have to do next, as a short list at the head of the report."""

from __future__ import annotations

from dataclasses import dataclass

from ..classroom import rows
from ..classroom.roster import Person
from ..sentence import said
from .choices import Choice
from .entries import Entry
from .letters import Letter
from .likeness import Likeness

_EXPLAINED = 3  # mistakes that are named
_OFTEN = 10  # a mistake is explained to all where one in so many students made it


@dataclass(frozen=True)
class Step:
    """One thing to do. place: the id of the section of the report that has what is needed for it."""

    place: str
    sentence: str


def steps(
    letters: list[Letter],
    absent: list[Person],
    person: list[Entry],
    choices: list[Choice],
    odd: list[Entry],
    mistakes: list[dict],
    alike: Likeness,
) -> list[Step]:
    """The steps that are left, the most urgent first.

    absent: of the roster. person: files for a person. odd: files with other remarks. mistakes: as in statistics.py.
    """
    again = sum(rows.failed(entry.row) for entry in person)
    found = [
        (
            "person",
            again,
            said("Grade again: the grader itself failed on 1 file. The same command tries it once more."),
            said("Grade again: the grader itself failed on {count} files. The same command tries them.", count=again),
        ),
        (
            "again",
            len(letters),
            said("Write to 1 student, who has to hand in again. The text is ready."),
            said("Write to {count} students, who have to hand in again. The texts are ready.", count=len(letters)),
        ),
        (
            "absent",
            len(absent),
            said("Ask 1 student of the roster, of whom there is no file."),
            said("Ask {count} students of the roster, of whom there is no file.", count=len(absent)),
        ),
        (
            "person",
            len(person) - again,
            said("Look at 1 file that was not judged in full."),
            said("Look at {count} files that were not judged in full.", count=len(person) - again),
        ),
        (
            "choices",
            len(choices),
            said("Look over 1 choice among several files of a student."),
            said("Look over {count} choices among several files of a student.", count=len(choices)),
        ),
        (
            "notes",
            len(odd),
            said("Read what else was odd about 1 file."),
            said("Read what else was odd about {count} files.", count=len(odd)),
        ),
    ]
    listed = [Step(place, one if count == 1 else many) for place, count, one, many in found if count]
    listed += [
        Step(
            "mistakes",
            said(
                "Explain again ({students} of {of} students): {sentence}",
                students=mistake["students"],
                of=mistake["of"],
                sentence=mistake["sentence"] or mistake["id"],
            ),
        )
        for mistake in mistakes[:_EXPLAINED]
        if mistake["students"] > 1 and mistake["students"] * _OFTEN >= mistake["of"]
    ]
    count = len(alike.equal) + len(alike.marked)
    if count:
        one = said("Look at 1 case of equal answers. It is no verdict.")
        many = said("Look at {count} cases of equal answers. None is a verdict.", count=count)
        listed.append(Step("alike", one if count == 1 else many))
    return listed
