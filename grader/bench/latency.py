"""python -m grader bench: the time that a learner waits. Times vary, so no test depends on them."""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import sys
import time

from .. import environment
from ..classroom import submissions
from ..judge import judge, zygotes
from . import record

_CELL = "from grader import check, hint, progress, traffic; import torch, triton; import triton.language as tl"
_REPEATS = 9


def measure(notebooks: list[pathlib.Path], out: pathlib.Path | None) -> dict:
    """Measure everything, in seconds of wall-clock time. out: a file for the record, as JSON."""
    what = "Seconds that a learner waits, for every exercise that the notebooks answer rightly."
    done = record.header(what, f"python -m grader bench{f' --out {out}' if out else ''}") | {
        "import_grader": _rounded(_import_seconds("import grader")),
        "first_cell": _rounded(_import_seconds(_CELL)),
        "workers_ready": _rounded([_start_seconds() for _ in range(3)]),
    }
    times = _check_seconds(notebooks)
    every = sorted(t for ts in times.values() for t in ts)
    done["checks"] = {number: _rounded(seconds) for number, seconds in times.items()}
    if every:
        tail = every[min(len(every) - 1, int(0.95 * len(every)))]
        done["all_checks"] = _rounded(every) | {"percentile_95": round(tail, 3)}
    if out:
        out.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    return done


def table(done: dict) -> str:
    """A record as text, one line for each measurement."""
    names = {"import_grader": "import grader", "first_cell": "first cell", "workers_ready": "workers ready"}
    rows = {text: done[name] for name, text in names.items()}
    rows |= {f"check {number}": seconds for number, seconds in done["checks"].items()}
    rows |= {"all checks": done["all_checks"]} if "all_checks" in done else {}
    return "\n".join(
        f"{text:<16} median {s['median']:.3f} s, slowest {s['slowest']:.3f} s"
        + (f", 95th percentile {s['percentile_95']:.3f} s" if "percentile_95" in s else "")
        for text, s in rows.items()
    )


def _rounded(seconds: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(seconds), 3), "slowest": round(max(seconds), 3)}


def _import_seconds(statement: str) -> list[float]:
    """Seconds that a statement takes in a fresh process, several times."""
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], cwd=environment.ROOT, stdout=subprocess.PIPE, check=True)
            for _ in range(3)]  # fmt: skip
    return [float(run.stdout.split()[-1]) for run in runs]


def _start_seconds() -> float:
    """Seconds until both new zygotes can take an answer. They start at the same time, in the background."""
    zygotes.close_all()
    began = time.perf_counter()
    for mode in ("interpreted", "compiled"):
        zygotes.get(mode)
    for mode in ("interpreted", "compiled"):
        zygotes.get(mode).wait()
    return time.perf_counter() - began


def _check_seconds(notebooks: list[pathlib.Path]) -> dict[str, list[float]]:
    """{exercise: seconds of each of several checks}, for every exercise that the notebooks answer rightly."""
    times: dict[str, list[float]] = {}
    for path in notebooks:
        for exercise, answer in submissions.answers(submissions.read(path.read_bytes())):
            for _ in range(_REPEATS):
                began = time.perf_counter()
                result = judge.judge(exercise, answer)
                if result.status == "passed":
                    times.setdefault(exercise.id, []).append(time.perf_counter() - began)
    return times
