"""Plain Python values on the wire, as tagged JSON: numbers, text, dtypes, kernels, and containers of them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..sentence import Said, said, tree
from ..spec import KernelText, LanguageType, Once, Unreadable

_MAX_ITEMS, _DEEPEST = 10_000, 8
_MAX_BITS = 1000  # of an integer; a float has room for it, so any comparison of two numbers works
_MAX_KIND = 200  # characters of the name of a type
_DTYPES = frozenset("float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool".split())


def encode(value, depth: int = 0):
    """A plain value as tagged JSON: [tag, ...]. Never raises for a plain value.

    Plain are numbers, text, None, `...`, dtypes, kernels, and lists, tuples and dictionaries of them. For any other
    value the tag is "?", followed by the name of its type or by a sentence, as for an integer of over 1,000 bits.
    Containers and texts are cut after 10,000 items. depth: nesting so far.
    """
    if depth > _DEEPEST:
        return ["?", tree.tree(said("something nested very deeply"))]
    for kinds, write in _WRITERS:
        if isinstance(value, kinds):
            return write(value, depth + 1)
    return _encode_wrapped(value, depth + 1)


def _encode_sequence(value, depth: int):
    tag = type(value).__name__ if type(value) in (list, tuple) else "tuple"
    return [tag] + [encode(v, depth) for v in value[:_MAX_ITEMS]]


def _encode_fraction(value: Fraction):
    if not (_fits(value.numerator) and _fits(value.denominator)):
        return ["?", tree.tree(said("fraction of numbers of over {MAX_BITS} bits", MAX_BITS=_MAX_BITS))]
    return ["fraction", hex(value.numerator), hex(value.denominator)]


def _fits(value: int) -> bool:
    return value.bit_length() <= _MAX_BITS


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
    if (type(value).__module__, type(value).__name__) == ("triton.language.core", "dtype"):
        return ["language", str(value)]
    if type(value).__name__ == "constexpr":
        return encode(value.value, depth)
    return ["?", type(value).__name__]


# The first entry whose types fit encodes the value. A bool is also an int, so its entry comes first.
_WRITERS = (
    ((bool, type(None)), lambda value, depth: ["const", value]),
    (type(...), lambda value, depth: ["ellipsis"]),
    (
        int,
        lambda v, depth: (
            ["int", hex(v)]
            if _fits(v)
            else ["?", tree.tree(said("number of over {MAX_BITS} bits", MAX_BITS=_MAX_BITS))]
        ),
    ),
    (float, lambda value, depth: ["float", repr(float(value))]),
    (Said, lambda value, depth: ["said", tree.tree(value)]),
    (str, lambda value, depth: ["str", value[:_MAX_ITEMS]]),
    (Fraction, lambda value, depth: _encode_fraction(value)),
    (KernelText, lambda value, depth: ["kernel", value.program]),
    (LanguageType, lambda value, depth: ["language", value.name]),
    (Once, lambda value, depth: ["once"] + [encode(v, depth) for v in value.values]),
    ((list, tuple), _encode_sequence),
    (dict, _encode_dictionary),
)


def decode(data):
    """The value that `encode` encoded. Data that it does not make gives an Unreadable; nothing is raised."""
    try:
        return _decode(data, 0)
    except (ValueError, TypeError, IndexError, KeyError, ZeroDivisionError):
        return Unreadable(said("malformed value"))


def _decode(data, depth: int):
    tag, *rest = data
    if depth > _DEEPEST + 1 or len(rest) > _MAX_ITEMS:
        raise ValueError(said("larger than anything that is sent"))
    if tag in _CONTAINERS:
        return _CONTAINERS[tag](_decode(v, depth + 1) for v in rest)
    if tag == "dict":
        return {_decode(k, depth + 1): _decode(v, depth + 1) for k, v in rest}
    return _decode_plain(tag, rest)


_CONTAINERS: dict[str, Callable] = {"list": list, "tuple": tuple, "once": lambda values: iter(list(values))}


def _decode_plain(tag: str, rest: list):
    if tag == "const" and (rest[0] is None or isinstance(rest[0], bool)):
        return rest[0]
    if tag == "ellipsis":
        return ...
    if tag == "int":
        return _integer(rest[0])
    if tag == "float":
        return float(rest[0])
    if tag == "str":
        return str(rest[0])[:_MAX_ITEMS]
    if tag == "said":
        return tree.of_tree(rest[0])
    if tag == "fraction":
        return Fraction(_integer(rest[0]), _integer(rest[1]))
    if tag == "dtype" and rest[0] in _DTYPES:
        import torch

        return getattr(torch, rest[0])
    if tag == "language":
        return LanguageType(str(rest[0])[:_MAX_KIND])
    if tag == "kernel" and isinstance(rest[0], str):
        return KernelText(rest[0])
    if tag == "?":
        return Unreadable(tree.of_tree(rest[0]) if isinstance(rest[0], list) else str(rest[0])[:_MAX_KIND])
    raise ValueError(said("no such tag: {tag}", tag=tag))


def _integer(text: str) -> int:
    if len(text) > _MAX_BITS:  # hexadecimal digits: int() is quick, and the exact test follows
        raise ValueError(said("too many digits"))
    value = int(text, 16)
    if not _fits(value):
        raise ValueError(said("too many bits"))
    return value
