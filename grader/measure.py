"""python -m grader bench: how long a learner waits. Times, so never a test."""

from __future__ import annotations

import pathlib
import statistics
import subprocess
import sys
import time

from . import answer, judge, lessons, pool, submission

_IMPORT_CELL = "from grader import check, hint, progress, traffic; import torch, triton; import triton.language as tl"


def import_seconds() -> float:
    """Seconds that the first cell of a lesson takes in a fresh process."""
    code = f"import time; t = time.perf_counter(); {_IMPORT_CELL}; print(time.perf_counter() - t)"
    done = subprocess.run([sys.executable, "-c", code], cwd=pool.ROOT, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def first_check_seconds() -> float:
    """Seconds until both warm processes can take an answer, from nothing."""
    pool.close_all()
    began = time.perf_counter()
    for mode in ("interpreted", "compiled"):
        pool.zygote(mode)
    for mode in ("interpreted", "compiled"):
        pool.zygote(mode).wait()
    return time.perf_counter() - began


def check_seconds(notebooks: list[pathlib.Path], repeats: int) -> dict[str, list[float]]:
    """Seconds of each of `repeats` checks, for every exercise that the notebooks answer rightly."""
    times: dict[str, list[float]] = {}
    for path in notebooks:
        handed = submission.read(path.read_bytes())
        for exercise in lessons.of_lesson(handed.lesson) if handed.lesson else []:
            one = answer.extract(handed.cells, exercise.names)
            for _ in range(repeats):
                began = time.perf_counter()
                result = judge.judge(exercise, one)
                if result.status == "passed":
                    times.setdefault(exercise.id, []).append(time.perf_counter() - began)
    return times


def report(notebooks: list[pathlib.Path], repeats: int = 15) -> str:
    """All of it, as lines to print."""
    imports = statistics.median(import_seconds() for _ in range(3))
    lines = [
        f"import cell        median {imports:.2f} s in a fresh process",
        f"workers ready      {first_check_seconds():.2f} s after they are started, in the background",
    ]
    times = check_seconds(notebooks, repeats)
    for number, seconds in times.items():
        ordered = sorted(seconds)
        lines.append(f"check {number:<12} median {statistics.median(ordered):.3f} s, slowest {ordered[-1]:.3f} s")
    every = sorted(t for ts in times.values() for t in ts)
    if every:
        tail = every[min(len(every) - 1, int(0.95 * len(every)))]
        lines.append(f"all checks         median {statistics.median(every):.3f} s, 95th percentile {tail:.3f} s")
    return "\n".join(lines)
