"""The text of a kernel with everything that it reaches: the meanings of its names, and the functions that it calls.

This runs in the process of the answer and protects nothing: device_side/kernel_text.py decides on what arrives.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import math
import textwrap
import types
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import torch

from ..interpreter.triton_private import is_kernel, kernel_language
from ..protocol.kernels import Global, KernelFunction, KernelProgram
from ..sentence import fault, said

_OWNERS = {
    "torch": fault("library", "PyTorch's"),
    "numpy": fault("library", "NumPy's"),
    "math": fault("library", "Python's"),
    "cmath": fault("library", "Python's"),
    "builtins": fault("library", "Python's"),
}
_MISSING = object()


class UnreadableKernel(TypeError):
    """The text of a function that a kernel reaches cannot be found."""


def collect(function: types.FunctionType, arguments: Iterable = ()) -> KernelProgram:
    """A kernel as text, with all functions that it reaches through names and default values.

    function: the plain Python function of the kernel, the `.fn` of Triton's object. arguments: of its launch, whose
    named tuples have fields. Functions with @triton.jit are
    followed wherever they are defined, other functions within the module of the function that uses them. A name that
    is not defined has no meaning in the result. Raises UnreadableKernel.
    """
    found = _Functions()
    found.index(function, jit=True)
    for value in arguments:
        found.take_fields(value)
    return KernelProgram(found.functions, sorted(found.fields))


class _Functions:
    """The functions found so far, in the order in which they were reached."""

    def __init__(self):
        self.functions: list[KernelFunction] = []
        self.fields: set[str] = set()
        self._indices: dict[types.FunctionType, int] = {}

    def index(self, function: types.FunctionType, jit: bool, constexpr: bool = False) -> int:
        """The place of a function. A new one gets its place before it is read, so that recursion ends."""
        function = inspect.unwrap(function)
        if function not in self._indices:
            self._indices[function] = len(self.functions)
            text = _text(function)
            source, dotted_names = _with_constants(function, text)
            found = KernelFunction(text.name, source, jit, constexpr=constexpr)
            self.functions.append(found)
            for root, attributes in dotted_names:
                value = _value(function, root)
                if value is not _MISSING:
                    self._follow(root, value, attributes, function, found.names)
            defaults = [(p.name, p.default) for p in inspect.signature(function).parameters.values()]
            given = [(name, value) for name, value in defaults if value is not inspect.Parameter.empty]
            found.defaults = {name: self._meaning(value, function) for name, value in given}
        return self._indices[function]

    def take_fields(self, value) -> None:
        """Take note of the fields of the named tuples in an argument of a launch."""
        if isinstance(value, tuple):
            self.fields.update(getattr(value, "_fields", ()))
            for each in value:
                self.take_fields(each)

    def _follow(self, name: str, value, attributes: list[str], user, names: dict[str, Global]) -> None:
        """Add the meanings of a dotted name and of its beginnings, as far as they are foreign. user: as in _meaning."""
        if name not in names:
            names[name] = self._meaning(value, user)
        if names[name].kind == "foreign" and attributes:
            try:
                value = getattr(value, attributes[0])
            except Exception:  # an attribute of an answer's object may raise anything
                return
            self._follow(f"{name}.{attributes[0]}", value, attributes[1:], user, names)

    def _meaning(self, value, user: types.FunctionType) -> Global:
        """The meaning of one object. user: the function that uses it."""
        if id(value) in _library():
            return _library()[id(value)]
        if type(value) is kernel_language()["triton.language"].object.constexpr:
            inner = self._meaning(value.value, user)
            return replace(inner, constexpr=inner.kind != "foreign")
        function, jit, constexpr = _function(value)
        if function is not None and (jit or constexpr or function.__globals__ is user.__globals__):
            return Global("function", index=self.index(function, jit, constexpr))
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            defaults = _plain(list(value._field_defaults.values()))
            if defaults is not _MISSING:
                self.fields.update(value._fields)
                return Global("named", value=[list(value._fields), defaults])
        plain = _plain(value)
        return (
            Global("foreign", _description(value), _module_name(value))
            if plain is _MISSING
            else Global("plain", value=plain)
        )


@functools.cache
def _library() -> dict[int, Global]:
    """The meanings of the modules and objects of Triton's language, by id."""
    found: dict[int, Global] = {}
    for module, place in kernel_language().items():
        above, _, last = module.rpartition(".")
        # Triton imports triton.language.extra.cuda twice, and the package has another one than sys.modules.
        twin = getattr(kernel_language()[above].object, last, place.object) if above else place.object
        for each in (place.object, twin):
            found[id(each)] = Global("module", module)
        for name in sorted(place.names):
            if type(getattr(place.object, name)) is not int:
                found.setdefault(id(getattr(place.object, name)), Global("library", module, name))
    return found


class _Text(NamedTuple):
    """The text of a function without decorators. constants: calls in it, in one line, that use no local name."""

    name: str
    source: str
    tree: ast.FunctionDef
    dotted_names: list[tuple[str, list[str]]]
    constants: list[ast.expr]


@functools.lru_cache(maxsize=256)
def _text(function: types.FunctionType) -> _Text:
    """The text of a function. Raises UnreadableKernel."""
    name = getattr(function, "__name__", said("a function"))
    try:
        text = textwrap.dedent("".join(inspect.getsourcelines(function)[0]))
        (tree,) = ast.parse(text).body
    except (OSError, TypeError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        message = said(
            "the text of {name} cannot be read: define it with `def` in the text of the answer ({error})",
            name=name,
            error=error,
        )
        raise UnreadableKernel(message) from None
    if not isinstance(tree, ast.FunctionDef):
        raise UnreadableKernel(said("{name} is no function with a `def` of its own", name=name))
    text = _without_annotations(text, tree)
    (tree,) = ast.parse(text).body
    tree.decorator_list = []
    source = "\n".join(text.split("\n")[tree.lineno - 1 : tree.end_lineno])
    return _Text(tree.name, source, tree, list(_dotted_names(tree)), list(_constants(tree, function)))


def _without_annotations(text: str, tree: ast.FunctionDef) -> str:
    """The text with blanks for the annotations of local variables but constexpr: to Triton they mean nothing."""
    lines = text.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, ast.AnnAssign) or not node.value or node.lineno != node.annotation.end_lineno:
            continue
        start, end = node.target.end_col_offset, node.annotation.end_col_offset
        if not ast.unparse(node.annotation).strip("'").endswith("constexpr"):
            line = lines[node.lineno - 1].encode()
            lines[node.lineno - 1] = (line[:start] + b" " * (end - start) + line[end:]).decode()
    return "\n".join(lines)


def _constants(node: ast.AST, function: types.FunctionType) -> Iterator[ast.expr]:
    """The largest expressions that call a foreign object and use no local name, such as torch.finfo(...).min."""
    for child in ast.iter_child_nodes(node):
        called = child
        while isinstance(called, ast.Attribute):
            called = called.value
        if isinstance(called, ast.Call) and child.lineno == child.end_lineno and _is_constant(child, function):
            yield child
        else:
            yield from _constants(child, function)


def _is_constant(node: ast.expr, function: types.FunctionType) -> bool:
    names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
    values = [_value(function, name) for name in names]
    foreign = isinstance(values[0], types.ModuleType) and id(values[0]) not in _library() if names else False
    return foreign and all(value is not _MISSING or hasattr(builtins, name) for name, value in zip(names, values))


def _with_constants(function: types.FunctionType, text: _Text) -> tuple[str, list[tuple[str, list[str]]]]:
    """(the text with numbers in the place of its constant calls, the dotted names that are left).

    Triton's compiler calls any function whose arguments are constants, so the text of such a call is a number.
    """
    lines, places = text.source.split("\n"), []
    for node in text.constants:
        names = function.__globals__ | inspect.getclosurevars(function).nonlocals
        try:
            number = eval(compile(ast.Expression(node), "<constant>", "eval"), names)
        except Exception:  # the device says what is wrong with the text
            continue
        if isinstance(number, (bool, int, float)):
            places.append(
                (node, f"({number!r})" if number == number and abs(number) != math.inf else f'float("{number}")')
            )
    if not places:
        return text.source, text.dotted_names
    for node, number in sorted(places, key=lambda place: -place[0].col_offset):
        row = node.lineno - text.tree.lineno
        line = lines[row].encode()
        lines[row] = (line[: node.col_offset] + number.encode() + line[node.end_col_offset :]).decode()
    source = "\n".join(lines)
    return source, list(_dotted_names(ast.parse(source)))


def _dotted_names(tree: ast.AST) -> Iterator[tuple[str, list[str]]]:
    """(name, attributes after it) of each name that is read, and of each attribute of one."""
    for node in ast.walk(tree):
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id, attributes


def _value(function: types.FunctionType, name: str):
    """The object of a global name or of a name of the closure; _MISSING for any other name."""
    code = function.__code__
    if name in code.co_varnames or name in code.co_cellvars:
        return _MISSING
    if name in code.co_freevars:
        cell = function.__closure__[code.co_freevars.index(name)]
        try:
            return cell.cell_contents
        except ValueError:  # not assigned yet
            return _MISSING
    return function.__globals__.get(name, _MISSING)


def _function(value) -> tuple[types.FunctionType | None, bool, bool]:
    """(the Python function in an object of Triton's or in itself, whether it has @triton.jit, constexpr_function)."""
    jit, constexpr = False, type(value).__name__ == "ConstexprFunction"
    while type(value).__module__.startswith("triton.") and hasattr(value, "fn"):
        jit = jit or is_kernel(value)
        value = value.fn
    return (inspect.unwrap(value) if isinstance(value, types.FunctionType) else None), jit, constexpr


def _plain(value):
    """A number, text, None, or a tuple or list of them, in Python's own types; _MISSING for any other object."""
    if isinstance(value, bool | int | float | str | None):
        return value
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        return _plain(value.item())
    if type(value) in (tuple, list):
        parts = [_plain(part) for part in value]
        return _MISSING if any(part is _MISSING for part in parts) else type(value)(parts)
    return _MISSING


def _module_name(value) -> str:
    return value.__name__ if isinstance(value, types.ModuleType) else ""


def _description(value) -> str:
    """A phrase for an object that no kernel may use, to follow "this one is"."""
    if isinstance(value, torch.Tensor):
        return fault("value", "a value of the notebook, a tensor")
    if type(value).__module__ == "builtins" and not callable(value) and not isinstance(value, types.ModuleType):
        return fault("value", "a value of the notebook, of the type {name}", name=type(value).__name__)
    home = _module_name(value) or getattr(value, "__module__", None)
    home = home or getattr(getattr(value, "__self__", None), "__module__", None) or type(value).__module__
    package = str(home).partition(".")[0]
    if package in _OWNERS:
        return _OWNERS[package]
    return (
        said("of the module {package}", package=package)
        if callable(value) or _module_name(value)
        else fault("value", "a value of the notebook, of the type {name}", name=type(value).__name__)
    )
