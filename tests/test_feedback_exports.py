"""Feedback for platforms: Moodle's worksheet and zip, Canvas' zip of comments, a mail merge."""

import csv
import html
import io
import json
import zipfile

import nbformat
import pytest
from test_export import ADA, BROKEN, EVE, EVIL, SECOND, WRONG, Page, cells_of, computes, exercise, export, row
from test_report import CLASS, UNREAD, moodle, store

from grader.__main__ import main
from grader.classroom import rows

HEAD = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),"
HEAD += "Last modified (grade),Feedback comments\r\n"
WORKSHEET = (
    f"\ufeff{HEAD}"
    'Participant 5,Ada Lovelace,ada@x.org,Submitted,,7.00,Yes,"Friday, 2 October",-,\r\n'
    "Participant 6,Grace Hopper,grace@x.org,Submitted,3.00,7.00,No,-,-,old\r\n"
    "Participant 77,Nobody,n@x.org,No submission,,7.00,Yes,-,-,\r\n"
)  # fmt: skip


def fill(folder, worksheet, capsys):
    (folder / "sheet.csv").write_bytes(worksheet.encode())
    code = main(["export", str(folder), "--format", "moodle", "--gradebook", str(folder / "sheet.csv")])
    told = capsys.readouterr()
    if code:
        return code, told.err, []
    text = (folder / "moodle.csv").read_text(encoding="utf-8")
    return code, told.out, list(csv.reader(io.StringIO(text, newline="")))


def test_a_worksheet_of_moodle_gets_grades_and_feedback(tmp_path, capsys):
    """By the participant's number; a locked grade and a student without a file stay as they are."""
    store(tmp_path, CLASS[:2])
    code, told, (_, ada, grace, nobody) = fill(tmp_path, WORKSHEET, capsys)
    before = list(csv.reader(io.StringIO(WORKSHEET.removeprefix("\ufeff"), newline="")))
    assert code == 0 and (ada[4], grace, nobody) == ("2", before[2], before[3])
    assert ada[:4] + ada[5:9] == before[1][:4] + before[1][5:9]
    assert WRONG["message"] in html.unescape(ada[-1]) and ada[-1].startswith("<p>Lesson 04: 2 of 4 points<br>")
    assert "no submission: Participant 77 Nobody" in told
    assert "1 grade filled in" in told and "locked in Moodle, and left as they are: 1 grade" in told


def test_a_student_whose_file_cannot_be_read_gets_no_grade(tmp_path, capsys):
    """No 0 before the student has handed in again; what the worksheet has stays."""
    store(tmp_path, [CLASS[0], UNREAD])
    code, told, (_, ada, alan) = fill(
        tmp_path, WORKSHEET.splitlines(True)[0] + WORKSHEET.splitlines(True)[1]
        + "Participant 7,Alan Turing,t@x.org,Submitted,,7.00,Yes,-,-,\r\n", capsys,
    )  # fmt: skip
    assert code == 0 and (ada[4], alan[4], alan[-1]) == ("2", "", "")
    assert "not readable, and no grade filled in: Alan Turing_7, lesson 04" in told and "1 grade filled in" in told


def test_a_worksheet_of_another_language_is_filled_as_it_is(tmp_path, capsys):
    """Semicolons, a comma in numbers; students by their e-mail address."""
    store(tmp_path, [row("ada@x.org/04.ipynb", "ada@x.org", "04", exercise("4.1", "failed", 0.5))])
    sheet = (
        "ID;Vollständiger Name;E-Mail-Adresse;Status;Bewertung;Bestwertung;Änderbar;Zuletzt geändert (Bewertung);F\n"
    )
    code, _, (head, ada) = fill(tmp_path, f"{sheet}Teilnehmer/in 5;Ada;ada@x.org;-;;7,00;Ja;-;\n", capsys)
    assert code == 0
    (cells,) = list(csv.reader(ada, delimiter=";"))[:0] or [next(csv.reader([";".join(ada)], delimiter=";"))]
    assert "0,5" in ",".join(ada) and "Bewertung" in ",".join(head) and cells


@pytest.mark.parametrize("sheet", ["", "a,b\n1,2\n", "\xff", "Grade\n", "x,Grade,y\n", HEAD.replace("Grade,", "G,", 1)])
def test_what_is_no_worksheet_is_a_sentence(tmp_path, capsys, sheet):
    """And nothing is written."""
    store(tmp_path, CLASS)
    code, told, _ = fill(tmp_path, sheet, capsys)
    assert code == 2 and "is no gradebook" in told and not (tmp_path / "moodle.csv").exists()


def test_several_lessons_in_one_worksheet_are_a_question(tmp_path, capsys):
    """Their points are added, and it is said."""
    store(tmp_path, [CLASS[0], moodle("Ada Lovelace", 5, "05.ipynb", "05", exercise("5.1"))])
    _, told, found = fill(tmp_path, WORKSHEET, capsys)
    assert found[1][4] == "4" and "the sum of the lessons 04, 05" in told


def test_no_feedback_is_markup_or_a_formula(tmp_path, capsys):
    """In the worksheet, where Moodle shows HTML, and in the mail merge."""
    bad = ["=1+1", ";=cmd|' /C calc'!A0", "-2,-3;--4", "<img src=x onerror=alert(1)>", EVIL, "\t@x"]
    found = [exercise(f"12.{n}", "failed", 0.0, message=text, remarks=[text]) for n, text in enumerate(bad, 1)]
    store(tmp_path, [moodle("Ada Lovelace", 5, "12.ipynb", "12", *found)])
    _, _, (_, ada, *_) = fill(tmp_path, WORKSHEET, capsys)
    page = Page(ada[-1])
    assert page.tags == {"p", "br"} and "=1+1" in page.text and "-2,-3;--4" in page.text
    assert not [cell for cell in cells_of(ada[-1]) if computes(cell)]
    export(tmp_path, "mail")
    text = (tmp_path / "mail.csv").read_text(encoding="utf-8-sig")
    assert not [cell for cell in cells_of(text) if computes(cell)]


def test_a_zip_of_feedback_has_the_folders_that_moodle_knows(tmp_path, capsys):
    """A page for each student, in the language of the notebook, and no page of those who grade."""
    store(tmp_path, [*CLASS, moodle("Flat", 11, "", "04", exercise("4.1")) | {"student": "nobody"}, ADA])
    export(tmp_path, "moodle-feedback")
    told = capsys.readouterr().out
    with zipfile.ZipFile(tmp_path / "moodle_feedback.zip") as archive:
        pages = {name: archive.read(name).decode() for name in archive.namelist()}
    assert "Ada Lovelace_5_assignsubmission_file_/feedback.html" in pages
    assert 'lang="zh-Hans"' in pages["李 小龙_8_assignsubmission_file_/feedback.html"]
    assert all(Page(text).links == [] for text in pages.values())
    assert "not of Moodle, and left out: lovelaceada_101" in told


def test_canvas_gets_a_zip_of_what_it_handed_out(tmp_path, capsys):
    """Each file has the name of the submission, whose student and file Canvas finds by two numbers in it; a notebook
    is a notebook, because Canvas shows it under the name that the student gave.
    """
    python = row("hoppergrace_103_9009_04_one_row.py", "hoppergrace_103", "04", WRONG)
    packed = "hopperg_104_9010_hw.zip"
    zipped = [row(f"{packed}/{n}/x.ipynb", "hopperg_104", n, exercise(f"{n[1]}.1", message=n)) for n in ("04", "05")]
    store(tmp_path, [ADA, SECOND, python, EVE, BROKEN, *zipped])
    export(tmp_path, "canvas-comments")
    with zipfile.ZipFile(tmp_path / "canvas_comments.zip") as archive:
        with zipfile.ZipFile(archive.open(packed)) as inner:
            text = inner.read("feedback.txt").decode()
        assert "4.1" in text and "5.1" in text
        files = {name: archive.read(name).decode() for name in archive.namelist() if name != packed}
    assert {ADA["submission"], SECOND["submission"], python["submission"]} == files.keys()
    for name, text in files.items():
        assert len([part for part in name.split("_") if part.isdecimal()]) >= 2
        if name.endswith(".ipynb"):
            nbformat.validate(nbformat.reads(text, 4))
        else:
            compile(text, name, "exec")
    assert WRONG["message"] in nbformat.reads(files[SECOND["submission"]], 4).cells[0].source
    assert "not of Canvas, and left out" in capsys.readouterr().out


@pytest.mark.parametrize(("form", "of"), [("canvas-comments", ADA), ("moodle-feedback", CLASS[0])])
def test_points_without_a_file_have_no_place_for_feedback(tmp_path, capsys, form, of):
    """Which is no fault of the platform."""
    store(tmp_path, [of])
    (tmp_path / "overrides.csv").write_text("student,exercise,points\nDan,04,3\n")
    (tmp_path / "class.csv").write_text("name,email\nDan,dan@x.org\n")
    (tmp_path / "assignment.toml").write_text('lessons = ["04"]\nroster = ["class.csv"]\n')
    export(tmp_path, form, "--assignment", tmp_path / "assignment.toml")
    told = capsys.readouterr().out
    assert "no file was handed in, so there is nowhere to put feedback: Dan" in told and "left out" not in told


def test_on_canvas_a_file_that_could_not_be_read_gets_the_letter(tmp_path):
    """Where such a file can hold a text: a PDF with one would be no PDF."""
    names = ("adal_1_11_04.ipynb", "bobo_2_12_04 scan.pdf", "cydk_3_13_04.zip")
    store(tmp_path, [row(name, name[:6], None, problems=["the file is empty"]) for name in names])
    export(tmp_path, "canvas-comments")
    with zipfile.ZipFile(tmp_path / "canvas_comments.zip") as archive:
        assert archive.namelist() == [names[0], names[2]]
        letter = nbformat.reads(archive.read(names[0]).decode(), 4).cells[0].source
    assert "your file 04.ipynb could not be graded: the file is empty." in letter


def test_two_of_one_name_have_a_key_each_in_the_mail_merge(tmp_path):
    """A gradebook of Canvas has no address: the login says who is who, also of those without a file."""
    (tmp_path / "gradebook.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section\n"
        + "".join(f'"Smith, John",{n},S{n},u{n},CS\n' for n in (101, 102))
        + '"King, Cyd",103,S103,u103,CS\n'
    )
    (tmp_path / "assignment.toml").write_text('lessons = ["04"]\nroster = ["gradebook.csv"]\n')
    store(tmp_path, [row(f"smithjohn_{n}_9_04.ipynb", f"smithjohn_{n}", "04", exercise("4.1")) for n in (101, 102)])
    export(tmp_path, "mail", "--assignment", str(tmp_path / "assignment.toml"))
    with open(tmp_path / "mail.csv", encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [(line["student"], line["key"]) for line in lines] == [
        ("John Smith", "u101"), ("John Smith", "u102"), ("Cyd King", "u103"),
    ]  # fmt: skip
    assert lines[2]["again_text"].startswith("Hello Cyd King,")


def test_a_mail_merge_has_a_line_for_each_student(tmp_path):
    """Feedback to those who have some, the letter to those who hand in again, each in its language."""
    some = [*CLASS, row("ada@x.org/04.ipynb", "ada@x.org", "04", exercise("4.1"))]
    store(tmp_path, some)
    export(tmp_path, "mail")
    with open(tmp_path / "mail.csv", encoding="utf-8-sig", newline="") as file:
        lines = {line["student"]: line for line in csv.DictReader(file)}
    assert len(lines) == len({each["student"] for each in some})
    assert lines["ada@x.org"]["email"] == "ada@x.org"
    assert all(line["key"] in {each["student"] for each in some} for line in lines.values())
    alan, ada, li = (lines[name] for name in ("Alan Turing_7", "Ada Lovelace_5", "李 小龙_8"))
    assert alan["again_text"].startswith("Hello Alan Turing,") and alan["feedback_text"] == ""
    assert ada["again_text"] == "" and WRONG["message"] in ada["feedback_text"]
    assert "小龙，你好：" in li["again_text"] and "Hello" not in li["again_text"] + li["feedback_text"]
    assert rows.line(CLASS[0]) and json.dumps(lines)


def by_hand(name, *exercises, lesson="04"):
    """A row of a folder that bears a student's name."""
    return row(f"{name}/{lesson}.ipynb", name, lesson, *(exercises or [exercise(f"{int(lesson)}.1")]))


def line(number, name, email):
    """A line of a worksheet."""
    return f'Participant {number},"{name}",{email},Submitted,,7.00,Yes,-,-,\r\n'


def test_of_two_namesakes_in_the_worksheet_none_gets_the_other_ones_grade(tmp_path, capsys):
    """Where nothing but the name says whose a file is; an e-mail address says it, and then the name is no other's."""
    twins = HEAD + line(5, "Ada Lovelace", "a1@x.org") + line(6, "Ada Lovelace", "a2@x.org")
    store(tmp_path, [by_hand("Ada Lovelace"), by_hand("Bob")])
    code, told, (_, *found) = fill(tmp_path, twins + line(7, "bob", "b@x.org"), capsys)
    assert (code, [cells[4] for cells in found]) == (0, ["", "", "2"])
    assert "no grade filled in: Ada Lovelace may be Participant 5 Ada Lovelace a1@x.org or Participant 6" in told
    store(tmp_path, [by_hand("a2@x.org"), by_hand("Ada Lovelace", exercise("4.1", "failed", 0.5))])
    code, told, (_, *found) = fill(tmp_path, twins, capsys)
    assert (code, [cells[4] for cells in found]) == (0, ["0.5", "2"])
    store(tmp_path, [by_hand("Ada Lovelace"), by_hand("ada lovelace", exercise("4.1", "failed", 0.5)), by_hand("Bob")])
    code, told, (_, *found) = fill(tmp_path, HEAD + line(5, "Ada Lovelace", "") + line(7, "Bob", ""), capsys)
    assert (code, [cells[4] for cells in found]) == (0, ["", "2"])
    assert "no grade filled in: Participant 5 Ada Lovelace may be Ada Lovelace or ada lovelace" in told


def test_moodle_gets_no_zero_that_nobody_gave(tmp_path, capsys):
    """Not for who is exempt, nor for who handed in another lesson; who is exempt from one of two is named."""
    rows_of_class = [by_hand("Ada"), by_hand("Bob", lesson="05"), by_hand("Cyd"), by_hand("Cyd", lesson="03")]
    store(tmp_path, rows_of_class)
    words = "student,exercise,points\nAda,04,exempt\n"
    (tmp_path / "overrides.csv").write_text(words)
    (tmp_path / "sheet.csv").write_text(HEAD + "".join(line(n, n, "") for n in ("Ada", "Bob", "Cyd")))
    command = ["export", str(tmp_path), "--format", "moodle", "--gradebook", str(tmp_path / "sheet.csv"), "--lessons"]
    assert main([*command, "04"]) == 0
    told = capsys.readouterr().out
    found = list(csv.reader(io.StringIO((tmp_path / "moodle.csv").read_text(encoding="utf-8"), newline="")))[1:]
    assert [(cells[4], bool(cells[-1])) for cells in found] == [("", False), ("", False), ("2", True)]
    assert "exempt, and no grade filled in: Ada" in told
    assert "of other lessons only, and no grade filled in: Bob, lesson 05" in told
    (tmp_path / "overrides.csv").write_text("student,exercise,points\nCyd,04,exempt\n")
    assert main([*command, "03,04"]) == 0
    assert "Cyd is exempt from lesson 04, and has 2 of" in capsys.readouterr().out


def test_feedback_goes_into_no_column_but_its_own(tmp_path, capsys):
    """Without feedback comments, Moodle's last column is a time, by which it knows grades that changed meanwhile."""
    store(tmp_path, CLASS[:2])
    lines = WORKSHEET.replace(",Feedback comments", "").splitlines(True)
    sheet = lines[0] + lines[1].replace(",-,\r", ",-\r")
    code, told, (_, ada) = fill(tmp_path, sheet, capsys)
    assert (code, ada[4], ada[-1]) == (0, "2", "-")
    assert "the worksheet has no column for feedback, so that only 1 grade" in told


@pytest.mark.parametrize("first, second", [("1", "2"), ("2", "1")])
def test_of_two_names_of_one_row_of_canvas_the_better_file_counts(first, second, tmp_path, capsys):
    """One folder has the login, one the name, and nothing says which file is later; an ordinary attempt is no news."""
    scores = {"ada": first, "Ada Lovelace": second}
    found = [by_hand(name, exercise("4.1", "failed", float(score))) for name, score in scores.items()]
    earlier = by_hand("bob") | {"submission": "bob/old.ipynb", "instead": "bob/04.ipynb", "exercises": []}
    store(tmp_path, [*found, by_hand("bob"), earlier | {"score": 0.0, "max_score": 0.0}])
    book = 'Student,ID,SIS Login ID,Lesson 04 (7)\n    Points Possible,,,7\n"Lovelace, Ada",5,ada,\nBob,6,bob,\n'
    (tmp_path / "book.csv").write_text(book)
    assert main(["export", str(tmp_path), "--format", "canvas", "--gradebook", str(tmp_path / "book.csv")]) == 0
    told = capsys.readouterr().out
    assert '"Lovelace, Ada",5,ada,2\nBob,6,bob,2\n' in (tmp_path / "canvas.csv").read_text()
    assert "Lovelace, Ada has two files for lesson 04" in told and "look at" not in told


@pytest.mark.parametrize(("form", "of"), [("moodle-feedback", [ADA]), ("canvas-comments", CLASS[:2])])
def test_feedback_for_a_platform_that_handed_out_nothing_is_refused(form, of, tmp_path, capsys):
    store(tmp_path, of)
    assert main(["export", str(tmp_path), "--format", form]) == 2
    assert "Nothing exported: no file in these results has a name of" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.zip"))


def test_a_mail_merge_has_the_addresses_that_gradescope_knows(tmp_path):
    """Of a student without a number, the address is a part of the name."""
    keys = {"Ada Lovelace_101": ["101", "ada@x.org"], "Bob_bob.o'n@x.org": ["bob.o'n@x.org"], "Cyd": []}
    store(tmp_path, [row(f"{n}/04.ipynb", key, "04", exercise("4.1")) for n, key in enumerate(keys)])
    students = [{"student": key, "names": names, "lessons": {}} for key, names in keys.items()]
    (tmp_path / "plan.json").write_text(json.dumps({"students": students}))
    export(tmp_path, "mail")
    with open(tmp_path / "mail.csv", encoding="utf-8-sig", newline="") as file:
        assert [line["email"] for line in csv.DictReader(file)] == ["ada@x.org", "bob.o'n@x.org", ""]
