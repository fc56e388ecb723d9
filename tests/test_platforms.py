"""A class of 60 as platforms hand it out: every student once, every export as its own reader reads it."""

import contextlib
import unicodedata
from collections import Counter

import platforms
import pytest
from test_classroom import Graders

from grader.__main__ import main
from grader.classroom import executors, grading, results_store, submissions


def judged(job):
    """A row without the time that judging takes: the answer is right where it doubles."""
    read = submissions.read(job.data or b"", job.name)
    points = 1.0 if "2 * x" in "".join(read.cells) else 0.0
    exercise = {
        "id": "0.1", "title": "double", "status": "passed" if points else "failed", "score": points, "max_score": 1.0,
        "mistake": None if points else "unchanged", "also": None, "message": "", "cases_passed": 1, "cases": 1,
        "ledger": None, "budget": None, "flags": [], "remarks": [], "seconds": 0.25,
    }  # fmt: skip
    return grading._row(job, read.lesson, read.problems, [], "limits", 0.0) | {
        "exercises": [exercise], "score": points, "max_score": 1.0, "seconds": 0.5,
    }  # fmt: skip


class Judges(Graders):
    """An executor without processes, that judges as `judged` does and reads lessons as the grader does."""

    def submit(self, function, work):
        self.grade = judged if function is grading.grade else function
        return super().submit(function, work)


@pytest.fixture(params=[(form, kind) for form in platforms.FORMS for kind in ("folder", "zip", "around")], ids="-".join)
def handed_out(request, tmp_path):
    """(form, the path to grade): unpacked, as the zip, and one folder up."""
    form, kind = request.param
    files = platforms.write(form, tmp_path / "all" / "class")
    if kind == "zip":
        platforms.zipped(files, tmp_path / "class.zip")
    return form, {"folder": tmp_path / "all" / "class", "zip": tmp_path / "class.zip", "around": tmp_path / "all"}[kind]


def graded(path, out, monkeypatch, *more):
    judges = Judges()
    monkeypatch.setattr(executors, "local", lambda *_: contextlib.nullcontext(judges.grading_executor()))
    assert 0 == main(["grade", str(path), "--out", str(out), *more])
    return list(results_store.read(out / "results.jsonl").rows())


def test_every_student_is_there_once(handed_out, tmp_path, monkeypatch, capsys):
    """With the last attempt, whatever the name; and nothing that a program added, that helps, or that says a time."""
    form, path = handed_out
    rows = graded(path, tmp_path / "out", monkeypatch)

    wanted = platforms.students()
    attempts = sum(name.endswith(".ipynb") for student in wanted for name, _ in student.files)
    assert attempts == len(rows) and {"00"} == {row["lesson"] for row in rows}
    judged_rows = [row for row in rows if row["instead"] is None]
    assert platforms.SIZE == len(judged_rows) == len({row["student"] for row in rows})
    assert {1.0} == {row["score"] for row in judged_rows}
    assert not [row for row in rows if row["problems"]]
    assert attempts - platforms.SIZE == sum(row["instead"] is not None for row in rows)
    names = Counter(unicodedata.normalize("NFC", student.name) for student in wanted)
    if form.startswith("moodle"):
        assert names == Counter(row["student"].rpartition("_")[0] for row in judged_rows)
    if form == "nbgrader":
        assert all(row["handed_in"].endswith("10:15:00") for row in rows)
    said = capsys.readouterr().out
    assert "Beside notebooks, and not graded: " in said and "helper.py" in said and "timestamp" not in said


def test_every_attempt_is_graded_when_asked(tmp_path, monkeypatch):
    """And a row that is there stays when it is not asked again; an earlier file counts once the later one is gone."""
    platforms.write("moodle_flat", tmp_path / "class")
    out = tmp_path / "out"
    first = graded(tmp_path / "class", out, monkeypatch)
    second = graded(tmp_path / "class", out, monkeypatch, "--every-attempt")
    third = graded(tmp_path / "class", out, monkeypatch)

    assert {None} == {row["instead"] for row in second} == {row["instead"] for row in third}
    assert 30 == sum(row["score"] == 0 for row in second) and len(first) == len(second) == len(third)
    fresh = graded(tmp_path / "class", tmp_path / "fresh", monkeypatch)
    (gone,) = [row["submission"] for row in fresh if row["instead"] is None and "Ada Lovelace_111" in row["submission"]]
    (tmp_path / "class" / gone).unlink()
    left = graded(tmp_path / "class", tmp_path / "fresh", monkeypatch)
    (first,) = [row for row in left if row["student"] == "Ada Lovelace_111" and row["submission"] != gone]
    assert (0.0, None) == (first["score"], first["instead"])


def test_parts_of_a_class_leave_out_the_same_attempts(tmp_path, monkeypatch):
    """Although a part holds only some of a student's files."""
    platforms.write("moodle_folders", tmp_path / "class")
    whole = graded(tmp_path / "class", tmp_path / "whole", monkeypatch, "--secret", __file__)
    parts = [
        row for i in (1, 2, 3)
        for row in graded(tmp_path / "class", tmp_path / str(i), monkeypatch, "--secret", __file__, "--shard", f"{i}/3")
    ]  # fmt: skip

    assert {r["submission"]: r["instead"] for r in whole} == {r["submission"]: r["instead"] for r in parts}


@pytest.mark.parametrize("name, text, replaces", [
    ("homework (2).ipynb", platforms.notebook(2), True),  # no lesson in its name
    ("05_every_row.ipynb", platforms.notebook(2), False),  # named as another lesson: both are graded, the later counts
    ("x (2).ipynb", "", False), ("x (2).ipynb", "no notebook", False), ("x.zip", "no zip", False),
])  # fmt: skip
def test_only_a_file_that_answers_the_same_lesson_replaces_one(name, text, replaces, tmp_path, monkeypatch):
    """A file's lesson is read in it; one that cannot be read is no attempt."""
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "00_check_your_bench.ipynb").write_text(platforms.notebook(2))
    (tmp_path / "ada" / name).write_text(text)

    rows = {row["submission"]: row for row in graded(tmp_path, tmp_path / "out", monkeypatch)}

    first = rows["ada/00_check_your_bench.ipynb"]
    assert 2 == len(rows) and (f"ada/{name}" if replaces else None) == first["instead"]
    assert (not replaces) == first["score"]
    assert (name in ("homework (2).ipynb", "05_every_row.ipynb")) == bool(rows[f"ada/{name}"]["score"])
