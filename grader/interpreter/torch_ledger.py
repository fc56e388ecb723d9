"""PyTorch's share of the ledger: every operation that touches memory, counted as it is dispatched."""

from __future__ import annotations

import functools
import weakref
from collections import Counter

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .. import interpreter
from .ledger import Ledger

# They write their first argument without reading it.
_OVERWRITES = {"copy_", "fill_", "zero_", "normal_", "uniform_", "exponential_", "random_", "bernoulli_"}
# Of their first argument they read what they take, and no more.
_GATHERS = {"index", "index_select", "gather", "take", "masked_select"}
# Ways out of PyTorch: what computes with the elements from there on is not seen, so that they left is counted.
_LEAVES = ("numpy", "tolist", "__dlpack__")
_ALLOCATES = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"}


class TorchLedger(TorchDispatchMode):
    """Counts elements read and written by each PyTorch operation run inside the block.

    Views move nothing. A tensor that is expanded is read once. With poison, memory from torch.empty starts as NaN.
    Operations inside an interpreted kernel are the answer's own: their names are kept in `inside_kernels`.

    peak: elements of the tensors that operations made and that were alive at once, at most. reads: elements read of
    each storage, by its address.
    """

    def __init__(self, ledger: Ledger, poison: bool = False):
        super().__init__()
        self.ledger, self.poison = ledger, poison
        self.names: list[str] = []
        self.inside_kernels: list[str] = []
        self.peak, self._alive = 0, 0
        self.reads: Counter[int] = Counter()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Else the first operation imports all of torch.compile, which doubles the time until a worker is ready.
        return False

    def __enter__(self):
        self._before = {name: vars(torch.Tensor).get(name) for name in _LEAVES}
        for name in _LEAVES:
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
            if interpreter.in_kernel():
                self.inside_kernels.append(name)
            else:
                self.names.append(name)
                self.reads[tensor.untyped_storage().data_ptr()] += _size(tensor)[0]
                self.ledger.operation(name, [_size(tensor)], [])
            return method(tensor, *args, **kwargs)

        return leave

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        name = _name(func, types)
        if interpreter.in_kernel():
            if not _housekeeping(name, args):
                self.inside_kernels.append(name)
            return out
        if name in _ALLOCATES:
            self._hold([out])
            if self.poison:
                _fill(out)
            return out
        self.names.append(name)
        self._count(func, name, args, kwargs, out)
        return out

    def _count(self, func, name: str, args, kwargs, out) -> None:
        written, read = [], []
        if name.endswith("_like") or name.startswith("new_"):
            args, kwargs = (), {}  # they look at a tensor's shape, not at its elements
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
        outputs = out if isinstance(out, (tuple, list)) else (out,)
        fresh = [
            t for r, t in zip(func._schema.returns, outputs) if r.alias_info is None and isinstance(t, torch.Tensor)
        ]
        if not written and not fresh:
            if name != "_local_scalar_dense":
                return  # a view, or a question about a tensor: nothing moves
        unique = {_key(t): t for t in read}
        self._hold(fresh)
        sizes = {key: _size(t) for key, t in unique.items()}
        if name in _GATHERS:
            sizes[_key(args[0])] = (out.numel(), *_size(args[0])[1:])
        for key, t in unique.items():
            self.reads[t.untyped_storage().data_ptr()] += sizes[key][0]
        self.ledger.operation(name, list(sizes.values()), [_size(t) for t in written + fresh])

    def _hold(self, made: list[torch.Tensor]) -> None:
        """Count tensors as alive, for as long as they are."""
        for t in made:
            self._alive += t.numel()
            weakref.finalize(t, self._let_go, t.numel())
        self.peak = max(self.peak, self._alive)

    def _let_go(self, elements: int) -> None:
        self._alive -= elements


def _name(func, types) -> str:
    """An operation's name; with "::" in it when it is not PyTorch's own, since what it calls is then not seen."""
    space, name = func._schema.name.split("::")
    odd = next((kind.__name__ for kind in types if kind not in (torch.Tensor, torch.nn.Parameter)), None)
    return f"{odd or space}::{name}" if odd or space not in ("aten", "prim", "prims") else name


def _housekeeping(name: str, args) -> bool:
    """What the interpreter itself does around a launch: an alias of each argument, and a copy back onto itself."""
    if name == "copy_":
        return args[0].data_ptr() == args[1].data_ptr()
    return name in _ALLOCATES or name in ("set_", "detach", "alias")


def _key(t: torch.Tensor) -> tuple:
    return t.data_ptr(), tuple(t.shape), tuple(t.stride())


def _flat(value) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for item in value for t in _flat(item)]
    return []


def _size(t: torch.Tensor) -> tuple[int, int, bool]:
    """(distinct elements, bytes of one, floating or not); a stride of 0 repeats the same elements."""
    elements = 1
    for n, stride in zip(t.shape, t.stride()):
        elements *= n if stride or n == 0 else 1
    return elements, t.element_size(), t.is_floating_point()


def _fill(t: torch.Tensor) -> None:
    if t.is_floating_point():
        t.fill_(float("nan"))
    elif t.dtype not in (torch.bool,) and not t.is_complex():
        t.fill_(torch.iinfo(t.dtype).max)
