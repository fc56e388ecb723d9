"""A session: the requests of the judge to the runner of one answer, over one channel and with one deadline."""

from __future__ import annotations

import functools
import socket
from collections.abc import Callable
from typing import TypedDict

from ..isolation.linux import processes
from ..protocol import frames, schema
from ..protocol.calls import given_of, pack_call, reply_limit
from ..protocol.replies import unpack_error, unpack_reply
from ..protocol.schema import Mismatch
from ..protocol.tensors import pack, unpack_several
from ..protocol.values import encode
from ..sentence import Said, message, said, tree
from ..spec import Call, Error, Evidence, Given, Launch, Machine
from .time_limit import TimeLimit

RunGiven = Callable[[Given, object, float], Evidence]
_CALL = 0.5  # of the seconds of all calls, for one of them
_MAX_GIVEN = 1 << 20  # bytes of the tensor that an answer passes to a Given function


class Deadline(Exception):
    """The answer ran beyond its time limit."""


class Died(Exception):
    """The process of the answer ended before it replied, or its reply is malformed."""


class NoWorker(RuntimeError):
    """No process for answers could be started."""


class NoAssembler(RuntimeError):
    """This machine lacks a tool that machine code needs."""


class NotCompiled(Exception):
    """Triton's compiler ended with an error. The message is the compiler's."""


class ToLower(TypedDict):
    """What a kernel is lowered for. constants, options: encoded values by name (protocol/values.py)."""

    signature: dict[str, str]
    constants: dict[str, list]
    options: dict[str, list]


Lower = Callable[[str, ToLower, float | None], list | None]


def to_lower(launch: Launch) -> ToLower:
    """What the kernel of a launch is lowered for."""
    constants, options = (
        {name: encode(value) for name, value in launch[key].items()} for key in ("constants", "options")
    )
    return ToLower(signature=launch["signature"], constants=constants, options=options)


class Session:
    """One answer in a process of its own. All calls of `run` have one time limit together.

    kill: function that ends the process. channel: socket to the process. source: text of the answer. driver: text of
    the course that calls it. limit: the time limit; one call has half of it. apart: whether the process that replies
    runs no Python of the answer. lower: as in `run`, for kernels that the import of the answer launches. loading_error:
    the exception from this import, or None.
    too_little_memory: a sentence if the machine limits the process so much that the answer may not be what fails, else
    "".

    Raises NoWorker, Deadline or Died.
    """

    def __init__(
        self,
        kill: Callable[[], None],
        channel: socket.socket,
        source: str,
        limit: TimeLimit,
        driver: str = "",
        apart: bool = False,
        lower: Lower | None = None,
    ):
        self._kill, self._channel, self.limit = kill, channel, limit
        # Before the answer's text runs in it, a process is believed that the machine failed.
        self.too_little_memory, self._believed = "", True
        self._ended_for_memory = processes.ended_for_memory()
        try:
            self.too_little_memory = _text(self._ask(None)[0].get("too_little_memory") or "")
            self._ask({"op": "write", "source": source})
        except Died as error:
            raise NoWorker(
                said("the process for the answer ended before it received the answer: {error}", error=error)
            ) from None
        self._believed = apart
        self.loading_error = _error(self._answered({"op": "load", "driver": driver}, lower)[0])

    def run(
        self,
        call: Call,
        run_given: RunGiven | None = None,
        lower: Lower | None = None,
        until: float | None = None,
    ) -> Evidence:
        """Run one call and return its evidence. Raises Deadline or Died.

        run_given: function from a Given argument, tensors and `until` to its evidence; needed if the call has such
        arguments. until: the second of the limit at which it ends; None: it has its own part of the limit.
        lower: lowers the kernel of a launch before the device runs it; it may raise anything. None: nobody does.
        """
        header, payload = pack_call(call)
        given, limit = given_of(call), reply_limit(call)[1]
        if given:
            limit = max(limit, _MAX_GIVEN)
        until = self.limit.passed() + _CALL * self.limit.seconds if until is None else until
        reply, data = self._answered(header, lower, payload, limit, until)
        while given and reply.get("op") == "given":
            header, parts = _given(reply, data, given, run_given, until)
            reply, data = self._answered(header, lower, parts, limit, until)
        try:
            return unpack_reply(reply, data)
        except Mismatch as error:
            raise Died(said("a reply that makes no sense: {error}", error=error)) from None

    def ask(self, header: dict) -> dict:
        """The reply to a request without a payload. Raises Deadline or Died."""
        return self._ask(header)[0]

    def lower(self, program: str, launch: ToLower, until: float | None = None) -> tuple[list | None, Error | None]:
        """Lower the kernel of a launch, without a GPU. program: its text. until: as in `_ask`.

        Returns what Triton's compiler made of it, which is for the device alone, and None; or None and its error.
        """
        reply, _ = self._ask({"op": "lower", "program": program, **launch}, until=until)
        error = _error(reply)
        return (None if error else reply.get("lowered")), error

    def assemble(self, launch: Launch, program: str) -> Machine:
        """The machine code of a launch. program: the text of its kernel. Raises NoAssembler and NotCompiled."""
        header = {"op": "assemble", "program": program}
        header |= {key: launch[key] for key in ("signature", "divisible")}
        for key in ("constants", "options"):
            header[key] = {name: encode(value) for name, value in launch[key].items()}
        reply, _ = self._ask(header)
        error = _error(reply)
        if error:
            raise NotCompiled(_text(error["message"]))
        if "missing" in reply:
            raise NoAssembler(_text(reply["missing"]))
        try:
            return schema.unpack(reply["machine"], Machine)
        except (Mismatch, KeyError) as mismatch:
            raise Died(said("a reply that makes no sense: {mismatch}", mismatch=mismatch)) from None

    def _answered(self, header: dict, lower: Lower | None, payload=b"", limit: int = 0, until: float | None = None):
        """As `_ask`, with the lowering of the kernels that the device asks for in between."""
        reply, data = self._ask(header, payload, limit, until)
        while reply.get("op") == "lower":
            lowered = None if lower is None else lower(*_launch(reply), until)
            reply, data = self._ask({"lowered": lowered}, b"", limit, until)
        return reply, data

    def _ask(self, header: dict | None, payload=b"", limit: int = 0, until: float | None = None) -> tuple[dict, bytes]:
        """The reply to a request; None: to no request, which is the runner's first frame. Raises NoWorker too.

        limit: bytes of the reply. until: the second of the time limit at which the call has to end; None: its last one.
        """
        whole = self.limit.seconds
        of_call = until is not None and until < whole
        late = Deadline(said("still running after {value} seconds", value=f"{whole * (_CALL if of_call else 1):.2g}"))
        left = functools.partial(self.limit.left, until if of_call else None)
        if (now := left()) <= 0:  # check first: an answer may have sent replies in advance
            raise late
        self._channel.settimeout(now)
        try:
            if header is not None:
                frames.send(self._channel, header, payload)
            reply, data = frames.receive(self._channel, limit, left)
        except TimeoutError:
            raise late from None
        except (frames.BrokenChannel, OSError) as error:
            if processes.ended_for_memory() != self._ended_for_memory:
                raise NoWorker(said("this machine ran out of memory, and Linux ended a process")) from None
            if self.too_little_memory:
                raise NoWorker(self.too_little_memory) from None
            raise Died(message(error)) from None
        if "no_worker" in reply and self._believed:
            self.close()
            raise NoWorker(said("the answer could not be run: {no_worker}", no_worker=_text(reply["no_worker"])))
        return reply, data

    def close(self) -> None:
        """End the process."""
        self.limit.look()
        self._channel.close()
        self._kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _launch(asked: dict) -> tuple[str, ToLower]:
    """(text of the kernel, what it is lowered for) of a device that asks. Raises Died."""
    try:
        launch = ToLower(**{name: dict(asked[name]) for name in ToLower.__annotations__})
        return schema.unpack(asked["program"], str), launch
    except (Mismatch, KeyError, TypeError, ValueError) as error:
        raise Died(said("a reply that makes no sense: {error}", error=error)) from None


def _error(reply: dict) -> Error | None:
    try:
        return unpack_error(reply["error"]) if "error" in reply else None
    except Mismatch as error:
        raise Died(said("a reply that makes no sense: {error}", error=error)) from None


def _text(data) -> str:
    """The sentence, or the text of at most 300 characters, in a reply."""
    try:
        text = data if isinstance(data, Said) else schema.unpack_text(data)
    except Mismatch as error:
        raise Died(said("a reply that makes no sense: {error}", error=error)) from None
    return text if len(text) <= 300 else str(text)[:300]


def _given(
    asked: dict, payload: bytes, given: list[Given], run_given: RunGiven, until: float
) -> tuple[dict, list[bytes]]:
    """(header, payload) of the reply to an answer that calls a Given function: the result, and the argument after it.

    asked, payload: the frame of the answer. given: Given arguments of the call. run_given, until: as in Session.run.
    """
    try:
        tensors = unpack_several(asked["tensors"], payload)
        evidence = run_given(given[int(asked["index"])], tensors, until)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RuntimeError) as error:
        sentence = said("that cannot be handed over: {error}", error=error)
        return {"error": {"type": "TypeError", "message": tree.pack(sentence)}}, []
    if evidence.error or not hasattr(evidence.value, "untyped_storage"):
        failed = evidence.error or {"type": "TypeError", "message": said("no tensor came back")}
        return {"error": failed | {"message": tree.pack(failed["message"])}}, []
    specs, data = zip(*(pack(t) for t in (evidence.value, *evidence.args)))
    return {"tensors": specs}, list(data)
