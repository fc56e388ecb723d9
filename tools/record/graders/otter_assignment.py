"""Lessons 04 and 05 as two assignments of otter: a test file for each exercise."""

from __future__ import annotations

import json
import pathlib
import subprocess

import class_of_15
import nbformat
from own_environment import variables

from grader import lessons

_TEST = """OK_FORMAT = True
test = {{
    "name": {name!r},
    "points": {points!r},
    "suites": [{{
        "cases": [{{"code": {code!r}, "hidden": False, "locked": False}}],
        "scored": True, "setup": "", "teardown": "", "type": "doctest",
    }}],
}}
"""


def _name(exercise: str) -> str:
    return "q" + exercise.replace(".", "_")


def write(folder: pathlib.Path, students: list, python: pathlib.Path) -> None:
    """An autograder.zip for each lesson, and what the students handed in."""
    for lesson in class_of_15.LESSONS:
        tests = folder / lesson / "tests"
        tests.mkdir(parents=True)
        for exercise in lessons.of_lesson(lesson):
            code = f">>> from same_tests import right\n>>> {class_of_15.test(exercise.id)}\nTrue"
            text = _TEST.format(name=_name(exercise.id), points=exercise.points, code=code)
            (tests / f"{_name(exercise.id)}.py").write_text(text, encoding="utf-8")
        command = [python, "-m", "otter", "generate", "-t", "tests", "-o", "autograder.zip"]
        subprocess.run(command, cwd=folder / lesson, env=variables(python), check=True, capture_output=True)
    for student, lesson, answers in students:
        cells = [nbformat.v4.new_code_cell(text) for _, text in answers]
        path = folder / student / class_of_15.LESSONS[lesson]
        path.parent.mkdir(exist_ok=True)
        nbformat.write(class_of_15.notebook(cells), path)


def command(python: pathlib.Path) -> list:
    """Grades all notebooks, one after the other, in one process."""
    return [python, pathlib.Path(__file__).with_name("run_otter.py")]


def verdicts(folder: pathlib.Path) -> dict:
    """(student, exercise) -> whether it got its points."""
    found = {}
    for path in folder.glob("student*.json"):
        for name, passed in json.loads(path.read_text(encoding="utf-8")).items():
            found[path.stem, name.removeprefix("q").replace("_", ".")] = passed
    return found
