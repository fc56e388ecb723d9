"""python -m grader export: read with the tools that others will read it with."""

import base64
import csv
import dataclasses
import hashlib
import html.parser
import io
import json
import os
import random
import re
import shutil
import string
import subprocess
import sys
import unicodedata
import zipfile
from xml.etree import ElementTree

import nbformat
import pytest
from conftest import ROOT

from grader.__main__ import main
from grader.classroom import file_names, results_store
from grader.export import autograder, entries, gradebook
from grader.export import csv as csv_export
from grader.mistakes.registry import MISTAKES

SCRIPT = ROOT / "grader" / "export" / "templates" / "table.js"
EVIL = "<script>alert(1)</script> ]]> \x1b[31m\x00\u202e\ud800 {{ 7 * 7 }} <img src=x onerror=alert(1)>"


def exercise(number, status="passed", score=2.0, **more):
    blank = {
        "id": number, "title": "a_name", "status": status, "score": score, "max_score": 2.0, "mistake": None,
        "also": None, "message": "", "cases_passed": 3, "cases": 5, "ledger": None, "budget": None, "flags": [],
        "remarks": [], "seconds": 0.5,
    }  # fmt: skip
    return blank | more


def row(submission, student, lesson, *exercises, problems=()):
    return {
        "submission": submission, "student": student, "lesson": lesson, "sha256": "0", "grader": "1.0.0", "seed": "5",
        "score": sum(e["score"] for e in exercises), "max_score": 2.0 * len(exercises), "isolation": "limits",
        "seconds": 1.5, "problems": list(problems), "exercises": list(exercises), "handed_in": None, "instead": None,
    }  # fmt: skip


ADA = row("lovelaceada_101_9001_04_one_row.ipynb", "lovelaceada_101", "04", exercise("4.1"), exercise("4.2"))
WRONG = exercise(
    "4.1", "failed", 0.0, mistake="pad-zero", message="ragged: the row sums to 0.7421",
    ledger={"read": 2.0, "written": 1.0}, budget=[1.0, 1.0], remarks=["a remark"],
)  # fmt: skip
FIRST = row("turingalan_102_9002_04_one_row.ipynb", "turingalan_102", "04", WRONG, exercise("4.2"))
SECOND = row(
    "turingalan_late_102_9003_04_one_row-1.ipynb", "turingalan_102", "04",
    WRONG, exercise("4.2", "not_attempted", 0.0, message="not yet"),
)  # fmt: skip
EVE = row(
    f"{EVIL}/x.ipynb", EVIL, "01",
    exercise("1.1", "error", 0.0, message=EVIL, flags=[EVIL], remarks=[EVIL]),
    exercise("1.2", "timeout", 0.0, mistake="endless"), exercise("1.3", "failed", 0.5, mistake="no-such-mistake"),
    problems=[EVIL],
)  # fmt: skip
BROKEN = row("=cmd|x/=1+1.ipynb", "=cmd|x", None, problems=["the file is empty"])
ALL = [SECOND, ADA, EVE, BROKEN, FIRST]


@pytest.fixture
def results(tmp_path):
    store(tmp_path, ALL)
    return tmp_path


def store(folder, rows):
    (folder / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))


def export(folder, form, *more):
    assert main(["export", str(folder), "--format", form, *map(str, more)]) == 0


def test_of_several_files_the_last_one_counts_and_it_is_said(results):
    """By Canvas' suffix, whatever the order of the rows; a file of no lesson counts nowhere."""
    found = {e.row["submission"]: e for e in entries.of(results_store.read(results / "results.jsonl").rows())}

    counts = [name for name, entry in found.items() if entry.counts]
    assert len(counts) == 3 and {ADA["submission"], SECOND["submission"]} <= set(counts)
    first = entries.remarks(found[FIRST["submission"]])
    assert [f"not counted: {SECOND['submission']} is a later file for the same lesson"] == first
    assert entries.remarks(found[SECOND["submission"]]) == ["handed in late, as its name says"]


def test_an_export_parses_each_row_once(results, monkeypatch):
    """The last row about a file counts, as for whoever reads the lines."""
    asked = []
    kind = results_store._KIND
    counting = dataclasses.replace(kind, parse=lambda line: asked.append(line) or kind.parse(line))
    monkeypatch.setattr(results_store, "_KIND", counting)
    store(results, [*ALL, ADA | {"seconds": 7.0}, {}])
    read = results_store.rows_of(results / "results.jsonl")
    assert len(asked) == len(ALL) + 2 and len(read.rows) == len(ALL) and [each.number for each in read.damaged] == [7]
    assert read.rows == [*results_store.read(results / "results.jsonl").rows()] and read.rows[-1]["seconds"] == 7.0

    asked.clear()
    store(results, ALL)
    export(results, "csv")
    assert len(asked) == len(ALL)


def test_likely_same_students_are_named_and_not_merged(tmp_path):
    """Without a roster, one student of two platforms counts as two, and the class is told so."""
    names = ("lovelaceada_101_9001_04.ipynb", "Ada Lovelace_201_assignsubmission_file_/05.ipynb", "bob/04.ipynb")
    rows = [
        row(name, file_names.read(name).student, lesson, exercise(f"{int(lesson)}.1"))
        for name, lesson in zip(names, ("04", "05", "04"))
    ]
    store(tmp_path, rows)
    found = entries.of(results_store.rows_of(tmp_path / "results.jsonl").rows)
    told = [str(sentence) for sentence in entries.about_the_class(found)]
    says = "perhaps one student, who counts as several, as no roster says: Ada Lovelace_201, lovelaceada_101"
    assert says in told and len(entries.by_student(found)) == 3


def test_csv_keeps_text_text_and_numbers_numbers(results):
    """No cell computes, no cell moves the cursor, and half a point is the number 0.5."""
    export(results, "csv", "--to", results / "sub" / "x.csv")

    with open(results / "sub" / "x.csv", encoding="utf-8-sig", newline="") as f:
        lines = list(csv.DictReader(f))
    assert len(ALL) == len(lines) and {len(lines[0])} == {len(line) for line in lines}
    broken = next(line for line in lines if not line["lesson"])
    assert (broken["student"], broken["submission"], broken["counts"]) == ("'=cmd|x", "'=cmd|x/=1+1.ipynb", "no")
    eve = next(line for line in lines if line["lesson"] == "01")
    assert (float(eve["score"]), float(eve["1.3"]), float(eve["1.1"])) == (0.5, 0.5, 0.0) and eve["4.1"] == ""
    assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\u202e]", (results / "sub" / "x.csv").read_text())


def cells_of(text):
    """Every cell that a spreadsheet finds: with each separator, with quotes or without, and split by hand."""
    for separator in ",;\t|":
        lines = text.splitlines(keepends=True)
        for options in ({}, {"skipinitialspace": True}, {"quoting": csv.QUOTE_NONE}, {"doublequote": False}):
            for cells in csv.reader(lines, delimiter=separator, **options):
                yield from cells
        for cells in lines:
            yield from cells.split(separator)


def computes(cell):
    """Whether a spreadsheet computes a cell, which may drop what stands before the formula."""
    found = cell.lstrip(string.whitespace + '"\0\x85\u2028\u2029\ufeff')
    try:
        return not isinstance(float(found.rstrip('"\r\n')), float)
    except ValueError:
        return unicodedata.normalize("NFKC", found)[:1] in ("=", "+", "-", "@")


def written(*values):
    out = io.StringIO()
    csv.writer(out).writerow([*map(csv_export.text, values), -1.5])
    return out.getvalue()


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t=", "\r=", "  =", "\uff1d", "\uff20", "\n+", '"=', '""='])
@pytest.mark.parametrize("before", ["", *'a; a;" a," a|  a\t a\n a\r\n a\u2028 ;; " a";" a\uff1b'.split(" ")])
def test_no_name_begins_a_formula(tmp_path, before, begin):
    """However it is disguised, in a spreadsheet with any separator."""
    name = f"{before}{begin}cmd|' /C calc'!A0"
    assert not [cell for cell in cells_of(written("x", name, "y") + written(name)) if computes(cell)]
    store(tmp_path, [row(f"{name}/x.ipynb", name, "04", exercise("4.1", mistake=name), problems=[name])])
    export(tmp_path, "csv")

    text = (tmp_path / "results.csv").read_bytes().decode("utf-8-sig")

    assert not [cell for cell in cells_of(text) if computes(cell)]
    assert before or next(csv.DictReader(io.StringIO(text)))["student"].startswith("'")


def test_no_random_name_begins_a_formula():
    """From the characters that separate, quote, begin and disguise."""
    chance, odd = random.Random(5), ",;|\t\n\r \"'=+-@a1\0\v\x85\u2028\ufeff\uff1d"
    for _ in range(3000):
        values = ["".join(chance.choices(odd, k=chance.randint(1, 9))) for _ in "ab"]
        found = [cell for cell in cells_of(written(*values)) if computes(cell)]
        assert found == [], values


@pytest.mark.parametrize("name", [
    "Ada", "Müller; Anna", "O'Neill", "ada@uni.edu", "a-b+c=d", "Lovelace, Ada", "x; y | z", "-".join("ab"), "", "5",
    "'quoted'", "4.1: expected 2, got -1", "李; 小龙",
])  # fmt: skip
def test_an_ordinary_name_stays_as_it_is(name):
    """But for a number below 0 behind a separator, which no text can tell from a formula."""
    assert name == csv_export.text(name)


def test_a_formula_is_found_where_it_is():
    """The reader of the tests does compute what is not defused."""
    assert [True] * 4 == [computes(cell) for cell in ("=1", " +a", '"@x', "\uff1d1")]
    assert [False] * 5 == [computes(cell) for cell in ("-1.5", "'=1", "a=1", "", "O'Neill")]


def test_junit_has_a_suite_a_file_and_says_what_kind_of_failure_it_was(results):
    """And stays XML, whatever a message holds."""
    export(results, "junit")

    suites = ElementTree.parse(results / "results.xml").getroot()
    assert len(ALL) == len(suites) and len(list(suites.iter("testcase"))) == int(suites.get("tests"))
    kinds = {s.get("name"): [c[0].tag if len(c) else "passed" for c in s.iter("testcase")] for s in suites}
    assert kinds[ADA["submission"]] == ["passed", "passed"]
    assert kinds[SECOND["submission"]] == ["failure", "skipped"]
    assert kinds[BROKEN["submission"]] == ["error"]
    assert ["error", "error", "failure"] in kinds.values()
    for suite in suites:
        cases = list(suite.iter("testcase"))
        found = [child.tag for case in cases for child in case]
        said = [int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")]
        assert [len(cases), *map(found.count, ("failure", "error", "skipped"))] == said
    text = "".join(suites.itertext())
    assert MISTAKES["pad-zero"].question in text and "<script>alert(1)</script> ]]>" in text
    assert {p.get("value") for p in suites.iter("property") if p.get("name") == "isolation"} == {"limits"}


def test_gradescope_gets_a_test_an_exercise(tmp_path):
    """One student's files are one result; what does not count adds no test."""
    store(tmp_path, [FIRST, SECOND])
    export(tmp_path, "gradescope", "--to", tmp_path / "there" / "results.json")

    got = json.loads((tmp_path / "there" / "results.json").read_text())
    assert tuple(got[name] for name in ("score", "execution_time", "output_format", "visibility")) == (
        0.0,
        3.0,
        "text",
        "visible",
    )
    assert "later file" in got["output"] and "isolation: limits" in got["output"]
    assert [(t["number"], t["score"], t["max_score"], t["status"]) for t in got["tests"]] == [
        ("4.1", 0.0, 2.0, "failed"),
        ("4.2", 0.0, 2.0, "failed"),
    ]
    first = got["tests"][0]["output"].splitlines()
    assert ["failed: 3 of 5 cases, 0/2 points", WRONG["message"], MISTAKES["pad-zero"].sentence] == first[:3]
    assert "traffic: read 2 MN of 1, wrote 1 MN of 1" in first and "a remark" in first


def test_gradescope_gets_one_file_a_student(results):
    """As it asks for them."""
    export(results, "gradescope")

    files = list((results / "results").glob("*.json"))
    assert len(files) == 4
    assert sorted([4.0, 0.0, 0.5, 0]) == sorted(json.loads(f.read_text())["score"] for f in files)


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text, self.links = set(), set(), "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name == "href"]

    def handle_data(self, data):
        self.text += data


def test_the_report_is_text_and_loads_nothing(results):
    """No element but the template's, whatever names and messages hold; the policy lets its style and script through."""
    export(results, "html")

    pages = {p: p.read_text(encoding="utf-8") for p in (results / "html").rglob("*.html")}
    kinds = [path.parent.name for path in pages]
    assert [1, 4, 2, 5] == [kinds.count(kind) for kind in ("html", "students", "lessons", "exercises")]
    for path, text in pages.items():
        page = Page(text)
        assert not page.tags & {"img", "iframe", "object", "link", "form"}
        assert not {name for name in page.attributes if name.startswith("on")} | page.attributes & {"src", "style"}
        for file, _, place in (link.partition("#") for link in page.links):
            assert not place or f'id="{place}"' in pages[(path.parent / file).resolve() if file else path]
            assert not file or (path.parent / file).resolve() in pages
        style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
        script = SCRIPT.read_text(encoding="utf-8")
        assert [script] * ('id="table"' in text) == re.findall(r"<script.*?>(.*?)</script>", text, re.DOTALL)
        digests = (base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in (style, script))
        assert "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base".format(*digests) in text
        assert "isolation: limits" in page.text and "width=device-width" in text
        assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e]", text)
    eve = next(Page(text) for text in pages.values() if "1.2 a_name" in text and "<h1><bdi translate" in text)
    assert "<script>alert(1)</script>" in eve.text and "{{ 7 * 7 }}" in eve.text


def test_the_report_says_what_to_explain_again(results):
    """Which mistake, how often, the question; and for a student the ledger beside its budget."""
    export(results, "html")

    index = Page((results / "html" / "index.html").read_text(encoding="utf-8"))
    assert MISTAKES["pad-zero"].sentence in index.text and MISTAKES["pad-zero"].question in index.text
    assert "1 of 2 students, in 4.1 a_name" in " ".join(index.text.split())
    assert "no-such-mistake" in index.text and "the file is empty" in index.text
    for link in (link for link in index.links if link.startswith("students/")):
        assert (results / "html" / link).is_file()
    alan = next(t for p in (results / "html").rglob("turing*") if (t := Page(p.read_text(encoding="utf-8")).text))
    for words in (WRONG["message"], "read 2 MN of 1", "a remark", "a later file for the same lesson", "✗"):
        assert words in alan


def test_no_two_students_share_a_page(tmp_path):
    """Names that differ in what a file name cannot hold."""
    names = ["a/b", "a b", "A B", "../a", "a\x00b", "a\x01b", "CON", "x" * 4096, "x" * 4097, "\ud800", "é", "è"]
    store(tmp_path, [row(f"{name}/x.ipynb", name, "04", exercise("4.1")) for name in names])
    export(tmp_path, "html")

    pages = [p.name for p in (tmp_path / "html" / "students").iterdir()]
    assert len(names) == len(set(pages))
    assert all(re.fullmatch(r"[a-z0-9-]{1,60}\.html", name) for name in pages)


# ---- Canvas

GRADEBOOK = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Lesson 04 (501),HW 1: five passes (502),Quiz 4 (503),"
    "Current Score\r\n"
    '"    Points Possible",,,,,4.0,6.0,10.0,"(read only)"\r\n'
    '"Lovelace, Ada",101,S1,ada@uni.edu,"A ""one"", B",,5,9.0,91.5\r\n'
    '"Turing, Alan",102,S2,alan,A,3.0,EX,"8,5",\r\n'
    '"Hopper, Grace",103,S3,grace,A\r\n'
    '"Knuth, Don",104,S4,don,A,,1,,\r\n'
    '"Student, Test",999,,f00,A,,,,\r\n'
)


def fill(folder, capsys, text=GRADEBOOK, *more):
    (folder / "book.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    code = main(["export", str(folder), "--format", "canvas", "--gradebook", str(folder / "book.csv"), *more])
    said = capsys.readouterr()
    return (
        code,
        (folder / "canvas.csv").read_bytes().decode(errors="surrogateescape") if code == 0 else "",
        said.out + said.err,
    )


def test_canvas_changes_the_scores_and_no_other_byte(tmp_path, capsys):
    """A mark at the beginning, CRLF, quotes, points, test student, read-only column, a short row."""
    grace = row("grace/04.ipynb", "grace", "04", exercise("4.1", "failed", 0.5), exercise("4.2"))
    store(tmp_path, [*ALL, grace, row("alan/01.ipynb", "alan", "01", exercise("1.1"))])

    code, got, said = fill(tmp_path, capsys)

    wanted = GRADEBOOK.replace('B",,5', 'B",4,5').replace("A,3.0,EX", "A,0,EX").replace("grace,A\r", "grace,A,2.5\r")
    assert (0, wanted) == (code, got)
    assert "lesson 04: 3 scores in Lesson 04 (501), 1 of them in place of another score" in said
    assert "lesson 01: 0 scores in HW 1: five passes (502); 1 student left alone, as excused" in said
    assert "no submission: Knuth, Don, lesson 01, 04" in said and "Student, Test" not in said
    assert "not in the gradebook: =cmd|x" in said and "not in the gradebook: <script>" in said
    assert "\x1b" not in said and "\u202e" not in said


@pytest.mark.parametrize("separator", [",", ";"])
def test_canvas_gets_numbers_and_no_name(tmp_path, capsys, separator):
    """The instructor's own file stays as it is, formulas included; no text of a student enters it."""
    name = "a;=1+1"
    text = f'Student,ID,SIS Login ID,Lesson 04 (1)\n"=1+1{separator} Ada",101,"{name}",\n'.replace(",", separator)
    store(tmp_path, [row(f"{name}/x.ipynb", name, "04", exercise("4.1", "failed", 0.5), problems=[name])])

    assert (0, text.replace(f'"{name}"{separator}', f'"{name}"{separator}0.5')) == fill(tmp_path, capsys, text)[:2]


@pytest.mark.parametrize(
    "student", ["ada", "ADA@uni.edu", "S1", "101", "Lovelace, Ada", "Ada Lovelace", "lovelaceada_101"]
)
def test_students_are_matched_by_what_a_gradebook_knows(student):
    """Login, SIS id, Canvas' id, the name in either order, and Canvas' flat names."""
    book = gradebook.Gradebook(GRADEBOOK.encode())
    canvas = tuple(student.split("_")) if "_" in student else None

    (found,) = gradebook.students_for(book.students, student, canvas)

    assert found.id == "101"


def test_who_is_not_certain_is_not_matched(tmp_path, capsys):
    """Two of one name, or one's id that is the other's login."""
    text = 'Student,ID,SIS User ID,SIS Login ID,Section,Lesson 04 (501)\n"Lee, Kim",1,S1,kim,A,\n"Lee, Kim",2,S2,1,A,\n'
    store(tmp_path, [row(f"{n}/04.ipynb", n, "04", exercise("4.1")) for n in ("Kim Lee", "1", "nobody")])

    code, got, said = fill(tmp_path, capsys, text)

    assert (0, text) == (code, got)
    assert "Kim Lee, may be Lee, Kim (1) or Lee, Kim (2)" in said and "gradebook: 1, may be" in said
    assert "not in the gradebook: nobody: nobody/04.ipynb" in said


@pytest.mark.parametrize("rostered", [False, True])
def test_a_namesake_of_another_section_gets_nobodys_score(tmp_path, capsys, rostered):
    """Canvas' id is known, and the gradebook is that of one section: a row of the same name has another id."""
    text = 'Student,ID,SIS Login ID,Lesson 04 (501)\n"Lovelace, Ada",205,ada2,\n"Hopper, Grace",206,grace,\n'
    names = ("lovelaceada_101_9001_04_one_row.ipynb", "hoppergrace_206_9002_04_one_row.ipynb")
    store(tmp_path, [row(name, name.split("_")[0], "04", exercise("4.1")) for name in names])
    if rostered:
        everybody = 'Student,ID,SIS Login ID\n"Lovelace, Ada",101,ada\n"Hopper, Grace",206,grace\n'
        (tmp_path / "all.csv").write_text(everybody)
        (tmp_path / "assignment.toml").write_text('lessons = ["04"]\nroster = ["all.csv"]\n')

    asked = ["--assignment", str(tmp_path / "assignment.toml")] if rostered else []
    code, got, said = fill(tmp_path, capsys, text, *asked)

    assert code == 0 and '"Lovelace, Ada",205,ada2,\n' in got and '"Hopper, Grace",206,grace,2\n' in got
    assert "not in the gradebook" in said and names[0] in said


COLUMNS = {
    "Lesson 4 (1)": True,
    "04 softmax (1)": True,
    "Homework 04 (1)": True,
    "One Row (1)": True,
    "one_row": True,
    "HW 4 (1)": True,  # has the lesson's points
    "Quiz 4 (1)": False,  # has not
    "Lesson 14 (1)": False,
    "Lesson 05, after 04 (1)": False,
    "Week 2004 (1)": False,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_found_by_number_or_slug(tmp_path, capsys, name):
    """Never one that somebody would be sorry for."""
    points = 10 if "Quiz" in name else 4
    text = f'Student;ID;SIS Login ID;"{name}";Total\nPoints Possible;;;{points};(read only)\n"L, A";101;ada;;\n'
    store(tmp_path, [ADA])

    if COLUMNS[name]:
        assert fill(tmp_path, capsys, text)[:2] == (0, text.replace("ada;;", "ada;4;"))
        return
    (tmp_path / "book.csv").write_text(text)
    assert main(["export", str(tmp_path), "--format", "canvas", "--gradebook", str(tmp_path / "book.csv")]) == 2
    said = capsys.readouterr().err
    assert f"no column fits; name one with --column 04=NAME. The columns of the gradebook: {name}." in said
    assert not (tmp_path / "canvas.csv").exists()


def test_a_gradebook_of_another_class_is_not_filled(tmp_path, capsys):
    """Nor Moodle's worksheet: nothing is written, and the exit status is 2."""
    store(tmp_path, [ADA])
    (tmp_path / "book.csv").write_text('Student,ID,SIS Login ID,Lesson 04 (1)\n"Other, One",999,other,\n')
    (tmp_path / "sheet.csv").write_text(
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified,Comments\n"
        "Participant 999,One Other,one@x.org,Submitted,,5,Yes,-,\n"
    )
    for form, book in (("canvas", "book.csv"), ("moodle", "sheet.csv")):
        assert main(["export", str(tmp_path), "--format", form, "--gradebook", str(tmp_path / book)]) == 2
        assert f"it may be of another class: {ADA['student']}" in capsys.readouterr().err
        assert not (tmp_path / f"{form}.csv").exists()


def test_a_column_can_be_named_and_several_are_a_question(tmp_path, capsys):
    """Without or with Canvas' number."""
    text = "Student,ID,Lesson 04 (1),Lesson 04 late (2),Project (3)\nA,101,,,\n"
    store(tmp_path, [ADA])

    assert "several columns fit: Lesson 04 (1), Lesson 04 late (2)" in fill(tmp_path, capsys, text)[2]
    assert text.replace("101,,,", "101,,,4") == fill(tmp_path, capsys, text, "--column", "4=Project")[1]
    assert text.replace("101,,,", "101,,4,") == fill(tmp_path, capsys, text, "--column", "04=Lesson 04 late (2)")[1]
    assert "no results for lesson 07" in fill(tmp_path, capsys, text, "--column", "7=Project")[2]


def test_no_column_is_filled_for_two_lessons(tmp_path, capsys):
    """The first one named, or else the first lesson, has it."""
    text = "Student,ID,Lesson 04 (1)\nA,101,\n"
    store(tmp_path, [ADA, row("lovelaceada_101_9_05.ipynb", "lovelaceada_101", "05", exercise("5.1"))])

    code, got, said = fill(tmp_path, capsys, text, "--column", "05=Lesson 04")

    assert (0, text.replace("101,", "101,2")) == (code, got)
    assert "lesson 04 is left out, no column fits" in said


def test_odd_gradebooks_are_a_sentence_or_kept(tmp_path, capsys):
    """No header, not UTF-8, no end of line, a line break in a field."""
    store(tmp_path, [ADA])
    for text in (b"", b"\n\n", b"a,b\n1,2\n", b"\xff\xfe\x00"):
        code, _, said = fill(tmp_path, capsys, text)
        assert code == 2 and "is no gradebook" in said
    odd = b'Student,ID,"Lesson\n04"\n"A ""\n,B",101,\nM\xfcller,7,"x"y\n"open,8,1'
    code, _, said = fill(tmp_path, capsys, odd)
    assert (0, odd.replace(b"101,", b"101,4")) == (code, (tmp_path / "canvas.csv").read_bytes()), said


def test_what_cannot_be_exported_is_a_sentence(tmp_path, capsys):
    """Exit status 2, and nothing is overwritten that is needed."""
    calls = {
        "holds no results": [tmp_path / "nowhere", "--format", "csv"],
        "--gradebook FILE": [tmp_path, "--format", "canvas"],
        "cannot be read": [tmp_path, "--format", "canvas", "--gradebook", tmp_path / "nowhere"],
        "write to another file": [
            tmp_path, "--format", "canvas", "--gradebook", tmp_path / "b.csv", "--to", tmp_path / "b.csv"
        ],
        "cannot be written": [tmp_path, "--format", "html", "--to", tmp_path / "results.jsonl"],
    }  # fmt: skip
    store(tmp_path, ALL)
    (tmp_path / "b.csv").write_text(GRADEBOOK)
    before = (tmp_path / "results.jsonl").read_bytes()
    for says, arguments in calls.items():
        assert main(["export", *map(str, arguments)]) == 2
        assert says in capsys.readouterr().err
    assert before == (tmp_path / "results.jsonl").read_bytes()


# ---- Gradescope's autograder


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The zip, unpacked as Gradescope does, with this Python in place of the one that setup.sh installs."""
    root = tmp_path_factory.mktemp("autograder")
    with zipfile.ZipFile(autograder.build(root / "autograder.zip")) as archive:
        modes = {i.filename: i.external_attr >> 16 for i in archive.infolist()}
        archive.extractall(root / "source")
    assert modes["setup.sh"] & modes["run_autograder"] & 0o111
    (root / "venv" / "bin").mkdir(parents=True)
    (root / "venv" / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (root / "venv" / "bin" / "python").chmod(0o755)
    return root


def autograde(root, files):
    submission = root / "submission"
    submission.mkdir(exist_ok=True)
    for path in submission.iterdir():
        path.unlink()
    for name, text in files.items():
        (submission / name).write_text(text)
    (root / "results" / "results.json").unlink(missing_ok=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"AUTOGRADER_ROOT": str(root)}
    subprocess.run(["bash", root / "source" / "run_autograder"], env=environment, cwd="/", capture_output=True)
    return json.loads((root / "results" / "results.json").read_text())


def notebook(*cells):
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells]))


@pytest.mark.whole
def test_the_autograder_grades_a_submission(image):
    """Two lessons in one upload are one student's, and the zip holds all that judging needs."""
    got = autograde(
        image,
        {
            "00_check_your_bench.ipynb": notebook("def double(x): return 2 * x"),
            "my lesson 4.ipynb": notebook("pads = 0", "def block_size(n_cols): return 1 << (n_cols - 1).bit_length()"),
        },
    )

    assert {t["number"]: t["score"] for t in got["tests"]} == {"0.1": 1, "4.1": 0, "4.2": 0, "4.3": 1}
    assert got["score"] == 2


@pytest.mark.whole
@pytest.mark.parametrize("files", [{}, {"notes.txt": "hello"}])
def test_the_autograder_always_leaves_results(image, files):
    """An upload without a notebook is a sentence, and no failed autograder."""
    got = autograde(image, files)

    assert got["score"] == 0 and ".ipynb" in got["output"]


def test_setup_installs_what_the_zip_lists(image, tmp_path):
    """With the newest Python that the image has; apt-get and Python are stand-ins that keep what they are told."""
    stubs = tmp_path / "bin"
    stubs.mkdir()
    told = f'echo "$(basename "$0") $*" >>{tmp_path}/told\n'
    makes = f'mkdir -p "$3/bin"; cp {stubs}/apt-get "$3/bin/python"\n'
    for name, does in {"apt-get": 'case "$*" in *3.13-venv*) exit 100;; esac\n', "python3.12": makes}.items():
        (stubs / name).write_text(f"#!/bin/sh\n{told}{does}")
        (stubs / name).chmod(0o755)
    shutil.copytree(image / "source", tmp_path / "root" / "source")
    environment = os.environ | {"AUTOGRADER_ROOT": str(tmp_path / "root"), "PATH": f"{stubs}:{os.environ['PATH']}"}

    done = subprocess.run(["bash", tmp_path / "root" / "source" / "setup.sh"], env=environment, capture_output=True)

    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "told").read_text().splitlines()
    assert [f"python3.12 -m venv {tmp_path}/root/venv"] == [line for line in lines if line.startswith("python3.12")]
    assert lines[-2:] == ["python tools/install.py --cpu grading", "python -m grader doctor"]
    installer = tmp_path / "root" / "source" / "tools" / "install.py"
    done = subprocess.run([sys.executable, installer, "another"], capture_output=True, text=True)
    assert "There is no part another; choose among grading" in done.stderr
    assert (installer.parents[1] / "constraints.txt").exists()
