"""The hooks on Triton's interpreter: around a launch, before each access, and in the loop over the programs.

The signatures of the hooked functions differ between versions of Triton. So each hook names the first few parameters
only, and passes *args and **kwargs on.
"""

from __future__ import annotations

import functools
import inspect
import random
import types
import warnings

import numpy as np

from ..sentence import fault, listed, said
from ..spec import called
from . import (
    addresses_as_numbers,
    bfloat16,
    caching,
    compat,
    float8,
    launch_args,
    left_open,
    open_lanes,
    poison,
    promises,
)
from .address_space import OutOfBounds, Region, in_words
from .batching import scheduler
from .batching.array import Unbatchable
from .ledger import Launch, ascend, transfers
from .state import EndlessKernel, KernelMisuse, LaunchState, current
from .storing_lanes import lanes_of
from .triton_private import Private, is_interpreted, type_name

# Loads and stores of one program after which a loop cannot be one that ends: a few for each element, and some more.
# cuda/state.h has the same numbers.
_ACCESSES, _ACCESSES_AN_ELEMENT = 10_000, 8

# key of triton_private.NEEDED -> (features that it switches on, hooks). The hook of the launch comes last.
_GROUPS = {
    "guard": (
        ("guard", "poison", "ledger", "order"),
        lambda: (
            _hook_libdevice,
            _hook_pads,
            _hook_memory,
            _hook_atomics,
            _hook_programs,
            left_open.hook,
            open_lanes.hook,
            addresses_as_numbers.hook,
            promises.hook,
            _hook_launch,
        ),
    ),
    "speed": (
        ("speed",),
        lambda: (
            *caching.HOOKS,
            compat.hook_scalars,
            compat.hook_constants,
            compat.hook_meanings,
            compat.hook_floats,
            compat.hook_places,
            compat.hook_refusals,
        ),
    ),  # fmt: skip
    "bf16": (("bf16",), lambda: (bfloat16.hook, float8.hook)),
    "batch": (("batch",), lambda: (scheduler.hook,)),
}


def hook(private: Private, status: dict[str, str]) -> None:
    """Hook the interpreter. A feature is hooked completely or not at all.

    status: gets "on" or "off: why" for each feature.
    """
    for needed, (features, hooks) in _GROUPS.items():
        missing = private.missing(needed)
        if missing:
            outcome = fault("off", "off: this Triton's interpreter has no {list}", list=listed(missing))
        elif needed == "batch" and status["guard"] != "on":
            outcome = fault("off", "off: it needs the guard")
        else:
            outcome = _hook_whole(private, hooks())
        status.update(dict.fromkeys(features, outcome))


def _hook_whole(private: Private, hooks) -> str:
    try:
        with private.whole():
            for each in hooks:
                each(private)
    except (AttributeError, TypeError) as error:
        return fault("off", "off: this Triton's interpreter differs ({error})", error=error)
    return "on"


def _outside(function) -> str:
    """What is wrong with a call of a kernel, or of a helper, outside of all launches."""
    name = function.__name__
    if function.__module__.startswith("triton.language"):
        return fault(
            "language-on-the-host", "{name} is a function of triton.language: it works in kernels alone", name=name
        )
    return fault("no-grid", "{name} is a kernel: launch it with a grid, {name}[grid](...)", name=name)


def _hook_launch(private: Private) -> None:
    """Hook each launch: keep its LaunchState, give its tensors guarded addresses, unwrap the interpreter's errors."""
    run, call, convert = private.launch, private.call_function, private.to_tensor_of_language
    library = "triton.language.standard"

    @functools.wraps(run)
    def launch(self, *args, **kwargs):
        kernel = self.fn
        if current.launch is not None:
            raise KernelMisuse(
                said("{name} is launched inside a kernel: a kernel calls it without a grid", name=kernel.__name__)
            )
        if not hasattr(kernel, "__signature__"):  # a launch computes it four times
            kernel.__signature__ = inspect.signature(kernel)
        try:
            current.launch = _begun(self, args, kwargs)
            # Copies would live until garbage is collected.
            if all(map(launch_args.on_the_cpu, current.launch.arguments.values())):
                self._init_args_hst, self._restore_args_dev = _as_they_are, _as_they_are
            with np.errstate(all="ignore"), warnings.catch_warnings():  # none for inf - inf, as on a GPU
                warnings.filterwarnings("ignore", "All-NaN", RuntimeWarning)  # nor for a maximum of NaNs
                run(self, *args, **kwargs)
        except private.Error as error:
            raise _original_error(error, private.Error) from None
        finally:
            _end()
            self.fn = kernel

    @functools.wraps(call)
    def device_call(self, *args, **kwargs):
        if current.launch is None:
            raise KernelMisuse(_outside(self.fn))
        if current.launch.transaction is not None and scheduler.goes_alone(self.fn):
            raise Unbatchable(self.fn.__name__)
        if current.ledger is not None and self.fn.__module__ == library:
            current.ledger.language.append(self.fn.__name__)
        return call(self, *args, **kwargs)

    @functools.wraps(convert)
    def to_pointer(arg, *args, **kwargs):
        value = convert(arg, *args, **kwargs)
        if current.launch is not None and launch_args.is_tensor(arg) and hasattr(value, "handle"):
            region = _added(current.launch, getattr(arg, "base", arg))  # reinterpreted tensors have a base
            value.handle.data = np.array([region.base], dtype=np.uint64)
        return value

    private.replace("launch", launch)
    private.replace("call_function", device_call)
    private.replace("to_tensor_of_language", to_pointer)


def _as_they_are(*args):
    """In place of the copies that the stock interpreter makes of the arguments of a launch, and copies back."""
    return args


def _added(launch: LaunchState, tensor) -> Region:
    """The window of addresses of the next tensor of a launch. Its storage is one that the ledger knows."""
    place = len(launch.memory.regions)
    name = launch.names[place] if place < len(launch.names) else said("a tensor")
    region = launch.memory.add(name, tensor, current.strides[place] if place < len(current.strides) else ())
    if current.ledger is not None:
        region.storage = current.ledger.storages.hold(tensor)
    return region


def _hook_libdevice(private: Private) -> None:
    """Give libdevice's functions a meaning, where kernels are interpreted."""
    if is_interpreted():
        from . import libdevice

        libdevice.install(private)


def _hook_pads(private: Private) -> None:
    """Note whether a load has an `other`: the stock method asks a single element for its truth, and so drops a 0."""
    load = private.load

    def noted_load(self, ptr, mask, other, *args, **kwargs):
        launch = current.launch
        if launch is None:
            return load(self, ptr, mask, other, *args, **kwargs)
        launch.padded = other is not None
        try:
            return load(self, ptr, mask, other, *args, **kwargs)
        finally:
            launch.padded = False

    private.replace("load", noted_load)


def _hook_memory(private: Private) -> None:
    """Hook each access: check it, count it, and poison the masked lanes of a load without `other`."""
    load, store = private.masked_load, private.masked_store
    Handle = private.Handle

    def as_handle(mask):
        """The mask of a block pointer or a descriptor is an array in some versions of Triton."""
        return Handle(mask, private.language.int1) if isinstance(mask, np.ndarray) else mask

    def masked_load(self, ptrs, mask, other=None, *args, **kwargs):
        mask = as_handle(mask)
        if current.launch is None:
            return load(self, ptrs, mask, other, *args, **kwargs)
        if current.launch.padded and other is None:
            element = ptrs.get_element_ty()
            other = Handle(np.zeros(ptrs.data.shape, private.numpy_dtype(element)), element)
        if current.launch.transaction is not None:
            return scheduler.load(private, lambda *one: load(self, *one, *args, **kwargs), ptrs, mask, other)
        real = _checked_access("load", ptrs, mask.data, private)
        if other is None and not mask.data.all():
            current.took_a_way()
            masked = ~np.broadcast_to(mask.data, ptrs.data.shape)
            element = ptrs.get_element_ty()
            if current.poison:
                other = Handle(poison.fill(masked[None], element, private.numpy_dtype)[0], element)
        found = load(self, real, mask, other, *args, **kwargs)
        if current.blind is not None and ptrs.get_element_ty().is_floating() and _blind():
            found.data = np.zeros_like(found.data)
        return found

    def masked_store(self, ptrs, value, mask, *args, **kwargs):
        mask = as_handle(mask)
        if current.transaction is not None:
            return scheduler.store(private, lambda *one: store(self, *one, *args, **kwargs), ptrs, value, mask)
        if current.launch is not None:
            ptrs = _checked_access("store", ptrs, mask.data, private, value.data.itemsize)
            value = Handle(poison.stored(value.data, ptrs.get_element_ty()), value.dtype)
            current.launch.record.overtaken += _fought_over(ptrs.data, value.data, mask.data)
        return store(self, ptrs, value, mask, *args, **kwargs)

    private.replace("masked_load", masked_load)
    private.replace("masked_store", masked_store)


def _hook_atomics(private: Private) -> None:
    """Hook each atomic access: check it, and count it as a load and a store. Hook barriers: count them."""
    rmw, cas = private.atomic_rmw, private.atomic_cas

    def atomic_rmw(self, op, ptr, val, mask, *args, **kwargs):
        if current.launch is not None:
            ptr = _checked_update(ptr, mask.data, private, val.data.itemsize)
        if op.name == "FADD" and val.data.dtype.itemsize == 2 and current.launch is not None:
            is_bfloat16 = ptr.get_element_ty().is_bf16()
            before = private.Handle(bfloat16.add(ptr.data, val.data, mask.data, is_bfloat16), val.dtype.scalar)
        else:
            before = rmw(self, op, ptr, _in_whole_numbers(op, val, private), mask, *args, **kwargs)
        if before.data.dtype.kind != val.data.dtype.kind:
            before = private.Handle(before.data.view(val.data.dtype), val.dtype.scalar)
        if current.launch is not None:
            poison.added(ptr.data, mask.data, ptr.get_element_ty(), private.numpy_dtype)
            before = _unknown_where_masked(before, mask.data, private)
        return before

    def atomic_cas(self, ptr, cmp, *args, **kwargs):
        if current.launch is not None:
            ptr = _checked_update(ptr, np.ones(ptr.data.shape, bool), private, cmp.data.itemsize)
        return cas(self, ptr, cmp, *args, **kwargs)

    def descriptor_reduce(self, kind, descriptor, value, offsets):
        """The stock interpreter has none. A pass of several programs cannot do it, nor any atomic operation."""
        pointers, mask = descriptor.materialize_pointers(offsets)
        op = getattr(private.ir.ATOMIC_OP, _operation(kind.name, value.dtype.scalar))
        self.create_atomic_rmw(op, pointers, value, mask, private.ir.MEM_SEMANTIC.RELAXED, None)

    def barrier(self, *args, **kwargs):
        if current.transaction is not None:
            current.transaction.barriers += 1
        elif current.ledger is not None:
            current.ledger.storing_lanes.barriers += 1
        return wait(self, *args, **kwargs)

    wait = private.Builder.create_barrier
    private.replace_method("create_barrier", barrier)
    private.replace("atomic_rmw", _in_any_order(atomic_rmw, private))
    private.replace("atomic_cas", atomic_cas)
    private.replace_method("create_descriptor_reduce", descriptor_reduce)


def _in_any_order(atomic_rmw, private: Private):
    """The atomic operation, whose lanes come to memory in an order that is left open where two have one address."""

    def in_order(handle, shape, order):
        return private.Handle(np.broadcast_to(handle.data, shape).reshape(-1)[order], handle.dtype)

    @functools.wraps(atomic_rmw)
    def ordered(self, op, ptr, val, mask, *args, **kwargs):
        shape, count = np.shape(ptr.data), np.size(ptr.data)
        if current.transaction is not None or current.launch is None or count < 2 or not _meet(ptr.data, mask.data):
            return atomic_rmw(self, op, ptr, val, mask, *args, **kwargs)
        current.took_a_way()
        if current.poison:
            return atomic_rmw(self, op, ptr, val, mask, *args, **kwargs)
        order = left_open.drawn(count).permutation(count)
        before = atomic_rmw(self, op, *(in_order(each, shape, order) for each in (ptr, val, mask)), *args, **kwargs)
        return private.Handle(before.data[np.argsort(order)].reshape(shape), before.dtype)

    return ordered


def _meet(addresses: np.ndarray, mask: np.ndarray) -> bool:
    """Whether two active lanes have one address."""
    active = addresses[np.broadcast_to(mask, addresses.shape)]
    return transfers(active) < active.size


def _unknown_where_masked(before, mask, private: Private):
    """What an atomic operation found, with poison in the lanes that it left out, or else 0."""
    if mask.all():
        return before
    current.took_a_way()
    masked = ~np.broadcast_to(mask, before.data.shape)
    unknown = poison.fill(masked[None], before.dtype, private.numpy_dtype)[0] if current.poison else 0
    return private.Handle(np.where(masked, unknown, before.data).astype(before.data.dtype), before.dtype)


def _operation(name: str, element) -> str:
    """The atomic operation on the elements of a descriptor. name: of the one on a block."""
    if element.is_floating():
        return f"F{name}" if name == "ADD" else name
    return f"U{name}" if name in ("MAX", "MIN") and not element.is_int_signed() else name


def _in_whole_numbers(op, value, private: Private):
    """The bits of floats that take the place of others: the interpreter exchanges whole numbers alone."""
    if op.name != "XCHG" or value.data.dtype.kind != "f":
        return value
    bits = value.data.dtype.itemsize * 8
    return private.Handle(value.data.view(f"i{bits // 8}"), getattr(private.language, f"int{bits}"))


def _hook_programs(private: Private) -> None:
    """Hook the loop over the programs: begin the launch record, and set up the order and the scheduler.

    The stock loop runs the programs in ascending order. Each number of it is mapped to a program of the chosen order.
    """
    set_dim, set_idx = private.set_grid_dim, private.set_grid_idx

    def grid_dim(self, *grid):
        set_dim(self, *grid)
        launch = current.launch
        if launch is None:
            return
        launch_args.check_grid(grid, launch.kernel)
        launch.grid = grid
        running = _running(grid)
        launch.permutation = {
            "forward": None if len(running) == np.prod(grid) else list(running),
            "reversed": list(running)[::-1],
            "shuffled": random.Random(len(running)).sample(running, len(running)),
        }[current.order]
        _begin_record(launch)
        if current.batch:
            launch.executor.fn = launch.scheduler = scheduler.BatchScheduler(launch, len(running))
        launch.executor.fn = _program(launch, launch.executor.fn)

    def grid_idx(self, x, y, z):
        launch = current.launch
        if launch is not None:
            if launch.permutation is not None:
                _, ny, nz = launch.grid
                place = (x * ny + y) * nz + z
                if place >= len(launch.permutation):
                    launch.program = None
                    return
                program = launch.permutation[place]
                x, y, z = program // (ny * nz), program // nz % ny, program % nz
            launch.program, launch.accesses = (x, y, z), 0
        set_idx(self, x, y, z)

    private.replace("set_grid_dim", grid_dim)
    private.replace("set_grid_idx", grid_idx)


def _running(grid: tuple[int, int, int]) -> range | list[int]:
    """The programs of a launch that run, ascending: those of Call.few, where it has this grid in mind."""
    everyone = range(int(np.prod(grid)))
    if current.few is None or current.few[0] not in grid:
        return everyone
    programs, chosen = current.few
    places = np.unravel_index(np.arange(len(everyone)), grid)[grid.index(programs)]
    return np.flatnonzero(np.isin(places, chosen)).tolist()


def _blind() -> bool:
    """Whether the running program is the one of Call.blind."""
    grid, (programs, chosen) = current.launch.grid, current.blind
    return programs in grid and current.launch.program[grid.index(programs)] == chosen


def _program(launch: LaunchState, function):
    """A call of a kernel for one program or several, which a launch knows about."""

    def program(**arguments):
        if launch.program is None:
            return None
        launch.in_program = True
        try:
            return function(**arguments)
        finally:
            launch.in_program = False

    return program


def _checked_access(op: str, ptrs, mask, private: Private, width: int = 0, atomic: bool = False):
    """Check and count one access. Returns a handle with the real addresses in place of the guarded ones.

    op: "load" or "store". ptrs: TensorHandle of guarded addresses. mask: ndarray. width: bytes of a lane, where they
    may be more than those of the pointers' elements. Raises OutOfBounds, KernelMisuse and EndlessKernel.
    """
    if mask.dtype != bool:  # some versions of Triton would crash the process
        raise KernelMisuse(
            fault(
                "mask-of-numbers",
                "the mask of a {op} holds numbers ({dtype}) instead of true and false",
                op=in_words(op),
                dtype=mask.dtype,
            )
        )
    launch = current.launch
    (x, y, z), (_, ny, nz) = launch.program, launch.grid
    program = (x * ny + y) * nz + z
    _count_access(launch)
    if current.recorder is not None:
        current.recorder.access(op, ptrs.data, mask, launch.memory.regions, program)
    width = max(width, np.dtype(private.numpy_dtype(ptrs.get_element_ty())).itemsize)
    real, touched = launch.memory.resolve(op, ptrs.data, mask, launch.program, launch.grid, width)
    if launch.scheduler is not None:
        launch.scheduler.saw(op, touched, ptrs.data.size)
    if current.ledger is not None:
        lanes = lanes_of(mask, ptrs.data.shape)
        for region, elements in touched:
            mine = (
                lanes if len(touched) == 1 else lanes[region.holds(ptrs.data[np.broadcast_to(mask, ptrs.data.shape)])]
            )
            current.ledger.access(op, region, elements, program, mine, atomic)
    return private.Handle(real, ptrs.dtype)


def _fought_over(addresses: np.ndarray, values: np.ndarray, mask: np.ndarray) -> int:
    """Lanes of one store whose element another lane of it stores as well, and with another value."""
    active = np.broadcast_to(mask, addresses.shape)
    places = addresses[active]
    if ascend(places):
        return 0
    order = np.argsort(places, kind="stable")
    places, values = places[order], np.broadcast_to(values, addresses.shape)[active][order]
    differ = (values[1:] != values[:-1]) & ((values[1:] == values[1:]) | (values[:-1] == values[:-1]))  # NaN is NaN
    return int(((places[1:] == places[:-1]) & differ).sum())


def _checked_update(ptrs, mask, private: Private, width: int):
    """An atomic access, checked and counted as a load and a store. One out of bounds is told as the store."""
    if current.ledger is not None:
        current.ledger.storing_lanes.barriers += 1
    recorder = current.recorder
    if recorder is not None:
        recorder.in_atomic = True
    try:
        _checked_access("load", ptrs, mask, private, width)
    except OutOfBounds:
        pass
    try:
        return _checked_access("store", ptrs, mask, private, width, atomic=True)
    finally:
        if recorder is not None:
            recorder.in_atomic = False


def _count_access(launch: LaunchState) -> None:
    """Raises EndlessKernel after more accesses of one program than a few for each element."""
    launch.accesses += 1
    if launch.accesses <= _ACCESSES:
        return
    elements = sum(region.numel for region in launch.memory.regions)
    if launch.accesses > _ACCESSES + _ACCESSES_AN_ELEMENT * elements:
        raise EndlessKernel(
            said(
                "program {program} has made {accesses} loads and stores, and the tensors of this "
                "launch have {elements} elements: a loop in it does not end",
                program=called(launch.program, launch.grid),
                accesses=f"{launch.accesses:,}",
                elements=f"{elements:,}",
            )
            if elements != 1
            else said(
                "program {program} has made {accesses} loads and stores, and the tensors of this "
                "launch have {elements} element: a loop in it does not end",
                program=called(launch.program, launch.grid),
                accesses=f"{launch.accesses:,}",
                elements=f"{elements:,}",
            )
        )


def _begun(executor, args, kwargs) -> LaunchState:
    """The state of a launch that begins. args, kwargs: those of the launch. Raises KernelMisuse."""
    kernel = executor.fn
    grid = launch_args.as_grid(executor.grid, kernel.__name__)
    executor.constexprs = launch_args.constexprs(executor)
    bound, options = launch_args.bind(kernel, args, kwargs)
    # As on a GPU, a function gets the numbers of the launch. The stock interpreter gives it tensors in their place.
    executor.grid = grid(bound) if callable(grid) else grid
    launch_args.check(kernel.__name__, bound, executor.constexprs)
    names = [called for n, v in bound.items() if n not in executor.constexprs for called, _ in launch_args.named(n, v)]
    record = _record(kernel.__name__, bound, options, executor.constexprs)
    if current.before_launch is not None:
        executor.fn = current.before_launch(record) or kernel
    return LaunchState(executor, kernel.__name__, bound, options, executor.constexprs, names, record)


def _record(kernel: str, arguments: dict, options: dict, constexprs: list[str]) -> Launch:
    """The record of a launch that has not begun, without its grid."""
    constants = {n: v for n, v in arguments.items() if n in constexprs}
    signature = {n: type_name(v) for n, v in arguments.items() if n not in constants}
    divisible = {n: d for n in signature if (d := launch_args.divisor(arguments[n])) is not None}
    return Launch(kernel, (), options, constants, signature, divisible)


def _begin_record(launch: LaunchState) -> None:
    """Tell the ledger and the recorder, where there are any, that a launch begins."""
    if current.recorder is not None:
        current.recorder.begin_launch(launch.kernel, launch.grid)
    if current.ledger is None:
        return
    launch.record.grid = tuple(launch.grid)
    current.ledger.begin_launch(launch.record)


def _end() -> None:
    """Settle the launch, however it ended."""
    launch, current.launch = current.launch, None
    if launch is None:  # it never began
        return
    if current.ledger is not None:
        current.ledger.end_launch()
    launch.scheduler = None  # it refers to the launch, and would so keep the tensors until garbage is collected
    if launch.patches is not None:
        launch.patches.take_back()


def _original_error(error: BaseException, wrapper: type) -> BaseException:
    """The error of the learner's kernel, which the interpreter has wrapped in errors of its own.

    Each call of a device function, such as tl.max, wraps it once more, and only the wrapper's traceback has the line of
    the call. So the tracebacks are joined.
    """
    while isinstance(error, wrapper) and error.__cause__ is not None:
        error = error.__cause__.with_traceback(_joined(error.__traceback__, error.__cause__.__traceback__))
    return error


def _joined(outer: types.TracebackType | None, inner: types.TracebackType | None) -> types.TracebackType | None:
    if outer is None:
        return inner
    return types.TracebackType(_joined(outer.tb_next, inner), outer.tb_frame, outer.tb_lasti, outer.tb_lineno)
