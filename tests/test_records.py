"""Rows of results.jsonl: which lines hold one, and that no other line ends a command or is lost."""

import contextlib
import json
import random
import resource

import pytest
from test_classroom import Graders, graded, row, score

from grader.__main__ import main
from grader.classroom import executors, grading, results_store, rows
from grader.cli.export import FORMATS
from grader.spec import STATUS, Record, Result

PASSED = score("4.1", "passed", 2.0, ledger={"read": 1.0, "written": 1}, budget=[1, 1.0], also=None)
GOOD = row("ada/x.ipynb", student="ada", lesson="04", score=2, max_score=2.0, exercises=[PASSED])
BOOK = "Student,ID,Lesson 04 (1)\nada,101,\nbob,102,\n"


def line(data):
    return json.dumps(data).encode()


def without(data, name):
    return {key: value for key, value in data.items() if key != name}


RIGHT = {
    "of this version": line(GOOD),
    "of a newer version": line(GOOD | {"more": {"of": [1, None]}, "exercises": [PASSED | {"more": 1}]}),
    "without a field that may be null": line(without(GOOD, "sha256") | {"exercises": [without(PASSED, "ledger")]}),
    "from an editor": b"\xef\xbb\xbf" + line(GOOD) + b"\r\n",
    "of a file that ended its grader": line(GOOD | {"isolation": "?", "sha256": None}),
    "a sum that was rounded": line(GOOD | {"score": 2 - 1e-6}),
    "a bonus": line(
        GOOD
        | {"score": 5, "exercises": [PASSED, PASSED | {"id": "4.2", "score": 3.5, "max_score": 3.0, "bonus": True}]}
    ),
    "odd text": line(GOOD | {"student": "\x00\ud800\u202e", "seed": ""}),
}

WRONG = {
    "half a row": (line(GOOD)[:-30], "not JSON"),
    "NUL": (b"\0" * 50, "not JSON"),
    "NUL in a row": (line(GOOD).replace(b"ada", b"a\0a"), "not JSON"),
    "not UTF-8": (line(GOOD).replace(b"ada", b"\xff\xfe"), "not UTF-8"),
    "UTF-16": (line(GOOD).decode().encode("utf-16-le"), "not JSON"),
    "nested": (b"[" * 100_000, "nested"),
    "nested a little": (line(GOOD | {"more": eval("[" * 40 + "]" * 40)}), "nested"),
    "a list": (line([GOOD]), "dict expected, list arrived"),
    "a number": (b"5", "dict expected, int arrived"),
    "null": (b"null", "dict expected"),
    "NaN": (line(GOOD | {"score": float("nan")}), "number"),
    "infinity": (line(GOOD | {"score": float("-inf")}), "number"),
    "a huge number": (line(GOOD).replace(b'"score": 2,', b'"score": 1e999,'), "number"),
    "a huge integer": (line(GOOD).replace(b'"score": 2,', b'"score": ' + b"9" * 9999 + b","), "number"),
    "a large integer": (line(GOOD | {"score": 10**15}), "number"),
    "no submission": (line(without(GOOD, "submission")), "submission: str expected"),
    "a truth value": (line(GOOD | {"score": True}), "score: float expected, bool arrived"),
    "text for a number": (line(GOOD | {"max_score": "2"}), "max_score: float expected"),
    "an unknown level": (line(GOOD | {"isolation": "vm"}), "isolation: one of none, limits"),
    "an unknown status": (line(GOOD | {"exercises": [PASSED | {"status": "great"}]}), "exercises: status: one of"),
    "a lesson in words": (line(GOOD | {"lesson": "four"}), "lesson: two digits"),
    "a time in words": (line(GOOD | {"handed_in": "=today"}), "handed_in: a time"),
    "a long id": (line(GOOD | {"exercises": [PASSED | {"id": "4." + "1" * 5000}]}), "an id such as 4.1"),
    "an id that computes": (line(GOOD | {"exercises": [PASSED | {"id": "=1+1"}]}), "an id such as 4.1"),
    "flags in one text": (line(GOOD | {"exercises": [PASSED | {"flags": "x"}]}), "exercises: flags: list expected"),
    "half a budget": (line(GOOD | {"exercises": [PASSED | {"budget": [1]}]}), "budget: 2 values expected"),
    "half a ledger": (line(GOOD | {"exercises": [PASSED | {"ledger": {"read": 1}}]}), "ledger: written: float"),
    "more than its exercises": (line(GOOD | {"score": 3}), "score: 3, and the sum of its exercises is 2"),
    "another maximum": (line(GOOD | {"max_score": 7}), "max_score: 7, and the sum of its exercises is 2"),
    "points without exercises": (line(GOOD | {"exercises": []}), "score: 2, and the sum of its exercises is 0"),
    "less than nothing": (line(GOOD | {"score": -2, "exercises": [PASSED | {"score": -2}]}), "4.1 has points below 0"),
    "an exercise twice": (
        line(GOOD | {"score": 4, "max_score": 4, "exercises": [PASSED] * 2}),
        "4.1 stands there twice",
    ),
    "an exercise of another lesson": (line(GOOD | {"lesson": "05"}), "4.1 is none of the row's lesson"),
    "an exercise of no lesson": (line(GOOD | {"lesson": None}), "4.1 is none of the row's lesson"),
    "an exercise that is not there": (
        line(GOOD | {"exercises": [PASSED | {"id": "4.9"}]}),
        "lesson 04 has no exercise 4.9",
    ),
    "a lesson that is not there": (line(GOOD | {"lesson": "77", "exercises": []}), "the course has no lesson 77"),
    "a null in a list": (line(GOOD | {"problems": [None]}), "problems: str expected"),
}
NULLABLE = {"lesson", "sha256", "handed_in", "instead", "mistake", "also", "ledger", "budget", "seconds", "bonus"}
NULLABLE |= {"by_numbers", "cases_left", "language", "undecided", "digest", "seconds_each", "answers"}
# A file's seconds are never null, an exercise's are where no grader took them.
for name in sorted(rows.Row.__annotations__.keys() - (NULLABLE - {"seconds"}) - {"submission"}):
    WRONG[f"{name} is null"] = line(GOOD | {name: None}), f"{name}: "
    WRONG[f"no {name}"] = line(without(GOOD, name)), f"{name}: "
for name in sorted(Record.__annotations__.keys() - NULLABLE):
    WRONG[f"exercise without {name}"] = line(GOOD | {"exercises": [without(PASSED, name)]}), f"exercises: {name}: "


@pytest.mark.parametrize("right", RIGHT.values(), ids=RIGHT)
def test_a_row_is_accepted(right):
    """Fields that this version does not know are no harm; a field that may be null may be left out."""
    got = rows.parse(right)

    assert rows.Row.__annotations__.keys() == got.keys() and got["submission"] == "ada/x.ipynb"
    assert Record.__annotations__.keys() == got["exercises"][0].keys()


@pytest.mark.parametrize("wrong, says", WRONG.values(), ids=WRONG)
def test_a_damaged_line_is_refused(wrong, says):
    """And the sentence names the field."""
    with pytest.raises(rows.Damaged) as refused:
        rows.parse(wrong)
    assert says in str(refused.value) and refused.value.submission in (None, "ada/x.ipynb")


def test_what_the_grader_writes_is_a_row():
    """With the same fields, for each status; the schema has neither more nor less."""
    results = [
        Result(f"12.{number}", "t", status, 1, 2, ledger={"read": 1, "written": 2, "part": "x"})
        for number, status in enumerate(STATUS, 1)
    ]
    job = grading.Job("x", "x", 20.0, "seed", b"", "0")
    made = grading._row(job, "12", [], results, "?", 0.0)

    assert rows.Row.__annotations__.keys() == made.keys()
    assert Record.__annotations__.keys() == made["exercises"][0].keys()
    assert list(STATUS) == [e["status"] for e in rows.parse(line(made))["exercises"]]


# ---- commands


class Folder:
    """A folder of results with two files to grade, and commands that run in this process."""

    def __init__(self, path, monkeypatch, capsys):
        self.path, self.out, self._capsys = path, path / "out", capsys
        self.file, self.aside = self.out / "results.jsonl", self.out / "results.damaged.jsonl"
        (path / "book.csv").write_text(BOOK)
        for name in ("ada", "bob"):
            (path / "class" / name).mkdir(parents=True)
            (path / "class" / name / "x.ipynb").write_text(name)
        self.graders = Graders(lambda job: graded(job) | {"student": job.student})
        monkeypatch.setattr(executors, "local", lambda *_: contextlib.nullcontext(self.graders.grading_executor()))

    def grade(self):
        """(exit status, what was said, the files that were graded)."""
        self.graders.asked.clear()
        return *self.command("grade", self.path / "class", "--out", self.out, "--yes"), sorted(self.graders.asked)

    def command(self, *arguments):
        status = main([*map(str, arguments)])
        said = self._capsys.readouterr()
        return status, said.out + said.err

    def export(self, form):
        if form == "moodle":
            head = "Identifier,Full name,Grade,Maximum Grade,Changed,Feedback\n"
            (self.path / "book.csv").write_text(head + "Participant 1,bob,,10,,\n")
        more = ["--gradebook", self.path / "book.csv"] if form in ("canvas", "moodle") else []
        return self.command("export", self.out, "--format", form, "--to", self.path / "to" / form, *more)

    def write(self, *lines):
        self.out.mkdir(exist_ok=True)
        self.file.write_bytes(b"".join(lines))


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    return Folder(tmp_path, monkeypatch, capsys)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("wrong, says", WRONG.values(), ids=WRONG)
def test_grade_sets_a_damaged_line_aside_once_and_grades_its_file_again(folder, wrong, says):
    """The sentence has the number of the line; the other rows stay, and a second run finds nothing to do."""
    assert folder.grade()[::2] == (0, ["ada/x.ipynb", "bob/x.ipynb"])
    lines = folder.file.read_bytes().splitlines(keepends=True)
    bob = next(each for each in lines if b"bob/x" in each)
    folder.write(bob, wrong.replace(b"\n", b" "))

    status, said, asked = folder.grade()

    assert (status, asked) == (0, ["ada/x.ipynb"])
    (sentence,) = [each for each in said.splitlines() if "damaged:" in each]
    assert f"{folder.file}: line 2" in sentence and says in sentence and "results.damaged.jsonl" in sentence
    assert wrong + b"\n" == folder.aside.read_bytes() and bob in folder.file.read_bytes()
    assert folder.grade()[::2] == (0, []) and wrong + b"\n" == folder.aside.read_bytes()


def test_the_row_that_a_damaged_one_replaced_is_out_of_date(folder):
    """Its file is graded again, although the earlier row has the same bytes, grader and secret."""
    folder.grade()
    before = folder.file.read_bytes()
    folder.write(before, line(GOOD | {"score": None}))

    assert folder.grade()[2] == ["ada/x.ipynb"]
    assert folder.grade()[::2] == (0, [])


def test_nothing_is_set_aside_twice_or_lost_on_a_full_disk(folder):
    """Both files hold what they held, in a run that was stopped between the two writes as well."""
    folder.grade()
    damaged = line(GOOD | {"score": None, "message": "x" * 2000}) + b"\n"
    whole = folder.file.read_bytes() + damaged
    folder.write(whole)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        status, said, _ = folder.grade()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert status == 2 and "cannot be written" in said
    assert whole == folder.file.read_bytes() and not folder.aside.exists()

    folder.aside.write_bytes(b"earlier\n" + damaged)
    assert folder.grade()[0] == 0
    assert b"earlier\n" + damaged == folder.aside.read_bytes() and damaged not in folder.file.read_bytes()


@pytest.mark.parametrize("form", FORMATS)
def test_export_leaves_a_damaged_row_out_and_says_so(folder, form):
    """Exit status 1, and results.jsonl stays as it is; with no other row there is nothing to export."""
    of_a_platform = {"canvas-comments": "bob_2_9_x.ipynb", "moodle-feedback": "Bob_7_assignsubmission_file/x.ipynb"}
    name = of_a_platform.get(form, "bob/x.ipynb")
    folder.write(line(row(name, student="bob", lesson="04")) + b"\n", line(GOOD | {"score": None}) + b"\n")
    before = folder.file.read_bytes()

    status, said = folder.export(form)

    assert status == 1 and "line 2 about 'ada/x.ipynb' is damaged: score: float expected" in said
    assert before == folder.file.read_bytes() and not folder.aside.exists()
    folder.write(b"{}\n")
    status, said = folder.export(form)
    assert status == 2 and "line 1 is damaged" in said and "holds no results" in said


def test_results_that_cannot_be_read_are_a_sentence(folder):
    """A folder in the place of results.jsonl, a file in the place of the folder."""
    folder.file.mkdir(parents=True)
    assert (folder.export("csv")[0], folder.grade()[0]) == (2, 2)
    folder.out = folder.path / "book.csv"
    assert folder.export("csv")[0] == 2


def test_a_row_that_no_command_could_read_is_not_stored(folder):
    """An answer that reports impossible counts, or a grader of another version, costs one file its points."""
    bad = {"ada/x.ipynb": {"score": float("nan")}, "bob/x.ipynb": {"exercises": [{"id": "4.1"}]}}
    folder.graders.grade = lambda job: graded(job) | bad[job.name]

    assert folder.grade()[0] == 1

    stored = {r["submission"]: r["problems"][0] for r in results_store.read(folder.file).rows()}
    assert "not graded: the row made for it is damaged: a number" in stored["ada/x.ipynb"]
    assert "exercises: title: str expected" in stored["bob/x.ipynb"]
    assert folder.grade()[2] == ["ada/x.ipynb", "bob/x.ipynb"]


# ---- random damage

VALUES = (None, True, -1, 0.5, 1e308, 10**400, float("nan"), "", "=1+1", "\0\ud800", [], [None], {}, {"a": []})


def mutated(chance, text):
    """The bytes of a results.jsonl after one to three random changes, some to fields and some to bytes."""
    for _ in range(chance.randint(1, 3)):
        lines = text.split(b"\n")
        at = chance.randrange(len(lines))
        kind = chance.randrange(8)
        if kind < 4:
            with contextlib.suppress(ValueError):
                data = json.loads(lines[at])
                change(chance, data)
                lines[at] = line(data)
            text = b"\n".join(lines)
        elif kind == 4:
            text = text[: chance.randrange(len(text) + 1)]
        elif kind == 5:
            begin = chance.randrange(len(text) + 1)
            text = text[:begin] + chance.randbytes(chance.randint(1, 9)) + text[begin + chance.randint(0, 9) :]
        elif kind == 6:
            text = b"\n".join([*lines[:at], lines[at], *lines[at:]])
        else:
            begin = chance.randrange(len(text) + 1)
            text = text[:begin] + b"\0" * chance.randint(1, 40) + text[begin:]
    return text


def change(chance, data):
    """Change one field, at any depth: another value, or none."""
    while isinstance(data, (dict, list)) and data:
        at = chance.choice(list(data) if isinstance(data, dict) else range(len(data)))
        if isinstance(data[at], (dict, list)) and data[at] and chance.random() < 0.7:
            data = data[at]
            continue
        if chance.random() < 0.3:
            del data[at]
        else:
            data[at] = chance.choice(VALUES)
        return


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.whole) for seed in range(1, 24))])
def test_no_random_damage_ends_a_command_in_a_traceback(seed, folder):
    """Each exit status is one of 0 to 3; `grade` makes the folder whole again, and each damaged line is kept."""
    chance = random.Random(seed)
    wrong = PASSED | {"status": "failed", "mistake": "pad-zero"}
    bob = row("bob/x.ipynb", student="bob", lesson="04", exercises=[wrong])
    whole = b"".join(line(each) + b"\n" for each in (GOOD, bob, GOOD | {"score": 1.0}))
    for number in range(8):
        folder.aside.unlink(missing_ok=True)
        text = mutated(chance, whole)
        folder.write(text)
        before = results_store.read(folder.file)
        status = [folder.export(form)[0] for form in FORMATS]
        status += [folder.command("merge", folder.out, "--out", folder.path / f"merged {number}")[0]]
        assert set(status) <= {0, 1, 2, 3} and text == folder.file.read_bytes()
        assert bool(before.damaged) == (1 in status[:-1]) or 2 in status

        assert folder.grade()[0] == 0

        names = [{name for _, name, _ in found.lines} for found in (before, results_store.read(folder.file))]
        assert names[0] | {"ada/x.ipynb", "bob/x.ipynb"} == names[1]
        assert results_store.read(folder.file).tidy
        kept = folder.aside.read_bytes() if folder.aside.exists() else b""
        assert b"".join(damaged.line for damaged in before.damaged) == kept
