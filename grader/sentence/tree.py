"""A sentence as JSON data: [template, {name: value}, kind]. A value is a text, an int, or such data of a sentence.

Data from a worker or a file is vouched for by nobody. It can put other words into a sentence, and nothing else.
"""

from __future__ import annotations

from .said import Said, parts_of

# Characters of a text, of a kind, and in all; values of a sentence; sentences in one another.
_TEXT, _KIND, _ALL, _NAMES, _DEPTH = 2000, 40, 20_000, 16, 16


class NoSentence(ValueError):
    """The data is not that of a sentence."""


def pack(text: str) -> str | list:
    """A sentence as JSON data, and any other text as it is."""
    return tree(text) if isinstance(text, Said) else text


def unpack(data) -> Said | str:
    """The sentence, or the text, in data of `pack`. Raises NoSentence for data of neither."""
    return data if isinstance(data, str) else of_tree(data)


def tree(sentence: Said) -> list:
    """The JSON data of a sentence."""
    values = {name: tree(v) if isinstance(v, Said) else v for name, v in sentence.values.items()}
    return [sentence.template, values, sentence.kind]


def of_tree(data, depth: int = _DEPTH) -> Said:
    """The sentence in JSON data of `tree`. Raises NoSentence for anything else, and for more than anybody reads."""
    if not (isinstance(data, list) and [type(each) for each in data] == [str, dict, str]):
        raise NoSentence("a template, its values and its kind expected")
    template, values, kind = data
    if depth == 0 or len(template) > _TEXT or len(values) > _NAMES or len(kind) > _KIND:
        raise NoSentence("a shorter sentence expected")
    found = {name: _value(value, depth) for name, value in values.items()}
    names = [name for _, name in parts_of(template) if name] if found else []
    if not found.keys() >= set(names):
        raise NoSentence("a value for each name expected")
    if len(template) + sum(len(str(found[name])) for name in names) > _ALL:
        raise NoSentence("a shorter sentence expected")
    return Said(template, found, kind)


def _value(data, depth: int) -> Said | str | int:
    if type(data) is int and data.bit_length() < 64 or type(data) is str and len(data) <= _TEXT:
        return data
    return of_tree(data, depth - 1)
