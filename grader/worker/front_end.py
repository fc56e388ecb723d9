"""Triton's compiler for kernels that arrive as text. This process has no answer, and needs no PyTorch."""

from __future__ import annotations

import contextlib
import json
import socket

from ..compiler import launched
from ..device_side import lowering
from ..protocol import schema
from ..protocol.errors import describe
from ..protocol.kernels import Global, KernelFunction, KernelProgram
from ..spec import Error
from . import requests

_TOTAL = KernelFunction(
    "total",
    "def total(y_ptr, x_ptr, n, BLOCK: tl.constexpr):\n"
    "    cols = tl.arange(0, BLOCK)\n"
    "    tl.store(y_ptr, tl.sum(tl.load(x_ptr + cols, mask=cols < n, other=0.0), axis=0))\n",
    jit=True,
    names={"tl": Global("module", "triton.language")},
)


def warm_up() -> None:
    """Lower a kernel once: Triton reads its own library at the first one."""
    text = json.dumps(schema.pack(KernelProgram([_TOTAL]), KernelProgram))
    with contextlib.suppress(Exception):  # the judge lowers one before the first answer, and says what went wrong
        lowering.lower(text, {"y_ptr": "*fp32", "x_ptr": "*fp32", "n": "i32"}, {"BLOCK": ["int", "8"]}, {})


def serve(to_judge: int) -> None:
    """Handle the requests of one session until the judge closes its channel. to_judge: file descriptor of it."""
    requests.serve(socket.socket(fileno=to_judge), _handle, _described)


def _handle(header: dict, payload: bytes) -> tuple[dict, list[bytes]]:
    """The reply to one request.

    header["op"]: "lower" lowers a kernel, "assemble" makes machine code of it. Each session begins with "write" and
    "load", whose text is empty here.
    """
    if header["op"] == "lower":
        program, signature = header["program"], header["signature"]
        return {"lowered": lowering.lower(program, signature, header["constants"], header["options"])}, []
    if header["op"] == "assemble":
        return launched.assembled(header), []
    return {}, []


def _described(error: BaseException) -> Error:
    return describe(error, "<kernel ")
