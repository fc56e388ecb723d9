"""A sample of single edits of right answers: each is refused, or equivalent_mutants.toml says why it is as right."""

import ast
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools" / "record"))

import cuda_mutations  # noqa: E402
import mutants  # noqa: E402
import python_mutations  # noqa: E402

from grader import lessons  # noqa: E402
from grader.spec import Result  # noqa: E402

EXERCISES, SEED = list(lessons.exercises().values()), 20
SLOW = ("8.3", "8.4", "9.1", "9.2", "9.3", "12.5", "12.6", "12.7", "13.2", "14.2", "14.3")


def sampled(exercise):
    return mutants.sample(exercise, mutants.sources(exercise), 2 if exercise.id in SLOW else 3, SEED)


def passed(exercise):
    return Result(exercise, "", "passed", 1.0, 1.0)


@pytest.mark.more_answers
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
def test_no_mutant_survives_without_a_reason(exercise):
    """Full marks for a mutant: a case is missing, or the mutant belongs into the file with its reason."""
    results = [(mutant.name, mutants.verdict(mutant, seconds=5.0)) for mutant in sampled(exercise)]

    assert mutants.unexplained(results) == []


@pytest.mark.whole
@pytest.mark.of_every_exercise
def test_a_judge_that_accepts_everything_is_found_out():
    """In every exercise: the sample has mutants of each that no reason excuses."""
    for exercise in EXERCISES:
        assert mutants.unexplained((mutant.name, passed(exercise.id)) for mutant in sampled(exercise)), exercise.id


@pytest.mark.whole
@pytest.mark.of_every_exercise
def test_every_equivalent_mutant_is_still_made():
    """An entry of an answer that has changed excuses nothing, and hides what is missing."""
    names, beginnings = mutants.equivalent()
    made, answers = set(), {" ".join(name.split(": ")[0].split(" ")[:2]) for name in (*names, *beginnings)}
    for exercise in EXERCISES:
        for source, text in mutants.sources(exercise).items():
            if f"{exercise.id} {source}" in answers:
                made |= {mutant.name for mutant in mutants.mutants(exercise, source, text)}

    assert names.keys() - made == set()
    assert [start for start in beginnings if not any(name.startswith(start) for name in made)] == []


def edited(line):
    tree = ast.parse(f"def f(x_ptr, y_ptr, n, m):\n    a = 1\n    {line}").body[0]
    return {ast.unparse(other.body[-1]) for other in python_mutations.edits(tree)}


@pytest.mark.parametrize(
    "line, made",
    [
        ("x = tl.load(x_ptr, mask=n, other=0.0)", "x = tl.load(x_ptr, mask=n)"),
        ("x = tl.load(x_ptr, mask=n, other=0.0)", "x = tl.load(x_ptr)"),
        ("x = tl.load(x_ptr, mask=n, other=-float('inf'))", "x = tl.load(x_ptr, mask=n, other=0.0)"),
        ("x = tl.load(x_ptr, mask=n, other=-float('inf'))", "x = tl.load(x_ptr, mask=n, other=float('inf'))"),
        ("tl.store(x_ptr + n, a)", "tl.store(y_ptr + n, a)"),
        ("tl.store(x_ptr + n, a)", "a = 1"),
        ("y = tl.max(x, axis=1)", "y = tl.sum(x, axis=1)"),
        ("y = tl.max(x, axis=1)", "y = tl.max(x, axis=0)"),
        ("y = n / m", "y = m / n"),
        ("y = n // m", "y = -(-n // m)"),
        ("y = n * m", "y = n"),
        ("y = n < m", "y = n <= m"),
        ("y = x.contiguous()", "y = x"),
        ("y = x.to(tl.float32)", "y = x.to(tl.float16)"),
        ("return n, m", "return (m, n)"),
        ("return n", "return m"),
        ("for i in range(0, n, m): g(i)", "for i in range(0, n):\n    g(i)"),
        ("for i in range(0, n, m): g(i)", "for i in range(0, n - 1, m):\n    g(i)"),
        ("raise ValueError('no matrix')", "raise TypeError('no matrix')"),
    ],
)
def test_an_edit_that_people_make_is_made(line, made):
    """Of Python."""
    assert made in edited(line)


@pytest.mark.parametrize(
    "text, made",
    [
        ("__syncthreads(); a = 1;", "; a = 1;"),
        ("m = fmaxf(m, x[c]);", "m = fminf(m, x[c]);"),
        ("d = d * e + f;", "d = d + f;"),
        ("for (c = 0; c < n; c += 32) s += c;", "for (c = 0; c <= n; c += 32) s += c;"),
        ("for (c = 0; c < n; c += 32) s += c;", "for (c = 0; c < n; c += 32) s = c;"),
        ("if (me < half) b[me] = 0;", "b[me] = 0;"),
        ("m = lane < warps ? a : b;", "m = a;"),
        ("float m = 0.0f;", "float m = 1.0f;"),
    ],
)
def test_an_edit_of_cuda_is_made(text, made):
    """Of a kernel's tokens."""
    assert made in set(cuda_mutations.edits(text))
