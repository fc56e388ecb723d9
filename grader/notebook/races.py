"""A race in a notebook: who takes part, and the chart and the table of it."""

from __future__ import annotations

import functools
import html
import json
import secrets
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .. import environment
from ..language import say, wrap
from ..mistakes.mutant import reference
from ..protocol import schema
from ..racing import race
from ..racing.raced import Raced
from ..sentence import Said, said
from ..spec import Answer, Exercise, Lap, Result, Shape
from . import drawing, raced_answers
from .picture import Picture

RECORD = environment.ROOT / "records" / "races_on_h200.json"
_NAMES = {
    "five passes": said("five passes"),
    "masked_fill, torch.softmax": said("masked_fill, then torch.softmax"),
    "PyTorch's gradient of softmax": said("PyTorch's gradient of softmax"),
    "torch.softmax, its gradient": said("torch.softmax and its gradient"),
    "cross_entropy, its gradient": said("cross_entropy and its gradient"),
}


@dataclass(frozen=True)
class Entrant:
    """One line of the table."""

    name: str
    laps: Sequence[Lap]


def enter(exercise: Exercise, answer: Answer) -> Shown | None:
    """Let an answer race, and show it. Where it cannot, print why, and show what was recorded."""
    if exercise.id not in race.exercises():
        print(say(race.does_not_race(exercise.id)))
        return None
    if why := race.cannot_race_here(exercise.id):
        print(say(why))
        return recorded(exercise)
    secret = secrets.token_bytes(16)
    mine = race.race(exercise, answer, secret, peers=True)
    if not mine.checked or not mine.laps:
        print(say(mine.refused))
        return None
    on = [lap.shape for lap in mine.laps]
    others = [Entrant(_NAMES.get(name, name), laps) for name, laps in (mine.peers or {}).items()]
    entrants = [Entrant(said("your answer"), mine.laps), *others, *_again(exercise, answer, secret, on)]
    if any(lap.microseconds for lap in mine.laps):
        raced_answers.remember(exercise.id, answer, mine.date)
    return Shown(exercise.id, mine, entrants)


def _again(exercise: Exercise, answer: Answer, secret: bytes, on: Sequence[Shape]) -> Iterator[Entrant]:
    """The course's own answer, and earlier ones of the learner, which passed their checks."""
    passed = Result(exercise.id, exercise.title, "passed", exercise.points, exercise.points)
    timed = functools.partial(race.race, exercise, secret=secret, on=on, checked=passed)
    own = Answer(reference(exercise.id))
    if own.source.strip() != answer.source.strip():
        yield Entrant(said("the course's answer"), timed(own).laps)
    for before in raced_answers.earlier(exercise.id, answer):
        yield Entrant(said("yours of {date}", date=before.date), timed(Answer(before.source)).laps)


def recorded(exercise: Exercise) -> Shown | None:
    """What an H200 recorded of the course's answer; None where nothing was."""
    try:
        found = json.loads(RECORD.read_text(encoding="utf-8"))["races"][exercise.id]
        raced = schema.unpack(found, Raced)
    except (OSError, ValueError, KeyError):
        return None
    peers = [Entrant(_NAMES.get(name, name), laps) for name, laps in (raced.peers or {}).items()]
    return Shown(exercise.id, raced, [Entrant(said("the course's answer"), raced.laps), *peers], recorded=True)


class Shown(Picture):
    """A race as a chart and a table. The table is the description of the chart, and all of it in a terminal."""

    def __init__(self, exercise: str, raced: Raced, entrants: Sequence[Entrant], recorded: bool = False):
        super().__init__("", self.draw)
        self.raced, self._exercise, self._recorded = raced, exercise, recorded
        self.entrants = sorted(entrants, key=_speed, reverse=True)
        self.shapes = [lap.shape for lap in raced.laps]

    def title(self) -> Said:
        """One line: the exercise, the card, and whether it was another day."""
        card = self.raced.card.name if self.raced.card else "?"
        if self._recorded:
            return said(
                "{exercise}, recorded on {card} on {date}: share of a copy, and microseconds",
                exercise=self._exercise,
                card=card,
                date=self.raced.date,
            )
        return said("{exercise} on {card}: share of a copy, and microseconds", exercise=self._exercise, card=card)

    def remarks(self) -> list[Said]:
        """What the times do not say: refusals, ways without a graph, seconds before the clock, a slow card."""
        found: list[Said] = []
        for entrant in self.entrants:
            for lap in entrant.laps:
                for why in (lap.refused, *lap.notes):
                    if why:
                        found.append(said("{name}, {shape}: {why}", name=entrant.name, shape=str(lap.shape), why=why))
        compiled, tuned = (sum(getattr(lap, name) for lap in self.raced.laps) for name in ("compiled", "tuned"))
        if compiled + tuned >= 0.1:
            found.append(
                said(
                    "Before the clock: {compiled} s for Triton's compiler, {tuned} s for an autotuner.",
                    compiled=f"{compiled:.1f}",
                    tuned=f"{tuned:.1f}",
                )
            )
        if self.raced.refused:
            found.append(self.raced.refused)
        return [*dict.fromkeys(found), *(self.raced.card.notes if self.raced.card else ())]

    def __repr__(self) -> str:
        names = [say(entrant.name) for entrant in self.entrants]
        wide = max(map(wrap.columns, names), default=0)
        head = wrap.padded("", wide) + "".join(f"{shape!s:>20}" for shape in self.shapes)
        lines = [
            wrap.padded(name, wide) + "".join(f"{_cell(lap):>20}" for lap in _in_order(entrant, self.shapes))
            for name, entrant in zip(names, self.entrants)
        ]
        return "\n".join([say(self.title()), head, *lines, *(say(remark) for remark in self.remarks())])

    def draw(self):
        """A dot for each shape, a line for each entrant: the further to the right, the faster. Returns a figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 1.5 + 0.5 * len(self.entrants)), dpi=110, layout="constrained", facecolor="white")
        axes = figure.add_subplot()
        for place, shape in enumerate(self.shapes):
            lower = _STEP * (place - (len(self.shapes) - 1) / 2)  # two of the same speed do not hide each other
            points = [
                (lap.share, y + lower)
                for y, entrant in enumerate(self.entrants)
                for lap in entrant.laps
                if lap.shape == shape and lap.share
            ]
            if points:
                axes.plot(*zip(*points), **_MARKS[place % len(_MARKS)], label=str(shape))
        axes.axvline(1, color="black", linestyle=":", linewidth=1)
        axes.set_yticks(range(len(self.entrants)), [str(entrant.name) for entrant in self.entrants], fontsize=11)
        for artist, entrant in zip(axes.get_yticklabels(), self.entrants):
            artist.sentence = entrant.name
        axes.set_ylim(len(self.entrants) - 0.5, -0.5)
        axes.set_xlim(left=0)
        across = said("share of a copy: 1 is as fast as the card copies")
        axes.set_xlabel(across, fontsize=11).sentence = across
        axes.grid(axis="x", linewidth=0.4, color="#999999", alpha=0.5)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper left", ncols=3, fontsize=10, frameon=False, handletextpad=0.2)
        return figure

    def page(self) -> str:
        """The table in HTML."""
        head = [drawing.label("") + "".join(drawing.label(str(shape)) for shape in self.shapes)]
        rows = [
            drawing.label(entrant.name, scope="row")
            + "".join(drawing.cell(html.escape(_cell(lap)), "empty") for lap in _in_order(entrant, self.shapes))
            for entrant in self.entrants
        ]
        remarks = "".join(f'<div style="margin:.25em 0">{drawing.escaped(remark)}</div>' for remark in self.remarks())
        return drawing.table(self.title(), head, rows) + f'<div style="font-size:13px">{remarks}</div>'

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        shown = super()._repr_mimebundle_()
        return shown | {"text/html": shown["text/html"] + self.page()}


_STEP = 0.15  # of the distance of two lines
# No two alike in grey.
_FORMS = [("o", "#4477aa"), ("s", "#eecc66"), ("^", "#ee6677"), ("D", "white"), ("v", "#999999"), ("P", "#228833")]
_MARKS = [
    {"marker": form, "linestyle": "none", "markersize": 7, "markerfacecolor": fill, "markeredgecolor": "#555555"}
    for form, fill in _FORMS
]


def _in_order(entrant: Entrant, shapes: Sequence[Shape]) -> list[Lap | None]:
    found = {lap.shape: lap for lap in entrant.laps}
    return [found.get(shape) for shape in shapes]


def _cell(lap: Lap | None) -> str:
    """Share, microseconds and half of the distance of the quartiles, such as "0.92  14.1 µs ±1 %"."""
    if lap is None or lap.microseconds is None or lap.share is None:
        return "–"
    noise = say(said("±{percent} %", percent=f"{50 * (lap.spread or 0):.0f}"))
    return f"{lap.share:.2f}  {lap.microseconds:.1f} {noise}"


def _speed(entrant: Entrant) -> float:
    """The geometric mean of the shares; one without a time comes last."""
    shares = [lap.share for lap in entrant.laps if lap.share]
    return statistics.geometric_mean(shares) if len(shares) == len(entrant.laps) and shares else -1.0
