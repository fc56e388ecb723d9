"""Cells of a notebook -> the text of one answer."""

import ast
import symtable
from concurrent.futures import ThreadPoolExecutor

import pytest

from grader.checks import syntax
from grader.judge.extract import _Session, definitions, extract

KERNEL = "@triton.jit\ndef kernel(x_ptr, BLOCK: tl.constexpr):\n    return helper(x_ptr)"


def test_the_last_definition_counts():
    """A learner runs the same cell again and again."""
    assert extract(["def f(): return 1", "def f(): return 2"], ("f",)).source == "def f(): return 2"


def test_what_a_function_needs_comes_along():
    """Imports, helpers and constants, in the order they ran; what is not needed stays behind."""
    cells = ["import math, os\nimport torch", "SCALE = 2\nOTHER = 3\nprint(SCALE)"]
    cells += ["def g(x): return SCALE * x", "def f(x): return g(x)"]

    assert extract(cells, ("f",)).source == "SCALE = 2\n\ndef g(x): return SCALE * x\n\ndef f(x): return g(x)"


def test_of_the_course_only_its_kernels_come_along():
    """An answer may launch what grader.fast ships, and nothing else of the course."""
    cells = [
        "from grader import check\nimport grader.fast",
        "from grader.fast import pick",
        "from grader.faster import g",
    ]
    cells += ["def f(x):\n    check, grader, g\n    return pick.tile(x, x)"]

    assert "import grader.fast\n\nfrom grader.fast import pick\n\n" + cells[-1] == extract(cells, ("f",)).source


def test_decorators_and_annotations_are_needed():
    """@triton.jit and tl.constexpr bring their imports."""
    cells = ["import triton\nimport triton.language as tl", "@triton.jit\ndef helper(x):\n    return x", KERNEL]

    source = extract(cells, ("kernel",)).source

    assert source.startswith("import triton\n\nimport triton.language as tl\n\n@triton.jit\ndef helper(x):")
    assert source.endswith(KERNEL)


def test_local_names_bring_nothing():
    """x and y inside a function are its own, whatever cells call x and y."""
    cells = ["x = slow()", "y = [x for x in range(3)]", "def f(x):\n    y = x + 1\n    return [y for y in range(y)]"]

    assert cells[2] == extract(cells, ("f",)).source


def test_what_a_function_changes_is_its_own_unless_it_says_global():
    """The old value of the name comes along with a statement of the notebook alone."""
    loop = "for rows in (1, 2): open(rows)"
    own = "def f():\n    rows = 1\n    rows *= 2\n    return rows"
    assert own == extract([loop, own], ("f",)).source
    counted = "def f():\n    global count\n    count += 1"
    assert "count = 0\n\n" + counted == extract(["count = 0", counted], ("f",)).source
    assert extract(["n = 1", "n += 2", "def f(): return n"], ("f",)).source == "n = 1\n\nn += 2\n\ndef f(): return n"


def test_variables_of_a_comprehension_are_its_own():
    before = "rows = read('file')\nwarps = 4"
    for loop in ("[(r, rows) for rows in (1, 8) for r in range(rows)]", "{rows: 0 for rows in sizes}"):
        cell = f"sizes = (1, 2)\ntuned = tune(configs={loop})\n@tune({loop})\ndef f(): pass\ndef g(): return tuned"
        assert "read" not in extract([before, cell], ("f", "g")).source, loop
    for loop in ("[rows for rows in rows]", "([rows for rows in (1, 8)], rows)", "[warps for rows in (1, 8)]"):
        kept = extract([before, f"tuned = {loop}"], ("tuned",)).source
        assert ("warps = 4" if "warps" in loop else "read") in kept, loop


def test_a_later_definition_of_a_helper_counts():
    """A function looks its helpers up when it is called."""
    cells = ["def f(): return g()", "def g(): return 1", "def g(): return 2"]

    assert extract(cells, ("f",)).source == "def f(): return g()\n\ndef g(): return 2"


def test_a_value_is_computed_from_what_stood_before_it():
    """An assignment uses the value of its time."""
    cells = ["n = 1", "m = n + 1", "n = 100"]

    assert extract(cells, ("m",)).source == "n = 1\n\nm = n + 1"


def test_a_dictionary_filled_later_comes_whole():
    """`d[...] = ...` changes what d holds."""
    cells = ["d = {}", 'd["a"] = 1', 'd["b"] = 2']

    assert extract(cells, ("d",)).source == 'd = {}\n\nd["a"] = 1\n\nd["b"] = 2'


def test_magics_and_shell_lines_are_dropped():
    """Cells of IPython are not Python; their Python is kept."""
    cells = ["%matplotlib inline\n!pip list\ndef f():\n    return 1", "%%time\ndef g():\n    return 2"]
    cells += ["%%bash\ndef h", "f?"]

    assert extract(cells, ("f", "g")).source == "def f():\n    return 1\n\ndef g():\n    return 2"


def test_a_misspelt_comparison_is_no_shell_line():
    """`a =! b` in a function is Python with a slip; the output of a shell in a cell is IPython."""
    (why,) = extract(["def f(a):\n    if a =! 3:\n        return 1\n    return 2"], ("f",)).problems

    assert "in the line `if a =! 3:`" in why
    assert extract(["files = !ls\ndef f():\n    return 1"], ("f",)).source == "def f():\n    return 1"


def test_an_error_after_parsing_is_told_with_its_own_line():
    """Python counts it from the statement, and the cell has other lines above."""
    cell = "import math\n\n\ndef f(n):\n    total = 1\n    global n\n    return n"
    (why,) = extract([cell], ("f",)).problems

    assert "in the line `global n`" in why


def test_percent_signs_in_python_are_kept():
    """Only what is no Python is searched for magics."""
    cell = 'def f(a, b):\n    """\n    % of b\n    """\n    return (a\n        % b)'

    assert cell == extract([cell], ("f",)).source


def test_the_courses_own_imports_stay_out():
    """An answer does not hold the judge."""
    cells = ["from grader import check\nimport grader", "def f():\n    check('1.1')"]

    assert cells[1] == extract(cells, ("f",)).source


def test_a_broken_cell_costs_only_itself():
    """The rest of the notebook still counts, and the cell that was meant is named."""
    found = extract(["def f(:\n  return 1", "def g(): return 2"], ("f", "g"))

    assert found.missing == ("f",)
    assert found.source == "def g(): return 2"
    assert "code cell 1 is not Python" in found.problems[0]


def test_a_broken_cell_that_was_put_right_is_forgotten():
    """Only what failed after the last good definition is worth a remark."""
    assert extract(["def f(): return 2x", "def f(): return 2"], ("f",)).problems == ()
    assert len(extract(["def f(): return 2", "def f(): return 2x"], ("f",)).problems) == 1


def test_several_statements_on_a_line_are_told_apart():
    """Only the one that is needed comes along."""
    assert extract(["a = 1; b = 2; print(a)"], ("b",)).source == "b = 2"


def test_names_bound_in_blocks_and_lambdas_are_found():
    """`if`, `with`, `for`, walrus and tuple assignments all bind names."""
    cells = ["if True:\n    def f(): return 1\nelse:\n    f = None", "(a, b), *c = (1, 2), 3", "g = lambda x: a * x"]

    assert "f" not in extract(cells, ("f", "g", "c")).missing
    assert cells[1] in extract(cells, ("g",)).source


def test_star_imports_come_along():
    """They may bring any name."""
    cells = ["from math import *", "def f(x): return exp(x)"]

    assert "from math import *" in extract(cells, ("f",)).source


def test_definitions_are_counted():
    """Two definitions of a name in one file are worth a remark."""
    assert definitions(["def f(): pass", "x = 1", "f = 3", "f("])["f"] == 2


def test_lines_are_pythons():
    """A string may hold what str.splitlines takes for the end of a line."""
    cells = ['a = "x\u2028y\x0c"\nb = 1\nc = 2', '%time\nd = "x\u2028y"\r\ne = 3']

    assert (extract(cells, ("b", "c", "e")).source, extract(cells, ("d",)).missing) == ("b = 1\n\nc = 2\n\ne = 3", ())


def test_a_name_is_looked_up_and_not_searched_for(monkeypatch):
    """The work grows with the number of names, and not with names times statements."""
    asked = []
    last = _Session.last
    monkeypatch.setattr(_Session, "last", lambda *args: asked.append(args) or last(*args))
    unknown = [f"u{n}" for n in range(2000)]
    cells = ["a = 1\n" * 3000, "def f():\n    return " + " + ".join(unknown[:999]), f"f = [f, {', '.join(unknown)}]"]

    assert extract(cells, ("f",)).missing != ("f",)
    assert len(asked) < 2 * len(unknown)


def test_cells_are_parsed_once_for_all_exercises(monkeypatch):
    """However many cells there are."""
    parsed = []
    monkeypatch.setattr("grader.judge.extract.parse", lambda text: parsed.append(text) or syntax.parse(text))
    cells = [f"v{n} = {n}" for n in range(300)]
    extract(cells, ("v1",))
    before = len(parsed)

    assert sum(definitions(cells).values()) == 300 and extract(cells, ("v7",)).source == "v7 = 7"
    assert before == len(parsed) <= 3 * len(cells)


LONG = {
    "elif": lambda n: "def f(n):\n    if n == 0: pass\n" + "".join(f"    elif n == -{i}: pass\n" for i in range(n)),
    "elif outside": lambda n: "n = f = 1\nif n == 0: pass\n" + "".join(f"elif n == -{i}: f = 2\n" for i in range(n)),
    "branches": lambda n: "def f(n):\n" + "".join(" " * i + " if n:\n" for i in range(n // 10)) + " " * n + "n = 1",
    "functions": lambda n: "def f(n):\n" + "".join(f"    def g{i}(): return n\n" for i in range(n)),
    "lambdas": lambda n: "f = [" + ", ".join(f"lambda: a{i}" for i in range(n)) + "]",
    "comprehensions": lambda n: "f = " + "[a for a in " * (n // 10) + "[]" + "]" * (n // 10),
    "methods": lambda n: "class f:\n" + "".join(f"    def g{i}(self): return g{i}\n" for i in range(n)),
}


@pytest.mark.parametrize("kind", LONG)
def test_twice_the_text_is_twice_the_work(kind, monkeypatch):
    """The work is nodes and names that are looked at. 2,400 elif took minutes, 30 comprehensions for ever."""
    steps, iter_fields, symbol = [], ast.iter_fields, symtable.Symbol
    monkeypatch.setattr(ast, "iter_fields", lambda node: steps.append(node) or iter_fields(node))
    monkeypatch.setattr(symtable, "Symbol", lambda *args, **named: steps.append(args) or symbol(*args, **named))
    monkeypatch.setattr(symtable.SymbolTable, "lookup", lambda *_: pytest.fail("goes through all functions of a scope"))

    def work(n):
        steps.clear()
        assert extract([LONG[kind](n)], ("f",)).missing == ()
        return len(steps)

    shorter = work(300)
    assert 30 < shorter < 100 * 300 and work(600) < 2.2 * shorter


def test_a_cell_has_a_bounded_number_of_statements():
    """Each costs the judge a look; other cells are read all the same."""
    answer = extract(["f = 1", "a = 1;" * 6000 + "f = 2"], ("f",))

    assert (answer.source, answer.missing) == ("f = 1", ())
    assert answer.problems == ("the cell after `f = 1` was left out: it has over 5,000 statements",)


@pytest.mark.whole
def test_a_notebook_has_a_bounded_number_of_statements():
    """However many cells they stand in. What is left out is said."""
    cells = ["a = 1;" * 4000] * 5 + ["f = 1"]

    assert extract(cells[1:], ("f",)).source == "f = 1"
    answer = extract(cells, ("f",))
    assert (answer.source, answer.missing) == ("", ("f",))
    assert answer.problems[0].endswith("was left out: with the cells before it, there are over 20,000 statements")


@pytest.mark.parametrize("text", ["(" * 250 + "1" + ")" * 250, "-" * 50_000 + "1", "+".join(["f"] * 50_000)])
def test_a_text_that_is_nested_too_deeply_is_refused_in_words(text):
    """Python says "too many nested parentheses", or runs out of a stack, with or without words."""
    answer = extract([f"f = {text}"], ("f",))

    assert answer.missing == ("f",)
    assert "nested" in answer.problems[0] and len(answer.problems[0]) < 300


REGISTERED = {
    "@f.register\ndef _(x: int): pass": True,
    "@f.register(str)\nclass _: pass": True,
    "f.register_fake(print)": True,
    "@keep('a')\ndef _a(): pass": True,
    "@timed\ndef other(): pass": False,
    "@torch.no_grad()\ndef other(): pass": False,
    "@torch.library.custom_op('own::exp', mutates_args=())\ndef _exp(x): pass": True,
    "print(f.register)": False,
}


@pytest.mark.parametrize("text", REGISTERED)
def test_what_registers_itself_belongs_to_the_answer(text):
    """A definition counts by its name, or by the object that a decorator gives it to."""
    first = (
        "import time\nimport torch\nTABLE = {}\n"
        "def keep(name):\n    def inner(g):\n        TABLE[name] = g\n    return inner\n"
        "def timed(g): return g\n@timed\ndef f(x): return TABLE['a'](torch.ops.own.exp(x), time)"
    )
    source = extract([first, text, "check('f')"], ("f",)).source

    assert REGISTERED[text] == (text in source), source
    assert "check" not in source
    assert definitions([first, text])["f"] == 1


def test_annotations_that_wait_begin_the_answer():
    """The import holds for all cells after its own, and it has to be the first line."""
    future = "from __future__ import annotations"
    assert f"{future}\n\ndef f(x: Unknown): pass" == extract([future, "def f(x: Unknown): pass"], ("f",)).source
    assert extract(["def f(): pass", future], ("f",)).source == "def f(): pass"


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\uff9e\u0334", "\u0344"])
def test_a_letter_with_very_many_marks_is_refused(marks):
    """CPython sorts them in quadratic time; a few are a letter, and a page without a space is a text."""
    assert "combining marks" in extract([f"f = a{marks * 300}"], ("f",)).problems[0]
    assert extract([f"a{marks * 4} = 1\nf = '{marks[0]}{'漢字、' * 500}'"], ("f",)).missing == ()


def test_many_threads_may_parse_at_once():
    """A class is graded in threads, and CPython 3.11's parser keeps one counter for all of them."""

    class Cycle:
        def __init__(self):
            self.me = self

        def __del__(self):
            sum(range(2000))  # runs inside the parser when garbage is collected there, and lets other threads in

    def parse_often(_):
        for _ in range(10):
            garbage = [Cycle() for _ in range(50)]
            del garbage
            syntax.parse(text)
        return True

    text = "\n".join(f"def f{i}(a):\n    return [a + b for b in range({i}) if a < b]" for i in range(200))
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(parse_often, range(4)))
