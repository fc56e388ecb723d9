"""The other end of the process that compiles: one kernel, its arguments, and the GPUs to compile for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile

from .. import environment
from ..host_side.kernel_source import UnreadableKernel, collect
from ..interpreter.triton_private import is_kernel
from ..protocol import launches, schema
from ..protocol.kernels import KernelProgram
from ..sentence import foreign, message, said

_SECONDS = 300


class NotCompiled(RuntimeError):
    """Triton's compiler refuses a kernel, or it cannot run here. refused: whether the compiler refuses it."""

    def __init__(self, why: str, refused: bool = False):
        super().__init__(why)
        self.refused = refused


def compiled(kernel, args, kwargs: dict, targets: list[tuple[tuple, dict]]) -> list[dict]:
    """One dictionary for each target: {"error": why}, or as compile.py makes it. Raises NotCompiled.

    kernel: a function with @triton.jit. args, kwargs: of its launch. targets: (target as in targets.py, more keyword
    arguments) of each column.
    """
    return answered(asked(kernel, args, kwargs), targets)


def asked(kernel, args, kwargs: dict) -> dict:
    """The request for a kernel and the arguments of its launch, as JSON data. Raises NotCompiled."""
    try:
        program = schema.pack(collect(kernel.fn, [*args, *kwargs.values()]), KernelProgram)
        encoded = {"args": [*map(_encoded, args)], "kwargs": {name: _encoded(value) for name, value in kwargs.items()}}
    except UnreadableKernel as error:
        raise NotCompiled(message(error)) from None
    return {"program": program, **encoded}


def answered(request: dict, targets: list[tuple[tuple, dict]]) -> list[dict]:
    """The reply to a request, as `compiled` gives it."""
    try:
        return _reply({**request, "targets": targets})
    except _Ended as error:  # LLVM ends the process where it cannot go on, so each target gets one of its own
        if len(targets) == 1:
            return [{"error": message(error)}]
        return [column for target in targets for column in answered(request, [target])]


def _encoded(value):
    def tensor(value):
        return {"tensor": [str(value.dtype).removeprefix("torch."), value.data_ptr(), value.untyped_storage().nbytes()]}

    def kernel(value):
        return schema.pack(collect(value.fn), KernelProgram) if is_kernel(value) else None

    return launches.encode(value, tensor, kernel)


class _Ended(Exception):
    """The process ended without a reply."""


def _reply(request: dict) -> list[dict]:
    """The columns of a request. Raises NotCompiled or _Ended."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {"FIVE_PASSES_WORKER": "1", "TRITON_INTERPRET": "0", "TRITON_CACHE_DIR": folder}
        if link := shutil.which("true"):  # Triton 3.4 wants ROCm's linker, but only the text before it is read
            variables["TRITON_HIP_LLD_PATH"] = link
        try:
            done = subprocess.run(
                [sys.executable, "-m", "grader.compiler.compile"],
                input=json.dumps(request),
                capture_output=True,
                encoding="utf-8",
                cwd=environment.ROOT,
                env=os.environ | variables,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise NotCompiled(
                said("Triton's compiler has not finished after {SECONDS} seconds", SECONDS=_SECONDS)
            ) from None
    try:
        reply = json.loads(done.stdout)
    except ValueError:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        fatal = [line for line in lines if foreign.is_a(line, "compiler-ended")] or lines[-1:]
        raise _Ended(
            fatal[0][:300] if fatal else said("its process ended with status {returncode}", returncode=done.returncode)
        ) from None
    if "refused" in reply:
        raise NotCompiled(reply["refused"], reply.get("compiler", False))
    return reply["columns"]
