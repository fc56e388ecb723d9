"""Expressions that look like an example."""

import ast

import pytest

from grader.checks.examples import like
from grader.checks.syntax import parse
from grader.mistakes import detectors
from grader.spec import Answer


def found(example, text):
    return [ast.unparse(node) for node in like(parse(text), example)]


@pytest.mark.parametrize(
    ("example", "some", "others"),
    [
        ("tl.load(_ + _, mask=_)", "tl.load(p + o, mask=m, other=0.0)", "tl.load(p, mask=m); tl.load(p + o)"),
        ("_.exp(_ - _)", "torch.exp(x - m)", "exp(x - m); tl.exp(x + m); tl.exp(x - m, 1); tl.exp2(x - m)"),
        ("_.max(..., axis=0)", "tl.max(x, axis=0)", "tl.max(x, axis=1); tl.max(x, 0); max(x, axis=0)"),
        ("_.max(_, 0, ...)", "x.max(y, 0, True)", "x.max(y); x.max(0, y)"),
        ("f(...)", "f()", "g(); f"),
        ("_[_](...)", "kernel[grid](y, x)", "kernel(y, x); kernel[grid]"),
        ("_.pointer_type(_._)", "tl.pointer_type(tl.float32)", "tl.pointer_type(dtype)"),
        ("bandwidth * _number", "bandwidth * 2.5", "bandwidth * n; 2 * bandwidth"),
        ('f(_, how="tf32")', 'f(a, how="tf32")', 'f(a, how="ieee")'),
        ("not _", "not a", "~a"),
        ("7", "7", "x[8]; '7'"),
    ],
)
def test_an_example_finds_what_looks_like_it(example, some, others):
    assert ast.unparse(ast.parse(some)) in found(example, some)
    assert found(example, others) == []


def test_an_example_is_found_anywhere():
    assert ["x - 1", "y - 1"] == sorted(found("_ - 1", "def f(x):\n    return g(x - 1)[y - 1]"))


def test_a_text_that_python_cannot_read_looks_like_nothing():
    assert not detectors.written_like("_")(None, None, Answer("def f(:"))
