"""The PyTorch part of the ledger: every operation that touches memory, counted when PyTorch dispatches it."""

from __future__ import annotations

import functools
import math
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
_ALLOCATES = {"empty", "empty_like", "new_empty", "empty_permuted", "empty_strided", "new_empty_strided"}
# Operations that read tensors, and whose result is no tensor.
_TELLS = {"_local_scalar_dense", "equal", "allclose"}


class TorchLedger(TorchDispatchMode):
    """Counts the elements that each PyTorch operation inside the block reads and writes.

    A view moves nothing. An expanded tensor counts once. An operation inside an interpreted kernel is not counted.

    ledger: gets the counts. poison: whether memory from torch.empty holds marked NaN (integers: the largest value).
    zeros: whether it holds 0 instead, and no marks.
    names: of the operations. reads, most: by name of the storage, numbers that all of them read, and the most that one
    of them read.
    """

    def __init__(self, ledger: Ledger, poison: bool = False, zeros: bool = False):
        super().__init__()
        self.ledger, self.poison, self.zeros = ledger, poison, zeros
        self.names: list[str] = []
        self.reads: Counter[int] = Counter()
        self.most: Counter[int] = Counter()

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
        self.ledger.operation(name, [self._read(tensor)], [])

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = _name(func, types)
        if current.launch is not None and current.launch.in_program:
            raise KernelMisuse(said("the kernel calls {name} of PyTorch, which no GPU runs in a kernel", name=name))
        out = func(*args, **kwargs)
        if interpreter.in_kernel():
            return out
        storages = self.ledger.storages
        # What an operator says of its results is not asked: some return views, and call them new.
        before = {storages.hold(t) for t in _flat((args, tuple(kwargs.values())))}
        fresh = [t for t in _flat(out) if storages.hold(t, made=True) not in before]
        if name in _ALLOCATES:
            for t in _flat(out) if self.poison else ():
                _fill(t, self.zeros)
            return out
        self.names.append(name)
        self._count(func, name, args, kwargs, out, fresh)
        return out

    def _count(self, func, name: str, args, kwargs, out, fresh: list[torch.Tensor]) -> None:
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
        if not written and not fresh and name not in _TELLS:
            return  # a view, or a property of a tensor: nothing moves
        unique = {_key(t): t for t in read}
        chosen = {_key(args[0]): out.numel()} if name in _GATHERS else {}
        sizes = [self._read(t, chosen.get(key)) for key, t in unique.items()]
        numbers = sum(math.ceil(elements * share) for elements, _, share, _ in sizes)
        self.ledger.storages.computed(name, list(unique.values()), numbers, written + fresh)
        self.ledger.note_reads((storage, math.ceil(elements * share)) for elements, _, share, storage in sizes)
        self.ledger.operation(name, sizes, [self._size(t) for t in written + fresh])

    def _read(self, t: torch.Tensor, elements: int | None = None) -> tuple[int, int, float, int]:
        """As `_size`, and counted as read. elements: how many of them were read; None for all."""
        whole, *of, share, storage = self._size(t)
        elements = whole if elements is None else elements
        numbers = math.ceil(elements * share)
        self.reads[storage] += numbers
        self.most[storage] = max(self.most[storage], numbers)
        return (elements, *of, share, storage)

    def _size(self, t: torch.Tensor) -> tuple[int, int, float, int]:
        """(distinct elements, bytes of one, floating-point numbers in one, name of the storage).

        A stride of 0 repeats the same elements.
        """
        elements = 1
        for n, stride in zip(t.shape, t.stride()):
            elements *= n if stride or n == 0 else 1
        storages = self.ledger.storages
        return elements, t.element_size(), storages.share_of(t), storages.hold(t)


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


def _fill(t: torch.Tensor, zeros: bool) -> None:
    """Fill new memory, its gaps too: it holds what it held before it was released."""
    t = t.as_strided((t.untyped_storage().nbytes() // t.element_size(),), (1,), 0)
    if zeros:
        t.zero_()
    elif t.is_floating_point():
        integers, mark, _ = MARKS.get(str(t.dtype).removeprefix("torch."), ("", 0, 0))
        if integers:
            t.view(getattr(torch, integers)).fill_(mark)
        else:
            t.fill_(float("nan"))
    elif t.is_complex():
        t.fill_(complex(float("nan"), float("nan")))
    elif t.dtype == torch.bool:
        t.fill_(True)
    else:
        t.fill_(torch.iinfo(t.dtype).max)
