"""Lowering of a kernel by Triton's front end, without a GPU, and the errors of the front end.

The interpreter accepts any Python: `and` between masks, a loop variable that changes its type. The compiler for a GPU
accepts none of these. Lowering stops at Triton's intermediate language, before code for a GPU is generated, so no
driver is needed.
"""

from __future__ import annotations

import functools
import json
import math
import re
import warnings

from triton import CompilationError

from ..gpus import GPUS
from ..interpreter.triton_private import make_ir, ones_in, type_of_name
from ..protocol import schema
from ..protocol.kernels import KernelProgram
from ..protocol.launches import language_type
from ..protocol.values import decode
from ..sentence import fault, foreign, said
from ..spec import KernelText, LanguageType
from .kernel_text import admit
from .visited import Lowered, Visits

# The front end raises the same errors for all GPUs that Triton supports.
_TARGET = (*GPUS["A100"].target, GPUS["A100"].warp)
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class DoubtfulMask(TypeError):
    """`and` or `or` between blocks of values."""


class RefusedLine(TypeError):
    """A line of a kernel that Triton's compiler does not take. line: its text."""

    def __init__(self, message: str, line: str = ""):
        super().__init__(message)
        self.line = line


def lower(text: str, signature: dict, constants: dict, options: dict) -> Lowered:
    """Lower a kernel to Triton's intermediate language.

    Raises DoubtfulMask, RefusedLine, TooMany, and errors of the front end.

    text: of a KernelProgram, as JSON. signature: Triton type by argument name. constants, options: encoded values by
    name (protocol/values.py).
    """
    program, kernel = _admitted(text)
    if odd := next((name for name, kind in signature.items() if kind == "?"), None):
        raise RefusedLine(said("Triton has no type for what `{odd}` gets at a launch", odd=odd))
    visits = Visits()
    try:
        with visits.told():
            made = lower_kernel(kernel, signature, constants, options)
    except CompilationError as error:
        raise visits.too_many or refused(error, program) from None
    return Lowered(visits.nodes, _largest(made), len(re.findall(r"= tt\.(?:descriptor_)?load ", made)))


def _largest(made: str) -> int:
    """The elements of the largest block in a text of the intermediate language; 1 where there are only numbers."""
    shapes = set(re.findall(r"\btensor<((?:\d+x)+)", made))
    return max((math.prod(map(int, shape.split("x")[:-1])) for shape in shapes), default=1)


@functools.lru_cache(maxsize=64)
def _admitted(text: str):
    """(the KernelProgram of a text, its kernel). An answer launches few kernels, each with many arguments."""
    program = schema.unpack(json.loads(text), KernelProgram)
    return program, admit(program)


def constant(encoded):
    """The constant of a launch that protocol/values.py encoded, with kernels and Triton's types as they are there."""

    def inner(value):
        if isinstance(value, KernelText):
            return _admitted(value.program)[1]
        if isinstance(value, LanguageType):
            return language_type(value.name)
        return tuple(map(inner, value)) if isinstance(value, tuple) else value

    return inner(decode(encoded))


def refused(error: CompilationError, program: KernelProgram) -> RefusedLine:
    """The innermost error: that of a function which the kernel calls, where it is one."""
    while isinstance(error.__cause__, CompilationError):
        error = error.__cause__
    cause = error.__cause__
    message = str(error.error_message or cause or str(error).splitlines()[-1])
    if message == repr(cause):
        message = str(cause) or type(cause).__name__
    message = foreign.without_repr(message)
    if error.src is None or not hasattr(error.node, "lineno"):
        return RefusedLine(message)
    line = "".join(error.src.split("\n")[error.node.lineno - 1 : error.node.lineno]).strip()
    undefined = foreign.name_in(message, "undefined") or foreign.name_in(message, "undefined-in-a-kernel")
    name = undefined or foreign.name_in(message, "plain-global")
    if any(name in f.names and f.names[name].kind == "function" for f in program.functions):
        return RefusedLine(fault("no-jit", "`{name}` is a function without @triton.jit", name=name), line)
    if undefined and re.search(rf"^\s*(for\s+)?{name}\b\s*(=[^=]|in\b)", error.src, re.M):
        why = fault(
            "unbound",
            "cannot access local variable {name}: there is a way to this line on which it has no value",
            name=repr(name),
        )
        return RefusedLine(why, line)
    return RefusedLine(message, line)


def lower_kernel(kernel, signature: dict, constants: dict, options: dict) -> str:
    """As `lower`, for a function with @triton.jit. Returns the text in the intermediate language."""
    constants = {k: constant(v) for k, v in constants.items()}
    options = {k: decode(v) for k, v in options.items() if k in _OPTIONS}
    types = {name: type_of_name(signature.get(name, "constexpr")) for name in kernel.arg_names}
    for number, name in enumerate(kernel.arg_names):
        constants |= {(number, *place): 1 for place in ones_in(signature.get(name, ""))}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = make_ir(kernel, types, constants, options, _TARGET)
    # The front end takes a result, and the passes after it fail without a word. Only the kernel itself is public.
    if re.search(r"^ *tt\.func public @.*\) -> ", made, re.MULTILINE):
        line = re.search(r"^ *(return\b *[^\s#].*)", kernel.src, re.MULTILINE)
        raise RefusedLine(fault("returns", "a kernel cannot return a value"), line[1].strip() if line else "")
    for warning in caught:
        if foreign.is_a(str(warning.message), "logical-operators"):
            raise DoubtfulMask(str(warning.message))
    return made
