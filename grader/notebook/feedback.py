"""A verdict on display: HTML where the frontend shows HTML, and the same as text elsewhere."""

from __future__ import annotations

import sys

from ..judge import render
from ..spec import Answer, Checked, Result


class Feedback:
    """The Result of an Answer, which a notebook shows as HTML, and a terminal as its text."""

    def __init__(self, result: Result, answer: Answer):
        self.result, self.answer = result, answer

    def __repr__(self) -> str:
        return self.result.text

    def _repr_mimebundle_(self, include=None, exclude=None) -> tuple[dict, dict]:
        shown = {"text/plain": self.result.text, "text/html": render.html_text(self.result.record())}
        return shown, Checked(self.result.id, self.answer.digest(), self.result.score).metadata()


def show(result: Result, answer: Answer) -> None:
    """Display a verdict in a notebook; print it where no IPython runs. It does not import IPython."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        ipython.display.display(Feedback(result, answer))
    else:
        print(result.text)
