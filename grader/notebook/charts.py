"""The charts of the course, drawn from measured data: legible without colour, in print and on a phone."""

from __future__ import annotations

import base64
import io
import re

from ..language import language, say
from ..sentence import Said, foreign, said
from . import fonts, printed

_READ = {"color": "#4477aa", "edgecolor": "black", "linewidth": 0.8}
_WRITTEN = {"color": "#eecc66", "edgecolor": "black", "linewidth": 0.8, "hatch": "///"}


def traffic(runs):
    """A bar chart of elements read and written by each operation, in units of M·N. Returns a matplotlib figure.

    runs: list of traffic.Run. All bars have the same scale.
    """
    from matplotlib.figure import Figure

    bars = []
    for run in runs:
        rows = [(name, read / run.unit, written / run.unit) for name, read, written in run.rows]
        if len(rows) > 1:
            rows.append((said("{name}\nin all", name=run.name), *run.totals()))
        elif len(runs) > 1:  # one operation is all that the function does
            rows = [(run.name, read, written) for _, read, written in rows]
        bars += rows
    figure = Figure(figsize=(6.4, 0.9 + 0.46 * len(bars)), dpi=110, layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    for y, (_, read, written) in enumerate(bars):
        axes.barh(y, read, **_READ, label=said("read") if y == 0 else None)
        axes.barh(y, written, left=read, **_WRITTEN, label=said("written") if y == 0 else None)
        axes.text(read + written, y, f" {read + written:.2f}", va="center", fontsize=11)
    axes.set_yticks(range(len(bars)), [b[0] for b in bars], fontsize=11)
    for artist, (name, *_) in zip(axes.get_yticklabels(), bars):
        artist.sentence = name
    axes.invert_yaxis()
    axes.set_xlim(0, 1.18 * max((b[1] + b[2] for b in bars), default=1))
    axes.set_xlabel(said("elements moved, in units of M·N"), fontsize=11)
    axes.tick_params(axis="x", labelsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper left", ncols=2, fontsize=11, frameon=False)
    return figure


def own_way(steps, side):
    """A bar for each of a learner's right answers: megabytes read and written. Returns a matplotlib figure.

    steps: list of own_way.Step. side: rows and columns of the matrix.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 1.1 + 0.42 * len(steps)), dpi=110, layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    for y, step in enumerate(steps):
        read, written = step.megabytes(step.read), step.megabytes(step.written)
        axes.barh(y, read, **_READ, label=said("read") if y == 0 else None)
        axes.barh(y, written, left=read, **_WRITTEN, label=said("written") if y == 0 else None)
        axes.text(read + written, y, f" {step.read:.2f} + {step.written:.2f} MN", va="center", fontsize=10)
    axes.set_yticks(range(len(steps)), [step.name for step in steps], fontsize=11)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.3 * max(step.megabytes(step.read + step.written) for step in steps))
    across = said("megabytes moved, for a matrix of {side}×{side}", side=side)
    axes.set_xlabel(across, fontsize=11).sentence = across
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper left", ncols=2, fontsize=11, frameon=False)
    return figure


# (name in the record, style of its line). The lines differ in form too, so colour is not needed.
_RACERS = [
    ("copy", {"color": "black", "linestyle": ":"}),
    ("softmax", {"color": "#0077bb", "linewidth": 2.4}),
    (said("one row"), {"color": "#4477aa", "linestyle": "--"}),
    ("torch.compile", {"color": "#bb5566", "linestyle": "-."}),
    ("torch.softmax", {"color": "#997700", "marker": ".", "markersize": 4}),
    (said("five passes"), {"color": "#888888", "linewidth": 0.9}),
]


def bandwidth(record):
    """A line chart of GB/s over the number of columns. Returns a matplotlib figure.

    record: of `bench --gpu`. Times in its sweep are in microseconds; an element of 4 bytes is read and written once.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.8), dpi=110, layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    rows = record["sweep"]
    for name, style in _RACERS:
        points = [(r["n"], 8e-3 * r["m"] * r["n"] / t) for r in rows if (t := r["microseconds"].get(name))]
        axes.plot(*zip(*points), **style, label=said("softmax (shipped)") if name == "softmax" else name)
    axes.set_xlim(0, rows[-1]["n"])
    axes.set_ylim(bottom=0)
    across = said("columns of a float32 matrix with {m} rows", m=rows[0]["m"])
    axes.set_xlabel(across, fontsize=11).sentence = across
    axes.set_ylabel(said("GB/s, each element counted\nonce read and once written"), fontsize=11)
    axes.set_title(f"{record['device']}, {record['date']}", fontsize=10, loc="left")
    figure.legend(loc="outside lower left", ncols=2, fontsize=10, frameon=False, handlelength=3)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


_INK = "#777777"  # as far from white as from a dark page; where the page can be asked, its own colour takes the place


def in_language(figure) -> None:
    """Put the words of a figure into the language in use, where a font has its characters: English beats boxes."""
    from matplotlib.text import Text

    if language() == "en":
        return
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        labels = axis.get_ticklabels()
        words = [_in_language(label) for label in labels]
        if words != [label.get_text() for label in labels] and (family := fonts.family("".join(words))):
            # Drawing takes the text of a tick from its axis, whatever its label says.
            axis.set_ticks(axis.get_ticklocs(), words, fontfamily=family)
    for artist in figure.findobj(Text):
        words = _in_language(artist)
        if words != artist.get_text() and (family := fonts.family(words)):
            artist.set(text=words, fontfamily=family)


def _in_language(artist) -> str:
    """What a text of a figure says in the language in use."""
    if (sentence := getattr(artist, "sentence", None)) is not None:
        # The engine's: a plain text among its sentences is a name of somebody's code.
        return say(sentence) if isinstance(sentence, Said) else artist.get_text()
    text = artist.get_text()  # of a lesson's cell, which writes plain words into its charts
    if (words := say(text)) != text:
        return words
    return say(foreign.recognised(printed.as_drawn(text)))


def see_through(figure) -> None:
    """Take the ground out of a figure, and draw its lines and words in a grey that light and dark pages show.

    Black edges and hatches of filled shapes stay: the fill is light behind them.
    """
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    grounds = [figure.patch, *(axes.patch for axes in figure.axes)]
    grounds += [each.get_frame() for each in (*figure.legends, *(axes.get_legend() for axes in figure.axes)) if each]
    for ground in grounds:
        ground.set_alpha(0)
    for axes in figure.axes:
        axes.tick_params(which="both", color=_INK)
    for artist in figure.findobj():
        if isinstance(artist, (Text, Line2D)) and _black(artist.get_color()):
            artist.set_color(_INK)
        if isinstance(artist, Line2D) and _black(artist.get_markerfacecolor()):
            artist.set(markerfacecolor=_INK, markeredgecolor=_INK)
        if isinstance(artist, Patch) and not _filled(artist) and _black(artist.get_edgecolor()):
            artist.set_edgecolor(_INK)
        if isinstance(artist, Collection):
            artist.set_facecolor([_INK if _black(colour) else colour for colour in artist.get_facecolor()])
            if not len(artist.get_facecolor()):
                artist.set_edgecolor([_INK if _black(colour) else colour for colour in artist.get_edgecolor()])


def _filled(patch) -> bool:
    return patch.get_fill() and patch.get_facecolor()[3] > 0


def _black(colour) -> bool:
    from matplotlib.colors import to_rgba

    return colour is not None and to_rgba(colour) == (0, 0, 0, 1)


def png(figure) -> str:
    """The figure as a PNG in base64, on a transparent ground. It holds no date and no version: equal figures give equal
    bytes.
    """
    buffer = io.BytesIO()
    in_language(figure)
    see_through(figure)
    figure.savefig(buffer, format="png", metadata={"Software": None}, facecolor="none")
    return base64.b64encode(buffer.getvalue()).decode()


def svg(figure, attributes: str, fallback: str) -> str:
    """The figure as SVG to stand within a page: words and lines have the colour of the page's text.

    attributes: of the <svg>. fallback: HTML that stands in it unseen, and is left where a page drops the SVG around it.
    """
    import matplotlib

    buffer = io.StringIO()
    in_language(figure)
    see_through(figure)
    none = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context({"svg.hashsalt": "five passes", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata=none, facecolor="none")
    head, _, body = buffer.getvalue().partition("<svg")[2].partition(">")
    body = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->|\n\s*", " ", body, flags=re.DOTALL)
    view = re.search(r'viewBox="[^"]*"', head)[0]
    page = f'<svg {view} {attributes} xmlns:xlink="http://www.w3.org/1999/xlink"><desc>{fallback}</desc>{body}'
    return page.replace(_INK, "currentColor")
