"""Find the wrong answers by which a broken formula is noticed, for `make test`: tests/decisive.txt.

    python tools/record/decisive.py

Most answers are recognised by several detectors of their mistake, so one of these could be broken and no verdict would
change. An answer is decisive for a formula if no other detector of its mistake recognises it. The file has one answer
for each formula that is decisive for any. Run it after new formulas or wrong answers; it takes a quarter of an hour.
"""

from __future__ import annotations

import os
import pathlib
import sys
from concurrent.futures import ProcessPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import course  # noqa: E402  puts the course on the path

sys.path.insert(0, str(course.ROOT / "tests"))

from conftest import stored  # noqa: E402

from grader import lessons  # noqa: E402
from grader.judge import diagnose, extract  # noqa: E402
from grader.judge.judge import judge  # noqa: E402
from grader.mistakes.stored import Stored  # noqa: E402

FILE = course.ROOT / "tests" / "decisive.txt"
ENDLESS = ("endless", "waits-for-others")  # mistakes that the clock names


def formulas() -> dict[int, str]:
    """{id of a detector that compares numbers: the first exercise that has it, and its number there}."""
    found = {}
    for exercise in lessons.exercises().values():
        for number, (_, detect) in enumerate(exercise.mistakes):
            if detect.by_numbers:
                found.setdefault(id(detect), f"{exercise.id}/{number}")
    return found


def alone(kept: Stored) -> str | None:
    """The place of the formula that alone recognises an answer; None where another detector does, or a mutant."""
    exercise, known, seen = lessons.exercises()[kept.exercise], formulas(), []
    votes = diagnose.votes

    def noted(detectors, answer, passed, failures):
        detectors = list(detectors)  # of a generator
        seen[:] = [
            known.get(id(detect))
            for mistake, detect in detectors
            if mistake == kept.mistake and votes([(mistake, detect)], answer, passed, failures)
        ] or seen
        return votes(detectors, answer, passed, failures)

    diagnose.votes = noted
    try:
        judge(exercise, extract.extract([kept.source], exercise.names))
    finally:
        diagnose.votes = votes
    return seen[0] if len(seen) == 1 else None


def chosen(decided: list[tuple[str, str | None]]) -> list[str]:
    """The first answer for each formula, of (name, what `alone` says of it)."""
    first: dict[str, str] = {}
    for name, place in decided:
        if place is not None:
            first.setdefault(place, name)
    return [*first.values()]


def main() -> int:
    """Judge all stored wrong answers, and write the file."""
    wrong = [kept for kept in stored("wrong") if kept.mistake not in (None, *ENDLESS)]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        names = chosen(list(zip([kept.name for kept in wrong], pool.map(alone, wrong, chunksize=16))))
    FILE.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    print(f"{len(names)} names in {FILE.relative_to(course.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
