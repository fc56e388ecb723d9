"""The judge's end of the line: warm processes, and one fork of them for each answer."""

from __future__ import annotations

import atexit
import itertools
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

from . import wire
from .exercise import Call, Evidence, Out

ROOT = pathlib.Path(__file__).resolve().parent.parent
START_SECONDS = 120


class NoWorker(RuntimeError):
    """The process that runs answers could not be started."""


class Deadline(Exception):
    """The answer ran longer than it may."""


class Died(Exception):
    """The process that ran the answer ended before it replied."""


class Zygote:
    """A process that has imported PyTorch and Triton and forks a child for every answer.

    mode: "interpreted", or "compiled" (on the GPU where there is one, else only through the compiler's front end).
    """

    def __init__(self, mode: str):
        self.mode, self.device = mode, "cpu"
        self._lock, self._numbers, self._ready = threading.Lock(), itertools.count(), False
        if not hasattr(os, "pidfd_open"):
            raise NoWorker("checks need Linux (or Colab, or WSL): this platform cannot fork a guarded process")
        # Packets, so that no two messages run together.
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._log = tempfile.TemporaryFile()
        self._scratch = tempfile.TemporaryDirectory(prefix="answers-", ignore_cleanup_errors=True)
        environment = os.environ | {"FIVE_PASSES_WORKER": "1", "OMP_NUM_THREADS": "1", "TRITON_INTERPRET": "1" if mode == "interpreted" else "0"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grader.worker", str(theirs.fileno()), self._scratch.name],
            cwd=ROOT, env=environment, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
            stdout=self._log, stderr=self._log, start_new_session=True,
        )  # fmt: skip
        theirs.close()

    def wait(self) -> None:
        """Return when the process is ready to fork. Raises NoWorker with what it last said."""
        with self._lock:
            if self._ready:
                return
            self._control.settimeout(START_SECONDS)
            try:
                self._ready = self._control.recv(6) == b"ready\n"
            except OSError:
                pass
            self._control.settimeout(None)
        if not self._ready:
            self._process.kill()
            self._log.seek(0)
            last = self._log.read()[-400:].decode(errors="replace").strip().splitlines()
            raise NoWorker(f"the process that runs answers did not start: {last[-1] if last else 'it said nothing'}")

    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def open(self, source: str, seconds: float) -> Session:
        """A child that has imported an answer. Raises NoWorker, Deadline or Died."""
        self.wait()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        number = next(self._numbers)
        with self._lock:
            try:
                socket.send_fds(self._control, [f"fork {number} {seconds} {self.device}".encode()], [theirs.fileno()])
            except OSError as error:
                raise NoWorker(f"the process that runs answers went away: {error}") from None
            finally:
                theirs.close()
        return Session(self, number, ours, source, seconds)

    def kill(self, number: int) -> None:
        """End one child and whatever it started."""
        with self._lock:
            try:
                self._control.sendall(f"kill {number} ".encode())
            except OSError:
                pass

    def close(self) -> None:
        """End the process and its children."""
        self._control.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        self._scratch.cleanup()


class Session:
    """One answer in a child process. `run` may be called many times, within one deadline for all."""

    def __init__(self, zygote: Zygote, number: int, channel: socket.socket, source: str, seconds: float):
        self._zygote, self._number, self._channel = zygote, number, channel
        self._end = time.monotonic() + seconds
        reply = self._ask({"op": "answer", "source": source})[0]
        self.loading_error = _error(reply["error"]) if "error" in reply else None

    def run(self, call: Call) -> Evidence:
        """Run one call and bring its evidence. Raises Deadline or Died."""
        tensors, payload, args, limit = [], [], [], 1 << 16
        for arg in call.args:
            if isinstance(arg, Out):
                strides = arg.strides or _contiguous(arg.shape)
                tensors.append({"fill": "nan", "dtype": arg.dtype, "shape": list(arg.shape), "strides": list(strides)})
            elif hasattr(arg, "untyped_storage"):
                spec, data = wire.pack(arg)
                tensors.append(spec)
                payload.append(data)
                limit += arg.numel() * 8
            else:
                args.append(["value", wire.encode(arg)])
                continue
            args.append(["tensor", len(tensors) - 1])
        header = {
            "op": "run", "kind": call.kind, "name": call.name, "grid": list(call.grid), "order": call.order,
            "tensors": tensors, "args": args, "limit": limit,
            "kwargs": {k: wire.encode(v) for k, v in call.kwargs.items()},
        }  # fmt: skip
        expected = limit + sum(_bytes(a) for a in call.args)
        return _evidence(*self._ask(header, payload, expected))

    def lower(self, launch: dict) -> tuple[bool, dict | None]:
        """Compile the kernel of a launch record as far as it goes without a GPU: (whether it was found, error)."""
        keys = ("kernel", "signature", "constants", "options")
        reply = self._ask({"op": "compile"} | {k: launch.get(k) for k in keys})[0]
        error = _error(reply["error"]) if "error" in reply else None
        return bool(error or reply.get("compiled")), error

    def _ask(self, header: dict, payload=b"", limit: int = 0) -> tuple[dict, bytes]:
        self._channel.settimeout(max(self._end - time.monotonic(), 0.001))
        try:
            wire.send(self._channel, header, payload)
            return wire.receive(self._channel, limit)
        except TimeoutError:
            raise Deadline from None
        except (wire.BrokenChannel, OSError) as error:
            raise Died(str(error)) from None

    def close(self) -> None:
        """End the child."""
        self._channel.close()
        self._zygote.kill(self._number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


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
                evidence.value = wire.Unreadable(f"tensor of {spec['dtype']}, shape {tuple(spec['shape'])}")
            else:
                evidence.value = wire.unpack(spec, payload[: spec["nbytes"]])
                start = spec["nbytes"]
        elif "value" in header:
            evidence.value = wire.decode(header["value"])
        for spec in header.get("args", []):
            evidence.args.append(wire.unpack(spec, payload[start : start + spec["nbytes"]]))
            start += spec["nbytes"]
        evidence.rows = [(str(a), int(b), int(c)) for a, b, c in header.get("rows", [])]
        evidence.read, evidence.written = int(header.get("read", 0)), int(header.get("written", 0))
        evidence.bytes = tuple(int(n) for n in header.get("bytes", (0, 0)))
        evidence.torch_ops = [str(n) for n in header.get("torch_ops", [])]
        evidence.inside_kernels = [str(n) for n in header.get("inside_kernels", [])]
        evidence.launches = [dict(x) for x in header.get("launches", [])]
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise Died(f"a reply that makes no sense: {error}") from None
    return evidence


def _error(data) -> dict:
    data = data if isinstance(data, dict) else {}
    where = data.get("where")
    return {
        "type": str(data.get("type", "Error")), "message": str(data.get("message", "")),
        "line": str(data.get("line", "")), "lineno": data.get("lineno", 0),
        "todo": data.get("todo") if isinstance(data.get("todo"), list) else None,
        "where": where if isinstance(where, dict) else None,
    }  # fmt: skip


_zygotes: dict[str, Zygote] = {}
_starting = threading.Lock()


def zygote(mode: str = "interpreted") -> Zygote:
    """The warm process of this mode, started when there is none. Returns at once; `open` waits for it."""
    with _starting:
        current = _zygotes.get(mode)
        if current is not None and not current.alive():
            current.close()
            current = None
        if current is None:
            current = _zygotes[mode] = Zygote(mode)
        return current


@atexit.register
def close_all() -> None:
    """End every warm process of this one."""
    for each in list(_zygotes.values()):
        each.close()
    _zygotes.clear()
