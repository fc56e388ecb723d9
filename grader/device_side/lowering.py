"""Lowering of a kernel by Triton's front end, without a GPU, and the errors of the front end.

The interpreter accepts any Python: `and` between masks, a loop variable that changes its type. The compiler for a GPU
accepts none of these. Lowering stops at Triton's intermediate language, before code for a GPU is generated, so no
driver is needed.
"""

from __future__ import annotations

import json
import warnings

from ..interpreter.triton_private import make_ir, type_of_name
from ..protocol import schema
from ..protocol.kernels import KernelProgram
from ..protocol.values import decode
from .kernel_text import admit

# (backend, architecture, warp size). The front end raises the same errors for all GPUs that Triton supports.
_TARGET = ("cuda", 80, 32)
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class DoubtfulMask(TypeError):
    """`and` or `or` between blocks of values."""


def lower(text: str, signature: dict, constants: dict, options: dict) -> None:
    """Lower a kernel to Triton's intermediate language. Raises DoubtfulMask, and the exceptions of the front end.

    text: of a KernelProgram, as JSON. signature: Triton type by argument name. constants, options: encoded values by
    name (protocol/values.py).
    """
    lower_kernel(admit(schema.unpack(json.loads(text), KernelProgram)), signature, constants, options)


def lower_kernel(kernel, signature: dict, constants: dict, options: dict) -> None:
    """As `lower`, for a function with @triton.jit."""
    constants = {k: decode(v) for k, v in constants.items()}
    options = {k: decode(v) for k, v in options.items() if k in _OPTIONS}
    types = {name: type_of_name(signature.get(name, "constexpr")) for name in kernel.arg_names}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make_ir(kernel, types, constants, options, _TARGET)
    for warning in caught:
        if "'and' and 'or'" in str(warning.message):
            raise DoubtfulMask(str(warning.message))
