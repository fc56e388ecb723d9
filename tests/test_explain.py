"""python -m grader explain: why an answer has the name that it has."""

import re

import pytest
from conftest import ROOT

from grader import environment
from grader.__main__ import main

PAD_ZERO = "4.1/pad-zero"


@pytest.mark.whole
def test_it_shows_every_case_every_vote_and_what_decided(capsys):
    """Right and failing cases, the detectors that match and those that do not, a mutant with its fit."""
    assert main(["explain", PAD_ZERO]) == 0
    said = capsys.readouterr().out

    assert said.startswith("4.1/pad-zero, stored as pad-zero\n  what it changes in its base, 04_plain:\n")
    assert '    -    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))\n' in said
    assert "    +    x = tl.load(x_ptr + cols, mask=mask, other=0.0)\n" in said
    assert "✓ a row that fills its block, 1×4" in said
    assert "✗ ragged, 1×5 in a block of 8: the row sums to 0.7421" in said
    assert (
        "pad-zero: matches 13, fits 19 of 19 cases\n"
        "          'other=-float(\"inf\")' becomes 'other=0.0', a mutant of the course's answer" in said
    )
    assert "pad-finite: matches 1, fits 7 of 19 cases (ruled out: it does not match the first failing case)" in said
    assert "0 votes of the others: pointers-exchanged," in said
    assert "decided: pad-zero: it has the most votes, 13 of 13 failing cases" in said


@pytest.mark.parametrize("name, decided", [
    (str(ROOT / "tests" / "right" / "04_exp2.py"), "no name: every case is right"),
    ("4.1/loop-type", "loop-type-changes: .*Loop-carried variable denominator has initial type"),
    ("unwritten.py", "not yet: put your answer in place of the TODO of 1.2"),
    ("4.1/intermediate-stored", "intermediate-stored: the verdict on the first failing case names it"),
])  # fmt: skip
def test_what_no_vote_decided_is_said_too(name, decided, capsys, tmp_path, monkeypatch):
    """A right answer, one that only the compiler refuses, one that is not written, one that the verdict names."""
    monkeypatch.chdir(tmp_path)
    todo = "# exercise: 1.2\ndef naive_traffic(m, n):\n    raise NotImplementedError('TODO 1.2')\n"
    (tmp_path / "unwritten.py").write_text(todo)

    assert main(["explain", name]) == 0
    assert re.search(decided, " ".join(capsys.readouterr().out.split()))


def test_a_notebook_is_explained_exercise_by_exercise(capsys):
    """All of its lesson, or the one that is named."""
    assert main(["explain", str(ROOT / "solutions" / "00_check_your_bench.ipynb")]) == 0
    assert "0.1  double" in capsys.readouterr().out
    assert main(["explain", str(ROOT / "solutions" / "04_one_row.ipynb"), "4.3"]) == 0
    assert "4.3  block_size" in capsys.readouterr().out


@pytest.mark.parametrize("arguments, sentence", [
    (["no/such/file.py"], "No such file"),
    ([str(ROOT / "README.md")], "has no line such as # exercise: 4.1, so name one"),
    ([PAD_ZERO, "4.9"], "there is no exercise '4.9'"),
    (["4.1/pad-zer"], "no stored wrong answer is called '4.1/pad-zer'; perhaps 4.1/pad-zero or "),
    ([str(ROOT / "records" / "links.json"), "4.1"], None),
])  # fmt: skip
def test_bad_input_is_a_sentence(arguments, sentence, capsys):
    """A missing file, a file that answers nothing, an exercise that does not exist, a file that is no Python."""
    status = main(["explain", *arguments])
    told = capsys.readouterr()

    if sentence is None:
        assert (status, "no cell defines softmax_row_kernel" in told.out) == (0, True)
    else:
        assert status == 2 and sentence in told.err and told.err.startswith("Nothing explained: ")


def test_a_copy_without_stored_answers_says_so(capsys, monkeypatch, tmp_path):
    """As in Colab, where tests/ is not fetched. A file of that name is taken wherever it is."""
    monkeypatch.setattr(environment, "ROOT", tmp_path)

    assert main(["explain", PAD_ZERO]) == 2
    assert "this copy of the course has no stored answers, tests/wrong" in capsys.readouterr().err
