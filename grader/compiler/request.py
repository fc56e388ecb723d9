"""The other end of the process that compiles: one kernel, its arguments, and the GPUs to compile for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from .. import environment

_SECONDS = 300


class NotCompiled(RuntimeError):
    """Triton's compiler refuses a kernel, or it cannot run here."""


def compiled(program: dict, args: list, kwargs: dict, targets: list[tuple[tuple, dict]]) -> list[dict]:
    """One dictionary for each target: {"error": why}, or as compile.py makes it. Raises NotCompiled.

    program: a packed KernelProgram. args, kwargs: of the launch, encoded by protocol/launches.py; a tensor is
    [dtype, address, bytes of its storage]. targets: (target as in targets.py, more keyword arguments) of each column.
    """
    if missing := environment.without_triton():
        raise NotCompiled(missing)
    request = {"program": program, "args": args, "kwargs": kwargs, "targets": targets}
    with tempfile.TemporaryDirectory() as folder:
        variables = {"FIVE_PASSES_WORKER": "1", "TRITON_INTERPRET": "0", "TRITON_CACHE_DIR": folder}
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
            raise NotCompiled(f"Triton's compiler has not finished after {_SECONDS} seconds") from None
    try:
        reply = json.loads(done.stdout)
    except ValueError:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        raise NotCompiled(f"Triton {environment.triton()} cannot compile here: {last[0][:300]}") from None
    if "refused" in reply:
        raise NotCompiled(reply["refused"])
    return reply["columns"]
