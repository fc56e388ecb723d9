"""assignment.toml: what counts, for how many points, until when, and who is expected."""

import json
import re

import pytest
from conftest import ROOT

from grader import lessons
from grader.classroom import assignment

DUE = "due = 2026-11-20T23:59:00+01:00\n"


def load(tmp_path, text):
    (tmp_path / "assignment.toml").write_text(text, encoding="utf-8")
    return assignment.load(tmp_path / "assignment.toml")


def points(number, bonus=False):
    return sum(float(e.points) for e in lessons.of_lesson(number) if bonus or not e.bonus)


def test_all_that_an_assignment_says(tmp_path):
    """Points as 4.1 with and without quotes, lessons as text, number or name."""
    (tmp_path / "class.csv").write_text("name,email\nAda Lovelace,ada@uni.edu\n")
    made = load(
        tmp_path,
        'name = "Week 4"\nlessons = ["one_row", 5]\nroster = "class.csv"\nleave_out = ["4.2"]\nattempt = "best"\n'
        + DUE + "late = { percent_a_day = 10, grace_minutes = 15, most_days = 3 }\n"
        'points = { 4.1 = 6, "5.1" = 1.5 }\nweights = { 05 = 2 }\n',
    )  # fmt: skip

    of = {e.id: float(e.points) for e in lessons.exercises().values()}
    assert (made.lessons, made.name, made.attempt) == (("04", "05"), "Week 4", "best")
    assert [p.name for p in made.roster] == ["Ada Lovelace"]
    assert [made.points_of(id, of[id]) for id in ("4.1", "4.2", "4.3", "5.1", "5.2")] == [
        6.0, 0.0, of["4.3"], 3.0, 2 * of["5.2"]
    ]  # fmt: skip
    assert made.possible("04") == 6.0 + of["4.3"]
    assert made.possible("05") == 2 * (points("05") - of["5.1"] + 1.5)


def test_the_example_of_the_page_is_one(tmp_path):
    """With the rosters that it names, in both languages."""
    for page in ("docs/instructors.md", "docs/zh/instructors.md"):
        example = re.search(r"```toml\n(lessons.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)[1]
        for name in re.findall(r'"(\w+\.csv)"', example):
            (tmp_path / name).write_text("name\nAda\n")
        made = load(tmp_path, example)
        assert made.lessons == ("04", "05") and made.kept_share(2) == 0.8 and len(made.roster) == 1


def test_lessons_alone_are_an_assignment():
    """For the quick case."""
    made = assignment.of_lessons("04, 5")
    assert made.lessons == ("04", "05") and made.possible("04") == points("04") and made.late is None
    with pytest.raises(assignment.NoAssignment, match="lessons: the course has no lesson '44'"):
        assignment.of_lessons("44")


def test_what_lateness_costs(tmp_path):
    """For each day begun, after the grace; nothing where the platform decides, or where no time is known."""
    made = load(
        tmp_path, 'lessons = ["04"]\n' + DUE + "late = { percent_a_day = 30, grace_minutes = 15, most_days = 3 }"
    )
    days = {at: made.days_late("04", at and f"2026-11-{at}") for at in (
        None, "20 22:59:00", "20 23:14:00", "20 23:15:00", "21 22:59:00", "21 22:59:01", "23 23:00:00", "25 00:00:00",
    )}  # fmt: skip
    assert list(days.values()) == [None, 0, 1 - 1, 1, 1, 2, 4, 5]
    assert [round(made.kept_share(d), 9) for d in (None, 0, 1, 2, 3, 4)] == [1, 1, 0.7, 0.4, 0.1, 0]
    assert load(tmp_path, 'lessons = ["04"]\nlate = "platform"\n' + DUE).kept_share(9) == 1
    each = load(tmp_path, 'lessons = ["04", "05"]\n[due]\n05 = 2026-11-20T12:00:00Z\n')
    assert each.days_late("04", "2027-01-01 00:00:00") is None and each.days_late("05", "2026-11-20 12:00:01") == 1


FAULTS = {
    "lessons = ": "is not TOML",
    "": "lessons: a list such as",
    "lessons = []": "lessons: a list such as",
    'lessons = ["04", "4"]': "lessons: 04 stands there twice",
    'lessons = ["99", true]': "lessons: the course has no lesson '99'; lessons: the course has no lesson True",
    'lessons = ["04"]\nlesons = 3': "lesons: no such key; the keys are name, lessons",
    'lessons = ["04"]\npoints = { 5.1 = 2 }': "points: '5.1' is of a lesson that does not stand in lessons",
    'lessons = ["04"]\npoints = { 4.99 = 2 }': "points: the course has no exercise '4.99'",
    'lessons = ["04"]\npoints = { 4.1 = -2 }': "points.4.1: a number from 0 to",
    'lessons = ["04"]\npoints = { 4.1 = true }': "points.4.1: a number from 0 to",
    'lessons = ["04"]\npoints = { 4.1 = nan }': "points.4.1: a number from 0 to",
    'lessons = ["04"]\npoints = { 4 = 2 }': "points: the course has no exercise '4'",
    'lessons = ["04"]\npoints = 3': "points: a table is expected",
    'lessons = ["04"]\nweights = { 05 = 3 }': "weights: '05' does not stand in lessons",
    'lessons = ["04"]\nweights = { 04 = "much" }': "weights.04: a number from 0 to",
    'lessons = ["04"]\nleave_out = "4.1"': "leave_out: a list such as",
    'lessons = ["04"]\nleave_out = ["4.1", "4.2", "4.3"]': "leave_out: nothing is left of lesson 04",
    'lessons = ["04"]\nleave_out = ["4.1"]\npoints = { 4.1 = 3 }': "points.4.1: it is in leave_out, too",
    'lessons = ["04"]\ndue = 2026-11-20': "due: a time with its zone is expected",
    'lessons = ["04"]\ndue = 2026-11-20T12:00:00': "due: a time with its zone is expected",
    'lessons = ["04"]\n[due]\n07 = 2026-11-20T12:00:00Z': "due.07: '07' does not stand in lessons",
    'lessons = ["04"]\nlate = "never"': 'late: "platform" or',
    'lessons = ["04"]\nlate = { percent_a_day = 10 }': "late: it costs nothing without a time",
    'lessons = ["04"]\n' + DUE + "late = { percent_a_day = 110 }": "late.percent_a_day: at most 100",
    'lessons = ["04"]\n' + DUE + "late = { percent_a_day = 10, days = 3 }": "late.days: no such key",
    'lessons = ["04"]\nattempt = "first"': 'attempt: "last" or "best" is expected',
    'lessons = ["04"]\nroster = 3': "roster: the name of a file is expected",
    'lessons = ["04"]\nroster = "no.csv"': "roster: 'no.csv' cannot be read: No such file",
    'lessons = ["04"]\nroster = "assignment.toml"': "roster: 'assignment.toml' is no roster",
    'lessons = ["04"]\nname = 3': "name: a short text is expected",
}


@pytest.mark.parametrize("text, why", FAULTS.items())
def test_each_fault_is_a_sentence_with_its_key(tmp_path, text, why):
    with pytest.raises(assignment.NoAssignment) as refused:
        load(tmp_path, text)
    assert why in str(refused.value) and str(tmp_path / "assignment.toml") in str(refused.value)


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path):
    (tmp_path / "latin").write_bytes(b"name = '\xe9'")
    for name, why in {"nowhere": "cannot be read", "latin": "is no text in UTF-8", ".": "cannot be read"}.items():
        with pytest.raises(assignment.NoAssignment, match=why):
            assignment.load(tmp_path / name)


def test_a_folder_of_results_keeps_its_assignment(tmp_path):
    """A later change of the file counts; where the file is gone, what it said counts, roster and all."""
    assert assignment.kept(tmp_path) is None
    (tmp_path / "class.csv").write_bytes("name\nZoë\n".encode())
    assignment.keep(load(tmp_path, 'lessons = ["04"]\nroster = "class.csv"'), tmp_path)
    load(tmp_path, 'lessons = ["05"]\nroster = "class.csv"')
    assert assignment.kept(tmp_path).lessons == ("05",)

    (tmp_path / "assignment.toml").unlink()
    (tmp_path / "class.csv").unlink()
    found = assignment.kept(tmp_path)
    assert found.lessons == ("04",) and [p.name for p in found.roster] == ["Zoë"]
    assignment.keep(assignment.of_lessons("06"), tmp_path)
    assert assignment.kept(tmp_path).lessons == ("06",)
    for damaged in ("", "[]", json.dumps({"text": 3})):
        (tmp_path / "assignment.json").write_text(damaged)
        with pytest.raises(assignment.NoAssignment, match="is damaged"):
            assignment.kept(tmp_path)
