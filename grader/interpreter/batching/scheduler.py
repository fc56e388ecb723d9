"""Many programs of a launch in one pass of its kernel, wherever that shows no difference to one after another.

The first program always goes alone: it says how wide its blocks are, which tensors it stores to, and whether it does
something that only one program can do at a time. Then the kernel is run once for as many programs as a pass may hold,
on arrays with the programs as their first axis (array.py). Whatever does not work out so, an error of the kernel's
included, is undone and run one program at a time: what a learner reads never depends on this file.
"""

from __future__ import annotations

import dis
import functools
import types

import numpy as np

from .. import poison
from ..state import LaunchState, current
from ..triton_private import Private
from .array import MOST_LANES, BatchArray, Diverged, TooWide, Unbatchable, everyone, spread
from .conflicts import Transaction, Unexpected, overlapping

_FEWEST = 3  # programs of a pass that is worth its while
_MOST_DIVERGED = 2  # passes of a launch that may end so
_ONE_AT_A_TIME = {"print", "static_print", "device_print", "append", "extend", "insert", "pop", "update", "setdefault"}
_KEEPS = {"STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR"}


class BatchScheduler:
    """A launch's kernel: called for every program in turn, it runs the next of them as well and skips them later."""

    def __init__(self, launch: LaunchState, count: int):
        self.launch, self.kernel, self.count = launch, launch.executor.fn, count
        self.order = np.arange(count) if launch.permutation is None else np.array(launch.permutation)
        self.on = not goes_alone(self.kernel)
        self.written: set[int] = set()
        self.widest, self.accesses = 1, 0
        self._place, self._done, self._most, self._diverged = 0, 0, 0, 0

    def saw(self, op: str, touched, lanes: int) -> None:
        """One access of a program that runs alone; lanes: of its block, masked ones included."""
        if self._place == 1:
            self.widest, self.accesses = max(self.widest, lanes), self.accesses + 1
        if op == "store":
            for region, _ in touched:
                if region.index not in self.written:
                    self.written |= overlapping(region, self.launch.memory.regions)

    def __call__(self, *args, **kwargs):
        """One program, and those that run with it; nothing if it ran with others before."""
        place, self._place = self._place, self._place + 1
        if place == 1:
            self._most = MOST_LANES // self.widest
        if place < self._done or (place and self.on and self._pass(place, args, kwargs)):
            return
        self.kernel(*args, **kwargs)

    def _pass(self, place: int, args, kwargs) -> bool:
        """Run the next programs at once, if that is possible."""
        together = self.count - place
        while self.on and min(together, self._most) >= _FEWEST:
            chunk = self.order[place : place + min(together, self._most)]
            upwards = np.argsort(chunk)
            regions = self.launch.memory.regions
            transaction = Transaction(regions, chunk[upwards], upwards, self.written, self.accesses)
            self.launch.transaction = transaction
            called = len(current.ledger.language) if current.ledger is not None else 0
            refused, finished = Unbatchable.raised, False
            try:
                self.kernel(*args, **kwargs)
                transaction.check()
                finished = self.on = refused == Unbatchable.raised
            except TooWide as wide:
                self._most = min(len(chunk) // 2, MOST_LANES // wide.lanes)
            except Diverged as diverged:
                # The programs that agree with the next one may still go together.
                values = np.empty_like(diverged.values)
                values[upwards] = diverged.values
                together = int(np.argmax(np.append(values != values[0], True)))
                self._diverged += 1
                self.on = self._diverged < _MOST_DIVERGED
            except Unexpected:
                pass  # it was added to what is stored to
            except KeyboardInterrupt:
                raise
            except BaseException:
                self.on = False
            finally:
                self.launch.transaction = None
                if not finished:
                    transaction.undo()
                    if current.ledger is not None:
                        del current.ledger.language[called:]
            if finished:
                if current.ledger is not None:
                    current.ledger.language += current.ledger.language[called:] * (len(chunk) - 1)
                    transaction.commit(current.ledger)
                if current.recorder is not None:
                    transaction.show(current.recorder)
                self._done = place + len(chunk)
                return True
        return False


@functools.lru_cache(maxsize=256)
def goes_alone(function) -> bool:
    """Whether a function does more than a kernel may; Triton's own functions do not.

    It prints, keeps something in Python from one program to the next, calls a function of the answer's that is no part
    of Triton, or catches what ends a pass.
    """
    code = getattr(function, "__code__", None)
    if getattr(function, "__module__", "").startswith("triton."):
        return False
    if code is None or getattr(code, "co_exceptiontable", b""):
        return True
    called = [function.__globals__.get(name) for name in code.co_names]
    own = any(isinstance(f, types.FunctionType) and f.__module__ == function.__module__ for f in called)
    keeps = any(i.opname in _KEEPS for i in dis.get_instructions(code))
    return own or keeps or not _ONE_AT_A_TIME.isdisjoint(code.co_names)


def hook(private: Private) -> None:
    """Hook the builder's methods that name a shape, ask for the program, or must not be called for many at once."""
    Handle, numpy_dtype = private.Handle, private.numpy_dtype
    int32, tensor = private.language.int32, private.tensor
    program_id, splat, to_tensor = private.program_id, private.splat, private.reduced_to_tensor

    @functools.wraps(program_id)
    def ask_program(self, axis):
        transaction = current.transaction
        if transaction is None:
            return program_id(self, axis)
        _, ny, nz = current.launch.grid
        programs = transaction.programs
        numbers = (programs // (ny * nz), programs // nz % ny, programs % nz)[axis].astype(np.int32)
        same = (numbers == numbers[0]).all()
        return Handle(numbers[:1] if same else BatchArray(numbers[:, None]), int32)

    @functools.wraps(splat)
    def splat_each(self, *args, **kwargs):
        given = {**dict(zip(("ret_ty", "arg"), args)), **kwargs} if current.transaction is not None else {}
        arg = next((a for a in given.values() if isinstance(getattr(a, "data", None), BatchArray)), None)
        if arg is None:
            return splat(self, *args, **kwargs)
        shape = next(a.shape for a in given.values() if a is not arg)
        # True and false keep their type, whatever the label is (compat.hook_scalars).
        dtype = arg.data.dtype if arg.data.dtype == np.bool_ else numpy_dtype(arg.dtype)
        return Handle(BatchArray(spread(arg.data, shape, dtype).values.copy()), arg.dtype.scalar)

    @functools.wraps(to_tensor)
    def reduced_to_tensor(self, ret, dtype, *args, **kwargs):
        if not isinstance(ret, BatchArray) or ret.shape:
            return to_tensor(self, ret, dtype, *args, **kwargs)
        data = ret.reshape(1).astype(numpy_dtype(dtype))
        return tensor(Handle(data, dtype.scalar), dtype)

    private.replace("program_id", ask_program)
    private.replace("splat", splat_each)
    private.replace("reduced_to_tensor", reduced_to_tensor)
    for name in dir(private.Builder):
        if name.startswith("create_") and ("atomic" in name or "print" in name):
            private.replace_method(name, _alone(getattr(private.Builder, name)))


def _alone(method):
    @functools.wraps(method)
    def alone(self, *args, **kwargs):
        if current.transaction is not None:
            raise Unbatchable(method.__name__)
        if current.launch is not None and current.launch.scheduler is not None:
            current.launch.scheduler.on = False
        return method(self, *args, **kwargs)

    return alone


def load(private: Private, load_one, ptrs, mask, other):
    """A load of all programs. load_one(ptrs, mask, other): of one, which takes any shape."""
    element = ptrs.get_element_ty()
    dtype = np.dtype(private.numpy_dtype(element))
    same = not any(isinstance(h.data, BatchArray) for h in (ptrs, mask, other) if h is not None)
    access, real = current.launch.transaction.access("load", ptrs.data, mask.data, dtype.itemsize)
    programs = 1 if same else len(current.launch.transaction.programs)  # what is the same for all stays so
    real, active = (everyone(data, programs, *ptrs.data.shape) for data in (real, mask.data))
    if other is not None:
        held = everyone(other.data, *real.shape)
    elif current.poison and not active.all():
        held = np.broadcast_to(poison.fill(~active, element, private.numpy_dtype), real.shape)
    else:
        held = np.zeros(real.shape, dtype)
    memory = access.memory(dtype) if access is not None and access.lanes.programs == programs else None
    if memory is not None and held.dtype == dtype:
        values = held.copy()
        access.lanes.put(values, memory[access.elements])
    else:
        handles = (real, ptrs.dtype), (active, mask.dtype), (held, other.dtype if other is not None else element)
        values = load_one(*_writable(private, handles)).data
    return private.Handle(values[0] if same else BatchArray(values), element)


def store(private: Private, store_one, ptrs, value, mask):
    """A store of all programs. store_one(ptrs, value, mask): of one, which takes any shape."""
    width = np.dtype(private.numpy_dtype(ptrs.get_element_ty())).itemsize
    access, real = current.launch.transaction.access("store", ptrs.data, mask.data, max(width, value.data.itemsize))
    if access is None:
        return None
    programs = len(current.launch.transaction.programs)
    real, values, active = (everyone(data, programs, *ptrs.data.shape) for data in (real, value.data, mask.data))
    memory = access.memory(values.dtype) if access.once else None
    if memory is not None:
        memory[access.elements] = access.lanes.pick(values)
        return None
    handles = (real, ptrs.dtype), (values, value.dtype), (active, mask.dtype)
    return store_one(*_writable(private, handles))


def _writable(private, handles) -> list:
    """Not every Triton takes views that are broadcast, which NumPy lets nobody write to."""
    return [private.Handle(np.require(data, requirements="CW"), dtype) for data, dtype in handles]
