"""The device of a race: it has the GPU, the numbers and the clock, and none of the answer's Python.

The host calls the answer once for each shape. What it orders is carried out, and kept on a tape. Then the host is out
of it: the tape is replayed on numbers that the host has never seen, timed, and compared. No word of the host is taken
for anything but the number of the tensor that is the result.
"""

from __future__ import annotations

import contextlib
import functools
import socket
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from ..cuda.report import Stopped
from ..device_side.kernels import Kernels
from ..device_side.memory import Memory
from ..protocol import frames, orders, schema
from ..protocol.errors import describe, packed
from ..protocol.replies import pack_reply, unpack_end
from ..protocol.tensors import elements, unpack
from ..protocol.values import decode
from ..sentence import Said, message, said
from ..spec import Card, Error, Lap, Shape
from . import laps, peers
from .card import Launched
from .families import FAMILIES, Family
from .tape import Tape, carry_out, launch, read_by_host

_MAX_REQUEST, _MAX_ORDER = 1 << 20, 1 << 26  # bytes: of the judge, of the host
OWN = "answer"  # the answer's name among the laps of a reply
_THREADS = 256  # of a block of a kernel in CUDA C++


def serve(to_judge: int, to_host: int) -> None:
    """Handle the requests of one race until the judge closes its channel, or the host ends. Both are descriptors."""
    from .card import Cuda

    converse(socket.socket(fileno=to_judge), socket.socket(fileno=to_host), Cuda)


def converse(judge: socket.socket, host: socket.socket, card: Callable[[], laps.Card]) -> None:
    """As `serve`, with sockets, which it closes. card: makes the GPU's object, which takes a moment."""
    with judge, host, contextlib.suppress(frames.BrokenChannel, ConnectionError):
        ready, _ = frames.receive(host, 0)  # before the host has an answer
        frames.send(judge, {"too_little_memory": ""} | ready)
        keeper: Timekeeper | None = None
        while True:
            header, _ = frames.receive(judge, _MAX_REQUEST)
            keeper = keeper or Timekeeper(host, card())
            reply, _ = keeper.handle(header)
            frames.send(judge, reply)


class _Entrant(NamedTuple):
    """What can be replayed of an answer; or why nothing can; or the answer's own error. compiled: as in a Lap."""

    play: laps.Plays | None = None
    refused: Said | None = None
    error: Error | None = None
    compiled: float = 0.0


class Timekeeper:
    """The handler of the judge's requests for one entrant.

    host: socket to the process with the answer's Python. card: the GPU.
    """

    def __init__(self, host: socket.socket, card: laps.Card):
        self._host, self._arriving, self._card = host, frames.Buffered(host), card
        self._memory, self._kernels = Memory(), Kernels()
        self._tape: Tape | None = None
        self._tuned = 0.0
        self._errors: list[Error] = []

    def handle(self, header: dict) -> tuple[dict, list[bytes]]:
        """The reply to one request. Raises BrokenChannel when the host has ended.

        header["op"]: "write" stores the text of an answer, "load" imports it, "lap" times a function of it, "card" asks
        for the GPU.
        """
        with torch.no_grad():
            if header["op"] in ("write", "load"):
                done = self._told(header)
                if "error" in done:
                    return pack_reply(error=self._error(done))
                return (done if header["op"] == "write" else {}), []
            if header["op"] == "card":
                return {"card": schema.pack(self._card.record(), Card)}, []
            try:
                return self._lap(header), []
            except RuntimeError as error:  # of CUDA: after a kernel that stored where nothing is, it does nothing more
                return pack_reply(error=describe(error, "<kernel "))

    def _lap(self, header: dict) -> dict:
        """The reply to "lap": {"laps": by name}, or {"error"} of the answer.

        header: name of the function, or of the text in CUDA C++, family, shape, dtype, seed, and whether there are
        peers.
        """
        shape, family = schema.unpack(header["shape"], Shape), FAMILIES[header["family"]]
        self._tuned = 0.0
        entrant = self._text(header["name"]) if header["cuda"] else self._call(header, family, shape)
        if entrant.error is not None:
            return pack_reply(error=entrant.error)[0]
        plays: dict[str, laps.Plays] = {OWN: entrant.play} if entrant.play else {}
        if header["peers"]:
            for name, function in peers.of(header["family"]).items():
                plays[name] = lambda given, made, function=function: function(*given)
        found = laps.measure(self._card, plays, family, shape, header["dtype"], header["seed"] + 1) if plays else {}
        if entrant.refused is not None:
            found = {OWN: Lap(shape, header["dtype"], refused=entrant.refused)} | found
        packed_laps = {name: schema.pack(lap, Lap) for name, lap in found.items()}
        packed_laps[OWN] |= {"compiled": entrant.compiled, "tuned": self._tuned}
        return {"laps": packed_laps}

    def _call(self, header: dict, family: Family, shape: Shape) -> _Entrant:
        """A function, called once: its orders are on a tape."""
        self._tape = Tape(self._kernels, self._memory, self._card.device)
        kinds = family.inputs(shape.sizes, getattr(torch, header["dtype"]))
        inputs = [self._card.blank(sizes, dtype, header["seed"]) for sizes, dtype in kinds]
        family.fill(inputs, self._card.generator(header["seed"]))
        order = {"op": "call", "name": header["name"], "kwargs": {}}
        done = self._told(order | {"args": [["tensor", self._tape.begin(each)] for each in inputs]})
        tape, self._tape = self._tape, None
        if refused := self._no_result(tape, done, family.results):
            return _Entrant(refused=refused, compiled=tape.compiled)
        if "error" in done:
            return _Entrant(error=self._error(done))
        return _Entrant(tape.player(done["tensors"]), compiled=tape.compiled)

    def _text(self, name: str) -> _Entrant:
        """The kernel softmax_<name> of a text in CUDA C++, launched with a block of threads for each row."""
        done = self._told({"op": "value", "name": name})
        if "error" in done:
            return _Entrant(error=self._error(done))
        began = time.perf_counter()
        try:
            source = decode(done["value"])
        except (KeyError, ValueError):
            source = None
        if not isinstance(source, str):
            return _Entrant(refused=said("{name} is no text of a kernel", name=name))
        try:
            launched = self._card.cuda(source, f"softmax_{name}")
        except Stopped as error:
            return _Entrant(refused=message(error))
        return _Entrant(functools.partial(_launch, launched), compiled=time.perf_counter() - began)

    def _no_result(self, tape: Tape, done: dict, wanted: int) -> Said | None:
        """Why a call that is over has nothing to replay; None if it has, or ended in an error of its own.

        wanted: how many results.
        """
        if tape.ended is not None:
            return tape.ended
        if "error" in done:
            return None
        numbers = done.get("tensors")
        if not isinstance(numbers, list) or len(numbers) != wanted:
            return said("the function returned no tensor")
        try:
            for number in numbers:
                tape.get(number)
        except (RuntimeError, ValueError):
            return tape.ended or said("the function returned a tensor that the card does not have")
        return None

    # The conversation with the host

    def _told(self, order: dict) -> dict:
        """Send an order to the host and carry out its own orders until it is done. Returns the last message.

        Raises BrokenChannel for one that no host of the course sends.
        """
        frames.send(self._host, order)
        while True:
            header, payload = frames.receive(self._arriving, _MAX_ORDER)
            if header.get("op") == "done":
                end = unpack_end(header)
                self._memory.free(end["freed"])
                return end
            try:
                reply, data = self._obey(header, payload)
            except Exception as error:
                self._errors.append(describe(error, "<kernel "))
                reply, data = {"error": packed(self._errors[-1]), "number": len(self._errors) - 1}, b""
            frames.send(self._host, reply, data)

    def _obey(self, header: dict, payload: bytes) -> tuple[dict, bytes]:
        """The reply to one order of the host. Raises anything for one that is not carried out."""
        op = header["op"]
        if self._tape is not None and op not in ("operator", "launch", "upload"):
            self._tape.free(header["freed"])
        if op == "admit":
            return {"kernel": self._kernels.admit(header["program"])}, b""
        if op == "tune":
            return {"choice": self._choice(header["choices"])}, b""
        if op == "download" and self._tape is not None:
            constant = self._tape.constant(header["tensor"])
            if constant is not None:
                spec, data = elements(constant)
                return {"spec": spec}, data
        if op in ("download", "clock"):
            why = read_by_host(orders.taker(header) if op == "download" else op)
            if self._tape is not None:
                self._tape.end(why)
            raise orders.Malformed(why)
        if op not in ("operator", "launch", "upload"):
            raise orders.Malformed(said("there is no such order"))
        if self._tape is not None:
            return self._tape.record(header, payload), b""
        return self._carried_out(header, payload), b""

    def _carried_out(self, order: dict, payload: bytes) -> dict:
        """The reply to an order that comes while the answer is imported: no race has begun, and nothing is kept."""
        self._memory.free(order["freed"])
        constant = unpack(order["spec"], payload).to(self._card.device) if order["op"] == "upload" else None
        result = carry_out(order, self._memory.get, self._kernels, self._card.device, constant)
        return {"result": orders.encode(result, lambda tensor: {"tensor": self._memory.keep(tensor)})}

    def _choice(self, choices: list[dict]) -> int:
        """The place of the fastest of some launches, by the card's clock."""
        get = self._memory.get if self._tape is None else self._tape.get
        given: dict[int, torch.Tensor] = {}

        def noted(number: int) -> torch.Tensor:
            given[number] = get(number)
            return given[number]

        runs = [launch(each, noted, self._kernels) for each in choices]
        place, seconds = self._card.tune(runs, list(given.values()))
        if self._tape is not None:  # a launch may store beyond the tensors that are put back
            self._tape.may_change(given)
        self._tuned += seconds
        return place

    def _error(self, done: dict) -> Error:
        """The error of a call. An error of the device, which the host only passes on, is the device's own record."""
        number = done.get("number")
        if isinstance(number, int) and 0 <= number < len(self._errors):
            return self._errors[number] | {"line": self._errors[number]["line"] or done["error"]["line"]}
        return done["error"] | {"where": None}


def _launch(launched: Launched, inputs: list[torch.Tensor], made: Any) -> torch.Tensor:
    x = inputs[0]
    y = torch.empty_like(x)
    made(y, "empty_like")
    launched((len(x),), _THREADS, (y, x, x.shape[1]))
    return y
