"""A picture with a description in words: the return value of traffic and trace."""

from __future__ import annotations

import html
from collections.abc import Callable


class Picture:
    """A picture that a notebook draws, and that is its description elsewhere.

    figure: function without arguments that makes a matplotlib figure; it is called only when the picture is drawn.
    """

    def __init__(self, description: str, figure: Callable):
        self.description, self.figure = description, figure

    def __repr__(self) -> str:
        return self.description

    def _repr_mimebundle_(self, include=None, exclude=None):
        from . import charts

        image = charts.png(self.figure())
        alt = html.escape(self.description)
        # As wide as the page, but wide enough to read: a phone scrolls it sideways.
        tag = f'<img src="data:image/png;base64,{image}" alt="{alt}" style="max-width: 100%; min-width: 32em">'
        tag = f'<div style="overflow-x: auto">{tag}</div>'
        # The HTML has the description for screen readers. The bare image is for frontends that do not show HTML.
        return {"text/plain": self.description, "text/html": tag, "image/png": image}
