"""The ranking of a race: who is how fast, and which differences are noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..classroom.race_rows import RaceRow
from ..classroom.sanitize import plain
from ..racing.raced import Raced
from ..sentence import Said, joined, said
from ..spec import Card, Exercise, Lap, Shape
from .entries import Entry

# The same answer, raced again, stays within this part of its time: for launches of more than SHORT µs, and for others.
NOISE, NOISE_OF_SHORT = 0.02, 0.05
SHORT = 20.0


@dataclass(frozen=True)
class Entrant:
    """One file in the race.

    entry: the student's row, None for a function of the course. name: as it is shown. share: the geometric mean, over
    the shapes, of the copy's time divided by its own. noise: the part of `share` below which a difference says nothing.
    rank: 1 for the first; those whose difference from it is its noise have the same. tied: whether it shares its rank.
    """

    entry: Entry | None
    name: str
    laps: tuple[Lap, ...]
    share: float
    noise: float
    rank: int = 0
    tied: bool = False

    @property
    def notes(self) -> list[Said]:
        """Sentences about its laps, each once."""
        return list(dict.fromkeys(plain(note) for lap in self.laps for note in lap.notes))


@dataclass(frozen=True)
class Ranking:
    """The outcome of a race.

    entrants: the fastest first. without: (entry, why it has no rank). names: {key of a student: name
    that is shown}. peers: functions of the course, which have no
    rank; the fastest first.
    """

    exercise: Exercise
    card: Card
    shapes: tuple[Shape, ...]
    entrants: list[Entrant]
    without: list[tuple[Entry, Said | str]]
    names: Mapping[str, str]
    peers: list[Entrant]
    date: str


def noise_of(lap: Lap) -> float:
    """The part of a lap's time below which a difference says nothing: its spread, or what a card allows at best."""
    least = NOISE if (lap.microseconds or 0.0) > SHORT else NOISE_OF_SHORT
    return max(lap.spread or 0.0, least)


def share_of(raced: Raced) -> float | None:
    """The geometric mean of the shares of its laps; None unless there is a time for every shape.

    A race that ended early, as where an answer left, has laps of some shapes alone.
    """
    shares = [lap.share for lap in raced.laps]
    if raced.refused or not shares or not all(shares):
        return None
    return math.exp(math.fsum(math.log(share) for share in shares if share) / len(shares))


def why_without(row: RaceRow) -> Said | str | None:
    """Why a file that raced has no share, as a sentence of plain text; None where it has one."""
    raced = row["raced"]
    if raced is None:
        return plain(joined("{one}; {two}", list(row["problems"])))
    if share_of(raced) is not None:
        return None
    refused = [said("on {shape}: {why}", shape=str(lap.shape), why=lap.refused) for lap in raced.laps if lap.refused]
    return plain(raced.refused or joined("{one}; {two}", refused) or said("it has no time"))


def of(
    entries: Sequence[Entry], rows: Sequence[RaceRow], names: Mapping[str, str], exercise: Exercise,
    card: Card, shapes: tuple[Shape, ...],
) -> Ranking:  # fmt: skip
    """The ranking of the files that count.

    entries: of the exercise's lesson, and of files that answer no lesson. rows: of this exercise, card and shapes.
    names: {key of a student: name that is shown}.
    """
    mine = {(row["submission"], row["sha256"]): row for row in rows}
    entrants, without = [], []
    for entry in entries:
        row = mine.get((entry.row["submission"], entry.row["sha256"] or ""))
        raced = row["raced"] if row else None
        if (why := _why_not_raced(entry, row, exercise)) is not None:
            without.append((entry, why))
        elif raced is not None:
            entrants.append(_entrant(entry, names[entry.key], raced.laps))
    done = [row["raced"] for row in rows if row["raced"] is not None]
    notes = [note for raced in done if raced.card is not None for note in raced.card.notes]
    of_peers = next(filter(None, (_whole(raced.peers or {}, shapes) for raced in done)), {})
    peers = [_entrant(None, name, laps) for name, laps in of_peers.items()]
    return Ranking(
        exercise,
        replace(card, notes=tuple(dict.fromkeys([*card.notes, *notes]))),
        shapes,
        ranked(entrants),
        without,
        names,
        sorted(peers, key=lambda each: -each.share),
        max((raced.date for raced in done), default=""),
    )


def _whole(peers: Mapping[str, tuple[Lap, ...]], shapes: tuple[Shape, ...]) -> dict[str, tuple[Lap, ...]]:
    """The functions of the course that have a time for every shape: beside an answer that failed on one, none has."""
    return {
        name: laps
        for name, laps in peers.items()
        if {lap.shape for lap in laps} == {*shapes} and all(lap.share for lap in laps)
    }


def _why_not_raced(entry: Entry, row: RaceRow | None, exercise: Exercise) -> Said | str | None:
    """Why a file has no rank, as a sentence; None where it has one, or where another file counts in its place."""
    if entry.row["lesson"] is None:
        return joined("{one}; {two}", list(entry.row["problems"])) or said("it answers no lesson")
    record = next((each for each in entry.row["exercises"] if each["id"] == exercise.id), None)
    if not entry.counts:
        return None
    if record is None or record["status"] == "not_attempted":
        return said("not attempted")
    if record["status"] != "passed":
        counts = {"passed": record["cases_passed"], "cases": record["cases"]}
        return said("its check passed {passed} of {cases} cases", **counts)
    return said("not raced") if row is None else why_without(row)


def _entrant(entry: Entry | None, name: str, laps: tuple[Lap, ...]) -> Entrant:
    share = math.exp(math.fsum(math.log(lap.share or 1.0) for lap in laps) / len(laps))
    return Entrant(entry, name, laps, share, math.fsum(map(noise_of, laps)) / len(laps))


def ranked(entrants: Iterable[Entrant]) -> list[Entrant]:
    """The entrants with their ranks, the fastest first.

    Those whose difference from the first of a rank is no larger than the noise of the first share its rank; whoever
    comes behind them has as many in front as there are. So ranks may go 1, 1, 3, and nobody stands before somebody
    faster. The noise of the slower one does not count: an answer that makes its times vary would gain a rank by it.
    """
    groups: list[list[Entrant]] = []
    for each in sorted(entrants, key=lambda each: (-each.share, each.name)):
        first = groups[-1][0] if groups else None
        if first is not None and math.log(first.share / each.share) <= first.noise:
            groups[-1].append(each)
        else:
            groups.append([each])
    found: list[Entrant] = []
    for group in groups:
        found += [replace(each, rank=len(found) + 1, tied=len(group) > 1) for each in group]
    return found
