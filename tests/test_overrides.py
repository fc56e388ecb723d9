"""overrides.csv: a person's word about points, line by line."""

import re

import pytest
from conftest import ROOT

from grader.classroom import overrides

HEAD = "student,exercise,points,comment,by,date\n"


def read(tmp_path, text):
    (tmp_path / "overrides.csv").write_text(text, encoding="utf-8")
    return overrides.read(tmp_path / "overrides.csv")


def test_a_line_is_a_persons_word(tmp_path):
    """Points of an exercise or of a lesson, or exempt; the sentence says who, when and why."""
    lines = 'ada,4.1,2.5,right idea,Kim,2026-11-20\nbob,04,exempt,ill,,\nzoe,4,"3,5",,Kim,\neve,4.1,.5,,,\n'
    good, bad = read(tmp_path, HEAD + lines)

    assert bad == []
    assert [(o.student, o.exercise, o.lesson, o.points) for o in good] == [
        ("ada", "4.1", "04", 2.5), ("bob", "04", "04", None), ("zoe", "04", "04", 3.5), ("eve", "4.1", "04", 0.5),
    ]  # fmt: skip
    assert [str(o.sentence) for o in good] == [
        "set to 2.5 points by Kim, 2026-11-20: right idea", "exempt by hand: ill", "set to 3.5 points by Kim",
        "set to 0.5 points by hand",
    ]  # fmt: skip
    assert [o.of_lesson for o in good] == [False, True, True, False]


def test_the_example_of_the_page_is_one(tmp_path):
    page = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    good, bad = read(tmp_path, re.search(r"```\n(student,exercise,points.*?)```", page, re.DOTALL)[1])
    assert [(o.exercise, o.points) for o in good] == [("4.1", 2.5), ("05", None)] and bad == []


@pytest.mark.parametrize("line, why", [
    (",4.1,2", "no student is named"), ("ada,4.99,2", "'4.99' is no exercise and no lesson"),
    ("ada,,2", "'' is no exercise"), ("ada,4.1,", "'' is no number of points"), ("ada,4.1,-1", "'-1' is no number"),
    ("ada,4.1,nan", "'nan' is no number"), ("ada,4.1,1e3", "'1e3' is no number"), ("ada,4.1,2 of 3", "is no number"),
    ("ada", "'' is no exercise"), ("ada,77,2", "'77' is no exercise and no lesson"),
    ("ada,4.1,9999999", "is no number"),
])  # fmt: skip
def test_a_bad_line_is_named_and_costs_no_other(tmp_path, line, why):
    """With its number in the file."""
    good, bad = read(tmp_path, HEAD + f"bob,4.1,1,,,\n{line}\nzoe,4.1,1,,,\n")

    assert [o.student for o in good] == ["bob", "zoe"]
    assert len(bad) == 1 and "overrides.csv: line 3 has no effect: " in bad[0] and why in bad[0]


@pytest.mark.parametrize("text, why", [
    ("", "it is empty"), ("student;points\nada;3\n", "it has no column exercise"), ("ada,4.1,3\n", "it has no column"),
])  # fmt: skip
def test_a_file_that_is_no_list_is_a_sentence(tmp_path, text, why):
    """Also where its first line does not name the columns."""
    with pytest.raises(overrides.NoOverrides, match=why):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(overrides.NoOverrides, match="cannot be read: No such file"):
        overrides.read(tmp_path / "nowhere.csv")
