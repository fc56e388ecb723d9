"""The runner: it imports the text of one answer, in a process of its own, and runs one call after another.

The runner is on the untrusted side and holds no expected value, no seed and no comparison. Its replies consist of the
records of the interpreter and of PyTorch. The judge treats them as untrusted data (protocol/replies.py).
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib.util
import os
import re
import socket
import sys
import traceback
from dataclasses import replace

from .. import environment, interpreter
from ..cuda import device as on_device
from ..cuda import host
from ..interpreter.ledger import Ledger
from ..interpreter.recorder import Recorder
from ..isolation.linux import limits
from ..protocol import frames
from ..protocol.calls import GivenAt, unpack_call
from ..protocol.forbidden_names import inner
from ..protocol.replies import pack_reply
from ..protocol.tensors import pack, unfit, unpack
from ..spec import Call, Error, Helper, Observations
from . import lowering

MAX_REQUEST = 1 << 30  # bytes
_MAX_ENTRIES = 1000  # of a list in a reply: the judge has no use for more


def serve(channel: socket.socket, scratch: str, device: str = "cpu") -> None:
    """Handle the requests of one session until the judge closes the channel.

    channel: socket to the judge. scratch: the folder that the answer may write to. device: "cpu" or "cuda".
    """
    runner = Runner(channel, scratch, device)
    while True:
        try:
            header, payload = frames.receive(channel, MAX_REQUEST)
        except frames.BrokenChannel:
            return
        try:
            reply, data = runner.handle(header, payload)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are answers too
            reply, data = pack_reply(error=describe(error, runner.path))
        frames.send(channel, reply, data)


class Runner:
    """The handler of the requests of one session. path: the file that the answer is imported from."""

    def __init__(self, channel: socket.socket, scratch: str, device: str):
        self._channel, self._device = channel, device
        self.path = os.path.join(scratch, "answer.py")
        self._module = None

    def handle(self, header: dict, payload: bytes) -> tuple[dict, list[bytes]]:
        """The reply to one request, as (header, payload). Raises the exceptions of the answer outside of a call.

        header["op"]: "answer" imports an answer, "lower" lowers one of its kernels, "run" runs a call.
        """
        if header["op"] == "answer":
            return self._load(header["source"]), []
        if header["op"] == "lower":
            kernel = getattr(self._module, header["kernel"], None)
            return {"lowered": lowering.lower(kernel, header["signature"], header["constants"], header["options"])}, []
        return self._run(unpack_call(header, payload), header["limit"])

    def _load(self, source: str) -> dict:
        try:
            with open(self.path, "w", encoding="utf-8") as f:
                f.write(source)
        except OSError as error:  # a full disk is not the answer's fault
            return {"no_worker": error.strerror}
        self._module = _import(self.path)
        return {"loaded": True}

    def _run(self, call: Call, limit: int) -> tuple[dict, list[bytes]]:
        if call.kind == "value":
            return pack_reply(getattr(self._module, call.name), limit=limit)
        from ..interpreter.torch_ledger import TorchLedger

        call = replace(call, args=tuple(map(self._argument, call.args)))
        tensors = [arg for arg in call.args if hasattr(arg, "untyped_storage")]
        ledger = Ledger()
        target = getattr(self._module, call.name)
        recorder = Recorder() if call.trace else None
        counter = TorchLedger(ledger, poison=True)
        try:
            conditions = interpreter.conditions(call.order, call.poison)
            with conditions, interpreter.recording(ledger, recorder), counter:
                value = self._start(call, target, ledger)
            return pack_reply(value, tensors, observed=_observed(ledger, counter, recorder, tensors), limit=limit)
        except BaseException as error:  # the record of a call that failed is evidence too
            observed = _observed(ledger, counter, recorder, tensors)
            return pack_reply(error=describe(error, self.path), observed=observed)

    def _start(self, call: Call, target, ledger: Ledger):
        """Run the target according to the kind of the call, and wait for the device. Returns its value."""
        if call.kind == "cuda" and self._device != "cpu":
            target = functools.partial(on_device.launch, target, call.grid, call.args)
            return target(**call.kwargs)
        if call.kind == "cuda":
            return host.launch(target, ledger, call.grid, call.order, call.args, **call.kwargs)
        if call.kind == "launch":
            target = target[call.grid]
        value = target(*call.args, **call.kwargs)
        if self._device != "cpu":
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
        if self._device != "cpu" and hasattr(arg, "untyped_storage"):
            return _to_device(arg, self._device)
        return arg


def _observed(ledger: Ledger, counter, recorder: Recorder | None, tensors: list) -> Observations:
    """The record of one call. counter: the TorchLedger of the call. tensors: its tensor arguments."""
    read, written = ledger.totals()
    return Observations(
        rows=ledger.rows()[:_MAX_ENTRIES],
        read=read,
        written=written,
        bytes=ledger.bytes(),
        launches=ledger.launches[:_MAX_ENTRIES],
        torch_ops=_unique(counter.names),
        torch_reads=[counter.reads[t.untyped_storage().data_ptr()] for t in tensors],
        peak=counter.peak,
        inside_kernels=_unique(counter.inside_kernels),
        language=_unique(ledger.language),
        panels=recorder.panels if recorder is not None else [],
    )


def leave_the_course(modules: list[str]) -> None:
    """Make the rest of the course impossible to import: such an import of an answer raises ModuleNotFoundError.

    modules: names of the modules of the course that are loaded.
    """
    sys.path[:] = [p for p in sys.path if os.path.abspath(p) != str(environment.ROOT)]
    for name in modules:
        if hasattr(sys.modules[name], "__path__"):
            sys.modules[name].__path__ = []


def _import(path: str):
    spec = importlib.util.spec_from_file_location("answer", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["answer"] = module
    module.getattr = _getattr
    spec.loader.exec_module(module)
    return module


def _getattr(of, name: str, *default):
    """The `getattr` of an answer. The import policy checks names in the text, this function names made at run time."""
    if inner(name):
        raise AttributeError(f"{name} is not for an answer")
    return getattr(of, name, *default)


def _given_function(channel: socket.socket, index: int):
    """A proxy for a function of the course. The judge runs the function, so its code is not in this process.

    index: as in GivenAt. The proxy takes one tensor and returns one. It raises ValueError for a tensor that is too
    large, and the exceptions that the function raised.
    """
    import torch

    def softmax(x):
        refused = unfit(x)
        if refused:
            raise ValueError(refused)
        spec, data = pack(x.detach())
        frames.send(channel, {"op": "given", "index": index, "tensor": spec}, data)
        header, payload = frames.receive(channel, MAX_REQUEST)
        if "error" in header:
            kind = getattr(builtins, header["error"]["type"], RuntimeError)
            raise (kind if issubclass(kind, Exception) else RuntimeError)(header["error"]["message"])
        first, second = header["tensors"]
        after = unpack(second, payload[first["nbytes"] :])
        if not torch.equal(x.detach().nan_to_num(), after.nan_to_num()):  # the function changed its argument
            with contextlib.suppress(RuntimeError):  # an expanded view cannot be written to
                x.detach().copy_(after)
        return unpack(first, payload[: first["nbytes"]])

    softmax.__qualname__ = "softmax"
    return softmax


def _unique(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))[:_MAX_ENTRIES]


def _to_device(tensor, device: str):
    """A copy of a CPU tensor on the device, with the same strides, offset and gaps."""
    import torch

    size = tensor.untyped_storage().nbytes() // tensor.element_size()
    flat = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage(), 0, (size,), (1,))
    return flat.to(device).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def describe(error: BaseException, path: str) -> Error:
    """An exception as plain data, with its line in the file at `path`. Clears its frames, so that they free memory."""
    if isinstance(error, MemoryError):
        limits.use_reserve()
    stack = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    text = str(error)
    if isinstance(error, SyntaxError):
        stack = [traceback.FrameSummary(path, error.lineno or 0, "", line=(error.text or "").strip())]
        text = error.msg
    traceback.clear_frames(error.__traceback__)
    todo = re.search(r"TODO (\d+\.\d+)(?: \((\d+) of (\d+)\))?", text)
    return {
        "type": type(error).__name__, "kinds": [c.__name__ for c in type(error).__mro__], "message": text[-2000:],
        "line": (stack[-1].line or "")[:200] if stack else "",
        "todo": list(todo.groups()) if todo else None,
        "where": getattr(error, "where", None) if isinstance(error, interpreter.OutOfBounds) else None,
    }  # fmt: skip
