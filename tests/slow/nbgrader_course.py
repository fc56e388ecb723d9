"""nbgrader itself, in an environment of its own, does what docs/instructors.md says: `make nbgrader`."""

import csv
import json
import os
import re
import subprocess
import sys

import nbformat
import pytest
from conftest import ROOT

from grader import lessons

PAGE = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
PYTHON = ROOT / ".env-nbgrader" / "bin" / "python"
POINTS = sum(exercise.points for exercise in lessons.of_lesson("04"))
NOTEBOOK = "04_one_row.ipynb"
PAD = next(exercise.points for exercise in lessons.of_lesson("04") if exercise.id == "4.2")


def blocks():
    """The commands of the page's section on nbgrader, a text for each block."""
    section = re.search(r"\n### nbgrader\n(.*?)\n##", PAGE, re.DOTALL)[1]
    return re.findall(r"```\n(.*?)```", section, re.DOTALL)


def run(home, commands):
    """Run commands of the page with nbgrader's environment. The page has the course in /srv/five-passes."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"PATH": f"{PYTHON.parent}:{environment['PATH']}", "FIVE_PASSES_PROGRESS": "off", "HOME": str(home)}
    commands = commands.replace("/srv/five-passes", str(ROOT)).replace(".venv/bin/python", sys.executable)
    done = subprocess.run(["bash", "-e", "-c", commands], cwd=home, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


def solved():
    """{grade_id: the solution's text}."""
    book = nbformat.read(ROOT / "solutions" / NOTEBOOK, as_version=4)
    return {c.metadata.nbgrader.grade_id: c.source for c in book.cells if "nbgrader" in c.metadata}


def hand_in(course, student, change):
    """What a student hands in: the released notebook, with `change` made to its cells."""
    book = nbformat.read(course / "release" / "one_row" / NOTEBOOK, as_version=4)
    change({c.metadata.nbgrader.grade_id: c for c in book.cells if "nbgrader" in c.metadata})
    place = course / "submitted" / student / "one_row"
    place.mkdir(parents=True)
    nbformat.write(book, place / NOTEBOOK)
    (place / "timestamp.txt").write_text("2026-11-20 10:15:00.123456 UTC")


def right(cells):
    for name, text in solved().items():
        if name.startswith("exercise"):
            cells[name].source = text


def wrong(cells):
    right(cells)
    cells["exercise-4-2"].source = 'pads = dict.fromkeys("abcd", 0.0)'


def forged(cells):
    cells["exercise-4-1"].source = f"def check(number): return dict({ {'4.1': 3, '4.2': 2, '4.3': 2} })[number]"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course as the page makes it, and what three students handed in, graded by nbgrader."""
    assert PYTHON.exists(), "make nbgrader makes the environment"
    folder = tmp_path_factory.mktemp("nbgrader")
    made, graded, _ = blocks()
    run(folder, made)
    found = folder / "passes"
    for student, change in {"ada": right, "Jürgen": wrong, "eve": forged}.items():
        hand_in(found, student, change)
    run(folder, f"cd passes\n{graded}")
    return found


def test_the_released_notebook_is_a_learners(course):
    """Its stubs say which exercise they are; nothing of a solution is in it; its checks are locked."""
    released = nbformat.read(course / "release" / "one_row" / NOTEBOOK, as_version=4)
    text = "\n".join(cell.source for cell in released.cells)
    assert all(f"TODO {exercise.id}" in text for exercise in lessons.of_lesson("04"))
    assert "SOLUTION" not in text and "YOUR CODE HERE" not in text
    assert released.cells[0].source.startswith("%cd")
    assert [True] * 3 == [
        c.metadata.nbgrader.locked for c in released.cells if c.metadata.get("nbgrader", {}).get("grade")
    ]


def test_nbgrader_gives_the_points_of_the_checks(course):
    """With the time handed in; and full points to a notebook that has a check of its own, as the page warns."""
    with open(course / "grades.csv", encoding="utf-8", newline="") as f:
        grades = {line["student_id"]: line for line in csv.DictReader(f)}
    assert {"ada": POINTS, "Jürgen": POINTS - PAD, "eve": POINTS} == {s: float(g["score"]) for s, g in grades.items()}
    assert {float(POINTS)} == {float(grade["max_score"]) for grade in grades.values()}
    assert all(grade["timestamp"].startswith("2026-11-20 10:15:00") for grade in grades.values())


def test_feedback_says_what_a_check_says(course):
    """A page for each student, with the named mistake."""
    pages = {p.parts[-3]: p.read_text(encoding="utf-8") for p in (course / "feedback").glob("*/one_row/*.html")}
    assert set(pages) == {"ada", "Jürgen", "eve"}
    assert 'hint("4.2")' in pages["Jürgen"] and 'hint("4.2")' not in pages["ada"]


def test_validate_tells_a_student_which_checks_fail(course):
    """Before the notebook is handed in."""
    command = f"cd passes; nbgrader validate submitted/{{}}/one_row/{NOTEBOOK}"
    assert "Success" in run(course.parent, command.format("ada"))
    said = run(course.parent, command.format("Jürgen"))
    assert "FAILED ON 1 CELL" in said and 'check("4.2")' in said and 'check("4.1")' not in said


def test_the_course_grades_the_same_files_behind_its_own_walls(course):
    """The same points, nothing for the forged check, and the time that nbgrader wrote."""
    (command,) = blocks()[2:]
    run(course.parent, command)

    rows = {r["student"]: r for r in map(json.loads, (course / "results" / "results.jsonl").read_text().splitlines())}
    assert {"ada": POINTS, "Jürgen": POINTS - PAD, "eve": 0} == {student: row["score"] for student, row in rows.items()}
    assert {row["handed_in"] for row in rows.values()} == {"2026-11-20 10:15:00"}


def test_junit_is_read_by_a_reader_of_junit(course):
    """Suites, cases, kinds and times, as junitparser has them."""
    main = [sys.executable, "-m", "grader", "export", str(course / "results"), "--format", "junit"]
    subprocess.run(main, cwd=ROOT, check=True, capture_output=True)
    read = (
        "import json, sys, junitparser\n"
        "suites = junitparser.JUnitXml.fromfile(sys.argv[1])\n"
        "print(json.dumps([[s.name, s.tests, s.failures, s.errors, s.skipped, s.time, [c.time for c in s]]\n"
        "                  for s in suites]))"
    )
    done = subprocess.run([PYTHON, "-c", read, course / "results" / "results.xml"], capture_output=True, check=True)
    suites = {name.split("/")[0]: rest for name, *rest in json.loads(done.stdout)}
    assert {n: s[:4] for n, s in suites.items()} == {"ada": [3, 0, 0, 0], "Jürgen": [3, 1, 0, 0], "eve": [3, 0, 0, 3]}
    assert all(0 < sum(times) <= total + 0.01 for *_, total, times in suites.values())
