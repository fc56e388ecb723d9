"""NVIDIA's libdevice in the interpreter: a kernel that calls it runs here too. So do functions of tl.extra.cuda.

libdevice is code for a GPU, and the stock interpreter has functions in its place that return None. In their place stand
those that Triton has for GPUs of NVIDIA: they say for which types there is a symbol of the library. Here NumPy computes
what the symbol means, by the CUDA Math API; symbols that it has no function for need a GPU. Triton's compiler sees the
real functions. Import this module only where kernels are interpreted.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
from collections.abc import Callable

import numpy as np

from ..sentence import said
from .state import current
from .triton_private import Private

_STUBS, _FUNCTIONS = "triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice"
_BESIDE = "triton.language.extra.cuda"
_WARPS = 4  # of a launch that does not say, as Triton's compiler has it
_ROUNDED = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
_WIDTHS = {"float": "f4", "double": "f8", "int": "i4", "uint": "u4", "longlong": "i8", "ll": "i8", "ull": "u8"}


def _one_by_one(function: Callable[[float], float]):
    """A function of Python's math for arrays of float64; inf where it has a pole."""

    def of_one(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return math.nan if x == -math.inf else math.inf

    return np.vectorize(of_one, otypes=[np.float64])


def _gamma(x: float) -> float:
    if x == 0.0:
        return math.copysign(math.inf, x)
    return math.nan if x < 0.0 and x == math.floor(x) else math.gamma(x)


def _exponent(x: np.ndarray) -> np.ndarray:
    """The exponent of a number; of 0 and NaN the smallest whole number, and of an infinity the largest one."""
    whole = np.iinfo(np.int32)
    known = np.where(np.isinf(x), whole.max, whole.min)
    return np.where(np.isfinite(x) & (x != 0.0), np.frexp(x)[1] - 1, known)


_ERFC, _GAMMA = _one_by_one(math.erfc), _one_by_one(_gamma)
# By the name of the symbol without __nv_ and without the letter of its type. Floats arrive in float64.
_MEANINGS: dict[str, Callable] = {
    **{name: getattr(np, name) for name in (
        "abs ceil floor trunc rint sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh hypot fmod "
        "copysign ldexp isnan isinf signbit"
    ).split()},
    **{name: getattr(np, f"arc{name[1:]}") for name in "asin acos atan asinh acosh atanh atan2".split()},
    **{f"fast_{name}": getattr(np, name) for name in "exp log log2 log10 sin cos tan tanh".split()},
    "fabs": np.abs, "llabs": np.abs, "nearbyint": np.rint, "llrint": np.rint, "isfinite": np.isfinite,
    "finite": np.isfinite, "scalbn": np.ldexp, "pow": np.power, "powi": np.power, "fast_pow": np.power,
    "fast_fdivide": np.divide, "remainder": lambda x, y: x - y * np.rint(x / y), "fma": lambda x, y, z: x * y + z,
    "exp10": lambda x: np.power(10.0, x), "fast_exp10": lambda x: np.power(10.0, x),
    "rsqrt": lambda x: 1 / np.sqrt(x), "rcbrt": lambda x: 1 / np.cbrt(x), "rhypot": lambda x, y: 1 / np.hypot(x, y),
    "sinpi": lambda x: np.sin(np.pi * np.fmod(x, 2)), "cospi": lambda x: np.cos(np.pi * np.fmod(x, 2)),
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "llround": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "logb": lambda x: np.floor(np.log2(np.abs(x))), "ilogb": _exponent,
    "fdim": lambda x, y: np.where(x > y, x - y, 0 * (x + y)), "saturate": lambda x: np.clip(np.nan_to_num(x), 0, 1),
    "erf": _one_by_one(math.erf), "erfc": _ERFC, "lgamma": _one_by_one(math.lgamma),
    "tgamma": _GAMMA, "normcdf": lambda x: _ERFC(-x / math.sqrt(2)) / 2,
    "norm3d": lambda *x: np.sqrt(sum(each * each for each in x)),
    "norm4d": lambda *x: np.sqrt(sum(each * each for each in x)),
    "ffs": np.vectorize(lambda x: (int(x) & -int(x)).bit_length(), otypes=[np.int32]),
}  # fmt: skip
_MEANINGS |= {
    f"{kind}{name}": function
    for kind in "fd"
    for name, function in {
        "add_rn": np.add, "sub_rn": np.subtract, "mul_rn": np.multiply, "div_rn": np.divide, "sqrt_rn": np.sqrt,
        "rcp_rn": lambda x: 1 / x, "rsqrt_rn": lambda x: 1 / np.sqrt(x),
    }.items()
} | {"fma_rn": _MEANINGS["fma"], "fmaf_rn": _MEANINGS["fma"]}  # fmt: skip


def install(private: Private) -> None:
    """Let kernels call libdevice and what stands beside it, for good."""
    stubs, functions = (_module(name) for name in (_STUBS, _FUNCTIONS))
    if stubs is None or functions is None:
        return
    # Triton imports the package twice: this one, and that which tl.extra has.
    twins = (_module(_BESIDE), getattr(private.language.extra, "cuda", None))
    for beside in {id(each): each for each in twins if each is not None}.values():
        for name, value in list(vars(beside).items()):
            if private.core.is_builtin(value):
                setattr(beside, name, _in_kernels(value, private))
    if private.builder_options is not None:
        warps = property(lambda options: current.launch.options.get("num_warps", _WARPS))
        type(private.builder_options).num_warps = warps
    for name in ("wait", "launch_dependents"):  # here one launch ends before the next begins
        private.replace_method(f"create_grid_dependency_{name}", lambda builder: None)
    private.replace_method("create_extern_elementwise", functools.partialmethod(_computed, private))
    made = {
        name: _in_kernels(value, private)
        for name, value in vars(functions).items()
        if private.core.is_builtin(value) and not name.startswith("_")
    }
    for module in (stubs, functions):
        for name, value in list(vars(module).items()):
            if inspect.isfunction(value) and name in made:
                setattr(module, name, made[name])


def _module(name: str):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _in_kernels(function, private: Private):
    """A function of libdevice that finds the interpreter by itself, as those of triton.language do in a launch."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*args, **kwargs, _semantic=private.semantic)

    call.__module__ = _STUBS
    return call


def _computed(builder, private: Private, library, path, symbol: str, handles: list, kind, pure):
    """What a symbol of the library gives for blocks. kind: the type of the result."""
    name = symbol.removeprefix("__nv_")
    function = _conversion(name) or _meaning(name)
    if function is None:
        raise NotImplementedError(said("libdevice's {name} runs on a GPU, and not in Triton's interpreter", name=name))
    with np.errstate(all="ignore"):
        values = function(*(handle.data for handle in handles))
    element = kind.scalar
    dtype = np.dtype(private.numpy_dtype(element))
    values = _whole(values, dtype) if dtype.kind in "iu" and values.dtype.kind == "f" else values.astype(dtype)
    return private.Handle(values, element)


def _whole(numbers, dtype: np.dtype):
    """Floats in whole numbers as CUDA converts them: the nearest one that there is. What NaN becomes is left open."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    unknown = np.isnan(numbers)
    if getattr(unknown, "values", unknown).any():
        current.took_a_way()
    with np.errstate(all="ignore"):
        inside = np.where(unknown, 0.0, numbers).astype(np.float64).astype(dtype)
    above, below = numbers >= float(high), numbers <= float(low)
    inside = np.where(above, np.array(high, dtype), np.where(below, np.array(low, dtype), inside))
    return np.where(unknown, np.array(0 if current.poison else low or high, dtype), inside)


def _meaning(name: str):
    """A function of arrays for a symbol, whatever floats it is for."""
    found = next((_MEANINGS[each] for each in _without_type(name) if each in _MEANINGS), None)
    if found is None:
        return None
    return lambda *arrays: found(*(a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays))


def _without_type(name: str) -> list[str]:
    return [name, *(name.removesuffix(each) for each in ("f", "d", "ll"))]


def _conversion(name: str):
    """A function of one array for a symbol such as float2int_rz or float_as_int, else None."""
    if "_as_" in name:
        target = _WIDTHS[name.partition("_as_")[2]]
        return lambda x: x.view(target)
    source, two, rest = name.partition("2")
    kind, _, rounding = rest.partition("_")
    if not two or source not in _WIDTHS or kind not in _WIDTHS or rounding not in _ROUNDED:
        return None
    if _WIDTHS[kind][0] == "f":  # NumPy rounds to the nearest
        return (lambda x: x.astype(_WIDTHS[kind])) if rounding == "rn" else None
    return lambda x: _whole(_ROUNDED[rounding](x), np.dtype(_WIDTHS[kind]))  # of which `kind` may have the bits alone
