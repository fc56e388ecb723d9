"""An answer whose numbers live on a device: the host loads its text, and calls it with handles when the device asks."""

from __future__ import annotations

import contextlib
import socket

import torch
from torch.autograd.graph import increment_version

from ..isolation.linux import limits
from ..protocol import orders
from ..protocol.errors import describe, packed
from ..protocol.frames import BrokenChannel
from ..protocol.values import decode, encode
from ..sentence import tree
from . import launches, only_card
from .answer import Answer
from .handles import Handle, OnDevice, place_unnamed, upload
from .wire import Wire


def serve(to_device: int, scratch: str, elsewhere: bool, raced: bool = False) -> None:
    """Handle the orders of the device until it closes the channel.

    to_device: file descriptor of the socket. scratch: the folder that the answer may write to. elsewhere: as
    in Job. raced: whether the device has a clock, by which it chooses among the configurations of a kernel.
    """
    wire = Wire(socket.socket(fileno=to_device))
    wire.tell({"too_little_memory": tree.pack(limits.too_little_memory())})
    launches.send(wire, tuned=raced)
    only_card.pretend()
    if elsewhere:
        place_unnamed()
    host = Host(wire, scratch, raced)
    with OnDevice(wire), contextlib.suppress(BrokenChannel):
        while True:
            header, _ = wire.receive()
            try:
                done = host.handle(header)
            except BaseException as error:  # SystemExit and KeyboardInterrupt are answers too
                done = host.failed(error)
            wire.tell({"op": "done"} | done)


class Host:
    """The handler of the device's orders for one answer. raced: as in `serve`."""

    def __init__(self, wire: Wire, scratch: str, raced: bool = False):
        self._wire, self._answer, self._raced = wire, Answer(scratch), raced
        self._results: list[Handle] = []  # alive until the device has read them
        self._given: list[Handle] = []  # to the call before, or to this one

    def handle(self, header: dict) -> dict:
        """The reply to one order. Raises the exceptions of the answer.

        header["op"]: "write" stores the text of an answer, "load" imports it, "value" reads a name, "call" calls a
        function, "kernel" asks for the text of a kernel.
        """
        self._results = []
        if header["op"] == "write":
            return self._answer.write(header["source"])
        if header["op"] == "load":
            self._answer.load(header["driver"], ask_clock=self._clock)
            return {}
        found = self._answer.get(header["name"])
        if header["op"] == "value":
            return {"value": encode(found)}
        args = self._arguments(header["args"])
        kwargs = {name: decode(value) for name, value in header["kwargs"].items()}
        if header["op"] == "kernel":
            return launches.prepared(self._wire, found, args, kwargs)
        value = found(*args, **kwargs)
        values = value if isinstance(value, tuple) and self._raced else (value,)  # a race may compare several results
        if not values or not all(isinstance(each, torch.Tensor) for each in values):
            return {"value": encode(value)}
        # A tensor of the host itself, such as one of NumPy's, is a result too.
        self._results = [each if isinstance(each, Handle) else upload(self._wire, each) for each in values]
        numbers = [each._reference.number for each in self._results]
        return {"tensors": numbers} if self._raced else {"tensor": numbers[0]}

    def failed(self, error: BaseException) -> dict:
        """The reply for an exception. number: of the device's record, if it comes from there."""
        if isinstance(error, MemoryError):
            limits.use_reserve()
        return {
            "error": packed(describe(error, self._answer.path)),
            "number": getattr(error, "on_device", None),
        }

    def _arguments(self, sent: list) -> list:
        """The arguments of a call. One of the kind "same" is the tensor in its place among those of the call before."""
        before, self._given = iter(self._given), []
        args = []
        for kind, what in sent:
            if kind == "value":
                args.append(decode(what))
                continue
            if kind == "same":
                handle = next(before)
                increment_version(handle)  # the device wrote other numbers to it
            else:
                handle = Handle(self._wire, orders.Seen(*what))
            self._given.append(handle)
            args.append(handle)
        return args

    def _clock(self, name: str, *args):
        """Ask the device's simulated clock. args: of the question; tensors are handles."""
        given = [orders.encode(a, lambda handle: {"tensor": handle._reference.number}) for a in args]
        reply, _ = self._wire.ask({"op": "clock", "name": name, "args": given})
        return orders.decode(reply["result"], lambda seen: Handle(self._wire, orders.Seen(*seen)))
