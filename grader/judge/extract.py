"""Cells of a notebook -> the source text of one answer.

One rule for a live session and for a file: the last top-level statement that defines a required name counts, together
with whatever it needs. So it does not matter which cell a learner wrote it in, in how many, or what a notebook service
did to the cells' ids.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
import symtable
from collections import Counter
from dataclasses import dataclass

from ..checks.syntax import parse
from ..spec import Answer

# Lines of IPython, not of Python. Magics that run their own cell leave the cell's body; the others take it along.
_MAGIC = re.compile(r"^(\s*)(?:[%!?].*|\w[\w.]*\?{1,2}|\w[\w, ]*=\s*[%!].*)$")
_BODY_STAYS = ("%%time", "%%timeit", "%%capture", "%%prun")
_COMPREHENSIONS = ("listcomp", "setcomp", "dictcomp", "genexpr")
_CHANGING_METHODS = {"update", "append", "extend", "insert", "setdefault", "add", "pop", "remove", "clear", "sort"}
_ALWAYS_THERE = frozenset(dir(builtins))


@dataclass(frozen=True)
class _Statement:
    text: str
    binds: frozenset[str]
    now: frozenset[str]  # names needed while the statement runs
    later: frozenset[str]  # names needed when a function it defines is called


def extract(cells: list[str], names: tuple[str, ...]) -> Answer:
    """The answer that defines `names`, taken from the code cells in the order they ran."""
    statements, broken = [], []
    defined = dict.fromkeys(names, 0)  # the cell that last defined a name
    for number, cell in enumerate(cells, 1):
        try:
            found = _statements(cell)
            statements += found
            defined |= {name: number for name in names if any(name in s.binds for s in found)}
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            broken.append((number, cell, getattr(error, "msg", error)))
    # A cell that failed matters only when nothing after it made up for it.
    problems = [
        f"code cell {number} is not Python and was left out: {message}"
        for number, cell, message in broken
        if any(re.search(rf"\b{re.escape(name)}\b", cell) and number > defined[name] for name in names)
    ]
    missing = tuple(n for n in names if not any(n in s.binds for s in statements))
    # `from ... import *` may bring any name, so it always comes along.
    chosen = {i for i, s in enumerate(statements) if "*" in s.binds}
    for name in names:
        _take(name, len(statements), statements, chosen)
    source = "\n\n".join(statements[i].text for i in sorted(chosen))
    return Answer(source, missing, tuple(problems))


def definitions(cells: list[str]) -> Counter[str]:
    """How many top-level statements define each name."""
    count: Counter[str] = Counter()
    for cell in cells:
        try:
            count.update(name for s in _statements(cell) for name in s.binds)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return count


def _take(name: str, before: int, statements: list[_Statement], chosen: set[int]) -> None:
    """Choose the last statement before a place that binds a name, and then what that one needs."""
    pending = [(name, before)]
    while pending:
        name, before = pending.pop()
        found = next((i for i in reversed(range(before)) if name in statements[i].binds), None)
        if found is None or found in chosen:
            continue
        chosen.add(found)
        pending += [(n, found) for n in statements[found].now]
        pending += [(n, len(statements)) for n in statements[found].later]


def _without_magics(cell: str) -> str:
    """The Python of a cell. A cell that is Python already is left alone."""
    try:
        parse(cell)
        return cell
    except (SyntaxError, ValueError):
        pass
    lines = cell.splitlines()
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines and lines[first].startswith("%%"):
        if not lines[first].startswith(_BODY_STAYS):
            return ""
        lines[first] = ""
    return "\n".join(_MAGIC.sub(r"\1pass", line) for line in lines)


@functools.lru_cache(maxsize=64)  # every exercise of a notebook looks at the same cells
def _statements(cell: str) -> list[_Statement]:
    """The top-level statements of a cell that define something."""
    cell, found = _without_magics(cell), []
    lines = cell.splitlines()
    for node in parse(cell).body:
        if isinstance(node, ast.ImportFrom) and _of_the_course(node.module or ""):
            continue
        if isinstance(node, ast.Import) and all(_of_the_course(a.name) for a in node.names):
            continue
        binds = frozenset(_bound(node))
        if not binds:
            continue
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        if lines[start - 1][: node.col_offset].strip():  # shares its line with another statement
            text = ast.unparse(node)
        else:
            text = "\n".join(lines[start - 1 : node.end_lineno])
            text = text if _stands_alone(text) else ast.unparse(node)
        now, later = _needed(node, text)
        found.append(_Statement(text, binds, frozenset(now - _ALWAYS_THERE), frozenset(later - _ALWAYS_THERE)))
    return found


def _of_the_course(module: str) -> bool:
    """Whether an import stays out of answers: those of the course do, but for its kernels and its simulated device."""
    first, _, rest = module.partition(".")
    return first in ("grader", "colab_setup") and rest.split(".")[0] not in ("fast", "simulated")


def _stands_alone(text: str) -> bool:
    """Whether the lines hold this statement and no other."""
    try:
        return len(parse(text).body) == 1
    except SyntaxError:
        return False


def _bound(node: ast.stmt) -> set[str]:
    """Names that a top-level statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    names = set()
    for child in ast.walk(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(child.name)
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            names.add(child.id)
        elif isinstance(child, (ast.Import, ast.ImportFrom)):
            names |= {(a.asname or a.name).split(".")[0] for a in child.names}
        # `table["key"] = ...`, `thing.field = ...` and `table.update(...)` change a name that must come along.
        elif isinstance(child, (ast.Subscript, ast.Attribute)) and isinstance(child.ctx, ast.Store):
            names |= _owner(child)
        elif isinstance(child, ast.Expr) and isinstance(child.value, ast.Call):
            method = child.value.func
            if isinstance(method, ast.Attribute) and method.attr in _CHANGING_METHODS:
                names |= _owner(method)
    return names


def _owner(node: ast.expr) -> set[str]:
    """The name at the root of a.b["c"].d; empty when there is none."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _needed(node: ast.stmt, text: str) -> tuple[set[str], set[str]]:
    """(names needed when the statement runs, names needed when a function inside it is called)."""
    table = symtable.symtable(text, "cell", "exec")
    now = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    later: set[str] = set()
    for child in table.get_children():
        _globals_of(child, now if child.get_name() in _COMPREHENSIONS else later)
    # `total += 1` needs what it changes, though it looks like an assignment.
    now |= {n.target.id for n in ast.walk(node) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    return now, later


def _globals_of(table, found: set[str]) -> None:
    """Global names that a function, class or comprehension uses, those of its inner functions included."""
    found |= {s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()}
    if table.get_type() == "class":
        found |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and not s.is_assigned()}
    for child in table.get_children():
        _globals_of(child, found)
