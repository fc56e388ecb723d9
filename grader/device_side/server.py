"""The server: it serves the judge, and the orders of the host while a call runs.

It holds no expected value, no seed and no comparison. The host has the answer's Python and no numbers. What is counted,
launched and returned is read here, and no word of the host is taken for it.
"""

from __future__ import annotations

import functools
import mmap
import socket

import torch

from ..cuda import host as cuda
from ..cuda import tools
from ..interpreter.float_storages import FloatStorages
from ..interpreter.ledger import Launch
from ..interpreter.observe import Observer
from ..isolation.linux import limits
from ..protocol import frames, launches, orders, reuse
from ..protocol.calls import unpack_call
from ..protocol.errors import describe, packed
from ..protocol.replies import pack_reply, unpack_end
from ..protocol.tensors import elements, unpack
from ..protocol.values import decode, encode
from ..sentence import message, said, tree
from ..spec import Call, Error
from . import far_tensors
from .kernel_text import named_tuple
from .kernels import Kernels, Lower
from .memory import LeftForHost, Memory
from .operators import TELLING_SHAPES, RefusedOperator, operator
from .simulated import Clock
from .visited import Lowered

_MAX_REQUEST = 1 << 30  # bytes, of the judge
_MAX_ORDER = 1 << 26  # bytes, of the host
_BYTES_OF_A_NUMBER = 4  # of an error's message, which may tell any
_SMALL = 32  # numbers that the host may send to the device without a row in the ledger


def serve(to_judge: int, to_host: int, shipped: tuple[str, ...], window: mmap.mmap | None) -> None:
    """Handle the requests of one session until the judge closes its channel, or the host ends.

    to_judge, to_host: file descriptors of the sockets. shipped: texts of the course that the answer may import. Their
    kernels are told from the answer's own. window: of far_tensors.reserve.
    """
    judge, host = socket.socket(fileno=to_judge), socket.socket(fileno=to_host)
    try:
        ready, _ = frames.receive(host, 0)  # before the host has an answer
        too_little = ready.get("too_little_memory") or tree.pack(limits.too_little_memory())
        frames.send(judge, ready | {"too_little_memory": too_little})
        server = Server(host, shipped, functools.partial(_lowered, judge), window)
        while True:
            try:
                reply, data = server.handle(*frames.receive(judge, _MAX_REQUEST))
            except tools.Unavailable as error:
                reply, data = {"no_worker": tree.pack(message(error))}, []
            frames.send(judge, reply, data)
    except (frames.BrokenChannel, ConnectionError):
        return


def _lowered(judge: socket.socket, text: str, launch: Launch) -> Lowered | None:
    """What Triton's compiler made of a kernel for a launch, in a process of its own. The judge asks it."""
    order = {"op": "lower", "program": text, "kernel": launch.kernel, "signature": launch.signature}
    for name in ("constants", "options"):
        order[name] = {key: encode(value) for key, value in getattr(launch, name).items()}
    frames.send(judge, order)
    lowered = frames.receive(judge, _MAX_REQUEST)[0]["lowered"]
    return None if lowered is None else Lowered(*lowered)


class Server:
    """The handler of the judge's requests for one answer.

    host: socket to the process with the answer's Python. shipped, lower: as in Kernels. window: as in `serve`.
    """

    def __init__(
        self,
        host: socket.socket,
        shipped: tuple[str, ...] = (),
        lower: Lower = lambda text, launch: None,
        window: mmap.mmap | None = None,
    ):
        self._window = window
        self._host, self._arriving = host, frames.Buffered(host)
        self._memory, self._kernels = Memory(), Kernels(shipped, lower)
        self._storages = FloatStorages()
        self._observer = Observer(Call("call", ""), self._storages)
        self._call = Call("call", "")
        self._clock: Clock | None = None
        self._before: list[torch.Tensor] = []  # tensor arguments of the call before
        self._errors: list[Error] = []

    def handle(self, header: dict, payload: bytes) -> tuple[dict, list[bytes]]:
        """The reply to one request, as (header, payload). Raises BrokenChannel when the host has ended.

        header["op"]: "write" stores the text of an answer, "load" imports it, "run" runs a call.
        """
        if header["op"] in ("write", "load"):
            return self._forward(header)
        return self._run(unpack_call(header, payload), header["limit"])

    def _forward(self, header: dict) -> tuple[dict, list[bytes]]:
        with torch.no_grad(), Observer(Call("call", ""), self._storages) as self._observer:
            done = self._told(header)
        if "error" in done:
            return pack_reply(error=self._error(done))
        return (done if header["op"] == "write" else {}), []  # an answer that was loaded says nothing more

    def _run(self, call: Call, limit: int) -> tuple[dict, list[bytes]]:
        call = far_tensors.placed(reuse.in_memory_of(self._before, call), self._window)
        self._before = tensors = reuse.tensors_of(call)
        self._call, self._observer = call, Observer(call, self._storages)
        self._clock = Clock(*call.clock) if call.clock is not None else None
        self._memory.begin()
        self._kernels.begin()
        try:
            with torch.no_grad(), self._observer:
                value = self._start(call)
        except (frames.BrokenChannel, tools.Unavailable):
            raise
        except BaseException as error:
            value = self._kept_error(error)
        for error in (self._memory.exhausted, self._kernels.differed):
            if error is not None and "error" not in value:
                value = self._kept_error(error)
        observed = self._observer.observations(tensors)
        observed.programs = self._kernels.texts
        if "error" in value:
            return pack_reply(error=self._error(value), observed=observed)
        if "tensor" in value:
            try:
                return pack_reply(self._memory.get(value["tensor"]), tensors, observed=observed, limit=limit)
            except (RuntimeError, orders.Malformed) as error:  # one without elements, such as a sparse one, or none
                return pack_reply(error=self._described(error), observed=observed)
        header, data = pack_reply(None, tensors, observed=observed)
        return header | {"value": self._value(call, value.get("value"))}, data

    def _value(self, call: Call, said):
        """The value of a call as encoded data. said: by the host."""
        if call.dry:
            return encode(list(dict.fromkeys(self._kernels.launched)))
        if self._clock is not None:
            return ["tuple", said, encode(self._clock.timed)]
        return said

    def _start(self, call: Call) -> dict:
        """Run a call according to its kind. Returns its end: a "value", the number of a "tensor", or an "error"."""
        order = {"op": call.kind, "name": call.name, "args": [], "kwargs": {}}
        if call.kind == "cuda":
            return self._launch_cuda(call, self._told(order | {"op": "value"}))
        if call.kind != "value":
            order["args"] = [self._argument(arg, call.memory) for arg in call.args]
            order["kwargs"] = {name: encode(value) for name, value in call.kwargs.items()}
        if call.kind != "launch":
            return self._told(order)
        done = self._told(order | {"op": "kernel"}, obeyed=False)
        if "error" in done:
            return done
        more = {
            name: launches.decode(value, _no_tensor, self._kernels.get, named_tuple)
            for name, value in done["more"].items()
        }
        self._kernels.launch(done["kernel"], call.grid, call.args, {**call.kwargs, **more}, self._observer.ledger)
        return {"value": encode(None)}

    def _launch_cuda(self, call: Call, done: dict) -> dict:
        if "error" in done:
            return done
        source = decode(done["value"])
        cuda.launch(source, self._observer.ledger, call)
        return {"value": encode(None)}

    def _argument(self, arg, memory: str) -> list:
        if isinstance(arg, torch.Tensor):
            return ["same", None] if memory == "same" else ["tensor", self._memory.keep(arg)]
        return ["value", encode(arg)]

    # The conversation with the host

    def _told(self, order: dict, obeyed: bool = True) -> dict:
        """Send an order to the host and carry out its own orders until it is done. Returns the last message.

        obeyed: whether it may give any but to admit a kernel.
        """
        frames.send(self._host, order)
        while True:
            header, payload = frames.receive(self._arriving, _MAX_ORDER)
            if header.get("op") == "done":
                end = unpack_end(header)
                self._memory.free(end["freed"])
                return end
            allowed = obeyed or header.get("op") == "admit"
            frames.send(self._host, *self.obey(header if allowed else header | {"op": "early"}, payload))

    def obey(self, header: dict, payload: bytes) -> tuple[dict, bytes]:
        """Carry out one order of the host. Returns the reply; an exception becomes an error."""
        try:
            self._memory.free(header["freed"])
            return _ORDERS[header["op"]](self, header, payload)
        except BaseException as error:
            return self._kept_error(self._told_by(error)), b""

    def _run_operator(self, header: dict, payload: bytes) -> tuple[dict, bytes]:
        args, kwargs = orders.decode([header["args"], list(header["kwargs"].values())], self._memory.get)
        name = header["name"].removeprefix("aten::")
        try:
            run = operator(header["name"], header["overload"])
        except RefusedOperator:
            self._observer.refused(name)
            raise
        result = run(*args, **dict(zip(header["kwargs"], kwargs)))
        if name in TELLING_SHAPES:
            self._memory.tell(1, name)
        if type(result) in _NUMBERS:
            self._memory.tell(_NUMBERS[type(result)], _EXITS.get(name, name))
        return {"result": orders.encode(result, self._kept)}, b""

    def _launch(self, header: dict, payload: bytes) -> tuple[dict, bytes]:
        args = [self._launch_argument(each) for each in header["args"]]
        kwargs = {name: self._launch_argument(value) for name, value in header["kwargs"].items()}
        grid = tuple(header["grid"]) if isinstance(header["grid"], list) else header["grid"]
        if self._call.dry:
            self._kernels.pretend(header["kernel"], grid)
        else:
            self._kernels.launch(header["kernel"], grid, args, kwargs, self._observer.ledger)
        return {}, b""

    def _admit(self, header: dict, payload: bytes) -> tuple[dict, bytes]:
        return {"kernel": self._kernels.admit(header["program"])}, b""

    def _launch_argument(self, data):
        return launches.decode(data, self._memory.get, self._kernels.get, named_tuple)

    def _upload(self, header: dict, payload: bytes) -> tuple[dict, bytes]:
        tensor = unpack(header["spec"], payload)
        storage = self._storages.hold(tensor, made=True)
        if tensor.numel() > _SMALL:
            size = tensor.numel(), tensor.element_size(), self._storages.share_of(tensor), storage
            self._observer.ledger.operation(said("to the device"), [], [size])
        return {"result": self._kept(tensor)}, b""

    def _download(self, header: dict, payload: bytes) -> tuple[dict, bytes]:
        tensor = self._memory.get(header["tensor"])
        by = orders.taker(header)
        self._memory.download(tensor, by, at_once=True)
        self._observer.left(tensor, by)
        spec, data = elements(tensor)
        return {"spec": spec}, data

    def _ask_clock(self, header: dict, payload: bytes) -> tuple[dict, bytes]:
        if self._clock is None:
            raise orders.Malformed(said("this call has no clock"))
        result = self._clock.ask(header["name"], orders.decode(header["args"], self._memory.get))
        return {"result": orders.encode(result, self._kept)}, b""

    def _refuse_early(self, header: dict, payload: bytes) -> tuple[dict, bytes]:
        raise RefusedOperator(said("the check launches this kernel itself, and nothing runs before it does"))

    def _kept(self, tensor: torch.Tensor) -> dict:
        return {"tensor": self._memory.keep(tensor)}

    # Errors

    def _told_by(self, error: BaseException) -> BaseException:
        """The error, or LeftForHost in its place: a message may tell numbers, and an answer can provoke many."""
        try:
            self._memory.tell(
                -(-len(str(error).encode(errors="replace")) // _BYTES_OF_A_NUMBER), said("an error's message")
            )
        except LeftForHost as left:
            return error if isinstance(error, LeftForHost) else left
        return error

    def _kept_error(self, error: BaseException) -> dict:
        """The record of an error of the device, with the number by which the host can name it."""
        self._errors.append(self._described(error))
        return {"error": packed(self._errors[-1]), "number": len(self._errors) - 1}

    def _described(self, error: BaseException) -> Error:
        if isinstance(error, MemoryError):
            limits.use_reserve()
        return describe(error, "<kernel ")

    def _error(self, done: dict) -> Error:
        """The error of a call. An error of the device, which the host only passes on, is the device's own record."""
        theirs, number = done["error"], done.get("number")
        if not isinstance(number, int) or not 0 <= number < len(self._errors):
            return theirs | {"where": None}  # the place of an access is known here alone
        mine = self._errors[number]
        return mine | {"line": mine["line"] or theirs["line"]}


_EXITS = {"_local_scalar_dense": "item"}
_NUMBERS = {bool: 1, int: 2, float: 1, complex: 2}  # of 4 bytes, in a result of each type
_ORDERS = {
    "operator": Server._run_operator,
    "admit": Server._admit,
    "launch": Server._launch,
    "upload": Server._upload,
    "download": Server._download,
    "clock": Server._ask_clock,
    "early": Server._refuse_early,
}


def _no_tensor(number):
    raise orders.Malformed(said("the check launches this kernel with tensors of its own, and with no others"))
