"""What Triton's code generator visited of a kernel for one launch, and what it took for a constant there.

A kernel is two programs in one text: what the interpreter runs, and what the compiler makes of the types and constants
of a launch. The compiler leaves out a branch whose condition it knows, and what follows a `return`. So each launch is
lowered first, a `Visits` takes note of the nodes on the way, and device_side/as_compiled.py runs these alone.

A function that is called with other types or constants is another one to the compiler, a specialisation. Each round of
a loop that it unrolls is visited anew. So a node is known by the specialisation, the numbers of the rounds around it,
and its place: line and column where it begins and ends, counted from the `def`, and its type. A value is known by its
key: lists of text and numbers, which travel as JSON.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import triton.language as tl

from ..interpreter.triton_private import visits_told
from ..sentence import said

_FUNCTIONS = "<kernel "  # how the file names of device_side/kernel_text.py begin
_MOST = 50_000  # nodes of a kernel: of a loop that the compiler unrolls, each round has its own
_CLOSE = 1e-5  # relative: the interpreter may hold in float32 what the compiler computes in float64

# Of each specialisation, the kernel first: [file name of the function, places, calls].
# places: [place, [[rounds, key of the value], ...]]; the key is None where the value is no constant.
# calls: [place, rounds, [file name of the called function, index of its specialisation]].
Nodes = list[list]


class Lowered(NamedTuple):
    """What became of a kernel for one launch. largest, loads: as in spec.Launch."""

    nodes: Nodes
    largest: int
    loads: int


def place(node: ast.AST) -> str:
    """The place of a node in the text of its function."""
    return f"{node.lineno}:{node.col_offset}:{node.end_lineno}:{node.end_col_offset}:{type(node).__name__}"


def key(value) -> list | None:
    """The key of a value that is a constant: a number, a text, None, a dtype, or a tuple of them. None for any other.

    A number may be in a block with one element: the interpreter makes one of every number that has a name.
    """
    value = getattr(value, "value", None) if type(value) is tl.constexpr else value
    if value is None:
        return ["none"]
    data = getattr(value.handle, "data", None) if isinstance(value, tl.tensor) else None
    if type(data) is np.ndarray and data.size == 1 and data.dtype.kind in "biuf":
        value = data.reshape(()).item()
    if isinstance(value, (bool, int, np.integer, np.bool_)):
        return ["number", str(int(value))]
    if isinstance(value, (float, np.floating)):
        return ["number", repr(float(value))]
    if isinstance(value, str):
        return ["text", value]
    if isinstance(value, tl.dtype) and not isinstance(value, tl.block_type):
        return ["type", str(value)]
    if isinstance(value, (tuple, list)) or type(value).__name__ == "tuple":
        return ["tuple", *map(key, value)]
    return None


def same(known: list | None, seen: list | None) -> bool:
    """Whether a value of the interpreter is the one that the compiler knows. Both are keys."""
    if known is None or known == seen:
        return True
    if seen is None or known[0] != seen[0] or len(known) != len(seen):
        return False
    if known[0] == "tuple":
        return all(map(same, known[1:], seen[1:]))
    return known[0] == "number" and _close(known[1], seen[1])


def _close(known: str, seen: str) -> bool:
    try:
        return int(known) == int(seen)
    except ValueError:
        one, other = float(known), float(seen)
    with np.errstate(over="ignore"):
        return bool(np.isclose(np.float32(one), np.float32(other), rtol=_CLOSE, atol=0, equal_nan=True))


class TooMany(ValueError):
    """A kernel with more nodes than anybody writes: the compiler unrolls its loops."""


class Visits:
    """Takes note of one lowering.

    too_many: the error that ended it, where there were too many nodes. The compiler raises its own in its place.
    """

    def __init__(self):
        self.too_many: TooMany | None = None
        self._functions: dict[str, _Function] = {}  # by the name that the compiler gives to a specialisation
        self._path: list[tuple[object, ast.AST]] = []  # the nodes that are being visited, innermost last
        self._count = 0

    @contextlib.contextmanager
    def told(self) -> Iterator[Visits]:
        """Take note of all visits inside the block."""
        with visits_told(self._enter, self._leave, self._call):
            yield self

    @property
    def nodes(self) -> Nodes:
        """All that was visited so far."""
        numbers = {name: number for number, name in enumerate(self._functions)}
        return [
            [
                function.file,
                [[at, [[[*rounds], known] for rounds, known in each.items()]] for at, each in function.places.items()],
                [
                    [at, [*rounds], [self._functions[name].file, numbers[name]]]
                    for (at, rounds), called in function.calls.items()
                    for name in called
                    if name in numbers
                ],
            ]
            for function in self._functions.values()
        ]

    def _of(self, generator) -> _Function | None:
        """The record of the function that a generator visits; None for one of Triton's own."""
        if not generator.file_name.startswith(_FUNCTIONS):
            return None
        if generator.function_name not in self._functions:
            self._functions[generator.function_name] = _Function(generator.file_name)
        return self._functions[generator.function_name]

    def _enter(self, generator, node: ast.AST) -> None:
        above = self._path[-1][1] if self._path and self._path[-1][0] is generator else None
        self._path.append((generator, node))
        function = self._of(generator)
        if function is None or not _has_place(node):
            return
        if isinstance(above, ast.For) and node is above.body[0] and place(above) in function.unrolled:
            function.begin_round(above)
        elif isinstance(above, ast.ListComp) and node is [*above.generators[0].ifs, above.elt][0]:
            function.begin_round(above)
        elif isinstance(above, ast.For) and node is above.body[0]:
            function.forget(above.body)
        elif isinstance(above, ast.While) and node is above.test:
            function.forget([above.test, *above.body])
        if isinstance(node, ast.stmt):
            self._keep(function, node, None)

    def _leave(self, generator, node: ast.AST, value) -> None:
        while self._path.pop()[1] is not node:  # those above it ended with an error
            pass
        function = self._of(generator)
        if function is None or not _has_place(node):
            return
        path = [each for mine, each in self._path if mine is generator]
        if value is tl.static_range and path and isinstance(path[-1], ast.For):
            function.unrolled.add(place(path[-1]))
        if isinstance(node, (ast.For, ast.ListComp)):
            function.end_rounds(node)
        if isinstance(node, ast.expr):
            self._keep(function, node, key(value))
        if isinstance(node, ast.Return) and not any(map(function.may_run, path)):
            function.returned = True

    def _call(self, name: str) -> None:
        """A call of a function with @triton.jit begins. name: what the compiler calls its specialisation."""
        generator, node = self._path[-1]
        function = self._of(generator)
        if function is not None and _has_place(node) and not function.returned:
            function.calls.setdefault((place(node), function.now), {})[name] = True

    def _keep(self, function: _Function, node: ast.AST, known: list | None) -> None:
        if function.returned:
            return
        self._count += 1
        if self._count > _MOST:
            self.too_many = TooMany(said("it unrolls the loops of this kernel into over {most} nodes", most=_MOST))
            raise self.too_many
        function.places.setdefault(place(node), {})[function.now] = known


class _Function:
    """What was visited of one specialisation of a function.

    places, calls: as in Nodes, by the rounds of the loops around. unrolled: places of loops. returned: whether it met a
    `return` on the only way: the rest is dead code.
    """

    def __init__(self, file: str):
        self.file = file
        self.places: dict[str, dict[tuple[int, ...], list | None]] = {}
        self.calls: dict[tuple[str, tuple[int, ...]], dict[str, bool]] = {}
        self.unrolled: set[str] = set()
        self.returned = False
        self._rounds: list[tuple[ast.AST, int]] = []  # of the loops that are being unrolled, outermost first

    @property
    def now(self) -> tuple[int, ...]:
        """The rounds of the unrolled loops that are being visited."""
        return tuple(number for _, number in self._rounds)

    def begin_round(self, loop: ast.AST) -> None:
        """Take note that the next round of an unrolled loop begins."""
        again = bool(self._rounds) and self._rounds[-1][0] is loop
        number = self._rounds.pop()[1] + 1 if again else 0
        self._rounds.append((loop, number))

    def end_rounds(self, loop: ast.AST) -> None:
        """Take note that a loop ends."""
        if self._rounds and self._rounds[-1][0] is loop:
            self._rounds.pop()

    def forget(self, nodes: list) -> None:
        """Forget an earlier visit of a part of a loop: the compiler throws away what it made of it."""
        if nodes and self.now in self.places.get(place(nodes[0]), {}):
            now, places = self.now, {place(each) for node in nodes for each in ast.walk(node) if _has_place(each)}
            for at in places:
                found = self.places.get(at, {})
                for rounds in [each for each in found if each[: len(now)] == now]:
                    del found[rounds]
            for at, rounds in [(at, rounds) for at, rounds in self.calls if at in places]:
                if rounds[: len(now)] == now:
                    del self.calls[at, rounds]

    def may_run(self, node: ast.AST) -> bool:
        """Whether the compiler leaves open how often the statements in this node run."""
        if isinstance(node, ast.For):
            return place(node) not in self.unrolled
        if isinstance(node, ast.If):
            return all(known is None for known in [*self.places.get(place(node.test), {}).values()][-1:])
        return isinstance(node, ast.While)


def _has_place(node: ast.AST) -> bool:
    """Whether a node stands in the text: what the compiler itself adds to a tree does not."""
    return isinstance(node, (ast.expr, ast.stmt)) and hasattr(node, "lineno")
