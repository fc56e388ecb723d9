"""Lessons 04 and 05 as an assignment of nbgrader: answer cells, and a test cell for each exercise."""

from __future__ import annotations

import pathlib
import sqlite3
import subprocess

import class_of_15
import nbformat
from own_environment import variables

from grader import lessons

ASSIGNMENT = "softmax"


def _cell(kind: str, exercise: str, text: str, points: float = 0):
    test = kind == "test"
    marks = {"grade": test, "solution": not test, "locked": test, "task": False, "schema_version": 3}
    marks |= {"grade_id": f"{kind}-{exercise.replace('.', '-')}"} | ({"points": points} if test else {})
    return nbformat.v4.new_code_cell(text, id=marks["grade_id"], metadata={"nbgrader": marks})


def _notebook(answers: list[tuple[str, str]]):
    cells = []
    for exercise, text in answers:
        points = lessons.exercises()[exercise].points
        test = f"from same_tests import right\nassert {class_of_15.test(exercise)}"
        cells += [_cell("answer", exercise, text), _cell("test", exercise, test, points)]
    return class_of_15.notebook(cells)


def write(folder: pathlib.Path, students: list, python: pathlib.Path) -> None:
    """The course, its assignment, and what the students handed in."""
    source = folder / "source" / ASSIGNMENT
    source.mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text('c = get_config()\nc.CourseDirectory.course_id = "softmax"\n')
    for lesson, file in class_of_15.LESSONS.items():
        empty = [(e.id, "### BEGIN SOLUTION\n...\n### END SOLUTION") for e in lessons.of_lesson(lesson)]
        nbformat.write(_notebook(empty), source / file)
    command = [python, "-m", "nbgrader", "generate_assignment", ASSIGNMENT]
    subprocess.run(command, cwd=folder, env=variables(python), check=True, capture_output=True)
    for student, lesson, answers in students:
        path = folder / "submitted" / student / ASSIGNMENT / class_of_15.LESSONS[lesson]
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(_notebook(answers), path)


def command(python: pathlib.Path) -> list:
    """Grades all notebooks, one after the other, in one process."""
    return [python, "-m", "nbgrader", "autograde", ASSIGNMENT]


def verdicts(folder: pathlib.Path) -> dict:
    """(student, exercise) -> whether it got its points."""
    query = """
        select submitted_assignment.student_id, base_cell.name, grade.auto_score, grade_cells.max_score
        from grade
        join submitted_notebook on grade.notebook_id = submitted_notebook.id
        join submitted_assignment on submitted_notebook.assignment_id = submitted_assignment.id
        join base_cell on grade.cell_id = base_cell.id
        join grade_cells on grade_cells.id = base_cell.id
    """
    with sqlite3.connect(folder / "gradebook.db") as book:
        rows = book.execute(query).fetchall()
    return {(s, name.removeprefix("test-").replace("-", ".")): score == most for s, name, score, most in rows}
