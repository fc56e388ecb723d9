"""The machine code of a launch that a ledger recorded, for the GPU by which answers are judged.

For a process that is confined and runs no answer: see worker/front_end.py.
"""

from __future__ import annotations

import json

from ..device_side.kernel_text import admit
from ..device_side.lowering import constant
from ..gpus import JUDGED
from ..interpreter.triton_private import compile_for
from ..protocol import schema
from ..protocol.kernels import KernelProgram
from ..protocol.values import decode
from ..sentence import message, said, tree
from . import ptx, sass
from .compile import Pointer, spills
from .targets import TARGETS


def assembled(header: dict) -> dict:
    """The reply to a request for machine code: {"machine": as spec.Machine}, or {"missing": a sentence}.

    header: program (the text of a KernelProgram), and signature, divisible, constants and options as in spec.Launch,
    the values of the last two encoded. Raises the exceptions of Triton's compiler.
    """
    kernel = admit(schema.unpack(json.loads(header["program"]), KernelProgram))
    values = {name: constant(value) for name, value in header["constants"].items()}
    values |= {name: decode(value) for name, value in header["options"].items()}
    divisible = header["divisible"]
    args = {name: _alike(kind, divisible.get(name, 1)) for name, kind in header["signature"].items()}
    try:
        made = compile_for(kernel, [], {**args, **values}, TARGETS[JUDGED.name], sass.with_places)
        spilled = spills(made)
    except sass.MissingTool as error:
        return {"missing": tree.pack(message(error))}
    return {"machine": {"loads": {str(n): k for n, k in ptx.loads(made.asm["ptx"]).items()}, "spills": spilled}}


def _alike(kind: str, divisible: int):
    """An argument that Triton's launcher treats as that of the launch. kind: its Triton type."""
    if kind.startswith("*"):
        return Pointer(kind.lstrip("*k"), divisible, 1 << 30)
    if kind == "i1":
        return True
    if kind.startswith(("i", "u")):
        number = {0: 1, 16: 16}.get(divisible, 3)
        return number if kind == "i32" or number == 1 else number + (1 << (40 if kind == "i64" else 63))
    if kind.startswith(("fp", "bf")):
        return 0.5
    raise TypeError(said("an argument of the type {kind}", kind=kind))
