"""The arguments of an audited function: the tensors and numbers in them, at any depth, and others in their place."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils import _pytree


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call. leaves: tensors and plain values. names: of the leaves, such as "x" or "qkv[1]".
    constants: for a kernel, its constants; None for a function."""

    leaves: tuple[Any, ...]
    names: tuple[str, ...]
    shape: Any  # of the tree of args and kwargs
    constants: frozenset[int] | None = None

    @classmethod
    def of(cls, function, args, kwargs, constants=None) -> Arguments:
        """The arguments of function(*args, **kwargs)."""
        flat, shape = _pytree.tree_flatten((tuple(args), dict(kwargs)))
        places = _pytree.tree_flatten_with_path((tuple(args), dict(kwargs)))[0]
        called = _names(function, len(args))
        return cls(tuple(flat), tuple(_name(path, called) for path, _ in places), shape, constants)

    def given_to(self, function) -> Any:
        """What the function returns for them."""
        args, kwargs = _pytree.tree_unflatten(list(self.leaves), self.shape)
        return function(*args, **kwargs)

    def mapped(self, change: Callable[[int, torch.Tensor], torch.Tensor]) -> Arguments:
        """The same with change(place, tensor) in place of each tensor."""
        leaves = tuple(change(i, leaf) if is_tensor(leaf) else leaf for i, leaf in enumerate(self.leaves))
        return self.with_leaves(leaves)

    def with_leaves(self, leaves) -> Arguments:
        """The same with other leaves."""
        return replace(self, leaves=tuple(leaves))

    def tensors(self) -> dict[int, torch.Tensor]:
        """The tensors by their places among the leaves."""
        return {i: leaf for i, leaf in enumerate(self.leaves) if is_tensor(leaf)}

    def dtypes(self) -> frozenset[torch.dtype]:
        """The dtypes of all tensors."""
        return frozenset(tensor.dtype for tensor in self.tensors().values())

    def size(self) -> int:
        """The elements of all tensors."""
        return sum(tensor.numel() for tensor in self.tensors().values())

    def main(self) -> int | None:
        """The place of the largest floating-point tensor, None if there is none."""
        floats = {i: t.numel() for i, t in self.tensors().items() if t.is_floating_point() and not is_coarse(t)}
        return max(floats, key=floats.__getitem__, default=None)

    def described(self) -> str:
        """The tensors in a few words, such as "x [3, 5] float32, w [5] float32"."""
        parts = []
        for i, tensor in self.tensors().items():
            parts.append(f"{self.names[i]} {list(tensor.shape)} {dtype_name(tensor.dtype)}")
        return ", ".join(parts)


def is_tensor(value) -> bool:
    """Whether a leaf is a tensor whose elements lie in memory."""
    return isinstance(value, torch.Tensor) and value.layout == torch.strided


def is_coarse(tensor: torch.Tensor) -> bool:
    """Whether a tensor has whole numbers, or numbers of 8 bits, with which PyTorch computes little."""
    return not tensor.is_floating_point() or torch.finfo(tensor.dtype).bits < 16


def flat(value) -> list[torch.Tensor]:
    """The tensors in a returned value, in order; a plain number becomes one."""
    leaves = _pytree.tree_flatten(value)[0]
    numbers = (torch.tensor(leaf) if type(leaf) in (int, float, bool) else leaf for leaf in leaves)
    return [leaf.detach() for leaf in numbers if is_tensor(leaf)]


def dtype_name(dtype: torch.dtype) -> str:
    """The name of a dtype without its module: float32."""
    return str(dtype).removeprefix("torch.")


def _names(function, count: int) -> list[str]:
    """Names of the positional arguments: those of the parameters where they are known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        parameters = []
    names = []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}[{i}]" for i in range(count - len(names))]
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            names.append(parameter.name)
    return [names[i] if i < len(names) else f"input {i}" for i in range(count)]


def _name(path, called: list[str]) -> str:
    (side, first), *rest = ((key, getattr(key, "idx", getattr(key, "key", key))) for key in path)
    place = rest[0][1]
    name = called[place] if first == 0 else str(place)
    return name + "".join(f"[{key!r}]" for _, key in rest[1:])
