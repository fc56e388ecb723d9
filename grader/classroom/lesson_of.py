"""The lesson that a notebook answers, from its metadata, its file name and the names that it defines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from .. import lessons
from ..judge import extract
from ..sentence import joined, listed, said
from . import file_names


def lesson_of(
    notebook: dict, cells: list[str], name: str = "", asked: Collection[str] | None = None
) -> tuple[str | None, list[str]]:
    """(number of the lesson or None, sentences about contradictions).

    The three sources have this order of priority, because the metadata comes from the course and a file name is easy to
    change. A lesson of which the notebook defines no name comes last: a label alone must not decide about points.
    asked: the lessons of the assignment, None for all. One of them that the notebook answers comes before any other.
    """
    found = {
        said("its metadata says"): _by_metadata(notebook),
        said("its file name says"): file_names.read(name).lesson,
        said("the names it defines say"): _by_names(cells),
    }
    found = {source: number for source, number in found.items() if number}
    if not found:
        return None, [said("no lesson was found: the notebook defines none of the names an exercise asks for")]
    defined = extract.definitions(cells)
    answered = (n for n in found.values() if any(defined[x] for e in lessons.of_lesson(n) for x in e.names))
    chosen = next(answered, next(iter(found.values())))
    text = "\n".join(cells)
    if asked is not None and chosen not in asked and (wanted := _answered(text, defined, chosen, asked)):
        values = {"lesson": chosen, "chosen": wanted[0]}
        also = [said("it answers lesson {lesson}, too: graded as {chosen}, for which the assignment asks", **values)]
        return wanted[0], also + (_others(text, defined, wanted[0]) if len(wanted) > 1 else [])
    also = _others(text, defined, chosen)
    if len(set(found.values())) == 1:
        return chosen, also
    opinions = joined("{one}, {two}", [joined("{one} {two}", [source, number]) for source, number in found.items()])
    which = said("which lesson is it? {opinions}: graded as {chosen}", opinions=opinions, chosen=chosen)
    return chosen, [which, *also]


def _others(text: str, defined: Counter[str], chosen: str) -> list[str]:
    """A sentence about the other lessons that a notebook answers and checks: one lesson of it is graded.

    What is not checked may be a helper from an earlier lesson, unless the notebook checks nothing at all.
    """
    nothing_checked = re.search(r"check\(\s*[\"'][0-9]", text) is None
    others = [
        number
        for number in _answered(text, defined, chosen, lessons.OUTLINE)
        if nothing_checked or any(_is_checked(text, e.id) for e in lessons.of_lesson(number))
    ]
    return [
        said(
            "it holds answers to other lessons, too: {others}. One lesson of a notebook is graded, here {chosen}: hand "
            "in a notebook for each lesson",
            others=listed(others),
            chosen=chosen,
        )
    ] * bool(others)


def _answered(text: str, defined: Counter[str], chosen: str, among: Collection[str]) -> list[str]:
    """The other lessons that the notebook answers, under names that `chosen` has not.

    It defines all that one of their exercises asks for, and checks it or defines most of the lesson's names: notebooks
    of the course, and students, take single functions from earlier lessons.
    """
    mine, found = {name for exercise in lessons.of_lesson(chosen) for name in exercise.names}, []
    for number in (n for n in lessons.OUTLINE if n in among and n != chosen):
        names = [name for exercise in lessons.of_lesson(number) for name in exercise.names]
        most = sum(defined[name] > 0 and name not in mine for name in names) > len(names) / 2
        if any(
            all(defined[name] and name not in mine for name in e.names) and (most or _is_checked(text, e.id))
            for e in lessons.of_lesson(number)
        ):
            found.append(number)
    return found


def _is_checked(text: str, exercise: str) -> bool:
    return re.search(rf"check\(\s*[\"']{re.escape(exercise)}[\"']", text) is not None


def _by_metadata(notebook: dict) -> str | None:
    """The lesson to which most cells belong, by the ids that the course wrote into their metadata."""
    count: Counter[str] = Counter()
    cells = notebook.get("cells")
    for cell in cells if isinstance(cells, list) else []:
        metadata = cell.get("metadata") if isinstance(cell, dict) else None
        nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
        grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
        found = re.match(r"(?:exercise|check)-([0-9]{1,2})-[0-9]", grade_id) if isinstance(grade_id, str) else None
        if found and found[1].zfill(2) in lessons.OUTLINE:
            count[found[1].zfill(2)] += 1
    return count.most_common(1)[0][0] if count else None


def _by_names(cells: list[str]) -> str | None:
    """The lesson with the largest share of its names defined plus the share of its checks called."""
    text, count = "\n".join(cells), extract.definitions(cells)
    best, most = None, 0.0
    for number in lessons.OUTLINE:
        exercises = lessons.of_lesson(number)
        if not exercises:
            continue
        names = [n for e in exercises for n in e.names]
        defined = sum(count[n] > 0 for n in names) / len(names)
        called = [e for e in exercises if _is_checked(text, e.id)]
        if defined + len(called) / len(exercises) > most:
            best, most = number, defined + len(called) / len(exercises)
    return best
