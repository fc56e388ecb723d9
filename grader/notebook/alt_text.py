"""Alternative texts of charts, made from the chart: for screen readers, and for places that show no picture."""

from __future__ import annotations

from ..language import say
from ..sentence import Said, foreign, joined, said
from . import printed

_POINTS = 12  # of a series that is listed in full; of a longer one, the text has the ends and the extremes


def bundle(figure) -> dict[str, str]:
    """A matplotlib figure as a notebook's MIME bundle: {MIME type: content}, with a picture and its description."""
    from .picture import Picture

    return Picture(words(figure), lambda: figure)._repr_mimebundle_()


def words(figure) -> Said:
    """The description of a matplotlib figure: the axes of each panel, and the points of all series in it."""
    panels = [_panel(axes) for axes in figure.axes]
    if len(panels) > 1:
        panels = [said("Panel {number}: {text}", number=number, text=text) for number, text in enumerate(panels, 1)]
    return joined("{one} {two}", [said("Chart."), *panels])


def _panel(axes) -> str:
    series = [(line.get_label(), line.get_xydata()) for line in axes.lines]
    series += [(dots.get_label(), dots.get_offsets()) for dots in axes.collections]
    for bars in axes.containers:
        middles = [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in bars.patches]
        series.append((bars.get_label(), middles))
    title, across, up = axes.get_title(), axes.get_xlabel(), axes.get_ylabel()
    told = [said("{one}.", one=_known(title))] if title else []
    told += [said("Across: {across}.", across=_known(across))] if across else []
    told += [said("Up: {up}.", up=_known(up))] if up else []
    told += [
        said("{name} (across, up): {points}.", name=_name(label), points=_points(list(points)))
        for label, points in series
    ]
    notes = [_known(text.get_text()) for text in axes.texts]
    told += [said("In it stands: {list}.", list=joined("{one}; {two}", notes))] if notes else []
    return joined("{one} {two}", told)


def _known(text: str) -> str:
    """Words that a chart shows: a sentence where it has another form in the language in use."""
    if say(text) != text:
        return Said(text)  # itself, and not what else it looks like: "rows of a tile" is none of the "rows of {n}"
    return foreign.recognised(printed.as_drawn(text))


def _name(label: str) -> str:
    """The label of a series. Matplotlib's default labels begin with an underscore and become "Unnamed"."""
    return said("Unnamed") if label.startswith("_") else _known(label)


def _points(points) -> str:
    if len(points) > _POINTS:
        lowest, highest = (end(points, key=lambda point: point[1]) for end in (min, max))
        kept = [
            said("first {pair}", pair=_pair(points[0])),
            said("lowest {pair}", pair=_pair(lowest)),
            said("highest {pair}", pair=_pair(highest)),
            said("last {pair}", pair=_pair(points[-1])),
        ]
        return said("{count} points, {list}", count=len(points), list=joined("{one}, {two}", kept))
    return joined("{one}, {two}", [_pair(point) for point in points])


def _pair(point) -> str:
    return f"({point[0]:.3g}, {point[1]:.3g})"
