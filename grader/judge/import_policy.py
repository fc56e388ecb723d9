"""The import policy: a static check that an answer does not use the code that counts and judges it.

An answer and the ledger are in the same process, and Python cannot hide objects within a process. So an answer that
names internals of Python or of the interpreter is refused. The check reads the text and executes nothing. Names made
at run time are checked at their use (worker/runner.py). This is a minimum and not a proof; the sandbox protects the
machine.
"""

from __future__ import annotations

import ast

from ..checks.syntax import parse
from ..protocol.forbidden_names import inner

_MODULES = frozenset(
    "__future__ torch triton math cmath numpy statistics fractions decimal numbers random itertools functools operator "
    "collections typing dataclasses enum abc copy re string sys time warnings contextlib bisect heapq json textwrap "
    "matplotlib".split()
)
_COURSE_MODULES = ("grader.fast", "grader.simulated")  # an exercise lists those that exist in its worker
# Special methods that an answer may define. Others, such as __getattr__, change the meaning of reading an attribute.
_DEFINABLE = frozenset(
    "__all__ __init__ __call__ __repr__ __str__ __eq__ __hash__ __len__ __iter__ __next__ __getitem__ __contains__ "
    "__enter__ __exit__ __post_init__ __add__ __mul__ __sub__ __neg__ __truediv__ __lt__ __slots__ __version__".split()
)
# Builtins that are refused, even where an answer defines the same name.
_BUILTIN = frozenset(
    "open eval exec compile globals locals vars breakpoint setattr delattr "
    "__import__ __builtins__ __loader__ __spec__".split()
)


def reaches(source: str) -> str | None:
    """The first forbidden name in the text of an answer, or a phrase for a forbidden construct; None without one.

    source: Python text. None also for a text that does not parse, because it does not run either.
    """
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # it does not run either
    own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    own |= {n.name for n in ast.walk(tree) if isinstance(n, _DEFINITIONS)}
    return next((violation for node in ast.walk(tree) if (violation := _violation(node, own))), None)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _violation(node: ast.AST, own: set[str]) -> str | None:
    """The forbidden name in one node, None without one. own: names that the answer defines."""
    match node:
        case ast.Import(names=names):
            return next((a.name for a in names if not _may_import(a.name)), None)
        case ast.ImportFrom(module=module, names=names):
            return next((n for n in (f"{module}.{a.name}" for a in names) if not _may_import(n)), None)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
            return name if name.startswith("__") and name.endswith("__") and name not in _DEFINABLE else None
        case ast.Name(id=name):
            return name if name in _BUILTIN or (not name.startswith("_") and inner(name) and name not in own) else None
        case ast.Attribute(attr=name, value=ast.Name(id="self" | "cls" | "ctx")):
            return name if name.startswith("__") and inner(name) else None
        case ast.Attribute(attr=name):
            return ast.unparse(node)[-80:] if inner(name) else None
        case ast.MatchClass(patterns=[_, *_]):  # the class decides which attributes it reads
            return "a pattern of a class, with attributes by position"
        case ast.MatchClass(kwd_attrs=names):
            return next((name for name in names if inner(name)), None)
        case ast.keyword(arg="weights_only" | "allow_pickle" | "pickle_module" | "assigned" | "updated" as name):
            return name
        case ast.Call(func=ast.Name(id="wraps") | ast.Attribute(attr="wraps"), args=[_, _, *_]):
            return "wraps with more than a function"
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str() as name), *_]):
            return name if inner(name) else None
    return None


def _may_import(name: str) -> bool:
    first, *others = name.split(".")
    if others and others[-1] == "*":  # every name of a module
        return name == "triton.language.*"
    return name.startswith(_COURSE_MODULES) or (first in _MODULES and not any(inner(part) for part in others))
