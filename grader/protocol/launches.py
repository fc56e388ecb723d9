"""Arguments of a launch on the wire: JSON with tags for tensors, blocks of them, and objects of triton.language."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ..sentence import fault, said
from . import orders


def encode(value, tensor: Callable, kernel: Callable):
    """An argument of a launch as JSON data.

    tensor: from a tensor to JSON data. kernel: from a function with @triton.jit to JSON data, None for other objects.
    An object that no kernel takes becomes the name of its type.
    """
    import torch
    import triton.language as tl

    def inner(value):
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {"named": [list(value._fields), [inner(each) for each in value]]}
        if isinstance(value, tuple):
            return {"tuple": [inner(each) for each in value]}
        if isinstance(value, tl.constexpr):
            return {"constexpr": inner(value.value)}
        if isinstance(value, tl.dtype):
            return {"language": str(value)}
        if hasattr(value, "block_shape") and dataclasses.is_dataclass(value):
            return {"descriptor": {f.name: inner(_tuple(getattr(value, f.name))) for f in dataclasses.fields(value)}}
        if isinstance(getattr(value, "base", None), torch.Tensor) and not isinstance(value, torch.Tensor):
            return {"reinterpreted": [tensor(value.base), str(value.dtype)]}  # triton.reinterpret
        if kernel(value) is not None:
            return {"kernel": kernel(value)}
        if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
            return inner(value.item())
        if isinstance(value, (list, dict)):
            return {"object": type(value).__name__}
        try:
            return orders.encode(value, tensor)
        except TypeError:
            return {"object": type(value).__name__}

    return inner(value)


def decode(data, tensor: Callable, kernel: Callable, named: Callable):
    """The argument of JSON data of `encode`. Raises orders.Malformed; TypeError for an object that no kernel takes.

    tensor: from the data of a tensor to a tensor. kernel: from the data of a kernel to the kernel.
    named: from the names and the values of its fields to a named tuple.
    """
    import triton
    import triton.language as tl

    def language(name: str):
        try:
            return language_type(name)
        except (KeyError, TypeError):
            raise orders.Malformed(said("not a type of triton.language")) from None

    def inner(data):
        if not isinstance(data, dict) or len(data) != 1:
            return orders.decode(data, tensor)
        ((tag, of),) = data.items()
        if tag == "tuple":
            return tuple(inner(each) for each in of)
        if tag == "named":
            return named(of[0], [inner(each) for each in of[1]])
        if tag == "constexpr":
            return tl.constexpr(inner(of))
        if tag == "descriptor":
            return _descriptor({name: inner(each) for name, each in of.items()})
        if tag == "reinterpreted":
            return triton.reinterpret(orders.decode(of[0], tensor), language(of[1]))
        if tag in ("language", "kernel"):
            return (language if tag == "language" else kernel)(of)
        if tag == "object":
            raise TypeError(
                fault(
                    "argument", "a kernel takes tensors and numbers, and one argument of this launch is a {of}", of=of
                )
            )
        return orders.decode(data, tensor)

    return inner(data)


def language_type(name: str):
    """The type of triton.language of a name such as fp32. Raises KeyError.

    Triton's own function for it evaluates parts of a name, and names come from strangers.
    """
    import triton.language as tl

    return {str(each): each for each in vars(tl).values() if isinstance(each, tl.dtype)}[name]


def _tuple(value):
    return tuple(value) if isinstance(value, list) else value


def _descriptor(fields: dict):
    from triton.tools.tensor_descriptor import TensorDescriptor

    return TensorDescriptor(**{k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()})
