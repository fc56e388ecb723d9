"""A picture that carries its description: what traffic and trace return."""

from __future__ import annotations

import html
from collections.abc import Callable


class Picture:
    """Notebooks draw it; elsewhere it is its own description. `figure` makes a matplotlib figure."""

    def __init__(self, description: str, figure: Callable):
        self.description, self.figure = description, figure

    def __repr__(self) -> str:
        return self.description

    def _repr_mimebundle_(self, include=None, exclude=None):
        from . import charts

        image = charts.png(self.figure())
        alt = html.escape(self.description)
        # As wide as there is room, but never too small to read: a phone scrolls it sideways.
        tag = f'<img src="data:image/png;base64,{image}" alt="{alt}" style="max-width: 100%; min-width: 32em">'
        tag = f'<div style="overflow-x: auto">{tag}</div>'
        # The tag carries the description to screen readers; the bare image serves whoever shows no HTML.
        return {"text/plain": self.description, "text/html": tag, "image/png": image}
