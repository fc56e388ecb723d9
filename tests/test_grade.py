"""python -m grader grade: one row for every file, whatever the file is."""

import json
import os
import pathlib
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from conftest import ROOT

from grader import lessons
from grader.__main__ import main
from grader.classroom import executors, grading, results_store, submissions
from grader.judge import judge

PADS = "{'a': 0.0, 'b': float('inf'), 'c': float('inf'), 'd': None}"
MAX = {p.name[:2]: lessons.OUTLINE[p.name[:2]][1] for p in (ROOT / "notebooks").glob("*.ipynb")}


def graded(path, out, seconds=20.0):
    """Grade in threads of this process, whose worker processes are warm already."""
    found = list(submissions.find(path))
    with results_store.Results(out) as results, ThreadPoolExecutor(2) as executor:
        grader = executors.GradingExecutor(executor, lambda: 2)
        done = list(grading.grade_all(found, results, grader, b"secret", seconds))
    rows = {row["submission"]: row for row in results_store.read(out / results_store.RESULTS).rows()}
    assert sorted(h.name for h in found) == sorted(name for name, _ in done) == sorted(rows)
    return rows


def notebook(*cells):
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    return nbformat.writes(made)


@pytest.mark.whole
def test_untouched_notebooks_score_nothing(tmp_path):
    """Every exercise is not attempted, and nothing is a mistake yet."""
    rows = graded(ROOT / "notebooks", tmp_path)

    for row in rows.values():
        assert row["score"] == 0 and MAX[row["lesson"]] == row["max_score"]
        assert {(e["status"], e["mistake"]) for e in row["exercises"]} == {("not_attempted", None)}
        assert row["problems"] == []


@pytest.mark.whole
def test_solution_notebooks_score_everything(tmp_path):
    """The published solutions are right by the same judge."""
    rows = graded(ROOT / "solutions", tmp_path)

    best = {n: most + sum(e.points for e in lessons.of_lesson(n) if e.bonus) for n, most in MAX.items()}
    assert best == {row["lesson"]: row["score"] for name, row in rows.items() if name.endswith(".ipynb")}


def test_a_half_filled_notebook_scores_what_it_solved(tmp_path):
    """4.2 and 4.3 are solved, 4.1 is not, and one helper is defined twice."""
    cells = nbformat.read(ROOT / "notebooks" / "04_one_row.ipynb", as_version=4)
    for cell in cells.cells:
        if cell.cell_type == "code":
            cell.source = cell.source.replace("pads = ...", f"pads = {PADS}")
            cell.source = cell.source.replace(
                'raise NotImplementedError("TODO 4.3")', "return 1 << (n_cols - 1).bit_length()"
            )
    cells.cells.append(nbformat.v4.new_code_cell(f"pads = {PADS}"))
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "homework (2).ipynb").write_text(nbformat.writes(cells))

    row = graded(tmp_path, tmp_path / "out")["ada/homework (2).ipynb"]

    assert (row["student"], row["lesson"], row["score"]) == ("ada", "04", 2.0)
    assert [e["status"] for e in row["exercises"]] == ["not_attempted", "passed", "passed"]
    assert row["problems"] == ["pads is defined 2 times: the last definition counts"]


BROKEN = {
    "empty.ipynb": (b"", "the file is empty"),
    "text.ipynb": (b"hello", "cannot be read as JSON"),
    "list.ipynb": (b"[1, 2]", "holds a list"),
    "number.ipynb": (b"5", "holds a int"),
    "deep.ipynb": (b"[" * 100_000, "nested too deeply"),
    "no_cells.ipynb": (b'{"cells": 3}', "no list of cells"),
    "only_text.ipynb": (b'{"cells": [{"cell_type": "markdown", "source": "x"}]}', "no code cells"),
    "odd_cells.ipynb": (b'{"cells": [1, null, {"cell_type": "code", "source": 5}]}', "no code cells"),
    "binary.ipynb": (b"\x00\xff\xfe\x80", "cannot be read as JSON"),
    "other_course.ipynb": (notebook("def unrelated(): pass").encode(), "no lesson was found"),
    "long_number.ipynb": (b'{"cells": ' + b"9" * 5000 + b"}", "cannot be read as JSON"),
}


def test_every_broken_file_gets_a_row_that_says_so(tmp_path):
    """And none costs another file anything."""
    for name, (data, _) in BROKEN.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "dangling.ipynb").symlink_to(tmp_path / "nowhere")
    (tmp_path / "good.ipynb").write_text(notebook("def double(x): return 2 * x", 'check("0.1")'))

    rows = graded(tmp_path, tmp_path / "out")

    for name, (_, says) in BROKEN.items():
        assert says in rows[name]["problems"][0], name
        assert (rows[name]["score"], rows[name]["exercises"]) == (0, [])
    assert "no regular file" in rows["folder.ipynb"]["problems"][0]
    assert "it is a link" in rows["dangling.ipynb"]["problems"][0]
    assert rows["good.ipynb"]["score"] == 1
    assert len(BROKEN) + 3 == len(rows)


def test_old_and_odd_notebooks_are_read(tmp_path):
    """nbformat 3, a byte-order mark, sources as lists, lone surrogates, cells without ids."""
    answer = "def double(x):\n    return 2 * x"
    old = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": answer}]}]}
    listed = {"cells": [{"cell_type": "code", "source": answer.splitlines(True)}], "nbformat": 99}
    surrogate = '{"cells": [{"cell_type": "code", "source": "# \\ud800\\n' + answer.replace("\n", "\\n") + '"}]}'
    (tmp_path / "old.ipynb").write_text(json.dumps(old))
    (tmp_path / "bom.ipynb").write_bytes(b"\xef\xbb\xbf" + json.dumps(listed).encode())
    (tmp_path / "surrogate.ipynb").write_text(surrogate)

    assert {row["score"] for row in graded(tmp_path, tmp_path / "out").values()} == {1.0}


@pytest.mark.whole
def test_bad_answers_cost_their_own_exercise_only(tmp_path):
    """An endless loop and 100 GB, beside a right answer in the same file."""
    cells = (
        "def naive_softmax(x):\n    while True: pass",
        "import torch\ndef naive_traffic(m, n): return torch.zeros(25 * 10**9)",
        'overflow_at = {"float32": 89, "float16": 12}',
        'check("1.1")',
    )
    (tmp_path / "a.ipynb").write_text(notebook(*cells))

    row = graded(tmp_path, tmp_path / "out", seconds=2)["a.ipynb"]

    assert [(e["status"], e["mistake"]) for e in row["exercises"]] == [
        ("timeout", "endless"),
        ("error", "out-of-memory"),
        ("passed", None),
    ]
    assert row["score"] == 1


def test_a_second_run_keeps_what_is_done_and_redoes_what_changed(tmp_path):
    """One row a file, always."""
    (tmp_path / "a.ipynb").write_text(notebook("def double(x): return x"))
    (tmp_path / "b.ipynb").write_text(notebook("def double(x): return 2 * x"))
    out = tmp_path / "out"
    first = graded(tmp_path, out)
    with open(out / "results.jsonl", "a") as f:
        f.write('{"submission": "torn')
    (tmp_path / "a.ipynb").write_text(notebook("def double(x): return 2 * x"))

    second = graded(tmp_path, out)

    assert [first["a.ipynb"]["score"], second["a.ipynb"]["score"]] == [0, 1]
    assert first["b.ipynb"] == second["b.ipynb"]


def test_zips_are_read(tmp_path):
    """As a learning platform hands them out."""
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as z:
        z.writestr("ada/x.ipynb", notebook("def double(x): return 2 * x"))
        z.writestr("bob/x.ipynb", "not json")
        z.writestr("__MACOSX/bob/x.ipynb", "junk")
        z.writestr("readme.txt", "hello")

    rows = graded(tmp_path / "class.zip", tmp_path / "out")

    assert {name: row["score"] for name, row in rows.items()} == {"ada/x.ipynb": 1, "bob/x.ipynb": 0}


@pytest.mark.parametrize("make", ["missing", "empty folder", "bad zip"])
def test_nothing_to_grade_is_a_usage_error(tmp_path, make, capsys):
    """Exit status 2 and a sentence."""
    path = tmp_path / "class.zip"
    if make == "empty folder":
        path = tmp_path
    elif make == "bad zip":
        path.write_text("no zip")

    assert main(["grade", str(path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("Nothing graded: ")


@pytest.mark.skipif(os.geteuid() == 0 and not pathlib.Path("/dev/full").exists(), reason="needs /dev/full")
def test_results_that_cannot_be_written_are_a_sentence(tmp_path, capsys):
    """Such as a results folder that is a file."""
    (tmp_path / "a.ipynb").write_text(notebook("def double(x): return 2 * x"))
    (tmp_path / "out").write_text("in the way")

    assert main(["grade", str(tmp_path / "a.ipynb"), "--out", str(tmp_path / "out")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.whole
def test_the_command_line_prints_a_table_without_the_strangers_markup(tmp_path):
    """A file name is text: no colour codes, no control characters, no markup."""
    (tmp_path / "[red]x\x1b[31m.ipynb").write_text(notebook("def double(x): return x"))
    environment = os.environ | {"COLUMNS": "200"}

    done = subprocess.run(
        [sys.executable, "-m", "grader", "grade", str(tmp_path), "--out", str(tmp_path / "out")],
        cwd=ROOT, capture_output=True, text=True, env=environment,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "[red]x�[31m.ipynb" in done.stdout and "\x1b[31m" not in done.stdout
    assert "0.1 ✗ unchanged" in done.stdout


@pytest.mark.whole
def test_list_and_doctor(capsys):
    """What there is, and what works here."""
    assert main(["list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    row_kernel = {"id": "4.1", "title": "softmax_row_kernel", "names": ["softmax_row_kernel"], "points": 3}
    assert row_kernel | {"bonus": False} in rows

    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert said.count(" on\n") == 12
    for what in ("known answer", "guard", "poison", "ledger", "order", "speed", "isolation", "order of imports"):
        assert f"\n{what} " in said
    assert str(ROOT) not in said and "/" not in said.replace("…/", "")


def test_a_fault_of_the_grader_costs_one_exercise_and_is_flagged(tmp_path, monkeypatch):
    """One row a file, even then."""
    monkeypatch.setattr(judge, "judge", lambda *args: 1 / 0)
    (tmp_path / "a.ipynb").write_text(notebook("def double(x): return 2 * x"))

    (row,) = graded(tmp_path, tmp_path / "out").values()

    assert (row["exercises"][0]["status"], row["exercises"][0]["flags"]) == ("error", ["grader-error"])
    assert "ZeroDivisionError" in row["exercises"][0]["message"]
