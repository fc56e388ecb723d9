"""A class of 60 as platforms hand it out: every student once, every export as its own reader reads it."""

import base64
import contextlib
import csv
import json
import os
import subprocess
import sys
import unicodedata
from collections import Counter
from xml.etree import ElementTree

import jsonschema
import platforms
import pytest
import yaml
from conftest import ROOT
from test_classroom import Graders
from test_export import exercise, notebook, row

from grader import lessons
from grader.__main__ import main
from grader.classroom import executors, grading, plan, results_store, submissions
from grader.export import entries


def judged(job):
    """A row without the time that judging takes: the answer is right where it doubles."""
    read = submissions.read(job.data or b"", job.name, job.asked)
    points = 1.0 if "2 * x" in "".join(read.cells) else 0.0
    exercise = {
        "id": f"{int(read.lesson or 0)}.1", "title": "double",
        "status": "passed" if points else "failed", "score": points, "max_score": 1.0,
        "mistake": None if points else "unchanged", "also": None, "message": "", "cases_passed": 1, "cases": 1,
        "ledger": None, "budget": None, "flags": [], "remarks": [], "seconds": 0.25,
    }  # fmt: skip
    made = grading._row(job, read.lesson, read.problems, [], "limits", 0.0) | {"seconds": 0.5}
    return made | ({"exercises": [exercise], "score": points, "max_score": 1.0} if read.lesson else {})


class Judges(Graders):
    """An executor without processes, that judges as `judged` does and reads lessons as the grader does."""

    def __init__(self):
        super().__init__(judged)


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
    assert main(["grade", str(path), "--out", str(out), *more]) == 0
    return list(results_store.read(out / "results.jsonl").rows())


@pytest.mark.one_in(3)
def test_every_student_is_there_once(handed_out, tmp_path, monkeypatch, capsys):
    """With the right file, whatever the name; and nothing that a program added, that helps, or that says a time.

    Canvas numbers attempts. Where nothing says which file is the last, all are judged, and the best counts.
    """
    form, path = handed_out
    rows = graded(path, tmp_path / "out", monkeypatch)

    wanted = platforms.students()
    attempts = sum(name.endswith(".ipynb") for student in wanted for name, _ in student.files)
    assert attempts == len(rows) and {row["lesson"] for row in rows} == {"00"}
    judged_rows = [entry.row for entry in entries.of(rows) if entry.counts]
    assert platforms.SIZE == len(judged_rows) == len({row["student"] for row in rows})
    assert {row["score"] for row in judged_rows} == {1.0}
    assert not [row for row in rows if row["problems"]]
    replaced, undecided = (sum(bool(row[field]) for row in rows) for field in ("instead", "undecided"))
    assert (attempts - platforms.SIZE) * (form == "canvas") == replaced
    assert 2 * (attempts - platforms.SIZE) * (form != "canvas") == undecided
    planned = plan.stored(tmp_path / "out")
    assert undecided / 2 == len(planned["for_a_person"]) and not planned["doubts"]
    names = Counter(unicodedata.normalize("NFC", student.name) for student in wanted)
    if form.startswith("moodle"):
        assert names == Counter(row["student"].rpartition("_")[0] for row in judged_rows)
    if form == "nbgrader":
        assert all(row["handed_in"].endswith("10:15:00") for row in rows)
    said = capsys.readouterr().out
    assert "Beside notebooks, and not graded: " in said and "helper.py" in said and "timestamp" not in said


@pytest.mark.whole
def test_every_attempt_is_graded_when_asked(tmp_path, monkeypatch):
    """And a row that is there stays when it is not asked again; an earlier file counts once the later one is gone."""
    platforms.write("canvas", tmp_path / "class")
    out = tmp_path / "out"
    first = graded(tmp_path / "class", out, monkeypatch)
    second = graded(tmp_path / "class", out, monkeypatch, "--every-attempt")
    third = graded(tmp_path / "class", out, monkeypatch)

    assert [30, 0, 0] == [sum(not row["exercises"] for row in rows) for rows in (first, second, third)]
    assert [30] * 3 == [sum(row["instead"] is not None for row in rows) for rows in (first, second, third)]
    assert {1.0} == {entry.row["score"] for entry in entries.of(second) if entry.counts}
    (gone,) = [r["submission"] for r in second if r["instead"] is None and "adalovelace_111_" in r["submission"]]
    (tmp_path / "class" / gone).unlink()
    left = graded(tmp_path / "class", out, monkeypatch)
    (first,) = [row for row in left if row["student"] == "adalovelace_111" and row["submission"] != gone]
    assert (first["score"], first["instead"]) == (0.0, None)


@pytest.mark.whole
def test_parts_of_a_class_leave_out_the_same_attempts(tmp_path, monkeypatch):
    """Although a part holds only some of a student's files."""
    platforms.write("canvas", tmp_path / "class")
    whole = graded(tmp_path / "class", tmp_path / "whole", monkeypatch, "--secret", __file__)
    parts = [
        row for i in (1, 2, 3)
        for row in graded(tmp_path / "class", tmp_path / str(i), monkeypatch, "--secret", __file__, "--shard", f"{i}/3")
    ]  # fmt: skip

    assert {r["submission"]: r["instead"] for r in whole} == {r["submission"]: r["instead"] for r in parts}


@pytest.mark.parametrize("name, text, same", [
    ("homework (2).ipynb", platforms.notebook(2), True),  # no lesson in its name
    ("05_every_row.ipynb", platforms.notebook(2), True),  # named as another lesson
    ("05_every_row.ipynb", platforms.notebook(2).replace("double", "fused_softmax"), False),
    ("x (2).ipynb", "", False), ("x (2).ipynb", "no notebook", False), ("x.zip", "no zip", False),
], ids=["no lesson", "another lesson", "another answer", "empty", "no notebook", "no zip"])  # fmt: skip
def test_files_are_compared_where_they_answer_the_same_lesson(name, text, same, tmp_path, monkeypatch):
    """A file's lesson is read in it; one that cannot be read is no attempt. Of two equal ones, the first one counts."""
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "00_check_your_bench.ipynb").write_text(platforms.notebook(2))
    (tmp_path / "ada" / name).write_text(text)

    rows = {row["submission"]: row for row in graded(tmp_path, tmp_path / "out", monkeypatch)}

    assert len(rows) == 2 and rows["ada/00_check_your_bench.ipynb"]["score"] == 1
    assert ("ada/00_check_your_bench.ipynb" if same else None) == rows[f"ada/{name}"]["instead"]


@pytest.mark.parametrize("name", [
    "lovelaceada_101_9001_report.pdf", "Ada Lovelace_101_assignsubmission_file_report.pdf", "ada/ps1/report.pdf",
    "Ada Lovelace_101_assignsubmission_onlinetext_onlinetext.html",
])  # fmt: skip
def test_a_student_without_a_notebook_has_a_row_that_says_so(name, tmp_path, monkeypatch):
    """Among others, who have notebooks; a file that no platform named is nobody's."""
    for each in (name, "readme.txt", "turingalan_102_9002_00.ipynb", "bob/ps1/timestamp.txt"):
        (tmp_path / "class" / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "class" / each).write_text(platforms.notebook(2))

    rows = {row["submission"]: row for row in graded(tmp_path / "class", tmp_path / "out", monkeypatch)}

    assert {name, "turingalan_102_9002_00.ipynb", "bob/ps1/timestamp.txt"} == set(rows)
    assert rows[name]["student"] != "turingalan_102"


# ---- exports, as their own readers read them

# https://gradescope-autograders.readthedocs.io/en/latest/specs/
SHOWN = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
TEXT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
GRADESCOPE = {
    "type": "object", "additionalProperties": False,
    "properties": {
        "score": {"type": "number"}, "execution_time": {"type": "number"}, "output": {"type": "string"},
        "output_format": TEXT, "test_output_format": TEXT, "test_name_format": TEXT,
        "visibility": SHOWN, "stdout_visibility": SHOWN, "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": {
            "type": "object", "additionalProperties": False,
            "properties": {
                "score": {"type": "number"}, "max_score": {"type": "number"}, "status": {"enum": ["passed", "failed"]},
                "name": {"type": "string"}, "name_format": TEXT, "number": {"type": "string"},
                "output": {"type": "string"}, "output_format": TEXT, "visibility": SHOWN,
                "tags": {"type": "array", "items": {"type": "string"}}, "extra_data": {"type": "object"},
            },
        }},
        "leaderboard": {"type": "array"},
    },
}  # fmt: skip


@pytest.fixture(params=platforms.FORMS)
def results(request, tmp_path, monkeypatch):
    """(form, a folder of results of the class)."""
    platforms.write(request.param, tmp_path / "class")
    graded(tmp_path / "class", tmp_path / "out", monkeypatch)
    return request.param, tmp_path / "out"


@pytest.mark.one_in(2)
def test_every_export_is_read_by_its_reader(results, tmp_path, capsys):
    """Each of the 60 once, with the points of the last attempt."""
    form, out = results
    book = tmp_path / "book.csv"
    with open(book, "w", encoding="utf-8-sig", newline="") as f:
        table = csv.writer(f)
        table.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lesson 00 (501)", "Other (502)"])
        table.writerow(["    Points Possible", "", "", "", "", "1", "10"])
        for each in platforms.students():
            login = each.login + ("2" if each.name == "Ada Lovelace" and each.number % 2 else "")
            table.writerow([each.name, each.number, f"S{each.number}", login, "A", "", "5"])
    of_canvas = form in ("canvas", "nbgrader")  # Moodle's numbers are in no gradebook of Canvas
    for name in ("csv", "junit", "gradescope", "html", "canvas"):
        status = main(["export", str(out), "--format", name, "--gradebook", str(book)])
        assert status == (0 if of_canvas or name != "canvas" else 2)
    said = capsys.readouterr().out

    lines = list(csv.DictReader((out / "results.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert (out / "results.csv").read_bytes().startswith(b"\xef\xbb\xbfstudent,lesson,submission,handed_in_utc,")
    assert ["1.0"] * platforms.SIZE == [line["0.1"] for line in lines if line["counts"] == "yes"]
    assert (form == "nbgrader") == all(line["handed_in_utc"] for line in lines) == any(
        line["handed_in_utc"] for line in lines
    )  # fmt: skip

    suites = ElementTree.parse(out / "results.xml").getroot()
    cases = [case for case in suites.iter("testcase") if not len(case)]
    assert platforms.SIZE == len(cases) and {case.get("time") for case in cases} == {"0.250"}
    assert float(suites.get("time")) == pytest.approx(sum(float(suite.get("time")) for suite in suites))

    made = list((out / "results").glob("*.json"))
    assert platforms.SIZE == len(made)
    for path in made:
        result = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.validate(result, GRADESCOPE)
        assert 1 == result["score"] == len(result["tests"])

    assert platforms.SIZE == len(list((out / "html" / "students").iterdir()))
    assert (out / "canvas.csv").exists() == of_canvas
    if of_canvas:
        with open(out / "canvas.csv", encoding="utf-8-sig", newline="") as f:
            filled = list(csv.DictReader(f))[1:]
        assert {"1": platforms.SIZE} == Counter(line["Lesson 00 (501)"] for line in filled), said
        assert {line["Other (502)"] for line in filled} == {"5"}


def test_totals_can_be_compared(tmp_path, capsys):
    """A lesson that is missing counts as 0 points out of its own; median and quartiles are of all students."""
    rows = []
    for i, name in enumerate("abcde"):
        rows.append(row(f"{name}/04.ipynb", name, "04", exercise("4.1", score=float(i) / 2)))
        if i % 2:
            rows.append(row(f"{name}/05.ipynb", name, "05", exercise("5.1")))
    rows += [row("f/x.pdf", "f", None, problems=["the file cannot be read: is no notebook"])]
    rows += [row("a/06.ipynb", "a", "06", exercise("6.1", "not_attempted", 0.0))]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))

    assert main(["export", str(tmp_path), "--format", "html"]) == 0

    index = (tmp_path / "html" / "index.html").read_text()
    # a: 0, b: 0.5 + 2, c: 1, d: 1.5 + 2, e: 2; f handed in something, and nobody knows how many points it has
    assert "6 students, median 2 of 6 points; half of them between 1 and 2.5, all between 0 and 3.5." in index
    assert (index.count(">missing<"), index.count(">not readable<")) == (7, 3)
    again, time, other = (index.split(f'<h2 id="{name}">')[1].split("<h2")[0] for name in ("again", "time", "notes"))
    assert "f/x.pdf" in again and "a/06.ipynb" in again and index.index('id="again"') < index.index('id="scores"')
    assert 'id="person"' not in index
    assert "nothing in it was attempted" in other and "a/06.ipynb" in other and "every file counts" in time
    (page,) = (tmp_path / "html" / "students").glob("a-*.html")
    assert "0 of 6 points" in page.read_text() and "Not handed in: lesson 05 (every row)." in page.read_text()


@pytest.mark.whole
def test_github_classroom_gets_the_points(tmp_path):
    """The steps of docs/classroom.yml, run as they stand, and their outcome, read as Classroom's reporter reads it."""
    job = yaml.safe_load((ROOT / "docs" / "classroom.yml").read_text())["jobs"]["run-autograding-tests"]
    (step,) = [step for step in job["steps"] if step.get("id") == "course"]
    (report,) = [step for step in job["steps"] if "runners" in step.get("with", {})]
    assert [f"{step['id'].upper()}_RESULTS"] == list(report["env"]) and step["id"] == report["with"]["runners"]
    (tmp_path / "work" / ".github" / "workflows").mkdir(parents=True)
    for name, text in {
        "00_check_your_bench.ipynb": platforms.notebook(2), "README.md": "x", ".github/workflows/classroom.yml": "x",
        "1.ipynb": notebook('overflow_at = {"float32": 89, "float16": 12}'),
    }.items():  # fmt: skip
        (tmp_path / "work" / name).write_text(text)
    script = step["run"].replace("../", f"{tmp_path}/")
    environment = os.environ | {"GITHUB_OUTPUT": str(tmp_path / "output"), "FIVE_PASSES_PROGRESS": "off"}
    environment["PATH"] = f"{os.path.dirname(sys.executable)}:{environment['PATH']}"

    done = subprocess.run(["bash", "-e", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    name, _, coded = (tmp_path / "output").read_text().partition("=")
    result = json.loads(base64.b64decode(coded))
    assert (name, result["status"]) == ("result", "fail")
    of_lesson_01 = sum(exercise.points for exercise in lessons.of_lesson("01"))
    points = {test["name"]: test["score"] for test in result["tests"]}
    assert 1 + of_lesson_01 == result["max_score"] and points["0.1 double"] == 1 and sum(points.values()) == 2
    assert all(set(test) == {"name", "status", "score", "message"} for test in result["tests"])
    assert "2 of" in done.stdout


def test_github_gets_a_file_for_each_student(tmp_path, capsys):
    """The reporter reads one student's points; those of a class are no sum."""
    rows = [
        row(f"{name}/04.ipynb", name, "04", exercise("4.1", score=score)) for name, score in (("a", 1.0), ("b", 2.0))
    ]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))

    assert main(["export", str(tmp_path), "--format", "github"]) == 0

    made = sorted((tmp_path / "github").glob("*.json"))
    scores = [sum(test["score"] for test in json.loads(path.read_text())["tests"]) for path in made]
    assert scores == [1.0, 2.0] and "one file for each of 2 students" in capsys.readouterr().out


@pytest.mark.whole
def test_a_closed_output_ends_quietly():
    """As behind `| head`."""
    command = f"{sys.executable} -m grader list --mistakes | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.count("\n") == 1


def counting(folder, *more):
    """{the file that counts: its points} of an export."""
    assert main(["export", str(folder), "--format", "csv", *more]) == 0
    table = csv.DictReader((folder / "results.csv").read_text(encoding="utf-8-sig").splitlines())
    return {line["submission"]: line["score"] for line in table if line["counts"] == "yes"}


def test_a_file_that_was_replaced_counts_no_more(tmp_path, monkeypatch, capsys):
    """Whatever its name: a student renamed it, or handed in another one. What nothing replaced stays."""
    folder, out = tmp_path / "class", tmp_path / "out"
    write = {"ada/z.ipynb": 1, "bob/z.zip.ipynb": 2, "cyd/x (1).ipynb": 1, "dan/z.ipynb": 2, "eve/00.ipynb": 2}
    for name, factor in write.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(platforms.notebook(factor))
    graded(folder, out, monkeypatch)
    for name, new, factor in (("ada/z", "ada/a", 2), ("bob/z.zip", "bob/a", 1), ("cyd/x (1)", "cyd/x", 2)):
        (folder / f"{name}.ipynb").unlink()
        (folder / f"{new}.ipynb").write_text(platforms.notebook(factor))
    (folder / "dan" / "z.ipynb").unlink()
    graded(folder, out, monkeypatch, "--yes")
    points = {"ada/a.ipynb": "1.0", "bob/a.ipynb": "0.0", "cyd/x.ipynb": "1.0", "dan/z.ipynb": "1.0"}
    assert counting(out) == points | {"eve/00.ipynb": "1.0"}
    told = (out / "results.csv").read_text(encoding="utf-8")
    assert "not counted: ada/a.ipynb counts, and the last run no longer found this file" in told
    (tmp_path / "a.toml").write_text('lessons = ["00"]\nattempt = "best"\n')
    assert counting(out, "--assignment", str(tmp_path / "a.toml"))["bob/z.zip.ipynb"] == "1.0"
    (out / "handed_in.json").unlink()  # then nothing says which is later
    assert counting(out)["bob/z.zip.ipynb"] == counting(out)["ada/a.ipynb"] == "1.0"


def test_in_a_joined_folder_the_files_of_all_parts_are_there(tmp_path, monkeypatch, capsys):
    """A student's files may be graded on two machines; where nothing says which is later, the better one counts."""
    for part, name in enumerate(("ada/z.ipynb", "ada/a.ipynb"), 1):
        (tmp_path / f"c{part}" / "ada").mkdir(parents=True)
        (tmp_path / f"c{part}" / name).write_text(platforms.notebook(part))
        graded(tmp_path / f"c{part}", tmp_path / f"p{part}", monkeypatch, "--secret", __file__)
    for order in ((1, 2), (2, 1)):
        out = tmp_path / "-".join(map(str, order))
        assert main(["merge", *(str(tmp_path / f"p{part}") for part in order), "--out", str(out)]) == 0
        assert counting(out) == {"ada/a.ipynb": "1.0"}
        assert "ada/a.ipynb has more points, and nothing says which is later" in (out / "results.csv").read_text()


def cells(*texts):
    notebook = platforms.nbformat.v4.new_notebook(cells=[platforms.nbformat.v4.new_code_cell(text) for text in texts])
    return platforms.nbformat.writes(notebook)


DOUBLE, ROWS = "def double(x): return 2 * x", "def softmax_kernel(x): pass\n\ndef fused_softmax(x): pass"


@pytest.mark.parametrize("texts, asked, lesson, why", [
    ((DOUBLE, ROWS), None, "00", "it holds answers to other lessons, too: 05. One lesson of a notebook is graded"),
    ((DOUBLE, ROWS), "00,05", "00", "it holds answers to other lessons, too: 05. One lesson of a notebook is graded"),
    ((DOUBLE, ROWS), "05", "05", "it answers lesson 00, too: graded as 05, for which the assignment asks"),
    ((ROWS, DOUBLE, 'check("0.1")'), "05", "05", "it answers lesson 00, too: graded as 05"),
    ((DOUBLE, ROWS), "00", "00", "it holds answers to other lessons, too: 05"),
    ((DOUBLE, ROWS, 'check("0.1")'), "00", "00", None),  # what is not checked may be a helper
    ((DOUBLE,), "05", "00", None),
    ((DOUBLE, "def softmax_kernel(x): pass"), "05", "00", None),
], ids=str)  # fmt: skip
def test_a_notebook_of_two_lessons_is_graded_as_the_one_that_is_asked_for(
    texts, asked, lesson, why, tmp_path, monkeypatch, capsys
):
    """And it is said; a function from another lesson is no answer to it."""
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "hw.ipynb").write_text(cells(*texts))
    given = asked and tuple(asked.split(","))
    more = ["--lessons", asked] if asked else []
    (row,) = graded(tmp_path / "class", tmp_path / "out", monkeypatch, *more, "--yes")
    found = submissions.read(cells(*texts).encode(), "hw.ipynb", given)
    assert lesson == row["lesson"] == found.lesson
    assert any(why in sentence for sentence in found.problems) if why else not found.problems
    assert why is None or why in " ".join(capsys.readouterr().out.split())


def test_another_assignment_grades_the_other_lesson_of_a_notebook(tmp_path, monkeypatch, capsys):
    """Into the same folder; the row of the first one stays."""
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "hw.ipynb").write_text(cells(DOUBLE, ROWS))
    for asked, lessons_there in (("00", ["00"]), ("05", ["00", "05"]), ("00", ["00", "05"])):
        rows = graded(tmp_path / "class", tmp_path / "out", monkeypatch, "--lessons", asked)
        assert sorted(row["lesson"] for row in rows) == lessons_there


@pytest.mark.parametrize("name", [p.name for p in sorted((ROOT / "notebooks").glob("*.ipynb"))])
def test_what_the_course_hands_out_is_of_its_own_lesson_whatever_is_asked(name):
    """Its notebooks show functions from earlier lessons."""
    data = (ROOT / "notebooks" / name).read_bytes()
    mine = submissions.read(data, "hw.ipynb").lesson
    assert all(submissions.read(data, "hw.ipynb", (each,)).lesson == mine for each in lessons.OUTLINE)
