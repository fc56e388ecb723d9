"""Expressions of an answer that look like an example, such as "tl.load(_, mask=_)"."""

from __future__ import annotations

import ast
import functools

from .syntax import nodes, parse


def like(tree: ast.AST, *examples: str) -> list[ast.AST]:
    """The nodes of a tree that look like one of these examples, which are expressions.

    In an example `_` stands for any expression or attribute, `_number` for a number that is written out, and `...` at
    the end of positional arguments for any others. A call may have more keyword arguments than the example.
    """
    return [n for n in nodes(tree) if any(_alike(_parsed(example), n) for example in examples)]


@functools.cache
def _parsed(example: str) -> ast.expr:
    statement = parse(example).body[0]
    assert isinstance(statement, ast.Expr)
    return statement.value


def _alike(example, part) -> bool:
    """Whether a part of a tree looks like one of an example: a node, a list of nodes, a name or a value."""
    match example:
        case ast.Name(id="_"):
            return isinstance(part, ast.expr)
        case ast.Name(id="_number"):
            return isinstance(part, ast.Constant) and isinstance(part.value, (int, float))
        case ast.Call():
            return isinstance(part, ast.Call) and _alike(example.func, part.func) and _same_arguments(example, part)
        case ast.AST():
            fields = [name for name in example._fields if name != "ctx"]
            return type(part) is type(example) and all(_alike(getattr(example, f), getattr(part, f)) for f in fields)
        case list():
            return isinstance(part, list) and len(example) == len(part) and all(map(_alike, example, part))
    return example in (part, "_")


def _same_arguments(example: ast.Call, call: ast.Call) -> bool:
    first, given = example.args, {word.arg: word.value for word in call.keywords}
    open_end = bool(first) and isinstance(first[-1], ast.Constant) and first[-1].value is ...
    same = _alike(first[:-1], call.args[: len(first) - 1]) if open_end else _alike(first, call.args)
    return same and all(word.arg in given and _alike(word.value, given[word.arg]) for word in example.keywords)
