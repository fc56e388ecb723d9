"""Find the wrong answers by which a broken formula is noticed, for `make test`: tests/decisive.txt.

    python tools/record/decisive.py              all exercises: a quarter of an hour
    python tools/record/decisive.py 9.3 13.3     these, and what the file has of exercises that share their formulas

Most answers are recognised by several detectors of their mistake, so one of these could be broken and no verdict would
change. An answer is decisive for a formula if no other detector of its mistake recognises it. The file has one answer
for each formula that is decisive for any. Run it after new formulas or wrong answers.
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
    votes, decided = diagnose.votes, diagnose._decided

    def noted(detectors, answer, passed, failures):
        detectors = list(detectors)  # of a generator
        seen[:] = [
            known.get(id(detect))
            for mistake, detect in detectors
            if mistake == kept.mistake and votes([(mistake, detect)], answer, passed, failures)
        ] or seen
        return votes(detectors, answer, passed, failures)

    diagnose.votes, diagnose._decided = noted, lambda *_: False  # a broken formula decides nothing, and mutants run
    try:
        judge(exercise, extract.extract([kept.source], exercise.names))
    finally:
        diagnose.votes, diagnose._decided = votes, decided
    return seen[0] if len(seen) == 1 else None


def chosen(decided: list[tuple[str, str | None]]) -> list[str]:
    """The first answer for each formula, of (name, what `alone` says of it)."""
    first: dict[str, str] = {}
    for name, place in decided:
        if place is not None:
            first.setdefault(place, name)
    return [*first.values()]


def judged(wrong: list[Stored], exercises: set[str], names: set[str]) -> list[Stored]:
    """Of the wrong answers those to judge for these exercises, all where there are none.

    names: those in the file. One of an exercise that shares a formula may be there for this formula.
    """
    if not exercises:
        return wrong
    held = {number: {id(detect) for _, detect in each.mistakes} for number, each in lessons.exercises().items()}
    shared = {id for number in exercises for id in held[number] & formulas().keys()}
    return [kept for kept in wrong if kept.exercise in exercises or kept.name in names and held[kept.exercise] & shared]


def main(exercises: list[str]) -> int:
    """Judge the stored wrong answers of these exercises, or of all, and write the file; the exit status."""
    if unknown := [each for each in exercises if each not in lessons.exercises()]:
        print(f"There is no exercise {unknown[0]}.", file=sys.stderr)
        return 2
    wrong = [kept for kept in stored("wrong") if kept.mistake not in (None, *ENDLESS)]
    names = {*FILE.read_text(encoding="utf-8").split()}
    these = judged(wrong, {*exercises}, names)
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = chosen(list(zip([kept.name for kept in these], pool.map(alone, these, chunksize=4))))
    known = names - {kept.name for kept in these} | {*found}
    names = [kept.name for kept in wrong if kept.name in known]
    FILE.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    print(f"{len(these)} answers judged, {len(names)} names in {FILE.relative_to(course.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
