"""Plain Python values as tagged JSON: numbers, text, dtypes, and containers of them."""

from __future__ import annotations

from fractions import Fraction

from ..spec import Once, Unreadable

_MAX_ITEMS = 10_000
_DTYPES = frozenset("float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool".split())


def encode(value, depth: int = 0):
    """A plain value (number, text, None, ..., dtype, list, tuple, dict) as tagged JSON; of others the type name."""
    if depth > 8:
        return ["?", "something nested very deeply"]
    if value is None or isinstance(value, bool):
        return ["const", value]
    if value is Ellipsis:
        return ["ellipsis"]
    if isinstance(value, int):
        return ["int", hex(value)] if value.bit_length() < 4096 else ["?", "an integer of over 4096 bits"]
    if isinstance(value, float):
        return ["float", repr(float(value))]
    if isinstance(value, str):
        return ["str", value[:_MAX_ITEMS]]
    if isinstance(value, Fraction):
        return ["fraction", hex(value.numerator), hex(value.denominator)]
    if isinstance(value, Once):
        return ["once"] + [encode(v, depth + 1) for v in value.values]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__ if type(value) in (list, tuple) else "tuple"] + [
            encode(v, depth + 1) for v in value[:_MAX_ITEMS]
        ]
    if isinstance(value, dict):
        pairs = list(value.items())[:_MAX_ITEMS]
        return ["dict"] + [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in pairs]
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) in ((), None):
        try:
            return encode(item(), depth + 1)
        except Exception:
            pass
    if (type(value).__module__, type(value).__name__) == ("torch", "dtype"):
        return ["dtype", str(value).removeprefix("torch.")]
    # A tl.constexpr wraps a plain value.
    if type(value).__name__ == "constexpr":
        return encode(value.value, depth + 1)
    return ["?", type(value).__name__]


def decode(data):
    """The value that `encode` wrote. Malformed data becomes an Unreadable."""
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
