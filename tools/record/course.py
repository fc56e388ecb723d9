"""What the recorders here share: the course on the path, its own answers, a clock for commands."""

from __future__ import annotations

import contextlib
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


def solutions() -> dict[str, str]:
    """The course's own answer to each exercise."""
    from grader.classroom import submissions

    found = {}
    for path in sorted((ROOT / "solutions").glob("*.ipynb")):
        for exercise, answer in submissions.answers(submissions.read(path.read_bytes())):
            found[exercise.id] = answer.source
    return found


def timed(command: list, **options) -> dict[str, float]:
    """Wall and CPU seconds of a command and all that it started. Raises CalledProcessError when it fails."""
    from grader.isolation.linux import processes

    processes.adopt_orphans()  # a process counts once it is waited for, and the command leaves some to others
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, **options)
    wall = time.monotonic() - began
    with contextlib.suppress(ChildProcessError):  # there is none any more
        while True:
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"seconds": wall, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}
