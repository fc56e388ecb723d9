"""The scheduler of a launch: it runs many programs in one pass of the kernel, with the results of a run one by one.

1. The first program runs alone. Its run gives the width of its blocks, its number of accesses and the tensors that it
   stores to. It also shows whether the kernel does something that a pass cannot do, such as an atomic. In a later
   launch of the same kernel, this is taken to be as it was: where it is not, the pass fails, and the first program runs
   alone after all.
2. The kernel is called once for as many of the next programs as fit into a pass: SPMD code on arrays with the programs
   as their first axis (array.py).
3. A transaction records each access of the pass (access.py), and checks at the end that no program touched an element
   that another one stored (conflicts.py).
4. Without a conflict, the accesses are committed to the ledger. With a conflict, the stores are undone, and this and
   all further programs of the launch run one by one. A pass that is too wide, or in which the programs diverge, is
   undone too and repeated with fewer programs.

An error of the kernel in a pass counts as a conflict: the program raises it again when it runs alone. So no message to
a learner depends on this file.
"""

from __future__ import annotations

import dis
import functools
import types
import weakref
from typing import NamedTuple

import numpy as np

from .. import poison
from ..state import LaunchState, current
from ..triton_private import Private
from .array import MOST_LANES, BatchArray, Diverged, TooWide, Unbatchable, everyone, spread
from .conflicts import Transaction, Unexpected, overlapping

_MIN_PROGRAMS = 2  # of a pass
_MAX_DIVERGED_PASSES = 2  # in a launch that end with Diverged; after them its programs run one by one
# A kernel that uses one of these names may print, or keep state in Python from one program to the next.
_SEQUENTIAL = {"print", "static_print", "device_print", "append", "extend", "insert", "pop", "update", "setdefault"}
# Instructions of Python that keep a value beyond the call of the kernel.
_PERSISTENT_STORES = {dis.opmap[name] for name in ("STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR")}


class _First(NamedTuple):
    """What the first program of a launch did. Fields as in BatchScheduler."""

    widest: int
    accesses: int
    written: frozenset[int]


_first: weakref.WeakKeyDictionary[object, _First] = weakref.WeakKeyDictionary()  # by kernel: of an earlier launch


class BatchScheduler:
    """Stands in place of the kernel of a launch. The stock interpreter calls it once for every program, in order.

    A call runs one program alone, or a pass of this program and the next ones. The calls for programs that a pass has
    already run do nothing.

    launch: its state. count: number of programs.
    order: array of shape (count,), the program number at each place of the order. on: whether passes are still tried.
    written: indices of the regions that programs have stored to, and of those that may overlap them. widest, accesses:
    lanes of the widest access, and number of accesses, of the first program.
    """

    def __init__(self, launch: LaunchState, count: int):
        self.launch, self.kernel, self.count = launch, launch.executor.fn, count
        self.order = np.arange(count) if launch.permutation is None else np.array(launch.permutation)
        self.on = not goes_alone(self.kernel)
        self.written: set[int] = set()
        self.widest, self.accesses = 1, 0
        self._next_place, self._end_of_pass, self._max_programs, self._diverged_passes = 0, 0, 0, 0

    def saw(self, op: str, touched, lanes: int) -> None:
        """Take note of one access of a program that runs alone.

        op: "load" or "store". touched: [(region, element numbers), ...]. lanes: of its block, masked ones included.
        """
        if self._next_place == 1:
            self.widest, self.accesses = max(self.widest, lanes), self.accesses + 1
        if op == "store":
            for region, _ in touched:
                if region.index not in self.written:
                    self.written |= overlapping(region, self.launch.memory.regions)

    def __call__(self, *args, **kwargs):
        """Run the next program, alone or in a pass; do nothing if an earlier pass has run it."""
        place, self._next_place = self._next_place, self._next_place + 1
        if place == 0 and self.on and self._all_at_once(args, kwargs):
            return
        if place == 1 and not self._end_of_pass:
            self._max_programs = MOST_LANES // self.widest
            if self.on:
                _first[self.kernel] = _First(self.widest, self.accesses, frozenset(self.written))
        if place < self._end_of_pass or (place and self.on and self._run_pass(place, args, kwargs)):
            return
        self.kernel(*args, **kwargs)

    def _all_at_once(self, args, kwargs) -> bool:
        """Run the first programs in one pass, as an earlier launch of the kernel went. False if that fails."""
        if self.kernel not in _first:
            return False
        self.widest, self.accesses, written = _first[self.kernel]
        self.written = set(written)
        self._max_programs = MOST_LANES // self.widest
        if self._run_pass(0, args, kwargs):
            return True
        self.written, self.widest, self.accesses, self.on, self._diverged_passes = set(), 1, 0, True, 0
        return False

    def _run_pass(self, place: int, args, kwargs) -> bool:
        """Run the program at this place and the next ones in one pass. False if no pass succeeds.

        The loop ends with a pass that is committed, or with a reason to give up. A pass that is too wide, or in which
        the programs diverge, is repeated with fewer programs.
        """
        candidates = self.count - place
        while self.on and min(candidates, self._max_programs) >= _MIN_PROGRAMS:
            chunk = self.order[place : place + min(candidates, self._max_programs)]
            ascending = np.argsort(chunk)
            regions = self.launch.memory.regions
            transaction = Transaction(regions, chunk[ascending], ascending, self.written, self.accesses)
            self.launch.transaction = transaction
            language_calls = len(current.ledger.language) if current.ledger is not None else 0
            unbatchable_before, finished = Unbatchable.raised, False
            try:
                self.kernel(*args, **kwargs)
                transaction.check()
                finished = self.on = unbatchable_before == Unbatchable.raised
            except TooWide as wide:
                self._max_programs = min(len(chunk) // 2, MOST_LANES // wide.lanes)
            except Diverged as diverged:
                # The next programs in order that have the same value as the first of them can share a pass.
                values = np.empty_like(diverged.values)
                values[ascending] = diverged.values
                candidates = int(np.argmax(np.append(values != values[0], True)))
                self._diverged_passes += 1
                self.on = self._diverged_passes < _MAX_DIVERGED_PASSES
            except Unexpected:
                pass  # the tensor is in `written` now: repeat the pass
            except KeyboardInterrupt:
                raise
            except BaseException:
                self.on = False
            finally:
                self.launch.transaction = None
                if not finished:
                    transaction.undo()
                    if current.ledger is not None:
                        del current.ledger.language[language_calls:]
            if finished:
                if current.ledger is not None:
                    current.ledger.language += current.ledger.language[language_calls:] * (len(chunk) - 1)
                    transaction.commit(current.ledger)
                if current.recorder is not None:
                    transaction.show(current.recorder)
                self._end_of_pass = place + len(chunk)
                return True
        return False


@functools.lru_cache(maxsize=256)
def goes_alone(function) -> bool:
    """Whether a function must run for one program at a time. False for Triton's own functions.

    True if the function prints, keeps state in Python from one program to the next, calls a plain Python function of
    its own module, or can catch the exception that ends a pass.
    """
    code = getattr(function, "__code__", None)
    if getattr(function, "__module__", "").startswith("triton."):
        return False
    catches = getattr(code, "co_exceptiontable", b"") and not getattr(function, "catches_nothing", False)
    if code is None or catches:
        return True
    called = [function.__globals__.get(name) for name in code.co_names]
    calls_own = any(isinstance(f, types.FunctionType) and f.__module__ == function.__module__ for f in called)
    keeps_state = not _PERSISTENT_STORES.isdisjoint(code.co_code[::2])  # every other byte is an instruction
    return calls_own or keeps_state or not _SEQUENTIAL.isdisjoint(code.co_names)


def hook(private: Private) -> None:
    """Hook the methods of the interpreter's builder that have to handle a BatchArray.

    These are program_id, splat and the result of a reduction. Methods that a pass cannot do (atomics, prints) are
    hooked too: they raise Unbatchable in a pass.
    """
    Handle, numpy_dtype = private.Handle, private.numpy_dtype
    int32, tensor = private.language.int32, private.tensor
    program_id, splat, to_tensor = private.program_id, private.splat, private.reduced_to_tensor

    @functools.wraps(program_id)
    def program_ids(self, axis):
        transaction = current.transaction
        if transaction is None:
            return program_id(self, axis)
        _, ny, nz = current.launch.grid
        programs = transaction.programs
        numbers = (programs // (ny * nz), programs // nz % ny, programs % nz)[axis].astype(np.int32)
        uniform = (numbers == numbers[0]).all()
        return Handle(numbers[:1] if uniform else BatchArray(numbers[:, None]), int32)

    @functools.wraps(splat)
    def splat_batch(self, *args, **kwargs):
        given = {**dict(zip(("ret_ty", "arg"), args)), **kwargs} if current.transaction is not None else {}
        arg = next((a for a in given.values() if isinstance(getattr(a, "data", None), BatchArray)), None)
        if arg is None:
            return splat(self, *args, **kwargs)
        shape = next(a.shape for a in given.values() if a is not arg)
        # Booleans stay booleans, even where the handle has the dtype label of a number (compat.hook_scalars).
        dtype = arg.data.dtype if arg.data.dtype == np.bool_ else numpy_dtype(arg.dtype)
        return Handle(BatchArray(spread(arg.data, shape, dtype).values.copy()), arg.dtype.scalar)

    @functools.wraps(to_tensor)
    def reduced_to_tensor(self, ret, dtype, *args, **kwargs):
        if not isinstance(ret, BatchArray) or ret.shape:
            return to_tensor(self, ret, dtype, *args, **kwargs)
        data = ret.reshape(1).astype(numpy_dtype(dtype))
        return tensor(Handle(data, dtype.scalar), dtype)

    private.replace("program_id", program_ids)
    private.replace("splat", splat_batch)
    private.replace("reduced_to_tensor", reduced_to_tensor)
    for name in dir(private.Builder):
        if name.startswith("create_") and ("atomic" in name or "print" in name):
            private.replace_method(name, _refuse_in_pass(getattr(private.Builder, name)))


def _refuse_in_pass(method):
    """A method for which a launch has no passes: it raises Unbatchable in a pass, and otherwise switches passes off."""

    @functools.wraps(method)
    def checked(self, *args, **kwargs):
        if current.transaction is not None:
            raise Unbatchable(method.__name__)
        if current.launch is not None and current.launch.scheduler is not None:
            current.launch.scheduler.on = False
        return method(self, *args, **kwargs)

    return checked


def load(private: Private, load_one, ptrs, mask, other):
    """One load of all programs of a pass. Returns a TensorHandle with the loaded values.

    load_one(ptrs, mask, other): the load of the stock interpreter, for real addresses and ndarrays of any shape.
    ptrs, mask, other: TensorHandles, their data a BatchArray or an ndarray; ptrs holds guarded addresses. other: values
    of the masked lanes, or None.
    """
    element = ptrs.get_element_ty()
    dtype = np.dtype(private.numpy_dtype(element))
    uniform = not any(isinstance(h.data, BatchArray) for h in (ptrs, mask, other) if h is not None)
    access, real = current.launch.transaction.access("load", ptrs.data, mask.data, dtype.itemsize)
    programs = 1 if uniform else len(current.launch.transaction.programs)  # a uniform load stays uniform
    real, active = (everyone(data, programs, *ptrs.data.shape) for data in (real, mask.data))
    if other is not None:
        default = everyone(other.data, *real.shape)
    else:
        default = np.zeros(real.shape, dtype)
        if not active.all():
            current.took_a_way()
            if current.poison:
                default = np.broadcast_to(poison.fill(~active, element, private.numpy_dtype), real.shape)
    memory = access.memory(dtype) if access is not None and access.lanes.programs == programs else None
    if memory is not None and default.dtype == dtype:
        values = default.copy()
        access.lanes.put(values, memory[access.elements])
    else:
        handles = (real, ptrs.dtype), (active, mask.dtype), (default, other.dtype if other is not None else element)
        values = load_one(*_writable(private, handles)).data
    return private.Handle(values[0] if uniform else BatchArray(values), element)


def store(private: Private, store_one, ptrs, value, mask):
    """One store of all programs of a pass.

    store_one(ptrs, value, mask): the store of the stock interpreter, for real addresses and ndarrays of any shape.
    ptrs, value, mask: TensorHandles, their data a BatchArray or an ndarray; ptrs holds guarded addresses.
    """
    width = np.dtype(private.numpy_dtype(ptrs.get_element_ty())).itemsize
    access, real = current.launch.transaction.access("store", ptrs.data, mask.data, max(width, value.data.itemsize))
    if access is None:
        return None
    programs = len(current.launch.transaction.programs)
    real, values, active = (everyone(data, programs, *ptrs.data.shape) for data in (real, value.data, mask.data))
    values = poison.stored(values, ptrs.get_element_ty())
    memory = access.memory(values.dtype) if access.once else None
    if memory is not None:
        memory[access.elements] = access.lanes.pick(values)
        return None
    handles = (real, ptrs.dtype), (values, value.dtype), (active, mask.dtype)
    return store_one(*_writable(private, handles))


def _writable(private, handles) -> list:
    """TensorHandles of contiguous, writable arrays. handles: (ndarray, Triton dtype) pairs.

    Broadcast views are read-only, and some versions of Triton do not accept them.
    """
    return [private.Handle(np.require(data, requirements="CW"), dtype) for data, dtype in handles]
