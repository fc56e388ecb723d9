"""The trace that a check leaves in a notebook file: which text it judged, and the points that it gave."""

from __future__ import annotations

from dataclasses import dataclass

_KEY = "five_passes"  # in the metadata of the check's output


@dataclass(frozen=True)
class Checked:
    """One check. exercise: its id. digest: of the answer (Answer.digest). score: in points."""

    exercise: str
    digest: str
    score: float

    def metadata(self) -> dict:
        """The metadata of the output that shows the check."""
        return {_KEY: {"exercise": self.exercise, "answer": self.digest, "score": self.score}}

    @classmethod
    def of(cls, output) -> Checked | None:
        """The check that an output of a notebook file shows; None where it shows none. The file may hold anything."""
        metadata = output.get("metadata") if isinstance(output, dict) else None
        found = metadata.get(_KEY) if isinstance(metadata, dict) else None
        if not isinstance(found, dict):
            return None
        exercise, digest, score = (found.get(name) for name in ("exercise", "answer", "score"))
        if not (isinstance(exercise, str) and isinstance(digest, str) and type(score) in (int, float)):
            return None
        return cls(exercise, digest, score)
