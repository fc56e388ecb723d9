"""A live check and a graded file agree on the answer; where they may not, a sentence says why."""

import json
import pathlib
import zipfile
from types import SimpleNamespace

import pytest
from conftest import ROOT

from grader import lessons, progress
from grader.classroom import grading, run_order, submissions
from grader.judge import extract, render
from grader.judge.judge import judge
from grader.notebook import api, history, progress_store
from grader.spec import Answer, Checked

RIGHT = "pads = {'a': 0.0, 'b': float('inf'), 'c': float('inf'), 'd': None}"
WRONG = "pads = 0.0"
OF_04 = lessons.exercises()["4.2"]


def file(*cells, encoding="utf-8", **more):
    """The bytes of a notebook file. cells: (text, execution count, or None) and outputs."""
    made = [
        {"cell_type": "code", "source": text, "execution_count": count, "metadata": {}, "outputs": list(outputs)}
        for text, count, *outputs in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, **more}).encode(encoding)


def pads(data, name="ada/04.ipynb"):
    """(the text that is judged as the answer to 4.2, sentences of the row)."""
    read = submissions.read(data, name)
    attempted = {"pads": True}
    return submissions.answer(read, OF_04).source, read.problems + run_order.remarks(read.in_file, attempted)


ORDERS = {
    "no counts: the file's order": ([(WRONG, None), (RIGHT, None)], RIGHT, "2 times: the last definition counts"),
    "run downwards": ([(WRONG, 1), (RIGHT, 2)], RIGHT, "the definition that ran last counts"),
    "run upwards": ([(RIGHT, 7), (WRONG, 2)], RIGHT, "the definition that ran last counts"),
    "never run, below": ([(RIGHT, 3), (WRONG, None)], RIGHT, "a cell that never ran defines pads too"),
    "never run, above": ([(WRONG, None), (RIGHT, 3)], RIGHT, "a cell that never ran defines pads too"),
    "the only definition never ran": ([("import math", 1), (RIGHT, None)], RIGHT, "only a cell that never ran defines"),
    "two sessions": ([(WRONG, 5), ("x = 1", 5), (RIGHT, 1)], RIGHT, "because the cells ran in more than one session"),
    "one definition": ([("x = 1", 2), (RIGHT, 1)], RIGHT, None),
    "run again": ([(RIGHT, 9)], RIGHT, None),
    "no count of a program's": ([(WRONG, True), (RIGHT, -3)], RIGHT, "the last definition counts"),
}  # fmt: skip


@pytest.mark.parametrize("case", ORDERS)
def test_the_order_of_the_runs_decides_which_definition_counts(case):
    """With the sentence for whoever reads the row."""
    cells, source, says = ORDERS[case]

    judged, told = pads(file(*cells))

    assert source == judged
    assert told == [] if says is None else (len(told) == 1 and says in told[0]), told


def test_a_cell_that_never_ran_keeps_what_only_it_defines():
    """An output that was cleared, or a cell that was pasted, costs no answer: its imports and helpers come along."""
    imports, helper, answer = "import math", "def low(): return -math.inf", "pads = low()"
    whole = [imports, helper, answer]
    for counts in ([None, 4, 5], [4, None, 5], [4, 5, None], [None, 9, None], [None, None, 1]):
        assert "\n\n".join(whole) == pads(file(*zip(whole, counts)))[0], counts
    upwards = pads(file(*zip(whole, [5, 4, None])))[0]
    assert "\n\n".join([helper, imports, answer]) == upwards

    # Of a cell that defines both, what a cell that ran defines is left out.
    both = file((f"{helper}\n{WRONG}", None), (imports, 1), ("pads = low()", 2))
    assert "pads = low()" in pads(both)[0] and WRONG not in pads(both)[0]


def test_a_cell_that_is_not_python_is_called_as_the_notebook_calls_it():
    """And one that never ran costs an answer that ran nothing."""
    broken = "pads = (1"
    ran = submissions.read(file((RIGHT, 12), (broken, 14)), "04.ipynb")
    never = submissions.read(file((RIGHT, 12), (broken, None)), "04.ipynb")
    alone = submissions.read(file(("x = 1", 12), (broken, None)), "04.ipynb")

    assert "In [14] is not Python" in submissions.answer(ran, OF_04).problems[0]
    assert ((), RIGHT) == (submissions.answer(never, OF_04).problems, submissions.answer(never, OF_04).source)
    assert "code cell 2 is not Python" in submissions.answer(alone, OF_04).problems[0]


def test_a_row_says_where_the_last_check_saw_another_text():
    """Edited after it ran: the file counts. The same text, or the same points, needs no sentence."""

    def problems(text, score, checked=RIGHT):
        output = {"output_type": "display_data", "metadata": Checked("4.2", Answer(checked).digest(), score).metadata()}
        data = file((text, 3), ('check("4.2")', 4, output))
        return grading.grade(grading.Job("04.ipynb", "ada", 20.0, "", data, "0"))["problems"]

    (told,) = problems(WRONG, 1.0)
    assert told.startswith('check("4.2") gave 1 point to another text than the one in the file')
    assert [] == problems(RIGHT, 1.0) == problems(RIGHT, 1.0, WRONG) == problems(WRONG, 0.0, RIGHT)
    assert problems(RIGHT, 0.0) == []


# ---- the live side


@pytest.fixture
def ran(monkeypatch):
    """A session to which cells are added as (id of the cell, text)."""
    monkeypatch.setattr(history, "_executed", [])

    def run(*cells):
        history._executed.extend(history._Run(*cell, "") for cell in cells)

    return run


def test_a_cell_that_ran_twice_has_its_last_text_and_place(ran):
    """As in the file. Without ids, each run is a cell of its own."""
    ran(("a", "f = 1\ng = 1"), ("b", "f = 2"), ("a", "f = 3"), (None, "h = 1"), (None, "h = 2"))

    assert history.session_cells() == ["f = 2", "f = 3", "h = 1", "h = 2"]
    assert history.replaced_cells() == ["f = 1\ng = 1"]


def test_a_definition_that_a_cell_no_longer_holds_is_told(ran):
    """Python still has it; the file does not. A name that is defined elsewhere, or a local one, needs no sentence."""
    ran(("a", "low = -1.0"), ("b", "pads = low"), ("a", "other = 1"))
    (told,) = api._answer(OF_04).problems
    assert told.startswith("the cell that defined low has another text now")

    ran(("c", "low = 3"))
    ran(("b", "pads = low"))
    assert api._answer(OF_04).problems == ()
    ran(("d", "free = 1"), ("d", "x = 1"), ("b", "pads = [free for free in (1,)]"))
    assert api._answer(OF_04).problems == ()
    ran(("b", "pads = {k: 0.0 for k in 'ab'}\nk = 1"), ("b", "pads = {}\nfor k in 'ab':\n    pads[k] = 0.0"))
    assert api._answer(OF_04).problems == ()
    ran(("b", "y = 2"))
    assert "pads has another text now" in api._answer(OF_04).problems[0]


def test_two_cells_that_define_one_name_are_told(ran):
    """Where the frontend says which cell is which: a cell that ran twice is one."""
    ran((None, WRONG), (None, RIGHT), ("a", f"{RIGHT}\n{RIGHT}"), ("a", RIGHT))
    assert api._answer(OF_04).problems == ()
    ran(("b", WRONG))
    (told,) = api._answer(OF_04).problems
    assert told.startswith("2 cells define pads: the one that ran last counts")
    result = judge(OF_04, api._answer(OF_04))
    assert "! 2 cells define pads" in result.text and "! 2 cells define" in render.html_text(result.record())


def test_ids_of_cells_are_kept_from_the_first_one(ran):
    """The cell that imports the course is running already when its history begins."""
    hooks = {}
    shell = SimpleNamespace(
        history_manager=SimpleNamespace(input_hist_raw=["", "a = 1", "import grader"]),
        get_parent=lambda: {"content": {"code": "import grader"}, "metadata": {"cellId": "first"}},
        events=SimpleNamespace(register=hooks.__setitem__),
    )
    history.record(shell)
    hooks["pre_run_cell"](SimpleNamespace(raw_cell="b = 1", cell_id="second"))
    hooks["pre_run_cell"](SimpleNamespace(raw_cell="b = 2", cell_id="second"))
    hooks["pre_run_cell"](SimpleNamespace(raw_cell="c = 1"))

    assert history.session_cells() == ["a = 1", "import grader", "b = 2", "c = 1"]


def test_an_experiment_takes_no_points_away(tmp_path, monkeypatch, capsys):
    """progress() keeps the best, in the next session too, and says that the last check gave fewer."""
    monkeypatch.setenv("FIVE_PASSES_PROGRESS", str(tmp_path / "progress.json"))
    for name in ("_session", "_last"):
        monkeypatch.setattr(progress_store, name, {})
    progress_store.remember("4.1", 3.0)
    progress_store.remember("4.1", 0.0)
    progress()
    assert "4.1 ✓ (last check: 0)" in capsys.readouterr().out

    for name in ("_session", "_last"):
        monkeypatch.setattr(progress_store, name, {})
    progress_store.remember("4.1", 1.0)
    progress()
    assert "4.1 ✓ (last check: 1)" in capsys.readouterr().out and progress_store.current()["4.1"] == 3.0
    progress_store.remember("4.1", 3.0)
    progress()
    assert "last check" not in capsys.readouterr().out


# ---- files of other kinds


def test_a_file_in_the_percent_format_is_a_notebook():
    """jupytext's header, its markdown cells and its magics included; the course's own sources are such files."""
    path = ROOT / "solutions" / "04_one_row.py"
    book = path.with_suffix(".ipynb")
    as_python, as_notebook = (submissions.read(each.read_bytes(), each.name) for each in (path, book))

    assert as_python.lesson == "04" and as_python.problems == []
    for exercise in lessons.of_lesson("04"):
        for found in (as_python, as_notebook):
            assert submissions.answer(found, exercise).missing == ()
        assert submissions.answer(as_python, exercise) == submissions.answer(as_notebook, exercise)


HEADER = "# ---\n# jupyter:\n#   kernelspec:\n#     name: python3\n# ---\n\n"
PERCENT = {
    "cells": f"# %%\n{WRONG}\n# %% a title\n{RIGHT}\n",
    "a header": f"{HEADER}# %%\n{RIGHT}\n",
    "text in markdown": f'# %%\n{RIGHT}\n# %% [markdown]\n"""\n{WRONG}\n"""\n# %% [md]\n# pads = 1\n',
    "a broken cell": f"# %%\npad = (\n#%%\n{RIGHT}\n",
    "magics": f"# %%\n# %%time\n{RIGHT}\n# %% tags=[]\n# %time\n%matplotlib inline\n",
    "no cells": f"{WRONG}\n{RIGHT}\n",
    "Windows": f"# %%\r\n{RIGHT}\r\n",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("case", PERCENT)
def test_cells_of_python_are_read_in_any_unicode(case, encoding):
    """As editors write them."""
    assert RIGHT == pads(PERCENT[case].encode(encoding), "ada/04.py")[0].strip()
    assert RIGHT == pads(file((RIGHT, 1), encoding=encoding))[0]


@pytest.mark.whole
def test_a_text_in_no_encoding_is_told():
    """By its row, like everything that cannot be read. Text of Windows is read, and that is told too."""
    (told,) = submissions.read(b"\xe9\x00\xff = 1", "04.py").problems
    assert told.startswith("the file is no text in UTF-8. Save the notebook again")
    assert submissions.read(b"\xe9\xe9\xff = 1", "04.py").problems == [
        "line 1 is no UTF-8: the file was read as cp1252"
    ]
    assert submissions.read(b"", "04.py").problems == ["the file is empty"]
    assert "2,000 code cells" in submissions.read(b"# %%\nx=1\n" * 2001, "04.py").problems[0]
    assert "256 thousand" in submissions.read(b"x = 1\n" * 50_000, "04.py").problems[0]


def write(folder, **texts):
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_module_beside_a_notebook_is_no_submission(tmp_path):
    """In folders and in zips; a file with cells that answer another lesson is one, and so is one without a notebook."""
    book = file((RIGHT, 1))
    handed = {
        "ada__04_dot_ipynb": book, "ada__helper_dot_py": "def low(): return 1", "ada__src__more_dot_py": "x = 1",
        "ada__04_dot_py": f"# %%\n{RIGHT}", "ada__05_dot_py": "# %%\ndef fused_softmax(x): return x",
        "ada__plot_dot_py": "# %%\nimport matplotlib", "ada__kept_dot_py": RIGHT,
        "bob__04_dot_py": RIGHT, "bob__notes_dot_txt": "", "readme_dot_txt": "", "build_dot_py": "x = 1",
        "cyd_dot_py": RIGHT,
    }  # fmt: skip
    write(tmp_path / "class", **handed)
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as z:
        for path in sorted(pathlib.Path(tmp_path / "class").rglob("*.*")):
            z.write(path, path.relative_to(tmp_path / "class"))

    for path in (tmp_path / "class", tmp_path / "class.zip"):
        found = {each.name: each for each in submissions.find(path)}
        assert sorted(found) == ["ada/04.ipynb", "ada/05.py", "bob/04.py", "cyd.py"]
        hers = [f"ada/{name}.py" for name in ("04", "helper", "kept", "plot", "src/more")]
        assert [*hers, "build.py", "readme.txt"] == sorted(found["ada/04.ipynb"].beside)
        assert (
            sorted(found["bob/04.py"].beside) == ["bob/notes.txt", "build.py", "readme.txt"]
            and found["bob/04.py"].student == "bob"
        )


def test_a_row_says_that_an_imported_module_is_not_read():
    """Only where the notebook imports it."""

    def problems(*cells):
        job = grading.Job("04.ipynb", "ada", 20.0, "", file(*cells), "0", beside=("helper", "other"))
        return grading.grade(job)["problems"]

    (told,) = problems(("from helper import low", 1), (RIGHT, 2))
    assert told.startswith("the notebook imports helper.py, which was handed in beside it: only cells are read")
    assert problems(("import helpers, os", 1), (RIGHT, 2)) == []


def test_text_without_taken_names():
    """Statements that define something new stay, in their order."""
    assert extract.without("a = 1\nb = 2", {"c"}) == "a = 1\nb = 2"
    assert extract.without("a = 1\nb = 2", {"a"}) == "b = 2"
    assert extract.without("import math, os", {"os"}) == "import math, os"
    assert extract.without("d['x'] = 1", {"d"}) == "" and extract.without("a = (", set()) is None
