"""Calls on the wire: packing and unpacking of the request that a judge sends to a runner."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

from ..spec import Call, Given, Helper, Out
from . import schema
from .tensors import blank, describe, pack, unpack
from .values import decode, encode

_BASE_LIMIT = 1 << 20  # bytes of a returned tensor that every call allows


@dataclass(frozen=True)
class GivenAt:
    """A Given argument on the runner's side, without its source. index: among the Given arguments of the call."""

    index: int


def given_of(call: Call) -> list[Given]:
    """The Given arguments of a call, in the order of `GivenAt.index`."""
    return [arg for arg in call.args if isinstance(arg, Given)]


def reply_limit(call: Call) -> tuple[int, int]:
    """(limit of a returned tensor, limit of the payload of the reply) for a call, in bytes."""
    returned = _BASE_LIMIT + sum(arg.numel() * 8 for arg in call.args if _is_tensor(arg))
    return returned, returned + sum(_argument_bytes(arg) for arg in call.args)


def pack_call(call: Call) -> tuple[dict, list[bytes]]:
    """(header, payload) of the request. A value that cannot be encoded arrives as Unreadable; nothing is raised."""
    args: list[list] = []
    payload, given = [], given_of(call)
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
    """The call that `pack_call` packed, with torch tensors in place of Out, and GivenAt in place of Given."""
    args, start = [], 0
    for kind, what in header["args"]:
        if kind == "tensor":
            args.append(unpack(what, payload[start : start + what["nbytes"]]))
            start += what["nbytes"]
        else:
            args.append(_UNPACK[kind](what))
    return dataclasses.replace(schema.unpack(header["call"], Call), args=tuple(args))


_UNPACK: dict[str, Callable] = {
    "blank": blank,
    "given": GivenAt,
    "helper": lambda what: Helper(*what),
    "value": decode,
}


def _is_tensor(arg) -> bool:
    return hasattr(arg, "untyped_storage")


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def _argument_bytes(arg) -> int:
    """Bytes of an argument in the reply: 0 unless it is a tensor."""
    if isinstance(arg, Out):
        return 8 * math.prod(arg.shape)
    return arg.numel() * arg.element_size() if _is_tensor(arg) else 0
