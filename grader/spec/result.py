"""The result of one exercise: the verdict on an answer to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypedDict

from ..sentence import Said, mapped, said

# status -> (sign, word)
STATUS = {
    "passed": ("✓", said("passed")),
    "failed": ("✗", said("failed")),
    "error": ("✗", said("ended in an error")),
    "timeout": ("✗", said("did not end in time")),
    "not_attempted": ("·", said("not attempted")),
}


def sign_of(status: str) -> str:
    """The sign of a status, "?" for one that this version does not know."""
    return STATUS.get(status, ("?",))[0]


class Ledger(TypedDict):
    """Elements read and written, in units of M·N, and the part of an exercise that they are of."""

    read: float
    written: float
    part: str | None


class Record(TypedDict):
    """A Result as JSON data, without `text`. The annotations are the schema of results.jsonl (classroom/rows.py).

    seconds: time of judging, None where it was not taken.
    """

    id: str
    title: str
    status: Literal[tuple(STATUS)]  # type: ignore[valid-type]
    score: float
    max_score: float
    mistake: str | None
    also: str | None
    by_numbers: bool | None  # None in a row of a grader that did not tell
    message: str
    cases_passed: int
    cases: int
    cases_left: int | None  # None in a row of a grader that ran all
    ledger: Ledger | None
    budget: tuple[float, float] | None
    flags: list[str]
    remarks: list[str]
    seconds: float | None
    bonus: bool | None  # None in a row of a grader that had no bonus exercises


MAX_TEXT, MAX_TEXTS = 2000, 20  # characters of a sentence in a row; sentences in a list


def bounded(text: str) -> str:
    """A sentence for a row: at most 2,000 characters, without lone surrogates, which cannot be encoded."""
    if isinstance(text, Said) and len(text) <= MAX_TEXT:
        return mapped(text, lambda value: value.encode("utf-8", "replace").decode())
    text = text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
    return text.encode("utf-8", "replace").decode()


def all_bounded(texts: list[str]) -> list[str]:
    """The first 20 sentences for a row, `bounded`, and the number of the others."""
    others = [said("and {value} more", value=len(texts) - MAX_TEXTS)] if len(texts) > MAX_TEXTS else []
    return [bounded(text) for text in texts[:MAX_TEXTS]] + others


@dataclass(frozen=True)
class Result:
    """The verdict on an answer to one exercise.

    id, title: of the exercise. status: a key of STATUS. score, max_score: points. mistake: id of the mistake that
    explains the failure. message: sentence about the failure. ledger, budget: in units of M·N elements.
    """

    id: str
    title: str
    status: str
    score: float
    max_score: float
    cases_passed: int = 0
    cases: int = 0
    mistake: str | None = None
    also: str | None = None  # a second mistake that explains the output as well as the first
    message: str = ""
    ledger: Ledger | None = None  # keys "read", "written", and "part" for an exercise with parts
    budget: tuple[float, float] | None = None  # (read, written) that the exercise allows
    flags: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    by_numbers: bool = False  # whether its result alone tells the mistake, which another one may give, too
    bonus: bool = False  # of the exercise
    cases_left: int = 0  # of its cases: did not run, because the failures before them had told enough
    text: str = ""  # the feedback that a learner reads
    seconds: float | None = None

    def record(self) -> Record:
        """The record for results.jsonl. Its sentences are bounded, whatever they quote."""
        return {
            "id": self.id, "title": self.title, "status": self.status, "score": self.score,
            "max_score": self.max_score, "mistake": self.mistake, "also": self.also,
            "by_numbers": self.by_numbers, "message": bounded(self.message),
            "cases_passed": self.cases_passed, "cases": self.cases,
            "cases_left": self.cases_left, "ledger": self.ledger,
            "budget": list(self.budget) if self.budget else None,  # type: ignore[typeddict-item]  # as in JSON
            "flags": all_bounded(self.flags),
            "remarks": all_bounded(self.remarks), "bonus": self.bonus, "seconds": self.seconds,
        }  # fmt: skip
