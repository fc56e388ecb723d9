"""Alternative texts of charts, made from the chart: for screen readers, and for places that show no picture."""

from __future__ import annotations

_POINTS = 12  # of a series that is listed in full; of a longer one, the text has the ends and the extremes


def bundle(figure) -> dict[str, str]:
    """A matplotlib figure as a notebook's MIME bundle: {MIME type: content}, with a picture and its description."""
    from .picture import Picture

    return Picture(words(figure), lambda: figure)._repr_mimebundle_()


def words(figure) -> str:
    """The description of a matplotlib figure: the axes of each panel, and the points of all series in it."""
    panels = [_panel(axes) for axes in figure.axes]
    if len(panels) > 1:
        panels = [f"Panel {number}: {text}" for number, text in enumerate(panels, 1)]
    return " ".join(["Chart.", *panels])


def _panel(axes) -> str:
    series = [(line.get_label(), line.get_xydata()) for line in axes.lines]
    series += [(dots.get_label(), dots.get_offsets()) for dots in axes.collections]
    for bars in axes.containers:
        middles = [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in bars.patches]
        series.append((bars.get_label(), middles))
    title, across, up = axes.get_title(), axes.get_xlabel(), axes.get_ylabel()
    said = [f"{title}." if title else "", f"Across: {across}." if across else "", f"Up: {up}." if up else ""]
    said += [f"{_name(label)} (across, up): {_points(list(points))}." for label, points in series]
    notes = [text.get_text() for text in axes.texts]
    said.append(f"In it stands: {'; '.join(notes)}." if notes else "")
    return " ".join(part for part in said if part)


def _name(label: str) -> str:
    """The label of a series. Matplotlib's default labels begin with an underscore and become "Unnamed"."""
    return "Unnamed" if label.startswith("_") else label


def _points(points) -> str:
    if len(points) > _POINTS:
        lowest, highest = (end(points, key=lambda point: point[1]) for end in (min, max))
        kept = {"first": points[0], "lowest": lowest, "highest": highest, "last": points[-1]}
        return f"{len(points)} points, " + ", ".join(f"{name} {_pair(point)}" for name, point in kept.items())
    return ", ".join(_pair(point) for point in points)


def _pair(point) -> str:
    return f"({point[0]:.3g}, {point[1]:.3g})"
