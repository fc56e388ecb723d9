"""What Triton's code generator visited of a kernel for one launch, and what it took for a constant there.

A kernel is two programs in one text: what the interpreter runs, and what the compiler makes of the types and constants
of a launch. The compiler leaves out a branch whose condition it knows, and what follows a `return`. So each launch is
lowered first, a `Visits` takes note of the nodes on the way, and device_side/as_compiled.py runs these alone.

A node is known by its place: line and column where it begins and ends, counted from the `def`, and its type. A value is
known by its key: lists of text and numbers, which travel as JSON.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Iterator

import numpy as np
import triton.language as tl

from ..interpreter.triton_private import visits_told
from ..sentence import said

_FUNCTIONS = "<kernel "  # how the file names of device_side/kernel_text.py begin
_MOST = 20_000  # constants of a kernel: of a loop that the compiler unrolls, each round has its own
_CLOSE = 1e-5  # relative: the interpreter may hold in float32 what the compiler computes in float64

# {file name of a function: {place: [whether its value varies, [[context, keys], ...]]}}. A context is the keys of the
# names of `contexts`, None for one that is no constant.
Nodes = dict[str, dict[str, list]]


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


@functools.lru_cache(maxsize=512)
def contexts(source: str, called: bool) -> dict[str, tuple[str, ...]]:
    """For each place in a function, the local names on which its constants may depend.

    They are the targets of the loops around it, which the compiler may unroll, and of a function that others call its
    parameters. source: text of the function. called: whether it is one.
    """
    found: dict[str, tuple[str, ...]] = {}

    def walk(node: ast.AST, names: tuple[str, ...]) -> None:
        if isinstance(node, (ast.expr, ast.stmt)):
            found[place(node)] = names
        inner = names
        if isinstance(node, ast.For):
            inner = (*names, *_names(node.target))
        elif isinstance(node, ast.ListComp):
            inner = (*names, *(name for part in node.generators for name in _names(part.target)))
        of_loop = isinstance(node, (ast.For, ast.ListComp))
        for field, children in ast.iter_fields(node):
            for child in children if isinstance(children, list) else [children]:
                if isinstance(child, ast.AST):
                    walk(child, inner if of_loop and field in ("body", "elt") else names)

    (function,) = ast.parse(source).body
    parameters = tuple(each.arg for each in function.args.posonlyargs + function.args.args + function.args.kwonlyargs)
    walk(function, parameters if called else ())
    return found


def _names(target: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


class TooMany(ValueError):
    """A kernel with more constants than anybody reads: the compiler unrolls its loops."""


class Visits:
    """Takes note of one lowering."""

    def __init__(self):
        self._found: dict[str, dict[str, _Node]] = {}
        # Of each generator, the nodes that it is visiting, and whether they began before the rest was dead code.
        self._paths: dict[object, list[tuple[ast.AST, bool]]] = {}
        self._known: dict[int, bool] = {}  # by id of a node: whether the compiler knew its last value
        self._unrolls: set[int] = set()  # ids of nodes that are tl.static_range
        self._returned: set[object] = set()  # generators that met a `return` on the only way: the rest is dead code
        self._constants = 0

    @contextlib.contextmanager
    def told(self) -> Iterator[Visits]:
        """Take note of all visits inside the block."""
        with visits_told(self._enter, self._leave):
            yield self

    @property
    def nodes(self) -> Nodes:
        """All that was visited so far."""
        return {
            file: {at: [node.varies, list(node.constants.values())] for at, node in places.items()}
            for file, places in self._found.items()
        }

    def _enter(self, generator, node: ast.AST) -> None:
        self._paths.setdefault(generator, []).append((node, generator not in self._returned))

    def _leave(self, generator, node: ast.AST, value) -> None:
        path = self._paths[generator]
        ended, alive = path.pop()
        while ended is not node:  # those above it ended with an error
            ended, alive = path.pop()
        # What the compiler itself adds to a tree has no place.
        mine = generator.file_name.startswith(_FUNCTIONS) and isinstance(node, (ast.expr, ast.stmt))
        if not mine or not hasattr(node, "lineno") or not alive:
            return
        if value is tl.static_range:
            self._unrolls.add(id(node))
        known = key(value) if isinstance(node, ast.expr) else None
        self._known[id(node)] = known is not None
        self._keep(generator, node, known)
        if isinstance(node, ast.Return) and not any(self._may_run(each) for each, _ in path):
            self._returned.add(generator)

    def _may_run(self, node: ast.AST) -> bool:
        """Whether the compiler leaves open how often the statements in this one run."""
        if isinstance(node, ast.For):
            return id(node.iter.func) not in self._unrolls
        return isinstance(node, ast.While) or (isinstance(node, ast.If) and not self._known.get(id(node.test), False))

    def _keep(self, generator, node: ast.AST, known: list | None) -> None:
        kept = self._found.setdefault(generator.file_name, {}).setdefault(place(node), _Node())
        names = contexts(generator.jit_fn.src, not generator.is_kernel).get(place(node), ())
        around = [key(generator.lscope[name]) if name in generator.lscope else None for name in names]
        if known is None:
            kept.varies = True  # in a loop, the compiler may take a value for a constant at first
            kept.constants.pop(repr(around), None)
            return
        _, keys = kept.constants.setdefault(repr(around), (around, []))
        if known not in keys:
            keys.append(known)
            self._constants += 1
            if self._constants > _MOST:
                raise TooMany(
                    said("the compiler unrolls the loops of this kernel into over {most} constants", most=_MOST)
                )


class _Node:
    """varies: whether the compiler did not know its value somewhere. constants: by context, (context, keys)."""

    def __init__(self):
        self.varies = False
        self.constants: dict[str, tuple[list, list]] = {}
