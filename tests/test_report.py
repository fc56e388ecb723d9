"""The report that those who grade act on: what to do next, answers beside feedback, letters, and how long it takes."""

import json
import re
import time

import pytest
from test_export import ADA, EVIL, SECOND, WRONG, Page, exercise, row

from grader import environment, lessons
from grader.__main__ import main
from grader.classroom import rows
from grader.export import choices, entries, letters, nearest
from grader.language import between, use
from grader.mistakes import mutant
from grader.sentence import fault, said

PAD = mutant.reference("4.1").replace('other=-float("inf")', "other=0.0")
NO_JSON = said("the file is no notebook: it cannot be read as JSON")


def moodle(name, number, file, lesson, *exercises, **more):
    """A row as Moodle's names make it."""
    made = row(f"{name}_{number}_assignsubmission_file_/{file}", f"{name}_{number}", lesson, *exercises)
    return made | {"language": None} | more


def wrong(text=PAD, **more):
    return {"answers": {"4.1": rows.kept(text)}} | more


UNREAD = moodle("Alan Turing", 7, "04.ipynb", None, problems=[NO_JSON])
CLASS = [
    moodle("Ada Lovelace", 5, "04.ipynb", "04", WRONG, exercise("4.2"), **wrong()),
    moodle("Grace Hopper", 6, "04.ipynb", "04", WRONG, exercise("4.2"), **wrong(PAD.replace("row_max", "m"))),
    UNREAD,
    moodle("李 小龙", 8, "00.ipynb", "00", exercise("0.1"), language="zh_Hans"),
    moodle("李 小龙", 8, "x.docx", None, problems=[said("it is no notebook: its name ends in neither .ipynb nor .py")]),
    moodle("Tim", 9, "05.ipynb", "05", exercise("5.1", "not_attempted", 0.0), exercise("5.2", "not_attempted", 0.0)),
    moodle(
        "Zoë", 10, "06.ipynb", None,
        problems=[fault("not-graded", "not graded: the grader itself failed: {name}: {error}", name="E", error="x")],
    ),
]  # fmt: skip


def store(folder, some):
    (folder / "results.jsonl").write_bytes(b"".join(map(rows.line, some)))


def report(folder, some, *more):
    """{path below html: text of the page}."""
    store(folder, some)
    try:
        assert main(["export", str(folder), "--format", "html", *more]) == 0
    finally:
        use(None)
    pages = (folder / "html").rglob("*.html")
    return {path.relative_to(folder / "html").as_posix(): path.read_text(encoding="utf-8") for path in pages}


def steps(index):
    return [" ".join(step.split()) for step in re.findall(r'<li><a href="#\w+">(.*?)</a></li>', index, re.DOTALL)]


def read(*some):
    return entries.of(rows.parse(rows.line(each)) for each in some)


def test_the_page_of_the_class_begins_with_what_to_do_next(tmp_path):
    """What the machine owes first, then letters, then what a person decides."""
    names = [CLASS[0]["submission"], "Ada Lovelace_5_assignsubmission_file_/mine.ipynb"]
    of_04 = {"counts": names[::-1], "undecided": True, "why": "no time is known", "instead": {}}
    left = {"counts": names[:1], "undecided": False, "why": "", "instead": {"x.ipynb": "blank"}}
    plan = {"students": [{"student": "ada", "lessons": {"04": of_04, "05": left}}]}
    (tmp_path / "plan.json").write_bytes(rows.line(plan))
    index = report(tmp_path, CLASS)["index.html"]
    assert index.index("What to do next") < index.index('id="again"') < index.index('id="person"')
    assert index.index('id="choices"') < index.index('id="scores"')
    assert [
        "Grade again: the grader itself failed on 1 file. The same command tries it once more.",
        "Write to 3 students, who have to hand in again. The texts are ready.",
        "Look over 1 choice among several files of a student.",
    ] == steps(index)[:3]
    assert "Explain again (2 of 2 students):" in steps(index)[3]
    page = Page(index).text
    assert "Ada Lovelace_5 · Lesson 04" in page
    for words in (f"counts: {names[0]}", f"does not: {names[1]}", "no time is known", "Hello Alan Turing,"):
        assert words in page


def test_where_nothing_is_left_the_page_says_so(tmp_path):
    """One student, all right."""
    index = report(tmp_path, [moodle("Ada", 5, "04.ipynb", "04", exercise("4.1"))])["index.html"]
    assert "Nothing: every file was read" in index and steps(index) == []


def test_a_letter_is_in_the_language_of_the_notebook(tmp_path, monkeypatch):
    """Whatever language the report is in; and it calls the file what the student called it."""
    for language in ("en", "zh_Hans"):
        use(language)
        try:
            found = {letter.student: letter for letter in letters.letters(read(*CLASS))}
        finally:
            use(None)
        assert list(found) == ["Alan Turing_7", "Tim_9", "李 小龙_8"]
        chinese = found["李 小龙_8"].text
        assert "小龙，你好：" in chinese and "x.docx" in chinese and "Hello" not in chinese and "ipynb" in chinese
    english = letters.letters(read(*CLASS))[0]
    assert english.subject == "Please hand in again: 04.ipynb"
    assert english.text.startswith(
        "Hello Alan Turing,\n\nyour file 04.ipynb could not be graded: the file is no notebook"
    )


def test_who_handed_in_another_lesson_is_asked_for_the_right_one(tmp_path):
    """Where nothing else of the student counts; files that are odd in another way are a step of their own."""
    (tmp_path / "assignment.toml").write_text('lessons = ["04"]\n')
    given = "--assignment", str(tmp_path / "assignment.toml")
    other = [moodle(name, 7, "x.ipynb", "05", exercise("5.1")) for name in ("Ada Lovelace", "Bob")]
    odd = moodle("Ada Lovelace", 7, "04.ipynb", "04", exercise("4.1"), problems=["a conflict was not resolved"])
    index = report(tmp_path, [*other, odd], *given)["index.html"]
    assert steps(index)[:2] == [
        "Write to 1 student, who has to hand in again. The text is ready.", "Read what else was odd about 2 files.",
    ]  # fmt: skip
    assert "your file x.ipynb is of lesson 05, and lesson 04 was asked for" in Page(index).text


def test_nobody_is_asked_for_what_is_there():
    """A later good file of the lesson, a file of the machine's fault, an empty exercise beside a right one."""
    good = moodle("Alan Turing", 7, "04 (1).ipynb", "04", exercise("4.1"), exercise("4.2", "not_attempted", 0.0))
    assert letters.letters(read(UNREAD, good, CLASS[-1])) == []
    other = moodle("Alan Turing", 7, "05.ipynb", "05", exercise("5.1"))
    assert len(letters.letters(read(UNREAD, other))) == 1


def test_what_a_person_settled_is_no_step_any_more(tmp_path):
    """A whole lesson by hand: of a blank notebook, of a file that cannot be read. One exercise is not all of it."""
    blank = moodle("Ada Lovelace", 5, "04.ipynb", "04", exercise("4.1", "not_attempted", 0.0))
    typed = moodle("Bob", 6, "onlinetext.html", None, problems=[NO_JSON])
    (tmp_path / "assignment.toml").write_text('lessons = ["04"]\n')
    given, words = ("--assignment", str(tmp_path / "assignment.toml")), tmp_path / "overrides.csv"
    head, ada, bob = "student,exercise,points,comment,by,date\n", "Ada Lovelace_5,04,exempt,ill,,\n", "Bob_6,04,2,,,\n"
    for text, first in (
        ("", "Write to 2 students, who have to hand in again. The texts are ready."),
        (ada, "Write to 1 student, who has to hand in again. The text is ready."),
        ("Ada Lovelace_5,4.2,0,,,\n" + bob, "Write to 1 student, who has to hand in again. The text is ready."),
    ):
        words.write_text(head + text)
        assert steps(report(tmp_path, [blank, typed], *given)["index.html"])[0] == first
    words.write_text(head + ada + bob)
    assert steps(report(tmp_path, [blank, typed], *given)["index.html"]) == []


@pytest.mark.parametrize("name, shown", [
    ("Ada_5_assignsubmission_file_/my 04.ipynb", "my 04.ipynb"), ("Ada_5_assignsubmission_file_04.ipynb", "04.ipynb"),
    ("lovelaceada_101_9001_04_one_row.ipynb", "04_one_row.ipynb"), ("submitted/ada/one/04.ipynb", "04.ipynb"),
    ("lovelaceada_late_101_9001_x.ipynb", "x.ipynb"), ("04_one_row.ipynb", "04_one_row.ipynb"),
])  # fmt: skip
def test_a_student_knows_the_file_by_its_own_name(name, shown):
    """Without what the platform set before it."""
    assert shown == letters.shown(name)


def test_an_answer_stands_beside_its_feedback_and_the_difference_to_a_stored_one(tmp_path):
    """For those who grade: two students with one mistake, one of whom wrote what the course has stored."""
    pages = report(tmp_path, CLASS)
    page = pages["exercises/4.1.html"]
    assert "0 passed, 2 wrong, 0 not attempted." in page and "2 students" in page
    assert "The same as the stored mistake 4.1/pad-zero." in page
    assert '<span class="plus">+    m = tl.max(x, axis=0)\n</span>' in page
    assert '<span class="minus">-    row_max = tl.max(x, axis=0)\n</span>' in page
    edit = page[page.index("How the course") :]
    assert "-    x = tl.load(x_ptr + cols, mask=mask, other=-float(&#34;inf&#34;))" in edit
    table = pages["lessons/04.html"]
    places = re.findall(r'href="../exercises/4.1.html#(s-\w+)"', table)
    assert len(places) == 2 and all(f'id="{place}"' in page for place in places)
    who = re.findall(r'href="exercises/4.1.html#(s-\w+)"', pages["index.html"])
    assert sorted(who) == sorted(places)


def test_what_a_student_gets_has_the_own_answer_and_no_other(tmp_path):
    """No stored answer, no name of another student, no link to the pages of those who grade."""
    pages = report(tmp_path, CLASS)
    (ada,) = (text for name, text in pages.items() if name.startswith("students/ada"))
    assert "other=0.0" in ada and WRONG["message"] in ada
    assert "Grace" not in ada and "float" not in ada and "stored" not in ada and Page(ada).links == []


def test_a_remark_of_many_exercises_is_said_once(tmp_path):
    """On a student's page with the exercises behind it, on the page of the class with the files."""
    many = [exercise(f"4.{n}", remarks=["a long remark"]) for n in (1, 2, 3)]
    some = [
        moodle(f"s{n}", n, "04.ipynb", "04", *many, problems=[said("nothing in it was attempted")]) for n in range(5)
    ]
    pages = report(tmp_path, some)
    student = next(text for name, text in pages.items() if name.startswith("students/"))
    assert student.count("a long remark") == 1 and "4.1, 4.2, 4.3" in student
    assert "5 files" in pages["index.html"]


ATTACK = f"x = 1 # {EVIL} </pre></details><svg onload=alert(1)> &lt; ' \" `"


def test_no_text_of_a_student_is_markup(tmp_path):
    """Names, files, answers, messages, mistakes, and what lies in plan.json."""
    bad = exercise("4.1", "failed", 0.0, mistake=ATTACK, message=ATTACK, flags=[ATTACK], remarks=[ATTACK])
    more = {"answers": {"4.1": {"text": ATTACK + "\n\x1b[31m\r\n\tx", "shape": ATTACK, "size": 999}}}
    some = [row(f"{ATTACK}{n}/x.ipynb", f"{ATTACK}{n}", "04", bad, bad | {"id": "4.2"}) | more for n in range(3)]
    some += [row(f"{ATTACK}/y.ipynb", ATTACK, None, problems=[ATTACK])]
    of_lesson = {"counts": [ATTACK], "undecided": True, "why": ATTACK, "instead": {ATTACK: ATTACK}}
    plan = {"students": [{"student": ATTACK, "lessons": {ATTACK: of_lesson}}]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    for name, text in report(tmp_path, some).items():
        page = Page(text)
        assert not page.tags & {"img", "svg", "iframe", "object", "form"}, name
        assert text.count("<script") == ('id="table"' in text), name
        assert not {each for each in page.attributes if each.startswith("on")} | page.attributes & {"src", "style"}
        assert "<svg onload=alert(1)>" in page.text and not re.search(r"[\x00-\x08\x0b-\x1f\u202e]", text), name


@pytest.mark.parametrize("text", [
    "", "[", "5", "[5, null, {}]", '{"students": [5, {"lessons": 5}, {"lessons": {"04": 5}}]}', "[" * 99999,
    '{"students": [{"lessons": {"04": {"undecided": true, "counts": [5], "why": "", "instead": [5]}}}], "said": 5}',
    '{"students": [{"lessons": {"04": {"undecided": true, "why": "x"}}}], "said": {"x": ["y", {}, 5]}}',
])  # fmt: skip
def test_a_plan_of_any_kind_breaks_no_report(tmp_path, text):
    """Somebody may have edited it."""
    (tmp_path / "plan.json").write_text(text)
    assert all(isinstance(choice.why, str) for choice in choices.read(tmp_path, []))
    assert "index.html" in report(tmp_path, [ADA])


def test_an_older_row_is_shown_without_its_answer(tmp_path):
    """And the page says why."""
    assert "The row keeps no answer: an older grader made it." in report(tmp_path, [SECOND])["exercises/4.1.html"]


def test_without_the_tests_of_the_course_the_mutants_are_compared(monkeypatch, tmp_path):
    """A copy of the course as an installation has it."""
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    for cached in (nearest.near, nearest.edit, nearest._stored, nearest._known):
        cached.cache_clear()
    try:
        found = nearest.near("4.1", "pad-zero", PAD)
        assert found == nearest.Near("4.1/pad-zero", ()) and nearest.edit("4.1", "pad-zero")
        assert nearest.near("4.1", None, "x = 1") is None
    finally:
        for cached in (nearest.near, nearest.edit, nearest._stored, nearest._known):
            cached.cache_clear()


def test_the_words_of_the_script_are_those_of_the_report(tmp_path):
    """In the language of the page."""
    table = report(tmp_path, CLASS, "--lang", "zh_Hans")["lessons/04.html"]
    assert "sorted by" not in table and "{column}" in table and "{shown}" in table


@pytest.mark.parametrize(
    "code, heading, separators",
    [("en", "Lesson 04 (one row)", (": ", ", ")), ("zh_Hans", "第 04 课（一行）", ("：", "，"))],
)
def test_what_stands_between_words_is_in_the_language_of_the_report(code, heading, separators, tmp_path):
    """Headings with a title, and the colons and commas between names."""
    pages = report(tmp_path, CLASS, "--lang", code)
    assert f"<h1>{heading}</h1>" in pages["lessons/04.html"] and heading in pages["exercises/4.1.html"]
    assert f"Alan Turing_7</bdi>{separators[0]}" in pages["index.html"]
    use(code)
    try:
        assert list(separators) == [between(": "), between(", ")] and "-" == between("-")
    finally:
        use(None)


def test_pages_of_an_earlier_export_are_not_handed_out(tmp_path):
    """A roster gives a student's page another name; a file that somebody else put there stays."""
    report(tmp_path, CLASS[:2])
    (tmp_path / "html/students/notes.html").write_text("mine")
    (tmp_path / "roster.csv").write_text("Name,Email\nAda Lovelace,ada@x.org\n")
    (tmp_path / "assignment.toml").write_text('lessons = ["04"]\nroster = ["roster.csv"]\n')
    pages = report(tmp_path, CLASS[:2], "--assignment", str(tmp_path / "assignment.toml"))
    names = sorted(name for name in pages if name.startswith("students/"))
    assert len(names) == 3 and "students/notes.html" in names
    assert [name for name in names if "ada-x-org" in name]


def test_the_roster_and_a_persons_points_are_in_the_report(tmp_path):
    """Names, sections to filter by, who is absent and what to write, and what was given by hand."""
    (tmp_path / "roster.csv").write_text(
        "Name,Email,Section\nAda Lovelace,ada@x.org,A\nGrace Hopper,grace@x.org,B\nEve Absent,eve@x.org,B\n"
    )
    (tmp_path / "assignment.toml").write_text('lessons = ["04"]\nroster = ["roster.csv"]\n')
    (tmp_path / "overrides.csv").write_text(
        "student,exercise,points,comment,by,date\nada@x.org,4.1,1,half right,TA,2026-11-29\n"
    )
    index = report(tmp_path, CLASS[:2], "--assignment", str(tmp_path / "assignment.toml"))["index.html"]
    assert "Ask 1 student of the roster, of whom there is no file." in steps(index)
    assert '<tr data-section="A">' in index and "<option>B</option>" in index
    text = " ".join(Page(index).text.split())
    assert re.search("Eve Absent ?no file ?missing ?handed in ?2 of 3 ?2 of 3 ?median", text)
    assert "Eve Absent (B)" in text and "Nothing of yours has arrived" in text
    assert "by hand" in text and "half right" in text and "Ada Lovelace" in text
    more = ("--assignment", str(tmp_path / "assignment.toml"))
    assert main(["export", str(tmp_path), "--format", "mail", *more]) == 0
    mail = (tmp_path / "mail.csv").read_text(encoding="utf-8-sig")
    assert "Eve Absent,B,eve@x.org,Nothing of yours has arrived" in mail and "Ada Lovelace,A,ada@x.org" in mail
    (tmp_path / "overrides.csv").write_text("student,exercise,points\neve@x.org,4.1,1\n")  # for no file
    text = " ".join(Page(report(tmp_path, CLASS[:2], *more)["index.html"]).text.split())
    assert re.search("Eve Absent ?1 ?1 ?.*handed in ?2 of 3 ?2 of 3 ?median", text)


@pytest.mark.parametrize("language", ["en", "zh_CN.UTF-8"])
def test_a_class_takes_seconds_in_any_language(tmp_path, monkeypatch, language):
    """The language of the environment, in which each sentence was slow once: a tenth of 300 students in 17 rows."""
    monkeypatch.setenv("LANGUAGE", language)
    sentence = said("{file} is of no lesson", file="x")
    some = [
        moodle(f"s{n}", n, f"{lesson:02}.ipynb", f"{lesson:02}", *found, answers={f"{lesson}.1": rows.kept(f"x = {n}")})
        for n in range(30)
        for lesson in range(16)
        for found in [
            [
                exercise(each.id, "failed", 0.0, message=sentence, mistake="pad-zero")
                for each in lessons.of_lesson(f"{lesson:02}")
            ]
        ]
    ]
    began = time.process_time()
    report(tmp_path, some)
    assert time.process_time() - began < 6
