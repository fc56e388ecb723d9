"""The lesson that a notebook answers, from its metadata, its file name and the names that it defines."""

from __future__ import annotations

import re
from collections import Counter

from .. import lessons
from ..judge import extract
from ..sentence import joined, listed, said
from . import file_names


def lesson_of(notebook: dict, cells: list[str], name: str = "") -> tuple[str | None, list[str]]:
    """(number of the lesson or None, sentences about contradictions).

    The three sources have this order of priority, because the metadata comes from the course and a file name is easy to
    change. A lesson of which the notebook defines no name comes last: a label alone must not decide about points.
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
    also = _others(cells, defined, chosen)
    if len(set(found.values())) == 1:
        return chosen, also
    opinions = joined("{one}, {two}", [joined("{one} {two}", [source, number]) for source, number in found.items()])
    which = said("which lesson is it? {opinions}: graded as {chosen}", opinions=opinions, chosen=chosen)
    return chosen, [which, *also]


def _others(cells: list[str], defined: Counter[str], chosen: str) -> list[str]:
    """A sentence about the other lessons whose exercises a notebook answers and checks: one lesson of it is graded."""
    text, mine = "\n".join(cells), {name for exercise in lessons.of_lesson(chosen) for name in exercise.names}
    others = [
        number for number in lessons.OUTLINE
        if number != chosen and any(
            all(defined[name] and name not in mine for name in e.names) and _is_checked(text, e.id)
            for e in lessons.of_lesson(number)
        )
    ]  # fmt: skip
    return [
        said(
            "it holds answers to other lessons, too: {others}. One lesson of a notebook is graded, here {chosen}: hand "
            "in a notebook for each lesson",
            others=listed(others),
            chosen=chosen,
        )
    ] * bool(others)


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
