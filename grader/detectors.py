"""How a mistake is recognised: by the wrong formula its numbers fit, by where it left its tensor, by how it is written."""

from __future__ import annotations

import ast

import torch

from . import compare
from .exercise import Answer, Case, Detector, Evidence


def output(case: Case, evidence: Evidence) -> torch.Tensor | None:
    """The tensor an answer made: what it returned, or what its kernel stored."""
    if isinstance(evidence.value, torch.Tensor):
        return evidence.value
    index = case.facts.get("out")
    return evidence.args[index] if index is not None and index < len(evidence.args) else None


def formula(compute) -> Detector:
    """Matches when the answer's numbers are those of a known wrong formula of the case's x (float32, M×N)."""

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        x, got = case.facts.get("x"), output(case, evidence)
        if x is None or got is None or got.shape != x.shape:
            return False
        wrong = compute(x, case.facts)
        # Where the wrong formula happens to be right (one column, say), agreeing with it means nothing.
        return compare.alike(got, wrong) and not (x.dim() == 2 and compare.alike(torch.softmax(x.double(), 1), wrong))

    return detect


def outside(op: str, test=None) -> Detector:
    """Matches an access that left its tensor: op is "load" or "store", test looks at where and the case's facts."""

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        where = (evidence.error or {}).get("where")
        if not where or where.get("op") != op:
            return False
        return test is None or bool(test(where, case.facts))

    return detect


def written(test) -> Detector:
    """Matches by how the answer is written: test gets its syntax tree."""

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        try:
            return bool(test(ast.parse(answer.source)))
        except SyntaxError:
            return False

    return detect


def value(test) -> Detector:
    """Matches a plain value: test gets what the answer gave and the case's facts."""

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        try:
            return evidence.error is None and bool(test(evidence.value, case.facts))
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
            return False

    return detect


def both(*detectors: Detector) -> Detector:
    """Matches when all of them do."""
    return lambda case, evidence, answer: all(d(case, evidence, answer) for d in detectors)


def wrong_kind(what: str) -> Detector:
    """Matches a returned tensor whose "shape" or "dtype" is not that of the input x."""

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        x, got = case.facts.get("x"), evidence.value
        return x is not None and isinstance(got, torch.Tensor) and getattr(got, what) != getattr(x, what)

    return detect


def nothing(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The function returned None."""
    return evidence.error is None and evidence.value is None


def all_nan(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Nothing but NaN came out."""
    got = output(case, evidence)
    return got is not None and bool(got.isnan().all())


def tail_is_nan(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The last columns of every row were left as they were, the ones before them hold numbers."""
    got = output(case, evidence)
    if got is None or got.dim() != 2 or got.shape[1] < 2:
        return False
    nan = got.isnan()
    columns = nan.all(dim=0)
    return bool(columns[-1] and not nan[:, 0].any() and torch.equal(nan, columns.expand_as(nan)))


def tail_rows_nan(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The last rows were left as they were, the first holds numbers."""
    got = output(case, evidence)
    if got is None or got.dim() != 2 or len(got) < 2:
        return False
    return bool(got.isnan().all(dim=1)[-1] and not got[0].isnan().any())


# ---- wrong formulas: float32 where the range matters, float64 elsewhere --------------------------------------------


def _exp32(x: torch.Tensor) -> torch.Tensor:
    """exp as float32 sees it: inf above 88.7, 0 far below."""
    return torch.exp(x.float()).double()


def no_max(x, facts):
    """softmax without the shift."""
    e = _exp32(x)
    return e / e.sum(1, keepdim=True).float().double()


def shifted_by(shift):
    """softmax with a shift other than the row maximum; shift(x) has shape (M, 1) or ()."""

    def compute(x, facts):
        e = _exp32(x.float() - shift(x.float()))
        return e / e.sum(1, keepdim=True)

    return compute


def _shifted(x):
    x = x.double()
    return x - x.amax(1, keepdim=True)


def sum_of_x(x, facts):
    """Divided by the sum of the values; a padded kernel adds its pad of -inf to that sum."""
    total = x.double().sum(1, keepdim=True)
    if facts.get("block", 0) > x.shape[1]:
        total = total - torch.inf
    return torch.exp(_shifted(x)) / total


def sum_of_shifted(x, facts):
    """Divided by the sum of the shifted values."""
    total = _shifted(x).sum(1, keepdim=True)
    if facts.get("block", 0) > x.shape[1]:
        total = total - torch.inf
    return torch.exp(_shifted(x)) / total


def no_division(x, facts):
    """The numerator alone."""
    return torch.exp(_shifted(x))


def base_two(x, facts):
    """Powers of two."""
    e = torch.exp2(_shifted(x))
    return e / e.sum(1, keepdim=True)


def wrong_axis(x, facts):
    """Columns normalised."""
    return torch.softmax(x.double(), dim=0)


def pad_zero(x, facts):
    """Masked lanes hold 0: they take part in the maximum and in the sum."""
    x, extra = x.double(), facts.get("block", 0) - x.shape[1]
    top = x.amax(1, keepdim=True).clamp(min=0) if extra > 0 else x.amax(1, keepdim=True)
    e = torch.exp(x - top)
    return e / (e.sum(1, keepdim=True) + max(extra, 0) * torch.exp(-top))


def shifted_window(x, facts):
    """Row r read from element r on: the row stride is missing."""
    flat, (m, n) = x.contiguous().reshape(-1), x.shape
    if m < 2 or m - 1 + n > flat.numel():
        return torch.full((m, n), torch.inf)
    return torch.softmax(torch.stack([flat[r : r + n] for r in range(m)]).double(), dim=1)


def shifted_stores(x, facts):
    """Rows read and stored from element r on: the row stride is missing twice."""
    flat, (m, n) = x.contiguous().reshape(-1), x.shape
    want = torch.full((m * n,), torch.nan, dtype=torch.float64)
    for r in range(m):
        if r + n <= m * n:
            want[r : r + n] = torch.softmax(flat[r : r + n].double(), dim=0)
    return want.reshape(m, n)


def first_row_everywhere(x, facts):
    """Every program did row 0; the others keep NaN."""
    want = torch.full(x.shape, torch.nan, dtype=torch.float64)
    want[0] = torch.softmax(x[0].double(), dim=0)
    return want


# ---- how it is written ---------------------------------------------------------------------------------------------


def calls(tree: ast.AST, function: str) -> list[ast.Call]:
    """Calls of tl.<function>."""
    return [
        n for n in ast.walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == function
    ]  # fmt: skip


def load_without_other(tree: ast.AST) -> bool:
    """A load with a mask and no value for the lanes it masks."""
    for call in calls(tree, "load"):
        given = {k.arg for k in call.keywords}
        if ("mask" in given or len(call.args) > 1) and "other" not in given and len(call.args) < 3:
            return True
    return False


def boolean_on_masks(tree: ast.AST) -> bool:
    """`and` or `or` between comparisons, outside of an if or while."""
    tests = {id(n.test) for n in ast.walk(tree) if isinstance(n, (ast.If, ast.While, ast.IfExp, ast.Assert))}
    return any(isinstance(n, ast.BoolOp) and id(n) not in tests for kernel in kernels(tree) for n in ast.walk(kernel))


def loose_ampersand(tree: ast.AST) -> bool:
    """`a < b & c < d`, which Python reads as a < (b & c) < d."""
    return any(
        isinstance(n, ast.Compare)
        and any(isinstance(c, ast.BinOp) and isinstance(c.op, (ast.BitAnd, ast.BitOr)) for c in [n.left, *n.comparators])
        for n in ast.walk(tree)
    )


def kernels(tree: ast.AST) -> list[ast.FunctionDef]:
    """Functions under @triton.jit."""
    return [
        n for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef) and any("jit" in ast.unparse(d) for d in n.decorator_list)
    ]  # fmt: skip


def foreign_module(tree: ast.AST) -> bool:
    """torch, numpy or math used inside a kernel."""
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in ("torch", "np", "numpy", "math", "F")
        for kernel in kernels(tree)
        for n in ast.walk(kernel)
    )  # fmt: skip


def kernel_returns(tree: ast.AST) -> bool:
    """A kernel that returns a value and stores nothing."""
    return any(
        any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(k)) and not calls(k, "store")
        for k in kernels(tree)
    )
