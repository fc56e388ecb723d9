"""The memory of tensor arguments: a call may have those of the call before, with other numbers in them."""

from __future__ import annotations

import dataclasses

from ..spec import Call


def tensors_of(call: Call) -> list:
    """The tensor arguments of a call that arrived."""
    return [arg for arg in call.args if hasattr(arg, "untyped_storage")]


def in_memory_of(before: list, call: Call) -> Call:
    """The call, with its tensor arguments in memory as Call.memory says; new memory where `before` does not fit.

    before: the tensor arguments of the call before. They are changed.
    """
    tensors = tensors_of(call)
    if not call.memory or list(map(_layout, before)) != list(map(_layout, tensors)):
        return dataclasses.replace(call, memory="")
    placed = iter([_written(old, new, call.memory == "same") for old, new in zip(before, tensors)])
    return dataclasses.replace(
        call, args=tuple(next(placed) if hasattr(arg, "untyped_storage") else arg for arg in call.args)
    )


def _layout(tensor) -> tuple:
    return (
        tensor.dtype, tensor.device, tuple(tensor.shape), tensor.stride(), tensor.storage_offset(),
        tensor.untyped_storage().nbytes(),
    )  # fmt: skip


def _written(old, new, same: bool):
    """The storage of `old` with the bytes of that of `new`: as the same object, or as another one."""
    import torch

    old.untyped_storage().copy_(new.untyped_storage())
    if same:
        torch.autograd.graph.increment_version(old)
        return old
    with torch.autograd._unsafe_preserve_version_counter(new):  # a tensor that nobody has changed yet
        return new.set_(old.untyped_storage(), old.storage_offset(), old.shape, old.stride())
