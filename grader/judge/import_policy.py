"""Whether an answer reaches for what counts and judges it. Its text is read, and nothing is executed.

An answer and the ledger share a process, and in one process Python hides nothing from Python. So an answer is refused
that asks for the interpreter's own workings. Names that are put together at run time are looked at where they are used
(serve.py). A floor and no proof: what an answer may do to the machine is for the sandbox to say.
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
_OF_THE_COURSE = ("grader.fast", "grader.simulated")  # whether they are there is for the exercise to say
# What a class of an answer's may define for Python to call. Others turn reading an attribute into something else.
_DEFINED = frozenset(
    "__all__ __init__ __call__ __repr__ __str__ __eq__ __hash__ __len__ __iter__ __next__ __getitem__ __contains__ "
    "__enter__ __exit__ __post_init__ __add__ __mul__ __sub__ __neg__ __truediv__ __lt__ __slots__ __version__".split()
)
# What Python has without an import: these are refused whatever else an answer calls by their names.
_BUILTIN = frozenset(
    "open eval exec compile globals locals vars breakpoint setattr delattr "
    "__import__ __builtins__ __loader__ __spec__".split()
)


def reaches(source: str) -> str | None:
    """What an answer's text reaches for that is none of its business; None for nothing. source: Python."""
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # it does not run either
    own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    own |= {n.name for n in ast.walk(tree) if isinstance(n, _DEFINITIONS)}
    return next((found for node in ast.walk(tree) if (found := _found(node, own))), None)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _found(node: ast.AST, own: set[str]) -> str | None:
    match node:
        case ast.Import(names=names):
            return next((a.name for a in names if not _may_import(a.name)), None)
        case ast.ImportFrom(module=module, names=names):
            return next((n for n in (f"{module}.{a.name}" for a in names) if not _may_import(n)), None)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
            return name if name.startswith("__") and name.endswith("__") and name not in _DEFINED else None
        case ast.Name(id=name):
            return name if name in _BUILTIN or (not name.startswith("_") and inner(name) and name not in own) else None
        case ast.Attribute(attr=name, value=ast.Name(id="self" | "cls" | "ctx")):
            return name if name.startswith("__") and inner(name) else None
        case ast.Attribute(attr=name):
            return ast.unparse(node)[-80:] if inner(name) else None
        case ast.MatchClass(patterns=[_, *_]):  # which attributes these read is for the class to say
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
    if others and others[-1] == "*":  # all that a module happens to hold
        return name == "triton.language.*"
    return name.startswith(_OF_THE_COURSE) or (first in _MODULES and not any(inner(part) for part in others))
