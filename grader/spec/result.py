"""A result: the verdict on one exercise."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Result:
    """The verdict on one exercise."""

    id: str
    title: str
    status: str  # passed, failed, not_attempted, error, timeout
    score: float
    max_score: float
    cases_passed: int = 0
    cases: int = 0
    mistake: str | None = None
    also: str | None = None  # a second mistake that explains the output as well as the first
    message: str = ""
    ledger: dict | None = None  # read, written, in units of M·N
    budget: tuple[float, float] | None = None  # what `ledger` may be, in the same units
    flags: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    text: str = ""  # what a learner sees

    def record(self) -> dict:
        """The row of results.jsonl."""
        return {
            "id": self.id, "title": self.title, "status": self.status, "score": self.score,
            "max_score": self.max_score, "mistake": self.mistake, "also": self.also, "message": self.message,
            "cases_passed": self.cases_passed, "cases": self.cases, "ledger": self.ledger,
            "budget": list(self.budget) if self.budget else None, "flags": self.flags, "remarks": self.remarks,
        }  # fmt: skip
