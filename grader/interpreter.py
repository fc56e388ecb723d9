"""Triton's interpreter with a guard, poison, a ledger, a choice of program order, and less repeated work.

The stock interpreter reads and writes raw addresses, so one missing mask can end the Python process or, worse, pass
unnoticed. `install()` hooks it in place; everything that runs interpreted in this process is then watched. The hooks
name private functions of triton.runtime.interpreter: where one does not fit the Triton at hand, the feature is left
out and `STATUS` says so.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import random

import numpy as np

from .ledger import Launch, Ledger
from .memory import Memory, OutOfBounds

FEATURES = ("guard", "poison", "ledger", "order", "speed")
STATUS: dict[str, str] = {feature: "off: not installed" for feature in FEATURES}


class KernelMisuse(TypeError):
    """A kernel was called in a way that no GPU would take."""


class _Watch:
    """What the hooks know while a kernel runs."""

    def __init__(self):
        self.memory: Memory | None = None
        self.names: list[str] = []
        self.grid = (1, 1, 1)
        self.program = (0, 0, 0)
        self.order = "forward"
        self.permutation: list[int] | None = None
        self.ledger: Ledger | None = None
        self.patched: set = set()
        self.scopes: list = []

    @property
    def in_kernel(self) -> bool:
        return self.memory is not None


_watch = _Watch()


def in_kernel() -> bool:
    """Whether a kernel is being interpreted right now."""
    return _watch.in_kernel


@contextlib.contextmanager
def recording(ledger: Ledger | None = None):
    """Count every access of the kernels launched inside the block."""
    before, _watch.ledger = _watch.ledger, ledger if ledger is not None else Ledger()
    try:
        yield _watch.ledger
    finally:
        _watch.ledger = before


@contextlib.contextmanager
def program_order(order: str):
    """Run the programs of each launch "forward", "reversed" or "shuffled": a GPU promises none of them."""
    before, _watch.order = _watch.order, order
    try:
        yield
    finally:
        _watch.order = before


def install() -> dict[str, str]:
    """Hook Triton's interpreter, once. Returns STATUS: for each feature "on" or "off: why"."""
    try:
        from triton.runtime import interpreter as stock
    except Exception as error:  # no Triton on this platform, or one that does not import
        STATUS.update({feature: f"off: Triton does not import ({error})" for feature in FEATURES})
        return STATUS
    if not getattr(stock, "_five_passes_installed", False):
        _hook(stock)
        stock._five_passes_installed = True
    return STATUS


def _hook(stock) -> None:
    try:
        _hook_launch(stock)
        _hook_memory(stock)
        for feature in ("guard", "poison", "ledger"):
            STATUS[feature] = "on"
    except (AttributeError, TypeError) as error:
        for feature in ("guard", "poison", "ledger"):
            STATUS[feature] = f"off: this Triton's interpreter differs ({error})"
    for feature, hook in (("order", _hook_order), ("speed", _hook_speed)):
        try:
            hook(stock)
            STATUS[feature] = "on"
        except (AttributeError, TypeError) as error:
            STATUS[feature] = f"off: this Triton's interpreter differs ({error})"


def _hook_launch(stock) -> None:
    """Around each launch: name the tensors, keep the launch record, unwrap the interpreter's own errors."""
    run, call, convert = stock.GridExecutor.__call__, stock.InterpretedFunction.__call__, stock._implicit_cvt

    @functools.wraps(run)
    def launch(self, *args, **kwargs):
        outer = _watch.memory, _watch.names, _watch.patched, _watch.scopes
        _watch.memory, _watch.patched, _watch.scopes = Memory(), set(), []
        try:
            bound, options = _bind(self.fn, args, kwargs)
            _watch.names = [n for n, v in bound.items() for _ in _tensors(v) if n not in self.constexprs]
            _watch.pending = bound, options, self
            return run(self, *args, **kwargs)
        except stock.InterpreterError as error:
            raise _root(error, stock.InterpreterError) from None
        finally:
            for scope in reversed(_watch.scopes):
                scope.restore()
            _watch.memory, _watch.names, _watch.patched, _watch.scopes = outer

    @functools.wraps(call)
    def device_call(self, *args, **kwargs):
        if not _watch.in_kernel:
            raise KernelMisuse(f"{self.fn.__name__} is a kernel: launch it with a grid, {self.fn.__name__}[grid](...)")
        return call(self, *args, **kwargs)

    @functools.wraps(convert)
    def to_pointer(arg, *args, **kwargs):
        value = convert(arg, *args, **kwargs)
        if _watch.in_kernel and _is_tensor(arg) and hasattr(value, "handle"):
            name = _watch.names[len(_watch.memory.regions)] if _watch.names else "pointer"
            region = _watch.memory.add(name, getattr(arg, "base", arg) if hasattr(arg, "data_ptr") else arg)
            value.handle.data = np.array([region.base], dtype=np.uint64)
        return value

    stock.GridExecutor.__call__ = launch
    stock.InterpretedFunction.__call__ = device_call
    stock._implicit_cvt = to_pointer


def _hook_memory(stock) -> None:
    """Before each access: check it, count it, and give masked-off lanes without `other` a value that shows."""
    builder = stock.InterpreterBuilder
    load, store = builder.create_masked_load, builder.create_masked_store
    rmw, cas = builder.create_atomic_rmw, builder.create_atomic_cas

    def masked_load(self, ptrs, mask, other=None, *args, **kwargs):
        if not _watch.in_kernel:
            return load(self, ptrs, mask, other, *args, **kwargs)
        real = _access("load", ptrs, mask.data, stock)
        if other is None and not mask.data.all():
            other = _poison(ptrs, stock)
        return load(self, real, mask, other, *args, **kwargs)

    def masked_store(self, ptrs, value, mask, *args, **kwargs):
        if _watch.in_kernel:
            ptrs = _access("store", ptrs, mask.data, stock)
        return store(self, ptrs, value, mask, *args, **kwargs)

    def atomic_rmw(self, op, ptr, val, mask, *args, **kwargs):
        if _watch.in_kernel:
            _access("load", ptr, mask.data, stock)
            ptr = _access("store", ptr, mask.data, stock)
        return rmw(self, op, ptr, val, mask, *args, **kwargs)

    def atomic_cas(self, ptr, *args, **kwargs):
        if _watch.in_kernel:
            everything = np.ones(ptr.data.shape, bool)
            _access("load", ptr, everything, stock)
            ptr = _access("store", ptr, everything, stock)
        return cas(self, ptr, *args, **kwargs)

    builder.create_masked_load, builder.create_masked_store = masked_load, masked_store
    builder.create_atomic_rmw, builder.create_atomic_cas = atomic_rmw, atomic_cas


def _hook_order(stock) -> None:
    """The stock loop counts programs upwards; this maps each count to the program of the chosen order."""
    builder = stock.InterpreterBuilder
    set_dim, set_idx = builder.set_grid_dim, builder.set_grid_idx

    def grid_dim(self, *grid):
        set_dim(self, *grid)
        if not _watch.in_kernel:
            return
        _watch.grid = grid
        count = int(np.prod(grid))
        _watch.permutation = {
            "forward": None,
            "reversed": list(range(count))[::-1],
            "shuffled": random.Random(count).sample(range(count), count),
        }[_watch.order]
        _begin_record(grid)

    def grid_idx(self, x, y, z):
        if _watch.in_kernel:
            if _watch.permutation is not None:
                _, ny, nz = _watch.grid
                place = _watch.permutation[(x * ny + y) * nz + z]
                x, y, z = place // (ny * nz), place // nz % ny, place % nz
            _watch.program = (x, y, z)
        set_idx(self, x, y, z)

    builder.set_grid_dim, builder.set_grid_idx = grid_dim, grid_idx


def _hook_speed(stock) -> None:
    """The stock interpreter patches triton.language again for every call of tl.max or tl.sum: once is enough."""
    patch = stock._patch_lang
    nothing = type("Nothing", (), {"restore": lambda self: None})()
    for_good: set[int] = set()  # Triton before 3.6 never takes its patches back

    @functools.wraps(patch)
    def patch_once(fn):
        if not _watch.in_kernel:
            return patch(fn)
        modules = frozenset(id(v) for v in fn.__globals__.values() if v is stock.tl or v is stock.tl.core)
        if modules and modules <= _watch.patched | for_good:
            return nothing
        scope = patch(fn)
        if scope is None:
            for_good.update(modules)
        else:
            _watch.patched |= modules
            _watch.scopes.append(scope)
        return nothing

    stock._patch_lang = patch_once


def _access(op: str, ptrs, mask, stock):
    """Check and count one access; returns the handle with real addresses in place of the guarded ones."""
    real, touched = _watch.memory.resolve(op, ptrs.data, mask, _watch.program)
    if _watch.ledger is not None:
        (x, y, z), (_, ny, nz) = _watch.program, _watch.grid
        for region, elements in touched:
            _watch.ledger.access(op, region, elements, (x * ny + y) * nz + z)
    return stock.TensorHandle(real, ptrs.dtype)


def _poison(ptrs, stock):
    """The value of lanes that a load left without one: NaN, or a number nobody would choose."""
    element = ptrs.get_element_ty()
    dtype = np.dtype(stock._get_np_dtype(element))
    if element.is_bf16():
        value = 0x7FC0  # bfloat16 travels as uint16; this is its NaN
    elif element.is_floating() and dtype.kind == "f":
        value = np.nan
    else:
        value = np.iinfo(dtype).max if dtype.kind in "iu" else True
    return stock.TensorHandle(np.full(ptrs.data.shape, value, dtype), element)


def _bind(fn, args, kwargs) -> tuple[dict, dict]:
    """(arguments by parameter name, launch options such as num_warps)."""
    spec = inspect.getfullargspec(fn)
    names = {*spec.args, *spec.kwonlyargs}
    try:
        bound = inspect.getcallargs(fn, *args, **{k: v for k, v in kwargs.items() if k in names})
    except TypeError as error:
        raise KernelMisuse(f"the launch does not fit the kernel's parameters: {error}") from None
    return bound, {k: v for k, v in kwargs.items() if k not in names}


def _begin_record(grid) -> None:
    if _watch.ledger is None:
        return
    bound, options, executor = _watch.pending
    constants = {n: v for n, v in bound.items() if n in executor.constexprs}
    signature = {n: _type_name(v) for n, v in bound.items() if n not in constants}
    _watch.ledger.begin_launch(Launch(executor.fn.__name__, tuple(grid), options, constants, signature))


def _type_name(value) -> str:
    """Triton's name of an argument's type, such as *fp32 or i32."""
    from triton.runtime import jit

    try:
        return str(jit.mangle_type(value))
    except Exception:
        return "?"


def _is_tensor(value) -> bool:
    return hasattr(value, "data_ptr")


def _tensors(value):
    if _is_tensor(value):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _tensors(item)


def _root(error: BaseException, wrapper: type) -> BaseException:
    """The learner's own error under the interpreter's wrappers."""
    while isinstance(error, wrapper) and error.__cause__ is not None:
        error = error.__cause__
    return error


__all__ = ["FEATURES", "STATUS", "KernelMisuse", "OutOfBounds", "in_kernel", "install", "program_order", "recording"]
