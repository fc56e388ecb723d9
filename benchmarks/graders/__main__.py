"""Grade the same 30 notebooks with this course's grader, with nbgrader and with otter, in turns.

python benchmarks/graders docs/graders_side_by_side.json

Both get an environment of their own, which sees the course's torch and Triton. Each grader is one process that works
through the notebooks of five students, then the next one does; three rounds. They run the same inputs and ask for the
same accuracy; ours looks at bytes, bounds and mistakes besides.
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
    return {"seconds": wall, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def verdicts(out: pathlib.Path) -> dict:
    """(student, exercise) -> whether this course's grader passed it."""
    found = {}
    for row in records.rows(out / records.RESULTS):
        for each in row["exercises"]:
            found[row["student"], each["id"]] = each["status"] == "passed"
    return found


def measure(scratch: pathlib.Path) -> dict:
    """Times of each grader over all rounds, and how often they agree about an answer."""
    python = make(scratch / "environment")
    cases.write(scratch)
    students = list(class_of_15.students(ROOT))
    nbgrader_course.write(scratch / "nbgrader", students, python)
    otter_assignment.write(scratch / "otter", students, python)
    total = {name: {"seconds": 0.0, "cpu": 0.0} for name in ("ours", "nbgrader", "otter")}
    said = {name: {} for name in total}
    for group in range(class_of_15.GROUPS):
        folder, out = scratch / f"ours{group}", scratch / f"out{group}"
        ours(folder, [each for each in students if each[0].startswith(f"group{group}_")])
        commands = {
            "ours": ([sys.executable, "-m", "grader", "grade", folder, "--jobs", "1", "--out", out], ROOT),
            "nbgrader": (nbgrader_course.command(python, group), scratch / "nbgrader"),
            "otter": (otter_assignment.command(python, group), scratch / "otter"),
        }
        for name, (command, cwd) in commands.items():
            for key, value in timed(command, cwd, python).items():
                total[name][key] += value
        said["ours"] |= verdicts(out)
    said["nbgrader"] = nbgrader_course.verdicts(scratch / "nbgrader")
    said["otter"] = otter_assignment.verdicts(scratch / "otter")
    return {
        "notebooks": len(students),
        "answers": len(said["ours"]),
        "passed": {name: sum(all_of.values()) for name, all_of in said.items()},
        "agree": sum(len({s.get(key) for s in said.values()}) == 1 for key in said["ours"]),
        "totals": {name: {key: round(value, 1) for key, value in t.items()} for name, t in total.items()},
        "times_ours": {
            name: {key: round(t[key] / total["ours"][key], 1) for key in t}
            for name, t in total.items()
            if name != "ours"
        },
    }


def main() -> int:
    """Measure, print and write the record to argv[1]."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        result = measure(pathlib.Path(scratch))
    wanted = WANTED.read_text(encoding="utf-8").split()
    done = {
        "what": f"{result['notebooks']} notebooks of lessons 04 and 05, graded by one process each, in turns.",
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
