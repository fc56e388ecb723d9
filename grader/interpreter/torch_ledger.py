"""The PyTorch part of the ledger: every operation that touches memory, counted when PyTorch dispatches it."""

from __future__ import annotations

import functools
import weakref
from collections import Counter

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .. import interpreter
from ..sentence import said
from ..spec.unstored import MARKS
from .ledger import Ledger
from .state import KernelMisuse, current

# Operations that write their first argument without reading it.
_OVERWRITES = {"copy_", "fill_", "zero_", "normal_", "uniform_", "exponential_", "random_", "bernoulli_"}
# Operations that read only the selected elements of their first argument.
_GATHERS = {"index", "index_select", "gather", "take", "masked_select"}
# Exits from PyTorch. Later computations with the elements are not dispatched, so the exit itself is counted as a read.
_EXITS = ("numpy", "tolist", "__dlpack__")
_ALLOCATES = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"}


class TorchLedger(TorchDispatchMode):
    """Counts the elements that each PyTorch operation inside the block reads and writes.

    A view moves nothing. An expanded tensor counts once. An operation inside an interpreted kernel is not counted.

    ledger: gets the counts. poison: whether memory from torch.empty holds marked NaN (integers: the largest value).
    names: of the operations. peak: the largest number of elements alive at once, of tensors that operations made.
    reads: elements read, by address of the storage.
    """

    def __init__(self, ledger: Ledger, poison: bool = False):
        super().__init__()
        self.ledger, self.poison = ledger, poison
        self.names: list[str] = []
        self.peak, self._alive = 0, 0
        self.reads: Counter[int] = Counter()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # True, the default, makes the first operation import torch.compile: a worker would take twice as long to start.
        return False

    def __enter__(self):
        self._before = {name: vars(torch.Tensor).get(name) for name in _EXITS}
        for name in _EXITS:
            setattr(torch.Tensor, name, self._counted(name, getattr(torch.Tensor, name)))
        return super().__enter__()

    def __exit__(self, *error):
        for name, before in self._before.items():
            if before is None:
                delattr(torch.Tensor, name)
            else:
                setattr(torch.Tensor, name, before)
        return super().__exit__(*error)

    def _counted(self, name: str, method):
        @functools.wraps(method)
        def leave(tensor, *args, **kwargs):
            if not interpreter.in_kernel():
                self.left(tensor, name)
            return method(tensor, *args, **kwargs)

        return leave

    def left(self, tensor, name: str) -> None:
        """Count the elements of a tensor, which leave PyTorch by an operation of this name."""
        self.names.append(name)
        self.reads[tensor.untyped_storage().data_ptr()] += self._size(tensor)[0]
        self.ledger.operation(name, [self._size(tensor)], [])

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = _name(func, types)
        if current.launch is not None and current.launch.in_program:
            raise KernelMisuse(said("the kernel calls {name} of PyTorch, which no GPU runs in a kernel", name=name))
        out = func(*args, **kwargs)
        if interpreter.in_kernel():
            return out
        if name in _ALLOCATES and not any(s.is_out for s in func._schema.arguments):
            self._count_alive([out])
            self.ledger.storages.hold(out)
            if self.poison:
                _fill(out)
            return out
        self.names.append(name)
        self._count(func, name, args, kwargs, out)
        return out

    def _count(self, func, name: str, args, kwargs, out) -> None:
        written, read = [], []
        for schema, value in zip(func._schema.arguments, args):
            if schema.alias_info is not None and schema.alias_info.is_write:
                written += _flat(value)
                if name not in _OVERWRITES:
                    read += _flat(value)
            else:
                read += _flat(value)
        for schema in func._schema.arguments:
            if schema.name in kwargs:
                wrote = schema.alias_info is not None and schema.alias_info.is_write
                (written if wrote else read).extend(_flat(kwargs[schema.name]))
        if name.endswith("_like") or name.startswith("new_"):
            read = []  # they read the shape of a tensor, not its elements
        outputs = out if isinstance(out, (tuple, list)) else (out,)
        fresh = [
            t for r, t in zip(func._schema.returns, outputs) if r.alias_info is None and isinstance(t, torch.Tensor)
        ]
        if not written and not fresh:
            if name != "_local_scalar_dense":
                return  # a view, or a property of a tensor: nothing moves
        unique = {_key(t): t for t in read}
        self._count_alive(fresh)
        self.ledger.storages.computed(name, list(unique.values()), written, fresh)
        sizes = {key: self._size(t) for key, t in unique.items()}
        if name in _GATHERS:
            sizes[_key(args[0])] = (out.numel(), *self._size(args[0])[1:])
        for key, t in unique.items():
            self.reads[t.untyped_storage().data_ptr()] += sizes[key][0]
        self.ledger.note_reads((t.untyped_storage().data_ptr(), sizes[key][0]) for key, t in unique.items())
        self.ledger.operation(name, list(sizes.values()), [self._size(t) for t in written + fresh])

    def _size(self, t: torch.Tensor) -> tuple[int, int, float, int]:
        """(distinct elements, bytes of one, floating-point numbers in one, address of the storage).

        A stride of 0 repeats the same elements.
        """
        elements = 1
        for n, stride in zip(t.shape, t.stride()):
            elements *= n if stride or n == 0 else 1
        return elements, t.element_size(), self.ledger.storages.share_of(t), t.untyped_storage().data_ptr()

    def _count_alive(self, made: list[torch.Tensor]) -> None:
        """Count new tensors as alive until they are freed."""
        for t in made:
            self._alive += t.numel()
            weakref.finalize(t, self._count_freed, t.numel())
        self.peak = max(self.peak, self._alive)

    def _count_freed(self, elements: int) -> None:
        self._alive -= elements


def _name(func, types) -> str:
    """The name of an operation. It contains "::" if the operation, or a tensor subclass in it, is not PyTorch's own.

    The operations inside such an operation are not dispatched one by one, so they cannot be counted.
    """
    space, name = func._schema.name.split("::")
    foreign = next((kind.__name__ for kind in types if kind not in (torch.Tensor, torch.nn.Parameter)), None)
    return f"{foreign or space}::{name}" if foreign or space not in ("aten", "prim", "prims") else name


def _key(t: torch.Tensor) -> tuple:
    return t.data_ptr(), tuple(t.shape), tuple(t.stride())


def _flat(value) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for item in value for t in _flat(item)]
    return []


def _fill(t: torch.Tensor) -> None:
    if t.is_floating_point():
        integers, mark, _ = MARKS.get(str(t.dtype).removeprefix("torch."), ("", 0, 0))
        if integers:
            t.view(getattr(torch, integers)).fill_(mark)
        else:
            t.fill_(float("nan"))
    elif t.dtype not in (torch.bool,) and not t.is_complex():
        t.fill_(torch.iinfo(t.dtype).max)
