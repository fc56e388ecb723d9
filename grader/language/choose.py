"""The language of this process: that of the notebook, else FIVE_PASSES_LANG, else the environment's, else English."""

from __future__ import annotations

import contextlib
import functools
import os
import re

from ..sentence import said
from . import catalogue

_MARK = re.compile(r"# language: (\w+)\s*$")
_ENVIRONMENT = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # in the order of gettext
_BETWEEN = {
    ", ": said("{one}, {two}", one="", two=""),
    "; ": said("{one}; {two}", one="", two=""),
    ": ": said("{one}: {two}", one="", two=""),
}
_used: str | None = None


class Unknown(ValueError):
    """A language that has no catalogue. The message says which there are."""


def languages() -> dict[str, str]:
    """{code: the language's name in itself}."""
    return catalogue.names()


def language() -> str:
    """The code of the language in use, such as "en" or "zh_Hans"."""
    return _used or _of_environment()


def use(code: str | None) -> None:
    """Speak this language from now on; None: that of the environment. Raises Unknown."""
    global _used
    _used = None if code is None else _known(code)


def use_of(cell: str) -> None:
    """Speak the language that the first cell of a notebook names at its end, if this is such a cell."""
    found = named_in(cell)
    if found:
        try:
            use(found)
        except Unknown as error:
            print(error)


def named_in(cell: str) -> str | None:
    """The language that the first cell of a notebook names at its end; None for any other cell."""
    found = _MARK.search(cell)
    return found[1] if found else None


def without_name(cell: str) -> str:
    """A cell that names no language any more, so that the one in use stays."""
    return _MARK.sub("", cell)


@contextlib.contextmanager
def speaking(code: str | None):
    """Speak a notebook's language for a while, unless `use` was asked for another. An unknown one changes nothing."""
    global _used
    before = _used
    if _used is None and code is not None:
        _used = _match(code)
    try:
        yield
    finally:
        _used = before


def say(text: str, code: str | None = None) -> str:
    """A sentence of the engine in the language in use; in English, the whole of it, where that lacks a part.

    code: of a language to say it in instead, where there is a catalogue of it.
    """
    code = (_match(code) if code else None) or language()
    return str(text) if code == "en" else catalogue.catalogue(code).say(text)


def between(text: str) -> str:
    """What stands between two texts, such as ", ", as the language in use writes it; any other text as it is."""
    return say(_BETWEEN[text]) if text in _BETWEEN else text


def _known(code: str) -> str:
    found = _match(code)
    if found is None:
        there = ", ".join(f"{each} ({name})" for each, name in languages().items())
        raise Unknown(f"The course does not speak {code!r}. It speaks: {there}.")
    return found


@functools.lru_cache(256)  # each sentence asks, and files name languages, too
def _match(code: str) -> str | None:
    """The language for a code as environments write it: zh_CN.UTF-8, zh-Hans and zh are all zh_Hans."""
    plain = re.split(r"[.@]", code)[0].replace("-", "_").lower()
    known = {each.lower(): each for each in languages()}
    if plain in known:
        return known[plain]
    return next((each for each in known.values() if each.split("_")[0] == plain.split("_")[0]), None)


def _of_environment() -> str:
    asked = os.environ.get("FIVE_PASSES_LANG")
    if asked:
        found = _match(asked)
        if found is None:
            _warn(asked)
        return found or "en"
    for name in _ENVIRONMENT:
        value = os.environ.get(name, "").split(":")[0]
        if value:
            return _match(value) or "en"
    return "en"


_warned: set[str] = set()


def _warn(asked: str) -> None:
    if asked not in _warned:
        _warned.add(asked)
        print(f"FIVE_PASSES_LANG={asked} is no language of the course, so it speaks English. It speaks: "
              f"{', '.join(languages())}.")  # fmt: skip
