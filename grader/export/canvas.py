"""Canvas: fill the scores into an exported gradebook, and list the students that have no match."""

from __future__ import annotations

import pathlib

from ..classroom.sanitize import plain
from ..judge import render
from ..sentence import counted, joined, listed, said
from . import entries as of_entries
from .entries import Entry, by_student, of_another_class, to_look_at, write
from .gradebook import Column, Gradebook, NothingFits, Student, columns_for, students_for

TO = "canvas.csv"
_EXCUSED = "EX"


def export(entries: list[Entry], to: pathlib.Path, gradebook: bytes, chosen: dict[str, str]) -> list[str]:
    """Write the gradebook with one column filled in for each lesson.

    chosen: lesson -> name of its column, with or without Canvas' number. Returns sentences about the columns, the
    scores and the students without a match. Raises OSError, NotAGradebook or NothingFits.
    """
    book = Gradebook(gradebook)
    log: list[str] = []
    columns = _columns(book, entries, chosen, log)
    if log and not columns:
        there_are = listed([column.name for column in book.columns]) or said("none")
        why = joined("{one}; {two}", log)
        raise NothingFits(said("{why}. The columns of the gradebook: {list}", why=why, list=there_are))
    latest, of_row = _by_student_and_lesson(book, entries, log)
    if not of_row and not any(_in_book(book, mine) for mine in by_student(entries).values()):
        raise NothingFits(of_another_class(entries))
    for lesson, column in columns.items():
        log += _fill(book, column, lesson, {row: e for (row, number), e in latest.items() if number == lesson})
    for student in book.students:
        none = [lesson for lesson in columns if (student.row, lesson) not in latest]
        unread = [n for n in none if of_entries.standing(of_row.get(student.row, []), n) == "unreadable"]
        if unread:
            log.append(said("not readable: {name}, lesson {list}", name=student.name, list=listed(unread)))
        if none := [lesson for lesson in none if lesson not in unread]:
            log.append(said("no submission: {name}, lesson {list}", name=student.name, list=listed(none)))
    looked_at: dict[str, dict[str, None]] = {}  # half of a class may be late, which is one line
    for e in entries:
        for sentence in to_look_at(e):
            looked_at.setdefault(sentence, {})[e.row["submission"]] = None
    log += [
        said("look at {submission}: {sentence}", submission=listed([*files]), sentence=sentence)
        for sentence, files in looked_at.items()
    ]
    write(to, book.bytes())
    return [plain(sentence) for sentence in [*log, said("the gradebook to import is {to}", to=to)]]


def _columns(book: Gradebook, entries: list[Entry], chosen: dict[str, str], log: list[str]) -> dict[str, Column]:
    """The column of each lesson for which exactly one column fits. No column is filled for two lessons."""
    found: dict[str, Column] = {}
    points = of_entries.lessons(entries)
    log += [
        said("no results for lesson {lesson}, which --column names", lesson=lesson)
        for lesson in chosen
        if lesson not in points
    ]
    for lesson in sorted(points, key=lambda number: (number not in chosen, number)):
        free = [c for c in book.columns if c not in found.values()]
        if lesson in chosen:
            fit = [c for c in free if chosen[lesson] in (c.name, c.title)]
        else:
            fit = columns_for(free, lesson, points[lesson])
        if len(fit) == 1:
            found[lesson] = fit[0]
            possible, most = fit[0].points, points[lesson]
            if possible not in (None, most):
                log.append(
                    said(
                        "{name} has {points} possible, lesson {lesson} has {most}",
                        name=fit[0].name,
                        points=counted(possible, "point"),
                        lesson=lesson,
                        most=f"{most:g}",
                    )
                )
        else:
            what = (
                said("several columns fit: {list}", list=listed([c.name for c in fit]))
                if fit
                else said("no column fits")
            )
            log.append(
                said(
                    "lesson {lesson} is left out, {what}; name one with --column {lesson}=NAME",
                    lesson=lesson,
                    what=what,
                )
            )
    return found


def _in_book(book: Gradebook, mine: list[Entry]) -> list[Student]:
    """The rows of the gradebook that may be a student's: by what a roster knows, else by what the files say."""
    person, there = mine[0].person, book.students
    if person:
        ids = {value for kind, value in person.ids if kind in ("number", "login", "email")}
        rules = (
            lambda s: s.id == person.id("canvas"),
            lambda s: ids & {other.casefold() for other in s.others},
        )
        if found := next((found for rule in rules if (found := [s for s in book.students if rule(s)])), []):
            return found
        if person.id("canvas"):
            there = [s for s in there if not s.id]  # one of another id is another student, whatever the name
        if found := students_for(there, person.name, None):
            return found
    return students_for(there, mine[0].key, mine[0].path_info.canvas)


def _by_student_and_lesson(
    book: Gradebook, entries: list[Entry], log: list[str]
) -> tuple[dict[tuple[int, str], Entry], dict[int, list[Entry]]]:
    """({(row of the gradebook, lesson): the counting entry}, {row: all entries of the student})."""
    found: dict[tuple[int, str], Entry] = {}
    of_row: dict[int, list[Entry]] = {}
    for mine in by_student(entries).values():
        students = _in_book(book, mine)
        if len(students) != 1:
            several = (
                said(", may be {list}", list=joined("{one} or {two}", [f"{s.name} ({s.id})" for s in students]))
                if students
                else ""
            )
            files = ", ".join(e.row["submission"] for e in mine)
            log.append(
                said(
                    "not in the gradebook: {student}{several}: {files}",
                    student=mine[0].student,
                    several=several,
                    files=files,
                )
            )
            continue
        of_row.setdefault(students[0].row, []).extend(mine)
        for entry in filter(lambda e: e.counts, mine):
            place = students[0].row, entry.row["lesson"]
            if place in found:  # for example, one folder has the student's login as its name, and one has the id
                timed = found[place].row["handed_in"] and entry.row["handed_in"]
                order = (lambda e: e.row["handed_in"]) if timed else (lambda e: e.row["score"])
                first, entry = sorted([found[place], entry], key=order)  # untimed, the better one counts
                other = first.row["submission"]
                log.append(
                    said(
                        "{name} has two files for lesson {place}: {other} does not count",
                        name=students[0].name,
                        place=place[1],
                        other=other,
                    )
                )
            found[place] = entry
    return found, of_row


def _fill(book: Gradebook, column: Column, lesson: str, latest: dict[int, Entry]) -> list[str]:
    """Put the scores of a lesson into its column. latest: row -> entry. Returns sentences with the counts.

    A score of a file that was not judged in full is left out: somebody has to look at it first.
    """
    replaced, excused = 0, 0
    left_out = [entry for entry in latest.values() if not entry.finished]
    latest = {row: entry for row, entry in latest.items() if entry.finished}
    for row, entry in latest.items():
        before, score = book.value(row, column.at), _EXCUSED if entry.exempt else render.number(entry.row["score"])
        if before.upper() == _EXCUSED:
            excused += 1
            continue
        replaced += bool(before) and before != score
        book.put(row, column.at, score)
    sentence = said(
        "lesson {lesson}: {scores} in {name}",
        lesson=lesson,
        scores=counted(len(latest) - excused, "score"),
        name=column.name,
    )
    if replaced:
        sentence = said(
            "{sentence}, {replaced} of them in place of another score", sentence=sentence, replaced=replaced
        )
    if excused:
        sentence = said(
            "{sentence}; {students} left alone, as excused", sentence=sentence, students=counted(excused, "student")
        )
    return [sentence, *of_entries.exempt_in_part(latest.values())] + [
        said("no score, for it was not judged in full: {submission}", submission=entry.row["submission"])
        for entry in left_out
    ]
