"""A kernel for the interpreter that is what Triton's compiler made of it for one launch, and nothing else.

Statements that the compiler left out are gone, and whoever comes to their place is refused. A value that is a constant
to the compiler has to be the same one in the interpreter. So what ran is what was compiled: no list of the ways in
which the two tell each other apart is needed.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
from collections.abc import Iterator

from ..interpreter.state import KernelMisuse
from ..interpreter.triton_private import in_place_of, remade
from ..sentence import fault, said
from .kernel_text import Admitted
from .visited import Nodes, contexts, key, place, same

# Names that no text of a kernel can use.
_LEFT_OUT, _KNOWN, _VALUE = "__left_out", "__known", "__value"


class AsCompiled:
    """The functions of one program, as the compiler took them for one launch. The first one is the kernel.

    nodes: what it visited of them.
    """

    def __init__(self, functions: list[Admitted], nodes: Nodes):
        self._made, self._checks = {}, {}
        for number, each in enumerate(functions):
            if each.jit:
                reader = _Reader(nodes.get(each.file, {}), each.text, called=number > 0)
                function = remade(each.kernel, reader.tree())
                if function is not None:
                    self._made[each.kernel], self._checks[each.kernel] = function, reader.check

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """Let the interpreter run these functions inside the block."""
        for kernel, check in self._checks.items():
            kernel.fn.__globals__.update({_LEFT_OUT: _left_out, _VALUE: _value, _KNOWN: check})
        with in_place_of(self._made):
            yield


class _Reader(ast.NodeTransformer):
    """The reader of one function. nodes: its places. text: of it. called: whether other functions call it."""

    def __init__(self, nodes: dict[str, list], text: str, called: bool):
        self._nodes, self._called = nodes, called
        self._contexts, self._module = contexts(text, called), ast.parse(text)
        self._constants: list[_Constant] = []
        self._fixed: set[str] = set()  # names that are a constant of the launch wherever they stand

    def check(self, number: int, value, *around):
        """The value of a node that is a constant to the compiler. Raises KernelMisuse where it is another one."""
        return self._constants[number].check(value, around)

    def tree(self) -> ast.Module:
        """The function as the compiler took it."""
        (function,) = self._module.body
        if not self._called:
            bound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not _is_read(node)}
            self._fixed = {each.arg for each in function.args.args} - bound
        function.body = self._statements(function.body)
        return ast.fix_missing_locations(self._module)

    def _statements(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Those up to the first one that the compiler left out, and a refusal in its place."""
        visited = list(itertools.takewhile(lambda each: place(each) in self._nodes, statements))
        left = statements[len(visited) :][:1]
        refusals = [ast.copy_location(ast.Expr(_call(_LEFT_OUT, each)), each) for each in left]
        return [*map(self.visit, visited), *refusals]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        at = place(node) if isinstance(node, ast.expr) else ""
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, field, self._statements(value))
            elif isinstance(value, list):
                setattr(node, field, [self.visit(each) if isinstance(each, ast.AST) else each for each in value])
            elif isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
        return self._checked(node, at) if at and _is_read(node) else node

    def visit_For(self, node: ast.For) -> ast.For:
        """A loop. The compiler visits the arguments of its range, and not the call."""
        node.iter.args = [self.visit(each) for each in node.iter.args]
        for each in node.iter.keywords:
            each.value = self.visit(each.value)
        node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """An attribute. `.value` of a constant is the constant itself, which has no wrapper in the interpreter."""
        if node.attr == "value" and self._nodes.get(place(node.value), [True, []])[1]:
            return ast.copy_location(_call(_VALUE, node, self.visit(node.value)), node)
        return self.generic_visit(node)

    def _checked(self, node: ast.expr, at: str) -> ast.expr:
        """An expression, with a check of its value where the compiler knew it. at: its place."""
        if at not in self._nodes:
            return ast.copy_location(_call(_LEFT_OUT, node), node) if isinstance(node, ast.Call) else node
        varies, constants = self._nodes[at]
        if not constants or isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in self._fixed):
            return node
        self._constants.append(_Constant(varies, constants))
        names = [ast.Name(name, ast.Load()) for name in self._contexts[at]]
        number = ast.Constant(len(self._constants) - 1)
        return ast.copy_location(_call(_KNOWN, node, number, node, *names), node)


class _Constant:
    """What the compiler knew of one node. varies, constants: as in visited.Nodes."""

    def __init__(self, varies: bool, constants: list):
        self._varies, self._by_context = varies, {repr(around): keys for around, keys in constants}
        self._any = [one for keys in self._by_context.values() for one in keys]
        self._whole = set()  # whole numbers that it may be wherever it is
        if not varies and len(self._by_context) == 1:
            self._whole = {
                int(number) for kind, *rest in self._any if kind == "number" for number in rest if _is_whole(number)
            }

    def check(self, value, around: tuple):
        """The value, if it is right for the values around it. Raises KernelMisuse."""
        if type(value) is int and value in self._whole:
            return value
        seen, keys = key(value), self._by_context.get(repr([*map(key, around)]))
        if keys is None:
            if self._varies:
                return value
            keys = self._any
        if not any(same(known, seen) for known in keys):
            raise KernelMisuse(
                fault(
                    "not-compiled",
                    "to Triton's compiler, a value in this line is {known}, and in the interpreter it is {seen}",
                    known=_in_words(keys[0]),
                    seen=_in_words(seen),
                )
            )
        return value


def _is_whole(number: str) -> bool:
    return number.lstrip("-").isdigit()


def _in_words(one: list | None) -> str:
    return said("something else") if one is None else one[-1] if len(one) == 2 else str(one)


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), (ast.Load, type(None)))


def _call(name: str, at: ast.expr | ast.stmt, *arguments: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), list(arguments), []), at)


def _left_out():
    raise KernelMisuse(
        fault(
            "not-compiled",
            "the interpreter comes to a line that Triton's compiler leaves out for the arguments of this launch",
        )
    )


def _value(constant):
    return getattr(constant, "value", constant)
