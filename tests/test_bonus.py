"""A bonus exercise: judged, shown and exported like any other; its points are on top of the maximum."""

import csv
import json
from dataclasses import replace

import nbformat
import pytest

from grader import lessons, progress
from grader.classroom import grading
from grader.cli import new
from grader.export import canvas, entries, gradescope, html, junit
from grader.export import csv as csv_export
from grader.judge import render
from grader.notebook import progress_store

RIGHT, BONUS, WRONG = (
    f"def {name}(x):\n    return {value}\n"
    for name, value in (("double", "2 * x"), ("extra", "2 * x"), ("extra", "x * x"))
)
MOST = lessons.OUTLINE["00"][1]


@pytest.fixture
def exercise(monkeypatch):
    """A bonus exercise in lesson 00, which asks for the first exercise of it once more under another name."""
    first = lessons.of_lesson("00")[0]

    def cases(seed):
        for case in first.cases(seed):
            asks = replace(
                case.call,
                name=case.call.name.replace("double", "extra"),
                args=tuple("extra" if isinstance(a, str) else a for a in case.call.args),
            )
            yield replace(case, call=asks)

    extra = replace(
        first, id="0.2", title="extra", names=("extra",), points=2, cases=lambda seed: list(cases(seed)), bonus=True
    )
    known = {i: e for i, e in lessons.exercises().items() if not e.bonus} | {"0.2": extra}
    monkeypatch.setattr(lessons, "exercises", lambda: known)
    return extra


def row(*cells):
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in ["# double", *cells]])
    data = nbformat.writes(made).encode()
    return grading.grade(grading.Job("ada_101_9001_00_check_your_bench.ipynb", "ada_101", 20.0, "5", data))


def test_what_a_bonus_earns_is_added_and_no_maximum_contains_it(exercise):
    """Without it nothing is missing."""
    rows = [row(RIGHT), row(RIGHT, WRONG), row(RIGHT, BONUS), row(BONUS)]

    assert [MOST, MOST, MOST + 2, 2] == [r["score"] for r in rows]
    assert [MOST] * 4 == [r["max_score"] for r in rows]


def test_feedback_calls_its_points_bonus_points(exercise):
    """In a notebook and in a report; passed, failed or not attempted. Those of another exercise are points."""
    for cells in ([RIGHT], [WRONG], [BONUS]):
        for record in row(*cells)["exercises"]:
            shown = [render.text(record), render.html_text(record), render.lines(record)[0]]
            assert [record["bonus"]] * 3 == ["bonus points" in text for text in shown]
            assert (record["id"] == "0.2") == record["bonus"]


def test_a_row_of_an_earlier_grader_has_no_bonus():
    """It can still be exported."""
    record = {"id": "4.1", "title": "a", "status": "passed", "score": 2.0, "max_score": 2.0, "cases": 1}

    assert "points" == render.points(record) == render.points(record | {"bonus": None})


def test_every_export_takes_a_score_above_the_maximum(exercise, tmp_path):
    """Canvas, Gradescope, CSV, JUnit and the report."""
    (entry,) = found = entries.of([row(RIGHT, BONUS)])
    gradebook = f"Student,ID,SIS Login ID,Lesson 00 (5)\nPoints Possible,,,{MOST}\nAda,101,ada,\n".encode()
    said = canvas.export(found, tmp_path / "canvas.csv", gradebook, {})
    gradescope.export(found, tmp_path / "results.json")
    csv_export.export(found, tmp_path / "results.csv")
    junit.export(found, tmp_path / "results.xml")
    html.export(found, tmp_path / "html")

    assert f"Ada,101,ada,{MOST + 2}\n" in (tmp_path / "canvas.csv").read_text()
    assert not any("points possible" in sentence for sentence in said)
    told = json.loads((tmp_path / "results.json").read_text())
    assert MOST + 2 == told["score"] and [MOST, 2] == [test["max_score"] for test in told["tests"]]
    line = next(csv.DictReader((tmp_path / "results.csv").open()))
    assert [MOST + 2, MOST, 2] == [float(line[name]) for name in ("score", "max_score", "0.2")]
    assert f"{MOST + 2}/{MOST}" in (tmp_path / "results.xml").read_text()
    pages = "".join(page.read_text() for page in (tmp_path / "html").rglob("*.html"))
    assert f"{MOST + 2}/{MOST}" in pages and "2/2 bonus points" in pages


def test_progress_counts_it_and_asks_for_it_last(exercise, tmp_path, monkeypatch, capsys):
    """The bar of a lesson ends where it is full; the course's total stays 100."""
    monkeypatch.setenv("FIVE_PASSES_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(progress_store, "_session", {})
    others = [each for each in lessons.exercises().values() if each.id != exercise.id]
    for each in others:
        progress_store.remember(each.id, each.points)
    progress_store.remember(exercise.id, 0.0)
    progress()
    assert "next: 0.2 extra" in capsys.readouterr().out

    progress_store.remember("0.2", exercise.points)
    progress()
    shown = capsys.readouterr().out
    assert f"██████████  {MOST} of {MOST} points, and 2 bonus  check_your_bench  0.1 ✓ 0.2 ✓" in shown
    assert f"{sum(each.points for each in others):g} of 100 points, and 2 bonus" in shown


def test_no_new_exercise_takes_its_point_from_a_bonus(exercise):
    """Its points are none of the lesson's."""
    with pytest.raises(new.Refused, match="no exercise of lesson 00 has a point to give away"):
        new._checked("0.3", "another")
