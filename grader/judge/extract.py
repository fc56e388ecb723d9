"""Extraction of one answer: from the code cells of a notebook to the source text.

A live session and a file have the same rule. The answer is the last top-level statement that defines a required name,
together with all statements that it needs. So the cell, the number of cells and their ids do not matter.
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

# Lines of IPython that are not Python. A cell magic in _BODY_STAYS runs the rest of its cell as Python; any other one
# consumes it.
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
    """The answer that defines `names`. cells: texts of the code cells, in the order in which they ran."""
    statements, broken = [], []
    defined = dict.fromkeys(names, 0)  # number of the last cell that defines a name
    for number, cell in enumerate(cells, 1):
        try:
            found = _statements(cell)
            statements += found
            defined |= {name: number for name in names if any(name in s.binds for s in found)}
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            broken.append((number, cell, getattr(error, "msg", error)))
    # A cell that is not Python matters only if no later cell defines the name in it.
    problems = [
        f"code cell {number} is not Python and was left out: {message}"
        for number, cell, message in broken
        if any(re.search(rf"\b{re.escape(name)}\b", cell) and number > defined[name] for name in names)
    ]
    missing = tuple(n for n in names if not any(n in s.binds for s in statements))
    # `from ... import *` may define any name, so it is always taken.
    chosen = {i for i, s in enumerate(statements) if "*" in s.binds}
    for name in names:
        _take(name, len(statements), statements, chosen)
    source = "\n\n".join(statements[i].text for i in sorted(chosen))
    return Answer(source, missing, tuple(problems))


def definitions(cells: list[str]) -> Counter[str]:
    """The number of top-level statements that define each name. cells: texts of the code cells."""
    count: Counter[str] = Counter()
    for cell in cells:
        try:
            count.update(name for s in _statements(cell) for name in s.binds)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return count


def _take(name: str, before: int, statements: list[_Statement], chosen: set[int]) -> None:
    """Add to `chosen` the last statement before an index that binds a name, and all statements that it needs."""
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
    """The Python text of a cell: magics become `pass`. A cell without magics stays as it is."""
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


@functools.lru_cache(maxsize=64)  # all exercises of a notebook read the same cells
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
    """Whether an import is left out of answers: those of the course, except grader.fast and grader.simulated."""
    first, _, rest = module.partition(".")
    return first in ("grader", "colab_setup") and rest.split(".")[0] not in ("fast", "simulated")


def _stands_alone(text: str) -> bool:
    """Whether the lines are one complete statement."""
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
        # `table["key"] = ...`, `thing.field = ...` and `table.update(...)` change a name, so they count as definitions.
        elif isinstance(child, (ast.Subscript, ast.Attribute)) and isinstance(child.ctx, ast.Store):
            names |= _owner(child)
        elif isinstance(child, ast.Expr) and isinstance(child.value, ast.Call):
            method = child.value.func
            if isinstance(method, ast.Attribute) and method.attr in _CHANGING_METHODS:
                names |= _owner(method)
    return names


def _owner(node: ast.expr) -> set[str]:
    """The name at the root of an expression such as a.b["c"].d, as a set; empty if there is none."""
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
    # `total += 1` also needs the old value of the name.
    now |= {n.target.id for n in ast.walk(node) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    return now, later


def _globals_of(table, found: set[str]) -> None:
    """Add to `found` the global names that a function, class or comprehension uses, inner functions included."""
    found |= {s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()}
    if table.get_type() == "class":
        found |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and not s.is_assigned()}
    for child in table.get_children():
        _globals_of(child, found)
