"""A learner's notebook as a learner runs it: stuck, wrong in three ways, right."""

import re

import nbformat
import pytest
from conftest import ROOT
from jupyter_client import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

WRONG = {
    "pad-zero": ('other=-float("inf")', "other=0.0", "Masked lanes joined the sum"),
    "no-division": ("y = numerator / denominator", "y = numerator", "the row does not sum to 1"),
    "no-store-mask": ("y, mask=mask)", "y)", "Lanes of the store are past the end"),
}
ANSWER = """
@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    denominator = tl.sum(numerator, axis=0)
    y = numerator / denominator
    tl.store(y_ptr + cols, y, mask=mask)
"""


def run(notebook, allow_errors=False, kernel=None):
    folder = {"metadata": {"path": ROOT / "notebooks"}}
    client = NotebookClient(notebook, km=kernel, timeout=120, allow_errors=allow_errors, resources=folder)
    try:
        client.execute()
    finally:
        if kernel is not None:  # one of the client's own is ended, and its channels with it
            client.kc.stop_channels()
    return notebook


@pytest.fixture(scope="module")
def kernel():
    """One for many notebooks: starting one takes longer than most of what they do."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(ROOT / "notebooks"))
    yield manager
    manager.shutdown_kernel(now=True)


def said(cell):
    text = "".join(
        o.get("text", "") or o.get("data", {}).get("text/plain", "") or "\n".join(o.get("traceback", []))
        for o in cell.outputs
    )
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def learner(stem):
    return nbformat.read(ROOT / "notebooks" / f"{stem}.ipynb", as_version=4)


def code(*sources):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])


def first_cell(stem="04_one_row"):
    """What every lesson starts with: the set-up, and its imports."""
    return "\n".join([c.source for c in learner(stem).cells if c.cell_type == "code"][:2])


STEMS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.whole
@pytest.mark.parametrize("stem", STEMS)
def test_an_untouched_notebook_says_what_is_missing_in_a_sentence(stem, kernel):
    """Checks say "not yet"; a cell that needs an answer says which; nothing else fails, and nothing is a traceback."""
    run(code("%reset -f"), kernel=kernel)
    notebook = run(learner(stem), allow_errors=True, kernel=kernel)

    for cell in (c for c in notebook.cells if c.cell_type == "code"):
        errors = ["\n".join(o.traceback) for o in cell.outputs if o.output_type == "error"]
        for error in errors:
            needs = "Not yet: this cell needs your answer to ", "Not yet: no cell that has run defines "
            assert error.startswith(needs), cell.source + error
            assert "Traceback" not in error
        if cell.id.startswith("check-"):
            assert errors == []
            waits = "not yet: put your answer in place of the TODO of", "no cell that has run defines"
            assert any(each in said(cell) for each in waits)


@pytest.mark.whole
def test_4_1_wrong_in_three_ways_then_right():
    """Each mistake is named with where and by how much; then the points are there."""
    cells = [first_cell()]
    for old, new, _ in WRONG.values():
        assert old in ANSWER
        cells += [ANSWER.replace(old, new), 'check("4.1")']
    notebook = run(code(*cells, ANSWER, 'check("4.1")', "progress()"))
    outputs = [said(c) for c in notebook.cells]

    for text, (_, _, sentence) in zip(outputs[2:8:2], WRONG.values()):
        assert sentence in " ".join(text.split())
        assert "0 of 3 points" in text and "Ask yourself:" in text and "1×" in text
        assert "-inf" not in text.replace("one -inf", "")  # the fix is not given away
    assert "cases · 3 of 3 points" in outputs[8]
    assert "4.1 ✓" in outputs[9] and "3 of 5 points  one_row  4.1" in outputs[9]


def test_a_first_cell_that_fails_when_it_is_run_again_says_one_sentence(kernel):
    """Also once errors of cells are the course's to show."""
    again = [
        "import colab_setup\nraise colab_setup.NotReady('Turn the network on.')",
        "from IPython.core.error import UsageError\nraise UsageError('No course here.')",
    ]
    notebook = run(code(first_cell(), *again), allow_errors=True, kernel=kernel)

    assert [said(c).strip() for c in notebook.cells[1:]] == ["Turn the network on.", "UsageError: No course here."]


def test_an_unmasked_store_in_a_learners_cell_is_a_sentence_and_python_lives_on(kernel):
    """Tensor, row and column are named; the next cell runs."""
    store = (
        "@triton.jit\ndef k(y_ptr, stride, BLOCK: tl.constexpr):\n    cols = tl.arange(0, BLOCK)\n"
        "    tl.store(y_ptr + tl.program_id(0) * stride + cols, cols * 1.0)\n"
        "k[(3,)](torch.zeros(3, 5), 5, BLOCK=8)"
    )
    notebook = run(code(first_cell(), store, "print(1 + 1)"), allow_errors=True, kernel=kernel)

    stopped = said(notebook.cells[1])
    assert stopped.startswith("Stopped before it happened: program 2 stores to y_ptr at row 2, column 5")
    assert stopped.endswith("The line is `tl.store(y_ptr + tl.program_id(0) * stride + cols, cols * 1.0)`.")
    assert "Traceback" not in stopped
    assert said(notebook.cells[2]) == "2\n"


def test_an_interrupted_check_names_the_line_and_not_our_own(kernel):
    """The button that interrupts a kernel is no fault of anybody."""
    stop = (
        "import grader.judge.judge as judging\ndef judge(*_):\n    raise KeyboardInterrupt\n"
        "kept, judging.judge = judging.judge, judge\ncheck('3.1')"
    )
    cells = code(first_cell(), stop, "judging.judge = kept\nprint(1 + 1)")
    notebook = run(cells, allow_errors=True, kernel=kernel)

    assert re.fullmatch(r"In \[\d+\], in the line `raise KeyboardInterrupt`: interrupted", said(notebook.cells[1]))
    assert said(notebook.cells[2]) == "2\n"


@pytest.mark.whole
def test_run_all_stops_where_an_answer_is_needed():
    """As in JupyterLab: the cell fails, and says in a sentence what it waits for."""
    with pytest.raises(CellExecutionError, match="Not yet: this cell needs your answer to 1.1"):
        run(learner("01_five_passes"))


@pytest.mark.whole
def test_triton_imported_too_early_is_a_sentence(monkeypatch):
    """The first cell was skipped, or Triton was imported before it."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    kernel = "@triton.jit\ndef k(y_ptr):\n    tl.store(y_ptr, 1.0)\nk[(1,)](torch.zeros(1))"
    notebook = run(
        code("import triton", first_cell(), "from grader import device; device()", kernel), allow_errors=True
    )

    assert "broken: Triton was imported before grader" in said(notebook.cells[2])
    assert said(notebook.cells[3]).startswith("Triton was imported before grader")


def test_other_errors_keep_their_traceback(kernel):
    """A learner's own bug in a cell of their own is theirs to read."""
    notebook = run(code(first_cell(), "1 / 0"), allow_errors=True, kernel=kernel)

    assert "ZeroDivisionError" in said(notebook.cells[1]) and "1 / 0" in said(notebook.cells[1])


def test_an_error_in_a_kernel_shows_the_learners_line_and_no_frame_of_the_course(kernel):
    """Launched in a cell or traced from another one: the cell, the line, the error, and the mistake."""
    text = (
        "@triton.jit\ndef k(y_ptr, BLOCK: tl.constexpr):\n    lanes = tl.arange(0, BLOCK)\n"
        "    tl.store(y_ptr + lanes, tl.div(lanes, 2))"
    )
    cells = [text, "y = torch.zeros(4)\nk[(1,)](y, BLOCK=4)", "from grader import trace, traffic"]
    cells += ["trace(k, y, BLOCK=4, grid=(1,))", "traffic(lambda x: x.foo(), y)", text.replace("@triton.jit\n", "")]
    cells += ["trace(k, y, BLOCK=4, grid=(1,))", "1"]
    notebook = run(code(first_cell(), *cells), allow_errors=True, kernel=kernel)
    told = {place: said(notebook.cells[place]) for place in (2, 4, 5, 7)}

    count = notebook.cells[8].outputs[0].execution_count - 7  # of cell 1, as the kernel counts
    line = f"In [{count}], in the line `tl.store(y_ptr + lanes, tl.div(lanes, 2))`: AttributeError: module"
    assert told[2].startswith(line) and told[4].startswith(line)
    assert "The module has nothing of this name." in told[2]
    assert told[5].startswith(f"In [{count + 4}], in the line `traffic(lambda x: x.foo(), y)`: AttributeError: ")
    assert told[7].startswith("Stopped: k is a plain function: a kernel has @triton.jit above it")
    assert not any("Traceback" in text or "File" in text for text in told.values())


@pytest.mark.whole
def test_a_check_speaks_of_the_last_text_of_an_answer_and_names_its_cell():
    """A cell that is broken, a loop that took the name, and then the answer once more."""
    cells = [ANSWER, ANSWER.replace("n_cols, BLOCK: tl.constexpr", "n_cols, BLOCK: tl.constexpr("), 'check("4.1")']
    cells += ["for softmax_row_kernel in (1, 2):\n    pass", 'check("4.1")', ANSWER, 'check("4.1")']
    notebook = run(code(first_cell(), *cells), allow_errors=True)
    broken, taken, right = (" ".join(said(notebook.cells[place]).split()) for place in (3, 5, 7))

    assert "In [3] is not Python, so nothing in it ran: invalid syntax, in the line `def softmax_row" in broken
    assert "0 of 3 points" in broken
    assert "In [5] gave the name to something else, by `for softmax_row_kernel in (1, 2):`" in taken
    assert "3 of 3 points" in right


def test_a_right_answer_goes_into_a_new_cell(kernel):
    """Two calls make one cell. What no check has passed makes none, and says what to do."""
    right = "def double(x):\n    return 2 * x"
    calls = 'recall("0.1")\nrecall("0.1")\nrecall("13.4")'
    look = "[one['text'] for one in get_ipython().payload_manager.read_payload() if one['source'] == 'set_next_input']"
    notebook = run(
        code(first_cell(), right, 'check("0.1")', f"from grader import recall\n{calls}\n{look}"), kernel=kernel
    )

    shown = said(notebook.cells[3])
    assert shown.count("Your right answer to 0.1 is in a new cell") == 2
    assert "No right answer of yours to 13.4 is kept here." in shown
    assert shown.endswith(repr(["\n\n\n".join([right, right])]))


@pytest.mark.whole
def test_hints_open_one_by_one_and_unknown_exercises_are_a_sentence():
    """The idea, where to look, the shape of the line; then no more."""
    notebook = run(code(first_cell(), *['hint("4.1")'] * 4, 'check("99.9")'))
    outputs = [said(c) for c in notebook.cells]

    assert [text.count("  hint ") for text in outputs[1:5]] == [1, 2, 3, 3]
    assert ["last hint" in text for text in outputs[1:5]] == [False, False, True, True]
    assert "There is no exercise '99.9'" in outputs[5]


@pytest.mark.whole
def test_nbgrader_gets_the_score_as_a_number(kernel, monkeypatch):
    """Autograding reads the cell's value; a learner sees none."""
    cells = first_cell(), "def double(x): return 2 * x", 'check("0.1")'
    (shown,) = run(code(*cells), kernel=kernel).cells[2].outputs
    assert shown.output_type == "display_data"

    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    outputs = run(code(*cells)).cells[2].outputs

    assert [o.data["text/plain"] for o in outputs if o.output_type == "execute_result"] == ["1.0"]
