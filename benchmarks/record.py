"""What every benchmark here shares: the functions that the course teaches, a fair clock, a record of the run."""

from __future__ import annotations

import importlib.util
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def text(notebook: str, name: str) -> str:
    """The text of a function of a solution notebook, with what it needs."""
    from grader import answer, submission

    cells = submission.read((ROOT / "solutions" / notebook).read_bytes()).cells
    return answer.extract(cells, (name,)).source


def solution(notebook: str, name: str, change=lambda source: source):
    """A function of a solution notebook, so that what is timed is what the course teaches; or a change of its text."""
    path = pathlib.Path(tempfile.mkdtemp()) / f"{name}.py"
    path.write_text(change(text(notebook, name)), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def solutions() -> dict[str, str]:
    """The course's own answer to each exercise."""
    from grader import answer, lessons, submission

    found = {}
    for path in sorted((ROOT / "solutions").glob("*.ipynb")):
        handed_in = submission.read(path.read_bytes())
        for exercise in lessons.of_lesson(handed_in.lesson):
            found[exercise.id] = answer.extract(handed_in.cells, exercise.names).source
    return found


def timed(command: list, **options) -> dict[str, float]:
    """Wall and CPU seconds of a command and all that it started. Raises CalledProcessError when it fails."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, **options)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"seconds": wall, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def main(script: str, what: str, measure, **more) -> int:
    """Run measure(), which returns a list of rows, and write it with device, versions, date and command to argv[1].

    more: functions whose results the record holds as well.
    """
    import torch

    if not torch.cuda.is_available():
        print("There is no GPU here, so there is nothing to time.")
        return 2
    from grader import race

    command = f"python benchmarks/{script} docs/{script.removesuffix('.py')}_on_h200.json"
    record = race.header(command, what) | {
        **{name: function() for name, function in more.items()},
        "results": measure(),
    }
    pathlib.Path(sys.argv[1]).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0
