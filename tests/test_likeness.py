"""Equal answers: the shape of an answer, and the list for a person."""

import csv
import json
import random
import time

import pytest
from conftest import ROOT
from test_export import exercise, row

from grader import lessons
from grader.__main__ import main
from grader.checks import shape
from grader.classroom import grading, rows
from grader.export import entries, likeness
from grader.mistakes import mutant, stored

KERNEL = mutant.reference("4.1")
RENAMED = (
    KERNEL.replace("row_max", "m").replace("numerator", "top").replace("denominator", "s").replace("cols", "c")
    .replace('"""Softmax of one row of n_cols numbers, in one program with one block."""', "# mine")
    .replace("x_ptr + c, mask=mask,", "(x_ptr + c),\n        mask=mask,  # the columns of the row\n       ")
)  # fmt: skip


def handed_in(student, **answers):
    """A row with these answers; one that ends in `# wrong` failed."""
    records = [
        exercise(number, "failed" if text.endswith("# wrong") else "passed", mistake=None)
        for number, text in sorted(answers.items())
    ]
    made = row(f"{student}/04.ipynb", student, "04", *records)
    return made | {"answers": {number: rows.kept(text) for number, text in answers.items()}}


def split(row_of_all):
    """The rows of a student, one for each lesson of the exercises."""
    for number in sorted({lessons.number_of(e["id"]) for e in row_of_all["exercises"]}):
        mine = [e for e in row_of_all["exercises"] if lessons.number_of(e["id"]) == number]
        name = row_of_all["submission"].replace("04", number, 1)
        yield row_of_all | row(name, row_of_all["student"], number, *mine) | {"answers": row_of_all["answers"]}


def found_in(*some):
    return likeness.of(entries.of(rows.parse(json.dumps(each).encode()) for made in some for each in split(made)))


def other(n):
    """An answer that nobody else has."""
    return KERNEL.replace("y = numerator", f"z = numerator * {n}\n    y = numerator")


def a_class(*some, size=20):
    return found_in(*some, *(handed_in(f"s{n}", **{"4.1": other(n)}) for n in range(size)))


@pytest.mark.parametrize("one, two", [
    ("def f(x): return x + 1", 'def f(value: int) -> int:\n    """Docstring."""\n    return (value + 1)  # comment'),
    ("y = 1", "y: int = 1"),
    ("import torch\ndef f(x): return torch.exp(x)", "import torch as t\ndef f(x): return t.exp(x)"),
    ("import torch\ndef f(x): return torch.exp(x)", "from torch import exp\ndef f(x): return exp(x)"),
    ("def f(x, n): return x\nf(1, n=2)", "def g(x, m): return x\ng(1, m=2)"),
    ("def f():\n  try: g()\n  except E as e: raise e", "def f():\n  try: g()\n  except E as error: raise error"),
    ("k = r'{ int a = 1; /* x */ b[a]; }'", "k = r'''{ int first = 1; // y\n b[first]; }'''"),
    (KERNEL, RENAMED),
])  # fmt: skip
def test_a_shape_has_no_names_comments_or_layout(one, two):
    """The first things that change where somebody copies."""
    assert shape.of(one) == shape.of(two)


@pytest.mark.parametrize("one, two", [
    ("def f(x): return x + 1", "def f(x): return 1 + x"),
    ("def f(x, y): return x - y", "def f(x, y): return y - x"),
    ("a = 0.0", "a = 0"),
    ("def f(x): return x.max()", "def f(x): return x.min()"),
    ("def f(x): return max(x)", "def f(x): return min(x)"),
    ("f(other=0)", "f(mask=0)"),
    ("k = '{ int a = 1; b[a]; }'", "k = '{ int a = 2; b[a]; }'"),
    ("k = '{ b[i] = fmaxf(b[i], c); }'", "k = '{ b[i] = fminf(b[i], c); }'"),
])  # fmt: skip
def test_what_an_answer_does_is_in_its_shape(one, two):
    """Two answers that do something else have two shapes."""
    assert shape.of(one) != shape.of(two)


def test_what_is_not_python_has_no_shape():
    """Cut off, of another kind, or deeper than Python reads."""
    assert [None] * 4 == [
        shape.of(text) for text in ("def f(", "x = \0", "(" * 5000 + ")" * 5000, "a" + "\u0301" * 999)
    ]


def test_no_wrong_answer_has_the_shape_of_the_solution():
    """Of all that the course keeps: an edit that makes a mistake is seen."""
    for each in random.Random(1).sample(stored.wrong(ROOT / "tests"), 60):
        assert shape.of(each.source) != shape.of(mutant.reference(each.exercise)) or shape.of(each.source) is None


def test_two_who_share_several_answers_are_listed_and_the_most_come_first():
    """One that is equal by chance is not, if it is not long; a group of three is one line."""
    wrong = other(77) + "\n# wrong"
    long = "\n\n".join([KERNEL, *(KERNEL.replace("softmax", name) for name in ("my", "your"))])
    pair = {"4.1": other(50), "5.1": other(51), "5.2": wrong, "7.1": other(52)}
    found = a_class(
        *(handed_in(name, **pair) for name in ("ada", "bob")),
        *(handed_in(name, **{"4.1": long}) for name in ("cy", "di", "ed")),
        *(handed_in(name, **{"4.1": other(60), "5.1": other(61)}) for name in ("flo", "gil")),
    )
    size = shape.of(other(50)).size
    assert [
        likeness.Equal(("ada", "bob"), ("4.1", "5.1", "5.2", "7.1"), ("5.2",), 4 * size),
        likeness.Equal(("cy", "di", "ed"), ("4.1",), (), shape.of(long).size),
    ] == found.equal
    assert not found.common and not found.marked


def test_answers_equal_to_the_solution_are_listed_for_one_student_alone():
    """Under other names and without its comments; and the markers are, wherever they stand."""
    copied = {number: mutant.reference(number) for number in ("4.1", "5.1", "7.1")} | {"4.1": RENAMED}
    marked = KERNEL.replace("    x = tl.load", "    ### BEGIN SOLUTION\n    x = tl.load") + "    ### END SOLUTION\n"
    found = a_class(handed_in("ada", **copied), handed_in("bob", **{"4.1": marked}))
    (equal,) = found.equal
    assert equal.solution and (("ada",), ("4.1", "5.1", "7.1"), ()) == (
        equal.students,
        equal.exercises,
        equal.not_right,
    )
    assert {"bob": ["4.1"]} == found.marked


def test_short_answers_and_common_ones_do_not_flood_the_list():
    """One line is equal for all; and what a third of a class wrote is counted, not listed."""
    short = [handed_in(f"a{n}", **{"0.1": "def double(x): return 2 * x"}) for n in range(30)]
    same = [handed_in(f"b{n}", **{"4.1": KERNEL}) for n in range(10)]
    found = a_class(*short, *same)
    assert found.equal == [] and found.common == [likeness.Common("4.1", 10, 30, True)]


def test_what_was_not_attempted_or_does_not_count_is_equal_to_nothing():
    """A blank notebook is the same for everybody, and a student's two attempts may be equal."""
    blank = [handed_in(f"a{n}", **{number: other(5) for number in ("4.1", "5.1", "7.1")}) for n in range(2)]
    for record in (record for each in blank for record in each["exercises"]):
        record["status"] = "not_attempted"
    first = handed_in("ada", **{number: other(60) for number in ("4.1", "5.1", "7.1")})
    again = first | {"submission": "ada/04 (2).ipynb"}
    assert a_class(*blank, first, again).equal == []


def test_the_list_is_csv_for_a_person(tmp_path, capsys):
    """Names are no formulas, and no line says what to think."""
    some = [handed_in(name, **{n: mutant.reference(n) for n in ("4.1", "5.1", "5.2")}) for name in ("=ada", "bob")]
    some += [handed_in(f"s{n}", **{"4.1": other(n)}) for n in range(9)]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(each) + "\n" for made in some for each in split(made)))

    assert main(["export", str(tmp_path), "--format", "likeness"]) == 0

    with open(tmp_path / "likeness.csv", encoding="utf-8-sig", newline="") as file:
        lines = [(line["what"], line["students"], line["exercises"]) for line in csv.DictReader(file)]
    assert [
        ("equal", "'=ada; bob", "4.1 5.1 5.2"),
        ("equal to the solution", "'=ada", "4.1 5.1 5.2"),
        ("equal to the solution", "bob", "4.1 5.1 5.2"),
    ] == lines
    assert "none is a verdict" in capsys.readouterr().out


@pytest.mark.whole
def test_300_students_take_seconds():
    """17 exercises of each, all different or shared by few."""
    chance = random.Random(2)
    numbers = [f"{lesson}.{n}" for lesson in range(1, 9) for n in (1, 2)] + ["9.1"]
    some = []
    for n in range(300):
        made = handed_in(f"s{n}", **{"4.1": KERNEL})
        kept = {i: {"text": KERNEL, "shape": f"{chance.randrange(99):016x}", "size": 87} for i in numbers}
        some.append(made | {"answers": kept, "exercises": [exercise(i) for i in numbers]})
    read = entries.of(rows.parse(json.dumps(each).encode()) for made in some for each in split(made))
    began = time.monotonic()
    found = likeness.of(read)
    assert found.equal and time.monotonic() - began < 2


def test_a_row_keeps_what_was_judged():
    """With its comments; bounded, and without what cannot be encoded."""
    text = "def double(x):\n    # twice\n    return 2 * x"
    job = grading.Job("ada/00.py", "ada", 20.0, "seed", f"import os\n{text}\n".encode(), "0", b"key")
    row = rows.parse(rows.line(grading.grade(job)))
    assert {"0.1": {"text": text, "shape": shape.of(text).digest, "size": shape.of(text).size}} == row["answers"]
    assert {"text": "x" * 20_000, "shape": None, "size": 0} == rows.kept("x" * 20_001)
    assert "a = '?'" == rows.kept("a = '\ud800'")["text"]
