"""One answer in its own process: import its text, run it on one input after another, describe what happened."""

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

from .. import interpreter
from ..cuda import device as on_device
from ..cuda import host
from ..interpreter.ledger import Ledger
from ..interpreter.recorder import Recorder
from ..isolation.linux import limits
from ..protocol import frames
from ..protocol.forbidden_names import inner
from ..protocol.tensors import elements, pack, unfit, unpack
from ..protocol.values import decode, encode
from . import lowering

MAX_REQUEST = 1 << 30  # bytes
_MOST = 1000  # entries of a list that the judge has use for


def serve(channel: socket.socket, scratch: str, device: str = "cpu") -> None:
    """Import one answer and run it on one input after another, until the judge closes the channel."""
    module = None
    while True:
        try:
            header, payload = frames.receive(channel, MAX_REQUEST)
        except frames.BrokenChannel:
            return
        try:
            if header["op"] == "answer":
                path = os.path.join(scratch, "answer.py")
                try:
                    with open(path, "w", encoding="utf-8") as f:
                        f.write(header["source"])
                except OSError as error:  # a full disk is not the answer's fault
                    reply, data = {"no_worker": error.strerror}, []
                else:
                    reply, data = {"loaded": True}, []
                    module = _import(path)
            elif header["op"] == "compile":
                kernel = getattr(module, header["kernel"], None)
                done = lowering.lower(kernel, header["signature"], header["constants"], header["options"])
                reply, data = {"compiled": done}, []
            else:
                reply, data = _run(channel, module, header, payload, device)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are answers too
            reply, data = {"error": describe(error, os.path.join(scratch, "answer.py"))}, []
        frames.send(channel, reply, data)


def leave_the_course(modules: list[str]) -> None:
    """From here on nothing more of the course can be imported: an answer finds what its author wrote, or an error.

    modules: the course's, by name.
    """
    course = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p) != course]
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
    """What an answer calls getattr. The judge reads its text, but not the names that the text puts together."""
    if inner(name):
        raise AttributeError(f"{name} is not for an answer")
    return getattr(of, name, *default)


def _run(channel, module, header: dict, payload: bytes, device: str) -> tuple[dict, list[bytes]]:
    import torch

    from ..interpreter.torch_ledger import TorchLedger

    tensors, start = [], 0
    for spec in header["tensors"]:
        if "fill" in spec:
            tensors.append(_blank(spec))
        else:
            tensors.append(unpack(spec, payload[start : start + spec["nbytes"]]))
            start += spec["nbytes"]
    if device != "cpu":
        tensors = [_to_device(t, device) for t in tensors]
    given = functools.partial(_given, channel)
    made = {"tensor": tensors.__getitem__, "value": decode, "given": given, "helper": _helper}
    args = [made[kind](what) for kind, what in header["args"]]
    kwargs = {k: decode(v) for k, v in header["kwargs"].items()}

    target = getattr(module, header["name"])
    if header["kind"] == "value":
        return {"value": encode(target)}, []
    ledger, reply, data = Ledger(), {}, []
    if header["kind"] == "cuda":
        target = _cuda(target, header, ledger, device)
    recorder = Recorder() if header["trace"] else None
    counter = TorchLedger(ledger, poison=True)
    try:
        conditions = interpreter.conditions(header["order"], header["poison"])
        with conditions, interpreter.recording(ledger, recorder), counter:
            if header["kind"] == "launch":
                target = target[tuple(header["grid"])]
            value = target(*args, **kwargs)
        if device != "cpu":
            torch.cuda.synchronize()
        reply, data = _result(value, header["limit"])
        reply["args"] = []
        for tensor in tensors:
            spec, raw = elements(tensor)
            reply["args"].append(spec)
            data.append(raw)
    except BaseException as error:
        # What it did before it failed is evidence too.
        reply, data = {"error": describe(error, module.__file__)}, []
    read, written = ledger.totals()
    reply |= {
        "rows": ledger.rows()[:_MOST], "read": read, "written": written, "bytes": ledger.bytes(),
        "torch_ops": _unique(counter.names), "inside_kernels": _unique(counter.inside_kernels),
        "language": _unique(ledger.language), "peak": counter.peak,
        "torch_reads": [counter.reads[t.untyped_storage().data_ptr()] for t in tensors],
        "launches": [_launch(x) for x in ledger.launches[:_MOST]],
    }  # fmt: skip
    if recorder is not None:
        reply["panels"] = [vars(panel) for panel in recorder.panels]
    return reply, data


def _cuda(source, header: dict, ledger, device: str):
    """The text of a CUDA kernel as a function of what a launch hands to it."""
    grid, order = tuple(header["grid"]), header["order"]
    if device != "cpu":
        return lambda *args, **kwargs: on_device.launch(source, grid, args, **kwargs)
    return lambda *args, **kwargs: host.launch(source, ledger, grid, order, args, **kwargs)


def _helper(sent: list[str]):
    """A function of the course, from its text."""
    source, name = sent
    names: dict = {}
    exec(source, names)
    return names[name]


def _given(channel: socket.socket, index: int):
    """A function that the course hands to an answer. The judge runs it: nothing of it is in this process."""

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
        if not torch.equal(x.detach().nan_to_num(), after.nan_to_num()):  # it wrote into what it was given
            with contextlib.suppress(RuntimeError):  # several elements of an expanded view are one in memory
                x.detach().copy_(after)
        return unpack(first, payload[: first["nbytes"]])

    softmax.__qualname__ = "softmax"
    return softmax


def _unique(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))[:_MOST]


def _blank(spec: dict):
    """An output tensor whose storage, gaps included, starts as NaN."""
    import torch

    shape, strides = spec["shape"], spec["strides"]
    size = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) if all(shape) else 0
    storage = torch.full((size,), float("nan"), dtype=getattr(torch, spec["dtype"]))
    return storage.as_strided(shape, strides)


def _to_device(tensor, device: str):
    """A copy on the device that keeps the strides and the gaps."""
    import torch

    size = tensor.untyped_storage().nbytes() // tensor.element_size()
    flat = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage(), 0, (size,), (1,))
    return flat.to(device).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def _result(value, limit: int) -> tuple[dict, list[bytes]]:
    """A returned tensor as description and bytes, up to `limit` of them; anything else as a plain value."""
    import torch

    if not isinstance(value, torch.Tensor):
        return {"value": encode(value)}, []
    if value.numel() * value.element_size() > limit:
        spec = {"dtype": str(value.dtype).removeprefix("torch."), "shape": list(value.shape)[:16]}
        return {"tensor": spec | {"omitted": True}}, []
    spec, data = elements(value)
    return {"tensor": spec}, [data]


def _launch(launch) -> dict:
    return {
        "kernel": launch.kernel, "grid": list(launch.grid), "shared": launch.shared,
        "storing": len(launch.storing), "widest": launch.widest, "early": launch.early,
        "options": {str(k): encode(v) for k, v in launch.options.items()},
        "constants": {k: encode(v) for k, v in launch.constants.items()},
        "signature": launch.signature,
    }  # fmt: skip


def describe(error: BaseException, path: str) -> dict:
    """An error as plain data: type, message, and the line of the answer it came from. Lets go of its frames."""
    if isinstance(error, MemoryError):
        limits.use_reserve()
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    text = str(error)
    if isinstance(error, SyntaxError):
        frames = [traceback.FrameSummary(path, error.lineno or 0, "", line=(error.text or "").strip())]
        text = error.msg
    traceback.clear_frames(error.__traceback__)
    todo = re.search(r"TODO (\d+\.\d+)(?: \((\d+) of (\d+)\))?", text)
    return {
        "type": type(error).__name__, "kinds": [c.__name__ for c in type(error).__mro__], "message": text[-2000:],
        "line": (frames[-1].line or "")[:200] if frames else "",
        "todo": list(todo.groups()) if todo else None,
        "where": getattr(error, "where", None) if isinstance(error, interpreter.OutOfBounds) else None,
    }  # fmt: skip
