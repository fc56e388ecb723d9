"""A picture with a description in words: the return value of traffic and trace."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable

from ..language import say
from ..sentence import foreign, joined


def in_a_line(parts: Iterable[str]) -> str:
    """Sentences one after the other, in the language in use; the space that indents some of them is left out."""
    return say(joined("{one} {two}", [" ".join(say(part).split()) for part in parts]))


class Picture:
    """A picture that a notebook draws, and that is its description elsewhere.

    figure: function without arguments that makes a matplotlib figure; it is called only when the picture is drawn.
    """

    def __init__(self, description: str, figure: Callable):
        # A lesson's cell gives plain words.
        self.description, self.figure = foreign.recognised(description), figure

    def __repr__(self) -> str:
        return say(self.description)

    def _repr_mimebundle_(self, include=None, exclude=None):
        from . import charts

        figure = self.figure()
        image, alt = charts.png(figure), html.escape(repr(self))
        # As wide as the page, but wide enough to read: a phone scrolls it sideways.
        fits = "max-width: 100%; min-width: 32em"
        tag = f'<img src="data:image/png;base64,{image}" alt="{alt}" style="{fits}">'
        width = round(figure.get_figwidth() * figure.dpi)
        # The SVG follows the theme. JupyterLab drops it from a notebook that it does not trust, and the image is left.
        drawn = charts.svg(figure, f'role="img" aria-label="{alt}" style="{fits}; width: {width}px; height: auto"', tag)
        # The HTML has the description for screen readers. The bare image is for frontends that do not show HTML.
        page = f'<div style="overflow-x: auto">{drawn}</div>'
        return {"text/plain": repr(self), "text/html": page, "image/png": image}
