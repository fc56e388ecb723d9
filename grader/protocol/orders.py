"""Orders on the wire: the arguments and results of PyTorch operations and launches, between host and device.

JSON with tags. A tensor is a reference to the device's memory: {"tensor": number}. Its shape and strides are sent once,
when the device makes it (`Seen`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..sentence import fault, said

_AS_THEY_ARE = frozenset((bool, str, int, float, type(None)))
_TAKERS = ("tolist", "numpy", "copy_")  # methods that take the numbers of a tensor to the host


class Malformed(ValueError):
    """Data that is no order."""


class Seen(NamedTuple):
    """The outside of a tensor: everything that a host knows of it. strides, offset: in elements."""

    number: int  # of the tensor in the device's memory
    shape: list[int]
    strides: list[int]
    offset: int
    dtype: str
    address: int  # of its storage; made up, with the alignment of the real one


def taker(order: dict) -> str:
    """The method for which a host asks for numbers. No other word of a host becomes part of a sentence."""
    return order["by"] if order.get("by") in _TAKERS else "download"


def encode(value, tensor: Callable):
    """An argument or a result as JSON data. tensor: from a tensor to JSON data. Raises TypeError for other objects."""
    if type(value) in _AS_THEY_ARE:
        return value
    import torch

    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if isinstance(value, (list, tuple)):
        return [encode(each, tensor) for each in value]
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    for kind in ("dtype", "layout", "memory_format"):
        if isinstance(value, getattr(torch, kind)):
            return {kind: str(value).removeprefix("torch.")}
    if isinstance(value, torch.Generator):  # the device's numbers follow from one of the host's
        with torch.utils._python_dispatch._disable_current_modes():
            return {"generator": torch.randint(1 << 62, (), generator=value).item()}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    raise TypeError(fault("not-sent", "a {name} cannot be sent to the device", name=type(value).__name__))


def decode(data, tensor: Callable):
    """The value of JSON data of `encode`. tensor: from the data under "tensor" to a tensor. Raises Malformed."""
    if isinstance(data, list):
        return [decode(each, tensor) for each in data]
    if not isinstance(data, dict):
        return data
    import torch

    try:
        ((tag, of),) = data.items()
        if tag == "tensor":
            return tensor(of)
        if tag == "complex":
            return complex(*of)
        if tag == "device":
            return torch.device(of)
        if tag == "generator":
            return torch.Generator().manual_seed(of)
        if tag in ("dtype", "layout", "memory_format") and of.isidentifier():
            found = getattr(torch, of)
            if isinstance(found, getattr(torch, tag)):
                return found
    except (TypeError, ValueError, AttributeError, RuntimeError):
        pass
    raise Malformed(said("not an argument of an operation"))
