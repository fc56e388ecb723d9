"""The folder of results, seeds, parts: what holds whatever happens around a run."""

import contextlib
import dataclasses
import json
import os
import resource
import stat
import subprocess
import sys
import zipfile
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import nbformat
import pytest
import torch
from conftest import ROOT

from grader import lessons
from grader.__main__ import main
from grader.classroom import executors, grading, lesson_digest, results_store, seeds, submissions
from grader.classroom.rows import NOT_GRADED, failed, parse
from grader.cli.grade import _in_shard, _report
from grader.judge import extract, zygotes
from grader.judge.judge import in_order, judge
from grader.sentence import fault
from grader.spec import Answer, Result
from grader.version import VERSION


def notebook(*cells):
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells]))


def row(name, **more):
    """A row as a grader writes it; its lesson and its points are those of its exercises."""
    work = {"sha256": "1", "grader": "2", "seed": "3", "isolation": "limits", "seconds": 1.5}
    made = {"submission": name, "student": name, **work, "lesson": None, "problems": [], "exercises": []} | more
    numbers = [lessons.number_of(e["id"]) for e in made["exercises"]]
    points = {kind: float(sum(e[kind] for e in made["exercises"])) for kind in ("score", "max_score")}
    return {"lesson": None} | points | made | ({"lesson": numbers[0]} if numbers and "lesson" not in more else {})


def stored(folder):
    return [r["submission"] for r in map(json.loads, (folder / "results.jsonl").read_text().splitlines())]


def score(id, status, points, **more):
    blank = {"id": id, "title": "t", "status": status, "score": points, "max_score": 2.0, "mistake": None}
    return blank | {"message": "", "cases_passed": 0, "cases": 1, "flags": [], "remarks": []} | more


ONE_POINT = score("4.1", "failed", 1.0)


class Graders:
    """An executor without processes: it grades at once, and remembers which files. What they hold is read as ever."""

    def __init__(self, grade=None):
        self.grade, self.asked = grade, []

    def submit(self, function, work):
        grades = function is grading.grade
        self.asked += [work.name] * grades
        future = Future()
        try:
            future.set_result(self.grade(work) if self.grade and grades else function(work))
        except Exception as error:
            future.set_exception(error)
        return future

    def grading_executor(self, width=2):
        return executors.GradingExecutor(self, lambda: width, (BrokenProcessPool, TimeoutError))


def run(handed, folder, graders, secret=b"0123456789abcdef", isolation="none"):
    with results_store.Results(folder) as results:
        return list(grading.grade_all(handed, results, graders.grading_executor(), secret, 20.0, isolation))


def handed(**files):
    return [submissions.SubmittedFile(name, name, lambda data=data: data) for name, data in files.items()]


def graded(work):
    return row(work.name, sha256=work.sha256, grader=VERSION, seed=work.seed)


# ---- the file of results


def test_a_torn_line_is_taken_out_and_the_others_stay(tmp_path):
    """As a power cut leaves it: half a row, bytes that are no text, a row without its end of line."""
    whole = json.dumps(row("a")) + "\n" + json.dumps(row("b"))
    for torn in ("\n" + json.dumps(row("c"))[:30], "\n\x00\x00\x00", "\n[" + "[" * 100_000, "\n3\n", ""):
        (tmp_path / "results.jsonl").write_bytes(whole.encode() + torn.encode() + b"\xff" * bool(torn))
        with results_store.Results(tmp_path) as results:
            results.add(row("d"))
        assert stored(tmp_path) == ["a", "b", "d"]


def test_a_later_row_takes_the_place_of_an_earlier_one(tmp_path):
    """At once for whoever reads the rows, and in the file when the run ends."""
    with results_store.Results(tmp_path) as results:
        for each in (row("a", seconds=1.0), row("b", seconds=0.0), row("a", seconds=2.0)):
            results.add(each)
        assert [r["seconds"] for r in results_store.read(tmp_path / "results.jsonl").rows()] == [0, 2]
    assert stored(tmp_path) == ["b", "a"]


def test_a_full_disk_loses_nothing(tmp_path):
    """The row that does not fit is not there; what was there stays, and the next run goes on."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with results_store.Results(tmp_path) as results:
        results.add(row("a"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (results.path.stat().st_size + 20, limits[1]))
        try:
            with pytest.raises(OSError):
                results.add(row("b"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert stored(tmp_path) == ["a"]
    with results_store.Results(tmp_path) as results:
        results.add(row("b"))
    assert stored(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("needed, status", [("limits", 0), ("landlock+seccomp", 3), ("namespaces", 3)])
def test_nothing_is_graded_below_the_level_that_is_required(needed, status, monkeypatch, tmp_path, capsys):
    """Exit status 3, a sentence, and no row; at a level that is no boundary, a warning."""
    monkeypatch.setattr(zygotes, "isolation", lambda: "limits")
    monkeypatch.setattr(executors, "local", lambda *_: contextlib.nullcontext(Graders().grading_executor()))
    (tmp_path / "a.ipynb").write_text("no notebook")
    command = ["grade", str(tmp_path / "a.ipynb"), "--out", str(tmp_path / "out"), "--require-isolation", needed]

    assert status == main(command)
    said = capsys.readouterr()
    assert (["a.ipynb"] if status == 0 else []) == stored(tmp_path / "out")
    assert (status == 3) == ("Grading stopped: answers would run at isolation level limits, and" in said.err)
    assert (status == 0) == ("isolation: limits; limits are no boundary against malice" in said.out)


def test_a_row_of_a_lower_level_is_graded_again_when_more_is_required(tmp_path):
    """One of a higher level stays, and keeps the level that it says."""
    levels = {"a": "limits", "b": "landlock+seccomp", "c": "namespaces"}
    files = handed(a=b"1", b=b"2", c=b"3")
    run(files, tmp_path, Graders(lambda w: graded(w) | {"isolation": levels[w.name]}))

    again = Graders(lambda w: graded(w) | {"isolation": "namespaces"})
    run(files, tmp_path, again, isolation="landlock+seccomp")
    assert again.asked == ["a"]
    assert levels | {"a": "namespaces"} == {
        r["submission"]: r["isolation"] for r in results_store.read(tmp_path / "results.jsonl").rows()
    }


def test_a_second_run_into_the_same_folder_is_refused(tmp_path, capsys):
    """With a sentence and exit status 2, and without a change of what the first one wrote."""
    (tmp_path / "a.ipynb").write_text(notebook("def double(x): return 2 * x"))
    out = tmp_path / "out"
    with results_store.Results(out) as results:
        results.add(row("a"))
        before = results.path.read_bytes()
        assert main(["grade", str(tmp_path / "a.ipynb"), "--out", str(out)]) == 2
        assert "another run is writing to" in capsys.readouterr().err
        assert before == results.path.read_bytes()


# ---- a run


def test_only_what_is_done_with_the_same_bytes_grader_and_secret_is_kept(tmp_path):
    """And a row that says that the grader failed is no work done."""
    files = handed(a=b"1", b=b"2", c=b"3")
    first = Graders(lambda w: graded(w) | {"problems": [fault(NOT_GRADED, "not graded: no memory")] * (w.name == "c")})
    assert sorted(run(files, tmp_path, first)) == [("a", False), ("b", False), ("c", False)]

    second = Graders(graded)
    assert sorted(run(handed(a=b"1", b=b"x", c=b"3"), tmp_path, second)) == [("a", True), ("b", False), ("c", False)]
    third = Graders(graded)
    run(files, tmp_path, third, b"another secret of 16")
    assert (second.asked, third.asked) == (["b", "c"], ["a", "b", "c"])
    assert sorted(stored(tmp_path)) == ["a", "b", "c"]


def test_files_are_read_when_somebody_is_free(tmp_path):
    """Two graders never have more than two files in memory, however many there are."""
    held, most = set(), []

    def load(name):
        held.add(name)
        most.append(len(held))
        return name.encode()

    def grade(work):
        held.discard(work.name)
        return graded(work)

    class Later(Graders):
        def submit(self, function, work):
            return pool.submit(self.grade, work)

    files = [submissions.SubmittedFile(str(n), "x", lambda n=n: load(str(n))) for n in range(50)]
    with ThreadPoolExecutor(2) as pool:
        run(files, tmp_path, Later(grade))
    assert len(stored(tmp_path)) == 50 and max(most) <= 3


@pytest.mark.parametrize("error, why", [
    (BrokenProcessPool("gone"), "the file ended the process that graded it"),
    (TimeoutError("it did not end in 300 seconds"), "it did not end in 300 seconds"),
])  # fmt: skip
def test_a_file_that_ends_or_hangs_its_grader_has_a_row_and_is_not_tried_for_ever(error, why, tmp_path):
    """It costs no other file anything. Other bytes are another file."""

    def grade(work):
        if work.name != "b":
            return graded(work)
        raise error

    run(handed(a=b"1", b=b"2", c=b"3"), tmp_path, Graders(grade))
    rows = {r["submission"]: r for r in results_store.read(tmp_path / "results.jsonl").rows()}
    (problem,) = rows["b"]["problems"]
    assert problem.startswith(f"given up: {why}; it is not tried again") and not failed(rows["b"])
    again = Graders(graded)
    run(handed(a=b"1", b=b"2", c=b"3"), tmp_path, again, isolation="none")
    run(handed(b=b"2"), tmp_path, again, isolation="namespaces")
    assert again.asked == []
    run(handed(b=b"4"), tmp_path, again)
    assert again.asked == ["b"]


@pytest.mark.parametrize("error, again", [
    (OSError(28, "No space left on device"), True), (MemoryError(), True), (zygotes.NoWorker("none"), True),
    (ValueError("a slip of the course"), False), (RecursionError(), False),
], ids=lambda value: type(value).__name__)  # fmt: skip
@pytest.mark.parametrize("place", ["read", "_result"])
def test_only_a_fault_of_the_machine_is_tried_again(error, again, place, tmp_path, monkeypatch):
    """The same grader makes the same slip; both have a row that calls for a person."""

    def fail(*args):
        raise error

    monkeypatch.setattr(*((submissions, "read") if place == "read" else ("grader.judge.judge.judge",)), fail)
    files = handed(a=notebook("def double(x): return 2 * x").encode())
    run(files, tmp_path, Graders())
    (row,) = results_store.read(tmp_path / "results.jsonl").rows()
    told = row["problems"] + [exercise["message"] for exercise in row["exercises"]]
    assert "the grader itself failed: " in told[0] and again == failed(row)

    second = Graders(graded)
    run(files, tmp_path, second)
    assert (["a"] if again else []) == second.asked


def test_the_problems_of_a_row_are_bounded(tmp_path):
    """Whatever a reader of archives says of them."""

    def load():
        raise OSError("x" * 4_000_000)

    run([submissions.SubmittedFile("a", "a", load)], tmp_path, Graders())
    (row,) = results_store.read(tmp_path / "results.jsonl").rows()
    assert len(row["problems"][0]) == 2000 and row["problems"][0].startswith("the file cannot be read: x")


def test_a_fault_of_whoever_grades_stops_the_run(tmp_path):
    """Such as a cluster without this library: a row each would blame the files."""
    with pytest.raises(grading.NotGraded, match="No module"):
        run(handed(a=b"1"), tmp_path, Graders(lambda w: exec("import no_such_module")))
    assert stored(tmp_path) == []


def test_files_of_one_name_have_a_row_each():
    """From two folders, or from a zip that holds a name twice."""
    files = [submissions.SubmittedFile("x", "s", bytes)] * 3 + [submissions.SubmittedFile("x (2)", "s", bytes)]
    assert [h.name for h in grading.distinct(files)] == ["x", "x (2)", "x (3)", "x (2) (2)"]


def test_whatever_reading_raises_becomes_a_row(tmp_path):
    """A damaged archive, a zip with a password, a library's own error."""
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("good.ipynb", notebook("x = 1"))
        z.writestr("bad.ipynb", notebook("y = 1") * 50)
    data = bytearray(path.read_bytes())
    at = data.index(b"bad.ipynb") + len("bad.ipynb")
    data[at : at + 40] = bytes(40)
    path.write_bytes(data)

    run(list(submissions.find(path)), tmp_path / "out", Graders())

    rows = {r["submission"]: r for r in results_store.read(tmp_path / "out" / "results.jsonl").rows()}
    assert "no whole zip file" in rows["bad.ipynb"]["problems"][0]
    assert "no lesson was found" in rows["good.ipynb"]["problems"][0]


ODD = {
    "sheets": b'{"worksheets": [{"cells": 5}, 3, {"cells": [{"cell_type": "code", "input": "x = 1"}]}]}',
    "much code": json.dumps({"cells": [{"cell_type": "code", "source": "x = 1\n" * 50_000}]}).encode(),
    "nul": b'{"cells": [{"cell_type": "code", "source": "def double(x):\\u0000 return 2 * x"}]}',
    "twice": b'{"cells": 1, "cells": [{"cell_type": "code", "source": "x = 1"}]}',
    "utf-16": '{"cells": []}'.encode("utf-16"),
    "spaces": json.dumps({"cells": [{"cell_type": "code", "source": " " * 200_000 + "\nx y"}]}).encode(),
    "nested": json.dumps({"cells": [{"cell_type": "code", "source": "x = " + "(" * 100_000}]}).encode(),
    "minus": json.dumps({"cells": [{"cell_type": "code", "source": "x = " + "-" * 200_000 + "1"}]}).encode(),
    "99": b'{"nbformat": 99, "cells": [{"cell_type": "code", "source": ["def ", 5, "f(): pass"]}]}',
}


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
def test_an_odd_file_is_no_fault_of_the_graders(data):
    """It answers no lesson, and the row says why."""
    made = grading.grade(grading.Job("x", "x", 20.0, "", data, "0"))
    assert (made["lesson"], made["score"]) == (None, 0) and made["problems"]
    assert not failed(made)


NAMES = (
    "=1+1.ipynb", "-x.ipynb", "a\nb.ipynb", "\u202egnp.ipynb", "а.ipynb", "a.ipynb", "[b]x[b].ipynb", "\x1b[31m.ipynb",
    "<script>.ipynb", "n" * 249 + ".ipynb", "\udcff\udcfe.ipynb", " .ipynb", "x.IPYNB",
)  # fmt: skip


def test_odd_names_and_odd_things_have_a_row_each(tmp_path, capsys, monkeypatch):
    """Under their own names, which a table shows as text; beside a pipe, a folder, 200 MB, and links in a circle."""
    folder, out = tmp_path / "class", tmp_path / "out"
    deep = folder.joinpath(*["d" * 200] * 15)
    deep.mkdir(parents=True)
    for path in [*(folder / name for name in NAMES), deep / "x.ipynb"]:
        path.write_bytes(b"{}")
    os.mkfifo(folder / "pipe.ipynb")
    (folder / "folder.ipynb").mkdir()
    (folder / "loop").symlink_to(folder)
    (folder / "circle.ipynb").symlink_to(folder / "circle.ipynb")
    with open(folder / "large.ipynb", "wb") as f:
        f.truncate(200 << 20)
    found = list(submissions.find(folder))

    run(found, out, Graders())

    rows = {r["submission"]: r for r in results_store.read(out / "results.jsonl").rows()}
    assert {h.name for h in found} == set(rows) >= {*NAMES, "pipe.ipynb", "folder.ipynb", "circle.ipynb"}
    assert len(found) == len(rows) and all(r["problems"] and not r["score"] for r in rows.values())
    assert "larger than 64 MB" in rows["large.ipynb"]["problems"][0]
    monkeypatch.setenv("COLUMNS", "400")
    _report(out, set(rows))
    said = capsys.readouterr()
    assert f"{len(rows)} of {len(rows)} files with a row" in said.out.replace("\n", " ") and not said.err
    assert not {"\x1b", "\u202e", "\udcff"} & set(said.out)


def test_no_exercise_takes_the_last_half_of_anothers_seconds(monkeypatch):
    """Exercises that use up their deadlines leave the others half of theirs, and the file ends in time."""
    now, given = [0.0], []

    def result(exercise, cells, work, seconds):
        given.append(seconds)
        now[0] += seconds
        return Result(exercise.id, exercise.title, "timeout", 0.0, 1.0)

    monkeypatch.setattr(grading, "_result", result)
    monkeypatch.setattr(grading.time, "monotonic", lambda: now[0])
    found = grading._judged(submissions.Submission(lesson="02"), grading.Job("x", "x", 20.0, ""))
    assert [20, 10, 10, 10, 10] == given == [each.seconds for each in found]


# ---- rows that stay true


def of_file(name, student, data):
    return [submissions.SubmittedFile(name, student, lambda: data)]


def rows_of(folder):
    return [(r["student"], r["submission"], r["lesson"]) for r in results_store.read(folder / "results.jsonl").rows()]


def grading_as(lesson, status="passed", points=2.0):
    """A grader that finds this lesson in every file."""
    first = lessons.of_lesson(lesson)[0].id if lesson else None
    done = [score(first, status, points)] if lesson else []
    return Graders(lambda w: graded(w) | row(w.name, exercises=done, student=w.student, sha256=w.sha256,
        grader=VERSION, seed=w.seed, digest=lesson_digest.of(lesson), seconds_each=w.seconds))  # fmt: skip


def test_a_second_assignment_deletes_no_row_of_the_first(tmp_path):
    """Although the files have the same names; a later version of the same work takes its place."""
    run(of_file("ada/hw.ipynb", "ada", b"1"), tmp_path, grading_as("04"))
    run(of_file("ada/hw.ipynb", "ada", b"2"), tmp_path, grading_as("05"))
    assert rows_of(tmp_path) == [("ada", "ada/hw.ipynb", "04"), ("ada", "ada/hw.ipynb", "05")]

    run(of_file("ada/hw.ipynb", "ada", b"3"), tmp_path, grading_as("05", "failed", 0.0))
    assert rows_of(tmp_path) == [("ada", "ada/hw.ipynb", "04"), ("ada", "ada/hw.ipynb", "05")]
    assert [r["score"] for r in results_store.read(tmp_path / "results.jsonl").rows()] == [2, 0]
    for data in (b"1", b"3"):  # both are done
        again = grading_as("07")
        run(of_file("ada/hw.ipynb", "ada", data), tmp_path, again)
        assert again.asked == []


def test_a_file_that_became_unreadable_deletes_no_verdict_and_gives_way_to_one(tmp_path):
    """And the same bytes have one row, whatever lesson and student are found for them."""
    run(of_file("x.ipynb", "ada", b"1"), tmp_path, grading_as("04"))
    run(of_file("x.ipynb", "ada", b"broken"), tmp_path, grading_as(None))
    assert rows_of(tmp_path) == [("ada", "x.ipynb", "04"), ("ada", "x.ipynb", None)]
    run(of_file("x.ipynb", "ada", b"mended"), tmp_path, grading_as("05"))
    assert rows_of(tmp_path) == [("ada", "x.ipynb", "04"), ("ada", "x.ipynb", "05")]
    run(of_file("x.ipynb", "bob", b"mended"), tmp_path, grading_as("06"))
    assert rows_of(tmp_path) == [("ada", "x.ipynb", "04"), ("bob", "x.ipynb", "06")]


def test_changed_points_are_graded_again(tmp_path, monkeypatch):
    """So is a lesson whose cases changed, and a row that does not say of which exercises it is."""
    files = of_file("a", "a", b"1")
    run(files, tmp_path, grading_as("04"))
    kept = Graders(graded)
    run(files, tmp_path, kept)
    exercises, changed = lessons.of_lesson("04"), []
    monkeypatch.setattr(lessons, "of_lesson", lambda n: [dataclasses.replace(exercises[0], points=9), *exercises[1:]])
    changed.append(grading_as("04"))
    run(files, tmp_path, changed[-1])
    monkeypatch.undo()
    monkeypatch.setattr(lesson_digest, "_sources", lambda n: "others")
    changed.append(grading_as("04"))
    run(files, tmp_path, changed[-1])
    monkeypatch.undo()
    with results_store.Results(tmp_path) as results:
        (old,) = results.contents.rows()
        results.add(old | {"digest": None})
    changed.append(grading_as("04"))
    run(files, tmp_path, changed[-1])
    assert (kept.asked, [each.asked for each in changed]) == ([], [["a"]] * 3)


def test_the_digest_of_a_lesson_is_its_own():
    """It differs between lessons, and a file of no lesson has none."""
    made = [lesson_digest.of(number) for number in lessons.OUTLINE]
    assert len(set(made)) == len(made) and None not in made and lesson_digest.of(None) is None


@pytest.mark.parametrize("short", [
    grading_as("04", "timeout", 0.0), Graders(lambda w: exec("raise TimeoutError('too long')")),
], ids=["an exercise", "the file"])  # fmt: skip
def test_more_seconds_grade_again_what_had_too_few(tmp_path, short):
    """And nothing else; fewer or as many do not."""
    files = [*of_file("slow", "a", b"1"), *of_file("quick", "b", b"2")]
    with results_store.Results(tmp_path) as results:
        list(grading.grade_all(files[1:], results, grading_as("04").grading_executor(), b"s" * 16, 5.0, "limits"))
        list(grading.grade_all(files[:1], results, short.grading_executor(), b"s" * 16, 5.0, "limits"))
    asked = []
    for seconds in (5.0, 2.0, 20.0, 20.0):
        with results_store.Results(tmp_path) as results:
            longer = grading_as("04")
            list(grading.grade_all(files, results, longer.grading_executor(), b"s" * 16, seconds, "limits"))
        asked.append(longer.asked)
    assert asked == [[], [], ["slow"], []]


def test_a_lesson_that_is_not_asked_for_is_not_judged_and_deletes_no_verdict(tmp_path):
    """Its file has a row that says so, until an assignment asks for it."""
    text = notebook("def double(x): return 2 * x", 'check("0.1")').encode()

    def graded_for(asked, data=text, again=()):
        with results_store.Results(tmp_path) as results:
            executor = Graders().grading_executor()
            list(
                grading.grade_all(of_file("a", "a", data), results, executor, b"s" * 16, 20.0, asked=asked, again=again)
            )
        return [(r["lesson"], r["score"], len(r["problems"])) for r in results_store.read(results.path).rows()]

    assert graded_for(("04",)) == [("00", 0, 1)]
    assert graded_for(("00",)) == [("00", 1, 0)] == graded_for(("04",))
    assert graded_for(("04",), text + b"\n") == [("00", 1, 0)]
    assert graded_for(None, text + b"\n") == [("00", 1, 0)] == graded_for(None, text + b"\n", again=("a",))


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path):
    """Nor one in a folder that does, between the look at the folder and the reading."""
    (tmp_path / "secret").write_text(notebook("def double(x): return 2 * x"))
    for name in ("ada/x.ipynb", "bob/x.ipynb", "eve/x.ipynb"):
        (tmp_path / "class" / name).parent.mkdir(parents=True)
        (tmp_path / "class" / name).write_text("{}")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.ipynb").write_text("secret")
    files = list(submissions.find(tmp_path / "class"))
    (tmp_path / "class" / "ada" / "x.ipynb").unlink()
    (tmp_path / "class" / "ada" / "x.ipynb").symlink_to(tmp_path / "secret")
    (tmp_path / "class" / "bob").rename(tmp_path / "class" / "old")
    (tmp_path / "class" / "bob").symlink_to(tmp_path / "other")

    run(files, tmp_path / "out", Graders())

    told = {r["student"]: r["problems"][0] for r in results_store.read(tmp_path / "out" / "results.jsonl").rows()}
    assert told["ada"] == told["bob"] == "it is a link" and "no list of cells" in told["eve"]


def test_a_cluster_without_workers_is_a_sentence_and_loses_nothing(tmp_path, monkeypatch):
    """While files wait for a worker, and while somebody looks what they hold."""
    monkeypatch.setattr(grading, "_LOOK_EVERY", 0.01)

    class Gone(Graders):
        def submit(self, function, work):
            return super().submit(function, work) if work.name == "a" else Future()

    def look():
        raise executors.Unreachable("no workers")

    files = handed(a=b"1", b=b"2", c=b"3")
    executor = executors.GradingExecutor(Gone(graded), lambda: 2, (), look)
    with results_store.Results(tmp_path) as results, pytest.raises(executors.Unreachable, match="no workers"):
        list(grading.grade_all(files, results, executor, b"s" * 16, 20.0))
    assert stored(tmp_path) == ["a"]
    with pytest.raises(executors.Unreachable, match="no workers"):
        list(grading.contents_of([*of_file("b", "s", b"2"), *of_file("c", "s", b"3")], executor))


def test_a_scheduler_that_began_anew_is_a_sentence(tmp_path):
    """It cancels what it was given."""
    lost = Future()
    lost.cancel()
    lost.set_running_or_notify_cancel()
    graders = Graders()
    graders.submit = lambda *_: lost
    with pytest.raises(executors.Unreachable, match="began anew"):
        run(handed(a=b"1"), tmp_path, graders)


# ---- seeds


def test_a_secret_is_made_once_and_for_its_owner_alone(tmp_path):
    """And is the same for every later run."""
    made = seeds.own_secret(tmp_path)

    assert made == seeds.own_secret(tmp_path)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    (tmp_path / "other").mkdir()
    assert made != seeds.own_secret(tmp_path / "other")
    assert made.decode() not in seeds.name(made) and seeds.name(made) not in made.decode()


def test_seeds_depend_on_the_secret_the_file_and_the_exercise():
    """The same three give the same seed again."""

    def seed(secret=b"s" * 16, file="f", exercise="4.1"):
        return seeds.of_exercise(seeds.of_submission(secret, file), exercise)

    made = [seed(), seed(secret=b"t" * 16), seed(file="g"), seed(exercise="4.2")]
    assert len(set(made)) == 4 and made[0] == seed() and all(0 <= s < 2**62 for s in made)


@pytest.mark.parametrize("text", [None, "", "short"])
def test_a_secret_that_is_none_is_refused(tmp_path, text, capsys):
    """With a sentence, before anything is graded."""
    (tmp_path / "a.ipynb").write_text(notebook("def double(x): return 2 * x"))
    if text is not None:
        (tmp_path / "key").write_text(text)

    said = main(["grade", str(tmp_path / "a.ipynb"), "--out", str(tmp_path / "o"), "--secret", str(tmp_path / "key")])

    assert said == 2 and "the secret" in capsys.readouterr().err


def test_an_answer_that_knows_the_public_inputs_fails():
    """It returns what is right for the inputs of `check`, looked up by what they are."""
    exercise = lessons.exercises()["0.1"]
    inputs = [a for c in in_order(exercise, 20240229) for a in c.call.args if isinstance(a, torch.Tensor)]
    table = [(x.tolist(), (2 * x).tolist()) for x in inputs]
    learnt = f"import torch\ndef double(x): return torch.tensor(dict((str(k), v) for k, v in {table})[str(x.tolist())])"
    given = extract.extract([learnt], exercise.names)

    assert judge(exercise, given).status == "passed"
    for file in "ab":
        seed = seeds.of_exercise(seeds.of_submission(b"s" * 16, file), "0.1")
        assert judge(exercise, given, 20.0, seed).status != "passed"


@pytest.mark.whole
def test_an_answer_that_draws_numbers_draws_the_same_again():
    """Else a test that a learner wrote could pass in the notebook and fail here."""
    source = "import random, numpy\ndef double(x): return random.random(), numpy.random.rand(), [*{'a', 'b', 'c', 'd'}]"
    code = (
        "from grader.judge import zygotes\nfrom grader.spec import Call\n"
        f"with zygotes.get().open({source!r}, 20) as s: print(s.run(Call('call', 'double', (1,))).value)"
    )
    said = [subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True) for _ in "ab"]
    assert said[0].stdout == said[1].stdout != "", said[0].stderr


def test_an_answer_is_not_blamed_for_a_process_that_could_not_be_made(monkeypatch):
    """A full disk is the machine's: the result is flagged, and the next run tries again."""
    from grader.judge import session

    monkeypatch.setattr(session.frames, "receive", lambda *_: ({"no_worker": "No space left on device"}, b""))
    exercise = lessons.exercises()["0.1"]
    result = judge(exercise, Answer("def double(x): return 2 * x"))

    assert (result.status, result.flags) == ("error", ["grader-failed"])
    assert "No space left on device" in result.message
    assert failed(row("x", exercises=[result.record()]))


# ---- parts


def test_every_file_is_in_one_part():
    """Whether parts are counted from 0 or from 1, and whatever bytes a name has."""
    names = [f"{n}/05.ipynb" for n in range(200)] + ["a\udcff.ipynb"]
    for first in (0, 1):
        for name in names:
            assert sum(_in_shard(name, part, 4) for part in range(first, first + 4)) == 1
    assert min(sum(_in_shard(n, part, 4) for n in names) for part in range(4)) > 30


@pytest.mark.parametrize("text", ["", "5/4", "1/0", "a/b", "-1/4", "1"])
def test_a_part_that_does_not_exist_is_a_usage_error(text, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["grade", "x", f"--shard={text}"])
    assert stopped.value.code == 2 and "is no part such as 1/4" in capsys.readouterr().err


@pytest.mark.parametrize("count", [3, 4])
def test_results_of_another_version_of_the_course_are_named_once(count, tmp_path, capsys):
    """Rows about an exercise that is not there any more, and one that can be read. Few lines have a sentence each."""
    old = [row(f"{n}.ipynb", exercises=[score("4.99", "passed", 2.0)]) for n in range(count)]
    lines = [json.dumps(each) for each in [*old, row("ada.ipynb", exercises=[ONE_POINT])]]
    (tmp_path / "results.jsonl").write_text("\n".join(lines))
    assert main(["export", str(tmp_path), "--format", "csv"]) == 1
    told = capsys.readouterr().err
    assert told.count("lesson 04 has no exercise 4.99") == (3 if count == 3 else 1)
    assert ("4 lines are damaged, or of another version of the course" in told) == (count == 4)
    assert "ada" in (tmp_path / "results.csv").read_text(encoding="utf-8-sig")


def parts(tmp_path, *folders):
    for number, rows in enumerate(folders):
        with results_store.Results(tmp_path / str(number)) as results:
            results.expect(["a", "b", "c", "d"])
            for each in rows:
                results.add(each)
    return [str(tmp_path / str(number)) for number in range(len(folders))]


def merged(out):
    return {r["submission"]: r for r in results_store.read(out / "results.jsonl").rows()}


def test_merged_rows_can_still_be_translated(tmp_path):
    """A sentence of a row keeps its template and its values."""
    problem = fault("cells", "{name} is read from a file with {lines} lines", name="a", lines=3)
    (first,) = parts(tmp_path, [row("a", problems=[problem])])

    main(["merge", first, "--out", str(tmp_path / "out")])

    (kept,) = merged(tmp_path / "out")["a"]["problems"]
    assert (kept, kept.template, kept.values) == (problem, problem.template, problem.values)


def test_merge_joins_parts_and_says_what_is_missing(tmp_path, capsys):
    """And may be done again when the missing part is there: rows of --out stay, and a row that agrees is no news."""
    first, second = parts(tmp_path, [row("a"), row("b")], [row("a", seconds=9.0), row("c", isolation="namespaces")])
    out = tmp_path / "out"

    assert main(["merge", first, second, "--out", str(out)]) == 1
    assert capsys.readouterr().err == "missing: 'd' was handed in and has no row\n"
    assert {n: r["isolation"] for n, r in merged(out).items()} == {"a": "limits", "b": "limits", "c": "namespaces"}

    (later,) = parts(tmp_path / "later", [row("d", seed="other", of_a_newer_grader=[1])])
    assert main(["merge", later, "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert "2 different secrets" in said.err and "4 submissions with a row" in said.out
    assert sorted(stored(out)) == ["a", "b", "c", "d"] and results_store.expected(out) == ["a", "b", "c", "d"]
    assert '"of_a_newer_grader": [1]' in (out / "results.jsonl").read_text()


PREFERENCES = {
    "this version of the grader": (
        row("a", grader=VERSION, exercises=[score("4.1", "failed", 1.0)]),
        row("a", isolation="namespaces", exercises=[score("4.1", "passed", 2.0)]),
        "score 1/2, not 2/2; 4.1 failed 1/2, not passed 2/2; "
        f"grader {VERSION}, not 2; isolation limits, not namespaces",
        1,
    ),
    "the higher level": (
        row("a", isolation="landlock+seccomp", exercises=[score("4.1", "failed", 0.0, mistake="pad-zero")]),
        row("a", exercises=[score("4.1", "passed", 2.0), score("4.2", "passed", 2.0)]),
        "score 0/2, not 4/4; 4.1 failed 0/2 pad-zero, not passed 2/2; 4.2 none, not passed 2/2; "
        "isolation landlock+seccomp, not limits", 1,
    ),
    "a level before none": (row("a", isolation="none"), row("a", isolation="?"), "isolation none, not ?", 0),
    "judged in full": (
        row("a"), row("a", problems=[fault(NOT_GRADED, "not graded: x")]), "problems none, not not graded: x", 0
    ),
    "the later one": (row("a", sha256="3", seed="7"), row("a"), "sha256 3, not 1; secret 7, not 3", 1),
}  # fmt: skip


@pytest.mark.parametrize("kept, other, says, status", PREFERENCES.values(), ids=PREFERENCES)
def test_of_two_rows_that_differ_the_better_one_is_kept(kept, other, says, status, tmp_path, capsys):
    """Whatever the order, but for the last rule; the sentence names each field, and a verdict costs the exit status."""
    full = [row(n) for n in "bcd"]
    for number, order in enumerate(([other, kept], [kept, other])[: 1 if "sha256 3" in says else 2]):
        folders = parts(tmp_path / str(number), *([each, *full] for each in order))

        assert status == main(["merge", *folders, "--out", str(tmp_path / str(number) / "out")])

        best = folders[order.index(kept)], folders[order.index(other)]
        assert f"'a' differs in {best[0]} (kept) and {best[1]}: {says}\n" in capsys.readouterr().err
        assert parse(json.dumps(kept).encode()) == merged(tmp_path / str(number) / "out")["a"]


def test_a_better_row_of_out_is_kept(tmp_path, capsys):
    """Merge into a folder of results is no way to lose them; --out may be one of the parts."""
    first, second = parts(tmp_path, [row(n, grader=VERSION) for n in "abcd"], [row("a", exercises=[ONE_POINT])])

    for folders in ([second], [first, second], [second, first, second]):
        assert main(["merge", *folders, "--out", first]) == 1
        said = capsys.readouterr().err
        assert f"'a' differs in {first} (kept) and {second}: lesson None, not 04; score 0/0, not 1/2; 4.1" in said
        assert (len(folders) == 3) == (f"{second!r} is named twice, and joined once" in said)
    assert stored(tmp_path / "0") == ["a", "b", "c", "d"]


def test_merge_leaves_out_a_damaged_row_and_says_where(tmp_path, capsys):
    """Exit status 1, although another row of the file is there. The part stays as it is."""
    first, second = parts(tmp_path, [row("a"), row("b")], [row("c"), row("d")])
    (tmp_path / "1" / "results.jsonl").write_text(json.dumps(row("a", score=None)) + "\n" + json.dumps(row("c")) + "\n")

    assert main(["merge", first, second, "--out", str(tmp_path / "out")]) == 1

    said = capsys.readouterr().err
    assert f"{second}/results.jsonl: line 1 about 'a' is damaged: score: float expected, NoneType arrived\n" in said
    assert "missing: 'd'" in said and set(merged(tmp_path / "out")) == {"a", "b", "c"}
    assert [p.name for p in (tmp_path / "1").glob("*.jsonl")] == ["results.jsonl"]


def test_merge_into_a_full_disk_loses_nothing(tmp_path, capsys):
    """One sentence and exit status 2; with room again the same command does the rest."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    better = [row("a", grader=VERSION, exercises=[ONE_POINT]), row("c"), row("d")]
    for more in range(0, 500, 50):
        first, second = parts(tmp_path / str(more), [row("a"), row("b")], better)
        file = tmp_path / str(more) / "0" / "results.jsonl"
        resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + more, limits[1]))
        try:
            assert main(["merge", second, "--out", first]) == 2
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        (said,) = capsys.readouterr().err.splitlines()
        assert "cannot be written to" in said and "the same command adds the others" in said
        assert {"a", "b"} <= set(merged(file.parent))
        main(["merge", second, "--out", first])
        assert sorted(stored(file.parent)) == ["a", "b", "c", "d"] and merged(file.parent)["a"]["score"] == 1
        capsys.readouterr()


def test_what_cannot_be_merged_is_a_sentence(tmp_path, capsys):
    """A folder without results, a file, a circle of links, a folder in place of the rows, an --out that is a file."""
    (part,) = parts(tmp_path, [row(n) for n in "abcd"])
    (tmp_path / "file").write_text("x")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "odd" / "results.jsonl").mkdir(parents=True)
    out = ["--out", str(tmp_path / "out")]
    calls = [[str(tmp_path / name), *out] for name in (".", "file", "circle", "odd", "nowhere", "n" * 300)]
    calls += [[part, "--out", str(tmp_path / "file")], [part, "--out", str(tmp_path / "odd")]]
    for arguments in calls:
        assert main(["merge", *arguments]) == 2
        (said,) = capsys.readouterr().err.splitlines()
        assert said.startswith(("Nothing merged: ", "The results cannot be written to "))
    assert not (tmp_path / "out").exists() and stored(tmp_path / "0") == ["a", "b", "c", "d"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write and read everything")
def test_a_folder_without_permission_is_a_sentence(tmp_path, capsys):
    """To read a part, to write the joined rows, to export."""
    part, closed = parts(tmp_path, [row("a")], [row("b")])
    for mode, arguments in ((0o500, ["merge", part, "--out", closed]), (0, ["merge", closed, "--out", part])):
        os.chmod(closed, mode)
        try:
            assert main(arguments) == 2
            assert mode or main(["export", closed, "--format", "csv"]) == 2
        finally:
            os.chmod(closed, 0o700)
        assert all("Permission denied" in line for line in capsys.readouterr().err.splitlines())
    assert (stored(tmp_path / "0"), stored(tmp_path / "1")) == (["a"], ["b"])
