"""Errors that people make at the keyboard: each is told as what it is, whatever the exercise and the style."""

import functools
import re

import nbformat
import pytest
from conftest import ROOT

from grader import lessons
from grader.judge.extract import extract
from grader.judge.judge import judge


@functools.cache
def session(lesson):
    """The code cells of a lesson's notebook with its solutions, as a learner at its end has run them."""
    (path,) = (ROOT / "solutions").glob(f"{lesson}_*.ipynb")
    return [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]


def play(number, *edits, more=()):
    """The verdict on the solution of an exercise with these edits. more: cells that ran after it."""
    exercise = lessons.exercises()[number]
    cells = list(session(lessons.number_of(number)))
    at = max(i for i, cell in enumerate(cells) if re.search(rf"^(def|class) {exercise.names[0]}\b", cell, re.M))
    for old, new in edits:
        assert old in cells[at]
        cells[at] = cells[at].replace(old, new)
    return judge(exercise, extract([*cells[: at + 1], *more, *cells[at + 1 :]], exercise.names))


LOAD_5_1 = 'x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))'
LANES, PROGRAM = "tl.arange(0, BLOCK)", "tl.program_id(0)"
ROWS = "    n_rows, n_cols = x.shape\n"
HELPER = "def lanes_of(n):\n    return tl.arange(0, n)\n"
CHECKED_CALL = "softmax_kernel[(n_rows,)]("
ERRORS = [
    ("assigned-later", "5.1", [("numerator = tl.exp(x - row_max)", "numerator = tl.exp(x - row_max) / denominator")]),
    ("assigned-later", "5.2", [(ROWS, ""), ("    return y", ROWS + "    return y")]),
    ("assigned-later", "8.1", [("m, d = -math.inf, 0.0", "d = 0.0")]),
    ("notebook-global", "5.1", [("y = numerator / denominator", "out = numerator / denominator")]),
    ("notebook-global", "3.1", [("x = tl.load(", "values = tl.load(")]),
    ("notebook-global", "3.1", [("offsets < n", "offsets < options")], ["options = {'n': 20}"]),
    ("plain-global", "5.1", [(LANES, "tl.arange(0, block)")]),
    ("plain-global", "3.1", [("offsets < n", "offsets < length")], ["length = 20"]),
    ("helper-no-jit", "5.1", [(LANES, "lanes_of(BLOCK)")], [HELPER]),
    ("helper-no-jit", "3.1", [(LANES, "lanes_of(BLOCK)")], [HELPER.replace("def", "\ndef")]),
    ("helper-no-jit", "8.3", [("tl.maximum(m, ", "larger(m, ")], ["def larger(a, b):\n    return tl.maximum(a, b)\n"]),
    ("no-jit", "5.1", [("@triton.jit\n", "")]),
    ("no-jit", "3.3", [("@triton.jit\n", "")]),
    ("no-jit", "8.3", [("@triton.jit\n", "")]),
    ("print-in-kernel", "5.1", [("    row_max =", "    print(row, x)\n    row_max =")]),
    ("print-in-kernel", "3.1", [("    x = tl.load", "    print(f'{offsets}')\n    x = tl.load")]),
    ("print-in-kernel", "8.3", [("        m = new", "        m = new\n        print(m)")]),
    ("text-for-number", "8.3", [('m = -float("inf")', 'm = "-inf"')]),
    ("text-for-number", "5.1", [('-float("inf")', "'-inf'")]),
    ("no-such-function", "5.1", [("numerator / denominator", "tl.div(numerator, denominator)")]),
    ("no-such-function", "8.3", [("tl.maximum(", "tl.greater(")]),
    ("no-such-function", "5.2", [("triton.next_power_of_2(", "triton.next_power_of_two(")]),
    ("torch-in-kernel", "5.1", [("tl.exp(", "torch.exp(")]),
    ("torch-in-kernel", "8.3", [("tl.exp(x - m)", "torch.exp(x - m)")]),
    ("function-not-called", "5.1", [(PROGRAM, "tl.program_id")]),
    ("function-not-called", "8.3", [(PROGRAM, "tl.program_id")]),
    ("function-not-called", "5.2", [("x.stride(0)", "x.stride")]),
    ("function-not-called", "9.3", [("x.stride(0)", "x.stride")]),
    ("arange-backwards", "5.1", [(LANES, "tl.arange(BLOCK, 0)")]),
    ("arange-backwards", "8.3", [(LANES, "tl.arange(BLOCK, 0)")]),
    ("indexing-pointer", "5.1", [(LOAD_5_1, "x = x_ptr[row * x_row_stride + cols]")]),
    ("indexing-pointer", "3.1", [("tl.store(y_ptr + offsets, x, mask=mask)", "y_ptr[offsets] = x")]),
    ("no-grid", "5.2", [(CHECKED_CALL, "softmax_kernel(")]),
    ("no-grid", "8.4", [("online_softmax_kernel[(n_rows,)](", "online_softmax_kernel(")]),
    ("launch-arguments", "5.2", [(", n_cols, BLOCK=block", ", BLOCK=block")]),
    ("launch-arguments", "8.4", [("n_cols, BLOCK=4096", "n_cols, n_rows, BLOCK=4096")]),
    ("arguments-misfit", "5.1", [("tl.max(x, axis=0)", "tl.max(x, 0, axis=0)")]),
    ("arguments-misfit", "1.1", [("torch.exp(shifted)", "torch.exp(shifted, 1)")]),
    ("grid-without-splits", "9.3", [("partial_kernel[grid](", "partial_kernel[(n_rows, 1)](")]),
    ("row-stride-missing", "8.4", [("y.stride(0)", "y.stride(1)")]),
    ("rows-wrongly-apart", "8.4", [("x.stride(0)", "x.size(0)")]),
    ("rows-wrongly-apart", "9.3", [("y.stride(0), x.stride(0)", "y.size(0), x.stride(0)")]),
    ("rows-wrongly-apart", "11.3", [("y, x, y.stride(0), x.stride(0)", "y, x, y.stride(0), x.size(0)")]),
    ("values-and-places", "1.1", [("x.amax(dim=1, keepdim=True)", "x.max(dim=1, keepdim=True)")]),
    ("values-and-places", "13.1", [("s.amax(", "s.max(")]),
    ("address-and-fraction", "5.1", [("row * x_row_stride", "row / x_row_stride")]),
    ("address-and-fraction", "3.1", [("tl.program_id(0) * BLOCK", "tl.program_id(0) / BLOCK")]),
    ("address-for-value", "5.1", [(LOAD_5_1, "x = x_ptr + row * x_row_stride + cols")]),
    ("mask-of-numbers", "5.1", [("cols, y, mask=mask", "cols, y, mask=cols")]),
    ("text-for-number", "5.1", [('-float("inf")', '-"inf"')]),
    ("arange-outside", "8.3", [(LANES, "tl.arange(-1, BLOCK)")]),
    ("no-such-grid-axis", "5.1", [(PROGRAM, "tl.program_id(3)")]),
    ("no-such-grid-axis", "8.3", [(PROGRAM, "tl.program_id(-1)")]),
    ("no-such-attribute", "5.2", [("x.stride(0)", "block.stride(0)")]),
    ("whole-number-needed", "13.1", [("range(0, len(k), tile)", "range(0, k, tile)")]),
    ("floor-division", "5.1", [("numerator / denominator", "numerator // denominator")]),
    ("refuses-the-right-ones", "5.2", [("x.dim() != 2", "x.dim() == 2")]),
    ("refuses-the-right-ones", "8.4", [("x.dtype != torch.float32", "x.dtype == torch.float32")]),
    ("refuses-the-right-ones", "9.3", [("x.dim() != 2", "x.dim() == 2")]),
    ("index-outside", "1.1", [("x.amax(dim=1", "x.amax(dim=2")]),
    ("index-outside", "5.2", [("x.stride(0)", "x.stride(2)")]),
    ("loop-without-range", "8.3", [("for start in range(0, n_cols, BLOCK)", "for start in n_cols")]),
    ("kinds-misfit", "12.1", [("half = len(values) // 2", "half = values // 2")]),
    ("missing-argument", "2.2", [("fused_traffic(m, n)", "fused_traffic(m)")]),
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "mistake, number, edits, more",
    [(mistake, number, edits, more[0] if more else []) for mistake, number, edits, *more in ERRORS],
)
def test_an_error_of_the_keyboard_is_named(mistake, number, edits, more):
    """The name is the one that a person would give, and nothing of the course's own names is in the text."""
    result = play(number, *edits, more=more)

    assert mistake == result.mistake, result.text
    assert "Handle" not in result.text and result.score == 0


@pytest.mark.parametrize("number, edits, more", [
    ("5.1", [("    row_max =", '    print("row", row)\n    row_max =')], []),
    ("5.1", [("    row_max =", '    tl.device_print("row", row)\n    row_max =')], []),
    ("5.1", [("tl.max(x, axis=0)", "greatest(x)")], ["@triton.jit\ndef greatest(x):\n    return tl.max(x, axis=0)"]),
    ("5.1", [('-float("inf")', "PAD")], ['PAD: tl.constexpr = tl.constexpr(-float("inf"))']),
    ("5.2", [("triton.next_power_of_2(n_cols)", "width(n_cols)")],
     ["def width(n):\n    print('width of', n)\n    return triton.next_power_of_2(n)"]),
    ("5.2", [("y = torch.empty(", "print(x.shape)\n    y = torch.empty(")], []),
    ("1.1", [("x.amax(dim=1, keepdim=True)", "x.max(dim=1, keepdim=True).values")], []),
])  # fmt: skip
def test_a_right_answer_near_such_an_error_passes(number, edits, more):
    """Helpers of the host, a text first in print, a constexpr of the notebook, a helper with its decorator."""
    result = play(number, *edits, more=more)

    assert result.status == "passed", result.text


MATRIX = 'raise ValueError(f"{} takes a matrix, not a tensor of {{x.dim()}} dimensions")'


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "number, name", [("5.2", "fused_softmax"), ("8.4", "online_softmax"), ("9.3", "split_softmax")]
)
@pytest.mark.parametrize("refusal", [
    'raise ValueError("输入必须是二维矩阵")', 'raise ValueError("二次元の行列が必要です")',
    'raise ValueError("Nur Matrizen")',
    'torch._check_value(x.dim() == 2, lambda: "ndim")',
])  # fmt: skip
def test_a_refusal_in_any_words_is_one(number, name, refusal):
    """What an error says is the answer's own affair, as long as it says something."""
    result = play(number, (MATRIX.format(name), refusal))

    assert result.status == "passed", result.text


@pytest.mark.whole
@pytest.mark.parametrize("refusal", [
    "raise ValueError", "raise ValueError('  ')", "raise ValueError('...')", "torch._check_value(x.dim() == 2)",
    "assert False, 'it is no matrix'", "int('it is no matrix')  # raise ValueError",
    "torch._check_value(x, lambda: 'a')",
    "torch._check(x.dim() == 2, lambda: 'it is no matrix')",
])  # fmt: skip
def test_a_refusal_without_words_and_an_accident_are_none(refusal):
    """The type that the exercise asks for, from a statement of the answer, with a word."""
    result = play("5.2", (MATRIX.format("fused_softmax"), refusal))

    assert result.mistake == "wrong-exception", result.text


DOUBLE = "def double(x):\n    return 2 * x"


def double(*cells, called=()):
    exercise = lessons.exercises()["0.1"]
    return judge(exercise, extract(list(cells), exercise.names, called))


@pytest.mark.parametrize("broken, mistake", [
    ("def double(x)\n    return 2 * x", "not-python"),
    ("def double(x):\n    return 2x", "not-python"),
    ("double = lambda x: 2 *", "not-python"),
    ("dfe double(x):\n    return 2 * x", "not-python"),
    ("@decorated\ndef double(x:\n    return x", "not-python"),
    ("def double(x):\nreturn 2 * x", "indentation"),
    ("def double(x):\n    y = 2\n  return y * x", "indentation"),
    ("def double(x):\n\ty = 2\n        return y * x", "indentation"),
    ("def double(x):\n    y = 2\nreturn y * x", "indentation"),
    ("def double(x）：\n    return 2 * x", "foreign-sign"),
    ("def double(x):\n    return 2 × x", "foreign-sign"),
    ("def double(x):\n    return x * “2”", "foreign-sign"),
    ("def double(x):\n    return 2\xa0* x", "foreign-sign"),
])  # fmt: skip
def test_a_broken_cell_is_spoken_of_and_never_the_version_before(broken, mistake):
    """Until a later cell defines the name again."""
    result = double(DOUBLE, broken, called=["In [3]", "In [49]"])

    assert ("error", mistake) == (result.status, result.mistake)
    assert result.message.startswith("In [49] is not Python, so nothing in it ran: ")
    assert double(DOUBLE, broken, DOUBLE).status == "passed"


@pytest.mark.parametrize(
    "other", ["double(3", "y = double(torch.ones(3)", "print double(3)", "if double(3) = 6:\n    pass"]
)
def test_a_broken_cell_that_only_uses_an_answer_takes_nothing_from_it(other):
    """It is pointed out, with the text above it where the notebook has no number for it."""
    result = double(DOUBLE, other)

    assert result.status == "passed"
    assert result.flags[0].startswith("the cell after `return 2 * x` is not Python, so nothing in it ran: ")


@pytest.mark.parametrize("later", [
    "for double in (1, 2):\n    pass", "for i, double in enumerate('ab'):\n    pass",
    "double = 3", "double = double(2)",
])  # fmt: skip
def test_a_name_that_something_else_took_is_told(later):
    """The cell and its line are named."""
    result = double(DOUBLE, later, called=["In [1]", "In [7]"])

    assert result.mistake == "name-taken", result.text
    assert "In [7] gave the name to something else, by `" in result.message


@pytest.mark.parametrize("later", [
    "double = (lambda f: f)(double)", "for double in (double,):\n    pass", "for i in range(3):\n    double(i)",
    "for x in (1, 2):\n    def double(x):\n        return x + x", "double_of = double(2)",
])  # fmt: skip
def test_a_name_that_still_holds_an_answer_is_none_that_was_taken(later):
    """What a name holds decides, and not how it got there."""
    assert double(DOUBLE, later).status == "passed"


@pytest.mark.parametrize("cell", ["%run answers.py", "exec(open('answers.py').read())", "from answers import *"])
def test_an_answer_outside_of_the_cells_is_told_so(cell):
    """The sentence says what is read."""
    result = double(cell)

    assert result.status == "not_attempted" and "reads only cells" in result.message


@pytest.mark.parametrize("cells", [
    ["%time two = 2", "def double(x):\n    return two * x"], ["%time two = 2; 3\ndef double(x):\n    return two * x"],
    ["async def f():\n    return 2\n\n\ntwo = await f()", "def double(x):\n    return two * x"],
    ["import asyncio\nawait asyncio.sleep(0)\n" + DOUBLE],
    ["import asyncio\ntwo = await asyncio.sleep(0.001, 2)", "double = lambda x: two * x"],
    ["async with thing() as t:\n    pass\n" + DOUBLE],
])  # fmt: skip
def test_a_line_that_ipython_understands_is_understood(cells):
    """A timed line, and await outside of a function."""
    result = double(*cells)

    assert result.status == "passed", result.text


@pytest.mark.whole
def test_what_was_never_stored_is_called_so():
    """And a number that was computed from it is told from a number that is wrong by itself."""
    one = play("3.1", ("y_ptr + offsets, x, mask=mask", "y_ptr + offsets, x, mask=mask & (offsets != 2)"))
    tail = play("7.1", (", mask=mask)\n", ", mask=mask & (cols < 3))\n"))
    scratch = play("9.3", ("partial_kernel[grid](", "partial_kernel[(n_rows, 1)]("))
    own = play("5.1", ("numerator / denominator", "(numerator - numerator) / (denominator - denominator)"))

    assert "element 2 was never stored, expected" in one.message
    assert "row 0, column 3 was never stored, expected" in tail.message
    assert "column 0 is nan, from memory that was never stored to, expected" in scratch.message
    assert "column 0 is nan, expected" in own.message
