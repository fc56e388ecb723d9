"""The tape: the orders of one call of a host, which can be given again for other tensors.

An order names tensors by number. On the tape it keeps these names, and a replay has its own table: what an operator
makes there gets the name that it had in the recording. So views, in-place operators, `out=` and memory that is used
again mean in a replay what they meant when the host gave the orders.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import torch
import triton.language as tl

from ..device_side.kernel_text import named_tuple
from ..device_side.kernels import Kernels
from ..device_side.memory import Memory
from ..device_side.operators import TELLING_SHAPES, operator
from ..interpreter import launch_args
from ..protocol import launches, orders
from ..protocol.tensors import unpack
from ..sentence import Said, fault, said
from .card import Made, Results

MOST_UPLOADED = 32  # numbers that Python may hand to the card in one order, such as a factor
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
_NUMBERS = (bool, int, float, complex)
_EXITS = {"_local_scalar_dense": "item"}


class TapeEnds(RuntimeError):
    """An order that no tape can hold."""


class _Entry(NamedTuple):
    order: dict
    constant: torch.Tensor | None  # of an upload
    made: list[int]  # numbers of the tensors in its result
    named: set[int]  # numbers of the tensors among its arguments
    of_python: bool  # whether its result follows from numbers of Python alone


class Tape:
    """The orders of one call.

    kernels: those that the host sent. memory: the tensors that it has handles of. device: where all tensors live.
    ended: the reason why the call has no tape, which stands whatever the host does afterwards. compiled: seconds that
    launches took while they were recorded, which is nearly all Triton's compiler.
    """

    def __init__(self, kernels: Kernels, memory: Memory, device: torch.device):
        self._kernels, self._memory, self._device = kernels, memory, device
        self._entries: list[_Entry] = []
        self._inputs: list[int] = []
        self._known: set[int] = set()
        self._of_python: set[int] = set()  # tensors whose numbers follow from those of Python alone
        self._freed: list[int] = []  # since the last entry
        self.ended: Said | None = None
        self.compiled = 0.0

    def begin(self, tensor: torch.Tensor) -> orders.Seen:
        """Make a tensor an input of the call. Returns what the host sees of it."""
        seen = self._memory.keep(tensor)
        self._inputs.append(seen.number)
        self._known.add(seen.number)
        return seen

    def record(self, order: dict, payload: bytes = b"") -> dict:
        """Carry out an order, and keep it. Returns the reply to the host. Raises the exceptions of the order."""
        self.free(order["freed"])
        named: set[int] = set()

        def get(number: int) -> torch.Tensor:
            named.add(number)
            return self.get(number)

        of_python = self._follows(order)
        constant, began = self._uploaded(order, payload, of_python), time.perf_counter()
        result = carry_out(order, get, self._kernels, self._device, constant)
        if order["op"] == "launch":
            self.compiled += time.perf_counter() - began
        if _has_number(result):
            if not of_python:
                self.end(_number(order["name"]))
            return {"result": orders.encode(result, _no_tensor)}
        if not of_python and _may_write(order):
            self.may_change(named)
        made: list[int] = []

        def kept(tensor: torch.Tensor) -> dict:
            seen = self._memory.keep(tensor)
            made.append(seen.number)
            return {"tensor": seen}

        reply = orders.encode(result, kept)
        self._known.update(made)
        self._of_python.update(made if of_python else ())
        self._entries.append(_Entry(order | {"freed": self._freed}, constant, made, named, of_python))
        self._freed = []
        return {"result": reply}

    def free(self, numbers: list[int]) -> None:
        """Forget tensors that the host has dropped."""
        self._memory.free(numbers)
        self._of_python.difference_update(numbers)
        self._freed += numbers

    def constant(self, number: int) -> torch.Tensor | None:
        """A tensor of a few numbers that follow from those of Python alone; None for any other.

        They are the same in each replay. In a program they lie in the memory of Python, which waits for nothing.
        """
        tensor = self._memory.get(number) if number in self._of_python else None
        return None if tensor is None or tensor.numel() > MOST_UPLOADED else tensor

    def _follows(self, order: dict) -> bool:
        """Whether the result of an order follows from numbers of Python alone."""
        if order["op"] != "operator":
            return order["op"] == "upload"
        named: set[int] = set()
        orders.decode([order["args"], list(order["kwargs"].values())], named.add)
        return named <= self._of_python and _is_function(order)

    def may_change(self, named: Collection[int]) -> None:
        """Take note that the memory of these tensors may hold numbers of the card from now on."""
        written = {self._memory.get(number).untyped_storage().data_ptr() for number in named}
        self._of_python -= {
            number for number in self._of_python if self._memory.get(number).untyped_storage().data_ptr() in written
        }

    def _uploaded(self, order: dict, payload: bytes, of_python: bool) -> torch.Tensor | None:
        if order["op"] == "operator" and not of_python and _looks_at_numbers(order, self.get):
            self.end(_number(order["name"]))
        if order["op"] != "upload":
            return None
        tensor = unpack(order["spec"], payload)
        if tensor.numel() > MOST_UPLOADED:
            self.end(
                said(
                    "{count} numbers of Python go to the card: in a race the numbers are the card's own, and Python "
                    "may add {most} at most, such as a factor",
                    count=tensor.numel(),
                    most=MOST_UPLOADED,
                )
            )
        return tensor.to(self._device)

    def end(self, why: Said) -> None:
        """Refuse the call for good. Raises TapeEnds."""
        self.ended = self.ended or why
        raise TapeEnds(why)

    def get(self, number: int) -> torch.Tensor:
        """The tensor of this number: an input, or one that this call has made. Raises TapeEnds and Malformed."""
        tensor = self._memory.get(number)
        if number not in self._known:
            self.end(
                said("the call uses a tensor that was made before it: in a race every call makes all of its tensors")
            )
        return tensor

    def player(self, results: Sequence[int]) -> Callable[[Sequence[torch.Tensor], Made], Results]:
        """What gives the orders again, for other inputs, and returns the tensors that have the numbers `results` then.

        What Python made for itself, such as a tensor of a shape and its product, is no work of the card: it is left out
        where no other order needs it.
        """
        left_out = self._left_out(results)

        def play(inputs: Sequence[torch.Tensor], made: Made) -> Results:
            table = dict(zip(self._inputs, inputs, strict=True))
            for place, (order, constant, numbers, *_) in enumerate(self._entries):
                for number in order["freed"]:
                    if number not in results:
                        table.pop(number, None)
                if place in left_out:
                    continue
                found = carry_out(order, table.__getitem__, self._kernels, self._device, constant)
                for number, tensor in zip(numbers, _tensors(found), strict=True):
                    table[number] = tensor
                    made(tensor, order.get("name", ""))
            wanted = tuple(table[number] for number in results)
            return wanted[0] if len(wanted) == 1 else wanted

        return play

    def _left_out(self, results: Sequence[int]) -> set[int]:
        """Places of the entries that only Python needed."""
        needed, left_out = set(results), set()
        for place, entry in reversed([*enumerate(self._entries)]):
            if entry.of_python and needed.isdisjoint(entry.made):
                left_out.add(place)
            else:
                needed |= entry.named
        return left_out


def carry_out(order: dict, get: Callable, kernels: Kernels, device: torch.device, constant: torch.Tensor | None) -> Any:
    """The result of one order: None, a tensor, numbers, or lists of them. get: from a number to a tensor."""
    if order["op"] == "upload":
        return constant.clone()
    if order["op"] == "operator":
        return _operate(order, get, device)
    return launch(order, get, kernels)()


def _operate(order: dict, get: Callable, device: torch.device) -> Any:
    run = operator(order["name"], order["overload"])
    args, values = orders.decode([order["args"], list(order["kwargs"].values())], get)
    kwargs = dict(zip(order["kwargs"], values))
    if any(a.name == "device" for a in run._schema.arguments):  # also of linspace between two tensors
        kwargs["device"] = device
    kwargs.pop("pin_memory", None)  # of memory that no race has
    here = [device if isinstance(a, torch.device) else a for a in args]
    return run(*here, **{k: device if isinstance(v, torch.device) else v for k, v in kwargs.items()})


def launch(order: dict, get: Callable, kernels: Kernels) -> Callable[[], None]:
    """The launch of an order, to be made. Raises the exceptions of a launch that no GPU takes."""

    def decoded(data):
        return launches.decode(data, get, kernels.get, named_tuple)

    kernel = kernels.get(order["kernel"])
    args = [decoded(each) for each in order["args"]]
    kwargs = {name: decoded(value) for name, value in order["kwargs"].items()}
    bound, options = launch_args.bind(kernel.fn, args, kwargs)
    launch_args.check(kernel.fn.__name__, bound, _constants(kernel))
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(
                said(
                    "a launch in a race has the options {options}, and this one has {name}",
                    options=", ".join(_OPTIONS),
                    name=name,
                )
            )
    grid = launch_args.as_grid(order["grid"], kernel.fn.__name__)
    started = kernel[grid]
    return lambda: started(*args, **kwargs) and None


def _constants(kernel) -> list[str]:
    """Names of the parameters that are constants. An admitted text has one annotation for them, and no other."""
    return [name for name, kind in kernel.fn.__annotations__.items() if kind is tl.constexpr]


def _looks_at_numbers(order: dict, get: Callable) -> bool:
    """Whether an operator has to know numbers before Python can go on: for a number, or for a shape."""
    name = order["name"].removeprefix("aten::")
    if name in _EXITS or name in TELLING_SHAPES - {"index"}:
        return True
    if not name.lstrip("_").startswith(("index", "unsafe_index")) or len(order["args"]) < 2:
        return False
    indices = orders.decode(order["args"][1], get)
    return any(each.dtype in (torch.bool, torch.uint8) for each in _tensors(indices))  # a mask has as many as are set


def _is_function(order: dict) -> bool:
    """Whether the result of an operator is the same wherever its arguments are."""
    run = operator(order["name"], order["overload"])
    drawn = torch.Tag.nondeterministic_seeded in run.tags
    return not run._schema.is_mutable and not drawn and "empty" not in order["name"]


def _may_write(order: dict) -> bool:
    return order["op"] != "operator" or operator(order["name"], order["overload"])._schema.is_mutable


def _no_tensor(tensor: torch.Tensor) -> dict:
    raise orders.Malformed(said("numbers and tensors in one result"))


def _number(name: str) -> Said:
    short = name.removeprefix("aten::")
    return fault(
        "numbers-to-host",
        "{by} hands numbers of the card to Python, which has to wait for them. In a race the card gets the same orders "
        "again with other numbers, so no order may depend on a number",
        by=_EXITS.get(short, short),
    )


def read_by_host(by: str) -> Said:
    """The sentence about a call that takes numbers to Python. by: the name of what takes them."""
    return _number(by)


def _tensors(value) -> Iterator[torch.Tensor]:
    """The tensors in a result, in the order in which `orders.encode` meets them."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)


def _has_number(value) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_has_number, value))
    return isinstance(value, _NUMBERS)
