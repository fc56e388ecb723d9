"""A file that was handed in -> its row; many of them -> a folder of results, one row a file, whatever the file is."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace

from .. import lessons
from ..isolation import LEVELS, UNKNOWN
from ..judge import extract, zygotes
from ..spec import Exercise, Result
from ..version import VERSION
from . import seeds, submissions
from .executors import Crew
from .results_store import NOT_GRADED, Results

_EXERCISES = 3  # a file has this many times the seconds of one exercise, for all of its exercises together
_HANG = 5  # and a process that is busy with it this many times longer than that is not coming back


@dataclass(frozen=True)
class Work:
    """All that grading one file takes, so that it can be done anywhere.

    seconds: for one exercise. data: the file's bytes, None when they cannot be read; `problem` then says why. key: what
    the seeds are made from. seed: the name of the secret behind it. isolation: the level that answers must run under.
    """

    name: str
    student: str
    seconds: float
    seed: str
    data: bytes | None = None
    sha256: str | None = None
    key: bytes = b""
    problem: str = ""
    isolation: str = LEVELS[0]


class NotGraded(Exception):
    """Whoever was to grade the files could not."""


class BelowLevel(Exception):
    """Whoever was to grade the files keeps answers less apart than was asked for."""


def patience(seconds: float) -> float:
    """Seconds after which a process that grades one file is given up; `seconds` are for one exercise."""
    return _HANG * _EXERCISES * seconds


def grade(work: Work) -> dict:
    """The row of one file. Never raises for anything a file may be; raises BelowLevel before any answer runs."""
    if work.data is not None and b"triton" in work.data:
        zygotes.warm("interpreted", "compiled")  # its kernels will be shown to both
    began, level = time.monotonic(), zygotes.isolation()
    if level not in at_least(work.isolation):
        raise BelowLevel(f"answers would run at isolation level {level}, and {work.isolation} is required")
    lesson, problems, results = None, [work.problem] if work.problem else [], []
    try:
        if work.data is not None:
            handed_in = submissions.read(work.data, work.name)
            lesson, problems = handed_in.lesson, handed_in.problems
            results = _judged(handed_in, work)
            problems += _repeated(handed_in)
    except Exception as error:
        problems.append(f"{NOT_GRADED}: the grader itself failed: {type(error).__name__}: {error}")
    return _row(work, lesson, problems, results, level, began)


def at_least(level: str) -> tuple[str, ...]:
    """This level of isolation and those above it."""
    return LEVELS[LEVELS.index(level) :]


def run(
    handed: Iterable[submissions.Handed], results: Results, crew: Crew, secret: bytes, seconds: float,
    isolation: str = LEVELS[0],
) -> Iterator:  # fmt: skip
    """Grade files and add a row for each as it is finished. Yields (name, whether a file kept the row it had).

    A file keeps its row when its bytes, the grader and the secret are the same and its answers ran at this level of
    isolation or a higher one. Files are read when somebody is free to grade them, so that few of them are in memory.
    Raises OSError when a row cannot be written, NotGraded, BelowLevel.
    """
    running: dict[Future, Work] = {}
    for each in handed:
        work = replace(_work(each, secret, seconds), isolation=isolation)
        if results.holds(work.name, (work.sha256, VERSION, work.seed), at_least(isolation)):
            yield work.name, True
            continue
        while len(running) >= crew.width():
            yield from _finished(running, results, crew)
        try:
            running[crew.executor.submit(grade, work)] = replace(work, data=None)
        except RuntimeError as error:
            raise NotGraded(str(error)) from error
    while running:
        yield from _finished(running, results, crew)


def _finished(running: dict[Future, Work], results: Results, crew: Crew) -> Iterator:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        work = running.pop(future)
        try:
            row = future.result()
        except crew.lost as error:
            why = str(error) if isinstance(error, TimeoutError) else "the file ended the process that graded it"
            row = _row(work, None, [f"{NOT_GRADED}: {why}"], [], UNKNOWN, time.monotonic())
        except BelowLevel:
            raise
        except Exception as error:
            raise NotGraded(f"{type(error).__name__}: {error}") from error
        results.add(row)
        yield work.name, False


def distinct(handed: Iterable[submissions.Handed]) -> list[submissions.Handed]:
    """The same files, each with a name of its own: the second ada/05.ipynb is ada/05.ipynb (2)."""
    found: dict[str, submissions.Handed] = {}
    for each in handed:
        names = itertools.chain([each.name], (f"{each.name} ({n})" for n in itertools.count(2)))
        name = next(n for n in names if n not in found)
        found[name] = replace(each, name=name)
    return list(found.values())


def _work(handed: submissions.Handed, secret: bytes, seconds: float) -> Work:
    work = Work(handed.name, handed.student, seconds, seeds.name(secret))
    try:
        data = handed.load()
    except Exception as error:  # a library that unpacks archives may raise anything
        return replace(work, problem=f"the file cannot be read: {getattr(error, 'strerror', None) or error}")
    sha256 = hashlib.sha256(data).hexdigest()
    return replace(work, data=data, sha256=sha256, key=seeds.of_submission(secret, sha256))


def _judged(handed_in: submissions.Submission, work: Work) -> list[Result]:
    """The results of a file's exercises. No exercise takes the last half of another's seconds."""
    exercises = lessons.of_lesson(handed_in.lesson) if handed_in.lesson else []
    end, found = time.monotonic() + _EXERCISES * work.seconds, []
    for later, exercise in zip(reversed(range(len(exercises))), exercises):
        left = end - time.monotonic() - later * work.seconds / 2
        found.append(_result(exercise, handed_in.cells, work, min(max(left, work.seconds / 2), work.seconds)))
    return found


def _result(exercise: Exercise, cells: list[str], work: Work, seconds: float) -> Result:
    from ..judge.judge import judge

    try:
        seed = seeds.of_exercise(work.key, exercise.id)
        return judge(exercise, extract.extract(cells, exercise.names), seconds, seed)
    except Exception as error:  # a fault of the grader: it costs this exercise, and somebody should look
        message = f"the grader itself failed: {type(error).__name__}: {error}"
        points = float(exercise.points)
        return Result(exercise.id, exercise.title, "error", 0.0, points, message=message, flags=["grader-failed"])


def _repeated(handed_in: submissions.Submission) -> list[str]:
    count = extract.definitions(handed_in.cells)
    asked = [name for e in (lessons.of_lesson(handed_in.lesson) if handed_in.lesson else []) for name in e.names]
    return [f"{name} is defined {count[name]} times: the last definition counts" for name in asked if count[name] > 1]


def _row(
    work: Work, lesson: str | None, problems: list[str], results: list[Result], isolation: str, began: float
) -> dict:
    best = float(sum(r.max_score for r in results))
    score = min(round(sum(r.score for r in results), 6), best)
    return {
        "submission": work.name, "student": work.student, "lesson": lesson, "sha256": work.sha256,
        "grader": VERSION, "seed": work.seed, "score": score, "max_score": best,
        "isolation": isolation, "seconds": round(time.monotonic() - began, 2), "problems": problems,
        "exercises": [r.record() for r in results],
    }  # fmt: skip
