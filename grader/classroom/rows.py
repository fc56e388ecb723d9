"""A row of results.jsonl: its fields, and the check that a line holds one.

The annotations of Row and of spec.Record are the schema. A line that does not fit is damaged, wherever it is read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Literal, TypedDict

from .. import lessons
from ..checks import shape
from ..isolation import LEVELS, UNKNOWN
from ..protocol import schema
from ..sentence import Said, kind_of, message, said, tree
from ..spec import Record

MAX_ANSWER = 20_000  # characters of an answer that a row keeps; the course's longest has a third of that
NOT_GRADED = "not-graded"  # the kind of a problem that is the machine's: the file is graded again
GIVEN_UP = "given-up"  # the kind of a problem that the file would have again
NOT_ASKED = "not-asked"  # the kind of a problem: the file's lesson is none of the assignment's
_MAX_NUMBER, _MAX_DEPTH = 1e15, 36
_ROUNDED = 1e-3  # points by which a sum may differ
_SENTENCES = {"problems", "title", "message", "flags", "remarks", "ledger"}  # fields of a row and its records
_SAID = "said"  # the field of a line that has template and values of each sentence in the row


class KeptAnswer(TypedDict):
    """An answer as it was judged, for reports.

    text: its first 20,000 characters. shape, size: see checks/shape.py; None and 0 for a longer text, and for one that
    is not Python.
    """

    text: str
    shape: str | None
    size: int


class Row(TypedDict):
    """The row of one submitted file.

    sha256: of its bytes, None if they cannot be read. seconds: time of grading. handed_in: when, in UTC, None where no
    platform says so. instead: another file of the same student for the same lesson, which counts in place of this one;
    without exercises, this one was not judged. undecided: whether nothing says which of several files counts, so that
    the one with the most points does. answers: by exercise, of those that have a text; None in a row of a grader that
    kept none. digest: of the lesson's exercises, None in a row of a grader that kept none.
    seconds_each: the limit of an exercise.
    """

    submission: str
    student: str
    handed_in: str | None
    instead: str | None
    undecided: bool | None
    lesson: str | None  # a number of the outline, such as "05"
    sha256: str | None
    grader: str  # the version
    seed: str  # name of the secret
    score: float
    max_score: float  # without bonus exercises, so that the score may be above it
    isolation: Literal[(*LEVELS, UNKNOWN)]
    seconds: float
    problems: list[str]
    exercises: list[Record]
    language: str | None  # that the notebook speaks, where it says so
    answers: dict[str, KeptAnswer] | None
    digest: str | None
    seconds_each: float | None


class Damaged(Exception):
    """The line holds no row. submission: the file that the line is about, None if it does not say."""

    def __init__(self, why: str, submission: str | None = None):
        super().__init__(why)
        self.submission = submission


def kept(text: str) -> KeptAnswer:
    """An answer for a row. text: its source."""
    found = shape.of(text) if len(text) <= MAX_ANSWER else None
    text = text[:MAX_ANSWER].encode("utf-8", "replace").decode()
    return {"text": text, "shape": found and found.digest, "size": found.size if found else 0}


def line(row: dict) -> bytes:
    """The line for a row: its sentences in English, and beside them template and values of each."""
    found: dict[str, list] = {}
    _each(row, lambda text: found.setdefault(str(text), tree.tree(text)) if isinstance(text, Said) else None)
    return json.dumps(row | {_SAID: found}).encode() + b"\n"


def _each(data, do: Callable[[str], object]):
    """JSON data in which each text that `do` makes another value of is that value."""
    if isinstance(data, dict):
        return {name: _each(value, do) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_each(value, do) for value in data]
    return (do(data) or data) if isinstance(data, str) else data


def parse(line: bytes) -> Row:
    """The row in a line, without the fields that this version does not know. Raises Damaged.

    A row of a grader that kept no templates has plain texts for its sentences.
    """
    data, submission = json_of(line), None
    if isinstance(data, dict) and isinstance(data.get("submission"), str):
        submission = data["submission"]
    try:
        row = schema.unpack(data, Row)
        known = schema.codec(dict[str, Said]).unpack(data.get(_SAID) or {})
    except schema.Mismatch as error:
        raise Damaged(message(error), submission) from None
    if row["lesson"] is not None and not re.fullmatch(r"[0-9]{2}", row["lesson"]):
        raise Damaged(said("lesson: two digits expected"), submission)
    if row["handed_in"] is not None and not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}", row["handed_in"]):
        raise Damaged(said("handed_in: a time such as 2026-11-22 10:15:00 expected"), submission)
    if not all(re.fullmatch(r"[0-9]{1,3}\.[0-9]{1,3}", e["id"]) for e in row["exercises"]):
        raise Damaged(said("exercises: an id such as 4.1 expected"), submission)
    if why := _contradiction(row):
        raise Damaged(why, submission)
    for part in (row, *row["exercises"]):
        for name in part.keys() & _SENTENCES:
            part[name] = _each(part[name], lambda text: known[text] if known.get(text) == text else None)
    return row


def with_sentences(data: dict) -> dict:
    """Data that `line` wrote, with its sentences as sentences. Raises Damaged."""
    try:
        known = schema.codec(dict[str, Said]).unpack(data.get(_SAID) or {})
    except (schema.Mismatch, AttributeError) as error:
        raise Damaged(message(error)) from None
    rest = {name: value for name, value in data.items() if name != _SAID}
    return _each(rest, lambda text: known[text] if known.get(text) == text else None)


def _contradiction(row: Row) -> Said | None:
    """What in a row cannot be true together: points, exercises, lesson."""
    exercises = row["exercises"]
    if row["lesson"] is not None and row["lesson"] not in lessons.OUTLINE:
        return said("lesson: the course has no lesson {lesson}", lesson=row["lesson"])
    if twice := [id for id, count in Counter(e["id"] for e in exercises).items() if count > 1]:
        return said("exercises: {id} stands there twice", id=twice[0])
    for e in exercises:
        if row["lesson"] is None or int(e["id"].split(".")[0]) != int(row["lesson"]):
            return said("exercises: {id} is none of the row's lesson", id=e["id"])
        if e["id"] not in lessons.exercises():
            return said("exercises: lesson {lesson} has no exercise {id}", lesson=row["lesson"], id=e["id"])
        if e["score"] < 0 or e["max_score"] < 0:
            return said("exercises: {id} has points below 0", id=e["id"])
    sums = {
        "score": sum(min(e["score"], e["max_score"]) for e in exercises),
        "max_score": sum(e["max_score"] for e in exercises if not e["bonus"]),
    }
    for name, points in sums.items():
        if abs(row[name] - points) > _ROUNDED * (1 + len(exercises)):  # type: ignore[literal-required]
            shown = {"given": f"{row[name]:g}", "points": f"{points:g}"}  # type: ignore[literal-required]
            return said("{name}: {given}, and the sum of its exercises is {points}", name=name, **shown)
    return None


def replaces(row: Row, earlier: Row) -> bool:
    """Whether a row takes the place of an earlier one.

    That is one about the same student, file and lesson, or about a file of the same name with the same bytes. A row
    that found no lesson gives way to one that did. Not the other way round: the file that had another lesson may be of
    another assignment. And of a notebook with answers to two lessons, one grader judges that which an assignment asks
    for: both rows stay.
    """
    if row["submission"] != earlier["submission"]:
        return False
    alike = row["student"] == earlier["student"]
    same = alike and earlier["lesson"] in (None, row["lesson"])
    if alike and row["grader"] == earlier["grader"] and None not in (row["lesson"], earlier["lesson"]) and not same:
        return False
    return same or (row["sha256"] is not None and row["sha256"] == earlier["sha256"])


def timed_out(row: Row) -> bool:
    """Whether more seconds may change the row."""
    given_up = any(kind_of(problem) == GIVEN_UP for problem in row["problems"])
    return given_up or any(e["status"] == "timeout" for e in row["exercises"])


def not_asked(row: Row) -> bool:
    """Whether the file's lesson was none of the assignment's, so that its answers were not judged."""
    return any(kind_of(problem) == NOT_ASKED for problem in row["problems"])


def for_a_person(row: Row) -> bool:
    """Whether the grader gave the file up or made a slip of its own, so that grading it again would be no help."""
    given_up = any(kind_of(problem) == GIVEN_UP for problem in row["problems"])
    return given_up or any("grader-error" in e["flags"] for e in row["exercises"])


def failed(row: Row) -> bool:
    """Whether the machine failed on this file or on one of its exercises, so that the file is graded again."""
    return any(kind_of(problem) == NOT_GRADED for problem in row["problems"]) or any(
        "grader-failed" in e["flags"] for e in row["exercises"]
    )


def json_of(line: bytes):
    """The JSON data in a line, with small numbers and little nesting. Raises Damaged."""
    try:
        data = json.loads(
            line.decode("utf-8-sig"), parse_int=_number(int), parse_float=_number(float), parse_constant=_number(float)
        )
    except UnicodeDecodeError:
        raise Damaged(said("it is not UTF-8")) from None
    except RecursionError:
        raise Damaged(said("it is nested too deeply")) from None
    except ValueError:
        raise Damaged(said("it is not JSON")) from None
    level = [data]
    for _ in range(_MAX_DEPTH):
        parts = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list))]
        level = [each for part in parts for each in part]
    if level:
        raise Damaged(said("it is nested too deeply"))
    return data


def _number(kind: type):
    def convert(text: str):
        if not abs(float(text)) < _MAX_NUMBER:  # also NaN
            raise Damaged(said("a number in it is too large, or is none"))
        return kind(text)

    return convert
