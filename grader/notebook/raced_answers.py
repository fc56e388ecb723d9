"""The answers of a learner that raced: kept between sessions, so that a new one can race with them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from .. import atomic_files
from ..spec import Answer
from . import progress_store

_MOST = 3  # of an exercise
_session: dict[str, list[dict]] = {}


@dataclass(frozen=True)
class Earlier:
    """An answer that raced before. date: of its first race, ISO 8601."""

    source: str
    date: str


def earlier(exercise: str, answer: Answer) -> list[Earlier]:
    """The answers to an exercise that raced before this one, and differ from it; the newest is the last."""
    return [Earlier(**one) for one in _kept().get(exercise, []) if one["source"] != answer.source]


def remember(exercise: str, answer: Answer, date: str) -> None:
    """Keep an answer that raced."""
    kept = _kept()
    others = [one for one in kept.get(exercise, []) if one["source"] != answer.source]
    kept[exercise] = [*others, {"source": answer.source, "date": date}][-_MOST:]
    _session[exercise] = kept[exercise]
    file = progress_store.beside("races")
    if file is not None:
        try:
            atomic_files.write(file, json.dumps(kept))
        except OSError:
            pass  # in a read-only folder, they last for the session only


def _kept() -> dict[str, list[dict]]:
    file = progress_store.beside("races")
    try:
        found = json.loads(file.read_text(encoding="utf-8")) if file else {}
        stored = {
            str(exercise): [{"source": str(one["source"]), "date": str(one["date"])} for one in answers]
            for exercise, answers in found.items()
        }
    except (OSError, ValueError, AttributeError, TypeError, KeyError):
        stored = {}
    return stored | _session
