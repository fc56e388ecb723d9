"""Grading: a submitted file with any content becomes a row, and many files become a folder of results."""

from __future__ import annotations

import hashlib
import itertools
import pathlib
import re
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from types import MappingProxyType

from .. import lessons
from ..isolation import LEVELS, UNKNOWN
from ..judge import zygotes
from ..sentence import Said, counted, fault, message, said
from ..spec import Exercise, Result, all_bounded
from ..version import VERSION
from . import contents, file_names, lesson_digest, run_order, seeds, submissions
from .contents import Contents
from .executors import GradingExecutor, Unreachable
from .plan import Standing
from .results_store import Results
from .rows import GIVEN_UP, NOT_ASKED, NOT_GRADED, Damaged, KeptAnswer, Row, kept

_FILE_FACTOR = 3  # the exercises of a file have this many times the seconds of one exercise
_OF_THE_MACHINE = (OSError, MemoryError, zygotes.NoWorker)  # exceptions that may not happen again
_PROCESS_FACTOR = 5  # a process that takes this many times longer than that for one file hangs
_LOOK_EVERY = 5.0  # seconds between two looks at whether the executor can still grade


@dataclass(frozen=True)
class Job:
    """The input for grading one file, complete, so that any machine can do it.

    seconds: the limit for one exercise. data: the bytes of the file, or None if they cannot be read; `problem` then
    says why. sha256: of data, in hexadecimal. key: the key from which the file's seeds are made. seed: the name of the
    secret from which the key is made. isolation: the lowest level at which answers may run. beside: the modules that
    were handed in beside the file. handed_in: see SubmittedFile. instead, undecided: see Row. asked: the lessons that
    are judged, None for all.
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
    beside: tuple[str, ...] = ()
    handed_in: str | None = None
    instead: str | None = None
    undecided: bool = False
    asked: tuple[str, ...] | None = None


class NotGraded(Exception):
    """The executor failed before a file was graded."""


class BelowLevel(Exception):
    """Answers would run at a lower level of isolation than the required one."""


def process_timeout(seconds: float) -> float:
    """Seconds after which a process that grades one file is ended; `seconds` are for one exercise."""
    return _PROCESS_FACTOR * _FILE_FACTOR * seconds


def grade(job: Job) -> Row:
    """The row of one file. No content of a file raises an error.

    Raises BelowLevel before any answer runs.
    """
    if job.data is not None and b"triton" in job.data:
        zygotes.warm("interpreted", "compiled")  # a kernel runs in both kinds of worker
    began, level = time.monotonic(), zygotes.isolation()
    if level not in at_least(job.isolation):
        raise BelowLevel(
            said(
                "answers would run at isolation level {level}, and {isolation} is required",
                level=level,
                isolation=job.isolation,
            )
        )
    lesson, problems, results, language = None, [job.problem] if job.problem else [], [], None
    texts: dict[str, KeptAnswer] = {}
    try:
        if job.data is not None:
            submission = submissions.read(job.data, job.name, job.asked)
            lesson, problems, language = submission.lesson, submission.problems, submission.language
            if lesson is None or job.asked is None or lesson in job.asked:
                results = _judged(submission, job)
                found = ((exercise.id, answer.source) for exercise, answer in submissions.answers(submission))
                texts = {number: kept(source) for number, source in found if source}
                problems += _unlike_live(submission, results) + _imported(submission, job)
            else:
                problems = [fault(NOT_ASKED, "not judged: lesson {lesson} is no part of the assignment", lesson=lesson)]
    except Exception as error:
        values = {"name": type(error).__name__, "error": error}
        if isinstance(error, _OF_THE_MACHINE):
            problem = fault(NOT_GRADED, "not graded: the grader itself failed: {name}: {error}", **values)
        else:
            problem = fault(GIVEN_UP, "given up: the grader itself failed: {name}: {error}", **values)
        problems.insert(0, problem)
    return _row(job, lesson, problems, results, level, began) | {"language": language, "answers": texts}


def at_least(level: str) -> tuple[str, ...]:
    """This level of isolation and the higher ones."""
    return LEVELS[LEVELS.index(level) :]


def grade_all(
    files: Iterable[submissions.SubmittedFile], results: Results, grader: GradingExecutor, secret: bytes,
    seconds: float, isolation: str = LEVELS[0], standings: Mapping[str, Standing] = MappingProxyType({}),
    asked: Collection[str] | None = None, again: Collection[str] = (),
) -> Iterator[tuple[str, bool]]:  # fmt: skip
    """Grade files and add the row of each one to `results`. Yields (name, whether the file kept its earlier row).

    A file keeps its row if its bytes, its exercises, the version of the grader and the secret are the same, if its
    answers ran at this level of isolation or a higher one, and if time was not too short. Few files are in memory at a
    time: a file is read when the executor has capacity for it. seconds: the limit for one exercise. standings: by name,
    what the plan says of a file; one that it does not name is judged and counts. asked: the lessons whose answers are
    judged, None for all. again: names of files that are graded again in any case.

    Raises OSError if a row cannot be written, NotGraded, BelowLevel, or Unreachable.
    """
    running: dict[Future, Job] = {}
    for file in files:
        standing = standings.get(file.name, Standing())
        job = replace(
            job_of(file, secret, seconds), isolation=isolation, instead=standing.instead, undecided=standing.undecided,
            asked=None if asked is None else tuple(asked),
        )  # fmt: skip
        key = job.sha256, VERSION, job.seed
        if job.name not in again and results.holds(
            job.student, job.name, key, at_least(isolation), seconds, standing.lesson
        ):
            results.restate((job.student, job.name, standing.lesson), job.instead, job.undecided)
            yield job.name, True
            continue
        if not standing.judged:
            problems = [standing.why] if standing.why else []
            results.add(_row(job, standing.lesson, problems, [], UNKNOWN, time.monotonic()))
            yield job.name, False
            continue
        while len(running) >= grader.capacity():
            yield from _finished(running, results, grader)
        running[_submit(grader, grade, job)] = replace(job, data=None)
    while running:
        yield from _finished(running, results, grader)


def contents_of(
    files: Sequence[submissions.SubmittedFile], grader: GradingExecutor, asked: Collection[str] | None = None
) -> Iterator[Contents]:
    """What each of several files holds, in their order. asked: the lessons of the assignment. Raises NotGraded.

    Files with the same bytes, as the course's blank notebooks of a whole class are, are read once.
    """
    running: deque[tuple[tuple | None, Future | None, Contents]] = deque()
    known: dict[tuple, Contents] = {}
    for file in files:
        if len(running) >= grader.capacity():
            yield _contents(running.popleft(), known, grader)
        job = replace(job_of(file, b"", 0.0), asked=None if asked is None else tuple(asked))
        if job.data is None:
            running.append((None, None, Contents(problems=(job.problem,))))
            continue
        ending = job.name.rpartition(".")[2].lower()  # a sentence may say it
        key = job.sha256, file_names.is_python(job.name), file_names.read(job.name).lesson, ending
        running.append((key, None if key in known else _submit(grader, contents_of_job, job), Contents()))
    while running:
        yield _contents(running.popleft(), known, grader)


def contents_of_job(job: Job) -> Contents:
    """What a file holds. No content of a file raises an error."""
    try:
        return contents.of(job.data or b"", job.name, job.asked)
    except Exception as error:  # `grade` meets it again, and its row says so
        return Contents(
            problems=(said("the grader itself failed: {name}: {error}", name=type(error).__name__, error=error),)
        )


def _done(running: Collection[Future], grader: GradingExecutor) -> set[Future]:
    """Those that are done, at least one. Raises Unreachable if nobody is left to grade."""
    while not (done := wait(running, _LOOK_EVERY, return_when=FIRST_COMPLETED).done):
        grader.look()
    if any(future.cancelled() for future in done):  # by a cluster that lost them
        raise Unreachable(said("the Dask scheduler went away, or began anew and knows nothing of its work"))
    return done


def _contents(
    waiting: tuple[tuple | None, Future | None, Contents], known: dict[tuple, Contents], grader: GradingExecutor
) -> Contents:
    key, future, found = waiting
    if key is None:
        return found
    if future is None:
        return known[key]
    _done([future], grader)
    try:
        known[key] = future.result()
    except grader.lost_worker_errors:
        known[key] = Contents(problems=(said("the file ended the process that read it"),))
    except Exception as error:
        raise NotGraded(f"{type(error).__name__}: {error}") from error
    return known[key]


def _submit(grader: GradingExecutor, function: Callable, job: Job) -> Future:
    try:
        return grader.executor.submit(function, job)
    except RuntimeError as error:
        raise NotGraded(message(error)) from error


def _finished(running: dict[Future, Job], results: Results, grader: GradingExecutor) -> Iterator[tuple[str, bool]]:
    """Wait until one file at least is graded, and add its row. Raises Unreachable if nobody is left to grade."""
    for future in _done(running, grader):
        job = running.pop(future)
        try:
            row = future.result()
        except grader.lost_worker_errors as error:
            late = isinstance(error, TimeoutError)
            problem = fault(
                GIVEN_UP,
                "given up: {why}; it is not tried again; to try, grade it into another folder",
                why=error if late else said("the file ended the process that graded it"),
            )
            row = _row(job, None, [problem], [], UNKNOWN, time.monotonic())
        except BelowLevel:
            raise
        except Exception as error:
            raise NotGraded(f"{type(error).__name__}: {error}") from error
        try:
            results.add(row)
        except Damaged as error:  # an answer that changed its counts, or a cluster with another grader
            problem = fault(NOT_GRADED, "not graded: the row made for it is damaged: {error}", error=error)
            results.add(_row(job, None, [problem], [], UNKNOWN, time.monotonic()))
        yield job.name, False


def distinct(files: Iterable[submissions.SubmittedFile]) -> list[submissions.SubmittedFile]:
    """The same files with distinct names: a second ada/05.ipynb becomes ada/05.ipynb (2)."""
    found: dict[str, submissions.SubmittedFile] = {}
    for file in files:
        names = itertools.chain([file.name], (f"{file.name} ({n})" for n in itertools.count(2)))
        name = next(n for n in names if n not in found)
        found[name] = replace(file, name=name)
    return list(found.values())


def job_of(file: submissions.SubmittedFile, secret: bytes, seconds: float) -> Job:
    """The job of a file, which is read here."""
    modules = tuple(pathlib.PurePath(name).stem for name in file.beside if name.lower().endswith(".py"))
    job = Job(file.name, file.student, seconds, seeds.name(secret), beside=modules, handed_in=file.handed_in)
    try:
        data = file.load()
    except Exception as error:  # a library that unpacks archives may raise anything
        if isinstance(why := message(error), Said):  # a refusal, which stands for itself
            return replace(job, problem=why)
        why = getattr(error, "strerror", None) or why
        return replace(job, problem=said("the file cannot be read: {value}", value=why))
    sha256 = hashlib.sha256(data).hexdigest()
    return replace(job, data=data, sha256=sha256, key=seeds.of_submission(secret, sha256))


def _judged(submission: submissions.Submission, job: Job) -> list[Result]:
    """The results of a file's exercises. Each later exercise keeps at least half of its seconds."""
    exercises = lessons.of_lesson(submission.lesson) if submission.lesson else []
    end, found = time.monotonic() + _FILE_FACTOR * job.seconds, []
    for later, exercise in zip(reversed(range(len(exercises))), exercises):
        began = time.monotonic()
        left = end - began - later * job.seconds / 2
        result = _result(exercise, submission, job, min(max(left, job.seconds / 2), job.seconds))
        found.append(replace(result, seconds=round(time.monotonic() - began, 3)))
    return found


def _result(exercise: Exercise, submission: submissions.Submission, job: Job, seconds: float) -> Result:
    from ..judge.judge import judge  # here, because it loads PyTorch, and the run that hands out jobs needs none

    try:
        seed = seeds.of_exercise(job.key, exercise.id)
        return judge(exercise, submissions.answer(submission, exercise), seconds, seed)
    except Exception as error:  # a fault of the grader costs one exercise, and its flag calls for a person
        flag = "grader-failed" if isinstance(error, _OF_THE_MACHINE) else "grader-error"
        message = said("the grader itself failed: {name}: {error}", name=type(error).__name__, error=error)
        points = float(exercise.points)
        return Result(
            exercise.id, exercise.title, "error", 0.0, points, message=message, flags=[flag], bonus=exercise.bonus
        )


def _unlike_live(submission: submissions.Submission, results: list[Result]) -> list[str]:
    """Sentences about what a check in the notebook may have seen otherwise.

    That is: a name that is defined twice or in a cell that never ran, and an exercise whose last check, as the file
    shows it, gave other points to another text.
    """
    attempted = {
        name: result.status != "not_attempted" for result in results for name in lessons.exercises()[result.id].names
    }
    found = run_order.remarks(submission.in_file, attempted)
    for result in results:
        check = submission.checks.get(result.id)
        if check is None or check.score == result.score:
            continue
        if check.digest != submissions.answer(submission, lessons.exercises()[result.id]).digest():
            found.append(
                said(
                    'check("{id}") gave {points} to another text than the one in the file: a cell was edited, '
                    "removed or run after it",
                    id=result.id,
                    points=counted(check.score, "point"),
                )
            )
    return found


def _imported(submission: submissions.Submission, job: Job) -> list[str]:
    """A sentence for each module beside the file that it imports."""
    code = "\n".join(submission.cells)
    return [
        said(
            "the notebook imports {module}.py, which was handed in beside it: only cells are "
            "read, so write what it defines into a cell",
            module=module,
        )
        for module in dict.fromkeys(job.beside)
        if re.search(rf"^[ \t]*(?:from|import)[ \t]+{re.escape(module)}\b", code, re.MULTILINE)
    ]


def _row(job: Job, lesson: str | None, problems: list[str], results: list[Result], isolation: str, began: float) -> Row:
    best = float(sum(r.max_score for r in results if not r.bonus))
    score = round(sum(min(r.score, r.max_score) for r in results), 6)
    return {
        "submission": job.name, "student": job.student, "lesson": lesson, "sha256": job.sha256,
        "handed_in": job.handed_in, "instead": job.instead, "undecided": job.undecided,
        "grader": VERSION, "seed": job.seed, "score": score, "max_score": best,
        "isolation": isolation, "seconds": round(time.monotonic() - began, 2),
        "problems": all_bounded(problems),
        "exercises": [r.record() for r in results], "language": None, "answers": {},
        "digest": lesson_digest.of(lesson), "seconds_each": job.seconds,
    }  # fmt: skip
