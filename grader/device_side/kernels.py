"""The kernels of an answer: admitted from text, launched, and kept as text for Triton's compiler."""

from __future__ import annotations

import inspect
import json
import re
import sys

from ..interpreter.ledger import Ledger
from ..protocol import schema
from ..protocol.kernels import KernelProgram
from .kernel_text import RefusedKernel, admit


class Kernels:
    """The kernels that a host sent, by their text.

    modules: of the course, whose kernels are told from the answer's own. texts: of the kernels that ran since `begin`;
    a Launch has the index of its own. launched: names of the kernels whose launch was pretended; "own" for an answer's.
    """

    def __init__(self, modules: tuple[str, ...] = ()):
        self._admitted: dict[str, object] = {}
        self._text_of: dict[int, str] = {}
        beginnings = tuple(f"{module}." for module in modules)
        shipped = [module for name, module in list(sys.modules.items()) if name.startswith(beginnings)]
        self._shipped = [inspect.getsource(module) for module in shipped]
        self.texts: list[str] = []
        self.launched: list[str] = []

    def begin(self) -> None:
        """Begin a call, which has launched nothing yet."""
        self.texts, self.launched = [], []

    def get(self, program: dict):
        """The kernel of a program, a function with @triton.jit. Raises RefusedKernel."""
        text = json.dumps(program)
        if text not in self._admitted:
            try:
                kernel = admit(schema.unpack(program, KernelProgram))
            except RefusedKernel:
                todo = re.search(r"TODO \d+\.\d+(?: \(\d+ of \d+\))?", text)
                if todo:  # of a kernel that is not written yet, the next step is all that matters
                    raise RefusedKernel(todo[0]) from None
                raise
            self._admitted[text] = kernel
            self._text_of[id(kernel)] = text
        return self._admitted[text]

    def launch(self, kernel, grid, args, kwargs: dict, ledger: Ledger) -> None:
        """Run a kernel over a grid, and enter its text into the records of its launches."""
        before = len(ledger.launches)
        try:
            kernel[grid](*args, **kwargs)
        finally:
            if not self._is_shipped(kernel):
                text = self._text_of[id(kernel)]
                if text not in self.texts:
                    self.texts.append(text)
                for launch in ledger.launches[before:]:
                    launch.program = self.texts.index(text)

    def pretend(self, kernel) -> None:
        """Take note of the name of a kernel, and do not run it."""
        self.launched.append(kernel.__name__ if self._is_shipped(kernel) else "own")

    def _is_shipped(self, kernel) -> bool:
        """Whether the text of a kernel stands in a module of the course."""
        source = json.loads(self._text_of[id(kernel)])["functions"][0]["source"]
        return any(f"\n{source}\n" in text for text in self._shipped)
