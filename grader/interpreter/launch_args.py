"""What a launch hands to a kernel: arguments by name, options, grid. Refuses what a GPU would refuse."""

from __future__ import annotations

import inspect

from .state import KernelMisuse
from .triton_private import launch_options


def bind(fn, args, kwargs) -> tuple[dict, dict]:
    """(arguments by parameter name, launch options such as num_warps)."""
    spec = inspect.getfullargspec(fn)
    names = {*spec.args, *spec.kwonlyargs}
    try:
        bound = inspect.getcallargs(fn, *args, **{k: v for k, v in kwargs.items() if k in names})
    except TypeError as error:
        raise KernelMisuse(f"the launch does not fit the kernel's parameters: {error}") from None
    options = {k: v for k, v in kwargs.items() if k not in names}
    unknown = options.keys() - launch_options()
    if unknown:
        raise KernelMisuse(
            f"the launch does not fit the kernel's parameters: {fn.__name__} has no parameter {sorted(unknown)[0]!r}, "
            "and Triton has no launch option of that name"
        )
    return bound, options


def constexprs(executor) -> list[str]:
    """Parameters annotated as constexpr, whatever triton.language is called in the answer.

    The stock interpreter sees annotations as text and knows only "tl.constexpr" and "constexpr".
    """
    named = {n for n, a in executor.fn.__annotations__.items() if str(a).rpartition(".")[2] == "constexpr"}
    return [n for n in executor.arg_names if n in named or n in executor.constexprs]


def as_grid(grid, kernel: str):
    """The grid as the tuple that the stock interpreter insists on; a GPU takes a list as well, but no bare number."""
    if callable(grid):
        return lambda meta: as_grid(grid(meta), kernel)
    if not isinstance(grid, (tuple, list)):
        raise KernelMisuse(
            f"the grid of a launch is a tuple, even with one number, and {kernel} was launched over {grid!r}"
        )
    return tuple(grid)


def is_tensor(value) -> bool:
    """Whether Triton takes the value for a tensor."""
    return hasattr(value, "data_ptr")


def tensors(value):
    """The tensors of an argument, which may be a tuple of them."""
    if is_tensor(value):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from tensors(item)
