"""Plain Python values on the wire, as tagged JSON: numbers, text, dtypes, and containers of them."""

from __future__ import annotations

from fractions import Fraction

from ..spec import Once, Unreadable

_MAX_ITEMS, _DEEPEST = 10_000, 8
_DTYPES = frozenset("float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool".split())


def encode(value, depth: int = 0):
    """A plain value as tagged JSON: [tag, ...]. Never raises for a plain value.

    Plain are numbers, text, None, `...`, dtypes, and lists, tuples and dictionaries of them. For any other value the
    tag is "?", followed by the name of its type. Containers are cut after 10,000 items. depth: nesting so far.
    """
    if depth > _DEEPEST:
        return ["?", "something nested very deeply"]
    for kinds, write in _WRITERS:
        if isinstance(value, kinds):
            return write(value, depth + 1)
    return _encode_wrapped(value, depth + 1)


def _encode_sequence(value, depth: int):
    tag = type(value).__name__ if type(value) in (list, tuple) else "tuple"
    return [tag] + [encode(v, depth) for v in value[:_MAX_ITEMS]]


def _encode_dictionary(value, depth: int):
    pairs = list(value.items())[:_MAX_ITEMS]
    return ["dict"] + [[encode(k, depth), encode(v, depth)] for k, v in pairs]


def _encode_wrapped(value, depth: int):
    """A number in a tensor or an array, a dtype, or a tl.constexpr. For any other value, the name of its type."""
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) in ((), None):
        try:
            return encode(item(), depth)
        except Exception:
            pass
    if (type(value).__module__, type(value).__name__) == ("torch", "dtype"):
        return ["dtype", str(value).removeprefix("torch.")]
    if type(value).__name__ == "constexpr":
        return encode(value.value, depth)
    return ["?", type(value).__name__]


# The first entry whose types fit encodes the value. A bool is also an int, so its entry comes first.
_WRITERS = (
    ((bool, type(None)), lambda value, depth: ["const", value]),
    (type(...), lambda value, depth: ["ellipsis"]),
    (int, lambda v, depth: ["int", hex(v)] if v.bit_length() < 4096 else ["?", "an integer of over 4096 bits"]),
    (float, lambda value, depth: ["float", repr(float(value))]),
    (str, lambda value, depth: ["str", value[:_MAX_ITEMS]]),
    (Fraction, lambda value, depth: ["fraction", hex(value.numerator), hex(value.denominator)]),
    (Once, lambda value, depth: ["once"] + [encode(v, depth) for v in value.values]),
    ((list, tuple), _encode_sequence),
    (dict, _encode_dictionary),
)


def decode(data):
    """The value that `encode` encoded. Malformed data gives an Unreadable; nothing is raised."""
    try:
        return _decode(data)
    except (ValueError, TypeError, IndexError, KeyError, RecursionError, ZeroDivisionError):
        return Unreadable("malformed value")


def _decode(data):
    tag, *rest = data
    if tag == "const":
        return rest[0] if rest[0] in (None, True, False) else Unreadable("malformed value")
    if tag == "ellipsis":
        return ...
    if tag == "int":
        return int(rest[0], 16)
    if tag == "float":
        return float(rest[0])
    if tag == "str":
        return str(rest[0])
    if tag == "fraction":
        return Fraction(int(rest[0], 16), int(rest[1], 16))
    if tag == "dtype" and rest[0] in _DTYPES:
        import torch

        return getattr(torch, rest[0])
    if tag == "list":
        return [_decode(v) for v in rest]
    if tag == "once":
        return iter([_decode(v) for v in rest])
    if tag == "tuple":
        return tuple(_decode(v) for v in rest)
    if tag == "dict":
        return {_decode(k): _decode(v) for k, v in rest}
    return Unreadable(str(rest[0]) if rest else "unknown value")
