"""The kernels of an answer: admitted from text, lowered by Triton's compiler, and run as it took them."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
from collections.abc import Callable
from typing import NamedTuple

import triton.language as tl

from ..interpreter import each_launch, launch_args
from ..interpreter.ledger import Launch, Ledger
from ..interpreter.state import KernelMisuse
from ..protocol import schema
from ..protocol.kernels import KernelProgram
from ..protocol.orders import Malformed
from ..sentence import foreign, kind_of, message, said
from ..spec import KernelText
from .as_compiled import AsCompiled, Remade
from .kernel_text import Admitted, RefusedKernel, admitted
from .visited import Lowered

Lower = Callable[[str, Launch], Lowered | None]


class _Kernel(NamedTuple):
    """The functions of a kernel, its text, and whether this text stands in a module of the course.

    lowered: by signature, constants and options of a launch, its functions as the compiler took them, and the rest of
    Lowered. A refusal is not kept: the judge hears of each launch that is refused. made: as AsCompiled has it.
    """

    functions: list[Admitted]
    text: str
    shipped: bool
    lowered: dict[str, tuple[AsCompiled, int, int]]
    made: dict[tuple, Remade]

    @property
    def function(self):
        """The one that is launched."""
        return self.functions[0].kernel


class Kernels:
    """The kernels that a host sent, by number.

    shipped: texts of the course, whose kernels are told from the answer's own. lower: from a kernel's text and a launch
    to what Triton's compiler made of it; None where the compiler refuses it, or is not there.

    Since `begin`: texts: of the kernels that ran; a Launch has the index of its own. differed: the first error of a
    kernel that ran otherwise than it was compiled: the call has failed, whatever the host does with that error.
    launched: names of the kernels whose launch was pretended; "own" for an answer's.
    """

    def __init__(self, shipped: tuple[str, ...] = (), lower: Lower = lambda text, launch: None):
        self._kernels: list[_Kernel] = []
        self._shipped, self._lower = shipped, lower
        self.texts: list[str] = []
        self.differed: KernelMisuse | None = None
        self.launched: list[str] = []

    def begin(self) -> None:
        """Begin a call, which has launched nothing yet."""
        self.texts, self.differed, self.launched = [], None, []

    def admit(self, text: str) -> int:
        """The number of the kernel of a KernelProgram, as JSON text. Raises RefusedKernel."""
        program = schema.unpack(json.loads(text), KernelProgram)
        try:
            functions = admitted(program)
        except RefusedKernel:
            if gap := foreign.gap(text):  # of a kernel that is not written yet, the next step is all that matters
                raise RefusedKernel(gap) from None
            raise
        shipped = all(any(f"\n{f.source}\n" in text for text in self._shipped) for f in program.functions)
        self._kernels.append(_Kernel(functions, text, shipped, {}, {}))
        return len(self._kernels) - 1

    def get(self, number: int):
        """The function of a kernel. Raises Malformed."""
        return self._kernel(number).function

    def launch(self, number: int, grid, args, kwargs: dict, ledger: Ledger) -> None:
        """Run a kernel over a grid, and enter its text into the records of its launches."""
        kernel, before = self._kernel(number), len(ledger.launches)
        try:
            with contextlib.ExitStack() as running:
                if not kernel.shipped:
                    lowered = functools.partial(self._as_compiled, kernel, running)
                    running.enter_context(each_launch(lowered))
                kernel.function[grid](*args, **kwargs)
        except KernelMisuse as error:
            if self.differed is None and kind_of(message(error)) == "not-compiled":
                self.differed = error
            raise
        finally:
            if not kernel.shipped:
                if kernel.text not in self.texts:
                    self.texts.append(kernel.text)
                for launch in ledger.launches[before:]:
                    launch.program = self.texts.index(kernel.text)

    def _as_compiled(self, kernel: _Kernel, running: contextlib.ExitStack, launch: Launch):
        """The function to run for a launch, in the place of the kernel's own. running: ends with the launch."""
        passed: list[_Kernel] = []
        launch.constants = {name: self._with_texts(value, passed) for name, value in launch.constants.items()}
        specialised = _specialised(launch)
        special = repr((specialised.signature, specialised.constants, specialised.options))
        if special not in kernel.lowered:
            lowered = self._lower(kernel.text, specialised)
            if lowered is None:
                return None
            functions = [function for each in (kernel, *passed) for function in each.functions]
            kernel.lowered[special] = AsCompiled(functions, lowered.nodes, kernel.made), *lowered[1:]
        compiled, launch.largest, launch.loads = kernel.lowered[special]
        running.enter_context(compiled.in_place())
        return kernel.function.fn

    def _with_texts(self, constant, passed: list[_Kernel]):
        """A constant of a launch, with a KernelText for each kernel in it. passed: gets these kernels."""
        if isinstance(constant, tuple):
            return tuple(self._with_texts(each, passed) for each in constant)
        value = constant.value if isinstance(constant, tl.constexpr) else constant
        kernel = next((each for each in self._kernels if each.function is value), None)
        if kernel is None:
            return constant
        passed.append(kernel)
        return KernelText(kernel.text)

    def pretend(self, number: int, grid) -> None:
        """Take note of the name of a kernel, and do not run it. Raises KernelMisuse for a grid that a GPU refuses."""
        kernel = self._kernel(number)
        name = kernel.function.__name__
        launch_args.check_grid(launch_args.as_grid(grid, name), name)
        self.launched.append(kernel.function.__name__ if kernel.shipped else "own")

    def _kernel(self, number: int) -> _Kernel:
        if not isinstance(number, int) or not 0 <= number < len(self._kernels):
            raise Malformed(said("there is no such kernel on the device"))
        return self._kernels[number]


def _specialised(launch: Launch) -> Launch:
    """The launch as Triton's launcher hands it to the compiler: an argument that is the integer 1 is a constant."""
    ones = {name for name, divisible in launch.divisible.items() if divisible == 0 and name in launch.signature}
    signature = {name: kind for name, kind in launch.signature.items() if name not in ones}
    return dataclasses.replace(launch, signature=signature, constants=launch.constants | dict.fromkeys(ones, 1))
