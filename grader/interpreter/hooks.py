"""The hooks themselves, on private functions of triton.runtime.interpreter, and what they know while a kernel runs.

They take *args and **kwargs and count no positions beyond the first few, because signatures differ between versions.
"""

from __future__ import annotations

import functools
import inspect
import random

import numpy as np

from . import bfloat16, caching, launch_args, poison
from .address_space import Memory
from .batching import scheduler
from .batching.array import Unbatchable
from .ledger import Launch
from .state import KernelMisuse, watch


def hook(stock, status: dict[str, str]) -> None:
    """Hook the interpreter, and write into status which features are on."""
    groups = {  # fmt: skip
        # The launch comes last: only it switches the others on, so a Triton that lacks one of them is left as it is.
        ("guard", "poison", "ledger", "order"): (_hook_memory, _hook_programs, _hook_launch),
        ("speed",): (
            caching.hook_patching,
            caching.hook_members,
            caching.hook_dtypes,
            caching.hook_memory,
            caching.hook_overflow,
            caching.hook_types,
            caching.hook_scalars,
        ),
        ("bf16",): (bfloat16.hook,),
        ("batch",): (scheduler.hook,),
    }
    for features, hooks in groups.items():
        try:
            for each in hooks:
                each(stock)
            state = "on"
        except (AttributeError, TypeError) as error:
            state = f"off: this Triton's interpreter differs ({error})"
        status.update(dict.fromkeys(features, state))


def _hook_launch(stock) -> None:
    """Around each launch: name the tensors, keep the launch record, unwrap the interpreter's own errors."""
    run, call, convert = stock.GridExecutor.__call__, stock.InterpretedFunction.__call__, stock._implicit_cvt

    @functools.wraps(run)
    def launch(self, *args, **kwargs):
        outer = watch.memory, watch.names, watch.patched, watch.patches, watch.lockstep, watch.journal
        watch.memory, watch.patched, watch.patches, watch.lockstep, watch.journal = Memory(), set(), None, None, None
        kernel = self.fn
        if not hasattr(kernel, "__signature__"):  # a launch asks for it four times
            kernel.__signature__ = inspect.signature(kernel)
        try:
            self.grid = launch_args.as_grid(self.grid, self.fn.__name__)
            self.constexprs = launch_args.constexprs(self)
            bound, options = launch_args.bind(self.fn, args, kwargs)
            watch.names = [n for n, v in bound.items() for _ in launch_args.tensors(v) if n not in self.constexprs]
            watch.pending = bound, options, self
            with np.errstate(all="ignore"):  # a GPU does not warn of inf - inf either
                return run(self, *args, **kwargs)
        except stock.InterpreterError as error:
            raise _root(error, stock.InterpreterError) from None
        finally:
            if watch.patches is not None:
                watch.patches.take_back()
            watch.memory, watch.names, watch.patched, watch.patches, watch.lockstep, watch.journal = outer
            self.fn = kernel

    @functools.wraps(call)
    def device_call(self, *args, **kwargs):
        if not watch.in_kernel:
            raise KernelMisuse(f"{self.fn.__name__} is a kernel: launch it with a grid, {self.fn.__name__}[grid](...)")
        if watch.journal is not None and scheduler.goes_alone(self.fn):
            raise Unbatchable(self.fn.__name__)
        if watch.ledger is not None and self.fn.__module__ == "triton.language.standard":
            watch.ledger.language.append(self.fn.__name__)
        return call(self, *args, **kwargs)

    @functools.wraps(convert)
    def to_pointer(arg, *args, **kwargs):
        value = convert(arg, *args, **kwargs)
        if watch.in_kernel and launch_args.is_tensor(arg) and hasattr(value, "handle"):
            place = len(watch.memory.regions)
            name = watch.names[place] if place < len(watch.names) else "a tensor"
            region = watch.memory.add(name, getattr(arg, "base", arg))  # reinterpreted tensors have a base
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
        if not watch.in_kernel:
            return load(self, ptrs, mask, other, *args, **kwargs)
        if watch.journal is not None:
            return scheduler.load(stock, lambda *one: load(self, *one, *args, **kwargs), ptrs, mask, other)
        real = _access("load", ptrs, mask.data, stock)
        if other is None and watch.poison and not mask.data.all():
            masked = ~np.broadcast_to(mask.data, ptrs.data.shape)
            element = ptrs.get_element_ty()
            other = stock.TensorHandle(poison.fill(masked[None], element, stock)[0], element)
        return load(self, real, mask, other, *args, **kwargs)

    def masked_store(self, ptrs, value, mask, *args, **kwargs):
        if watch.journal is not None:
            return scheduler.store(stock, lambda *one: store(self, *one, *args, **kwargs), ptrs, value, mask)
        if watch.in_kernel:
            ptrs = _access("store", ptrs, mask.data, stock)
        return store(self, ptrs, value, mask, *args, **kwargs)

    def atomic_rmw(self, op, ptr, val, mask, *args, **kwargs):
        if watch.in_kernel:
            _access("load", ptr, mask.data, stock)
            ptr = _access("store", ptr, mask.data, stock, atomic=True)
        return rmw(self, op, ptr, val, mask, *args, **kwargs)

    def atomic_cas(self, ptr, *args, **kwargs):
        if watch.in_kernel:
            everything = np.ones(ptr.data.shape, bool)
            _access("load", ptr, everything, stock)
            ptr = _access("store", ptr, everything, stock, atomic=True)
        return cas(self, ptr, *args, **kwargs)

    builder.create_masked_load, builder.create_masked_store = masked_load, masked_store
    builder.create_atomic_rmw, builder.create_atomic_cas = atomic_rmw, atomic_cas


def _hook_programs(stock) -> None:
    """Keep the launch record. The stock loop counts programs upwards: map each count to one of the chosen order."""
    builder = stock.InterpreterBuilder
    set_dim, set_idx = builder.set_grid_dim, builder.set_grid_idx

    def grid_dim(self, *grid):
        set_dim(self, *grid)
        if not watch.in_kernel:
            return
        watch.grid = grid
        count = int(np.prod(grid))
        watch.permutation = {
            "forward": None,
            "reversed": list(range(count))[::-1],
            "shuffled": random.Random(count).sample(range(count), count),
        }[watch.order]
        _begin_record(grid)
        if watch.batch:
            *_, executor = watch.pending
            executor.fn = watch.lockstep = scheduler.Lockstep(executor.fn, count)

    def grid_idx(self, x, y, z):
        if watch.in_kernel:
            if watch.permutation is not None:
                _, ny, nz = watch.grid
                place = watch.permutation[(x * ny + y) * nz + z]
                x, y, z = place // (ny * nz), place // nz % ny, place % nz
            watch.program = (x, y, z)
        set_idx(self, x, y, z)

    builder.set_grid_dim, builder.set_grid_idx = grid_dim, grid_idx


def _access(op: str, ptrs, mask, stock, atomic: bool = False):
    """Check and count one access; returns the handle with real addresses in place of the guarded ones."""
    if mask.dtype != bool:  # some versions of Triton end the process here
        raise KernelMisuse(f"the mask of a {op} holds numbers ({mask.dtype}) instead of true and false")
    (x, y, z), (_, ny, nz) = watch.program, watch.grid
    program = (x * ny + y) * nz + z
    if watch.recorder is not None:
        watch.recorder.access(op, ptrs.data, mask, watch.memory.regions, program)
    real, touched = watch.memory.resolve(op, ptrs.data, mask, watch.program, watch.grid)
    if watch.lockstep is not None:
        watch.lockstep.saw(op, touched, ptrs.data.size)
    if watch.ledger is not None:
        for region, elements in touched:
            watch.ledger.access(op, region, elements, program, atomic)
    return stock.TensorHandle(real, ptrs.dtype)


def _begin_record(grid) -> None:
    bound, options, executor = watch.pending
    if watch.recorder is not None:
        watch.recorder.begin_launch(executor.fn.__name__, grid)
    if watch.ledger is None:
        return
    constants = {n: v for n, v in bound.items() if n in executor.constexprs}
    signature = {n: launch_args.type_name(v) for n, v in bound.items() if n not in constants}
    watch.ledger.begin_launch(Launch(executor.fn.__name__, tuple(grid), options, constants, signature))


def _root(error: BaseException, wrapper: type) -> BaseException:
    """The learner's own error under the interpreter's wrappers."""
    while isinstance(error, wrapper) and error.__cause__ is not None:
        error = error.__cause__
    return error
