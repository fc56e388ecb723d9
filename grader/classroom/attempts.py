"""Which of a student's files for one lesson counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..sentence import listed, said
from . import file_names
from .contents import Contents
from .layouts import Owner
from .submissions import SubmittedFile


def order(name: str, student: str, handed_in: str | None) -> tuple:
    """A sort key for the files of one student, which puts the last attempt last.

    By the time at which they were handed in, where it is known; then by their names.
    """
    return handed_in or "", file_names.of_student(name, student).order, name


@dataclass(frozen=True)
class Candidate:
    """A file that may count for a lesson of its student."""

    file: SubmittedFile
    contents: Contents

    @property
    def owner(self) -> Owner:
        """Whose it is. A single file is its student's whole hand-in."""
        return self.file.owner or Owner(self.file.student, self.file.name)

    @property
    def blank(self) -> bool:
        """Whether it has no answers."""
        return not self.contents.answered

    @property
    def is_checkpoint(self) -> bool:
        """Whether Jupyter made this copy of a file."""
        return file_names.is_checkpoint(self.file.name)


@dataclass(frozen=True)
class Choice:
    """What counts of a student's files for a lesson.

    counts: the file that counts; of several, that with the most points. why: a sentence, "" where there was no choice.
    instead: the other files, each with a sentence about why it does not count. undecided: whether nothing says which
    counts. alike: whether all that may count bear one name, but for what makes a copy of it, and lie in what is the
    student's: two files beside those of others may be of two students of one name. best: whether the
    assignment takes the best attempt. namesakes: whether files beside those of others have the same answers: they are
    copies of one student, or hand-ins of two students of one name.
    """

    lesson: str
    counts: tuple[Candidate, ...]
    why: str = ""
    instead: tuple[tuple[Candidate, str], ...] = ()
    alike: bool = True
    best: bool = False
    namesakes: bool = False

    @property
    def undecided(self) -> bool:
        """Whether several files are judged, of which the best counts."""
        return len(self.counts) > 1


def choose(lesson: str, candidates: Sequence[Candidate], best: bool = False) -> Choice:
    """The choice among a student's files for one lesson: at least one file. best: see Choice.

    In this order: work before the course's blank notebooks, before Jupyter's copies and before what was not handed in;
    the platform's attempts and times, unless the best attempt counts; equal answers count once. What is left after that
    is a choice for the judge.
    """
    left, instead, why = list(candidates), [], ""
    if len(left) == 1 and left[0].blank:
        why = said("the file has no answers")
    for keep, reason, dropped in (
        (lambda c: not c.blank, said("it alone has answers"), said("it is a blank notebook of the course")),
        (lambda c: not c.owner.draft, said("it was handed in"), said("it was not handed in")),
        (lambda c: not c.is_checkpoint, said("it is no copy of Jupyter's"), said("it is a copy of Jupyter's")),
    ):  # fmt: skip
        kept = [each for each in left if keep(each)]
        if kept and len(kept) < len(left):
            instead += [(each, dropped) for each in left if not keep(each)]
            left, why = kept, reason
    last = left if best else _last(left)
    if len(last) < len(left):
        reason = said("an earlier attempt, as the platform says")
        instead += [(each, reason) for each in left if each not in last]
        left, why = last, said("the last attempt, as the platform says")
    left.sort(key=lambda each: (file_names.lesson(each.file.name.rpartition("/")[2]) != lesson, *_by_name(each)))
    first: dict[str, Candidate] = {}
    namesakes = False
    for each in left:
        first.setdefault(each.contents.digest, each)
    if len(first) < len(left):
        same = [each for each in left if first[each.contents.digest] is not each]
        instead += [
            (
                each,
                said("it is a blank notebook of the course")
                if each.blank
                else said("its answers are those of {name}", name=first[each.contents.digest].file.name),
            )
            for each in same
        ]
        left = [each for each in left if each not in same]
        namesakes = any(_names_itself(each) and _names_itself(first[each.contents.digest]) for each in same)
        if namesakes:
            why = said("files with the same answers, of one student or of two of one name: one of them counts")
        elif len(left) == 1:
            why = said("no file has answers") if left[0].blank else said("its copies have the same answers")
    if len(left) > 1:
        files = listed([each.file.name for each in left])
        why = (
            said("of {files} the best counts, as the assignment says", files=files)
            if best
            else said("nothing says which is the last of {files}: all are judged, and the best counts", files=files)
        )
    alike = len({file_names.plain_stem(each.file.name) for each in left}) < 2 and not all(map(_names_itself, left))
    return Choice(lesson, tuple(left), why, tuple(instead), alike, best, namesakes)


def _last(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates that the platform says are the last ones: all, where it does not say it of each, or where they
    are of several platforms.

    Canvas' second number says in which order files were uploaded. Of one attempt, that is no reason to prefer a copy,
    nor a script beside a notebook.
    """
    attempts = [each.owner.attempt for each in candidates]
    if any(attempt is None for attempt in attempts) or len({tuple(map(type, each or ())) for each in attempts}) > 1:
        return candidates
    most = max(attempt for attempt in attempts if attempt)
    last = [each for each in candidates if each.owner.attempt == most]
    of_one = [each for each in candidates if (each.owner.attempt or ())[:1] == most[:1]] if len(most) > 1 else last
    kinds = {(file_names.is_copy(each.file.name), file_names.is_python(each.file.name)) for each in of_one}
    return of_one if len(kinds) > 1 else last


def _names_itself(candidate: Candidate) -> bool:
    """Whether a file lies among those of other students, so that its own name says whose it is."""
    place = candidate.owner.place
    return place is not None and candidate.file.name == f"{place}{candidate.owner.inner}"


def _by_name(candidate: Candidate) -> tuple:
    """Names that are no copies first, then notebooks before scripts, then the shorter one."""
    name = candidate.file.name
    return file_names.is_copy(name), file_names.is_python(name), len(name), name
