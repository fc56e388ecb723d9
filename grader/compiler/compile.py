"""The process that compiles a kernel: one request on its standard input, one reply on its standard output, as JSON.

The kernel is the learner's own and runs nowhere here. Its text is read as Triton's language all the same, since a
compiler evaluates what a text calls.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import sys
import tempfile
import types
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from triton import CompilationError

from ..device_side.kernel_text import RefusedKernel, admit, named_tuple
from ..device_side.lowering import refused
from ..interpreter.triton_private import compile_for
from ..protocol import launches, schema
from ..protocol.kernels import KernelProgram
from ..sentence import said
from . import amdgcn, sass


class Pointer:
    """All that Triton's launcher asks of a tensor. dtype: such as "float32"."""

    def __init__(self, dtype: str, address: int, size: int):
        self.dtype, self._address, self._size = dtype, address, size

    def data_ptr(self) -> int:
        """The address of the first element: the launcher looks whether 16 divides it."""
        return self._address

    def ptr_range(self) -> int:
        """The bytes of its storage: on AMD's GPUs, the launcher looks whether 32 bits can count them."""
        return self._size


def reply(request: dict) -> dict:
    """The reply to a request of request.py: {"columns": a dictionary for each target}, or {"refused": why}.

    With "compiler" it is Triton's compiler that refuses the kernel.
    """
    program = schema.unpack(request["program"], KernelProgram)
    try:
        kernel = admit(program)
        args = [_decoded(value) for value in request["args"]]
        kwargs = {name: _decoded(value) for name, value in request["kwargs"].items()}
        with ThreadPoolExecutor() as readers:  # NVIDIA's tools read one kernel while Triton compiles the next
            columns = request["targets"]
            reading = [_compiled(readers, kernel, args, {**kwargs, **more}, *target) for target, more in columns]
        return {"columns": [_numbers(each) for each in reading]}
    except CompilationError as error:
        why = refused(error, program)
        told = said("{why}, in the line `{line}`", why=why, line=why.line) if why.line else str(why)
        return {"refused": told, "compiler": True}
    except (RefusedKernel, TypeError, ValueError, KeyError, AssertionError) as error:
        return {"refused": str(error.args[0] if error.args else type(error).__name__)}


def _decoded(value):
    def kernel(packed):
        return admit(schema.unpack(packed, KernelProgram))

    return launches.decode(value, lambda tensor: Pointer(*tensor), kernel, named_tuple)


def _compiled(readers: ThreadPoolExecutor, kernel, args: list, kwargs: dict, *target) -> Future:
    """The future of the numbers of one column. Raises CompilationError for a kernel that no GPU takes."""
    made: Future = Future()
    try:
        compiled = compile_for(kernel, args, kwargs, target, sass.with_places)
    except CompilationError:
        raise
    except Exception as error:  # each version has errors of its own for a GPU that it does not know
        made.set_exception(error)
        return made
    return readers.submit(_nvidia if target[0] == "cuda" else _amd, compiled)


def _numbers(column: Future) -> dict:
    """The numbers of a column, or the error that it has instead."""
    try:
        return column.result()
    except Exception as error:
        return {"error": (" ".join(str(error).split()) or type(error).__name__)[:300]}


def _nvidia(compiled) -> dict:
    with _cubin(compiled) as file:
        used, text = sass.usage(file), sass.disassembled(file)
    return {
        "registers": used["REG"],
        "spills": _spilled(used),
        "shared": compiled.metadata.shared,
        "ttir": str(compiled.asm["ttir"]),
        "ptx": compiled.asm["ptx"],
        "assembly": text,
        **vars(sass.count(text)),
    }


def spills(compiled) -> int:
    """The numbers that a thread of a kernel for a GPU of NVIDIA's has no register for. Raises sass.MissingTool."""
    with _cubin(compiled) as file:
        return _spilled(sass.usage(file))


def _spilled(used: dict[str, int]) -> int:
    return used["STACK"] // 4


@contextlib.contextmanager
def _cubin(compiled) -> Iterator[pathlib.Path]:
    """The machine code of a compiled kernel as a file, for NVIDIA's tools."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "kernel.cubin")
        file.write_bytes(compiled.asm["cubin"])
        yield file


def _amd(compiled) -> dict:
    text = compiled.asm["amdgcn"]
    used = amdgcn.usage(text)
    return {
        "registers": used["vgpr_count"],
        "spills": used["vgpr_spill_count"],
        "shared": compiled.metadata.shared,
        "ttir": str(compiled.asm["ttir"]),
        "ptx": None,
        "assembly": text,
        **vars(amdgcn.count(text)),
    }


def main() -> None:
    """Answer one request."""
    # Triton asks whether an argument is a tensor of PyTorch. None is here, and to import PyTorch takes longer than to
    # compile for all GPUs.
    sys.modules["torch"] = types.ModuleType("torch")
    vars(sys.modules["torch"])["Tensor"] = type("Tensor", (), {})
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out, contextlib.redirect_stdout(sys.stderr):
        os.dup2(2, 1)  # a compiler may print
        json.dump(reply(json.load(sys.stdin)), out)


if __name__ == "__main__":
    main()
