"""Canvas: fill the scores into an exported gradebook, and list the students that have no match."""

from __future__ import annotations

import pathlib

from ..classroom.sanitize import plain
from ..judge import render
from ..sentence import joined, listed, said
from .entries import Entry, by_student, to_look_at, write
from .gradebook import Column, Gradebook, columns_for, students_for

TO = "canvas.csv"
_EXCUSED = "EX"


def export(entries: list[Entry], to: pathlib.Path, gradebook: bytes, chosen: dict[str, str]) -> list[str]:
    """Write the gradebook with one column filled in for each lesson.

    chosen: lesson -> name of its column, with or without Canvas' number. Returns sentences about the columns, the
    scores and the students without a match. Raises OSError or NotAGradebook.
    """
    book = Gradebook(gradebook)
    log: list[str] = []
    columns = _columns(book, entries, chosen, log)
    latest = _by_student_and_lesson(book, entries, log)
    for lesson, column in columns.items():
        log.append(_fill(book, column, lesson, {row: e for (row, number), e in latest.items() if number == lesson}))
    for student in book.students:
        none = [lesson for lesson in columns if (student.row, lesson) not in latest]
        if none:
            log.append(said("no submission: {name}, lesson {list}", name=student.name, list=listed(none)))
    log += [
        said("look at {submission}: {sentence}", submission=e.row["submission"], sentence=sentence)
        for e in entries
        for sentence in to_look_at(e)
    ]
    write(to, book.bytes())
    return [plain(sentence) for sentence in [*log, said("the gradebook to import is {to}", to=to)]]


def _columns(book: Gradebook, entries: list[Entry], chosen: dict[str, str], log: list[str]) -> dict[str, Column]:
    """The column of each lesson for which exactly one column fits. No column is filled for two lessons."""
    found: dict[str, Column] = {}
    points = {e.row["lesson"]: e.row["max_score"] for e in entries if e.counts}
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
                        "{name} has {possible} points possible, lesson {lesson} has {most}",
                        name=fit[0].name,
                        possible=f"{possible:g}",
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


def _by_student_and_lesson(book: Gradebook, entries: list[Entry], log: list[str]) -> dict[tuple[int, str], Entry]:
    """The counting entry for each (row of the gradebook, lesson)."""
    found: dict[tuple[int, str], Entry] = {}
    for key, mine in by_student(entries).items():
        students = students_for(book.students, key, mine[0].path_info.canvas)
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
        for entry in filter(lambda e: e.counts, mine):
            place = students[0].row, entry.row["lesson"]
            if place in found:  # for example, one folder has the student's login as its name, and one has the id
                first, entry = sorted([found[place], entry], key=lambda e: e.path_info.order)
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
    return found


def _fill(book: Gradebook, column: Column, lesson: str, latest: dict[int, Entry]) -> str:
    """Put the scores of a lesson into its column. latest: row -> entry. Returns a sentence with the counts."""
    replaced, excused = 0, 0
    for row, entry in latest.items():
        before, score = book.value(row, column.at), render.number(entry.row["score"])
        if before.upper() == _EXCUSED:
            excused += 1
            continue
        replaced += bool(before) and before != score
        book.put(row, column.at, score)
    sentence = said(
        "lesson {lesson}: {value} scores in {name}", lesson=lesson, value=len(latest) - excused, name=column.name
    )
    if replaced:
        sentence = said(
            "{sentence}, {replaced} of them in place of another score", sentence=sentence, replaced=replaced
        )
    if excused:
        sentence = said("{sentence}; {excused} excused students left alone", sentence=sentence, excused=excused)
    return sentence
