"""Grade the same 30 notebooks with this course's grader, with nbgrader and with otter, one after the other.

python tools/record/graders records/graders_side_by_side.json

The others get an environment of their own, which sees the course's torch and Triton. Each grader is one process that
works through all notebooks. They run the same inputs and ask for the same accuracy; ours looks at bytes, bounds and
mistakes besides.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile

from own_environment import HERE, ROOT, WANTED, make, variables

sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(HERE.parent)]

import cases  # noqa: E402
import class_of_15  # noqa: E402
import course  # noqa: E402
import nbformat  # noqa: E402
import nbgrader_course  # noqa: E402
import otter_assignment  # noqa: E402

from grader.bench import record  # noqa: E402
from grader.classroom import results_store  # noqa: E402


def ours(folder: pathlib.Path, students: list) -> None:
    """One notebook a submission, as learners hand them in."""
    for student, lesson, answers in students:
        cells = [nbformat.v4.new_code_cell(text) for _, text in answers]
        path = folder / student / class_of_15.LESSONS[lesson]
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(class_of_15.notebook(cells), path)


def verdicts(out: pathlib.Path) -> dict:
    """(student, exercise) -> whether this course's grader passed it."""
    found = {}
    for row in results_store.read(out / results_store.RESULTS).rows():
        for each in row["exercises"]:
            found[row["student"], each["id"]] = each["status"] == "passed"
    return found


def measure(scratch: pathlib.Path) -> dict:
    """Times of each grader, and how often all three agree about an answer."""
    python = make(scratch / "environment")
    cases.write(scratch)
    students = list(class_of_15.students())
    ours(scratch / "ours", students)
    nbgrader_course.write(scratch / "nbgrader", students, python)
    otter_assignment.write(scratch / "otter", students, python)
    own = [sys.executable, "-m", "grader", "grade", scratch / "ours", "--jobs", "1", "--out", scratch / "out"]
    commands = {
        "ours": (own, ROOT),
        "nbgrader": (nbgrader_course.command(python), scratch / "nbgrader"),
        "otter": (otter_assignment.command(python), scratch / "otter"),
    }
    took = {
        name: course.timed(command, cwd=cwd, env=variables(python), stderr=subprocess.DEVNULL)
        for name, (command, cwd) in commands.items()
    }
    said = {
        "ours": verdicts(scratch / "out"),
        "nbgrader": nbgrader_course.verdicts(scratch / "nbgrader"),
        "otter": otter_assignment.verdicts(scratch / "otter"),
    }
    return {
        "notebooks": len(students),
        "answers": len(said["ours"]),
        "passed": {name: sum(all_of.values()) for name, all_of in said.items()},
        "agree": sum(len({s.get(key) for s in said.values()}) == 1 for key in said["ours"]),
        "totals": {name: {key: round(value, 1) for key, value in each.items()} for name, each in took.items()},
        "times_ours": {name: _ratios(took[name], took["ours"]) for name in ("nbgrader", "otter")},
    }


def _ratios(theirs: dict, own: dict) -> dict:
    return {key: round(theirs[key] / own[key], 1) for key in own}


def main() -> int:
    """Measure, print and write the record to argv[1]."""
    with tempfile.TemporaryDirectory() as scratch:
        result = measure(pathlib.Path(scratch))
    wanted = WANTED.read_text(encoding="utf-8").split()
    done = record.header(
        f"{result['notebooks']} notebooks of lessons 04 and 05, graded by one process each.",
        "python tools/record/graders records/graders_side_by_side.json",
    )
    done["versions"] |= dict(w.split("==") for w in wanted)
    done["result"] = result
    pathlib.Path(sys.argv[1]).write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
