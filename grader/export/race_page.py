"""The page of a race: the ranking, a chart over the shapes, and the numbers of each entrant. One file, no script."""

from __future__ import annotations

import html
import pathlib
import re
import statistics

from ..language import language, say
from ..notebook import charts
from ..sentence import Said, joined, kind_of, said
from ..spec import WORDS, Shape
from ..version import VERSION
from .entries import write
from .html import template
from .ranking import NOISE, NOISE_OF_SHORT, SHORT, Entrant, Ranking

# (colour, dashes, marker) of the functions of the course: they differ in form, so colour is not needed.
_PEERS = (("#997700", "--", "s"), ("#bb5566", "-.", "^"), ("#44aa99", ":", "D"), ("#aa4499", (0, (6, 1, 1, 1)), "v"))
_FIRST, _OTHERS = "#0077bb", "#888888"


def export(ranking: Ranking, to: pathlib.Path, pseudonyms: bool) -> None:
    """Write the page. pseudonyms: whether the names in it are no names of students. Raises OSError."""
    page = template("race.html").render(
        ranking=ranking,
        handed_out=_handed_out,
        pseudonyms=pseudonyms,
        picture=_picture(ranking) if ranking.entrants or ranking.peers else None,
        lap=_lap,
        noise=NOISE,
        noise_of_short=NOISE_OF_SHORT,
        short=SHORT,
        language=language().replace("_", "-"),
        graders=[VERSION],
    )
    write(to, page)


def _handed_out(sentence: str) -> str:
    """The sentence without words of an answer. The class sees this page, and nobody says there what he likes."""
    if kind_of(sentence) == WORDS:
        return said("it raised an error")
    if not isinstance(sentence, Said):
        return sentence
    values = {name: v if isinstance(v, int) else _handed_out(v) for name, v in sentence.values.items()}
    return Said(sentence.template, values, sentence.kind)


def _lap(entrant: Entrant, shape: Shape) -> tuple[float, float]:
    """(µs, share of a copy) of an entrant on a shape."""
    lap = next(lap for lap in entrant.laps if lap.shape == shape)
    return lap.microseconds or 0.0, lap.share or 0.0


def _picture(ranking: Ranking):
    """The chart as SVG that needs no style of its own, so that the page's policy allows none."""
    from markupsafe import Markup

    words = html.escape(say(_words(ranking)), quote=True)
    drawn = charts.svg(_chart(ranking), f'class="chart" role="img" aria-label="{words}"', words)
    return Markup(re.sub(r'style="([^"]*)"', _attributes, drawn))


def _attributes(style: re.Match) -> str:
    """The presentation attributes that say what a style says."""
    pairs = (part.split(":", 1) for part in style[1].split(";") if part.strip())
    return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in pairs)


def _chart(ranking: Ranking):
    """A line for each entrant: its share of a copy over the shapes. Returns a matplotlib figure."""
    from matplotlib.figure import Figure

    shapes = ranking.shapes
    figure = Figure(figsize=(7.2, 4.4), dpi=110, layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    places = range(len(shapes))
    label: str | None
    for each in reversed(ranking.entrants):
        first = each is ranking.entrants[0]
        label = said("others of the class") if each is ranking.entrants[-1] else None
        label = said("first of the class") if first else label
        style = {"color": _FIRST, "linewidth": 2.2} if first else {"color": _OTHERS, "linewidth": 0.8}
        axes.plot(places, _shares(each, shapes), marker="o", markersize=5 if first else 3, label=label, **style)
    for each, (colour, dashes, marker) in zip(ranking.peers, _PEERS):
        style = {"color": colour, "linestyle": dashes, "marker": marker, "markersize": 5}
        axes.plot(places, _shares(each, shapes), label=Said(each.name), **style)
    axes.axhline(1, color="black", linewidth=0.8, linestyle=(0, (1, 3)))
    axes.set_ylim(bottom=0)
    axes.set_xlim(-0.3, len(shapes) - 0.7)
    axes.set_xticks(places, [str(shape) + "*" * shape.drawn for shape in shapes], rotation=20, ha="right", fontsize=10)
    up = said("share of a copy")
    axes.set_ylabel(up, fontsize=11).sentence = up
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=3, fontsize=10, frameon=False, handlelength=3)
    return figure


def _shares(entrant: Entrant, shapes: tuple[Shape, ...]) -> list[float]:
    return [_lap(entrant, shape)[1] for shape in shapes]


def _words(ranking: Ranking) -> Said | str:
    """The chart in words: for each shape the fastest and the middle of the class, and the functions of the course."""
    told: list[Said | str] = [said("Chart: the share of a copy on each shape.")]
    for shape in ranking.shapes:
        mine = [_lap(each, shape)[1] for each in ranking.entrants]
        values = [said("{name} {share}", name=each.name, share=f"{_lap(each, shape)[1]:.2f}") for each in ranking.peers]
        if mine:
            best, middle = f"{max(mine):.2f}", f"{statistics.median(mine):.2f}"
            values.insert(0, said("the class at best {best}, its median {middle}", best=best, middle=middle))
        told.append(said("{shape}: {list}.", shape=str(shape), list=joined("{one}, {two}", values)))
    return joined("{one} {two}", told)
