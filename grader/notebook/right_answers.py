"""The right answers of a learner: the last one to each exercise, kept between sessions for the lessons that follow."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from .. import atomic_files
from ..spec import Answer, Result
from . import progress_store

_session: dict[str, Right] = {}


@dataclass(frozen=True)
class Right:
    """An answer that passed its check. read, written: elements in units of M·N; None where the check counts none."""

    source: str
    read: float | None
    written: float | None


def remember(answer: Answer, result: Result) -> None:
    """Keep an answer that passed, in the place of an earlier one, for this session and in the file."""
    read, written = (result.ledger["read"], result.ledger["written"]) if result.ledger else (None, None)
    _session[result.id] = Right(answer.source, read, written)
    file = progress_store.beside("right")
    if file is not None:
        try:
            atomic_files.write(file, json.dumps({exercise: asdict(one) for exercise, one in kept().items()}))
        except OSError:
            pass  # in a read-only folder, they last for the session only


def kept() -> dict[str, Right]:
    """The last right answer to each exercise that has one, by exercise id, of this session and earlier ones."""
    file = progress_store.beside("right")
    try:
        found = json.loads(file.read_text(encoding="utf-8")) if file else {}
        stored = {str(exercise): _right(**one) for exercise, one in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        stored = {}
    return stored | _session


def _right(source: str, read: float | None, written: float | None) -> Right:
    """What the file says, which is the learner's own, and text."""
    return Right(str(source), *(None if moved is None else float(moved) for moved in (read, written)))
