"""The judge's view of one child: ask it to run something, and bring evidence back, believed only after a look."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

from ..protocol import frames
from ..protocol.tensors import pack, unpack
from ..protocol.values import decode, encode
from ..spec import Call, Evidence, Given, Helper, Out, Unreadable
from ..spec.panel import Panel

RunGiven = Callable[[Given, object], Evidence]
_MAX_GIVEN = 1 << 20  # bytes of a tensor that an answer hands to a given function
_SMALL = 1 << 20  # bytes that any call may bring back


class Deadline(Exception):
    """The answer ran longer than it may."""


class Died(Exception):
    """The process that ran the answer ended before it replied."""


class NoWorker(RuntimeError):
    """The process that runs answers could not be started."""


class Child:
    """One answer in a child process. `run` may be called many times, within one deadline for all."""

    def __init__(self, kill: Callable[[], None], channel: socket.socket, source: str, seconds: float):
        self._kill, self._channel = kill, channel
        self._end = time.monotonic() + seconds
        reply = self._ask({"op": "answer", "source": source})[0]
        if "no_worker" in reply:
            self.close()
            raise NoWorker(f"no process for the answer: {str(reply['no_worker'])[:200]}")
        self.loading_error = _error(reply["error"]) if "error" in reply else None

    def run(self, call: Call, run_given: RunGiven | None = None) -> Evidence:
        """Run one call and bring its evidence; run_given answers for its Given arguments. Raises Deadline or Died."""
        tensors, payload, args, limit = [], [], [], _SMALL
        given = [arg for arg in call.args if isinstance(arg, Given)]
        for arg in call.args:
            if isinstance(arg, Out):
                strides = arg.strides or _contiguous(arg.shape)
                tensors.append({"fill": "nan", "dtype": arg.dtype, "shape": list(arg.shape), "strides": list(strides)})
            elif hasattr(arg, "untyped_storage"):
                spec, data = pack(arg)
                tensors.append(spec)
                payload.append(data)
                limit += arg.numel() * 8
            else:
                args.append(_plain(arg, given))
                continue
            args.append(["tensor", len(tensors) - 1])
        header = {
            "op": "run", "kind": call.kind, "name": call.name, "grid": list(call.grid), "order": call.order,
            "trace": call.trace, "tensors": tensors, "args": args, "limit": limit, "poison": call.poison,
            "kwargs": {k: encode(v) for k, v in call.kwargs.items()},
        }  # fmt: skip
        expected = limit + sum(_bytes(a) for a in call.args)
        reply, data = self._ask(header, payload, max(expected, _MAX_GIVEN if given else 0))
        while given and reply.get("op") == "given":
            reply, data = self._ask(*_given(reply, data, given, run_given), max(expected, _MAX_GIVEN))
        return _evidence(reply, data)

    def lower(self, launch: dict) -> tuple[bool, dict | None]:
        """Compile the kernel of a launch record as far as it goes without a GPU: (whether it was found, error)."""
        header = {"op": "compile", "kernel": launch["kernel"], "signature": launch["signature"]}
        for key in ("constants", "options"):
            header[key] = {k: encode(v) for k, v in launch[key].items()}
        reply = self._ask(header)[0]
        error = _error(reply["error"]) if "error" in reply else None
        return bool(error or reply.get("compiled")), error

    def _ask(self, header: dict, payload=b"", limit: int = 0) -> tuple[dict, bytes]:
        left = self._end - time.monotonic()
        if left <= 0:  # an answer may have sent replies in advance
            raise Deadline
        self._channel.settimeout(left)
        try:
            frames.send(self._channel, header, payload)
            return frames.receive(self._channel, limit, self._end)
        except TimeoutError:
            raise Deadline from None
        except (frames.BrokenChannel, OSError) as error:
            raise Died(str(error)) from None

    def close(self) -> None:
        """End the child."""
        self._channel.close()
        self._kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _plain(arg, given: list[Given]) -> list:
    """An argument that is no tensor, as the child is told it."""
    if isinstance(arg, Given):
        return ["given", given.index(arg)]
    if isinstance(arg, Helper):
        return ["helper", [arg.source, arg.name]]
    return ["value", encode(arg)]


def _given(asked: dict, payload: bytes, given: list[Given], run_given: RunGiven) -> tuple[dict, list[bytes]]:
    """The reply to an answer that called one of its given functions: the result, and the argument as it is now."""
    try:
        tensor = unpack(asked["tensor"], payload)
        evidence = run_given(given[int(asked["index"])], tensor)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RuntimeError) as error:
        return {"error": {"type": "TypeError", "message": f"that cannot be handed over: {error}"}}, []
    if evidence.error or not hasattr(evidence.value, "untyped_storage"):
        return {"error": evidence.error or {"type": "TypeError", "message": "no tensor came back"}}, []
    specs, data = zip(*(pack(t) for t in (evidence.value, *evidence.args)))
    return {"tensors": specs}, list(data)


def _contiguous(shape) -> list[int]:
    strides = [1]
    for n in reversed(shape[1:]):
        strides.insert(0, strides[0] * n)
    return strides[: len(shape)]


def _bytes(arg) -> int:
    """Bytes that a tensor argument brings back, 0 for anything else."""
    if isinstance(arg, Out):
        size = 1
        for n in arg.shape:
            size *= n
        return size * 8
    return arg.numel() * arg.element_size() if hasattr(arg, "untyped_storage") else 0


def _evidence(header: dict, payload: bytes) -> Evidence:
    """Evidence from an untrusted reply: every field is checked for its type before it is believed."""
    evidence, start = Evidence(error=_error(header["error"]) if "error" in header else None), 0
    try:
        if "tensor" in header:
            spec = header["tensor"]
            if spec.get("omitted"):
                evidence.value = Unreadable(f"tensor of {spec['dtype']}, shape {tuple(spec['shape'])}")
            else:
                evidence.value = unpack(spec, payload[: spec["nbytes"]])
                start = spec["nbytes"]
        elif "value" in header:
            evidence.value = decode(header["value"])
        for spec in header.get("args", []):
            evidence.args.append(unpack(spec, payload[start : start + spec["nbytes"]]))
            start += spec["nbytes"]
        evidence.rows = [(str(a), int(b), int(c)) for a, b, c in header.get("rows", [])]
        evidence.read, evidence.written = int(header.get("read", 0)), int(header.get("written", 0))
        evidence.bytes = tuple(int(n) for n in header.get("bytes", (0, 0)))
        evidence.torch_ops = [str(n) for n in header.get("torch_ops", [])]
        evidence.peak = int(header.get("peak", 0))
        evidence.torch_reads = [int(n) for n in header.get("torch_reads", [])]
        evidence.inside_kernels = [str(n) for n in header.get("inside_kernels", [])]
        evidence.language = [str(n) for n in header.get("language", [])]
        evidence.launches = [_launch(x) for x in header.get("launches", [])]
        evidence.panels = [_panel(x) for x in header.get("panels", [])]
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, RuntimeError) as error:
        raise Died(f"a reply that makes no sense: {error}") from None
    return evidence


def _launch(data: dict) -> dict:
    """A launch record, every field with the type it should have."""
    return {
        "kernel": str(data["kernel"]),
        "grid": [int(n) for n in data["grid"]][:3],
        "shared": int(data["shared"]),
        "storing": int(data["storing"]),
        "widest": int(data["widest"]),
        "early": int(data["early"]),
        "options": {str(k): decode(v) for k, v in data["options"].items()},
        "constants": {str(k): decode(v) for k, v in data["constants"].items()},
        "signature": {str(k): str(v) for k, v in data["signature"].items()},
    }


def _panel(data: dict) -> Panel:
    """A panel with the types it should have; whatever else was sent does not come along."""
    *rows, columns = data["shape"]
    return Panel(
        kernel=str(data["kernel"]),
        launch=int(data["launch"]),
        grid=[int(n) for n in data["grid"]][:3],
        tensor=str(data["tensor"]),
        op="store" if data["op"] == "store" else "load",
        shape=[int(n) for n in (*rows[:1], columns)],
        lanes=int(data["lanes"]),
        touched=[_run(run) for run in data["touched"]],
        masked=[_run(run) for run in data["masked"]],
        outside=[_run(run) for run in data["outside"]],
        complete=bool(data["complete"]),
    )


def _run(data: list) -> list[int]:
    program, row, first, count = data
    return [int(program), int(row), int(first), int(count)]


def _error(data) -> dict:
    """An error with the types it should have: type, kinds (it and its bases), message, line, todo, where."""
    data = data if isinstance(data, dict) else {}
    todo, kinds = data.get("todo"), data.get("kinds")
    return {
        "type": str(data.get("type", "Error")),
        "kinds": [str(k) for k in kinds] if isinstance(kinds, list) else [],
        "message": str(data.get("message", "")),
        "line": str(data.get("line", "")),
        "todo": [str(part) if part is not None else None for part in todo] if _is_list(todo, 3) else None,
        "where": _where(data.get("where")),
    }


def _where(data) -> dict | None:
    """The place of an access outside of its tensor: op, tensor, program, and, where there is a tensor, numbers."""
    if not isinstance(data, dict) or data.get("op") not in ("load", "store") or not _is_list(data.get("program"), 3):
        return None
    numbers = {k: data.get(k) for k in ("row", "column", "first", "line", "begins", "lanes", "of")}
    if not all(n is None or isinstance(n, int) for n in [*numbers.values(), *data["program"]]):
        return None
    return {"op": data["op"], "tensor": str(data.get("tensor")), "program": data["program"]} | numbers


def _is_list(data, length: int) -> bool:
    return isinstance(data, list) and len(data) == length
