"""start, check and run: the course in a terminal. A file's verdicts are those of a check in the notebook."""

import io
import json
import os
import re
import subprocess
import sys
import types

import nbformat
import pytest
from conftest import ROOT

from grader import check, lessons
from grader.__main__ import main
from grader.classroom import percent, submissions
from grader.cli import check as checking
from grader.cli import listing, start, verdicts, work_file
from grader.cli.saved import Saved
from grader.judge import zygotes
from grader.mistakes.mutant import reference
from grader.notebook import api, history, progress_store

BOOKS = [*sorted((ROOT / "notebooks").glob("*.ipynb")), *sorted((ROOT / "notebooks" / "zh").glob("*.ipynb"))]
STUB = '    raise NotImplementedError("TODO 0.1")'
DOUBLE = {
    "untouched": STUB,
    "right": "    return 2 * x",
    "wrong": "    return x * x",
    "broken": "    return 2 * (x",
}
PADDED = """@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0)
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + cols, numerator / tl.sum(numerator, axis=0), mask=cols < n_cols)
"""


@pytest.fixture(autouse=True)
def _work(tmp_path, monkeypatch):
    """A folder of one's own to work in, with no progress."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIVE_PASSES_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(progress_store, "_session", {})
    monkeypatch.setattr(progress_store, "_last", {})
    monkeypatch.setattr(start, "_FOLDER", tmp_path / "work")


def lesson(number="00", folder=ROOT / "notebooks"):
    return start.text(next(folder.glob(f"{number}_*.ipynb")))


def doubled(state, text=None):
    text = text or lesson()
    assert STUB in text
    return text.replace(STUB, DOUBLE[state])


def file_of(tmp_path, text, name="00_check_your_bench.py"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def as_notebook(text):
    """The same code cells as a notebook that nobody has run."""
    cells = [nbformat.v4.new_code_cell(cell.text.strip("\n")) for cell in percent.cells(text)]
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells))


def in_a_notebook(monkeypatch, text, number):
    """The record of a check in a notebook that ran these cells."""
    cells = [each[2] for each in percent._code(text)]
    monkeypatch.setattr(history, "_executed", [history._Run(str(n), cell, "") for n, cell in enumerate(cells)])
    exercise = lessons.exercises()[number]
    return api.checked(exercise, api._answer(exercise)).record()


def of_a_file(path, number):
    exercise = lessons.exercises()[number]
    return api.checked(exercise, work_file.read(path).answer(exercise)).record()


@pytest.mark.parametrize("state", DOUBLE)
def test_a_file_has_the_row_of_the_notebook(state, tmp_path, monkeypatch):
    """As percent cells and as a notebook. What cannot be read is named by its line, where a notebook names its cell."""
    text = doubled(state)
    python, book = file_of(tmp_path, text), file_of(tmp_path, as_notebook(text), "00_check_your_bench.ipynb")
    rows = [in_a_notebook(monkeypatch, text, "0.1"), of_a_file(python, "0.1"), of_a_file(book, "0.1")]

    if state == "broken":
        assert all("is not Python, so nothing in it ran: '(' was never closed" in row["message"] for row in rows)
        assert "the part from line 5" in rows[1]["message"]
        rows = [row | {"message": ""} for row in rows]
    assert rows[0] == rows[1] == rows[2]
    assert rows[0]["status"] == {"untouched": "not_attempted", "right": "passed", "wrong": "failed"}.get(state, "error")


def test_the_number_of_a_lesson_or_an_exercise_is_no_file(capsys):
    """The file to work in is named, or the command that writes it."""
    written = []
    for _ in range(2):
        for given in (["05"], ["5.1"], ["5", "5.2"], ["99"]):
            assert main(["check", *given]) == 2
            written.append(capsys.readouterr().err.strip())
        main(["start", "05"])
        capsys.readouterr()

    assert written[0] == "Nothing checked: 05 is no file. python -m grader start 05 writes one."
    assert written[1] == "Nothing checked: 5.1 is no file. python -m grader start 05 writes one."
    assert written[3] == written[7] == "Nothing checked: 99 cannot be read (No such file or directory)."
    command = "python -m grader check work/05_every_row.py"
    assert written[4] == f"Nothing checked: 05 is no file. Your lesson 05 is checked by: {command}"
    assert [each.rpartition(": ")[2] for each in written[5:7]] == [f"{command} 5.1", f"{command} 5.2"]


def test_an_answer_that_uses_a_wrong_one_says_so(tmp_path, capsys):
    """5.2 launches the kernel of 5.1: with a wrong kernel, that exercise is named. With a right one, no other is."""
    function = reference("5.2").partition("def fused_softmax")
    for change, named in (("/ denominator", True), ("triton.next_power_of_2(n_cols)", False)):
        broken = {"/ denominator": "* denominator"}.get(change, "triton.next_power_of_2(n_cols) // 2")
        assert change in "".join(function)
        text = "import torch\nimport triton\nimport triton.language as tl\n\n" + "".join(function).replace(
            change, broken
        )
        assert main(["check", str(file_of(tmp_path, text, "05.py")), "5.2"]) == 1
        out = " ".join(capsys.readouterr().out.split())
        assert ("! it uses softmax_kernel, which is your answer to 5.1, and that one is not right yet" in out) is named


def test_a_kernel_has_it_too_and_helpers_come_along(tmp_path, monkeypatch):
    """4.1 with lanes padded by 0, and with a helper in another cell."""
    helped = "# %%\n@triton.jit\ndef lanes(BLOCK: tl.constexpr):\n    return tl.arange(0, BLOCK)\n\n\n# %%\n"
    text = "# %%\nimport triton\nimport triton.language as tl\n\n"
    for more in (f"# %%\n{PADDED}", helped + PADDED.replace("tl.arange(0, BLOCK)", "lanes(BLOCK)")):
        row = of_a_file(file_of(tmp_path, text + more, "04.py"), "4.1")
        assert row["mistake"] == "pad-zero"
        assert row == in_a_notebook(monkeypatch, text + more, "4.1")


@pytest.mark.parametrize("state, status", [("right", 0), ("wrong", 1), ("untouched", 1), ("broken", 1)])
def test_the_exit_status_says_whether_all_passed(state, status, tmp_path, capsys):
    """Points are kept, and what comes next is said."""
    path = file_of(tmp_path, doubled(state))
    ended = main(["check", str(path)])
    said = capsys.readouterr().out

    assert status == ended
    assert ("0.1 ✓" in said and "next: python -m grader start 01" in said) is (state == "right")
    line = path.read_text().splitlines().index("def double(x):") + 1
    if state == "untouched":
        assert "not yet: put your answer in place of the TODO of 0.1, and save the file" in said
        assert f"next: 0.1 double, {path}:{line + 3}" in said and "✗" not in said
    elif state == "broken":
        assert f"{path}:{line + 3}: '(' was never closed, in the line `return 2 * (x`\n" in said
    assert progress_store.current() == ({} if state == "untouched" else {"0.1": 1.0 if state == "right" else 0.0})


def test_nothing_to_check_is_a_sentence(tmp_path, capsys):
    """A missing file, an unknown exercise, a file of no lesson, one that is no notebook."""
    own = file_of(tmp_path, "x = 1\n", "own.py")
    book = file_of(tmp_path, "{", "04_one_row.ipynb")
    said = {}
    for given in (["none.py"], [str(own), "99.9"], [str(own)], [str(book)]):
        assert main(["check", *given]) == 2
        said[given[-1]] = capsys.readouterr().err

    assert said["none.py"] == "Nothing checked: none.py cannot be read (No such file or directory).\n"
    assert said["99.9"].startswith("Nothing checked: There is no exercise '99.9'. There are: 0.1, ")
    assert main(["check", str(own), "5.9"]) == 2
    assert capsys.readouterr().err == "Nothing checked: There is no exercise '5.9'. There are: 5.1, 5.2.\n"
    assert "answers no lesson: python -m grader start 00" in said[str(own)]
    assert "Nothing checked: " in said[str(book)]
    assert main(["check", str(own), "0.1"]) == 1
    assert "nothing in the file defines double" in " ".join(capsys.readouterr().out.split())


def test_options_may_stand_anywhere(tmp_path, capsys):
    """Before, between and behind the file and the exercises; what is no option is refused."""
    path = str(file_of(tmp_path, doubled("wrong")))
    for given in (["--hint", path, "0.1"], [path, "--hint", "0.1"], [path, "0.1", "--hint"]):
        assert main(["check", *given]) == 1
        assert "0.1  hint 1 of" in capsys.readouterr().out
    for given in (["check", path, "--hints", "0.1"], ["list", "0.1"]):
        with pytest.raises(SystemExit, match="2"):
            main(given)


def test_one_hint_more_with_each_check(tmp_path, capsys):
    """Also in another process, as each command is one; a verdict without --hint says how to get one."""
    path = file_of(tmp_path, doubled("wrong"))
    main(["check", str(path), "0.1"])
    assert "\n       --hint shows one more hint\n" in capsys.readouterr().out
    shown = []
    for _ in range(3):
        progress_store._session.clear()
        main(["check", str(path), "--hint"])
        shown.append(capsys.readouterr().out)

    count = len(lessons.exercises()["0.1"].hints)
    assert [min(n, count) for n in (1, 2, 3)] == [len(re.findall(r"^0\.1  hint \d of", text, re.M)) for text in shown]
    assert progress_store.current() == {"0.1": 0.0}


def test_a_file_speaks_its_own_language(tmp_path, capsys):
    """Unless --lang asks for another. Its row in a class says which it was."""
    path = file_of(tmp_path, doubled("wrong", lesson(folder=ROOT / "notebooks" / "zh")))
    for more, said in (([], "每个值都与自己相乘了"), (["--lang", "en"], "Every value was multiplied by itself")):
        main(["check", str(path), *more])
        assert said in capsys.readouterr().out

    assert work_file.read(path).read.language == "zh_Hans"


def test_a_terminal_without_the_signs_shows_something_else(tmp_path, monkeypatch):
    """As one in Latin-1, which old systems have."""
    shown = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", shown)

    assert main(["check", str(file_of(tmp_path, doubled("right")))]) == 0
    shown.flush()
    assert b"? right in every case" in shown.buffer.getvalue()


def test_a_name_that_is_defined_twice_is_said(tmp_path, capsys):
    path = file_of(tmp_path, doubled("right") + "\n# %%\ndef double(x):\n    return x * x\n")

    assert main(["check", str(path)]) == 1
    assert "! double is defined 2 times: the last definition counts" in capsys.readouterr().out


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_lesson_as_a_file_has_the_cells_of_the_notebook(book):
    """It is Python, its first code cell is short, and it leads to no notebook at its top."""
    text = start.text(book)
    code = [c["source"] for c in json.loads(book.read_text())["cells"] if c["cell_type"] == "code"]
    code = ["".join(source) for source in code]
    cells = [cell.text.strip("\n") for cell in percent.cells(text)]

    compile(text, str(book), "exec")
    assert cells[1:] == [source.strip("\n") for source in code[1:]]
    assert cells[0].count("\n") < 8 and "](" not in text.partition("# %%\n")[0]


def test_start_writes_once(capsys, tmp_path):
    """In the language in use; work is never written over."""
    assert main(["start", "0", "--lang", "zh"]) == 0
    path = tmp_path / "work" / "00_check_your_bench.py"
    assert "work/00_check_your_bench.py" in capsys.readouterr().out and "# # 00 · 检查" in path.read_text()
    path.write_text("mine")

    assert main(["start", "00", "--lang", "en"]) == 2
    assert path.read_text() == "mine"
    assert "is there already, and stays as it is" in capsys.readouterr().err
    assert main(["start", "77"]) == 2
    assert "There is no lesson '77'. There are 00 to 17." in capsys.readouterr().err


def test_a_lesson_in_a_file_counts_beside_its_notebook(tmp_path):
    """As in a repository of the course; jupytext's copy of a notebook with answers does not."""
    (book,) = (ROOT / "notebooks").glob("00_*.ipynb")
    copy, right = percent.written(("code", cell.text) for cell in percent.cells(doubled("right"))[1:]), doubled("right")
    for name, text in (("notebooks/{}.ipynb", as_notebook(right)), ("work/{}.py", right), ("{}.py", copy)):
        path = tmp_path / "repository" / name.format(book.stem)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    found = submissions.look(tmp_path / "repository", one_student=True).files
    assert [file.name for file in found] == [f"notebooks/{book.name}", f"work/{book.stem}.py"]


def save(path, text):
    """As an editor that puts another file in its place."""
    beside = path.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


@pytest.fixture
def watch(tmp_path, capsys):
    """A lesson that is watched: a function that saves a text, looks twice, and returns what was said."""
    path = file_of(tmp_path, doubled("untouched"))
    shown, saved = verdicts.Verdicts([], False), Saved(path)
    shown.show(work_file.read(path))
    capsys.readouterr()

    def after(text, how=save):
        how(path, text)
        for _ in range(3):
            checking.step(saved, shown)
        return capsys.readouterr().out

    after.path, after.verdicts = path, shown
    return after


def test_what_changes_is_checked_when_it_is_saved(watch):
    """Whatever is not Python is a line with its number, and watching goes on."""
    broken, wrong = watch(doubled("broken")), watch(doubled("wrong"), lambda path, text: path.write_text(text))

    assert re.fullmatch(rf"\n{re.escape(str(watch.path))}:\d+: '\(' was never closed, in the line `.*`\n", broken)
    assert "Every value was multiplied by itself" in wrong and "next:" not in wrong
    assert not watch.verdicts.all_passed()
    right = watch(doubled("right"))
    assert "7 of 7 cases" in right and "next: python -m grader start 01" in right
    assert watch.verdicts.all_passed()
    assert "never closed" in watch(doubled("broken")) and not watch.verdicts.all_passed()


def test_what_does_not_change_is_not_checked(watch, monkeypatch):
    """A word elsewhere, a file that is gone or empty for a while, one that is saved as it was."""
    watch(doubled("right"))
    monkeypatch.setattr(api, "checked", None)

    assert watch(doubled("right").replace("Where you stand", "Where I stand")) == ""
    assert watch("", lambda path, text: path.write_text(text)) == ""
    assert watch("\n", lambda path, text: path.write_text(text)) == ""
    assert watch(None, lambda path, text: path.unlink()) == ""
    assert watch(doubled("right")) == ""


def test_an_exercise_that_is_still_to_do_is_said_once(tmp_path, capsys):
    """Also where what it uses has changed."""
    text = "# %%\ndef fused_traffic(m, n):\n    return {}\n\n# %%\ndef ideal_speedup(m, n):\n    fused_traffic(m, n)\n"
    text += "    raise NotImplementedError('TODO 2.2')\n"
    path = file_of(tmp_path, text.format("0, 0"), "02.py")
    shown = verdicts.Verdicts(["2.1", "2.2"], False)
    shown.show(work_file.read(path))
    first = capsys.readouterr().out
    path.write_text(text.format("2 * m * n, 0"))
    shown.show(work_file.read(path))

    assert "TODO of 2.2" in first
    again = capsys.readouterr().out
    assert "2.1  fused_traffic" in again and "2.2" not in again


def test_a_file_is_read_once_it_is_at_rest(tmp_path):
    """Two looks see the same before it counts."""
    path = file_of(tmp_path, "one")
    saved = Saved(path)
    assert not saved.look()
    path.write_text("half of t")
    assert not saved.look()
    path.write_text("half of the file")

    assert [saved.look() for _ in range(3)] == [False, True, False]


def test_an_interrupt_ends_watching(tmp_path, monkeypatch, capsys):
    """With the exit status of the last verdicts."""

    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(checking, "time", types.SimpleNamespace(sleep=interrupt))
    for state, status in (("right", 0), ("wrong", 1)):
        assert main(["check", "--watch", str(file_of(tmp_path, doubled(state)))]) == status
        assert "Ctrl-C ends this.\n" in capsys.readouterr().out
    main(["check", "--watch", str(file_of(tmp_path, lesson(folder=ROOT / "notebooks" / "zh")))])
    assert "按 Ctrl-C 结束。\n" in capsys.readouterr().out


def test_a_file_that_is_saved_during_the_first_check_is_checked_again(tmp_path, monkeypatch, capsys):
    path = file_of(tmp_path, doubled("wrong"))
    looks, checked = iter(range(3)), api.checked

    def slowly(exercise, answer):
        save(path, doubled("right"))
        return checked(exercise, answer)

    def sleep(seconds):
        if next(looks, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(api, "checked", slowly)
    monkeypatch.setattr(checking, "time", types.SimpleNamespace(sleep=sleep))

    assert main(["check", "--watch", str(path)]) == 0
    assert "7 of 7 cases" in capsys.readouterr().out.partition("Ctrl-C")[2]


def test_a_check_in_a_script_reads_the_script(tmp_path, monkeypatch, capsys):
    """As in python work/00_check_your_bench.py, where no notebook keeps cells."""
    path = file_of(tmp_path, doubled("wrong"))
    monkeypatch.setattr(history, "_executed", [])
    monkeypatch.setitem(sys.modules, "__main__", types.SimpleNamespace(__file__=str(path)))
    check("0.1")

    assert "Every value was multiplied by itself" in capsys.readouterr().out


RUN = """# %% [markdown]
# Text.

# %%
import torch
from grader import check
x = torch.ones(2)
x

# %%
def double(x):
    raise NotImplementedError("TODO 0.1")

# %%
double(x)

# %%
check("0.1")

# %%
import matplotlib.pyplot as plt
plt.plot([1, 2], [3, 4]);

# %%
1 +
"""


@pytest.mark.whole
def test_run_shows_what_a_notebook_shows(tmp_path, capsys):
    """Values, sentences about what is to be done, checks, charts in words; a cell that fails stops no other."""
    path = file_of(tmp_path, RUN, "00.py")
    command = [sys.executable, "-m", "grader", "run", str(path), "--lang", "en"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    assert main(["run", "none.py"]) == 2
    assert "Nothing ran: none.py cannot be read" in capsys.readouterr().err
    shown = re.split(rf"^{re.escape(str(path))}:\d+\n", done.stdout, flags=re.M)
    assert done.returncode == 1 and len(shown) == 7, done
    assert "tensor([1., 1.])" in shown[1] and shown[2].strip() == ""
    assert shown[3].strip().startswith("Not yet: this cell needs your answer to 0.1.")
    assert "not yet: put your answer in place of the TODO of 0.1" in " ".join(shown[4].split())
    assert shown[5].startswith("Chart.") and "SyntaxError" in shown[6]


PAGES = {"en": ROOT / "docs" / "terminal.md", "zh": ROOT / "docs" / "zh" / "terminal.md"}


@pytest.mark.parametrize("code", PAGES)
def test_the_session_of_the_page_is_what_happens(code, tmp_path, monkeypatch, capsys):
    """Line by line, in both languages: start, then a file that is saved twice while it is watched."""
    states = iter(("wrong", "right", None))
    path = tmp_path / "work" / "00_check_your_bench.py"
    text = ""

    def edit(seconds):
        """Save the next state, then leave it for two looks."""
        nonlocal text
        text = text or path.read_text()
        if edit.looks % 2 == 0:
            state = next(states)
            if state is None:
                raise KeyboardInterrupt
            save(path, doubled(state, text))
        edit.looks += 1

    edit.looks = 0
    monkeypatch.setattr(checking, "time", types.SimpleNamespace(sleep=edit))
    (session,) = re.findall(r"^```text\n(.*?)^```$", PAGES[code].read_text(encoding="utf-8"), re.M | re.S)
    happened = ""
    for command in re.findall(r"^\$ python -m grader (.*)$", session, re.M):
        main([*command.split(), "--lang", code])
        happened += f"$ python -m grader {command}\n{capsys.readouterr().out}"

    assert session.replace("^C\n", "\n") == happened


def test_an_interrupt_of_any_command_has_no_traceback(monkeypatch, capsys):
    """The status is that of a shell."""

    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(listing, "run", interrupted)

    assert main(["list"]) == 130
    assert capsys.readouterr() == ("", "\n")


def test_no_process_is_started_for_a_file_that_is_not_there(monkeypatch, capsys):
    """What is wrong with its name is said at once."""
    monkeypatch.setattr(zygotes, "warm", lambda *modes: pytest.fail("started"))

    assert main(["check", "nothing.py"]) == 2
    assert "nothing.py cannot be read" in capsys.readouterr().err
