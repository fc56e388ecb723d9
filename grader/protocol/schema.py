"""Records on the wire: the annotations of a record are the schema by which it is packed and checked.

A record is a dataclass or a TypedDict. `pack` and `unpack` follow its annotations: str, int, float, bool, Literal,
lists, tuples, dictionaries, optional values, nested records, Said for a sentence or a text of somebody else, and `Any`
for a plain value (values.py). Data from the other side is untrusted: data of another type raises Mismatch, as do an
integer beyond 64 bits and a text of over a million characters; unknown names are ignored.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints, is_typeddict

from ..sentence import Said, joined, listed, message, said, tree
from .values import decode, encode

_MAX_TEXT = 1 << 20  # characters, as of a kernel's text with the meanings of its names


class Mismatch(ValueError):
    """Received data does not have the type that its field declares."""


class Codec(NamedTuple):
    """Two functions for one type: pack turns a value into JSON data, unpack does the reverse and raises Mismatch."""

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


def pack(record, kind) -> dict:
    """A record as JSON data. kind: its type. record: an instance of kind, or an object or mapping with its names."""
    return codec(kind).pack(record)


def unpack(data, kind):
    """The record of type `kind` in JSON data of `pack`. Raises Mismatch."""
    return codec(kind).unpack(data)


@functools.cache
def codec(kind) -> Codec:
    """The codec of a type. Raises TypeError for a type that the wire does not support."""
    if kind is Any:
        return Codec(encode, decode)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if dataclasses.is_dataclass(kind) or is_typeddict(kind):
        return _record(kind)
    origin, of = get_origin(kind), get_args(kind)
    if origin is Literal:
        return Codec(str, _one_of(of))
    if origin is types.UnionType:
        (inner,) = (codec(each) for each in of if each is not types.NoneType)
        return _optional(inner)
    if origin is list:
        return _list(codec(of[0]))
    if origin is tuple:
        return _tuple([codec(each) for each in of if each is not Ellipsis], repeated=Ellipsis in of)
    if origin is dict:
        return _dictionary(codec(of[1]))
    raise TypeError(said("no codec for {kind}", kind=kind))


def _exactly(kind: type) -> Callable:
    def checked(data):
        if type(data) is not kind:
            raise Mismatch(said("{name} expected, {name2} arrived", name=kind.__name__, name2=type(data).__name__))
        return data

    return checked


def _integer(data) -> int:
    if _exactly(int)(data).bit_length() > 63:
        raise Mismatch(said("an integer of 64 bits expected"))
    return data


def _text(data) -> str:
    if len(_exactly(str)(data)) > _MAX_TEXT:
        raise Mismatch(
            said("at most {MAX_TEXT} characters expected, {count} arrived", MAX_TEXT=_MAX_TEXT, count=len(data))
        )
    return data


def _pack_text(text) -> str | list:
    """A list is a sentence that is packed already, as a host packs it for the device to pass on."""
    return text if isinstance(text, list) else tree.pack(text if isinstance(text, Said) else str(text))


def unpack_text(data) -> Said | str:
    """The sentence or the text in data of `sentence.tree.pack`. Raises Mismatch."""
    if not isinstance(data, list):
        return _text(data)
    try:
        return tree.unpack(data)
    except (tree.NoSentence, RecursionError) as error:
        raise Mismatch(message(error)) from None


def _one_of(names: tuple[str, ...]) -> Callable:
    def checked(data):
        if data not in names:
            raise Mismatch(said("one of {list} expected", list=listed(names)))
        return data

    return checked


def _optional(inner: Codec) -> Codec:
    return Codec(
        lambda value: None if value is None else inner.pack(value),
        lambda data: None if data is None else inner.unpack(data),
    )


def _list(inner: Codec) -> Codec:
    listed = _exactly(list)
    return Codec(
        lambda values: [inner.pack(value) for value in values],
        lambda data: [inner.unpack(each) for each in listed(data)],
    )


def _tuple(inner: list[Codec], repeated: bool) -> Codec:
    def unpack_all(data):
        of = inner * len(_exactly(list)(data)) if repeated else inner
        if len(of) != len(data):
            raise Mismatch(said("{count} values expected, {count2} arrived", count=len(of), count2=len(data)))
        return tuple(each.unpack(part) for each, part in zip(of, data))

    def pack_all(values):
        return [each.pack(value) for each, value in zip(inner * len(values) if repeated else inner, values)]

    return Codec(pack_all, unpack_all)


def _dictionary(inner: Codec) -> Codec:
    return Codec(
        lambda value: {str(name): inner.pack(each) for name, each in value.items()},
        lambda data: {_text(name): inner.unpack(each) for name, each in _exactly(dict)(data).items()},
    )


def _record(kind) -> Codec:
    fields = {name: codec(hint) for name, hint in get_type_hints(kind).items()}

    def pack_fields(record):
        get = record.get if isinstance(record, Mapping) else functools.partial(getattr, record)
        return {name: field.pack(get(name)) for name, field in fields.items()}

    def unpack_fields(data):
        _exactly(dict)(data)
        found = {}
        for name, field in fields.items():
            try:
                found[name] = field.unpack(data.get(name))
            except Mismatch as error:
                raise Mismatch(joined("{one}: {two}", [name, message(error)])) from None
        return kind(**found)

    return Codec(pack_fields, unpack_fields)


_PLAIN = {
    bool: Codec(bool, _exactly(bool)),
    int: Codec(int, _integer),
    str: Codec(str, _text),
    Said: Codec(_pack_text, unpack_text),
    float: Codec(float, lambda data: float(_integer(data)) if type(data) is int else _exactly(float)(data)),
}
