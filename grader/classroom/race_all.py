"""A class races: files whose answers passed their check are timed one after the other, and each becomes a row."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .. import lessons
from ..racing import race as racing
from ..racing.raced import Raced
from ..sentence import fault, said
from ..spec import Exercise, Result, Shape
from ..version import VERSION
from . import grading, lesson_digest, seeds, submissions
from .executors import GradingExecutor
from .race_rows import RaceRow, Races
from .rows import GIVEN_UP, NOT_GRADED


@dataclass(frozen=True)
class RaceJob:
    """The input for the race of one file, complete, so that another process can do it.

    job: the file, with the key from which its numbers are drawn. peers: whether the course's own functions race
    beside it.
    """

    job: grading.Job
    exercise: str
    card: str
    shapes: tuple[Shape, ...]
    peers: bool = False


def race_all(
    files: Iterable[submissions.SubmittedFile], races: Races, racer: GradingExecutor, secret: bytes, exercise: Exercise,
    card: str, shapes: tuple[Shape, ...], seconds: float,
) -> Iterator[tuple[str, bool]]:  # fmt: skip
    """Race the answers of files to an exercise, and add the row of each one to `races`.

    Yields (name, whether the file kept its earlier row). files: those whose answer passed its check. racer: an executor
    of one process, because a card has one race at a time. secret: of the run. shapes: the same for all. seconds: the
    limit of one file; one that takes longer is given up, and costs no other file. The course's own functions race
    beside the first file that has a time for each shape, once for a card and these shapes; where they take all of its
    time, it races again alone.

    Raises OSError if a row cannot be written, and grading.NotGraded if no process can race.
    """
    peers = any(
        row["raced"] is not None and row["raced"].peers and _all_timed(row["raced"], shapes) and row["card"] == card
        for row in races.contents.rows()
        if row["exercise"] == exercise.id and row["grader"] == VERSION and row["seed"] == seeds.name(secret)
    )
    for file in files:
        job = RaceJob(grading.job_of(file, secret, seconds), exercise.id, card, shapes, peers=not peers)
        if races.holds(_row(job)):
            yield file.name, True
            continue
        row = _raced(job, racer)
        peers = peers or (row["raced"] is not None and _all_timed(row["raced"], shapes))
        races.add(dict(row))
        yield file.name, False


def _all_timed(raced: Raced, shapes: tuple[Shape, ...]) -> bool:
    """Whether an answer has a time for each shape: then its peers have one too, or never will on this machine."""
    return [lap.shape for lap in raced.laps if lap.microseconds] == [*shapes]


def race_one(job: RaceJob) -> RaceRow:
    """The row of one file. No content of a file raises an error."""
    exercise = lessons.exercises()[job.exercise]
    if job.job.data is None:
        return _row(job, problem=fault(NOT_GRADED, "not raced: {why}", why=job.job.problem))
    passed = Result(exercise.id, exercise.title, "passed", float(exercise.points), float(exercise.points))
    try:
        answer = submissions.answer(submissions.read(job.job.data, job.job.name), exercise)
        raced = racing.race(exercise, answer, job.job.key, job.shapes, job.peers, passed)
        if job.peers and len(raced.laps) < len(job.shapes):  # the compilations of the peers may have taken its time
            raced = racing.race(exercise, answer, job.job.key, job.shapes, False, passed)
    except Exception as error:
        values = {"name": type(error).__name__, "error": error}
        return _row(job, problem=fault(NOT_GRADED, "not raced: the grader itself failed: {name}: {error}", **values))
    return _row(job, raced)


def _raced(job: RaceJob, racer: GradingExecutor) -> RaceRow:
    """The row of a file that races in the process of `racer`. Raises grading.NotGraded."""
    began = time.monotonic()
    try:
        return racer.executor.submit(race_one, job).result()
    except racer.lost_worker_errors as error:
        why = said("it did not end in {seconds} seconds", seconds=f"{time.monotonic() - began:.0f}")
        if not isinstance(error, TimeoutError):
            why = said("it ended the process that raced it")
        return _row(job, problem=fault(GIVEN_UP, "given up: {why}", why=why))
    except Exception as error:
        raise grading.NotGraded(f"{type(error).__name__}: {error}") from error


def _row(job: RaceJob, raced: Raced | None = None, problem: str | None = None) -> RaceRow:
    file, lesson = job.job, lessons.number_of(job.exercise)
    return {
        "submission": file.name, "student": file.student, "exercise": job.exercise, "sha256": file.sha256 or "",
        "digest": lesson_digest.of(lesson), "grader": VERSION, "seed": file.seed, "card": job.card,
        "shapes": job.shapes, "seconds": file.seconds, "raced": raced, "problems": (problem,) if problem else (),
    }  # type: ignore[typeddict-item]  # fmt: skip
