"""NVIDIA's libdevice in the interpreter: a kernel that calls it runs here too.

libdevice is code for a GPU, and the stock interpreter has functions in its place that return None. Those that Triton's
language can say become kernels of that language; any other one says that it needs a GPU. Triton's compiler sees the
real ones. Import this module only where kernels are interpreted.
"""

from __future__ import annotations

import functools
import importlib
import inspect

import triton
import triton.language as tl

_STUBS = "triton.language.extra.libdevice"
_MODULES = (_STUBS, "triton.language.extra.cuda.libdevice")


@triton.jit
def abs(x):
    return tl.abs(x)


@triton.jit
def ceil(x):
    return tl.ceil(x)


@triton.jit
def floor(x):
    return tl.floor(x)


@triton.jit
def cos(x):
    return tl.cos(x)


@triton.jit
def sin(x):
    return tl.sin(x)


@triton.jit
def erf(x):
    return tl.erf(x)


@triton.jit
def exp(x):
    return tl.exp(x)


@triton.jit
def exp2(x):
    return tl.exp2(x)


@triton.jit
def log(x):
    return tl.log(x)


@triton.jit
def log2(x):
    return tl.log2(x)


@triton.jit
def sqrt(x):
    return tl.sqrt(x)


@triton.jit
def rsqrt(x):
    return tl.rsqrt(x)


@triton.jit
def add(x, y):
    return x + y


@triton.jit
def sub(x, y):
    return x - y


@triton.jit
def mul(x, y):
    return x * y


@triton.jit
def div(x, y):
    return x / y


@triton.jit
def rcp(x):
    return 1.0 / x


@triton.jit
def fma(x, y, z):
    return tl.fma(x, y, z)


@triton.jit
def isnan(x):
    return (x != x).to(tl.int32)


@triton.jit
def isinf(x):
    return (tl.abs(x) == float("inf")).to(tl.int32)


@triton.jit
def finitef(x):
    return (tl.abs(x) < float("inf")).to(tl.int32)


@triton.jit
def float_as_int(x):
    return x.to(tl.int32, bitcast=True)


@triton.jit
def float_as_uint(x):
    return x.to(tl.uint32, bitcast=True)


@triton.jit
def as_float(x):
    return x.to(tl.float32, bitcast=True)


_FUNCTIONS = {
    "abs": abs, "ceil": ceil, "floor": floor, "cos": cos, "fast_cosf": cos, "sin": sin, "fast_sinf": sin, "erf": erf,
    "exp": exp, "fast_expf": exp, "exp2": exp2, "log": log, "fast_logf": log, "log2": log2, "fast_log2f": log2,
    "sqrt": sqrt, "sqrt_rn": sqrt, "rsqrt": rsqrt, "rsqrt_rn": rsqrt, "add_rn": add, "sub_rn": sub, "mul_rn": mul,
    "div_rn": div, "fast_dividef": div, "rcp_rn": rcp, "fma": fma, "fma_rn": fma, "isnan": isnan, "isinf": isinf,
    "finitef": finitef, "float_as_int": float_as_int, "float_as_uint": float_as_uint, "int_as_float": as_float,
    "uint_as_float": as_float,
}  # fmt: skip


def replace() -> None:
    """Put the functions of this module into Triton's modules, for good."""
    for path in _MODULES:
        try:
            module = importlib.import_module(path)
        except ImportError:
            continue
        for name, value in list(vars(module).items()):
            if inspect.isfunction(value) and value.__module__ == path and not name.startswith("_"):
                setattr(module, name, _FUNCTIONS.get(name) or _missing(name, value))


def _missing(name: str, stub):
    @functools.wraps(stub)
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"libdevice's {name} runs on a GPU, and not in Triton's interpreter")

    refuse.__module__ = _STUBS
    return refuse
