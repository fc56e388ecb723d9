"""A call on the wire: the request that a judge sends to a runner, packed and unpacked side by side."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from ..spec import Call, Given, Helper, Out
from . import schema
from .tensors import blank, describe, pack, unpack
from .values import decode, encode

_SMALL = 1 << 20  # bytes that any call may bring back


@dataclass(frozen=True)
class GivenAt:
    """A function of the course as the runner sees it: its place among the call's Given arguments, and no text."""

    index: int


def given_of(call: Call) -> list[Given]:
    """The Given arguments of a call, in the order in which `GivenAt` counts them."""
    return [arg for arg in call.args if isinstance(arg, Given)]


def reply_limit(call: Call) -> tuple[int, int]:
    """(bytes that a returned tensor may have, bytes that the whole reply may have) for a call."""
    returned = _SMALL + sum(arg.numel() * 8 for arg in call.args if _is_tensor(arg))
    return returned, returned + sum(_bytes(arg) for arg in call.args)


def pack_call(call: Call) -> tuple[dict, list[bytes]]:
    """(header, payload) of the request. Raises nothing: a value without a plain form arrives as Unreadable."""
    args, payload, given = [], [], given_of(call)
    for arg in call.args:
        if isinstance(arg, Out):
            args.append(["blank", describe(arg.dtype, arg.shape, arg.strides or _contiguous(arg.shape))])
        elif _is_tensor(arg):
            spec, data = pack(arg)
            args.append(["tensor", spec])
            payload.append(data)
        elif isinstance(arg, Given):
            args.append(["given", given.index(arg)])
        elif isinstance(arg, Helper):
            args.append(["helper", [arg.source, arg.name]])
        else:
            args.append(["value", encode(arg)])
    plain = schema.pack(dataclasses.replace(call, args=()), Call)
    return {"op": "run", "call": plain, "args": args, "limit": reply_limit(call)[0]}, payload


def unpack_call(header: dict, payload: bytes) -> Call:
    """The call that `pack_call` wrote. Its args hold torch tensors in place of Out, and GivenAt in place of Given."""
    args, start = [], 0
    for kind, what in header["args"]:
        if kind == "tensor":
            args.append(unpack(what, payload[start : start + what["nbytes"]]))
            start += what["nbytes"]
        else:
            args.append(_UNPACK[kind](what))
    return dataclasses.replace(schema.unpack(header["call"], Call), args=tuple(args))


_UNPACK = {
    "blank": blank,
    "given": GivenAt,
    "helper": lambda what: Helper(*what),
    "value": decode,
}


def _is_tensor(arg) -> bool:
    return hasattr(arg, "untyped_storage")


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def _bytes(arg) -> int:
    """Bytes that a tensor argument brings back, 0 for any other."""
    if isinstance(arg, Out):
        return 8 * math.prod(arg.shape)
    return arg.numel() * arg.element_size() if _is_tensor(arg) else 0
