"""A kernel on the wire: its text, the texts of the functions that it calls, and the meaning of each name that they use.

The sender is untrusted: device_side/kernel_text.py decides on every part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ..sentence import Said


@dataclass
class Global:
    """The object behind a global name, a name of a closure, or a default value.

    kind: "module" is a module of Triton's language, and text its name. "library" is a function, a dtype or a class of
    such a module: text is the module, name the object. "function" is the function at `index` of the program. "plain"
    is the number, text, None, or tuple or list of these in `value`. "named" is a class of named tuples, with
    [names of its fields, default values of the last ones] as its value. "foreign" is everything else: text describes it
    after "this one is", with the kind "value" for a value of the notebook, and name is its own name if it is a module.
    Those of its attributes that mean something else have entries of their own, such as "math.inf". constexpr: whether
    the object is wrapped in a tl.constexpr.
    """

    kind: Literal["module", "library", "function", "plain", "named", "foreign"]
    text: Said = Said("")
    name: str = ""
    index: int = -1
    value: Any = None
    constexpr: bool = False


@dataclass
class KernelFunction:
    """One function. source: text of its def, without decorators and indentation.

    jit: whether it has @triton.jit. constexpr: whether it has @triton.constexpr_function. names: by global name, or by
    a dotted name that begins with one. defaults: by parameter.
    """

    name: str
    source: str
    jit: bool
    names: dict[str, Global] = field(default_factory=dict)
    defaults: dict[str, Global] = field(default_factory=dict)
    constexpr: bool = False


@dataclass
class KernelProgram:
    """A kernel and all functions that it reaches. The first function is the kernel that is launched.

    fields: names of the fields of all named tuples that it uses or gets.
    """

    functions: list[KernelFunction]
    fields: list[str] = field(default_factory=list)
