"""The kernels of an answer: admitted from text, launched, and kept as text for Triton's compiler."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from ..interpreter.ledger import Ledger
from ..protocol import schema
from ..protocol.kernels import KernelProgram
from ..protocol.orders import Malformed
from ..sentence import said
from .kernel_text import RefusedKernel, admit


class _Kernel(NamedTuple):
    """A function with @triton.jit, its text, and whether this text stands in a module of the course."""

    function: object
    text: str
    shipped: bool


class Kernels:
    """The kernels that a host sent, by number.

    shipped: texts of the course, whose kernels are told from the answer's own. texts: of the kernels that ran since
    `begin`; a Launch has the index of its own. launched: names of the kernels whose launch was pretended; "own" for an
    answer's.
    """

    def __init__(self, shipped: tuple[str, ...] = ()):
        self._kernels: list[_Kernel] = []
        self._shipped = shipped
        self.texts: list[str] = []
        self.launched: list[str] = []

    def begin(self) -> None:
        """Begin a call, which has launched nothing yet."""
        self.texts, self.launched = [], []

    def admit(self, text: str) -> int:
        """The number of the kernel of a KernelProgram, as JSON text. Raises RefusedKernel."""
        program = schema.unpack(json.loads(text), KernelProgram)
        try:
            function = admit(program)
        except RefusedKernel:
            todo = re.search(r"TODO \d+\.\d+(?: \(\d+ of \d+\))?", text)
            if todo:  # of a kernel that is not written yet, the next step is all that matters
                raise RefusedKernel(todo[0]) from None
            raise
        shipped = all(any(f"\n{f.source}\n" in text for text in self._shipped) for f in program.functions)
        self._kernels.append(_Kernel(function, text, shipped))
        return len(self._kernels) - 1

    def get(self, number: int):
        """The function of a kernel. Raises Malformed."""
        return self._kernel(number).function

    def launch(self, number: int, grid, args, kwargs: dict, ledger: Ledger) -> None:
        """Run a kernel over a grid, and enter its text into the records of its launches."""
        kernel, before = self._kernel(number), len(ledger.launches)
        try:
            kernel.function[grid](*args, **kwargs)
        finally:
            if not kernel.shipped:
                if kernel.text not in self.texts:
                    self.texts.append(kernel.text)
                for launch in ledger.launches[before:]:
                    launch.program = self.texts.index(kernel.text)

    def pretend(self, number: int) -> None:
        """Take note of the name of a kernel, and do not run it."""
        kernel = self._kernel(number)
        self.launched.append(kernel.function.__name__ if kernel.shipped else "own")

    def _kernel(self, number: int) -> _Kernel:
        if not isinstance(number, int) or not 0 <= number < len(self._kernels):
            raise Malformed(said("there is no such kernel on the device"))
        return self._kernels[number]
