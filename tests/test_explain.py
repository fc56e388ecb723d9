"""python -m grader explain: why an answer has the name that it has."""

import pytest
from conftest import ROOT

from grader.__main__ import main

PAD_ZERO = ROOT / "tests" / "wrong" / "04_pad_zero.py"


def test_it_shows_every_case_every_vote_and_what_decided(capsys):
    """Right and failing cases, the detectors that match and those that do not, a mutant with its fit."""
    assert 0 == main(["explain", str(PAD_ZERO)])
    said = capsys.readouterr().out

    assert "✓ a row that fills its block, 1×4" in said
    assert "✗ ragged, 1×5 in a block of 8: the row sums to 0.7421" in said
    assert (
        "pad-zero: matches 12, fits 18 of 18 cases\n"
        "          'other=-float(\"inf\")' becomes 'other=0.0', a mutant of the course's answer" in said
    )
    assert "pad-finite: matches 1, fits 7 of 18 cases (ruled out: it does not match the first failing case)" in said
    assert "0 votes of the others: pointers-exchanged," in said
    assert "decided: pad-zero: it has the most votes, 12 of 12 failing cases" in said


@pytest.mark.parametrize("name, decided", [
    ("right/04_exp2", "no name: every case is right"),
    ("wrong/04_and_on_masks", "and-or-on-masks: .*Triton's compiler warns"),
    ("wrong/01_traffic_unwritten", "not yet: put your answer in place of the TODO of 1.2"),
    ("wrong/04_intermediate_stored", "intermediate-stored: the verdict on the first failing case names it"),
])  # fmt: skip
def test_what_no_vote_decided_is_said_too(name, decided, capsys, tmp_path):
    """A right answer, one that only the compiler refuses, one that is not written, one that the verdict names."""
    file = ROOT / "tests" / f"{name}.py"
    if not file.exists():
        file = tmp_path / "unwritten.py"
        file.write_text("# exercise: 1.2\ndef naive_traffic(m, n):\n    raise NotImplementedError('TODO 1.2')\n")

    assert 0 == main(["explain", str(file)])
    import re

    assert re.search(decided, " ".join(capsys.readouterr().out.split()))


def test_a_notebook_is_explained_exercise_by_exercise(capsys):
    """All of its lesson, or the one that is named."""
    assert 0 == main(["explain", str(ROOT / "solutions" / "00_check_your_bench.ipynb")])
    assert "0.1  double" in capsys.readouterr().out
    assert 0 == main(["explain", str(ROOT / "solutions" / "04_one_row.ipynb"), "4.3"])
    assert "4.3  block_size" in capsys.readouterr().out


@pytest.mark.parametrize("arguments, sentence", [
    (["no/such/file.py"], "No such file"),
    ([str(ROOT / "README.md")], "has no line such as # exercise: 4.1, so name one"),
    ([str(PAD_ZERO), "4.9"], "there is no exercise '4.9'"),
    ([str(ROOT / "records" / "links.json"), "4.1"], None),
])  # fmt: skip
def test_bad_input_is_a_sentence(arguments, sentence, capsys):
    """A missing file, a file that answers nothing, an exercise that does not exist, a file that is no Python."""
    status = main(["explain", *arguments])
    told = capsys.readouterr()

    if sentence is None:
        assert (0, True) == (status, "no cell defines softmax_row_kernel" in told.out)
    else:
        assert 2 == status and sentence in told.err and told.err.startswith("Nothing explained: ")
