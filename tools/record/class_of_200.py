"""Grade a class that is made up of the answers kept in tests/, and say how many students a minute it takes.

    python tools/record/class_of_200.py FILE [STUDENTS]

Each student hands in all lessons. STUDENTS measures the first so many of the 200; on two cores all of them take
half an hour. FILE: records/class_of_200.json is that of a machine with two cores.
"""

from __future__ import annotations

import json
import pathlib
import random
import sys
import tempfile
from collections import Counter

import course  # puts the course on the path
import nbformat

sys.path.insert(0, str(course.ROOT / "tests"))

from conftest import stored  # noqa: E402

from grader import lessons  # noqa: E402
from grader.bench import record  # noqa: E402
from grader.classroom import results_store  # noqa: E402

CLASS = 200
# How often a student's answer to an exercise is of each kind; the rest are those of the solution notebooks.
SHARES = {"right": 0.4, "wrong": 0.25, "attacks": 0.1}


def write(folder: pathlib.Path, students: int) -> Counter:
    """One folder a student, one notebook a lesson. Returns how many answers there are of each kind."""
    own, kept, count = course.solutions(), {}, Counter()
    for kind in SHARES:
        for each in stored(kind):
            kept.setdefault((kind, each.exercise), []).append(each.source)
    for student in range(students):
        chance = random.Random(student)
        for number, (slug, _) in lessons.OUTLINE.items():
            cells = []
            for exercise in lessons.of_lesson(number):
                (kind,) = chance.choices([*SHARES, "solution"], [*SHARES.values(), 1 - sum(SHARES.values())])
                choices = kept.get((kind, exercise.id))
                count[kind if choices else "solution"] += 1
                cells.append(chance.choice(choices) if choices else own[exercise.id])
            path = folder / f"student{student:03}" / f"{number}_{slug}.ipynb"
            path.parent.mkdir(exist_ok=True)
            path.write_text(
                nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells]))
            )
    return count


def measure(students: int) -> dict:
    """Grade so many students with as many jobs as there are cores."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, out = pathlib.Path(scratch) / "class", pathlib.Path(scratch) / "out"
        folder.mkdir()
        answers = write(folder, students)
        command = [sys.executable, "-m", "grader", "grade", str(folder), "--out", str(out)]
        took = course.timed(command, cwd=course.ROOT)
        statuses = Counter(
            e["status"] for row in results_store.read(out / results_store.RESULTS).rows() for e in row["exercises"]
        )
        files = sum(1 for _ in results_store.read(out / results_store.RESULTS).rows())
    return {
        "students": students,
        "files": files,
        "answers": dict(answers),
        "verdicts": dict(statuses),
        "seconds": round(took["seconds"], 1),
        "students_a_minute": round(60 * students / took["seconds"], 2),
        "cpu_seconds_a_student": round(took["cpu"] / students, 2),
    }


if __name__ == "__main__":
    students = int(sys.argv[2]) if len(sys.argv) > 2 else CLASS
    done = record.header(
        f"A class of {CLASS}, {len(lessons.OUTLINE)} notebooks a student: the first {students} of it, graded.",
        f"python tools/record/class_of_200.py {sys.argv[1]} {students}",
    ) | {"result": measure(students)}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(done["result"], indent=1))
