"""Single edits of Python text that people really make: wrong constants, dropped arguments, swapped names, lost lines.

`edits(statement)` gives every version of one top-level statement. An operator is a function from a node, and the place
where it stands, to the nodes that may stand there instead; `EXPRESSIONS` lists those of expressions by type.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

BINARY = {  # what may stand for an operator
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div, ast.Add],
    ast.Div: [ast.Mult, ast.FloorDiv],
    ast.FloorDiv: [ast.Div, ast.Mult],
    ast.Mod: [ast.FloorDiv],
    ast.Pow: [ast.Mult],
    ast.MatMult: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.BitXor: [ast.BitOr, ast.Add],
    ast.LShift: [ast.RShift],
    ast.RShift: [ast.LShift],
}
COMPARED = {
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
}
CALLED = {  # functions and methods that are taken for each other
    "max": ["min", "sum"],
    "min": ["max"],
    "sum": ["max", "mean"],
    "amax": ["amin", "mean"],
    "mean": ["sum"],
    "median": ["mean", "min"],
    "maximum": ["minimum"],
    "minimum": ["maximum"],
    "fmax": ["fmin"],
    "exp": ["exp2", "log"],
    "exp2": ["exp"],
    "log2": ["log"],
    "all": ["any"],
    "any": ["all"],
    "zeros": ["ones", "empty"],
    "zeros_like": ["ones_like", "empty_like"],
    "empty_like": ["zeros_like"],
    "next_power_of_2": ["int"],
    "program_id": ["num_programs"],
    "num_programs": ["program_id"],
    "ceil": ["floor"],
    "float32": ["float16", "float64"],
    "float64": ["float32"],
    "float16": ["float32", "bfloat16"],
    "bfloat16": ["float16"],
}
SAME = {"clone", "contiguous", "to", "float", "double", "t", "item", "copy", "unsqueeze", "squeeze", "reshape", "view"}


def edits(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statement, changed in place in one way after another. It is as it was when the next one is asked for."""
    yield from _of_lists(statement)
    for parent, field, at, node in list(_places(statement)):
        for other in _alternatives(node, parent, field, statement):
            _put(parent, field, at, other)
            yield statement
        _put(parent, field, at, node)


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Every expression below a node, with its parent, field and index there. Docstrings and messages stay."""
    for field, value in ast.iter_fields(tree):
        for at, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.AST) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                continue
            if field in ("annotation", "returns", "msg"):
                continue
            if isinstance(node, ast.expr):
                yield tree, field, at, node
            if not isinstance(node, (ast.JoinedStr, ast.Raise)):
                yield from _places(node)


def _put(parent: ast.AST, field: str, at: int | None, node: ast.AST) -> None:
    if at is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[at] = node


# ---- expressions


def _alternatives(node: ast.expr, parent: ast.AST, field: str, tree: ast.stmt) -> Iterator[ast.expr]:
    """What may stand for an expression."""
    if isinstance(parent, ast.keyword) and ast.unparse(parent) == "axis=0":
        yield ast.Constant(1)  # -1 is the same axis of a row
        return
    for kind, operator in EXPRESSIONS.items():
        if isinstance(node, kind):
            yield from operator(node)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from _other_names(node, parent, tree)
    if isinstance(parent, (ast.If, ast.While)) and field == "test":
        yield ast.Constant(True)
        yield ast.UnaryOp(ast.Not(), node)
    if _is_count(node, parent):
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))
        yield ast.BinOp(node, ast.Sub(), ast.Constant(1))


def _is_count(node: ast.expr, parent: ast.AST) -> bool:
    """Whether an expression that is no constant bounds a loop, or is one side of a comparison by size."""
    if isinstance(node, (ast.Constant, ast.Starred)):
        return False
    bounds = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "range"
    sizes = isinstance(parent, ast.Compare) and node is parent.comparators[-1]
    return (
        bounds and node is not parent.func or sizes and isinstance(parent.ops[-1], (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
    )


def _constant(node: ast.Constant) -> Iterator[ast.expr]:
    value, others = node.value, []
    if isinstance(value, bool):
        others = [not value]
    elif isinstance(value, int):
        others = [value + 1, value - 1] + [2 * value, value // 2] * (value > 2)
    elif isinstance(value, float):
        others = [0.0, 1.0, 2 * value, value / 10]
    elif value == "inf":
        others = ["nan"]
    for other in dict.fromkeys(others):
        if other != value:
            yield (
                ast.Constant(other)
                if not isinstance(other, (int, float)) or other >= 0
                else ast.UnaryOp(ast.USub(), ast.Constant(-other))
            )


def _unary(node: ast.UnaryOp) -> Iterator[ast.expr]:
    yield node.operand
    if isinstance(node.op, ast.USub) and "inf" in ast.unparse(node.operand):  # the pad of a maximum
        for pad in (0.0, -1e4, -1e30):
            yield ast.Constant(pad)


def _binary(node: ast.BinOp) -> Iterator[ast.expr]:
    for other in BINARY.get(type(node.op), []):
        yield ast.BinOp(node.left, other(), node.right)
    if isinstance(node.op, ast.FloorDiv):  # rounded up
        yield ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), node.left), ast.FloorDiv(), node.right))
    if not isinstance(node.op, (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)):
        yield ast.BinOp(node.right, node.op, node.left)
    yield node.left
    yield node.right


def _comparison(node: ast.Compare) -> Iterator[ast.expr]:
    for at, op in enumerate(node.ops):
        for other in COMPARED.get(type(op), []):
            yield ast.Compare(node.left, [*node.ops[:at], other(), *node.ops[at + 1 :]], node.comparators)
    if len(node.ops) == 2:
        yield ast.Compare(node.left, node.ops[:1], node.comparators[:1])
        yield ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:])


def _boolean(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for at in range(len(node.values)):
        left = node.values[:at] + node.values[at + 1 :]
        yield left[0] if len(left) == 1 else ast.BoolOp(node.op, left)


def _conditional(node: ast.IfExp) -> Iterator[ast.expr]:
    yield node.body
    yield node.orelse
    yield ast.IfExp(node.test, node.orelse, node.body)


def _call(node: ast.Call) -> Iterator[ast.expr]:
    """Arguments dropped and swapped, a method left out, a function for its only argument."""
    given, keywords = node.args, node.keywords
    for at, keyword in enumerate(keywords):
        if ast.unparse(keyword) != "axis=0":  # of a row there is one axis
            yield ast.Call(node.func, given, keywords[:at] + keywords[at + 1 :])
    if {"mask", "other"} <= {keyword.arg for keyword in keywords}:
        yield ast.Call(node.func, given, [k for k in keywords if k.arg not in ("mask", "other")])
    symmetric = ast.unparse(node.func).rpartition(".")[2] in ("max", "min", "maximum", "minimum", "fmax", "fmin")
    for at in range(len(given) - 1) if not symmetric or keywords else ():
        yield ast.Call(node.func, [*given[:at], given[at + 1], given[at], *given[at + 2 :]], keywords)
    if len(given) > 1:
        yield ast.Call(node.func, given[:-1], keywords)
        yield ast.Call(node.func, given[1:], keywords)
    if isinstance(node.func, ast.Attribute) and node.func.attr in SAME:
        yield node.func.value
    elif given and not isinstance(given[0], ast.Starred):
        yield given[0]


def _attribute(node: ast.Attribute) -> Iterator[ast.expr]:
    for other in CALLED.get(node.attr, []):
        if other == "int":
            yield ast.Name("int", ast.Load())
        else:
            yield ast.Attribute(node.value, other, node.ctx)
    if node.attr in ("T", "mT"):
        yield node.value


def _name(node: ast.Name) -> Iterator[ast.expr]:
    for other in CALLED.get(node.id, []):
        yield ast.Name(other, node.ctx)


def _other_names(node: ast.Name, parent: ast.AST, tree: ast.stmt) -> Iterator[ast.expr]:
    """Names of the same statement that are taken for this one, as n_rows for n_cols, dy_ptr for y_ptr and y for x."""
    own = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    own += [n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)]
    own = list(dict.fromkeys(own))
    if node.id not in own:
        return
    alike = [n for n in own if n != node.id and ("_" in n) == ("_" in node.id) and _alike(n, node.id)]
    if isinstance(parent, ast.Return) or "_" in node.id:
        others = alike
    else:  # of the short ones its two neighbours in the text
        at = own.index(node.id)
        others = [n for n in own[max(0, at - 1) : at + 2] if n in alike]
    for other in others:
        yield ast.Name(other, node.ctx)


def _alike(one: str, other: str) -> bool:
    """Whether two names have no parts, or the same part at the beginning or at the end."""
    a, b = one.split("_"), other.split("_")
    return len(a) == len(b) == 1 or a[0] == b[0] or a[-1] == b[-1]


def _subscript(node: ast.Subscript) -> Iterator[ast.expr]:
    yield node.value
    index = node.slice
    if isinstance(index, ast.Tuple) and len(index.elts) == 2:
        yield ast.Subscript(node.value, ast.Tuple(index.elts[::-1], ast.Load()), node.ctx)
    if isinstance(index, ast.Slice):
        for field in ("lower", "upper", "step"):
            if getattr(index, field) is not None:
                without = copy.copy(index)
                setattr(without, field, None)
                yield ast.Subscript(node.value, without, node.ctx)


def _sequence(node: ast.Tuple | ast.List) -> Iterator[ast.expr]:
    """Two neighbours swapped, or an element left out of more than two."""
    for at in range(len(node.elts) - 1):
        yield type(node)([*node.elts[:at], node.elts[at + 1], node.elts[at], *node.elts[at + 2 :]], node.ctx)
    if len(node.elts) > 2 and isinstance(node.ctx, ast.Load):
        for at in range(len(node.elts)):
            yield type(node)(node.elts[:at] + node.elts[at + 1 :], node.ctx)


EXPRESSIONS = {
    ast.Constant: _constant,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _comparison,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Call: _call,
    ast.Attribute: _attribute,
    ast.Name: _name,
    ast.Subscript: _subscript,
    (ast.Tuple, ast.List): _sequence,
}


# ---- statements


def _of_lists(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Lines dropped, swapped with the next one, moved out of a loop or into it; a decorator or a type removed."""
    for node in list(ast.walk(statement)):
        for field in ("decorator_list", "body", "orelse"):
            value = getattr(node, field, None)
            if isinstance(value, list):
                for other in _decorators(value) if field == "decorator_list" else _blocks(value):
                    setattr(node, field, other)
                    yield statement
                setattr(node, field, value)
        for field, others in _fields(node):
            value = getattr(node, field)
            for other in others:
                setattr(node, field, other)
                yield statement
            setattr(node, field, value)


def _decorators(listed: list[ast.expr]) -> Iterator[list]:
    for at in range(len(listed)):
        yield listed[:at] + listed[at + 1 :]


def _fields(node: ast.AST) -> Iterator[tuple[str, list]]:
    """(field, its other values) of what is neither an expression nor a block."""
    if isinstance(node, ast.AugAssign):
        yield "op", [other() for other in BINARY.get(type(node.op), [])]
    if isinstance(node, ast.arg) and node.annotation is not None and "constexpr" in ast.unparse(node.annotation):
        yield "annotation", [None]
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        other = "TypeError" if "ValueError" in ast.unparse(node.exc.func) else "ValueError"
        yield (
            "exc",
            [
                ast.Call(node.exc.func, [], []),
                ast.Call(ast.Name(other, ast.Load()), node.exc.args, node.exc.keywords),
            ],
        )


def _blocks(block: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    for at, line in enumerate(block):
        before, after = block[:at], block[at + 1 :]
        if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
            continue
        yield before + after or [ast.Pass()]
        if isinstance(line, ast.AugAssign):
            value = ast.Assign([line.target], line.value, lineno=0)
            yield [*before, value, *after]
        if after and _depends(after[0], line):
            yield [*before, after[0], line, *after[1:]]
        if isinstance(line, (ast.For, ast.While)):
            yield from _loops(before, line, after)


def _depends(line: ast.stmt, earlier: ast.stmt) -> bool:
    """Whether two assignments give something else in the other order."""
    if not all(isinstance(each, (ast.Assign, ast.AugAssign)) for each in (line, earlier)):
        return False
    names = [[n for n in ast.walk(each) if isinstance(n, ast.Name)] for each in (line, earlier)]
    binds = [{n.id for n in each if isinstance(n.ctx, ast.Store)} for each in names]
    return any(binds[i] & {n.id for n in names[1 - i]} for i in (0, 1))


def _loops(before: list, loop: ast.For | ast.While, after: list) -> Iterator[list[ast.stmt]]:
    """The loop's last line behind it, its first line in front of it, the line behind it at its end."""
    body = loop.body

    def with_body(lines: list) -> ast.stmt:
        other = copy.copy(loop)
        other.body = lines
        return other

    if len(body) > 1:
        yield [*before, with_body(body[:-1]), body[-1], *after]
        yield [*before, body[0], with_body(body[1:]), *after]
    if after:
        yield [*before, with_body([*body, after[0]]), *after[1:]]
