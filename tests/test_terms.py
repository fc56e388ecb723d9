"""An assignment, a person's word and a roster, applied to rows where they are exported."""

import csv
import io
import json

import pytest
from test_export import exercise, export, fill, row, store

from grader import lessons
from grader.__main__ import main
from grader.classroom import assignment, overrides, results_store, rows
from grader.export import entries
from grader.sentence import fault

CLASS = (
    "name,email,section\nAda Lovelace,ada@uni.edu,Tue\nAlan Turing,alan@uni.edu,Fri\nGrace Hopper,grace@uni.edu,Fri\n"
)
OF_COURSE = {e.id: float(e.points) for e in lessons.exercises().values()}
HEAD = "student,exercise,points,comment,by,date\n"


def solved(student, number, *scores, at=None, name="x.ipynb", **more):
    """The row of a student's file for a lesson, with its points for each exercise."""
    known = lessons.of_lesson(number) if number else []
    done = [
        exercise(e.id, "passed" if got == e.points else "failed", float(got), max_score=float(e.points), bonus=e.bonus)
        for e, got in zip(known, scores)
    ]
    made = row(f"{student}/{name}", student, number, *done)
    made["max_score"] = sum(e["max_score"] for e in done if not e["bonus"])
    return made | {"handed_in": at, "sha256": name + student} | more


def full(number):
    return [e.points for e in lessons.of_lesson(number)]


def terms(tmp_path, text, roster=CLASS):
    (tmp_path / "class.csv").write_text(roster)
    (tmp_path / "a.toml").write_text(text)
    return assignment.load(tmp_path / "a.toml")


def of(tmp_path, given, made, words=""):
    """({(student, lesson): the entry that counts}, all entries, sentences about words without effect)."""
    log = []
    (tmp_path / "words.csv").write_text(HEAD + words)
    good, bad = overrides.read(tmp_path / "words.csv")
    found = entries.of([rows.parse(json.dumps(r).encode()) for r in made], given, good, log)
    return {(e.key, e.row["lesson"]): e for e in found if e.counts}, found, [*bad, *log]


def table(folder):
    text = (folder / "results.csv").read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_points_weights_and_what_is_left_out_are_those_of_the_assignment(tmp_path):
    """Whatever the course gives; a share of the points stays a share."""
    text = 'lessons = ["04", "05"]\nleave_out = ["4.2"]\npoints = { 4.1 = 10 }\nweights = { 05 = 2 }'
    half = [OF_COURSE["4.1"] / 2, OF_COURSE["4.2"], OF_COURSE["4.3"]]
    counting, found, _ = of(
        tmp_path, terms(tmp_path, text), [solved("ada", "04", *half), solved("ada", "05", *full("05"))]
    )

    of_04 = counting["ada", "04"].row
    assert {e["id"]: (e["score"], e["max_score"]) for e in of_04["exercises"]} == {
        "4.1": (5.0, 10.0), "4.3": (OF_COURSE["4.3"], OF_COURSE["4.3"])
    }  # fmt: skip
    assert (of_04["score"], of_04["max_score"]) == (5 + OF_COURSE["4.3"], 10 + OF_COURSE["4.3"])
    most = entries.lessons(found)
    assert most == {"04": of_04["max_score"], "05": counting["ada", "05"].row["score"]}
    assert entries.total(found, most) == (of_04["score"] + most["05"], sum(most.values()))


def test_totals_are_of_the_assignment_and_not_of_what_was_handed_in_by_mistake(tmp_path, capsys):
    """A stray lesson costs nobody anything; without an assignment a sentence says what it does."""
    made = [solved(f"s{n}", "04", *full("04")) for n in range(20)] + [solved("s3", "05", *full("05"), name="y.ipynb")]
    found = of(tmp_path, None, made)[1]
    assert set(entries.lessons(found)) == {"04", "05"}
    assert [str(s) for s in entries.about_the_class(found)] == [
        "lesson 05 was handed in by 1 of 20, and counts in the totals of all: leave it out with --lessons, or with an "
        "assignment"
    ]  # fmt: skip
    counting, found, _ = of(tmp_path, assignment.of_lessons("04"), made)
    assert set(entries.lessons(found)) == {"04"} and ("s3", "05") not in counting
    (stray,) = [e for e in found if e.row["lesson"] == "05"]
    assert entries.remarks(stray) == ["not counted: lesson 05 is no part of the assignment"]
    store(tmp_path, made)
    export(tmp_path, "html", "--lessons", "04")
    assert "leave it out" not in capsys.readouterr().err
    assert " missing" not in " ".join((tmp_path / "html" / "index.html").read_text().split("<table")[1].split())


def test_the_last_or_the_best_attempt_counts(tmp_path):
    """And the others say why they do not."""
    first, second = solved("ada", "04", *full("04"), name="1.ipynb"), solved("ada", "04", 0, 0, 0, name="2.ipynb")
    first, second = first | {"handed_in": "2026-11-20 10:15:00"}, second | {"handed_in": "2026-11-21 10:15:00"}
    third = solved("ada", "04", *full("04"), name="0.ipynb") | {"instead": "ada/2.ipynb"}
    third |= {"exercises": [], "score": 0.0, "max_score": 0.0}  # the plan left it out
    last = of(tmp_path, terms(tmp_path, 'lessons = ["04"]'), [first, second, third])[0]
    counting, found, _ = of(tmp_path, terms(tmp_path, 'lessons = ["04"]\nattempt = "best"'), [first, second, third])

    assert last["ada", "04"].row["submission"] == "ada/2.ipynb"
    assert counting["ada", "04"].row["submission"] == "ada/1.ipynb"
    told = {e.row["submission"]: entries.late_or_superseded(e) for e in found}
    assert told["ada/2.ipynb"] == ["not counted: ada/1.ipynb has the best points for the same lesson"]
    assert told["ada/1.ipynb"] == [] and told["ada/0.ipynb"][0].startswith("not graded: ")
    same = of(
        tmp_path, terms(tmp_path, 'lessons = ["04"]\nattempt = "best"'), [first, first | {"submission": "ada/9.ipynb"}]
    )
    assert same[0]["ada", "04"].row["submission"] == "ada/9.ipynb"


LATE = 'lessons = ["04"]\ndue = 2026-11-20T12:00:00Z\nlate = { percent_a_day = 25 }'


def test_lateness_costs_what_the_assignment_says(tmp_path):
    """Of what was judged, and nothing of what a person gave; where no time is known, a sentence says so."""
    all_of = sum(full("04"))
    made = [
        solved("ada", "04", *full("04"), at="2026-11-20 11:59:00"),
        solved("bob", "04", *full("04"), at="2026-11-21 12:00:01"),
        solved("eve", "04", *full("04"), at="2026-11-21 12:00:01"),
        solved("kim", "04", *full("04"), at="2026-12-24 00:00:00"),
        solved("zoe_7", "04", *full("04"), submission="zoe_late_7_8_04.ipynb"),
    ]
    counting, _, bad = of(tmp_path, terms(tmp_path, LATE), made, "eve,4.1,3,,,\nkim,04,2,ill,Kim,\n")

    assert bad == [] and {key: e.row["score"] for (key, _), e in counting.items()} == {
        "ada": all_of, "bob": all_of / 2, "eve": 3 + (all_of - OF_COURSE["4.1"]) / 2, "kim": 2, "zoe_7": all_of
    }  # fmt: skip
    told = {key: [str(s) for s in entries.late_or_superseded(e)] for (key, _), e in counting.items()}
    assert told["ada"] == [] and told["bob"] == [f"2 days late, which costs {all_of / 2:g} points"]
    assert told["kim"] == ["34 days late"] and "its time is not known, so nothing" in told["zoe_7"][0]
    untimed = [str(s) for s in entries.about_the_class([*counting.values()]) if "lateness" in str(s)]
    assert len(untimed) == 1 and untimed[0].startswith("lateness takes nothing off 1 of 5 files, whose time is not")
    decided = of(tmp_path, terms(tmp_path, LATE.partition("late")[0]), made)[0]
    assert {e.row["score"] for e in decided.values()} == {all_of}
    assert not any("lateness" in str(s) for s in entries.about_the_class([*decided.values()]))


def test_a_persons_word_counts_and_is_shown_as_such(tmp_path):
    """For an exercise, for a lesson, for somebody who handed in nothing; of two lines the last."""
    made = [solved("ada", "04", 0, 0, 0), solved("bob", "04", *full("04")), solved("kim", "05", *full("05"))]
    words = "ada,4.1,1,,,\nada,4.1,2.5,right idea,Kim,2026-11-20\nbob,04,1,copied,Kim,\nKIM,4.3,1,by mouth,Kim,\n"
    counting, found, bad = of(tmp_path, None, made, words)

    assert bad == [] and {place: e.row["score"] for place, e in counting.items()} == {
        ("ada", "04"): 2.5, ("bob", "04"): 1, ("kim", "04"): 1, ("kim", "05"): sum(full("05"))
    }  # fmt: skip
    ada, bob, kim = (counting[name, "04"] for name in ("ada", "bob", "kim"))
    assert [str(s) for s in ada.by_hand] == ["4.1: set to 2.5 points by Kim, 2026-11-20: right idea"]
    assert ada.row["exercises"][0]["remarks"] == ["set to 2.5 points by Kim, 2026-11-20: right idea"]
    assert [str(s) for s in entries.remarks(bob)] == ["lesson 04: set to 1 point by Kim: copied"]
    assert entries.to_look_at(bob) == [] and entries.to_look_at(kim) == []
    assert (ada.of_file, kim.of_file, kim.row["submission"]) == (True, False, "overrides.csv")
    assert entries.isolation(found) == "limits; limits are no boundary against malice"


def test_who_is_exempt_is_asked_less(tmp_path):
    """Of an exercise or of a lesson; the points of the others stay possible."""
    made = [solved("ada", "04", *full("04")), solved("bob", "04", *full("04")), solved("bob", "05", *full("05"))]
    counting, found, bad = of(tmp_path, None, made, "ada,4.1,exempt,,,\nada,05,exempt,ill,,\n")

    most, mine = entries.lessons(found), [e for e in found if e.key == "ada"]
    assert bad == [] and most == {
        "04": sum(full("04")),
        "05": sum(e for e, x in zip(full("05"), lessons.of_lesson("05")) if not x.bonus),
    }
    assert entries.total(mine, most) == (sum(full("04")) - OF_COURSE["4.1"],) * 2
    assert [entries.standing(mine, n) for n in most] == ["counts", "exempt"]
    assert counting["ada", "05"].exempt and not counting["ada", "04"].exempt

    each = "".join(f"ada,{e.id},exempt,,,\n" for e in lessons.of_lesson("04") if not e.bonus)
    assert of(tmp_path, None, made, each)[0]["ada", "04"].exempt
    assert not of(tmp_path, None, made, each + "ada,04,0,,,\n")[0]["ada", "04"].exempt


@pytest.mark.parametrize("line, why", [
    ("nobody,4.1,2,,,", "no student is 'nobody'"), ("ada,4.1,99,,,", "99 points is more than 4.1 has, which is"),
    ("ada,04,99,,,", "99 points is more than 04 has"), ("ada,5.1,1,,,", "5.1 is no part of the assignment"),
    ("ada,4.2,1,,,", "4.2 is no part of the assignment"),
    ("Li Wei,4.1,1,,,", "'Li Wei' may be Li Wei (l1), Li Wei (l2)"),
])  # fmt: skip
def test_a_word_without_effect_is_named(tmp_path, line, why):
    """With its line, and the others have theirs."""
    given = terms(
        tmp_path, 'lessons = ["04"]\nleave_out = ["4.2"]\nroster = "class.csv"', "name,login\nLi Wei,l1\nLi Wei,l2\n"
    )
    counting, _, bad = of(tmp_path, given, [solved("ada", "04", 0, 0, 0)], line + "\nada,4.1,1,,,\n")

    assert len(bad) == 1 and bad[0].startswith("line 2 of the overrides has no effect: ") and why in bad[0]
    assert counting["ada", "04"].row["score"] == 1


def test_a_roster_says_who_is_who_and_who_is_missing(tmp_path, capsys):
    """One student of two platforms is one; absent students have a line."""
    given = terms(tmp_path, 'lessons = ["04", "05"]\nroster = "class.csv"')
    made = [
        solved("Ada Lovelace_77", "04", *full("04")), solved("ada", "05", *full("05")), solved("eve", "04", 0, 0, 0),
        solved("alan", None) | {"problems": ["the file is empty"]},
    ]  # fmt: skip
    counting, found, _ = of(tmp_path, given, made)

    assert set(counting) == {("ada@uni.edu", "04"), ("ada@uni.edu", "05"), ("eve", "04")}
    ada = counting["ada@uni.edu", "05"]
    assert (ada.student, ada.section, ada.person.email) == ("Ada Lovelace", "Tue", "ada@uni.edu")
    assert [p.name for p in entries.absent(found)] == ["Grace Hopper"]
    assert [str(s) for s in entries.about_the_class(found)] == [
        "nothing handed in by 1 of the roster: Grace Hopper",
        "handed in, but not readable, so no points yet: Alan Turing",
        "not in the roster, or not clearly: eve",
    ]
    store(tmp_path, made)
    export(tmp_path, "csv", "--assignment", tmp_path / "a.toml")
    assert "Grace Hopper" in capsys.readouterr().err
    lines = {(line["student"], line["lesson"]): line for line in table(tmp_path)}
    assert lines["grace@uni.edu", ""]["notes"] == "nothing handed in" and lines["grace@uni.edu", ""]["section"] == "Fri"
    assert lines["ada@uni.edu", "04"]["name"] == "Ada Lovelace"


@pytest.mark.parametrize("scores", [(0.0, 1.0), (1.0, 0.0)])
def test_of_two_names_of_one_student_the_best_file_counts(tmp_path, scores):
    """Where the roster came after the grading: neither platform knows whether its file is the later one."""
    given = terms(tmp_path, 'lessons = ["00"]\nroster = "class.csv"')
    made = [solved(name, "00", score) for name, score in zip(("Ada Lovelace_77", "ada"), scores)]
    counting, found, _ = of(tmp_path, given, made)

    assert counting["ada@uni.edu", "00"].row["score"] == 1.0
    (other,) = [entry for entry in found if not entry.counts]
    assert "nothing says which is later" in entries.late_or_superseded(other)[0]


@pytest.mark.parametrize(
    "name, unread", [("04_one_row.ipynb", ["unreadable", "missing"]), ("x.ipynb", ["unreadable"] * 2)]
)
def test_unreadable_is_not_handed_in_nowhere(tmp_path, capsys, name, unread):
    """For the lesson that its name says, else for all that are missing; Canvas gets no 0 and no "no submission"."""
    broken = solved("ada", None, name=name) | {"problems": ["the file is empty"]}
    made = [broken, solved("bob", "04", *full("04")), solved("bob", "05", *full("05"), name="y.ipynb")]
    _, found, _ = of(tmp_path, None, made)
    mine = [e for e in found if e.key == "ada"]
    assert [entries.standing(mine, n) for n in ("04", "05")] == unread
    assert entries.standing(mine, "04") in entries.STANDING

    store(tmp_path, made)
    text = "Student,ID,SIS Login ID,Lesson 04 (1),Lesson 05 (2)\nA,1,ada,,\nB,2,bob,,\nC,3,kim,,\n"
    code, got, told = fill(tmp_path, capsys, text)
    assert code == 0 and "A,1,ada,,\n" in got
    assert ("not readable: A, lesson 04" in told) and ("no submission: A" in told) == ("missing" in unread)
    assert "no submission: C, lesson 04, 05" in told


def test_canvas_gets_no_score_that_was_not_judged_in_full(tmp_path, capsys):
    """Unless a person settled it; who is exempt is excused there."""
    troubled = [exercise("4.1", "error", 0.0, flags=["grader-failed"]), exercise("4.2")]
    made = [row(f"{n}/x.ipynb", n, "04", *troubled) for n in ("ada", "bob")] + [
        row("kim/x.ipynb", "kim", "04", exercise("4.1")),
        row("lee/x.ipynb", "lee", "04", exercise("4.1"), exercise("4.2")),
    ]
    store(tmp_path, made)
    (tmp_path / "overrides.csv").write_text(HEAD + "bob,4.1,1,,,\nkim,04,exempt,,,\nlee,4.1,exempt,,,\n")
    text = "Student,ID,SIS Login ID,Lesson 04 (1)\nA,1,ada,\nB,2,bob,\nK,3,kim,\nL,4,lee,\n"

    code, got, told = fill(tmp_path, capsys, text)

    assert (code, got) == (0, text.replace("bob,", "bob,3").replace("kim,", "kim,EX").replace("lee,", "lee,2"))
    assert "lee is exempt from a part of lesson 04, and has 2 of 2 points" in told and "kim is exempt" not in told
    assert "no score, for it was not judged in full: ada/x.ipynb" in told and "bob/x.ipynb" not in told


def test_what_is_said_of_many_files_is_one_line(tmp_path, capsys):
    """Of those who are late by their names, for example."""
    ids = dict(enumerate("abc", 1))
    made = [solved(f"{n}_{i}", "04", *full("04"), submission=f"{n}_late_{i}_8_04.ipynb") for i, n in ids.items()]
    store(tmp_path, made)
    book = "Student,ID,SIS Login ID,Lesson 04 (1)\n" + "".join(f"{n},{i},,\n" for i, n in ids.items())
    _, _, told = fill(tmp_path, capsys, book)
    late = [line for line in told.splitlines() if "late" in line and line.startswith("look at")]
    assert len(late) == 1 and all(each["submission"] in late[0] for each in made)


def test_canvas_finds_students_by_what_the_roster_knows(tmp_path, capsys):
    """An account of GitHub Classroom leads to the gradebook by way of the roster."""
    (tmp_path / "r.csv").write_text("identifier,github_username,name\ns0101,adalove,\n")
    (tmp_path / "a.toml").write_text('lessons = ["04"]\nroster = ["r.csv", "book.csv"]')
    text = 'Student,ID,SIS User ID,SIS Login ID,Section,Lesson 04 (1)\n"Lovelace, Ada",1,s0101,al@x.edu,A,\n'
    (tmp_path / "book.csv").write_text(text)
    store(tmp_path, [solved("one-row-adalove", "04", *full("04"))])
    code, got, told = fill(tmp_path, capsys, text, "--assignment", str(tmp_path / "a.toml"))
    assert (code, got) == (0, text.replace(",A,", f",A,{sum(full('04')):g}")), told


def test_overrides_survive_every_regrade_and_bad_lines_cost_the_exit_status(tmp_path, capsys):
    """results/overrides.csv is read by itself; rows stay as they were judged."""
    store(tmp_path, [solved("ada", "04", 0, 0, 0)])
    before = (tmp_path / "results.jsonl").read_bytes()
    (tmp_path / "overrides.csv").write_text(HEAD + "ada,4.1,2,,Kim,\nada,9.99,2,,,\n")

    assert main(["export", str(tmp_path), "--format", "csv"]) == 1
    assert "overrides.csv: line 3 has no effect: '9.99' is no exercise" in capsys.readouterr().err
    (line,) = table(tmp_path)
    assert (line["score"], line["4.1"], line["by_hand"]) == ("2.0", "2.0", "4.1: set to 2 points by Kim")
    assert before == (tmp_path / "results.jsonl").read_bytes()
    for form, more in {"gradescope": 2, "github": 2}.items():
        assert main(["export", str(tmp_path), "--format", form]) == 1
        made = json.loads((tmp_path / ("results.json" if form == "gradescope" else "github.json")).read_text())
        assert sum(test["score"] for test in made["tests"]) == more and "set to 2 points by Kim" in json.dumps(made)
    for name in ("html", "junit"):
        assert main(["export", str(tmp_path), "--format", name]) == 1
    (tmp_path / "overrides.csv").write_text("student,points\n")
    assert main(["export", str(tmp_path), "--format", "csv"]) == 2
    assert "Nothing exported: " in capsys.readouterr().err


def test_what_counts_is_said_once(tmp_path, capsys):
    """A faulty assignment, two at once, or one that is kept in the folder."""
    store(tmp_path, [solved("ada", "04", *full("04")), solved("ada", "05", *full("05"), name="y.ipynb")])
    (tmp_path / "a.toml").write_text("lessons = 4")
    for arguments in (
        ["--assignment", tmp_path / "a.toml"],
        ["--lessons", "44"],
        ["--lessons", "04", "--assignment", "x"],
    ):
        assert main(["export", str(tmp_path), "--format", "csv", *map(str, arguments)]) == 2
        assert "Nothing exported: " in capsys.readouterr().err
    assignment.keep(assignment.of_lessons("05"), tmp_path)
    export(tmp_path, "csv")
    assert [line["counts"] for line in table(tmp_path)] == ["no", "yes"]


def test_a_problem_of_a_lesson_that_is_not_asked_for_is_no_file_for_a_person(tmp_path):
    """It is said, and that is all."""
    why = str(fault(rows.NOT_ASKED, "not judged: lesson {lesson} is no part of the assignment", lesson="05"))
    store(tmp_path, [solved("ada", "04", *full("04"))])
    with results_store.Results(tmp_path) as results:
        problem = fault(rows.NOT_ASKED, "not judged: lesson {lesson} is no part of the assignment", lesson="05")
        results.add(solved("ada", "05", name="y.ipynb") | {"problems": [problem]})
    found = entries.of(results_store.read(tmp_path / "results.jsonl").rows())
    (other,) = [e for e in found if e.row["lesson"] == "05"]
    assert not other.counts and entries.for_a_person(other) == [] and entries.remarks(other) == [why]
    assert set(entries.lessons(found)) == {"04"}
