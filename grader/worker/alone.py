"""An answer without a device: it has tensors with numbers, and this process serves the judge by itself.

For exercises in which neither bytes nor libraries matter, for functions of the course that run on tensors of an answer,
and for runs on a GPU.
"""

from __future__ import annotations

import builtins
import contextlib
import socket
from dataclasses import replace

from .. import environment
from ..cuda import device as on_gpu
from ..host_side.answer import Answer
from ..isolation.linux import limits
from ..protocol import frames, reuse
from ..protocol.calls import GivenAt, unpack_call
from ..protocol.errors import describe
from ..protocol.replies import pack_reply
from ..protocol.tensors import pack, unfit, unpack_several
from ..sentence import fault, tree
from ..spec import Call, Error, Helper
from . import requests


def serve(to_judge: int, scratch: str, gpu: bool) -> None:
    """Handle the requests of one session until the judge closes its channel.

    to_judge: file descriptor of the socket. scratch: the folder that the answer may write to. gpu: whether tensors
    live on the GPU.
    """
    channel = socket.socket(fileno=to_judge)
    runner = Runner(channel, scratch, gpu)
    requests.serve(channel, runner.handle, runner.described)


class Runner:
    """The handler of the requests of one session."""

    def __init__(self, channel: socket.socket, scratch: str, gpu: bool):
        self._channel, self._gpu = channel, gpu
        self._answer = Answer(scratch)
        self._before: list = []  # tensor arguments of the call before
        if gpu:
            environment.give_memory_to_kernels()

    def handle(self, header: dict, payload: bytes) -> tuple[dict, list[bytes]]:
        """The reply to one request, as (header, payload). Raises the exceptions of the answer outside of a call.

        header["op"]: "write" stores the text of an answer, "load" imports it, "run" runs a call.
        """
        if header["op"] == "write":
            return self._answer.write(header["source"]), []
        if header["op"] == "load":
            self._answer.load(header["driver"])
            return {}, []
        return self._run(unpack_call(header, payload), header["limit"])

    def described(self, error: BaseException) -> Error:
        """An exception of the answer as plain data."""
        if isinstance(error, MemoryError):
            limits.use_reserve()
        return describe(error, self._answer.path)

    def _run(self, call: Call, limit: int) -> tuple[dict, list[bytes]]:
        target = self._answer.get(call.name)
        if call.kind == "value":
            return pack_reply(target, limit=limit)
        from ..interpreter.observe import Observer

        call = reuse.in_memory_of(self._before, replace(call, args=tuple(map(self._argument, call.args))))
        self._before = tensors = reuse.tensors_of(call)
        observer = Observer(call)
        try:
            with observer:
                value = self._start(call, target)
            return pack_reply(value, tensors, observed=observer.observations(tensors), limit=limit)
        except BaseException as error:  # the record of a call that failed is evidence too
            return pack_reply(error=self.described(error), observed=observer.observations(tensors))

    def _start(self, call: Call, target):
        """Run the target according to the kind of the call, and wait for the GPU. Returns its value."""
        if call.kind == "cuda":
            return on_gpu.launch(target, call.grid, call.args, **call.kwargs)
        if call.kind == "launch":
            target = target[call.grid]
        elif not callable(target):
            kind = type(target).__name__
            raise TypeError(
                fault(
                    "no-function", "{name} is an object of the type {type}, and no function", name=call.name, type=kind
                )
            )
        value = target(*call.args, **call.kwargs)
        if self._gpu:
            import torch

            torch.cuda.synchronize()
        return value

    def _argument(self, arg):
        """The object that the answer receives for an argument of the call."""
        if isinstance(arg, GivenAt):
            return _given_function(self._channel, arg.index)
        if isinstance(arg, Helper):
            names: dict = {}
            exec(arg.source, names)
            return names[arg.name]
        if self._gpu and hasattr(arg, "untyped_storage"):
            return _to_gpu(arg)
        return arg


def _given_function(channel: socket.socket, index: int):
    """A proxy for a function of the course. The judge runs the function, so its code is not in this process.

    index: as in GivenAt. The proxy takes one tensor or several and returns one. It raises ValueError for a tensor that
    is too large, and the exceptions that the function raised.
    """
    import torch

    def softmax(x, *more):
        given = [x, *more]
        for each in given:
            if refused := unfit(each):
                raise ValueError(refused)
        specs, data = zip(*(pack(each.detach()) for each in given))
        frames.send(channel, {"op": "given", "index": index, "tensors": specs}, list(data))
        header, payload = frames.receive(channel, requests.MOST)
        if "error" in header:
            kind = getattr(builtins, header["error"]["type"], RuntimeError)
            raise (kind if issubclass(kind, Exception) else RuntimeError)(tree.unpack(header["error"]["message"]))
        result, *afterwards = unpack_several(header["tensors"], payload)
        for each, after in zip(given, afterwards):
            if not torch.equal(each.detach().nan_to_num(), after.nan_to_num()):  # the function changed its argument
                with contextlib.suppress(RuntimeError):  # an expanded view cannot be written to
                    each.detach().copy_(after)
        return result

    softmax.__qualname__ = "softmax"
    return softmax


def _to_gpu(tensor):
    """A copy of a CPU tensor on the GPU, with the same strides, offset and gaps."""
    import torch

    size = tensor.untyped_storage().nbytes() // tensor.element_size()
    flat = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage(), 0, (size,), (1,))
    return flat.to("cuda").as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
