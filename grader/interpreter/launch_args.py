"""What a launch hands to a kernel: arguments by name, options, grid. Refuses what a GPU would refuse."""

from __future__ import annotations

import dataclasses
import functools
import inspect

from .state import KernelMisuse


def bind(fn, args, kwargs) -> tuple[dict, dict]:
    """(arguments by parameter name, launch options such as num_warps)."""
    spec = inspect.getfullargspec(fn)
    names = {*spec.args, *spec.kwonlyargs}
    try:
        bound = inspect.getcallargs(fn, *args, **{k: v for k, v in kwargs.items() if k in names})
    except TypeError as error:
        raise KernelMisuse(f"the launch does not fit the kernel's parameters: {error}") from None
    options = {k: v for k, v in kwargs.items() if k not in names}
    unknown = options.keys() - _launch_options()
    if unknown:
        raise KernelMisuse(
            f"the launch does not fit the kernel's parameters: {fn.__name__} has no parameter {sorted(unknown)[0]!r}, "
            "and Triton has no launch option of that name"
        )
    return bound, options


@functools.cache
def _launch_options() -> frozenset[str]:
    """What a launch may name besides the kernel's parameters: the options of Triton's backends."""
    known = {"num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "debug", "stream", "grid", "warmup"}
    try:
        from triton.backends.amd.compiler import HIPOptions
        from triton.backends.nvidia.compiler import CUDAOptions

        return frozenset(known | {f.name for options in (CUDAOptions, HIPOptions) for f in dataclasses.fields(options)})
    except (ImportError, TypeError):
        return frozenset(known)


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


def type_name(value) -> str:
    """Triton's name of an argument's type, such as *fp32 or i32."""
    from triton.runtime import jit

    try:
        return str(jit.mangle_type(value))
    except Exception:
        return "?"


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
