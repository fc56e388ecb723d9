"""Handles: tensors without numbers. Every operator of PyTorch on a handle runs on the device.

A handle is a wrapper subclass, so that autograd and views work as with any tensor
(https://docs.pytorch.org/docs/stable/notes/extending.html). A dispatch mode sends operators that make a tensor out of
nothing. A thread of the answer's own has no such mode: its tensors hold numbers of the host, and are uploaded when a
handle meets them.

A tensor that is made without `device=` gets a handle on a device of its own (`ELSEWHERE`), as it would be on the CPU
beside inputs on a GPU. So an operator or a launch that mixes the two is refused where there is no GPU too. It is no
boundary: nothing is counted by it.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import torch
from torch._library.custom_ops import OPDEFS
from torch.overrides import _get_current_function_mode_stack
from torch.utils import _device
from torch.utils._python_dispatch import TorchDispatchMode

from ..protocol import orders, tensors
from ..sentence import fault, said
from .wire import Wire

HERE = torch.device("cpu")  # of inputs, and of every tensor whose device was named
ELSEWHERE = torch.device("cpu", 0)  # of tensors made without `device=`: to PyTorch, another device than the one above
_INDEXED = frozenset(
    f"aten::{name}" for name in "index index_put index_put_ _index_put_impl_ _unsafe_index _unsafe_index_put".split()
)


class Handle(torch.Tensor):
    """A tensor whose numbers live on the device. seen: what the host knows of it. place: HERE or ELSEWHERE."""

    __torch_function__ = torch._C._disabled_torch_function_impl
    __class__ = property(lambda self: torch.Tensor)  # functools.singledispatch and messages go by it

    @staticmethod
    def __new__(cls, wire: Wire, seen: orders.Seen, place: torch.device = HERE):  # noqa: D102
        dtype = getattr(torch, seen.dtype)
        handle = _without_memory(seen.shape, seen.strides, seen.offset, dtype, place)
        handle._reference, handle._address = _Reference(wire, seen.number), seen.address
        return handle

    @classmethod
    def __torch_dispatch__(cls, operator, types, args=(), kwargs=None):
        wire = next(a._reference.wire for a in _flat((args, kwargs or {})) if isinstance(a, Handle))
        return run(wire, operator, args, kwargs or {})

    def __repr__(self, *, tensor_contents=None):
        return said(
            "<{value}, {dtype}, on the device>",
            value="×".join(map(str, self.shape)) or said("a number"),
            dtype=self.dtype,
        )

    def __format__(self, spec):
        return format(self.item(), spec) if self.dim() == 0 else object.__format__(self, spec)

    def elsewhere(self) -> Handle:
        """The same tensor as a handle on the other device. For a fresh tensor, in the place of the handle it has."""
        handle = _without_memory(self.shape, self.stride(), self.storage_offset(), self.dtype, ELSEWHERE)
        handle._reference, handle._address = self._reference, self._address
        return handle.requires_grad_() if self.requires_grad else handle

    @property
    def data(self):  # noqa: D102
        return torch.Tensor.data.__get__(self)

    @data.setter
    def data(self, other):
        torch.Tensor.data.__set__(self, other)
        self._reference, self._address = other._reference, other._address

    def data_ptr(self):
        """An address that no other tensor has, with the alignment of the real one."""
        return self._address + self.storage_offset() * self.element_size() if self.numel() else 0

    def tolist(self):  # noqa: D102
        return download(self, "tolist").tolist()

    def numpy(self, *, force=False):  # noqa: D102
        return download(self, "numpy").numpy()

    def __array__(self, dtype=None, copy=None):
        numbers = download(self, "numpy").numpy()
        return numbers if dtype is None else numbers.astype(dtype)

    def __dlpack__(self, *args, **kwargs):
        raise BufferError(
            said("the numbers of this tensor live on the device, and no library of the host can share them")
        )

    def apply_(self, *functions):  # noqa: D102 (PyTorch's own would read memory that a handle does not have)
        raise TypeError(said("this calls Python for each number, and the numbers of this tensor live on the device"))

    map_ = map2_ = apply_

    def __copy__(self):
        return self.detach().requires_grad_(self.requires_grad)

    def __deepcopy__(self, memo):
        memo[id(self)] = copy = self.detach().clone().requires_grad_(self.requires_grad)
        return copy

    def __reduce_ex__(self, protocol):
        raise TypeError(said("a tensor of the device cannot be stored in a file"))


Handle.__name__ = "Tensor"  # Python's messages to a learner say so


def _without_memory(shape, strides, offset: int, dtype: torch.dtype, place: torch.device) -> Handle:
    with torch.inference_mode(False):  # a view made in inference mode would have no version counter
        return torch.Tensor._make_wrapper_subclass(
            Handle, shape, strides=strides, storage_offset=offset, dtype=dtype, device=place
        )


class _Reference:
    """The hold on a tensor of the device. It lives in the __dict__ of a handle, which PyTorch may revive."""

    def __init__(self, wire: Wire, number: int):
        self.wire, self.number = wire, number

    def __del__(self):
        self.wire.free(self.number)


class OnDevice(TorchDispatchMode):
    """Inside the block, operators that make tensors make them on the device."""

    def __init__(self, wire: Wire):
        super().__init__()
        self._wire = wire

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # True, the default, makes the first operation import torch.compile: a worker would take twice as long to start.
        return False

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if _shape_of(operator).name.startswith("aten::lift_fresh"):  # torch.tensor([...]): numbers of the host
            return upload(self._wire, args[0])
        if not (args and isinstance(args[0], Handle)) and _of_the_host(operator, args, kwargs):
            return operator(*args, **kwargs)
        return run(self._wire, operator, args, kwargs)


def place_unnamed() -> None:
    """From now on, tensors that this process makes without naming a device are ELSEWHERE.

    PyTorch tells its operators of the CPU either way, and a mode of functions sees nothing of a backward pass. So the
    functions that make tensors are replaced.
    """
    for function in _device._device_constructors():
        if vars(torch).get(function.__name__) is function:
            setattr(torch, function.__name__, _placing(function))


def _placing(function):
    @functools.wraps(function)
    def make(*args, **kwargs):
        made = function(*args, **kwargs)
        around = any(isinstance(mode, _device.DeviceContext) for mode in _get_current_function_mode_stack())
        named = around or kwargs.get("device") is not None  # around: by `with torch.device(...)`
        of_tensor = any(isinstance(given, torch.Tensor) for given in (*args[:1], *kwargs.values()))  # as_tensor, out=
        return made if named or of_tensor or not isinstance(made, Handle) else made.elsewhere()

    del make.__wrapped__  # to Python it is a function of PyTorch
    return make


class _Shape(NamedTuple):
    """What the wire needs of an operator.

    written: (position, name) of each argument that it writes and returns. composite: whether it consists of others.
    view: whether it makes its argument a view, as squeeze_ does. numberless: whether no tensor comes of it.
    """

    name: str
    overload: str
    composite: bool
    view: bool
    numberless: bool
    written: tuple[tuple[int, str], ...]


@functools.cache
def _shape_of(operator) -> _Shape:
    schema = operator._schema
    changes = any(r.alias_info is not None and r.alias_info.is_write for r in schema.returns)
    arguments = enumerate(schema.arguments)
    written = tuple((i, a.name) for i, a in arguments if a.alias_info is not None and a.alias_info.is_write)
    composite = torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "CompositeImplicitAutograd")
    view = torch.Tag.inplace_view in operator.tags
    numberless = not any("Tensor" in str(r.type) for r in schema.returns)
    return _Shape(schema.name, schema.overload_name, composite, view, numberless, written if changes else ())


def _of_the_host(operator, args, kwargs) -> bool:
    """Whether all tensors of a call are of the host, such as those of NumPy, or it is about none, as promote_types."""
    given = [a for a in _flat((args, kwargs)) if isinstance(a, torch.Tensor)]
    if not given:
        return _shape_of(operator).numberless
    return not any(isinstance(a, Handle) for a in given)


def run(wire: Wire, operator, args, kwargs):
    """Run an operator on the device. Returns handles and plain values."""
    shape = _shape_of(operator)
    if shape.composite or not shape.name.startswith("aten::"):
        with OnDevice(wire):
            return _made_of_others(operator, shape, args, kwargs)
    if shape.name.startswith("aten::_foreach_"):
        with OnDevice(wire):
            return _each(operator, shape, args, kwargs)
    if shape.view and isinstance(args[0], Handle):
        with OnDevice(wire):
            args[0].data = _changed_view(shape, *args, **kwargs)
        return args[0]
    if shape.name == "aten::copy_" and not isinstance(args[0], Handle):
        return args[0].copy_(download(args[1], "copy_"))
    place = _place(shape, args, kwargs)

    def tensor(value):
        if not isinstance(value, Handle):
            value = upload(wire, value)
            kept.append(value)
        return {"tensor": value._reference.number}

    kept: list[Handle] = []  # alive until the device has run the operator
    reply, _ = wire.ask(
        {
            "op": "operator", "name": shape.name, "overload": shape.overload,
            "args": orders.encode(args, tensor),
            "kwargs": {name: orders.encode(value, tensor) for name, value in kwargs.items()},
        }
    )  # fmt: skip
    result = orders.decode(reply["result"], lambda seen: Handle(wire, orders.Seen(*seen), place))
    if not shape.written:
        return result
    # In the place of new handles of the same tensors, the arguments that the operator wrote to.
    given = _written(shape, args, kwargs)
    for tensor, now in zip(given, [result] if len(given) == 1 else result):
        if isinstance(tensor, Handle) and tensor.shape != now.shape:  # an output that had to be enlarged
            tensor.data = now
    return given[0] if len(given) == 1 else given


def _place(shape: _Shape, args, kwargs) -> torch.device:
    """The device of an operator's result. Raises RuntimeError where PyTorch refuses to mix tensors of two devices.

    As in PyTorch, a tensor without axes may be read beside those of another device, and indices may be on the CPU.
    """
    given = [a for a in _flat((args, kwargs)) if isinstance(a, Handle)]
    here = any(a.device == HERE for a in given)
    if here and shape.name != "aten::copy_":
        indexed = shape.name in _INDEXED and isinstance(args[0], Handle) and args[0].device == HERE
        read = _flat((args[:1] + args[2:] if indexed else args, kwargs))
        written = {id(each) for each in _written(shape, args, kwargs)}
        if any(isinstance(a, Handle) and a.device == ELSEWHERE and (a.dim() or id(a) in written) for a in read):
            raise RuntimeError(
                fault(
                    "wrong-device",
                    "Expected all tensors to be on the same device, but {name} got one that was made without "
                    "`device=`, so in the memory of the CPU",
                    name=shape.name.removeprefix("aten::"),
                )
            )
    asked = kwargs.get("device")
    if asked is not None:
        return ELSEWHERE if asked == ELSEWHERE else HERE
    return ELSEWHERE if given and not here else HERE


def _written(shape: _Shape, args, kwargs) -> list:
    """The arguments that an operator writes to and returns."""
    return [kwargs[name] if name in kwargs else args[place] for place, name in shape.written]


def _made_of_others(operator, shape: _Shape, args, kwargs):
    """An operator that consists of others: PyTorch did not take it apart yet, or it is the answer's own."""
    if shape.name in OPDEFS:  # of torch.library.custom_op: its Python runs here
        return OPDEFS[shape.name]._init_fn(*args, **kwargs)
    if shape.composite:  # as in inference_mode
        return operator.decompose(*args, **kwargs)
    return operator.redispatch(torch._C.DispatchKeySet(torch._C.DispatchKey.CPU), *args, **kwargs)


def _each(operator, shape: _Shape, args, kwargs) -> list | None:
    """An operator on lists of tensors, as one operator for each place in the lists."""
    one = getattr(torch.ops.aten, shape.name.removeprefix("aten::_foreach_"))

    def at(place: int, value):
        return value[place] if isinstance(value, (list, tuple)) else value

    results = [
        one(*(at(i, value) for value in args), **{name: at(i, value) for name, value in kwargs.items()})
        for i in range(len(args[0]))
    ]
    return results if operator._schema.returns else None


def _changed_view(shape: _Shape, handle: Handle, *args, **kwargs) -> torch.Tensor:
    """The tensor that a handle is to be after an operator such as squeeze_ or resize_."""
    if shape.name != "aten::resize_":
        view = getattr(torch.ops.aten, shape.name.removeprefix("aten::").removesuffix("_"))
        return view(handle, *args, **kwargs)
    flat = handle.detach().as_strided([handle.numel()], [1], handle.storage_offset())
    fresh = handle.new_empty(math.prod(args[0]))
    kept = min(flat.numel(), fresh.numel())
    if kept:
        fresh[:kept] = flat[:kept]
    return fresh.view(args[0])


def upload(wire: Wire, tensor: torch.Tensor) -> Handle:
    """A copy of a tensor of the host on the device."""
    spec, data = tensors.elements(tensor)
    reply, _ = wire.ask({"op": "upload", "spec": spec}, data)
    return Handle(wire, orders.Seen(*reply["result"]["tensor"]))


def download(handle: Handle, by: str) -> torch.Tensor:
    """A tensor of the host with the numbers of a handle. Raises the device's refusal if they are more than a few.

    by: name of the operation that needs them.
    """
    reply, data = handle._reference.wire.ask({"op": "download", "tensor": handle._reference.number, "by": by})
    with torch.utils._python_dispatch._disable_current_modes():
        return tensors.unpack(reply["spec"], data)


def _flat(value):
    """Yield the objects in nested tuples, lists and dictionaries."""
    if isinstance(value, (tuple, list)):
        for each in value:
            yield from _flat(each)
    elif isinstance(value, dict):
        yield from _flat(list(value.values()))
    else:
        yield value
