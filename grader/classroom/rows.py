"""A row of results.jsonl: its fields, and the check that a line holds one.

The annotations of Row and of spec.Record are the schema. A line that does not fit is damaged, wherever it is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Literal, TypedDict

from ..checks import shape
from ..isolation import LEVELS, UNKNOWN
from ..protocol import schema
from ..sentence import Said, kind_of, message, said, tree
from ..spec import Record

MAX_ANSWER = 20_000  # characters of an answer that a row keeps; the course's longest has a third of that
NOT_GRADED = "not-graded"  # the kind of a problem that is the machine's: the file is graded again
GIVEN_UP = "given-up"  # the kind of a problem that the file would have again
_MAX_NUMBER, _MAX_DEPTH = 1e15, 36
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
    platform says so. instead: a later file of the same student for the same lesson, for which this one was not graded.
    answers: by exercise, of those that have a text; None in a row of a grader that kept none.
    """

    submission: str
    student: str
    handed_in: str | None
    instead: str | None
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
    data, submission = _json(line), None
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
    for part in (row, *row["exercises"]):
        for name in part.keys() & _SENTENCES:
            part[name] = _each(part[name], lambda text: known[text] if known.get(text) == text else None)
    return row


def failed(row: Row) -> bool:
    """Whether the machine failed on this file or on one of its exercises, so that the file is graded again."""
    return any(kind_of(problem) == NOT_GRADED for problem in row["problems"]) or any(
        "grader-failed" in e["flags"] for e in row["exercises"]
    )


def _json(line: bytes):
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
