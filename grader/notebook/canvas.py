"""A sheet for drawings of boxes and arrows: transparent, legible on light and dark pages, without need of colour.

Positions are in inches from the top left corner. Filled boxes are light, and text on them is dark. Other text is black,
and so is the frame of a box without a fill: charts.see_through() puts the colour of the page in its place. Matplotlib
keeps a text without its template, so each one has its sentence beside it.
"""

from __future__ import annotations

WIDTH = 6.4  # inches, as all pictures of the course
INK = "#111111"
FRAME = {"facecolor": "none", "edgecolor": "black", "linewidth": 0.8}
PLAIN = {"facecolor": "white", "edgecolor": INK, "linewidth": 0.8}
READ = {"facecolor": "#b9d2ea", "edgecolor": INK, "linewidth": 0.8}
WRITTEN = {"facecolor": "#f0dc9a", "edgecolor": INK, "linewidth": 0.8, "hatch": "////"}
EMPTY = {"facecolor": "none", "edgecolor": "#777777", "linewidth": 0.7}
IDLE = {"facecolor": "#dddddd", "edgecolor": "#888888", "linewidth": 0.6, "hatch": "xx"}


class Canvas:
    """A matplotlib figure of this height in inches. figure: the result."""

    def __init__(self, height: float):
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(WIDTH, height), dpi=110, facecolor="none")
        self._axes = self.figure.add_axes((0, 0, 1, 1), facecolor="none")
        self._axes.set_xlim(0, WIDTH)
        self._axes.set_ylim(height, 0)
        self._axes.set_axis_off()

    def box(self, x: float, y: float, wide: float, tall: float, text: str = "", size: float = 9, **style) -> None:
        """A box with text in its middle. style: of the box."""
        from matplotlib.patches import Rectangle

        self._axes.add_patch(Rectangle((x, y), wide, tall, **style))
        if text:
            ink = "black" if style["facecolor"] == "none" else INK
            plate = {"boxstyle": "square,pad=0.15", "facecolor": style["facecolor"], "edgecolor": "none"}
            written = self._axes.text(
                x + wide / 2, y + tall / 2, text, ha="center", va="center", fontsize=size, color=ink, linespacing=1.25,
                parse_math=False, bbox=plate if "hatch" in style else None,
            )  # fmt: skip
            written.sentence = text

    def text(self, x: float, y: float, text: str, size: float = 9.5, **place) -> None:
        """Text beside filled boxes. place: ha and va of Matplotlib."""
        place = {"ha": "left", "va": "center"} | place
        written = self._axes.text(x, y, text, fontsize=size, color="black", linespacing=1.3, parse_math=False, **place)
        written.sentence = text

    def arrow(self, x: float, start: float, end: float, wide: float, **style) -> None:
        """An upright arrow from start to end, both distances from the top. wide: of its shaft. style: as of a box."""
        from matplotlib.patches import Polygon

        way = 1 if end > start else -1
        tip, half = 0.13 * way, wide / 2
        head = max(half + 0.05, 0.07)
        points = [(x - half, start), (x - half, end - tip), (x - head, end - tip), (x, end),
                  (x + head, end - tip), (x + half, end - tip), (x + half, start)]  # fmt: skip
        self._axes.add_patch(Polygon(points, closed=True, **style))
