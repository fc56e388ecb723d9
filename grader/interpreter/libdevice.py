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

from ..sentence import said

_STUBS = "triton.language.extra.libdevice"
_MODULES = (_STUBS, "triton.language.extra.cuda.libdevice")


@triton.jit
def _abs(x):
    return tl.abs(x)


@triton.jit
def _ceil(x):
    return tl.ceil(x)


@triton.jit
def _floor(x):
    return tl.floor(x)


@triton.jit
def _cos(x):
    return tl.cos(x)


@triton.jit
def _sin(x):
    return tl.sin(x)


@triton.jit
def _erf(x):
    return tl.erf(x)


@triton.jit
def _exp(x):
    return tl.exp(x)


@triton.jit
def _exp2(x):
    return tl.exp2(x)


@triton.jit
def _log(x):
    return tl.log(x)


@triton.jit
def _log2(x):
    return tl.log2(x)


@triton.jit
def _sqrt(x):
    return tl.sqrt(x)


@triton.jit
def _rsqrt(x):
    return tl.rsqrt(x)


@triton.jit
def _add(x, y):
    return x + y


@triton.jit
def _sub(x, y):
    return x - y


@triton.jit
def _mul(x, y):
    return x * y


@triton.jit
def _div(x, y):
    return x / y


@triton.jit
def _rcp(x):
    return 1.0 / x


@triton.jit
def _fma(x, y, z):
    return tl.fma(x, y, z)


@triton.jit
def _isnan(x):
    return (x != x).to(tl.int32)


@triton.jit
def _isinf(x):
    return (tl.abs(x) == float("inf")).to(tl.int32)


@triton.jit
def _finitef(x):
    return (tl.abs(x) < float("inf")).to(tl.int32)


@triton.jit
def _float_as_int(x):
    return x.to(tl.int32, bitcast=True)


@triton.jit
def _float_as_uint(x):
    return x.to(tl.uint32, bitcast=True)


@triton.jit
def _as_float(x):
    return x.to(tl.float32, bitcast=True)


_FUNCTIONS = {
    "abs": _abs, "ceil": _ceil, "floor": _floor, "cos": _cos, "fast_cosf": _cos, "sin": _sin, "fast_sinf": _sin,
    "erf": _erf, "exp": _exp, "fast_expf": _exp, "exp2": _exp2, "log": _log, "fast_logf": _log, "log2": _log2,
    "fast_log2f": _log2, "sqrt": _sqrt, "sqrt_rn": _sqrt, "rsqrt": _rsqrt, "rsqrt_rn": _rsqrt, "add_rn": _add,
    "sub_rn": _sub, "mul_rn": _mul, "div_rn": _div, "fast_dividef": _div, "rcp_rn": _rcp, "fma": _fma,
    "fma_rn": _fma, "isnan": _isnan, "isinf": _isinf, "finitef": _finitef, "float_as_int": _float_as_int,
    "float_as_uint": _float_as_uint, "int_as_float": _as_float, "uint_as_float": _as_float,
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
        raise NotImplementedError(said("libdevice's {name} runs on a GPU, and not in Triton's interpreter", name=name))

    refuse.__module__ = _STUBS
    return refuse
