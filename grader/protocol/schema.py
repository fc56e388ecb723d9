"""Records on the wire: the types of a record's fields say how each of them is packed and what may arrive.

A record is a dataclass or a TypedDict. `pack` and `unpack` follow its annotations: texts, numbers, truth values, lists,
tuples, dictionaries, records in records, and `Any` for a plain value (values.py). The receiving side trusts nothing:
data of another type raises Mismatch, and names that the record does not have are left out.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints, is_typeddict

from .values import decode, encode


class Mismatch(ValueError):
    """Data that arrived is not of the type that its field declares."""


class Codec(NamedTuple):
    """Two functions: a value to JSON data, and JSON data to a value."""

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


def pack(record, kind) -> dict:
    """JSON data of a record. record: an instance of kind, or an object or mapping with the same names."""
    return codec(kind).pack(record)


def unpack(data, kind):
    """The record that `pack` wrote. Raises Mismatch."""
    return codec(kind).unpack(data)


@functools.cache
def codec(kind) -> Codec:
    """The codec of a type."""
    if kind is Any:
        return Codec(encode, decode)
    if kind in (str, int, bool):
        return Codec(kind, _exactly(kind))
    if kind is float:
        return Codec(float, lambda data: float(data) if type(data) is int else _exactly(float)(data))
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
    raise TypeError(f"no codec for {kind}")


def _exactly(kind: type) -> Callable:
    def checked(data):
        if type(data) is not kind:
            raise Mismatch(f"{kind.__name__} expected, {type(data).__name__} arrived")
        return data

    return checked


def _one_of(names: tuple[str, ...]) -> Callable:
    def checked(data):
        if data not in names:
            raise Mismatch(f"one of {', '.join(names)} expected")
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
            raise Mismatch(f"{len(of)} values expected, {len(data)} arrived")
        return tuple(each.unpack(part) for each, part in zip(of, data))

    def pack_all(values):
        return [each.pack(value) for each, value in zip(inner * len(values) if repeated else inner, values)]

    return Codec(pack_all, unpack_all)


def _dictionary(inner: Codec) -> Codec:
    return Codec(
        lambda value: {str(name): inner.pack(each) for name, each in value.items()},
        lambda data: {name: inner.unpack(each) for name, each in _exactly(dict)(data).items()},
    )


def _record(kind) -> Codec:
    fields = {name: codec(hint) for name, hint in get_type_hints(kind).items()}

    def pack_fields(record):
        get = record.get if isinstance(record, Mapping) else functools.partial(getattr, record)
        return {name: field.pack(get(name)) for name, field in fields.items()}

    def unpack_fields(data):
        _exactly(dict)(data)
        return kind(**{name: field.unpack(data.get(name)) for name, field in fields.items()})

    return Codec(pack_fields, unpack_fields)
