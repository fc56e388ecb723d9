"""A roster: the students of a class in the files of the platforms, and the one that a hand-in means."""

import json

import pytest
from test_export import exercise, row
from test_report import store

from grader.__main__ import main
from grader.classroom import roster, tables

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,One row (77)\n"
    "    Points Possible,,,,,7\n"
    '"Lovelace, Ada",101,s0101,ada@uni.edu,Tuesday,\n'
    '"Turing, Alan",102,s0102,alan@uni.edu,Friday,\n'
    '"Student, Test",999,,abc,Friday,\n'
)
MOODLE = (
    "Identifier,Full name,Email address,Status,Grade\n"
    "Participant 7001,Ada Lovelace,ada@uni.edu,Submitted,\n"
    "Participant 7002,Grace Hopper,grace@uni.edu,No submission,\n"
)
GRADESCOPE = (
    "First Name,Last Name,SID,Email,Role,Section\nAda,Lovelace,s0101,Ada@Uni.edu,Student,Tue\n"
    "Tim,Tutor,s9,tim@uni.edu,TA,\n"
)
CLASSROOM = (
    '"identifier","github_username","github_id","name"\n"ada@uni.edu","adalove","1",""\n"s0102","turing-a","2",""\n'
)


def of(*texts):
    return roster.of_tables([(f"{number}.csv", text.encode()) for number, text in enumerate(texts)])


def keys(found):
    return [person.key for person in found]


def test_lines_and_marks_of_other_platforms_are_no_names():
    """Brightspace writes "#" before logins and numbers, Google Classroom two lines about the assignment."""
    brightspace = b"OrgDefinedId,Username,Last Name,First Name,Email\n#1234,#alove,Lovelace,Ada,\n#1235,#bb,B,Bob,b@x\n"
    google = b"Last Name,First Name,Email Address,HW0\nDate,,,\nPoints,,,1\nLovelace,Ada,a@x,\nDate,Bob,b@x,\n"
    people = roster.of_tables([("r.csv", brightspace)])
    assert [person.name for name in ("alove", "1235") for person in people.find(name)] == ["Ada Lovelace", "Bob B"]
    assert [person.name for person in roster.of_tables([("r.csv", google)])] == ["Ada Lovelace", "Bob Date"]


def test_the_platforms_files_are_read_by_their_headers():
    """Names as they are spoken; lines of the platform and those of teachers are nobody."""
    assert [(p.name, p.section) for p in of(CANVAS)] == [("Ada Lovelace", "Tuesday"), ("Alan Turing", "Friday")]
    assert [(p.name, p.email) for p in of(MOODLE)] == [
        ("Ada Lovelace", "ada@uni.edu"),
        ("Grace Hopper", "grace@uni.edu"),
    ]
    assert [(p.name, p.id("number")) for p in of(GRADESCOPE)] == [("Ada Lovelace", "s0101")]
    assert {p.id("github") for p in of(CLASSROOM)} == {"adalove", "turing-a"}


@pytest.mark.parametrize("encoded", [
    "\ufeff姓名;学号;班级\r\n李小龙;2024001;一班\r\n".encode(),
    "姓名\t学号\t班级\r\n李小龙\t2024001\t一班\r\n".encode("utf-16"),
    "\ufeffsep=;\r\n姓名;学号;班级\r\n李小龙;2024001;一班\r\n".encode(),
    "\n\n姓名,学号,班级\n\n 李小龙 , 2024001 ,一班\n".encode(),
    "姓名,学号,班级\r\n李小龙,2024001,一班\r\n".encode("gbk"),
])  # fmt: skip
def test_separators_marks_and_encodings_of_spreadsheets(encoded):
    """As Excel saves a table in several countries."""
    (person,) = roster.of_tables([("r.csv", encoded)])
    assert (person.name, person.section, person.key) == ("李小龙", "一班", "2024001")


@pytest.mark.parametrize("order", [(CANVAS, MOODLE, GRADESCOPE, CLASSROOM), (CLASSROOM, GRADESCOPE, MOODLE, CANVAS)])
def test_one_student_of_several_platforms_is_one_person(order):
    """By e-mail, number and login, whatever comes first; GitHub Classroom's identifier may be any of them."""
    people = of(*order)

    assert [p.name for p in people] == ["Ada Lovelace", "Alan Turing", "Grace Hopper"]
    ada, alan, _ = people
    assert {kind for kind, _ in ada.ids} >= {"canvas", "number", "login", "email", "github", "participant"}
    assert alan.id("github") == "turing-a" and alan.id("canvas") == "102"


def test_two_of_one_name_stay_two():
    """Unless a file says otherwise; a name alone joins only where nobody else has it."""
    first = "name,email\nLi Wei,li.wei1@uni.edu\nLi Wei,li.wei2@uni.edu\nZoe Zhou,zoe@uni.edu\n"
    people = of(first, "name,github_username\nLi Wei,liwei\nZoe Zhou,zz\n")

    assert [p.name for p in people] == ["Li Wei", "Li Wei", "Li Wei", "Zoe Zhou"]
    assert people.find("Zoe Zhou")[0].id("github") == "zz" and len(people.find("li wei")) == 3
    assert len(of("name,sid\nAda,1\n", "name,sid\nAda,2\n")) == 2


def test_two_whom_only_a_name_identifies_have_a_key_each():
    """So that nobody has another's points."""
    people = of('Student,ID,Section\n"Wei, Li",1,A\n"Wei, Li",2,B\nZoe,3,A\n')
    assert keys(people) == ["Li Wei (1)", "Li Wei (2)", "Zoe"]
    assert keys(people.find("weili_2", ("weili", "2"))) == ["Li Wei (2)"] == keys(people.find("Li Wei (2)"))
    assert len(people.find("weili_9", ("weili", "9"))) == 2


def test_an_identifier_of_a_classroom_may_be_a_name():
    """As some instructors write their rosters."""
    people = of('identifier,github_username,name\n"Lovelace, Ada",adalove,\ns0102,turing-a,\n', CANVAS)
    assert [(p.name, p.id("github")) for p in people] == [("Ada Lovelace", "adalove"), ("Alan Turing", "turing-a")]


@pytest.mark.parametrize("student, canvas", [
    ("lovelaceada_101", ("lovelaceada", "101")), ("lovelaceada_555", ("lovelaceada", "555")),
    ("Ada Lovelace_7001", None), ("ada", None), ("ADA@uni.edu", None), ("s0101", None),
    ("adalove", None), ("one-row-adalove", None),
    ("Lovelace, Ada", None), ("ada_lovelace", None), ("adalovelace", None), ("'ada@uni.edu", None),
])  # fmt: skip
def test_a_hand_in_of_any_platform_finds_its_student(student, canvas):
    """By id, login, number, account, repository or name."""
    assert keys(of(CANVAS, MOODLE, CLASSROOM).find(student, canvas)) == ["ada@uni.edu"]


@pytest.mark.parametrize(
    "student", ["2026001_张伟", "张伟-2026001", "2026001张伟", "张伟（2026001）", "张伟 (zwei)", "张伟+2026001"]
)
def test_a_name_beside_a_number_or_a_login_is_found(student):
    """Where both are of one person, and nowhere else."""
    roster = of("姓名,学号,login\n张伟,2026001,zwei\n李娜,2026002,lina\n")
    assert [person.name for person in roster.find(student)] == ["张伟"]
    for other in ("2026002_张伟", "张伟 (lina)", "2026001_王芳", "2026001 张"):
        assert roster.find(other) == []


def test_who_is_not_listed_is_not_found():
    """And a number of one platform is none of another."""
    people = of(CANVAS, MOODLE)
    for name in ("", "nobody", "101", "7001", "-", "Lovelace Turing", "Eve_12"):
        assert people.find(name) == [], name
    assert len(of("login\nturing-a\n", "github\nturing-a\n")) == 2


def test_who_may_be_one_is_named_and_nobody_else():
    """Of two platforms, or where a person gave a name; one platform tells two students of one name apart."""
    canvas, moodle = ("lovelaceada_101", ("lovelaceada", "101"), "Canvas"), ("Ada Lovelace_201", (), "Moodle")
    moodle = (moodle[0], (moodle[0],), moodle[2])
    other, by_hand = ("Ada Lovelace_202", ("Ada Lovelace_202",), "Moodle"), ("Lovelace, Ada", ("Lovelace, Ada",), None)

    assert roster.perhaps_one([canvas, moodle]) == [["Ada Lovelace_201", "lovelaceada_101"]]
    assert roster.perhaps_one([moodle, by_hand]) == [["Ada Lovelace_201", "Lovelace, Ada"]]
    assert roster.perhaps_one([moodle, other]) == []
    assert roster.perhaps_one([("101", ("101",), None), canvas, ("Ada", ("Ada",), None)]) == []


def test_two_of_one_name_are_told_apart_where_one_is_missing():
    """By what the roster has beside the name; a name that nobody else has stands alone."""
    people = roster.of_tables([("c.csv", b"Student,ID,SIS Login ID\nJohn Smith,1,js1\nJohn Smith,2,js2\nAda L,3,al\n")])
    assert [people.called(each) for each in people] == ["Ada L", "John Smith (js1)", "John Smith (js2)"]


@pytest.mark.parametrize("data, why", [
    (b"", "it is empty"), (b"\n \n", "it is empty"), (b"a,b\n1,2\n", "none of its columns is known"),
    (b"name,email\n", "lists no student"), ("name\nJos\xe9\n".encode("latin-1"), "no text in UTF-8"),
    (b'name\n"' + b"x" * 200_000, "line 2 cannot be read"), (b"PK\x03\x04\x14\x00\xfe", "it is a workbook"),
])  # fmt: skip
def test_a_file_that_is_no_roster_is_a_sentence(data, why):
    with pytest.raises(roster.NotARoster, match=r"'r.csv' is no roster: .*" + why):
        roster.of_tables([("r.csv", data)])


def test_a_roster_of_a_thousand_is_quick():
    """Nobody waits for it, and a name from a stranger moves no cursor."""
    import time

    began = time.monotonic()
    people = of("name,email,section\n" + "".join(f"Student {n},s{n}@x.edu,{n % 7}\n" for n in range(1000)), CANVAS)
    assert len(people) == 1002 and keys(people.find("s77")) == ["s77@x.edu"] and time.monotonic() - began < 5
    assert of("name\nA\u202eb\x1b[31m\n").people[0].name == "A�b�[31m"


def test_fields_are_found_behind_quotes_and_line_breaks():
    """And the numbers of lines are those of the file."""
    table = tables.parse(b'a,b\n"x\ny",2\n\n3\n')
    assert table.lines == ((2, ("x\ny", "2")), (5, ("3",)))
    assert [f for _, f in table.under({"b": 1})] == [{"b": "2"}, {"b": ""}]


def test_whom_the_plan_knows_by_another_name_the_exports_know_too(tmp_path, capsys):
    """As of Blackboard, whose texts have full names, and of groups in Moodle: nobody is called missing who is there."""
    paths = {
        "a_love": "One row_a_love_attempt_2026-11-22-10-15-00_04.ipynb",
        "Group A-Bob King_2": "Group A-Bob King_2_assignsubmission_file_/04.ipynb",
    }
    rows_ = [row(path, student, "04", exercise("4.1"), exercise("4.2")) for student, path in paths.items()]
    store(tmp_path, rows_)
    (tmp_path / "r.csv").write_text("name,email\nAda Lovelace,ada@x\nBob King,bob@x\nCyd,cyd@x\n")
    (tmp_path / "a.toml").write_text('lessons = ["04"]\nroster = ["r.csv"]\n')
    command = ["export", str(tmp_path), "--format", "csv", "--assignment", str(tmp_path / "a.toml")]
    assert main(command) == 0 and "by 3 of the roster" in capsys.readouterr().err
    students = [
        {"student": "a_love", "names": ["Ada Lovelace"]},
        {"student": "other", "names": ["Group A-Bob King_2", "Bob King"]}, {"student": 3},
        {"student": "x", "names": "y"}, 7,
    ]  # fmt: skip
    (tmp_path / "plan.json").write_text(json.dumps({"students": students}))
    assert main(command) == 0
    told = capsys.readouterr().err
    assert "nothing handed in by 1 of the roster: Cyd" in told and "not in the roster" not in told
    table = (tmp_path / "results.csv").read_text()
    assert ",Ada Lovelace," in table and ",Bob King," in table


@pytest.mark.parametrize(
    ("listed", "spoken"),
    [
        ("张, 伟", "张伟"), ("欧阳，娜娜", "欧阳娜娜"), ("김, 민준", "김민준"), ("Lovelace, Ada", "Ada Lovelace"),
        ("Li, 娜", "娜 Li"),
    ],
)  # fmt: skip
def test_a_name_is_spoken_as_its_language_does(listed, spoken):
    """Canvas writes the family name first, and a comma; where it is spoken first, too, the comma alone goes."""
    found = roster.of_tables([("r.csv", f'name,id\n"{listed}",7\n'.encode())])
    assert [person.name for person in found] == [spoken]
    assert found.find(spoken) == found.find(listed) == [*found]


def test_a_number_that_lost_its_zeros_is_no_other_student():
    """In two files of one class; but where one list has both numbers, they are two students."""
    one = of("name,login,student id\nAda Lovelace,,0012345\n", "name,student id\nAda Lovelace,12345\n")
    assert len(one) == 1 and one.find("0012345") == one.find("12345") == one.find("012345") == [*one]
    two = of("name,student id\nAda Lovelace,0012345\nBob Byron,12345\n")
    assert [two.find(number)[0].name for number in ("0012345", "12345")] == ["Ada Lovelace", "Bob Byron"]
    assert len(two.find("012345")) == 2
    assert not of("name,student id\nAda Lovelace,7\n").find("007")


def test_a_name_without_its_accents_is_found_and_no_other():
    people = of("name\nJürgen Müller\nRené Østby\nSue Li\n张伟\n")
    for spelled in ("Jurgen Muller", "Mueller, Juergen", "MÜLLER Jürgen"):
        assert [each.name for each in people.find(spelled)] == ["Jürgen Müller"]
    assert [each.name for each in people.find("rene ostby")] == ["René Østby"]
    assert not people.find("Su Li") and not people.find("张维")
    assert len(of("name\nRené Roy\nRenè Roy\n").find("Rene Roy")) == 2


def test_one_word_before_new_or_final_may_be_a_whole_name():
    people = of("name,login\nKim Lee,kim\nNew Kim,nk\n")
    assert [each.key for each in people.find("kim_final")] == ["kim"]
    assert [each.key for each in people.find("Kim Lee final")] == ["kim"] and not people.find("kim final")
    assert [each.key for each in people.find("Kim New")] == ["nk"]
