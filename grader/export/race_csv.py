"""CSV of a race: a line for each entrant and each function of the course, the columns of each shape at the end."""

from __future__ import annotations

import csv
import io
import pathlib
from collections.abc import Mapping

from ..language import say
from ..sentence import joined
from .csv import text
from .entries import write
from .ranking import Entrant, Ranking


def export(ranking: Ranking, to: pathlib.Path, pseudonyms: Mapping[str, str]) -> None:
    """Write the file, which is for those who grade: it has names and pseudonyms. Raises OSError.

    pseudonyms: {key of a student: pseudonym}.
    """
    out = io.StringIO()
    table = csv.writer(out)
    who = ["student", "name", "pseudonym", "section", "submission"]
    of_shapes = [f"{what}_{shape}" for shape in ranking.shapes for what in ("microseconds", "copy_microseconds")]
    table.writerow(["rank", "tied", *who, "share_of_a_copy", "noise", "notes", "card", "date", *of_shapes])
    for each in (*ranking.entrants, *ranking.peers):
        table.writerow([*_cells(each, pseudonyms), text(ranking.card.name), ranking.date, *_times(each, ranking)])
    for entry, why in ranking.without:
        who = [entry.row["student"], entry.student, pseudonyms[entry.key], entry.section, entry.row["submission"]]
        table.writerow(["", "", *map(text, who), "", "", text(say(why)), text(ranking.card.name), ""])
    write(to, "\ufeff" + out.getvalue())


def _cells(each: Entrant, pseudonyms: Mapping[str, str]) -> list:
    notes = text(say(joined("{one}; {two}", each.notes))) if each.notes else ""
    numbers = [f"{each.share:.4f}", f"{each.noise:.4f}", notes]
    if each.entry is None:
        return ["", "", "", text(each.name), "", "", "", *numbers]
    row = each.entry.row
    who = [row["student"], each.entry.student, pseudonyms[each.entry.key], each.entry.section, row["submission"]]
    return [each.rank, "yes" if each.tied else "no", *map(text, who), *numbers]


def _times(each: Entrant, ranking: Ranking) -> list[str]:
    """Times of the function and of the copy, shape by shape."""
    laps = {lap.shape: lap for lap in each.laps}
    return [f"{time:.2f}" for s in ranking.shapes for time in (laps[s].microseconds or 0.0, laps[s].copy or 0.0)]
