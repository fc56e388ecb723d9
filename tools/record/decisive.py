"""Find the wrong answers by which a broken formula is noticed, for `make test`: tests/decisive.txt.

    python tools/record/decisive.py              all exercises: a quarter of an hour
    python tools/record/decisive.py 9.3 13.3     these, and what the file has of exercises that share their formulas

Most answers are recognised by several detectors of their mistake, so one of these could be broken and no verdict would
change. A formula is decisive for an answer if no other detector of its mistake recognises it. The file has one answer
for each formula that is decisive for any: if there is one, an answer for which this also holds by its first failure
alone, which `make test` looks at first. Behind the others it says "all", for all failures. Run it after new formulas or
wrong answers.
"""

from __future__ import annotations

import os
import pathlib
import sys
from concurrent.futures import ProcessPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import course  # noqa: E402  puts the course on the path

sys.path.insert(0, str(course.ROOT / "tests"))

from conftest import DECISIVE, decisive, stored, until_the_first_failure  # noqa: E402

from grader import lessons  # noqa: E402
from grader.judge import diagnose, extract  # noqa: E402
from grader.judge.judge import judge  # noqa: E402
from grader.mistakes.stored import Stored  # noqa: E402

ENDLESS = ("endless", "waits-for-others")  # mistakes that the clock names


def formulas() -> dict[int, str]:
    """{id of a detector that compares numbers: the first exercise that has it, and its number there}."""
    found = {}
    for exercise in lessons.exercises().values():
        for number, (_, detect) in enumerate(exercise.mistakes):
            if detect.by_numbers:
                found.setdefault(id(detect), f"{exercise.id}/{number}")
    return found


def alone(kept: Stored) -> tuple[str | None, str]:
    """The place of the formula that alone recognises an answer, and "all" where another one has its first failure.

    None where another detector recognises it too, or a mutant.
    """
    by_all = recognised_by(kept)
    if len(by_all) != 1:
        return None, ""
    with until_the_first_failure():
        by_the_first = recognised_by(kept)
    return by_all[0], "" if {*by_the_first} <= {*by_all} else "all"


def recognised_by(kept: Stored) -> list[str | None]:
    """The places of all detectors of its mistake that recognise an answer; None in place of one that is no formula."""
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
    return seen


def chosen(decided: list[tuple[str, tuple[str | None, str]]]) -> dict[str, str]:
    """{name: "" or "all"} of one answer for each formula, of (name, what `alone` says of it)."""
    first: dict[str, tuple[str, str]] = {}
    for name, (place, failures) in sorted(decided, key=lambda each: each[1][1]):  # of equals, in their order
        if place is not None:
            first.setdefault(place, (name, failures))
    return dict(first.values())


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
    known = decisive()
    these = judged(wrong, {*exercises}, {*known})
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = chosen(list(zip([kept.name for kept in these], pool.map(alone, these, chunksize=4))))
    now = {kept.name: known[kept.name] for kept in wrong if kept.name in known and kept not in these} | found
    lines = [f"{kept.name} {now[kept.name]}".strip() for kept in wrong if kept.name in now]
    DECISIVE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{len(these)} answers judged, {len(lines)} names in {DECISIVE.relative_to(course.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
