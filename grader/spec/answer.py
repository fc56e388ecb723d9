"""The answer to an exercise: the source text that is judged."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """The source text of one answer.

    missing: required names that no cell defines. problems: sentences about cells that were left out. broken: a sentence
    if the cell with the last text of the answer is not Python, else "". taken: a sentence if a later statement gave a
    required name to something else, else "".
    """

    source: str
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    broken: str = ""
    taken: str = ""

    def digest(self) -> str:
        """16 hexadecimal digits that tell this text from others."""
        return hashlib.sha256(self.source.encode("utf-8", "replace")).hexdigest()[:16]
