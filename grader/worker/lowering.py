"""Triton's real front end, without a GPU: lowers a kernel as a compile would, and reports what it refuses.

The interpreter takes any Python: `and` between masks, a PyTorch call inside a kernel, a loop variable that changes
its type. A GPU takes none of them. Lowering stops at Triton's own intermediate language, so nothing is assembled and
no driver is needed.
"""

from __future__ import annotations

import inspect
import warnings

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
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.compiler.compiler import make_backend
    from triton.runtime import JITFunction

    if not isinstance(kernel, JITFunction):
        return False
    constants = {k: decode(v) for k, v in constants.items()}
    options = {k: decode(v) for k, v in options.items() if k in _OPTIONS}
    types = {name: signature.get(name, "constexpr") for name in kernel.arg_names}
    source = ASTSource(kernel, signature=types, constexprs=constants)
    target = GPUTarget(*_TARGET)
    backend = make_backend(target)
    parsed = backend.parse_options(options)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    known = {
        "target": target, "options": parsed, "context": context, "module_map": backend.get_module_map(),
        "codegen_fns": backend.get_codegen_implementation(parsed),
    }  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        source.make_ir(**{name: known[name] for name in inspect.signature(source.make_ir).parameters})
    for warning in caught:
        if "'and' and 'or'" in str(warning.message):
            raise DoubtfulMask(str(warning.message))
    return True
