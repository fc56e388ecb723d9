"""A sentence of the engine: a str in English that knows its template and the values in it.

    said("row {row} of {tensor} sums to {sum}", row=3, tensor="y", sum=f"{total:.4g}")

The template is a literal, so that Babel finds it, and it is what a catalogue translates. Numbers arrive formatted. A
value that is a sentence itself has a translation of its own; any other value is the same in all languages.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

_PLACE = re.compile(r"\{(\w+)\}|\{\{|\}\}")


class Said(str):
    """A sentence in English. template: with {names}; values: {name: sentence, text or int}, none for a constant.

    kind: what the program may ask of a sentence, whose words it never asks; "" for most. Whatever makes a new str of
    it, as `+` or an f-string, loses all three: join sentences with a template.
    """

    __slots__ = ("kind", "template", "values")
    template: str
    values: Mapping[str, Said | str | int]
    kind: str

    def __new__(cls, template: str, values: Mapping[str, Said | str | int] | None = None, kind: str = "") -> Said:
        """Fill the template. One without values stands as it is, braces and all. Raises KeyError for a lacking name."""
        self = super().__new__(cls, filled(template, values) if values else template)
        self.template, self.values, self.kind = str(template), values or {}, kind
        return self

    def __reduce__(self):
        return Said, (self.template, self.values, self.kind)


def said(template: str, /, **values) -> Said:
    """The sentence of a template. Raises KeyError where a value is lacking.

    A value becomes a text, and an exception its message, which is a sentence where it is the engine's or a known one of
    Python's (foreign.py).
    """
    return Said(template, _plain(values))


def fault(kind: str, template: str, /, **values) -> Said:
    """As `said`, for a sentence of which the program asks its kind: "way" is a wrong way to right numbers."""
    return Said(template, _plain(values), kind)


def kind_of(sentence: str | None) -> str:
    """The kind of a sentence, "" for one without a kind and for a plain str."""
    return sentence.kind if isinstance(sentence, Said) else ""


def within(sentence: str) -> Iterator[Said | str]:
    """The sentence, and all values in it, one after the other."""
    yield sentence
    if isinstance(sentence, Said):
        for value in sentence.values.values():
            yield from within(value if isinstance(value, Said) else str(value))


def named(sentence: str, name: str) -> Said | str:
    """The value of that name in a sentence, or in one within it; "" where there is none."""
    if not isinstance(sentence, Said):
        return ""
    if name in sentence.values:
        value = sentence.values[name]
        return value if isinstance(value, str) else str(value)
    return next(filter(None, (named(v, name) for v in sentence.values.values() if isinstance(v, Said))), "")


def mapped(sentence: str, change: Callable[[str], str]) -> str:
    """A sentence whose values, or a text which, went through `change`."""
    if not isinstance(sentence, Said):
        return change(sentence)
    values = {name: v if isinstance(v, int) else mapped(v, change) for name, v in sentence.values.items()}
    return Said(sentence.template, values, sentence.kind)


def _plain(values: Mapping) -> dict[str, Said | str | int]:
    return {name: v if type(v) in (Said, str, int) else _text(v) for name, v in values.items()}


def _text(value) -> Said | str:
    if not isinstance(value, BaseException):
        return str(value)
    from .foreign import recognised

    return recognised(message(value))


def joined(between: str, parts: Sequence[str]) -> Said | str:
    """The parts as one sentence. between: a template of {one} and {two}, such as "{one}; {two}"; a literal."""
    if len(parts) < 2:
        return parts[0] if parts else ""
    half = len(parts) // 2  # so that many parts are not deeply nested
    return said(between, one=joined(between, parts[:half]), two=joined(between, parts[half:]))


def listed(parts: Sequence) -> Said | str:
    """Names, numbers or words within a sentence, with commas between them."""
    return _listed([part if isinstance(part, str) else str(part) for part in parts])


def _listed(parts: Sequence[str]) -> Said | str:
    if len(parts) < 2:
        return parts[0] if parts else ""
    half = len(parts) // 2
    return said("{item}, {next}", item=_listed(parts[:half]), next=_listed(parts[half:]))


def message(error: BaseException) -> str:
    """The message of an exception, as the sentence that it was raised with where it was one."""
    return error.args[0] if len(error.args) == 1 and isinstance(error.args[0], Said) else str(error)


def filled(template: str, values: Mapping[str, object]) -> str:
    """The template with its values. Only {name} is a placeholder, and {{ is a brace. Raises KeyError."""
    return "".join(str(values[name]) if name else plain for plain, name in parts_of(template))


@functools.lru_cache(4096)
def parts_of(template: str) -> tuple[tuple[str, str], ...]:
    """(plain text, "") and ("", name) in the order of a template."""
    parts, at = [], 0
    for found in _PLACE.finditer(template):
        parts += [(template[at : found.start()], ""), ("", found[1]) if found[1] else (found[0][0], "")]
        at = found.end()
    return tuple(part for part in [*parts, (template[at:], "")] if any(part))
