"""Grade the same 30 notebooks with this course's grader, with nbgrader and with otter, one after the other.

python benchmarks/graders docs/graders_side_by_side.json

The others get an environment of their own, which sees the course's torch and Triton. Each grader is one process that
works through all notebooks. They run the same inputs and ask for the same accuracy; ours looks at bytes, bounds and
mistakes besides.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from own_environment import HERE, ROOT, WANTED, make, variables

sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(HERE.parent)]

import cases  # noqa: E402
import class_of_15  # noqa: E402
import nbformat  # noqa: E402
import nbgrader_course  # noqa: E402
import otter_assignment  # noqa: E402

from grader import machine, records  # noqa: E402


def ours(folder: pathlib.Path, students: list) -> None:
    """One notebook a submission, as learners hand them in."""
    for student, lesson, answers in students:
        cells = [nbformat.v4.new_code_cell(text) for _, text in answers]
        path = folder / student / class_of_15.LESSONS[lesson]
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(class_of_15.notebook(cells), path)


def timed(command: list, cwd: pathlib.Path, python: pathlib.Path) -> dict:
    """Wall and CPU seconds of a command and all that it started; raises CalledProcessError when it fails."""
    env = variables(python)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": round(wall, 1), "cpu": round(cpu, 1)}


def verdicts(out: pathlib.Path) -> dict:
    """(student, exercise) -> whether this course's grader passed it."""
    found = {}
    for row in records.rows(out / records.RESULTS):
        for each in row["exercises"]:
            found[row["student"], each["id"]] = each["status"] == "passed"
    return found


def measure(scratch: pathlib.Path) -> dict:
    """Times of each grader, and how often all three agree about an answer."""
    python = make(scratch / "environment")
    cases.write(scratch)
    students = list(class_of_15.students(ROOT))
    ours(scratch / "ours", students)
    nbgrader_course.write(scratch / "nbgrader", students, python)
    otter_assignment.write(scratch / "otter", students, python)
    own = [sys.executable, "-m", "grader", "grade", scratch / "ours", "--jobs", "1", "--out", scratch / "out"]
    took = {
        "ours": timed(own, ROOT, python),
        "nbgrader": timed(nbgrader_course.command(python), scratch / "nbgrader", python),
        "otter": timed(otter_assignment.command(python), scratch / "otter", python),
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
        "totals": took,
        "times_ours": {name: _ratios(took[name], took["ours"]) for name in ("nbgrader", "otter")},
    }


def _ratios(theirs: dict, own: dict) -> dict:
    return {key: round(theirs[key] / own[key], 1) for key in own}


def main() -> int:
    """Measure, print and write the record to argv[1]."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        result = measure(pathlib.Path(scratch))
    wanted = WANTED.read_text(encoding="utf-8").split()
    done = {
        "what": f"{result['notebooks']} notebooks of lessons 04 and 05, graded by one process each.",
        "command": "python benchmarks/graders docs/graders_side_by_side.json",
        "date": datetime.date.today().isoformat(),
        "machine": machine.here(),
        "others": f"{load:.1f} processes were running before on average",
        "versions": {n: machine.version(n) for n in ("torch", "triton")} | dict(w.split("==") for w in wanted),
        "result": result,
    }
    pathlib.Path(sys.argv[1]).write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
