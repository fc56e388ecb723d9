"""A kernel for the interpreter that is what Triton's compiler made of it for one launch, and nothing else.

Statements that the compiler left out are gone, and whoever comes to their place is refused. A value that is a constant
to the compiler has to be the same one in the interpreter. So what ran is what was compiled: no list of the ways in
which the two tell each other apart is needed.

The interpreter keeps to the same specialisations as the compiler: each function knows by the call that led to it which
one it is, and in which round of each unrolled loop.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..interpreter.compat import counted
from ..interpreter.state import KernelMisuse
from ..interpreter.triton_private import in_place_of, remade
from ..sentence import fault, said
from .kernel_text import Admitted
from .visited import Nodes, key, place, same

# Names that no text of a kernel can use.
_LEFT_OUT, _VISITED, _KNOWN, _VALUE = "__left_out", "__visited", "__known", "__value"
_ROUNDS, _ROUND, _WHICH = "__rounds", "__round", "__which"
_CALLED, _ENTERED, _LEFT = "__called", "__entered", "__left"

# Where a node is: the index of a specialisation, and the rounds of the unrolled loops around.
Context = tuple[int, ...]


class Remade(NamedTuple):
    """A function of the interpreter; the places whose values it checks or whose visit, and those of its calls."""

    function: Callable
    checks: list[tuple[str, bool]]
    calls: list[str]


class AsCompiled:
    """The functions of one program, as the compiler took them for one launch. The first one is the kernel.

    nodes: what it visited of them. made: functions of earlier launches, for those that differ in their constants alone.
    """

    def __init__(self, functions: list[Admitted], nodes: Nodes, made: dict[tuple, Remade]):
        self._begin = {functions[0].file: 0}
        self._callees, self._callers = self._begin, []
        calls = any(called for _, _, called in nodes)
        self._made, self._names = {}, {}
        for each in functions:
            if each.jit:
                reader = _Reader(each, nodes, calls)
                if reader.shape not in made:
                    function = remade(each.kernel, reader.tree())
                    if function is None:
                        continue
                    function.catches_nothing = True  # its only `try` is that of `_Reader.tree`, with a `finally`
                    made[reader.shape] = Remade(function, reader.checks, reader.called)
                found = made[reader.shape]
                reader.fill(found.checks, found.calls)
                self._made[each.kernel] = found.function
                self._names[each.kernel] = {
                    _LEFT_OUT: _left_out, _VALUE: _value, _ROUNDS: enumerate, _VISITED: reader.visited,
                    _KNOWN: reader.known, _CALLED: functools.partial(self._called, reader.calls),
                    _ENTERED: functools.partial(self._entered, each.file), _LEFT: self._left,
                }  # fmt: skip

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """Let the interpreter run these functions inside the block."""
        self._callees, self._callers = self._begin, []
        for kernel, names in self._names.items():
            kernel.fn.__globals__.update(names)
        with in_place_of(self._made):
            yield

    def _called(self, calls: list[dict[Context, dict[str, int]]], number: int, function, *context: int) -> Callable:
        """A function that is called in a context, and may call others of the program."""
        return functools.partial(self._call, calls[number].get(context, {}), function)

    def _call(self, callees: dict[str, int], function, *args, **kwargs):
        before, self._callees = self._callees, callees
        try:
            return function(*args, **kwargs)
        finally:
            self._callees = before

    def _entered(self, file: str) -> int:
        """The specialisation of a function that begins: the call says which. Raises KernelMisuse."""
        if file not in self._callees:
            _left_out()
        which = self._callees[file]
        self._callers.append(self._callees)
        self._callees = {}
        return which

    def _left(self) -> None:
        self._callees = self._callers.pop()


class _Reader(ast.NodeTransformer):
    """The reader of one function. nodes: of the program. calls: whether its functions call each other.

    shape: all that its tree depends on; two readers of one shape differ in the constants alone. checks, called: places,
    in the order of the numbers that the tree has for them. With True, the value there is checked, and not the visit.
    """

    def __init__(self, function: Admitted, nodes: Nodes, calls: bool):
        self._text, self._is_called = function.text, calls
        self._places: dict[str, dict[Context, list | None]] = {}
        self._calls: dict[str, dict[Context, dict[str, int]]] = {}
        for which, (file, places, called) in enumerate(nodes):
            for at, found in places if file == function.file else ():
                self._places.setdefault(at, {}).update({(which, *rounds): known for rounds, known in found})
            for at, rounds, (callee, number) in called if file == function.file else ():
                self._calls.setdefault(at, {}).setdefault((which, *rounds), {})[callee] = number
        self._constants: list[dict[Context, _Constant | None]] = []
        self.calls: list[dict[Context, dict[str, int]]] = []
        self.checks: list[tuple[str, bool]] = []
        self.called: list[str] = []
        self._here: set[Context] = {(which,) for which, (file, *_) in enumerate(nodes) if file == function.file}
        self._loops = 0  # unrolled ones around
        self._fixed: set[str] = set()  # names that are a constant of the launch wherever they stand
        self.shape = (
            function.file, calls, frozenset(self._here), frozenset(self._calls),
            frozenset((at, frozenset(found), _any_known(found)) for at, found in self._places.items()),
        )  # fmt: skip

    def fill(self, checks: list[tuple[str, bool]], called: list[str]) -> None:
        """Take the constants and the calls of these places. checks, called: of a reader of this shape."""
        for at, of_value in checks:
            found = self._places[at]
            known = {each: one and _Constant(one) for each, one in found.items()} if of_value else dict.fromkeys(found)
            self._constants.append(known)
        self.calls = [self._calls[at] for at in called]

    def known(self, number: int, value, *context: int):
        """The value of a node that is a constant to the compiler. Raises KernelMisuse where it is another one."""
        constants = self._constants[number]
        if context not in constants:
            _left_out()
        constant = constants[context]
        return value if constant is None else constant.check(value)

    def visited(self, number: int, *context: int) -> None:
        """Raise KernelMisuse where the compiler left out a statement."""
        if context not in self._constants[number]:
            _left_out()

    def tree(self) -> ast.Module:
        """The function as the compiler took it."""
        module = ast.parse(self._text)
        (function,) = module.body
        bound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not _is_read(node)}
        if not self._is_called:
            self._fixed = {each.arg for each in function.args.args} - bound
        body = self._statements(function.body)
        which = _call(_ENTERED, function) if self._is_called else ast.Constant(0)
        function.body = [ast.Expr(ast.NamedExpr(ast.Name(_WHICH, ast.Store()), which)), *body]
        if self._is_called:
            opening, *body = function.body
            function.body = [opening, ast.Try(body, [], [], [ast.Expr(_call(_LEFT, function))])]
        return ast.fix_missing_locations(module)

    def _statements(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Those up to the first one that the compiler left out, and a refusal in its place.

        A refusal stands also in front of one that it left out in some of the contexts.
        """
        before, read = self._here, []
        for each in statements:
            found = self._places.get(place(each), {})
            if not found:
                read.append(ast.copy_location(ast.Expr(_call(_LEFT_OUT, each)), each))
                break
            if not self._here <= found.keys():
                self.checks.append((place(each), False))
                read.append(ast.copy_location(ast.Expr(self._in_context(_VISITED, each, self._last)), each))
                self._here = self._here & found.keys()
            read.append(self.visit(each))
        self._here = before
        return read

    @property
    def _last(self) -> ast.Constant:
        return ast.Constant(len(self.checks) - 1)

    def _in_context(self, name: str, at: ast.expr | ast.stmt, *arguments: ast.expr) -> ast.Call:
        """A call that gets the context as its last arguments."""
        names = [_WHICH, *(f"{_ROUND}{number}" for number in range(self._loops))]
        return _call(name, at, *arguments, *(ast.Name(each, ast.Load()) for each in names))

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
        with self._rounds_of(node, node.body[0]):
            node.body = self._statements(node.body)
        node.orelse = self._statements(node.orelse)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """A list, whose parts the compiler visits one by one."""
        at, (part, *_) = place(node), node.generators
        part.iter = self.visit(part.iter)
        with self._rounds_of(part, [*part.ifs, node.elt][0]):
            part.ifs = [self.visit(each) for each in part.ifs]
            node.elt = self.visit(node.elt)
        return self._checked(node, at)

    @contextlib.contextmanager
    def _rounds_of(self, loop: ast.For | ast.comprehension, first: ast.expr | ast.stmt) -> Iterator[None]:
        """Number the rounds of a loop if the compiler unrolls it. first: what it visits first in each round."""
        found = self._places.get(place(first), {})
        if not any(len(context) > self._loops + 1 for context in found):
            loop.iter = counted(loop.iter)
            yield
            return
        number = ast.Name(f"{_ROUND}{self._loops}", ast.Store())
        loop.target = ast.copy_location(ast.Tuple([number, loop.target], ast.Store()), loop.target)
        loop.iter = _call(_ROUNDS, loop.iter, loop.iter)
        before, self._here = self._here, set(found)
        self._loops += 1
        yield
        self._loops -= 1
        self._here = before

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """An attribute. `.value` of a constant is the constant itself, which has no wrapper in the interpreter."""
        if node.attr == "value" and _any_known(self._places.get(place(node.value), {})):
            return ast.copy_location(_call(_VALUE, node, self.visit(node.value)), node)
        return self.generic_visit(node)

    def _checked(self, node: ast.expr, at: str) -> ast.expr:
        """An expression, with a check of its value where the compiler knew it. at: its place."""
        found = self._places.get(at, {})
        if not found:
            return ast.copy_location(_call(_LEFT_OUT, node), node) if isinstance(node, ast.Call) else node
        if isinstance(node, ast.Call) and at in self._calls:
            self.called.append(at)
            node.func = self._in_context(_CALLED, node.func, ast.Constant(len(self.called) - 1), node.func)
        in_some = isinstance(node, ast.Call) and not self._here <= found.keys()
        if isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in self._fixed):
            return node
        if not in_some and not _any_known(found):
            return node
        self.checks.append((at, True))
        return ast.copy_location(self._in_context(_KNOWN, node, self._last, node), node)


class _Constant:
    """A value that the compiler knew. known: its key."""

    def __init__(self, known: list):
        self._known = known
        kind, *rest = known
        self._whole = int(rest[0]) if kind == "number" and rest[0].lstrip("-").isdigit() else None

    def check(self, value):
        """The value, if it is this one. Raises KernelMisuse."""
        if type(value) is int and value == self._whole:
            return value
        seen = key(value)
        if not same(self._known, seen):
            raise KernelMisuse(
                fault(
                    "not-compiled",
                    "to Triton's compiler, a value in this line is {known}, and in the interpreter it is {seen}",
                    known=_in_words(self._known),
                    seen=_in_words(seen),
                )
            )
        return value


def _in_words(one: list | None) -> str:
    return said("something else") if one is None else one[-1] if len(one) == 2 else str(one)


def _any_known(found: dict[Context, list | None]) -> bool:
    return any(known is not None for known in found.values())


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
