"""What a race does to points, where the assignment says so: an answer that passed has them by its share of a copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..classroom.race_rows import RaceRow, last
from ..classroom.rows import Row
from ..sentence import Said, counted, said
from ..spec import Record
from .ranking import share_of, why_without


def applied(
    rows: Iterable[Row], wanted: Mapping[str, float], races: Iterable[RaceRow], log: list[str]
) -> Iterator[Row]:
    """The rows with the points that their races leave.

    wanted: {exercise: the share of a copy that earns all its points}. A lower share earns as large a part of them, so
    that noise decides nothing. An answer that has not raced keeps its points. log: gets a sentence for each exercise
    of which some have not.
    """
    found = last(races)
    missing: dict[str, int] = {}
    for row in rows:
        records = []
        for record in row["exercises"]:
            race = found.get((row["submission"], row["sha256"] or "", record["id"]))
            if record["id"] not in wanted or record["status"] != "passed" or row["instead"] is not None:
                records.append(record)
            elif race is None:
                missing[record["id"]] = missing.get(record["id"], 0) + 1
                records.append(_with(record, record["score"], said("not raced yet: its points are those of the check")))
            else:
                records.append(_raced(record, race, wanted[record["id"]]))
        score = round(row["score"] + sum(new["score"] - old["score"] for new, old in zip(records, row["exercises"])), 6)
        yield row | {"exercises": records, "score": score}  # type: ignore[misc]
    for exercise, count in missing.items():
        log.append(
            said(
                "{exercise}: passed and not raced, so that the points of the check stay: {answers}; "
                "`python -m grader race SUBMISSIONS --exercise {exercise}` races them",
                exercise=exercise,
                answers=counted(count, "answer"),
            )
        )


def _raced(record: Record, race: RaceRow, wanted: float) -> Record:
    """The record of an answer that raced."""
    share = share_of(race["raced"]) if race["raced"] is not None else None
    if share is None:
        why = why_without(race) or ""
        return _with(record, 0.0, said("no points, because it has no time in the race: {why}", why=why))
    values = {"share": f"{share:.2f}", "wanted": f"{wanted:g}", "card": race["card"]}
    if share >= wanted:
        return _with(record, record["score"], said("raced at {share} of a copy on {card}", **values))
    told = said("raced at {share} of a copy on {card}; all points are from {wanted} on", **values)
    return _with(record, round(record["score"] * share / wanted, 6), told)


def _with(record: Record, score: float, remark: Said) -> Record:
    return record | {"score": score, "remarks": [*record["remarks"], remark]}  # type: ignore[return-value]
