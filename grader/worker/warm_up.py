"""The code that every answer needs, imported and run once: its first use is slow, or impossible in a fork."""

from __future__ import annotations

import contextlib
import socket

import numpy.ma  # noqa: F401  # for numpy.unique
import numpy.random  # noqa: F401
import torch

from .. import environment, interpreter
from ..device_side import kernel_text, server
from ..host_side import apart, kernel_source  # noqa: F401  # apart: the process of an answer's Python
from ..host_side.handles import OnDevice
from ..host_side.wire import Wire
from ..interpreter import caching, selfcheck
from ..interpreter.observe import Observer
from ..protocol import frames, schema
from ..protocol.calls import pack_call, unpack_call
from ..protocol.kernels import KernelProgram
from ..protocol.replies import pack_reply
from ..spec import Call
from . import alone  # noqa: F401  # that of an answer without a device


class _Loop(Wire):
    """A wire to a device in this very process, to run the code of both sides once."""

    def __init__(self):
        ours, self._theirs = socket.socketpair()
        super().__init__(ours)
        self._server = server.Server(self._theirs)

    def ask(self, header: dict, payload: bytes = b"") -> tuple[dict, bytes]:
        """The reply of the device."""
        self._send(header, payload)
        frames.send(self._theirs, *self._server.obey(*frames.receive(self._theirs, 0)))
        return frames.receive(self._arriving, 0)


def run() -> None:
    """Import and run it. In the mode of this process: interpreted or not."""
    torch.set_num_threads(1)
    if environment.interpreted():
        interpreter.install()
    with OnDevice(_Loop()):
        x = torch.empty(2, 3)
        e = torch.exp(x - x.amax(dim=1, keepdim=True))
        (e / e.sum(dim=1, keepdim=True)).sum().item()
    with contextlib.suppress(Exception):  # doctor() reports a failure; here it would hide the error of an answer
        program = schema.pack(kernel_source.collect(selfcheck.copy.fn), KernelProgram)
        kernel_text.admit(schema.unpack(program, KernelProgram))
        if environment.interpreted():
            header, (data,) = pack_call(Call("launch", "copy", (torch.ones(5),), trace=True))
            call = unpack_call(header, data)
            with Observer(call) as observer:
                selfcheck.copy_once()
            pack_reply(None, call.args, observed=observer.observations([*call.args]))
            caching.read_library()


def use_gpu() -> None:
    """Compile a kernel and run it on the GPU. Raises RuntimeError for a wrong result."""
    x = torch.ones(8, device="cuda")
    y = torch.empty_like(x)
    selfcheck.copy[(1,)](y, x, 8, BLOCK=8)
    if not torch.equal(x, y):
        raise RuntimeError("a copy on the GPU differs")
