"""A folder of submissions -> results.jsonl, one row a file, whatever the file is."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

from . import __version__, answer, lessons, submission
from .exercise import Exercise, Result
from .judge import SECONDS, judge

ISOLATION = "limits"  # the level of sandbox.py that every answer runs under


def grade(handed: submission.Handed, seconds: float = SECONDS) -> dict:
    """The row of one file. Never raises for anything a file may be."""
    began = time.monotonic()
    row = {"submission": handed.name, "student": handed.student, "lesson": None, "sha256": None}
    results: list[Result] = []
    try:
        data = handed.load()
    except (OSError, RuntimeError, NotImplementedError, ValueError, KeyError) as error:
        problems = [f"the file cannot be read: {getattr(error, 'strerror', None) or error}"]
    else:
        row["sha256"] = hashlib.sha256(data).hexdigest()
        handed_in = submission.read(data, handed.name)
        row["lesson"], problems = handed_in.lesson, handed_in.problems
        count = answer.definitions(handed_in.cells)
        for exercise in lessons.of_lesson(handed_in.lesson) if handed_in.lesson else []:
            results.append(_judged(exercise, handed_in.cells, seconds))
            for name in exercise.names:
                if count[name] > 1:
                    problems.append(f"{name} is defined {count[name]} times: the last definition counts")
    return row | {
        "grader": __version__,
        "score": sum(r.score for r in results),
        "max_score": float(sum(r.max_score for r in results)),
        "isolation": ISOLATION,
        "seconds": round(time.monotonic() - began, 2),
        "problems": problems,
        "exercises": [r.record() for r in results],
    }


def _judged(exercise: Exercise, cells: list[str], seconds: float) -> Result:
    try:
        return judge(exercise, answer.extract(cells, exercise.names), seconds)
    except Exception as error:  # a fault of the grader: it costs this exercise, and somebody should look
        message = f"the grader itself failed: {type(error).__name__}: {error}"
        points = float(exercise.points)
        return Result(exercise.id, exercise.title, "error", 0.0, points, message=message, flags=["grader-failed"])


def run(handed: list[submission.Handed], out: pathlib.Path, jobs: int, seconds: float) -> Iterator[dict]:
    """Grade files and append a row for each to out/results.jsonl as it finishes; yields the rows, old ones first.

    A file that has a row already, with the same bytes and the same grader, keeps it.
    """
    out.mkdir(parents=True, exist_ok=True)
    file = out / "results.jsonl"
    stored = {row["submission"]: row for row in rows(file)}
    kept = {h.name: stored[h.name] for h in handed if h.name in stored and _current(stored[h.name], h)}
    names = {h.name for h in handed}
    _rewrite(file, [*(row for name, row in stored.items() if name not in names), *kept.values()])
    yield from kept.values()
    todo = [h for h in handed if h.name not in kept]
    with ThreadPoolExecutor(jobs) as executor, open(file, "a", encoding="utf-8") as f:
        for future in as_completed([executor.submit(grade, h, seconds) for h in todo]):
            row = future.result()
            f.write(json.dumps(row) + "\n")
            f.flush()
            os.fsync(f.fileno())
            yield row


def rows(file: pathlib.Path) -> list[dict]:
    """The rows of a results.jsonl; a torn last line is left out."""
    found = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and {"submission", "sha256", "grader"} <= row.keys():
            found.append(row)
    return found


def _current(row: dict, handed: submission.Handed) -> bool:
    """Whether a stored row is of this grader and of the bytes that the file holds now."""
    if row["grader"] != __version__ or not row["sha256"]:
        return False
    try:
        return row["sha256"] == hashlib.sha256(handed.load()).hexdigest()
    except Exception:
        return False  # grading it will say what is wrong


def _rewrite(file: pathlib.Path, kept: list[dict]) -> None:
    beside = file.with_suffix(".new")
    beside.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    beside.replace(file)
