"""Extraction of one answer: from the code cells of a notebook to the source text.

A live session and a file have the same rule. The answer is the last top-level statement that defines a required name,
together with all statements that it needs. So the cell, the number of cells and their ids do not matter.
"""

from __future__ import annotations

import ast
import bisect
import builtins
import functools
import re
import symtable
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..checks.syntax import parse
from ..sentence import fault, foreign, joined, kind_of, message, said
from ..spec import Answer

# Lines of IPython that are not Python. A cell magic in _BODY_STAYS runs the rest of its cell as Python; any other one
# consumes it. In a function, `n =! 3` is rather a misspelt `!=` than the output of a shell.
_MAGIC = re.compile(r"^(\s*)(?:[%!?].*|\w[\w.]*\?{1,2})$|^\w+(?:\s*,\s*\w+)*\s*=\s*[%!].*$")
_BODY_STAYS = ("%%time", "%%timeit", "%%capture", "%%prun")
# Magics that run the rest of their line here.
_LINE_STAYS = re.compile(r"^(\s*)%(?:time|prun)\s+(?=\S)")
# The names that a cell which is not Python was to define.
_MEANT = re.compile(
    r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)"
    r"|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)"
    r"|^[def]{2,5}[ \t]+(\w+)[ \t]*\(.*:[ \t]*$",  # a misspelt def
    re.M,
)
_ELSEWHERE = re.compile(r"^\s*%(?:run|load_ext|autoreload)\b|^%%writefile\b|\bexec\(|^from [\w.]+ import \*", re.M)
_COMPREHENSIONS = ("listcomp", "setcomp", "dictcomp", "genexpr")
_LOOPING = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CHANGING_METHODS = {"update", "append", "extend", "insert", "setdefault", "add", "pop", "remove", "clear", "sort"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
# Names in torch.library, by which an answer makes an operator that it calls as torch.ops.<...>.
_OPERATOR_MAKERS = frozenset(
    "custom_op triton_op Library define impl register_fake register_autograd register_kernel".split()
)
_MOST_STATEMENTS, _MOST_OF_ALL = 5000, 20_000  # at the top level of a cell, and of all cells together
_LONGEST_SHOWN = 60  # characters of a line by which a cell is named
_OPERATORS = "torch.ops"  # stands for all operators of an answer's own, as if it were one name
_ALWAYS_THERE = frozenset(dir(builtins))


class _TooMany(Exception):
    """There are more statements than anyone writes. The message is a sentence."""


@dataclass(frozen=True)
class _Statement:
    text: str
    binds: frozenset[str]
    now: frozenset[str]  # names needed while the statement runs
    later: frozenset[str]  # names needed when a function it defines is called
    kind: str = "value"  # "def" of a function or class, or an import; "broken" for a cell that was left out
    loops: frozenset[str] = frozenset()  # of `binds`, the variables of its loops
    registers_with: frozenset[str] = frozenset()  # the objects whose methods take what it defines, if not imported
    decorators: frozenset[str] = frozenset()  # names of the functions that do so
    fills: frozenset[str] = frozenset()  # names of outer objects that a function it defines changes
    imports: bool = False
    future: str = ""  # a feature of Python that it switches on


@dataclass(frozen=True)
class _Session:
    """The cells of a notebook, read. places: for each name, the statements that bind it, by number and in order.

    cell_of: number of the cell of a statement. broken: (number, text, why) of each cell that was left out, which stands
    among the statements as well.
    """

    statements: list[_Statement]
    cell_of: list[int]
    places: dict[str, list[int]]
    broken: list[tuple[int, str, str]]

    def add(self, statement: _Statement, cell: int) -> None:
        """Append a statement. One that registers what it defines changes the object that keeps it."""
        changed = {name for name in statement.registers_with if not self._latest(name, "imports")}
        for name in statement.decorators:
            changed |= self._latest(name, "fills") or frozenset()
        if changed:
            statement = replace(statement, now=statement.now | changed)
        for name in statement.binds | changed:
            self.places.setdefault(name, []).append(len(self.statements))
        self.statements.append(statement)
        self.cell_of.append(cell)

    def _latest(self, name: str, field: str):
        """A field of the statement that bound a name last; True if there is none."""
        at = self.last(name, len(self.statements))
        return getattr(self.statements[at], field) if at is not None else field == "imports"

    def last(self, name: str, before: int) -> int | None:
        """The last statement before an index that binds a name."""
        places = self.places.get(name, [])
        at = bisect.bisect_left(places, before)
        return places[at - 1] if at else None


def extract(cells: list[str], names: tuple[str, ...], called: list[str] | tuple = ()) -> Answer:
    """The answer that defines `names`.

    cells: texts of the code cells, in the order in which they ran. called: what the notebook calls each of them, such
    as "In [3]"; "" where it has no name for one.
    """
    session = _read(tuple(cells))
    end = len(session.statements)
    defined = {name: session.last(name, end) for name in names}
    # A cell that is not Python matters only if no later cell defines the name in it.
    last_cell = {name: 0 if at is None else session.cell_of[at] for name, at in defined.items()}
    problems = [
        fault(kind_of(why), "{cell} {why}", cell=_name(number, cells, called), why=why)
        for number, cell, why in session.broken
        if any(re.search(rf"\b{re.escape(name)}\b", cell) and number >= last_cell[name] for name in names)
    ]
    # `from ... import *` may define any name, so it is always taken.
    chosen = set(session.places.get("*", []))
    for name in names:
        _take(name, session, chosen)
    last = max((session.cell_of[i] for i in chosen), default=0)
    future = {s.future: None for s, cell in zip(session.statements, session.cell_of) if s.future and cell <= last}
    texts = (session.statements[i].text for i in sorted(chosen))
    source = "\n\n".join([*future, *(text for text in texts if text)])
    missing = tuple(n for n in names if defined[n] is None or session.statements[defined[n]].kind == "broken")
    if missing and not problems and any(_ELSEWHERE.search(cell) for cell in cells):
        problems = [
            said(
                "no cell that has run defines {list}. The check reads only cells, and no definitions of %run, exec or "
                "a module",
                list=joined("{one} and {two}", missing),
            )
        ]
    broken = [session.cell_of[i] for i in chosen if session.statements[i].kind == "broken"]
    told = {number: why for number, _, why in session.broken}
    return Answer(
        source,
        missing,
        tuple(problems),
        said("{cell} {why}", cell=_name(broken[-1], cells, called), why=told[broken[-1]]) if broken else "",
        next((_taken(name, session, cells, called) for name in names if _is_taken(name, session)), ""),
    )


def _name(number: int, cells: list[str], called: list[str] | tuple) -> str:
    """What a learner calls a cell. number: of the cell, from 1."""
    if called and called[number - 1]:
        return called[number - 1]
    above = next((line.strip() for line in reversed(cells[number - 2].split("\n")) if line.strip()), "")
    if len(above) > _LONGEST_SHOWN:
        above = f"{above[:_LONGEST_SHOWN]} …"
    return (
        said("the cell after `{above}`", above=above)
        if number > 1 and above
        else said("code cell {number}", number=number)
    )


def _is_taken(name: str, session: _Session) -> bool:
    """Whether the last statement that binds a name is a loop over it, or no definition, as an earlier one was."""
    *before, last = [session.statements[place] for place in session.places.get(name, [])] or [None]
    defined = any(statement.kind == "def" for statement in before)
    return bool(before) and (name in last.loops or (defined and last.kind == "value"))


def _taken(name: str, session: _Session, cells: list[str], called: list[str] | tuple) -> str:
    last = session.last(name, len(session.statements))
    cell, line = _name(session.cell_of[last], cells, called), session.statements[last].text.partition("\n")[0]
    return said(
        "`{name}` is no longer what your answer made it: {cell} gave the name to something else, by `{line}`",
        name=name,
        cell=cell,
        line=line,
    )


def definitions(cells: list[str]) -> Counter[str]:
    """The number of top-level statements that define each name. cells: texts of the code cells."""
    statements = (statement for statement in _read(tuple(cells)).statements if statement.kind != "broken")
    return Counter(name for statement in statements for name in statement.binds)


def undefined(cells: list[str], names: tuple[str, ...]) -> set[str]:
    """The names that the answer needs and no cell defines, builtins left out. Arguments: as `extract`."""
    session, chosen = _read(tuple(cells)), set()
    return set().union(*(_take(name, session, chosen) for name in names))


def without(cell: str, taken: set[str]) -> str | None:
    """The text of a cell without the statements that define nothing but `taken` names. None if it is not Python."""
    try:
        found = _statements(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError, _TooMany):
        return None
    kept = [statement.text for statement in found if not statement.binds <= taken]
    return cell if len(kept) == len(found) else "\n\n".join(kept)


def fault_of(cell: str) -> tuple[int, str] | None:
    """(the line in the cell, from 1, and why) for a cell that Python cannot read; None for any other."""
    try:
        _statements(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError, _TooMany) as error:
        is_syntax = not isinstance(error, (RecursionError, MemoryError, _TooMany))
        return getattr(error, "lineno", None) or 1, _of_python(error, cell) if is_syntax else _why(error, cell)
    return None


@functools.lru_cache(maxsize=4)  # all cells, in two orders, those that ran, and those that never did
def _read(cells: tuple[str, ...]) -> _Session:
    session = _Session([], [], {}, [])
    for number, cell in enumerate(cells, 1):
        try:
            found = _statements(cell, _MOST_OF_ALL - len(session.statements))
        except (SyntaxError, ValueError, RecursionError, MemoryError, _TooMany) as error:
            session.broken.append((number, cell, _why(error, cell)))
            meant = frozenset(filter(None, (name for names in _MEANT.findall(cell) for name in names)))
            found = [_Statement("", meant, frozenset(), frozenset(), "broken")]
        for statement in found:
            session.add(statement, number)
    return session


def _why(error: Exception, cell: str) -> str:
    """Why a cell was left out."""
    if isinstance(error, _TooMany):
        return message(error)
    if isinstance(error, (RecursionError, MemoryError)):
        return said("was left out: its parts are nested more deeply than Python can read")
    return fault("cells", "is not Python, so nothing in it ran: {message}", message=_of_python(error, cell))


def _of_python(error: Exception, cell: str) -> str:
    """What Python says of a cell that it cannot read, with the line."""
    line, at = getattr(error, "text", None) or "", getattr(error, "lineno", None)
    if not line and at:  # Python gives the line only where its parser stopped
        line = "".join(_lines(cell)[at - 1 : at])
    return foreign.of_python(error, line.strip().split("\n")[0])


def _take(name: str, session: _Session, chosen: set[int]) -> set[str]:
    """Add to `chosen` the last statement that binds a name, and all that it needs. Returns names that none binds."""
    end = len(session.statements)
    pending, missing = [(name, end)], set()
    while pending:
        wanted, before = pending.pop()
        found = session.last(wanted, before)
        if found is None:
            missing.add(wanted)
        if found is None or found in chosen:
            continue
        chosen.add(found)
        pending += [(n, found) for n in session.statements[found].now]
        pending += [(n, end) for n in session.statements[found].later]
    return missing


def _without_magics(cell: str) -> str:
    """The Python text of a cell: magics become `pass`. A cell without magics stays as it is."""
    try:
        parse(cell)
        return cell
    except (SyntaxError, ValueError):
        pass
    lines = _lines(cell)
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if not lines[first].startswith(_BODY_STAYS):
            return ""
        lines[first] = ""
    return "\n".join(_MAGIC.sub(r"\1pass", _LINE_STAYS.sub(r"\1", line)) for line in lines)


def _lines(text: str) -> list[str]:
    """The lines of a text as Python counts them. str.splitlines also splits at other characters, as in a string."""
    return re.split(r"\r\n?|\n", text)


def _statements(cell: str, left: int = _MOST_OF_ALL) -> list[_Statement]:
    """The top-level statements of a cell that define something. left: how many there may be. Raises as `parse` does."""
    cell, found, end = _without_magics(cell), [], 0
    lines = _lines(cell)
    for node in _bounded(parse(cell).body, left):
        if isinstance(node, ast.Return):  # the parser takes it, and Python runs nothing of such a cell
            raise SyntaxError("'return' outside function", ("", node.lineno, 1, lines[node.lineno - 1]))
        before, end = end, node.end_lineno
        if isinstance(node, ast.ImportFrom) and _of_the_course(node.module or ""):
            continue
        if isinstance(node, ast.Import) and all(_of_the_course(a.name) for a in node.names):
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            found.append(_Statement("", frozenset(), frozenset(), frozenset(), future=ast.unparse(node)))
            continue
        binds, registers_with = _bound(node), _registers_with(node)
        if not binds and not registers_with:
            continue
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        if start == before:  # shares its line with another statement
            text = ast.unparse(node)
        else:
            text = "\n".join(lines[start - 1 : node.end_lineno])
            text = text if _stands_alone(text) else ast.unparse(node)
        try:
            now, later = _needed(node, text)
        except SyntaxError as error:  # one that the parser takes; its line is counted from the statement
            raise SyntaxError(error.msg, ("", error.lineno + start - 1, 1, "")) from None
        if _OPERATORS in registers_with:
            binds, now = binds | {_OPERATORS}, now | {_OPERATORS}
        if any(isinstance(n, ast.Attribute) and n.attr == "ops" for n in ast.walk(node)):
            later = later | {_OPERATORS}
        decorators = {d.func if isinstance(d, ast.Call) else d for d in getattr(node, "decorator_list", [])}
        found.append(
            _Statement(
                text,
                frozenset(binds),
                frozenset(now - _ALWAYS_THERE),
                frozenset(later - _ALWAYS_THERE),
                "def" if any(isinstance(child, _DEFINITIONS) for child in ast.walk(node)) else "value",
                frozenset(_loops(node)),
                frozenset(registers_with - {_OPERATORS}),
                frozenset(d.id for d in decorators if isinstance(d, ast.Name)),
                frozenset(_fills(node) & later),
                isinstance(node, (ast.Import, ast.ImportFrom)),
            )
        )
    return found


def _bounded(body: list[ast.stmt], left: int) -> list[ast.stmt]:
    """The statements of a cell. Raises _TooMany where there are more than `left`, or more than of any cell."""
    if len(body) > _MOST_STATEMENTS:
        raise _TooMany(
            said("was left out: it has over {MOST_STATEMENTS} statements", MOST_STATEMENTS=f"{_MOST_STATEMENTS:,}")
        )
    if len(body) > left:
        raise _TooMany(
            said(
                "was left out: with the cells before it, there are over {MOST_OF_ALL} statements",
                MOST_OF_ALL=f"{_MOST_OF_ALL:,}",
            )
        )
    return body


def _loops(node: ast.stmt) -> set[str]:
    """The variables of the loops of a top-level statement."""
    targets = [child.target for child in ast.walk(node) if isinstance(child, (ast.For, ast.AsyncFor))]
    return {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}


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
    return set().union(*map(_binds, ast.walk(node)))


def _binds(node: ast.AST) -> set[str]:
    """Names that one node defines, without those below it."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return {node.id}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(a.asname or a.name).split(".")[0] for a in node.names}
    # `table["key"] = ...`, `thing.field = ...` and `table.update(...)` change a name, so they count as definitions.
    if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
        return _owner(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        method = node.value.func
        if isinstance(method, ast.Attribute) and method.attr in _CHANGING_METHODS:
            return _owner(method)
    return set()


def _registers_with(node: ast.stmt) -> set[str]:
    """The names of the objects that a statement gives a function to keep: by a decorator, or by a call.

    `@f.register` is one, `f.register_fake(g)` another. _OPERATORS where it makes an operator of PyTorch.
    """
    names, decorators = set(), getattr(node, "decorator_list", [])
    for decorator in decorators:
        method = decorator.func if isinstance(decorator, ast.Call) else decorator
        names |= _owner(method) if isinstance(method, ast.Attribute) else set()
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        if node.value.func.attr.startswith("register"):
            names |= _owner(node.value.func)
    calls = [n for n in (*decorators, getattr(node, "value", None)) if isinstance(n, ast.Call)]
    if any(getattr(call.func, "attr", getattr(call.func, "id", "")) in _OPERATOR_MAKERS for call in calls):
        names.add(_OPERATORS)
    return names


def _fills(node: ast.stmt) -> set[str]:
    """The names that a function changes when it is called, as `TABLE[name] = function` does."""
    if not isinstance(node, ast.FunctionDef):
        return set()
    return set().union(*(_binds(part) for part in ast.walk(node) if not isinstance(part, ast.FunctionDef)))


def _owner(node: ast.expr) -> set[str]:
    """The name at the root of an expression such as a.b["c"].d, as a set; empty if there is none."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _needed(node: ast.stmt, text: str) -> tuple[set[str], set[str]]:
    """(names needed when the statement runs, names needed when a function inside it is called)."""
    table = symtable.symtable(text, "cell", "exec")
    now = {s.get_name() for s in _symbols(table) if s.is_referenced()}
    later: set[str] = set()
    for child in table.get_children():
        _globals_of(child, now if child.get_name() in _COMPREHENSIONS else later)
    # `total += 1` also needs the old value of the name; in a function that is its own, unless it says `global`.
    now |= {n.target.id for n in _here(node) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    # From Python 3.12 on, the variables of a comprehension are symbols of the statement around it.
    looped = {name for child in ast.walk(node) if isinstance(child, _LOOPING) for name in _variables(child)}
    return (now - (looped - set(_read_outside(node))) if looped else now), later


def _variables(comprehension: ast.expr) -> set[str]:
    """The names that a comprehension binds for itself."""
    targets = (child for each in comprehension.generators for child in ast.walk(each.target))
    return {child.id for child in targets if isinstance(child, ast.Name)}


def _read_outside(node: ast.stmt) -> Iterator[str]:
    """The names that a statement reads while it runs, without those that its comprehensions bind for themselves."""
    pending: list[tuple[ast.AST, frozenset[str]]] = [(node, frozenset())]  # a node, and what is bound around it
    while pending:
        part, own = pending.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in own:
            yield part.id
        first = part.generators[0].iter if isinstance(part, _LOOPING) else None
        inner = own | _variables(part) if isinstance(part, _LOOPING) else own
        for child in _children_here(part):
            if isinstance(child, ast.comprehension):
                pending += [(each, own if each is first else inner) for each in ast.iter_child_nodes(child)]
            else:
                pending.append((child, inner))


def _here(node: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement, without those of functions in it."""
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        yield part
        if not isinstance(part, _FUNCTIONS):
            pending += ast.iter_child_nodes(part)


def _children_here(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes right below one, without the body of a function, which runs later."""
    for field, value in ast.iter_fields(node):
        if field != "body" or not isinstance(node, _FUNCTIONS):
            yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, ast.AST))


def _globals_of(table: symtable.SymbolTable, found: set[str]) -> None:
    """Add to `found` the global names that a function, class or comprehension uses, inner functions included."""
    symbols = _symbols(table)
    found |= {s.get_name() for s in symbols if s.is_global() and s.is_referenced() or s.is_declared_global()}
    if table.get_type() == "class":
        found |= {s.get_name() for s in symbols if s.is_referenced() and not s.is_assigned()}
    for child in table.get_children():
        _globals_of(child, found)


def _symbols(table: symtable.SymbolTable) -> list[symtable.Symbol]:
    """As table.get_symbols(), which goes through all functions of the scope for each name in it."""
    flags, is_module = table._table.symbols, table.get_type() == "module"  # type: ignore[attr-defined]
    return [symtable.Symbol(name, each, module_scope=is_module) for name, each in flags.items()]
