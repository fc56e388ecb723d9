"""Which answers are the course's own: the stubs of the notebooks that learners open.

stubs.json is made by tools/build.py, so that a grader without the notebooks knows them too.
"""

from __future__ import annotations

import ast
import functools
import json
import pathlib
import re
from dataclasses import dataclass

from ..checks.syntax import parse
from ..spec import Answer, Exercise

STUBS = pathlib.Path(__file__).with_name("stubs.json")
_TODO = re.compile(r"TODO [0-9]+\.[0-9]+(?: \([0-9]+ of [0-9]+\))?")
_PART = re.compile(r"\(([0-9]+) of ([0-9]+)\)")


@dataclass(frozen=True)
class _Definition:
    """A definition of a name.

    tree: without places. todos: the marks in its code that each stand for a part to write. size: the number of its
    statements, and of the lines of its texts. Comments count nowhere, as they are in the learner's language.
    """

    tree: str
    todos: tuple[str, ...]
    size: int

    def adds_nothing_to(self, stub: _Definition) -> bool:
        """Whether nothing is written in the stub's place: equal, or with all of its marks and no more statements.

        So the stub of another version of the course is one, too.
        """
        left = self.todos == stub.todos != () or self._keeps_other_marks(stub)
        return self.tree == stub.tree or (left and self.size <= stub.size)

    def _keeps_other_marks(self, stub: _Definition) -> bool:
        """Whether it has all marks of a version of the course that had another number of them.

        All of an exercise, or, as the others may stand in other definitions, as many as the stub has.
        """
        mine, now = (_parts(each.todos) for each in (self, stub))
        of = {total for _, total in mine}
        if len(of) != 1 or of == {total for _, total in now}:
            return False
        return len(mine) == len(now) or {part for part, _ in mine} == set(range(1, max(of) + 1))


def _parts(todos: tuple[str, ...]) -> list[tuple[int, int]]:
    """(number, how many there are) of marks: a mark that is the only one of its exercise is 1 of 1."""
    return [(int(found[1]), int(found[2])) if (found := _PART.search(each)) else (1, 1) for each in todos]


def is_blank(exercise: Exercise, answer: Answer) -> bool:
    """Whether an answer is none, or the stub as the course hands it out. Raises SyntaxError and ValueError."""
    if answer.broken or answer.taken:
        return False
    stubs = _stubs().get(exercise.id, {})
    found = _definitions(answer.source, exercise.names)
    return all(name in stubs and each.adds_nothing_to(stubs[name]) for name, each in found.items())


def _definitions(source: str, names: tuple[str, ...]) -> dict[str, _Definition]:
    """The last definition of each name in a source."""
    return {name: _definition(node) for node in parse(source).body for name in _bound(node) if name in names}


def _definition(node: ast.stmt) -> _Definition:
    todos, size = [], 0
    for each in ast.walk(node):
        size += isinstance(each, ast.stmt)
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            each.value = re.sub(r"[ \t]*//[^\n]*", "", each.value)
            todos += _TODO.findall(each.value)
            size += sum(bool(line.strip()) for line in each.value.split("\n")) if _TODO.search(each.value) else 0
    return _Definition(ast.dump(node), tuple(sorted(todos)), size)


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


@functools.cache
def _stubs() -> dict[str, dict[str, _Definition]]:
    """{exercise: {name: its stub}}."""
    texts = json.loads(STUBS.read_text(encoding="utf-8")) if STUBS.exists() else {}
    return {exercise: _definitions("\n".join(each.values()), tuple(each)) for exercise, each in texts.items()}
