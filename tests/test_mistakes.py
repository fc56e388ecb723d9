"""Mistakes as mutants: the course's answer with a small change is refused, and named as its entry says."""

import build
import pytest
from conftest import judged_at_once, one_of_each, stored

from grader import lessons
from grader.judge.judge import judge
from grader.mistakes import mutant as mutants_of
from grader.mistakes.registry import mutants
from grader.spec import Answer


class Row:
    """One mutant of one exercise. exercise: for `--only`."""

    def __init__(self, exercise, mistake, number, mutant):
        self.exercise, self.mistake, self.mutant = exercise, mistake, mutant
        self.name = f"{exercise}-{mistake}-{number}: {mutant}"


# In the order of the lessons: the first exercises of a mistake have the fewest cases.
ROWS = [
    Row(exercise, mistake, number, mutant)
    for exercise in sorted(mutants(), key=lambda each: [int(part) for part in each.split(".")])
    for number, (mistake, mutant) in enumerate(mutants()[exercise])
]


STORED = {kept.mistake for kept in stored("wrong")}  # of each of these test_answers judges an answer


def kind(row):
    """`make test` judges a mutant each of some mistakes that have no stored answer."""
    return row.mistake if row.mistake not in STORED and judged_at_once(row.mistake, row.exercise) else None


@pytest.mark.parametrize("row", one_of_each(ROWS, kind))
def test_a_mutant_is_refused_and_named(row):
    """A change that gives the same numbers as another mistake may be its second name."""
    result = judge(lessons.exercises()[row.exercise], Answer(row.mutant.source(row.exercise)))

    assert row.mistake in (result.mistake, result.also), result.text
    assert result.score < result.max_score


def test_a_change_must_fit_the_answer():
    """A reference that was written anew leaves no mutant behind unnoticed."""
    for wrong in (mutants_of.Mutant("8.1", "no such text", ""), mutants_of.Mutant("8.1", "m", "n")):
        with pytest.raises(ValueError, match="stands .* times in the answer to 8.1, expected 1"):
            wrong.source("8.1")
    with pytest.raises(ValueError, match="has no answer to 0.9: run tools/build.py"):
        mutants_of.reference("0.9")


def test_the_answers_beside_the_mutants_are_those_of_the_lessons():
    """As `build.py --check` says."""
    assert build.stale_references() == []
