"""The mistakes of test inputs and of a test: texts and detectors of lesson 06.

An input exercise has two cases. Each runs a kernel of the course on the matrix that the answer returned, and `then[0]`
is the kernel's evidence. The kernel is right in the case of size 1, and broken in the case of size 2.

In the exercise of a test, each case calls the answer's test with one kernel. A case of a right kernel has no group. The
group of a wrong kernel is its kind. Facts of a case: reference (whether the kernel is PyTorch's own softmax).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace

import torch

from ..checks import syntax
from ..reference.testing import is_matrix
from ..sentence import foreign, kind_of, within
from ..spec import Detector
from . import detectors
from .detectors import looks
from .errors import from_error
from .mistake import Mistake

MISTAKES = [
    Mistake(
        "input-no-matrix",
        "The kernels take a matrix of float32 numbers, and your input is something else.",
        "Of which type is the object that the softmax was given, and which shape and dtype does it have?",
    ),
    Mistake(
        "input-too-large",
        "This input is larger than this check allows: its kernels are interpreted.",
        "How small can an input be, if it should still show the difference?",
    ),
    Mistake(
        "input-within-clip",
        "The clip changes no value of this input, and no row is so far below 0 that all its exponentials become 0.",
        "For which values does tl.minimum change its first argument?",
    ),
    Mistake(
        "input-clip-alike",
        "The clip changes values of this input, but the shares of each row stay (nearly) the same.",
        "Which two values of one row have different shares, and the same share after the clip?",
    ),
    Mistake(
        "input-in-sample",
        "The shift looks at the first 64 values of a row, and no row of this input has more.",
        "Which columns of a row does the shift never see?",
    ),
    Mistake(
        "input-beyond-alike",
        "No value after the first 64 is far enough above them to make exp(x - shift) overflow.",
        "How large may x - shift be before float32 cannot hold its exponential?",
    ),
    Mistake(
        "input-no-tie",
        "Each row of this input has only one largest value, and then the kernel is right.",
        "In which rows is x == row_max true in more than one lane?",
    ),
    Mistake(
        "test-refuses-right",
        "The test is red on a right kernel: it is too strict for float32, or the values that it expects are not right.",
        "Which value does it expect there, and by how much may two right results differ, relative to their size?",
    ),
    Mistake(
        "input-empty",
        "The matrix has no elements.",
        "How many rows and how many columns does your input have?",
    ),
    Mistake(
        "input-without-softmax",
        "On this input, the right answer itself contains nan.",
        "What is the largest value of that row, and what is x - max in each column?",
    ),
    Mistake(
        "test-refuses-pytorch",
        "The test is red even on PyTorch's own result: it is too strict for float32, it compares with something that "
        "is not the softmax of each row, it compares nan, its condition is turned round, or it asks for more "
        "than right numbers.",
        "For which of your inputs and in which assert is it red, and what are the two values that it compares there?",
    ),
    Mistake(
        "test-calls-nothing",
        "The test never uses the function that it is given.",
        "Which line of your test runs the softmax under test?",
    ),
    Mistake(
        "test-takes-nan",
        "Your test accepts a kernel that returns nan everywhere.",
        "Which of your asserts looks at the numbers of the result, and what does it say if they are all nan?",
    ),
    Mistake(
        "test-ends-in-its-loop",
        "The test returns inside its loop, so it ends after the first round.",
        "Which of your inputs does the test reach, and which line ends it?",
    ),
    Mistake(
        "test-returns",
        "The test returns its result, but the value that a test returns is not used.",
        "How does a test report that something is wrong?",
    ),
    Mistake(
        "assert-of-a-tuple",
        "An assert never fails: its condition and its text are in one pair of parentheses. They are a tuple, and a "
        "tuple with items is always true.",
        "Which part of the assert statement should be in parentheses, and which part should not?",
    ),
    Mistake(
        "any-for-all",
        "An assert asks with `any` whether one comparison is true, so one right value is enough for it.",
        "Which function is true only if all values of a tensor are?",
    ),
    Mistake(
        "one-sided-difference",
        "A difference is compared without its absolute value, so a result that is far too small passes.",
        "How large is the difference of a value that is 0 where 0.5 is right?",
    ),
    Mistake(
        "test-asserts-nothing",
        "Nothing can make the test red: it has no statement that can fail, or a `try` catches the error.",
        "Which statement of yours would stop the test if the numbers were wrong?",
    ),
    Mistake(
        "test-few-widths",
        "Your test accepts kernels that are wrong only for some numbers of columns.",
        "How many columns do your inputs have, and which other numbers of columns could a kernel handle differently?",
    ),
    Mistake(
        "test-few-heights",
        "Your test accepts kernels that are wrong only for some numbers of rows, or if the rows differ a lot.",
        "How many rows do your inputs have, and how much do the rows of one input differ?",
    ),
    Mistake(
        "test-few-layouts",
        "Your test accepts kernels that are wrong only for some memory layouts.",
        "In your inputs, where in memory are the neighbours of an element?",
    ),
    Mistake(
        "test-tame-values",
        "Your test accepts kernels that are wrong only on unusual values.",
        "Which are the smallest, the largest and the most unusual values in your inputs, and what is the largest one "
        "of each row?",
    ),
    Mistake(
        "test-too-loose",
        "Your test accepts kernels whose results all have a small relative error.",
        "How large is a typical result, and how large an error does your comparison allow?",
    ),
    Mistake(
        "test-blurs-single-values",
        "Your test accepts kernels that are wrong in a single place of a row or of the matrix.",
        "If a single value is wrong, in any row, which comparison of your test sees it, and how much does it change?",
    ),
    Mistake(
        "test-absolute",
        "Your test accepts kernels whose errors are tiny, and yet large in comparison with small results.",
        "How large is the smallest right value of your inputs, and how large an error does your test allow there?",
    ),
    Mistake(
        "test-ignores-places",
        "Your test accepts kernels whose results hardly depend on the input.",
        "What does your test compare, element by element, and how large is what it compares?",
    ),
    Mistake(
        "test-looks-once",
        "Your test accepts kernels whose first result is right, but which change their input or are wrong in a later "
        "call.",
        "What else could a call change, and would your test notice a wrong second result?",
    ),
]


# ---- an input


@looks
def _too_large_to_send(value) -> bool:
    """The tensor that the answer returned has more bytes than a worker sends."""
    return "tensor of" in getattr(value, "kind", "")


@looks
def _no_matrix(error, value) -> bool:
    """The answer returned something else than a float32 matrix."""
    return error is None and not is_matrix(value)


def _kernel_refused(kind: str) -> Detector:
    """Matches if the kernel refused the answer's matrix with a sentence of this kind."""
    return Detector(lambda c, e, a: bool(e.then and e.then[0].error) and kind in _kinds(e.then[0].error))


def _kinds(error: dict) -> set[str]:
    """The kinds of the sentence in an error, and of those within."""
    return {kind_of(each) for each in within(error["message"])}


def _harmless(test: Callable[[torch.Tensor], bool] = lambda x: True) -> Detector:
    """Matches if the broken kernel was right on the answer's matrix x, and test(x) holds."""
    return Detector(lambda c, e, a: c.size == 2 and e.error is None and bool(test(e.value)))


def mistakes_of_input(*harmless: tuple[str, Detector]) -> tuple[tuple[str, Detector], ...]:
    """The table of an input exercise. harmless: the ways in which an input misses what is wrong with the kernel."""
    return (
        ("returns-nothing", detectors.nothing),
        ("input-too-large", _too_large_to_send),
        ("input-no-matrix", _no_matrix),
        ("input-empty", _kernel_refused("empty")),
        ("input-too-large", _kernel_refused("too-large")),
        ("input-without-softmax", Detector(lambda c, e, a: c.size == 1 and e.error is None)),
        *harmless,
    )


# Of the kernel that clips its values at 80, of the one that looks at 64 columns, and of the one that leaves ties out.
CLIPPED = mistakes_of_input(
    ("input-within-clip", _harmless(lambda x: (x <= 80).all())), ("input-clip-alike", _harmless())
)
SAMPLED = mistakes_of_input(
    ("input-in-sample", _harmless(lambda x: x.shape[1] <= 64)), ("input-beyond-alike", _harmless())
)
TIED = mistakes_of_input(("input-no-tie", _harmless()))


# ---- a test


def _right_kernel_refused(kind: str) -> Detector:
    """Matches if a right kernel refused an input of the test with a sentence of this kind."""
    return Detector(lambda c, e, a: c.group is None and bool(e.error) and kind in _kinds(e.error))


@looks
def _right_kernel_got_no_matrix(error, case) -> bool:
    return case.group is None and bool(error) and foreign.is_a(error["message"], "no-float32-matrix")


@looks
def _red(error, case) -> bool:
    """An assertion of the test failed on a right kernel, or a statement of the test raised another error."""
    return case.group is None and error is not None and (error["type"] == "AssertionError" or bool(error["raised"]))


_on_pytorch = looks(lambda reference: reference)  # on PyTorch's own softmax
_of_a_device = looks(lambda error: error is not None and from_error(error) == "device-by-name")
_refuses_right = detectors.both(_red, detectors.opposite(_on_pytorch))
_refuses_reference = detectors.both(_red, _on_pytorch, detectors.opposite(_of_a_device))


def _never_calls(tree: ast.AST) -> bool:
    """For `written`: the test does not use its parameter."""
    return 0 in syntax.unused_parameters(tree, "test_softmax")


def _accepts_wrong(test) -> Detector:
    """Matches if a wrong kernel passed, and test(syntax tree of the answer) holds."""
    written = detectors.written(test)
    return Detector(lambda c, e, a: c.group is not None and written(c, e, a))


def _accepts_all(test) -> Detector:
    """As `_accepts_wrong`, for a test that refused no wrong kernel."""
    return replace(
        _accepts_wrong(test), fits=lambda case, evidence: case.group is None or not evidence.error, exact=True
    )


def _accepts(group: str) -> Detector:
    """Matches if a wrong kernel of this kind passed."""
    return Detector(lambda c, e, a: c.group == group)


# The mistake of a test that accepts wrong kernels of one kind, in the order of the kinds.
_ACCEPTING = (
    "test-takes-nan",
    "test-ignores-places",
    "test-few-widths",
    "test-too-loose",
    "test-blurs-single-values",
    "test-absolute",
    "test-tame-values",
    "test-few-layouts",
    "test-few-heights",
    "test-looks-once",
)


def mistakes_of_test(groups: Iterable[str]) -> tuple[tuple[str, Detector], ...]:
    """The table of a test that runs against wrong kernels of these ten kinds."""
    return of_test(groups, _ACCEPTING, "test-refuses-pytorch", (("test-calls-nothing", _never_calls),))


def of_test(
    groups: Iterable[str], accepting: Iterable[str], on_pytorch: str, unused: Iterable[tuple[str, Callable]]
) -> tuple[tuple[str, Detector], ...]:
    """The table of a test that runs against right functions and wrong ones.

    groups: kinds of wrong ones. accepting: the mistake of a test that accepts wrong ones of each kind. on_pytorch: that
    of a test that refuses PyTorch's own. unused: (id, test of a syntax tree) of a test that calls not all it is given.
    """
    return (
        ("input-empty", _right_kernel_refused("empty")),
        ("input-too-large", _right_kernel_refused("too-large")),
        ("input-no-matrix", _right_kernel_got_no_matrix),
        *((name, detectors.both(_refuses_reference, detectors.written(never))) for name, never in unused),
        (on_pytorch, _refuses_reference),
        ("test-refuses-right", _refuses_right),
        ("test-ends-in-its-loop", _accepts_wrong(syntax.ends_in_its_loop)),
        ("test-returns", Detector(lambda c, e, a: isinstance(e.value, bool))),
        *((name, _accepts_wrong(never)) for name, never in unused),
        ("assert-of-a-tuple", _accepts_wrong(syntax.asserts_a_tuple)),
        ("any-for-all", _accepts_wrong(syntax.any_for_all)),
        ("one-sided-difference", _accepts_wrong(syntax.one_sided)),
        ("test-asserts-nothing", _accepts_all(syntax.asserts_nothing)),
        *zip(accepting, map(_accepts, groups)),
    )
