"""race.jsonl in a folder of results: one row for each file that raced on a GPU.

A row stays valid as long as its key does: the file's hash, the digest of its exercises, the grader's version, the
card, the shapes and the secret's name. So the same command goes on where a killed one was.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterable
from typing import TypedDict

from ..protocol import schema
from ..racing.raced import Raced
from ..sentence import Said, kind_of, message, said
from ..spec import Lap, Shape
from . import row_file
from .row_file import Contents, Kind, RowFile, Rows
from .rows import GIVEN_UP, NOT_GRADED, Damaged, json_of

FILE = "race.jsonl"
DAMAGED = "race.damaged.jsonl"  # the lines of race.jsonl that held no row


class RaceRow(TypedDict):
    """The row of one file in the race of one exercise.

    sha256: of the file's bytes. digest: of the lesson's exercises. grader: the version. seed: name of the secret from
    which shapes and numbers are drawn. card: name of the GPU. shapes: on which it raced. seconds: the limit of one
    file. problems: sentences; without `raced` they say why it is missing.
    """

    submission: str
    student: str
    exercise: str
    sha256: str
    digest: str | None
    grader: str
    seed: str
    card: str
    shapes: tuple[Shape, ...]
    seconds: float
    raced: Raced | None
    problems: tuple[Said, ...]


def parse(line: bytes) -> RaceRow:
    """The row in a line, without the fields that this version does not know. Raises Damaged."""
    data, submission = json_of(line), None
    if isinstance(data, dict) and isinstance(data.get("submission"), str):
        submission = data["submission"]
    try:
        row = schema.unpack(data, RaceRow)
    except schema.Mismatch as error:
        raise Damaged(message(error), submission) from None
    raced = row["raced"]
    if raced is None and not row["problems"]:
        raise Damaged(said("raced: neither a race nor a reason"), submission)
    if raced is not None and raced.exercise != row["exercise"]:
        raise Damaged(said("raced: it is of another exercise"), submission)
    if raced is not None and not raced.refused and [lap.shape for lap in raced.laps] != [*row["shapes"]]:
        raise Damaged(said("raced: a lap for each shape expected"), submission)
    of_peers = raced.peers.values() if raced is not None and raced.peers else ()
    if raced is not None and not all(map(_possible, (*raced.laps, *(lap for laps in of_peers for lap in laps)))):
        raise Damaged(said("raced: a time above 0 expected, between its quartiles"), submission)
    return row


def _possible(lap: Lap) -> bool:
    """Whether a lap has times that a clock may give, or a reason why it has none."""
    if lap.microseconds is None:
        return bool(lap.refused)
    low, high = lap.quartiles or (lap.microseconds, lap.microseconds)
    return 0 < low <= lap.microseconds <= high and lap.copy is not None and lap.copy > 0


def _line(row: RaceRow) -> bytes:
    return json.dumps(schema.pack(row, RaceRow)).encode() + b"\n"


def key_of(row: RaceRow) -> tuple:
    """What a row is about: student, file, exercise, card and shapes."""
    return row["student"], row["submission"], row["exercise"], row["card"], row["shapes"]


def _replaces(row: RaceRow, earlier: RaceRow) -> bool:
    return key_of(row) == key_of(earlier)


_KIND = Kind(FILE, DAMAGED, _line, parse, key_of, _replaces)


class Races(RowFile):
    """The race.jsonl of a folder, which is locked until it is closed. Raises what RowFile raises."""

    def __init__(self, folder: pathlib.Path):
        super().__init__(folder, _KIND)

    def holds(self, wanted: RaceRow) -> bool:
        """Whether there is a row that is as good as a new one with these values would be.

        The machine may have failed on it: then it is not. Where time was short, it had no fewer seconds.
        """
        names = ("student", "exercise", "sha256", "digest", "grader", "seed", "card", "shapes")
        return any(
            all(row[name] == wanted[name] for name in names)  # type: ignore[literal-required]
            and not failed(row)
            and not (given_up(row) and row["seconds"] < wanted["seconds"])
            for row in self.of_file(wanted["submission"])
        )


def read(folder: pathlib.Path) -> Contents:
    """The contents of the race.jsonl of a folder; empty if there is none. Raises OSError if it cannot be read."""
    return row_file.read(folder / FILE, _KIND)


def rows_of(folder: pathlib.Path) -> Rows:
    """The rows of the race.jsonl of a folder, for exports; as `read` otherwise."""
    return row_file.rows_of(folder / FILE, _KIND)


def last(rows: Iterable[RaceRow]) -> dict[tuple[str, str, str], RaceRow]:
    """{(file, its hash, exercise): its last row}: a file may have raced on several cards, or on several shapes."""
    return {(row["submission"], row["sha256"], row["exercise"]): row for row in rows}


def failed(row: RaceRow) -> bool:
    """Whether the machine failed on it, so that it races again."""
    return any(kind_of(problem) == NOT_GRADED for problem in row["problems"])


def given_up(row: RaceRow) -> bool:
    """Whether the file ended the process that raced it, or did not end in time."""
    return any(kind_of(problem) == GIVEN_UP for problem in row["problems"])
