"""The shape of an answer: what is left of its text without names, comments, docstrings, annotations and layout.

Two answers of one shape do the same in the same order. Where somebody copied, these are the things that change first.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from .syntax import parse

_DROPPED = frozenset("annotation returns type_comment ctx kind type_params type_ignores simple".split())
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(r"[A-Za-z_]\w*|[0-9][\w.]*|\S")
# A name that C++ declares: behind a type, with stars and words of its own between them.
_DECLARED = re.compile(
    r"\b(?:auto|bool|char|double|float[234]?|half|int[234]?|long|short|size_t|unsigned|void)\b"
    r"(?:[\s*&]|\bconst\b|__restrict__)+([A-Za-z_]\w*)"
)


class Shape(NamedTuple):
    """digest: 16 hexadecimal digits, equal for two texts of one shape. size: the number of parts that were compared."""

    digest: str
    size: int


def of(text: str) -> Shape | None:
    """The shape of a text in Python, in whose strings there may be C++. None if it is not Python."""
    try:
        parts = [*_parts(parse(text))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return Shape(hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16], len(parts))


def _parts(tree: ast.Module) -> Iterator[str]:
    """The parts of a tree, in order. A name that the text binds is its number, an imported one what was imported."""
    names = _Names(tree)
    pending: list = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += reversed(node)
        elif not isinstance(node, ast.AST):
            yield repr(node)
        elif path := names.path(node):
            yield path
        elif isinstance(node, ast.Name):
            yield names.of(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _text_parts(node.value)
        elif not (isinstance(node, (ast.Import, ast.ImportFrom)) or _is_text(node)):
            yield "Assign" if isinstance(node, ast.AnnAssign) else type(node).__name__  # `x: int = 1` is `x = 1`
            pending += reversed([names.in_field(node, *field) for field in ast.iter_fields(node)])


class _Name(str):
    """A name that has its number already."""

    def __repr__(self):
        return str(self)


class _Names:
    """What stands in place of the names of a text. parameters: those of its functions, which a call may name, too."""

    def __init__(self, tree: ast.Module):
        bound: set[str] = set()
        self.parameters: set[str] = set()
        self.imported: dict[str, str] = {}
        self.numbers: dict[str, str] = {}
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=found, ctx=ast.Store() | ast.Del()):
                    bound.add(found)
                case ast.arg(arg=found):
                    self.parameters.add(found)
                case ast.FunctionDef(name=found) | ast.AsyncFunctionDef(name=found) | ast.ClassDef(name=found):
                    bound.add(found)
                case ast.ExceptHandler(name=str(found)) | ast.MatchAs(name=str(found)) | ast.MatchStar(name=str(found)):
                    bound.add(found)
                case ast.Import(names=names):
                    for each in names:
                        top = each.name.partition(".")[0]
                        self.imported[each.asname or top] = each.name if each.asname else top
                case ast.ImportFrom(names=names, module=module):
                    self.imported |= {each.asname or each.name: f"{module}.{each.name}" for each in names}
        self.bound = bound | self.parameters

    def of(self, name: str) -> str:
        """A number for a name that the text binds, a path for one that it imports, and any other as it is."""
        if name in self.imported:
            return self.imported[name]
        return self.numbers.setdefault(name, f"#{len(self.numbers)}") if name in self.bound else name

    def path(self, node: ast.AST) -> str:
        """What was imported, where a node is a name of it, such as torch.exp; else "". Both ways to import are one."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        known = isinstance(node, ast.Name) and node.id in self.imported
        return ".".join([self.imported[node.id], *attributes]) if known else ""

    def in_field(self, node: ast.AST, field: str, value):
        """A field of a node with its names replaced; an empty list for a field that no shape has."""
        if field in _DROPPED or value is None:
            return []
        if isinstance(node, ast.keyword) and field == "arg":
            return _Name(self.of(value) if value in self.parameters else value)
        if field in ("name", "arg", "rest") and isinstance(value, str):
            return _Name(self.of(value))
        if field == "names":  # of global and nonlocal
            return [_Name(self.of(each)) for each in value]
        return value


def _is_text(node: ast.AST) -> bool:
    """A docstring, or another text that nothing uses."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _text_parts(text: str) -> Iterator[str]:
    """The parts of a string: of one that looks like C++ its words and signs, the names that it declares as numbers."""
    if not (";" in text and "{" in text):
        yield repr(text)
        return
    code = _COMMENT.sub(" ", text)
    declared, numbers = {*_DECLARED.findall(code)}, {}
    for token in _TOKEN.findall(code):
        yield numbers.setdefault(token, f"#{len(numbers)}") if token in declared else token
