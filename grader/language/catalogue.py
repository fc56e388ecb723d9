"""The sentences of one language: {English template: translation}, from the catalogues in locale/.

A sentence is said in a language by looking up its template, and those of the sentences in it, and by filling the
translations in. Where one of them has no translation, the whole sentence is in English.
"""

from __future__ import annotations

import functools
import json
import pathlib
import re

from ..sentence import Said, said
from ..sentence.said import filled

FOLDER = pathlib.Path(__file__).resolve().parent  # a catalogue is CODE.json; tools/build.py makes it
_NAME = said("English")  # a message too: its translation is the language's name in itself
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
# A space that stands between two values in English, and not between wide characters and signs. Code stays as it is.
_LOOSE = re.compile(
    rf"(`[^`]*`|'[^']*')|(?<=[{_WIDE}]) (?=[{_WIDE}])|(?<=[，。：；？！、）]) (?=\S)|(?<=\S) (?=[，。：；？！、（）])"
)


class Catalogue:
    """The sentences of a language. messages: {English: translation}, both with the same {placeholders}."""

    def __init__(self, messages: dict[str, str]):
        self._messages = messages

    def name(self) -> str | None:
        """The language's name in itself."""
        return self._messages.get(_NAME)

    def say(self, text: str) -> str:
        """A sentence in this language, else the whole of it in English.

        Of a plain text, a constant is found as a whole. The space around it stays.
        """
        if isinstance(text, Said):
            found = self._translated(text)
        else:
            bare = text.strip()
            found = text.replace(bare, self._messages[bare]) if bare in self._messages else None
        return str(text) if found is None else _LOOSE.sub(lambda space: space[1] or "", found)

    def _translated(self, sentence: Said) -> str | None:
        template = self._messages.get(sentence.template)
        if template is None:
            return None
        values = {}
        for name, value in sentence.values.items():
            values[name] = self._translated(value) if isinstance(value, Said) else value
            if values[name] is None:
                return None
        return filled(template, values) if values else template


@functools.cache
def names() -> dict[str, str]:
    """{code: the language's name in itself}: English, and each language that has a catalogue."""
    found = {"en": "English"}
    for path in sorted(FOLDER.glob("*.json")):
        found[path.stem] = catalogue(path.stem).name() or path.stem
    return found


@functools.cache
def catalogue(code: str) -> Catalogue:
    """The catalogue of a language other than English. Raises OSError where there is none."""
    return Catalogue(json.loads((FOLDER / f"{code}.json").read_text(encoding="utf-8")))
