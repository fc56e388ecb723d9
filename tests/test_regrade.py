"""python -m grader grade with an assignment, and with a list of requests: what is judged, again or not at all."""

import contextlib
import json

import pytest
from test_classroom import Graders, graded, notebook, row, score

from grader import lessons
from grader.__main__ import main
from grader.classroom import assignment, executors, grading, lesson_digest, regrade, results_store
from grader.sentence import fault
from grader.version import VERSION

FIRST = {number: lessons.of_lesson(number)[0].id for number in ("04", "05")}


@pytest.fixture
def place(tmp_path, monkeypatch, capsys):
    """A class of three, and a grader that gives points by what a file says."""
    for name in ("ada/04.ipynb", "ada/05.ipynb", "bob/04.ipynb", "Eve Li_12/04 one row.ipynb"):
        (tmp_path / "class" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "class" / name).write_text("1")
    return Place(tmp_path, monkeypatch, capsys)


class _Graders(Graders):
    """Graders that find a lesson in a file's name."""

    def submit(self, function, work):
        if function is grading.grade:
            return super().submit(function, work)
        return Graders(lambda job: job.name.rpartition("/")[2][:2]).submit(function, work)


class Place:
    """Where commands run."""

    def __init__(self, path, monkeypatch, capsys):
        self.path, self.out, self._capsys, self.points, self.problems, self.jobs = (
            path,
            path / "out",
            capsys,
            1.0,
            [],
            [],
        )
        self.graders = _Graders(self._grade)
        monkeypatch.setattr(executors, "local", lambda *_: contextlib.nullcontext(self.graders.grading_executor()))

    def _grade(self, job):
        self.jobs.append(job)
        lesson = "05" if "05" in job.name else "04"
        done = [score(FIRST[lesson], "passed", self.points, flags=[])]
        facts = {"sha256": job.sha256, "grader": VERSION, "seed": job.seed, "digest": lesson_digest.of(lesson)}
        return graded(job) | row(job.name, student=job.student, exercises=done, problems=self.problems, **facts)

    def grade(self, *more):
        """(exit status, what was said, the files that were graded)."""
        self.graders.asked.clear()
        self.jobs.clear()
        status = main(["grade", str(self.path / "class"), "--out", str(self.out), "--yes", *map(str, more)])
        said = self._capsys.readouterr()
        return status, said.out + said.err, sorted(self.graders.asked)


def test_only_what_is_asked_for_is_graded_again(place):
    """By any name of a student, for an exercise, a lesson, or all; what came of it is said."""
    assert place.grade()[0] == 0
    place.points = 2.0
    requests = place.path / "requests.csv"
    requests.write_text(f"student,exercise,reason\nada,{FIRST['04']},I was right\n")
    status, told, asked = place.grade("--regrade", requests)
    assert (status, asked) == (0, ["ada/04.ipynb"])
    assert f"graded again: ada/04.ipynb: {FIRST['04']}: 1 point, now 2" in told
    for text, files in {
        "student\nada\n": ["ada/04.ipynb", "ada/05.ipynb"], "student;lesson\nADA;5\n": ["ada/05.ipynb"],
        "student,exercise\nbob,04\nEve Li,\n": ["Eve Li_12/04 one row.ipynb", "bob/04.ipynb"],
    }.items():  # fmt: skip
        requests.write_text(text)
        assert place.grade("--regrade", requests)[::2] == (0, files)
    assert place.grade()[2] == []


def test_a_request_without_effect_is_named_and_costs_the_exit_status(place):
    """And the others are met."""
    place.grade()
    requests = place.path / "requests.csv"
    requests.write_text("student,exercise\nnobody,\nada,9.99\nbob,05\nbob,04\n")
    status, told, asked = place.grade("--regrade", requests)

    assert (status, asked) == (1, ["bob/04.ipynb"])
    for line, why in {2: "no student is 'nobody'", 3: "'9.99' is no exercise", 4: "no file of this student"}.items():
        assert f"request in line {line} has no effect: {why}" in told
    for text, why in {"": "it is empty", "name\nx\n": "no column student", "student\n": "it has no request"}.items():
        requests.write_text(text)
        status, told, _ = place.grade("--regrade", requests)
        assert status == 2 and why in told
    with pytest.raises(regrade.NoRequests, match="cannot be read"):
        regrade.read(place.path / "nowhere")


def test_what_could_not_be_judged_costs_the_exit_status(place):
    """The machine's fault is tried again, a slip of the grader is not; a student's own fault is a verdict."""
    place.problems = [fault("not-graded", "not graded: no memory")]
    status, told, _ = place.grade()
    assert status == 1 and "4 of them could not be judged in full" in told
    place.problems = [fault("given-up", "given up: too odd")]
    status, told, asked = place.grade()
    assert status == 1 and len(asked) == 4 and "4 of them could not be judged, and a person has to look" in told
    assert place.grade()[::2] == (1, [])
    place.problems = ["pads is defined 2 times"]
    for path in place.path.rglob("*.ipynb"):
        path.write_text("2")
    assert place.grade()[0] == 0


def test_an_assignment_is_handed_to_the_graders_and_kept(place):
    """Its lessons are asked for, all attempts where the best one counts, and exports know it."""
    (place.path / "a.toml").write_text('lessons = ["04"]\nattempt = "best"')
    (place.path / "class" / "ada" / "04 (2).ipynb").write_text("1")
    status, _, asked = place.grade("--assignment", place.path / "a.toml")
    assert status == 0 and "ada/04 (2).ipynb" in asked and "ada/04.ipynb" in asked
    assert {job.asked for job in place.jobs} == {("04",)}
    assert assignment.kept(place.out).attempt == "best"

    assert place.grade("--lessons", "05")[0] == 0 and assignment.kept(place.out).lessons == ("05",)
    (place.path / "a.toml").write_text("lessons = []")
    for more in (
        ["--assignment", place.path / "a.toml"],
        ["--lessons", "04,77"],
        ["--assignment", "x", "--lessons", "04"],
    ):
        status, told, asked = place.grade(*more)
        assert (status, asked) == (2, []) and "Nothing graded: " in told
    assert assignment.kept(place.out).lessons == ("05",)


def test_merged_parts_keep_the_assignment(place, tmp_path):
    """That of the first part which has one."""
    place.grade("--lessons", "04")
    with results_store.Results(tmp_path / "other") as results:
        results.add(row("x"))
    assert main(["merge", str(tmp_path / "other"), str(place.out), "--out", str(tmp_path / "all")]) == 0
    assert assignment.kept(tmp_path / "all").lessons == ("04",)


@pytest.mark.whole
def test_a_real_notebook_of_another_lesson_is_not_judged(tmp_path, capsys):
    """Whatever is in it; its row says so, and the file of the assignment has its points."""
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ada.ipynb").write_text(notebook("def double(x): return 2 * x", 'check("0.1")'))
    assert main(["grade", str(tmp_path / "class"), "--out", str(tmp_path / "out"), "--lessons", "04"]) == 0
    (made,) = map(json.loads, (tmp_path / "out" / "results.jsonl").read_text().splitlines())
    assert (made["lesson"], made["exercises"]) == ("00", []) and "no part of the assignment" in made["problems"][0]
    assert main(["grade", str(tmp_path / "class"), "--out", str(tmp_path / "out"), "--lessons", "00"]) == 0
    assert main(["export", str(tmp_path / "out"), "--format", "github"]) == 0
    assert json.loads((tmp_path / "out" / "github.json").read_text())["max_score"] == 1


def test_a_request_about_a_file_that_cannot_be_read_has_an_answer():
    """It names the file and what is the matter with it; a file that another one stands for is not asked about."""
    requests = regrade.Requests([regrade.Request(2, "eve", "0.1", False)], {"eve/00.ipynb"})
    requests._rows[2, "eve/00.ipynb"] = 0.0
    unread = row("eve/00.ipynb", student="eve", problems=["the file is empty"], instead=None)
    (told,) = requests.answers([unread, unread | {"instead": "eve/1.ipynb"}])
    assert str(told) == "read again, and not graded: eve/00.ipynb: the file is empty"
