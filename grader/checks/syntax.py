"""Patterns in the text of an answer, found in its syntax tree."""

from __future__ import annotations

import ast
import functools
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator

from ..sentence import said

_one_at_a_time = threading.Lock()
_MAX_MARKS = 256  # combining marks in a row; a letter of any language has a few
LONGEST = 20_000  # characters of a text in which patterns are sought; the longest answer of the course has 7,000
_DEEPEST = 100  # levels of its tree; answers of the course have up to 12


def parse(text: str) -> ast.Module:
    """ast.parse in one thread at a time. Raises SyntaxError, also for a letter with more than 256 combining marks.

    CPython 3.11 has one recursion counter for all threads and sometimes raises SystemError when two threads parse at
    once, as happens when a class is graded (python/cpython#106905). It sorts the marks of a name in quadratic time.
    """
    if _longest_marks(text) > _MAX_MARKS:
        raise SyntaxError(said("a letter carries more than {MAX_MARKS} combining marks", MAX_MARKS=_MAX_MARKS))
    with _one_at_a_time:
        return ast.parse(text)


def _longest_marks(text: str) -> int:
    """The length of the longest row of combining marks, in compatibility decomposition as names have it."""
    longest = 0
    for others in re.findall(rf"[^\x00-\x7f]{{{_MAX_MARKS},}}", text):
        row = 0
        for character in others:
            marks = [unicodedata.combining(c) > 0 for c in unicodedata.normalize("NFKD", character)]
            row = row + len(marks) if all(marks) else marks[::-1].index(False)
            longest = max(longest, row)
    return longest


def tree_of(text: str) -> ast.Module:
    """The tree of a text. Its callers share one tree and must not change it.

    Raises SyntaxError, also for a text that is longer or deeper than anyone writes: many patterns compare nodes with
    nodes, and would take minutes.
    """
    tree = _tree(text)
    if tree is None:
        raise SyntaxError("too long or too deep to look for patterns in it")
    return tree


@functools.lru_cache(maxsize=64)
def _tree(text: str) -> ast.Module | None:
    tree = parse(text) if len(text) <= LONGEST else None
    return None if tree is None or _is_deep(tree) else tree


def _is_deep(tree: ast.AST) -> bool:
    level = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return bool(level)


def nodes(tree: ast.AST) -> list[ast.AST]:
    """A node and all nodes below it. The list is kept with the node."""
    if not hasattr(tree, "_nodes"):
        tree._nodes = list(ast.walk(tree))
    return tree._nodes


_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)
_FOREIGN = ("torch", "np", "numpy", "math", "F")


def calls(tree: ast.AST, function: str) -> list[ast.Call]:
    """All calls of an attribute of this name, such as tl.<function>."""
    return [
        n for n in nodes(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == function
    ]  # fmt: skip


def assigned(tree: ast.AST) -> list[tuple[str, ast.expr]]:
    """(name, value) of all assignments of one value to names, in the order of their lines."""
    found = sorted((n for n in nodes(tree) if isinstance(n, ast.Assign)), key=lambda n: n.lineno)
    return [(t.id, n.value) for n in found for t in n.targets if isinstance(t, ast.Name)]


def exception_not_raised(tree: ast.AST) -> bool:
    """Whether an exception is made and returned, or made and left alone."""
    lines = [n.value for n in nodes(tree) if isinstance(n, (ast.Return, ast.Expr))]
    made = [n.func.id for n in lines if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    return any(name.endswith(("Error", "Exception")) for name in made)


def without_mask(tree: ast.AST, op: str) -> bool:
    """Whether a call of tl.<op>, load or store, has no mask, or there is no such call."""
    before = {"load": 1, "store": 2}[op]
    found = calls(tree, op)
    return not found or any(len(c.args) <= before and all(k.arg != "mask" for k in c.keywords) for c in found)


def load_without_other(tree: ast.AST) -> bool:
    """A tl.load with a mask and without a value for masked lanes.

    False for a load whose lanes a tl.where chooses by the mask: then they are chosen wrongly. A second walk, whose loop
    stores, needs no value where the first walk has one.
    """
    storing = [call for loop in _loops(tree) if calls(loop, "store") for call in calls(loop, "load")]
    walked = [call for call in calls(tree, "load") if call not in storing]
    loads = walked if any(_has_other(call) for call in walked) else calls(tree, "load")
    masks = _names(k.value for call in loads for k in call.keywords if k.arg == "mask")
    masks |= _names(n.value for n in nodes(tree) if isinstance(n, ast.Assign) and _names(n.targets) & masks)
    chosen: list[ast.AST] = []
    for call in calls(tree, "where"):
        asked = _names(call.args[:1])
        if any(ast.dump(call.args[0]) == ast.dump(value) for value in call.args[1:2]):
            return False  # by its values
        if asked and asked <= masks:
            chosen += call.args[1:]
    by_name = {each.id for each in chosen if isinstance(each, ast.Name)}
    chosen += [n.value for n in nodes(tree) if isinstance(n, ast.Assign) and _names(n.targets) & by_name]
    within = set(map(id, chosen))
    for call in loads:
        masked = "mask" in _given(call) or len(call.args) > 1
        if masked and not _has_other(call) and id(call) not in within:
            return True
    return False


def _loops(tree: ast.AST) -> list[ast.For | ast.While]:
    return [n for n in nodes(tree) if isinstance(n, (ast.For, ast.While))]


def _given(call: ast.Call) -> set[str | None]:
    """The names of the keyword arguments of a call that are not None."""
    return {k.arg for k in call.keywords if not _is_none(k.value)}


def _has_other(load: ast.Call) -> bool:
    return "other" in _given(load) or len(load.args) > 2


def _names(trees: Iterable[ast.AST]) -> set[str]:
    return {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _is_none(node: ast.AST) -> bool:
    """Whether a node is the word None."""
    return isinstance(node, ast.Constant) and node.value is None


def loads_from_output(tree: ast.AST) -> bool:
    """A tl.load in a kernel from its first parameter, the pointer of the output, before any tl.store."""
    for kernel in (each for each in kernels(tree) if each.args.args):
        stored = min((call.lineno for call in calls(kernel, "store")), default=0)
        loads = [call for call in calls(kernel, "load") if call.args and call.lineno < stored]
        names = {name.id for call in loads for name in nodes(call.args[0]) if isinstance(name, ast.Name)}
        if kernel.args.args[0].arg in names:
            return True
    return False


def pointers_exchanged(tree: ast.AST, kernel: str) -> bool:
    """The kernel of this name loads from its first parameter, the pointer of the output, and stores to its second."""
    for found in (each for each in kernels(tree) if each.name == kernel and len(each.args.args) > 1):
        first, second = (parameter.arg for parameter in found.args.args[:2])
        loaded, stored = (_named_in_addresses(found, function) for function in ("load", "store"))
        return first in loaded and second in stored and first not in stored and second not in loaded
    return False


def _named_in_addresses(kernel: ast.AST, function: str) -> set[str]:
    """All names in the addresses of the loads or of the stores of a kernel."""
    addresses = [call.args[0] for call in calls(kernel, function) if call.args]
    return {name.id for address in addresses for name in nodes(address) if isinstance(name, ast.Name)}


def boolean_on_masks(tree: ast.AST) -> bool:
    """`and`, `or` or `not` in a kernel, outside the condition of an if, while or assert."""
    conditions = [n.test for n in nodes(tree) if isinstance(n, (ast.If, ast.While, ast.IfExp, ast.Assert))]
    tests = {id(n) for condition in conditions for n in nodes(condition)}
    words = [
        n for kernel in kernels(tree) for n in nodes(kernel)
        if isinstance(n, ast.BoolOp) or (isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not))
    ]  # fmt: skip
    return any(id(n) not in tests for n in words)


def masks_inverted(tree: ast.AST) -> bool:
    """A load or store of a kernel has a mask such as `lanes >= n`, which is true for the lanes behind the end."""
    for kernel in kernels(tree):
        lanes = _names_of_lanes(kernel)
        masks = [word.value for op in ("load", "store") for call in calls(kernel, op)
                 for word in call.keywords if word.arg == "mask"]  # fmt: skip
        masks += [call.args[1] for call in calls(kernel, "load") if len(call.args) > 1]
        named = {name: n.value for n in nodes(kernel) if isinstance(n, ast.Assign) for name in _assigned(n)}
        if any(_behind_the_end(named.get(getattr(mask, "id", None), mask), lanes) for mask in masks):
            return True
    return False


def _behind_the_end(mask: ast.AST, lanes: set[str]) -> bool:
    """Whether a comparison is true for the lanes at a limit or behind it. A number, such as -inf, is no limit."""
    if not isinstance(mask, ast.Compare) or len(mask.ops) != 1:
        return False
    left, right = mask.left, mask.comparators[0]
    if isinstance(mask.ops[0], (ast.Lt, ast.LtE)):
        left, right = right, left
    elif not isinstance(mask.ops[0], (ast.Gt, ast.GtE)):
        return False
    of_lanes = [any(isinstance(n, ast.Name) and n.id in lanes for n in nodes(side)) for side in (left, right)]
    limits = {n.id for n in nodes(right) if isinstance(n, ast.Name)} - {"float", "math", "torch"}
    return of_lanes == [True, False] and bool(limits)


_REDUCTIONS = ("max", "min", "sum", "reduce", "argmax", "argmin", "xor_sum", "reduce_or")


def branches_on_lanes(tree: ast.AST) -> bool:
    """In a kernel, the condition of an if or a while is a comparison of lanes: made of tl.arange, and not reduced."""
    for kernel in kernels(tree):
        tests = [n.test for n in nodes(kernel) if isinstance(n, (ast.If, ast.While, ast.IfExp))]
        if tests:
            lanes = _names_of_lanes(kernel)
            if any(isinstance(n, ast.Name) and n.id in lanes for test in tests for n in _unreduced(test)):
                return True
    return False


def _names_of_lanes(kernel: ast.FunctionDef) -> set[str]:
    """The names of a kernel that hold one value for each lane, as far as assignments tell."""
    lanes: set[str] = set()
    given_to: dict[str, set[str]] = {}  # for each name, the names that get a value made of it
    pending: list[str] = []
    for n in (n for n in nodes(kernel) if isinstance(n, ast.Assign)):
        for part in _unreduced(n.value):
            if isinstance(part, ast.Name):
                given_to.setdefault(part.id, set()).update(_assigned(n))
            elif _is_call(part, ("arange",)):
                pending += _assigned(n)
    while pending:
        name = pending.pop()
        if name not in lanes:
            lanes.add(name)
            pending += given_to.get(name, ())
    return lanes


def _unreduced(node: ast.AST) -> list[ast.AST]:
    """The node and all that it is made of, without the arguments of a reduction: that gives one number."""
    if _is_call(node, _REDUCTIONS):
        return []
    return [node, *(part for child in ast.iter_child_nodes(node) for part in _unreduced(child))]


def _is_call(node: ast.AST, functions: tuple[str, ...]) -> bool:
    """Whether a node calls one of these functions, as a name or of a module."""
    return isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in functions


def loose_ampersand(tree: ast.AST) -> bool:
    """`a < b & c < d`, which Python parses as a < (b & c) < d."""
    return any(
        isinstance(n, ast.Compare)
        and any(
            isinstance(c, ast.BinOp) and isinstance(c.op, (ast.BitAnd, ast.BitOr)) for c in [n.left, *n.comparators]
        )
        for n in nodes(tree)
    )


def compares_by_identity(tree: ast.AST) -> bool:
    """A kernel asks `is` or `is not`, with something else than None."""
    return any(
        isinstance(n, ast.Compare) and isinstance(n.ops[0], (ast.Is, ast.IsNot)) and not _is_none(n.comparators[0])
        for kernel in kernels(tree)
        for n in nodes(kernel)
    )


def compares_with_text(tree: ast.AST) -> bool:
    """A comparison has a text on one side, as in `dtype == "float32"`, or a dictionary has texts as its keys.

    False where the answer makes a text of a value itself.
    """
    if any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "str" for n in nodes(tree)):
        return False
    compared = [(n.left, *n.comparators) for n in nodes(tree) if isinstance(n, ast.Compare)]
    keys = [n.keys for n in nodes(tree) if isinstance(n, ast.Dict)]
    return any(isinstance(each, ast.Constant) and isinstance(each.value, str) for of in compared + keys for each in of)


def ends_in_its_loop(tree: ast.AST) -> bool:
    """A loop has a return among its own lines, which no condition guards."""
    return any(isinstance(line, ast.Return) for loop in _loops(tree) for line in loop.body)


def xor_for_power(tree: ast.AST) -> bool:
    """A number written out, ^, and something else, as in 2 ^ k: the beginner's power."""
    return any(
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.BitXor) and isinstance(n.left, ast.Constant)
        for n in nodes(tree)
    )


def masks_joined_by_or(tree: ast.AST) -> bool:
    """`|` in a kernel."""
    return any(
        isinstance(n, (ast.BinOp, ast.AugAssign)) and isinstance(n.op, ast.BitOr)
        for kernel in kernels(tree) for n in nodes(kernel)
    )  # fmt: skip


def kernels(tree: ast.AST) -> list[ast.FunctionDef]:
    """The functions with a decorator such as @triton.jit."""
    return [
        n for n in nodes(tree)
        if isinstance(n, ast.FunctionDef) and any("jit" in ast.unparse(d) for d in n.decorator_list)
    ]  # fmt: skip


def foreign_module(tree: ast.AST) -> bool:
    """torch, numpy or math in a kernel, but for constants such as math.inf."""
    inside = [n for kernel in kernels(tree) for n in nodes(kernel) if isinstance(n, ast.Attribute)]
    used = [n.attr for n in inside if isinstance(n.value, ast.Name) and n.value.id in _FOREIGN]
    return any(name not in ("inf", "nan", "pi", "e", "tau") for name in used)


def kernel_returns(tree: ast.AST) -> bool:
    """A kernel returns a value. A helper may: a function that a kernel calls, or one without a pointer."""
    helpers = {n.func.id for k in kernels(tree) for n in nodes(k) if isinstance(n, ast.Call) and hasattr(n.func, "id")}
    return any(
        isinstance(n, ast.Return) and n.value is not None
        for kernel in kernels(tree)
        if kernel.name not in helpers and any(a.arg.endswith("_ptr") for a in kernel.args.args)
        for n in nodes(kernel)
    )


def squares_a_row(tree: ast.AST) -> bool:
    """A product of a kernel has the number of the program as a factor twice, as in row * stride * row."""
    for kernel in kernels(tree):
        below = nodes(kernel)
        rows = {name for n in below if isinstance(n, ast.Assign) and calls(n, "program_id") for name in _assigned(n)}
        if any(_factors(n).count(row) > 1 for n in below for row in rows):
            return True
    return False


def _factors(n: ast.AST) -> list[str]:
    """The names among the factors of a product; of anything else but a name, none."""
    if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult):
        return _factors(n.left) + _factors(n.right)
    return [n.id] if isinstance(n, ast.Name) else []


def multiplies_lanes(tree: ast.AST) -> bool:
    """`row * stride * cols` or `row * (stride + cols)` in a kernel, where cols is a tl.arange."""
    lanes = {
        target.id for kernel in kernels(tree) for n in nodes(kernel) if isinstance(n, ast.Assign)
        for target in n.targets if isinstance(target, ast.Name) and n.value in calls(n, "arange")
    }  # fmt: skip

    def wrong(n: ast.AST) -> bool:
        match n:
            case ast.BinOp(ast.BinOp(op=ast.Mult()), ast.Mult(), ast.Name(name)):
                return name in lanes
            case ast.BinOp(_, ast.Mult(), ast.BinOp(ast.Name(a), ast.Add(), ast.Name(b))):
                return any(stride.endswith("stride") and name in lanes for stride, name in ((a, b), (b, a)))
        return False

    return any(wrong(n) for kernel in kernels(tree) for n in nodes(kernel))


def factor_inverted(tree: ast.AST) -> bool:
    """In a loop, something is multiplied by exp(new - old), where `old` is the value of the step before."""

    def inverted(factor: ast.expr, old: set[str], new: set[str]) -> bool:
        match factor:
            case ast.Call(
                func=ast.Attribute(attr="exp" | "exp2"),
                args=[ast.BinOp(left=ast.Name(id=a), op=ast.Sub(), right=ast.Name(id=b))],
            ):
                return a in new and b in old
        return False

    return _scaled_in_a_loop(tree, inverted)


def factor_without_exp(tree: ast.AST) -> bool:
    """In a loop, something is multiplied by the ratio or the difference of a new value and one of the step before."""

    def without_exp(factor: ast.expr, old: set[str], new: set[str]) -> bool:
        match factor:
            case ast.BinOp(left=ast.Name(id=a), op=ast.Sub() | ast.Div(), right=ast.Name(id=b)):
                return (a in new and b in old) or (a in old and b in new)
        return False

    return _scaled_in_a_loop(tree, without_exp)


def shifted_by_a_constant(tree: ast.AST) -> bool:
    """exp is taken of a difference to a number that stands in the text, as in exp(x - 80), but not exp(x - m - 80)."""
    values = {
        n.targets[0].id: n.value for n in nodes(tree)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
    }  # fmt: skip

    def meant(node: ast.expr) -> ast.expr:
        return values.get(node.id, node) if isinstance(node, ast.Name) else node

    def is_shifted(difference: ast.expr) -> bool:
        match meant(difference):
            case ast.BinOp(left, ast.Sub(), by):
                number, before = getattr(meant(by), "value", None), meant(left)
                further = isinstance(before, ast.BinOp) and isinstance(before.op, ast.Sub)
                return isinstance(number, int | float) and number != 0 and not further
        return False

    return any(is_shifted(n.args[0]) for name in ("exp", "exp2") for n in calls(tree, name) if n.args)


def stale_maximum(tree: ast.AST) -> bool:
    """In a loop, exp is taken of the loop's variable minus a name that still has the value of the step before."""
    return _stale(tree, lambda left, loop: ast.unparse(left) == ast.unparse(loop.target))


def stale_in_tiles(tree: ast.AST) -> bool:
    """In a loop, exp is taken of a tile minus a name that still has the value of the step before."""
    return _stale(tree, lambda left, loop: isinstance(left, ast.Name))


def _stale(tree: ast.AST, is_term: Callable[[ast.expr, ast.For], bool]) -> bool:
    """exp(term - name) in a loop, and a later statement of the same block, but no earlier one, gives the name a value.

    is_term(left side of the difference, loop). An exp that multiplies is a factor, and no term.
    """
    loops = [n for n in nodes(tree) if isinstance(n, ast.For)]
    blocks = [(loop, block) for loop in loops for n in nodes(loop) for block in _blocks(n)]
    return any(
        isinstance(n.args[0], ast.BinOp) and isinstance(n.args[0].op, ast.Sub) and is_term(n.args[0].left, loop)
        and n.args[0].right.id in _assigned_in(block[i + 1 :]) - _assigned_in(block[:i])
        for loop, block in blocks for i, statement in enumerate(block) if not isinstance(statement, ast.If)
        for n in calls(statement, "exp") if n.args and isinstance(getattr(n.args[0], "right", None), ast.Name)
        if not any(n in nodes(product) for product in _products(statement))
    )  # fmt: skip


def _assigned_in(statements: list[ast.stmt]) -> set[str]:
    """The names that get a value in these statements or below them."""
    return {name for statement in statements for n in nodes(statement) for name in _assigned(n)}


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """The lists of statements of a loop or of a branch."""
    return [block for name in ("body", "orelse") if isinstance(block := getattr(node, name, None), list)]


def _products(statement: ast.AST) -> list[ast.AST]:
    """The multiplications in a statement."""
    return [n for n in nodes(statement) if isinstance(getattr(n, "op", None), ast.Mult)]


def exp_of_a_number(tree: ast.AST) -> bool:
    """In a loop, exp is taken of the loop's variable itself: nothing was subtracted from it."""
    return any(
        isinstance(n.args[0], ast.Name) and n.args[0].id == loop.target.id
        for loop in nodes(tree) if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name)
        for n in calls(loop, "exp") if n.args
    )  # fmt: skip


def _scaled_in_a_loop(tree: ast.AST, test) -> bool:
    """Whether test(factor, names with the value of the step before, names with a new one) holds in a loop."""
    for function in (n for n in nodes(tree) if isinstance(n, ast.FunctionDef)):
        loops, first = _loops(function), {}
        if loops:
            for n in nodes(function):
                for name in _assigned(n):
                    first[name] = min(n.lineno, first.get(name, n.lineno))
        if any(_scaled_in(first, loop, test) for loop in loops):
            return True
    return False


def _scaled_in(first: dict[str, int], loop: ast.For | ast.While, test) -> bool:
    """A name with a value before the loop is old until a statement of the loop assigns it.

    first: for each name of the function, the first line that gives it a value.
    """
    before = {name for name in _names([loop]) if first.get(name, loop.lineno) < loop.lineno}
    new: set[str] = set()
    for statement in loop.body:
        for n in nodes(statement):
            if isinstance(n, ast.BinOp | ast.AugAssign) and isinstance(n.op, ast.Mult):
                factors = (n.left, n.right) if isinstance(n, ast.BinOp) else (n.value,)
                if any(test(factor, before - new, new) for factor in factors):
                    return True
            match n:
                case ast.BinOp(ast.BinOp(_, ast.Mult(), factor), ast.Div(), divisor):  # d * m / new is d * (m / new)
                    if test(ast.BinOp(factor, ast.Div(), divisor), before - new, new):
                        return True
        new |= {name for n in nodes(statement) for name in _assigned(n)}
    return False


def starts_at_infinity(tree: ast.AST) -> bool:
    """A maximum that a loop assigns anew has the value +inf before the loop."""
    starts = {
        name: n.lineno for n in nodes(tree)
        if isinstance(n, ast.Assign) and ast.unparse(n.value) in ("float('inf')", "math.inf", "torch.inf")
        for name in _assigned(n)
    }  # fmt: skip
    changed = [(loop, name) for loop in _loops(tree) for n in nodes(loop) for name in _assigned(n)]
    maxima = _names(arg for name in ("maximum", "max") for call in calls(tree, name) for arg in call.args)
    maxima |= _names(n for n in nodes(tree) if isinstance(n, ast.Compare))
    maxima |= _names(n for n in nodes(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "max")
    return any(name in starts and name in maxima and starts[name] < loop.lineno for loop, name in changed)


def _assigned(node: ast.AST) -> set[str]:
    """The names that an assignment binds; empty for any other node."""
    targets = getattr(node, "targets", [getattr(node, "target", None)]) if isinstance(node, _ASSIGNMENTS) else []
    return {n.id for target in targets for n in nodes(target) if isinstance(n, ast.Name)}


def drops_its_maximum(tree: ast.AST) -> bool:
    """Recognises the larger of two values, maximum(a, b) or max(a, b), where a loop does not set each of them anew.

    An answer without such a call has no maximum to drop.
    """
    found = [*calls(tree, "maximum"), *(call for call in calls(tree, "max") if len(call.args) > 1)]
    kept = set()
    for loop in _loops(tree):
        bound = _assigned_in([loop])
        kept |= {id(each) for each in nodes(loop) if isinstance(each, ast.Call) and set() < _plain(each) <= bound}
    return any(id(call) not in kept for call in found)


def _plain(call: ast.Call) -> set[str]:
    """The arguments of a call that are names."""
    return {each.id for each in call.args if isinstance(each, ast.Name)}


def parameter_used_again(tree: ast.AST) -> bool:
    """A function uses its first parameter in more than one place."""
    return any(
        sum(isinstance(n, ast.Name) and n.id == f.args.args[0].arg for n in nodes(f)) > 1
        for f in nodes(tree) if isinstance(f, ast.FunctionDef) and f.args.args
    )  # fmt: skip


def launched_into_another(tree: ast.AST) -> bool:
    """A function launches a kernel, and the tensor that it returns is an argument of the launch, but not the first."""
    for function in [n for n in nodes(tree) if isinstance(n, ast.FunctionDef)]:
        given = {n.value.id for n in nodes(function) if isinstance(n, ast.Return) and isinstance(n.value, ast.Name)}
        for n in nodes(function):
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Subscript) and n.args:
                first, *others = [a.id if isinstance(a, ast.Name) else None for a in n.args]
                if first not in given and given & {*others}:
                    return True
    return False


def strides_exchanged(tree: ast.AST) -> bool:
    """A launch passes the stride of one tensor where the kernel has the row stride of another one, and the reverse.

    By the names of the kernel's parameters: y_ptr and y_row_stride belong together.
    """
    return any(owners.get(owner) == name for owners in _owners_of_strides(tree) for name, owner in owners.items())


def stride_of_another(tree: ast.AST) -> bool:
    """A launch passes the stride of one tensor where the kernel has the row stride of another one."""
    return any(_owners_of_strides(tree))


def all_strides_passed(tree: ast.AST) -> bool:
    """A launch passes all strides of a tensor, x.stride(), for one parameter."""
    passed = [text for given in _launches(tree) for text in given.values()]
    return any(text.endswith(".stride()") and not text.startswith("*") for text in passed)


def _owners_of_strides(tree: ast.AST) -> Iterator[dict[str, str]]:
    """{tensor: tensor whose stride a launch passes for it}, where the two differ, for each launch with such a pair."""
    for given in _launches(tree):
        tensors = {name.removesuffix("_ptr"): text for name, text in given.items() if name.endswith("_ptr")}
        if any(text in tensors and text != name for name, text in tensors.items()):
            continue  # the tensors themselves are exchanged
        strides = {name: given[f"{name}_row_stride"] for name in tensors if f"{name}_row_stride" in given}
        of = {f"{text}.{stride}": name for name, text in tensors.items() for stride in ("stride(0)", "stride()[0]")}
        owners = {name: of.get(text) for name, text in strides.items()}
        if exchanged := {name: owner for name, owner in owners.items() if owner not in (None, name)}:
            yield exchanged


def arguments_exchanged(tree: ast.AST) -> bool:
    """A launch passes a variable in the place of one parameter of the kernel, and another parameter has its name.

    The variable x belongs to x_ptr, if the place is that of a pointer. A variable that is also passed in its own place
    does not count.
    """
    for given in _launches(tree):
        for place, text in given.items():
            own = f"{text}_ptr" if place.endswith("_ptr") else text
            if own in given and own != place and given[own] != text:
                return True
    return False


def _launches(tree: ast.AST) -> Iterator[dict[str, str]]:
    """{parameter of the kernel: text of its positional argument} for each launch of a kernel that the tree defines."""
    parameters = {kernel.name: [each.arg for each in kernel.args.args] for kernel in kernels(tree)}
    for n in nodes(tree):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Subscript) and isinstance(n.func.value, ast.Name):
            yield dict(zip(parameters.get(n.func.value.id, ()), (ast.unparse(each) for each in _spread(tree, n.args))))


def _spread(tree: ast.AST, arguments: list[ast.expr]) -> Iterator[ast.expr]:
    """The arguments, where `*name` stands for the elements of the tuple that an assignment gives to the name."""
    assigned = [n for n in nodes(tree) if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
    tuples = {n.targets[0].id: n.value.elts for n in assigned if isinstance(n.value, ast.Tuple)}
    for each in arguments:
        if isinstance(each, ast.Starred) and isinstance(each.value, ast.Name):
            yield from tuples.get(each.value.id, ())
        else:
            yield each


def any_for_all(tree: ast.AST) -> bool:
    """An assert asks whether any of many comparisons with `<` or `<=` is true."""
    return any(
        isinstance(n, ast.Call) and ast.unparse(n.func).rpartition(".")[2] == "any" and _compared(n)
        for a in _asserts(tree) if not isinstance(a.test, ast.UnaryOp)
        for n in nodes(a.test)
    )  # fmt: skip


def _compared(call: ast.Call) -> bool:
    sides = [*call.args, *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]
    return any(isinstance(s, ast.Compare) and isinstance(s.ops[0], (ast.Lt, ast.LtE)) for s in sides)


def one_sided(tree: ast.AST) -> bool:
    """One assert compares a difference with `<` or `<=`, without its absolute value or the other side of it."""
    compared = [
        (a, n) for a in _asserts(tree) for n in nodes(a.test)
        if isinstance(n, ast.Compare) and any(_is_difference(side) for side in (n.left, *n.comparators))
    ]  # fmt: skip
    return len(compared) == 1 and all(
        _is_difference(n.left) and isinstance(n.ops[0], (ast.Lt, ast.LtE)) and "abs" not in ast.unparse(a.test)
        for a, n in compared
    )


def _is_difference(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)


def _asserts(tree: ast.AST) -> list[ast.Assert]:
    return [n for n in nodes(tree) if isinstance(n, ast.Assert)]


def asserts_a_tuple(tree: ast.AST) -> bool:
    """An assert has a tuple that is not empty, which is always true."""
    return any(isinstance(n.test, ast.Tuple) and n.test.elts for n in _asserts(tree))


def asserts_nothing(tree: ast.AST) -> bool:
    """No statement can fail: there is no raise, no call that asserts, and no assert statement.

    A statement in a try that catches its error does not count.
    """
    swallowed = {id(n) for t in nodes(tree) if isinstance(t, ast.Try) and _swallows(t) for n in _inside(t.body)}
    return not any(
        isinstance(n, ast.Raise)
        or isinstance(n, ast.Assert)
        or (isinstance(n, ast.Call) and "assert" in ast.unparse(n.func))
        for n in nodes(tree)
        if id(n) not in swallowed
    )


def prints_only(tree: ast.AST) -> bool:
    """There is a call of print, and neither a raise nor an assert."""
    printed = any(isinstance(n, ast.Call) and ast.unparse(n.func) == "print" for n in nodes(tree))
    return printed and not any(isinstance(n, (ast.Raise, ast.Assert)) for n in nodes(tree))


def _swallows(node: ast.Try) -> bool:
    """Whether a try statement catches an AssertionError and raises no other error."""
    names = [ast.unparse(h.type) if h.type else "" for h in node.handlers]
    caught = any(re.search(r"^$|Exception|AssertionError|BaseException", name) for name in names)
    return caught and not any(isinstance(n, (ast.Raise, ast.Assert)) for h in node.handlers for n in _inside(h.body))


def _inside(statements: list[ast.stmt]) -> list[ast.AST]:
    """All nodes of these statements."""
    return [n for statement in statements for n in nodes(statement)]


def cuts_digits(tree: ast.AST) -> bool:
    """A division with //, or a call that rounds to an integer."""
    rounding = ("int", "round", "floor", "ceil", "trunc")
    return any(
        (isinstance(n, (ast.BinOp, ast.AugAssign)) and isinstance(n.op, ast.FloorDiv))
        or (isinstance(n, ast.Call) and ast.unparse(n.func).split(".")[-1] in rounding)
        for n in nodes(tree)
    )


def worked_out(tree: ast.AST, function: str, *given: int):
    """The value of a function for these integers, from its text; None where it is more than one return of arithmetic.

    The expression may have numbers, parameters, sums, differences, products and pairs. There must be as many integers
    as parameters.
    """
    for n in functions(tree, function):
        if len(n.args.args) == len(given):
            body = [s for s in n.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
            if len(body) == 1 and isinstance(body[0], ast.Return):
                return _evaluate(body[0].value, {a.arg: value for a, value in zip(n.args.args, given)})
    return None


def _evaluate(node: ast.expr | None, names: dict[str, int]):
    """The value of an expression of numbers, names, sums, differences, products and pairs; None for any other."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return names.get(name)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            values = tuple(_evaluate(part, names) for part in parts)
            return None if None in values else values
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as sign, right=right):
            a, b = _evaluate(left, names), _evaluate(right, names)
            if isinstance(a, (int, float)) and isinstance(b, (int, float)):
                return a + b if isinstance(sign, ast.Add) else a - b if isinstance(sign, ast.Sub) else a * b
    return None


def functions(tree: ast.AST, name: str) -> list[ast.FunctionDef]:
    """The functions of this name."""
    return [n for n in nodes(tree) if isinstance(n, ast.FunctionDef) and n.name == name]


def unused_parameters(tree: ast.AST, function: str) -> set[int]:
    """The positions of the parameters that a function does not use; empty where there is no such function."""
    for n in functions(tree, function):
        read = {m.id for m in nodes(n) if isinstance(m, ast.Name)}
        return {i for i, a in enumerate(n.args.args) if a.arg not in read}
    return set()
