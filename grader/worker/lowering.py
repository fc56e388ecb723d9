"""Triton's real front end, without a GPU: lowers a kernel as a compile would, and reports what it refuses.

The interpreter takes any Python: `and` between masks, a PyTorch call inside a kernel, a loop variable that changes
its type. A GPU takes none of them. Lowering stops at Triton's own intermediate language, so nothing is assembled and
no driver is needed.
"""

from __future__ import annotations

import warnings

from ..interpreter.triton_private import is_jit, make_ir
from ..protocol.values import decode

# Any GPU Triton knows would do; the front end refuses the same programs for all of them.
_TARGET = ("cuda", 80, 32)
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class DoubtfulMask(TypeError):
    """`and` or `or` between blocks of values."""


def lower(kernel, signature: dict, constants: dict, options: dict) -> bool:
    """Lower a kernel to Triton's intermediate language. Raises whatever the front end raises.

    False when there is nothing to lower: the name leads to no function under @triton.jit.

    signature: Triton type by argument name. constants, options: encoded values by name.
    """
    if not is_jit(kernel):
        return False
    constants = {k: decode(v) for k, v in constants.items()}
    options = {k: decode(v) for k, v in options.items() if k in _OPTIONS}
    types = {name: signature.get(name, "constexpr") for name in kernel.arg_names}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make_ir(kernel, types, constants, options, _TARGET)
    for warning in caught:
        if "'and' and 'or'" in str(warning.message):
            raise DoubtfulMask(str(warning.message))
    return True
