"""Arguments, options and grid of a launch, with errors for those that a GPU would not accept."""

from __future__ import annotations

import inspect
import math

import numpy as np

from ..sentence import fault, said
from .state import KernelMisuse
from .triton_private import is_kernel, launch_options, private

_MOST_PROGRAMS = ((1 << 31) - 1, (1 << 16) - 1, (1 << 16) - 1)  # along each axis of a grid


def bind(fn, args, kwargs) -> tuple[dict, dict]:
    """(arguments by parameter name, launch options such as num_warps). Raises KernelMisuse where they do not fit.

    fn: the Python function of the kernel. args, kwargs: those of the launch.
    """
    spec = inspect.getfullargspec(fn)
    names = {*spec.args, *spec.kwonlyargs}
    try:
        bound = inspect.getcallargs(fn, *args, **{k: v for k, v in kwargs.items() if k in names})
    except TypeError as error:
        raise KernelMisuse(
            fault("launch-arguments", "the launch does not fit the kernel's parameters: {error}", error=error)
        ) from None
    options = {k: v for k, v in kwargs.items() if k not in names}
    unknown = options.keys() - launch_options()
    if unknown:
        raise KernelMisuse(
            fault(
                "launch-arguments",
                "the launch does not fit the kernel's parameters: {name} has no parameter {sorted}, "
                "and Triton has no launch option of that name",
                name=fn.__name__,
                sorted=repr(sorted(unknown)[0]),
            )
        )
    return bound, options


def check(kernel: str, bound: dict, constexprs: list[str]) -> None:
    """Raise KernelMisuse for an argument that no kernel takes, and for a constant that no compiler takes for one.

    A constant is a number, a text, None, a dtype, a function with @triton.jit, or a tuple of these. Any other argument
    may also be a tensor.
    """
    for name, value in bound.items():
        if name in constexprs and not _is_constant(value):
            raise KernelMisuse(
                fault(
                    "launch-arguments",
                    "`{name}` of {kernel} is a tl.constexpr, and this launch gives it {value}: a constant is a number, "
                    "a text, None, a dtype or a kernel",
                    name=name,
                    kernel=kernel,
                    value=said("a tensor") if is_tensor(value) else said("a {type}", type=type(value).__name__),
                )
            )
        if not _is_argument(value):
            raise KernelMisuse(
                fault(
                    "argument",
                    "a kernel takes tensors and numbers, and one argument of this launch is a {of}",
                    of=type(value).__name__,
                )
            )


def _is_constant(value) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    if type(value) in (bool, int, float, str, type(None)) or isinstance(value, np.generic):
        return True
    core = private().core
    if isinstance(value, core.constexpr):
        return _is_constant(value.value)
    return isinstance(value, core.dtype) or is_kernel(value) or type(value).__name__ == "dtype"  # PyTorch's own


def _is_argument(value) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_argument, value))
    return _is_constant(value) or is_tensor(value) or is_tensor(getattr(value, "base", None))


def constexprs(executor) -> list[str]:
    """Names of the parameters that are annotated as constexpr, under any import name of triton.language.

    The stock interpreter compares the annotation with the texts "tl.constexpr" and "constexpr" only.
    """
    named = {n for n, a in executor.fn.__annotations__.items() if str(a).rpartition(".")[2] == "constexpr"}
    return [n for n in executor.arg_names if n in named or n in executor.constexprs]


def as_grid(grid, kernel: str):
    """The grid as a tuple, or as a function that returns one. Raises KernelMisuse for a bare number.

    A GPU accepts a list as well, the stock interpreter only a tuple. kernel: name for the error.
    """
    if callable(grid):
        return lambda meta: as_grid(grid(meta), kernel)
    if not isinstance(grid, (tuple, list)):
        raise KernelMisuse(
            fault(
                "grid",
                "the grid of a launch is a tuple, even with one number, and {kernel} was launched over {grid}",
                kernel=kernel,
                grid=repr(grid),
            )
        )
    return tuple(grid)


def check_grid(grid: tuple[int, ...], kernel: str) -> None:
    """Raise KernelMisuse for more programs along an axis than a GPU of NVIDIA starts: CUDA C++ Programming Guide,
    "Compute Capabilities". kernel: name for the error.
    """
    for axis, (programs, most) in enumerate(zip(grid, _MOST_PROGRAMS)):
        if programs > most:
            raise KernelMisuse(
                fault(
                    "grid-too-long",
                    "{kernel} was launched with {programs} programs along axis {axis} of the grid, and a GPU takes at "
                    "most {most} there",
                    kernel=kernel,
                    programs=f"{programs:,}",
                    axis=axis,
                    most=f"{most:,}",
                )
            )


def is_tensor(value) -> bool:
    """Whether Triton treats the value as a tensor."""
    return hasattr(value, "data_ptr")


def divisor(value) -> int | None:
    """The power of two, up to 16, that divides an integer, or the bytes in front of the first element of a tensor.

    0 for the integer 1, None for a value of any other kind. Memory of a GPU begins at a multiple of 16.
    """
    if is_tensor(value):
        whole = getattr(value, "base", value)  # of triton.reinterpret
        return math.gcd(whole.data_ptr() - whole.untyped_storage().data_ptr(), 16)
    if type(value) is int:
        return 0 if value == 1 else math.gcd(value, 16)
    return None


def tensors(value):
    """Yield the tensors of one argument: itself, that of a descriptor, or those in a tuple at any depth."""
    yield from (tensor for _, tensor in named("", value))


def named(name: str, value):
    """Yield (name, tensor) of the tensors of one argument: those in a tuple have their place behind its name."""
    if is_tensor(value):
        yield name, value
    elif hasattr(value, "block_shape"):
        yield name, value.base
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from named(f"{name}[{i}]", item)


def on_the_cpu(value) -> bool:
    """Whether the tensors of one argument are on the CPU. A descriptor, which holds one of its own, counts as not."""
    return not hasattr(value, "block_shape") and all(str(tensor.device) == "cpu" for tensor in tensors(value))
