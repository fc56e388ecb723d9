"""Files as a learning platform hands them out: whose they are, which lesson they answer, which attempt."""

import json
import os
import random
import runpy
import subprocess
import sys
import zipfile

import nbformat
import pytest
from conftest import ROOT

from grader import lessons
from grader.classroom import archives, file_names, submissions

STUB = "def double(x): return x"


def notebook(*cells, **metadata):
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    for cell in made.cells:
        cell.metadata |= metadata
    return nbformat.writes(made)


def students(path):
    return {h.name: h.student for h in submissions.find(path)}


NAMES = {
    "lovelaceada_101_9001_04_one_row.ipynb": ("lovelaceada_101", "04", False),
    "lovelaceada_late_101_9001_04_one_row-2.ipynb": ("lovelaceada_101", "04", True),
    "lovelaceada_LATE_101_9001_05.ipynb": ("lovelaceada_101", "05", True),
    "leeé_102_9002_my_12_34_try.ipynb": ("leeé_102", None, False),
    "ada/04_one_row.ipynb": ("ada", "04", False),
    "ada/week 2/Lesson-5 (3).ipynb": ("ada", "05", False),
    "submitted/bob/ps4/every-row.ipynb": ("bob", "05", False),
    "Ada Lovelace_12345_assignsubmission_file_/homework.ipynb": ("Ada Lovelace_12345", None, False),
    "Ada Lovelace_12345_assignsubmission_file_04-one-row.ipynb": ("Ada Lovelace_12345", "04", False),
    "Ada Lovelace_12345_assignsubmission_file_04 (1).ipynb": ("Ada Lovelace_12345", "04", False),
    "one row_12345_assignsubmission_file_05.ipynb": ("one row_12345", "05", False),
    "李小龙_99_assignsubmission_file_hw_1_2_x.ipynb": ("李小龙_99", None, False),
    "week/3pac_101_9001_05.ipynb": ("week", "05", False),
    "eve_104_9030_x_5_assignsubmission_file_04.ipynb": ("eve_104", None, False),
    "o'neill-björk_late_101_9001_04_one_row_1.ipynb": ("o'neill-björk_101", "04", True),
    "ada.zip/4_one_row.ipynb": ("ada", "04", False),
    "lovelaceada_101_9001_all.zip/x/12_down_to_cuda.ipynb": ("lovelaceada_101", "12", False),
    "ada.ipynb": ("ada", None, False),
    "2024_04.ipynb": ("2024_04", None, False),
    "homework (2).ipynb": ("homework (2)", None, False),
    "99_x.ipynb": ("99_x", None, False),
    "../../etc/x.ipynb": ("etc", None, False),
    "ada\\04.ipynb": ("ada", "04", False),
    "/.ipynb": ("/.ipynb", None, False),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_says_whose_it_is_and_which_lesson(name):
    """As Canvas, nbgrader, Moodle and people write them."""
    said = file_names.read(name)

    assert NAMES[name] == (said.student, said.lesson, said.late)


def test_nobody_hands_in_for_somebody_else():
    """A student's own name for a file is inside what the platform made of it."""
    forged = "lovelaceada_101_9999_04_one_row-9.ipynb"

    assert file_names.read(f"eve/{forged}").student == "eve"
    assert file_names.read("eve/submitted/lovelaceada_101/04/x.ipynb").student == "eve"
    assert file_names.read(f"eve_104_9030_{forged}").student == "eve_104"
    assert file_names.of_student(f"eve/{forged}", "eve").canvas is None


def test_attempts_are_in_order():
    """Canvas' suffix, then its number of the file; else names as people count."""
    names = ["a_1_12_x-2.ipynb", "a_1_11_x-1.ipynb", "a_1_10_x.ipynb", "a_1_9_y.ipynb"]
    assert names[::-1] == sorted(names, key=lambda n: file_names.read(n).order)

    names = ["a/05.ipynb", "a/05 (2).ipynb", "a/05 (10).ipynb"]
    shuffled = random.Random(1).sample(names, 3)
    assert names == sorted(shuffled, key=lambda n: file_names.read(n).order)


def test_a_zip_of_a_folder_is_that_folder(tmp_path):
    """The wrapper that an archiver adds is nobody's name; nor is one around what Canvas made."""
    for wrapper, archive in (("class/", "class.zip"), ("", "flat.zip")):
        with zipfile.ZipFile(tmp_path / archive, "w") as z:
            for name in ("ada/x.ipynb", "bob/x.ipynb"):
                z.writestr(wrapper + name, STUB)
        assert set(students(tmp_path / archive).values()) == {"ada", "bob"}
    canvas = tmp_path / "week" / "submissions"
    canvas.mkdir(parents=True)
    for name in ("a_1_10_04.ipynb", "b_2_11_04.ipynb"):
        (canvas / name).write_text(STUB)

    found = students(tmp_path / "week")

    assert found == {"submissions/a_1_10_04.ipynb": "a_1", "submissions/b_2_11_04.ipynb": "b_2"}
    assert file_names.of_student("submissions/a_1_10_04.ipynb", "a_1").canvas == ("a", "1")


def test_zips_in_a_folder_are_opened_and_broken_ones_listed(tmp_path):
    """One that holds no notebook was handed in all the same. Links are not followed."""
    with zipfile.ZipFile(tmp_path / "ada.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("04.ipynb", STUB * 100)
        z.writestr("05.ipynb", STUB * 100)
    data = bytearray((tmp_path / "ada.zip").read_bytes())
    data[40:60] = bytes(20)  # in the compressed bytes of the first member
    (tmp_path / "eve.zip").write_bytes(data)
    (tmp_path / "bob.zip").write_bytes(b"PK\x03\x04 no zip")
    zipfile.ZipFile(tmp_path / "cyd.zip", "w").close()
    (tmp_path / "dan.zip").symlink_to(tmp_path / "ada.zip")
    (tmp_path / "dan.ipynb").symlink_to(tmp_path / "ada.zip")

    found = {h.name: h for h in submissions.find(tmp_path)}

    assert [h.student for h in found.values()] == ["ada", "ada", "bob", "cyd", "dan", "dan", "eve", "eve"]
    assert STUB in found["ada.zip/04.ipynb"].load().decode()
    broken = {"bob.zip": "no whole zip file", "cyd.zip": "no files", "dan.zip": "link", "dan.ipynb": "link"}
    for name, says in (broken | {"eve.zip/04.ipynb": "no whole zip file"}).items():
        with pytest.raises(OSError, match=says):
            found[name].load()


ARCHIVES = {
    "many.zip": "too many files: 10,001, and at most 10,000 are read",
    "bomb.zip/bomb.ipynb": "larger than 64 MB",
    "twice.zip/x.ipynb": "one of 2 files of this name",
    "bzip2.zip/x.ipynb": "another method than deflate",
    "lzma.zip/x.ipynb": "another method than deflate",
    "locked.zip/x.ipynb": "encrypted",
    "method.zip/x.ipynb": "another method than deflate",
    "smaller.zip/x.ipynb": "it is no whole zip file",
    "larger.zip/x.ipynb": "it is no whole zip file",
    "huge.zip/x.ipynb": "larger than 256 MB",
    "elsewhere.zip/x.ipynb": "it is no whole zip file",
    "overlap.zip": "overlap",
    "version.zip": "it is no whole zip file",
    "directory.zip": "it is no whole zip file",
}


@pytest.mark.whole
def test_a_zip_that_lies_costs_only_what_it_lies_about(tmp_path):
    """Every file that is refused has a reason of its own, and the notebooks beside it are read."""
    runpy.run_path(str(ROOT / "tests" / "attacks" / "38_hostile_archives.py"))["make"](tmp_path)

    found = {h.name: h for h in submissions.find(tmp_path)}

    long = [name for name in found if "…" in name]
    assert len(long) == 2 and all(len(name) < 200 and name.endswith(".ipynb") for name in long)
    for name, why in (ARCHIVES | dict.fromkeys(long, "name of more than 1,000 characters")).items():
        with pytest.raises(OSError, match=why):
            found.pop(name).load()
    assert "nested.zip/inner.zip/good.ipynb" in found
    assert len(found) == 12 and all(name.endswith("/good.ipynb") and h.load() for name, h in found.items())


def test_an_archive_is_opened_once_however_many_files_it_holds(tmp_path, monkeypatch):
    """And no file stays open: a class has more archives than a process may have open files."""
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as z:
        for n in range(200):
            z.writestr(f"s{n}/04.ipynb", STUB)
    opened, real = [], zipfile.ZipFile
    monkeypatch.setattr(zipfile, "ZipFile", lambda *args: opened.append(args) or real(*args))
    before = len(os.listdir("/proc/self/fd"))

    found = list(submissions.find(tmp_path / "class.zip"))

    assert {STUB.encode()} == {h.load() for h in found} and len(found) == 200
    assert len(opened) == 1 and before == len(os.listdir("/proc/self/fd"))


def test_a_list_of_files_that_is_too_long_is_not_read(tmp_path, monkeypatch):
    """A whole class in one archive may have more files than one student's."""
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as z:
        for n in range(1001):
            z.writestr(f"s{n}/04.ipynb", STUB)

    assert len(list(submissions.find(tmp_path / "class.zip"))) == 1001
    monkeypatch.setattr(archives, "_MAX_DIRECTORY", 1 << 10)
    with pytest.raises(submissions.NothingToGrade, match="a list of its files of more than"):
        list(submissions.find(tmp_path / "class.zip"))


TOO_MUCH = {
    "source_of_lists": "2,000,000 JSON values",
    "dictionaries": "2,000,000 JSON values",
    "tiny_cells": "2,000 code cells",
    "empty_cells": "2,000 code cells",
    "long_line": "256 thousand characters",
}
READ = """
import json, pathlib, resource, sys
import torch
from grader.classroom import submissions
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
before, said = peak(), {}
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    read = submissions.read(path.read_bytes(), "01.ipynb")
    submissions.answers(read)
    said[path.stem] = read.problems
print(json.dumps([peak() - before, said]))
"""


@pytest.mark.whole
def test_a_hostile_text_is_read_in_bounded_memory(tmp_path):
    """All files of an allowed size take a few hundred MB at most, and a sentence names the bound that one passed."""
    runpy.run_path(str(ROOT / "tests" / "attacks" / "39_hostile_texts.py"))["make"](tmp_path)
    (tmp_path / "values.ipynb").write_bytes(b'{"cells":[' + b'{"a":1},' * 999_000 + b"{}]}")
    wide = "\U0001f600" + "a" * (60 << 20)
    (tmp_path / "wide.ipynb").write_text(f'{{"cells": [], "metadata": "{wide}"}}', encoding="utf-8")

    done = subprocess.run([sys.executable, "-c", READ, tmp_path], cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    megabytes, said = json.loads(done.stdout)
    assert megabytes < 800
    assert all(why in said[name][0] for name, why in TOO_MUCH.items()), said


def test_a_file_is_a_submission_but_beside_notebooks(tmp_path):
    """Where a student has no notebook, any file is; but not what an operating system adds, nor earlier results."""
    handed = tmp_path / "class"
    for folder in ("ada", "bob.ipynb", "cyd", "dan.ipynb", "nothing", "results", "__MACOSX"):
        (handed / folder).mkdir(parents=True)
    names = ["ada/04.ipynb", "cyd/report.pdf", "cyd/caf\udce9.txt", "empty.ipynb", "ada/05.ipynb.txt", "ada/06.rar"]
    names += ["bob.ipynb/inner.txt"]
    others = ["ada/report.pdf", "notes", "ada/helper.py"]
    junk = [".DS_Store", "ada/thumbs.db", "ada/~$a.docx", "cyd/.gitignore"]
    for name in [*names, *others, *junk, "results/results.jsonl", "__MACOSX/a.ipynb", "ada/._04.ipynb"]:
        (handed / name).write_text("" if name == "empty.ipynb" else "{}")
    (handed / "cyd" / "loop").symlink_to("loop")
    (handed / "ada" / "again").symlink_to("..")
    os.mkfifo(handed / "cyd" / "pipe")
    os.mkfifo(handed / "pipe.ipynb")
    names += ["cyd/loop", "cyd/pipe", "pipe.ipynb", "dan.ipynb"]

    found = list(submissions.find(handed, handed / "results"))

    assert sorted(names) == sorted(h.name for h in found)
    assert {*others, "ada/again"} == {name for h in found for name in h.beside}
    says = {}
    for each in found:
        try:
            each.load()
        except OSError as error:
            says[each.name] = str(error)
    assert sorted(set(names) - {"ada/04.ipynb", "ada/05.ipynb.txt", "empty.ipynb"}) == sorted(says)
    kinds = [*names[1:3], "cyd/pipe"]
    assert {says[n] for n in kinds} == {
        "it is no notebook: its name ends in neither .ipynb nor .py. Hand in the notebook itself"
    }
    assert "an archive of another kind than zip" in says["ada/06.rar"]

    with zipfile.ZipFile(tmp_path / "class.zip", "w") as z:
        for name in ("ada/04.ipynb", "ada/report.pdf", "bob/report.pdf", "__MACOSX/._04.ipynb"):
            z.writestr(name, STUB)
    assert [h.name for h in submissions.find(tmp_path / "class.zip")] == ["ada/04.ipynb", "bob/report.pdf"]


def test_two_paths_never_share_a_name(tmp_path):
    """Folders of two weeks, or two students' notebooks by their shell's pattern."""
    for week in ("one", "two"):
        (tmp_path / week / "ada").mkdir(parents=True)
        (tmp_path / week / "ada" / "04.ipynb").write_text(STUB)

    found = submissions.find_all([tmp_path / "one", tmp_path / "two", tmp_path / "one"]).files
    assert [(h.name, h.student) for h in found] == [("one/ada/04.ipynb", "ada"), ("two/ada/04.ipynb", "ada")]

    (overlap,) = submissions.find_all([tmp_path / "one", tmp_path / "one" / "ada"]).files
    assert (overlap.name, overlap.student) == ("one/ada/04.ipynb", "ada")

    found = submissions.find_all([tmp_path / "one" / "ada" / "04.ipynb", tmp_path / "two" / "ada" / "04.ipynb"]).files
    assert [h.name for h in found] == ["one/ada/04.ipynb", "two/ada/04.ipynb"]


def graded_id(number):
    return {"nbgrader": {"grade_id": f"check-{number}-1"}}


OF_04, OF_05 = "pads = 0", "def fused_softmax(x): return x"
LESSONS = {
    "metadata": ("x.ipynb", notebook(OF_04, **graded_id(4)), "04", 0),
    "name": ("04.ipynb", notebook(OF_04), "04", 0),
    "names": ("x.ipynb", notebook(OF_04), "04", 0),
    "emptied, by metadata": ("x.ipynb", notebook("x = 1", **graded_id(4)), "04", 0),
    "emptied, by file name": ("ada/04_one_row.ipynb", notebook("x = 1"), "04", 0),
    "renamed": ("05_every_row.ipynb", notebook(OF_04, **graded_id(4)), "04", 1),
    "other answers in a notebook of 04": ("x.ipynb", notebook(OF_05, **graded_id(4)), "05", 1),
    "both": ("x.ipynb", notebook(OF_04, OF_05, **graded_id(4)), "04", 1),
    "all three differ": ("06.ipynb", notebook(OF_05, **graded_id(4)), "05", 1),
    "nothing": ("x.ipynb", notebook("x = 1"), None, 1),
}


@pytest.mark.parametrize("case", LESSONS)
def test_the_lesson_is_the_one_that_is_answered(case):
    """By metadata, else by file name, else by the names; where these disagree, a sentence says so."""
    name, data, lesson, problems = LESSONS[case]

    read = submissions.read(data.encode(), name)

    assert (lesson, problems) == (read.lesson, len(read.problems)), read.problems
    if problems and lesson:
        assert read.problems[0].endswith(f"graded as {lesson}")


def test_the_courses_own_notebooks_say_which_lesson_they_are():
    """Whatever they are called, and without their answers."""
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        book = json.loads(path.read_text())
        assert path.name[:2] == submissions.read(json.dumps(book).encode(), "x.ipynb").lesson
        for cell in book["cells"]:
            cell["source"] = "x = 1"
        assert path.name[:2] == submissions.read(json.dumps(book).encode(), "x.ipynb").lesson


@pytest.mark.parametrize("metadata", [5, None, [], {"nbgrader": 3}, {"nbgrader": {"grade_id": ["check-4-1"]}}])
def test_odd_metadata_is_no_metadata(metadata):
    """It came from a stranger."""
    data = json.dumps({"cells": [{"cell_type": "code", "source": OF_04, "metadata": metadata}], "metadata": metadata})

    assert submissions.read(data.encode()).lesson == "04"


def test_every_slug_is_found_in_its_own_name_only():
    """So that no lesson takes another's files."""
    for number, (slug, _) in lessons.OUTLINE.items():
        assert number == file_names.lesson(slug) == file_names.lesson(f"my {slug.replace('_', '-').upper()} v2")
