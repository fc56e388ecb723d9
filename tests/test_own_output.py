"""What the grader wrote beside a class is no student, and what a student handed in stays the student's."""

import shutil
import zipfile

import pytest
from test_export import WRONG, exercise, row
from test_intake import ADA, BOB, NAME, planned, write
from test_report import CLASS, store

from grader.__main__ import main
from grader.language import use

CANVAS = [
    row(f"lovelaceada_101_11_{NAME}", "lovelaceada_101", "04", WRONG, exercise("4.2")),
    row(f"bobo_102_12_{NAME}", "bobo_102", "04", WRONG, exercise("4.2")),
]
FORMATS = ("csv", "html", "canvas-comments", "moodle-feedback", "mail", "github", "gradescope")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """{platform: a folder of results with all that is exported of them}; one is in Chinese."""
    made = {}
    for platform, some, more, others in (
        ("canvas", CANVAS, (), "moodle-feedback"), ("moodle", CLASS, ("--lang", "zh_Hans"), "canvas-comments")
    ):  # fmt: skip
        folder = made[platform] = tmp_path_factory.mktemp(platform)
        store(folder, some)
        for form in {*FORMATS} - {others}:
            try:
                assert main(["export", str(folder), "--format", form, *more]) in (0, 1)
            finally:
                use(None)
    return made


def place(results, folder, name, copy):
    """A class of two, and something of the results under a name of its own."""
    write(folder, {f"ada/{NAME}": ADA, f"bob/{NAME}": BOB})
    (shutil.copytree if results.is_dir() else shutil.copy)(results / copy if copy else results, folder / name)


@pytest.mark.parametrize("platform", ["canvas", "moodle"])
@pytest.mark.parametrize(
    ("name", "copy"),
    [
        ("results", ""), ("old marks", ""), ("html", "html"), ("feedback", "html/students"), ("fb", "github"),
        ("for gradescope", "results"),
    ],
)  # fmt: skip
def test_results_beside_a_class_are_no_student(platform, name, copy, results, tmp_path):
    """Under any name, whole or in part; the plan names them as left out."""
    place(results[platform], tmp_path, name, copy)
    made = planned(tmp_path)
    assert [*made.students] == ["ada", "bob"] and made.doubts == []
    told = {why for file, why in made.left_out.items() if file.startswith(f"{name}/")}
    assert told == {"this grader wrote it: results or feedback of an earlier run"}


@pytest.mark.parametrize("unpacked", [False, True])
@pytest.mark.parametrize(("platform", "zipped"), [("canvas", "canvas_comments"), ("moodle", "moodle_feedback")])
def test_a_zip_of_feedback_beside_a_class_is_no_hand_in(platform, zipped, unpacked, results, tmp_path):
    """Its files are called as the students' own, and would stand for them."""
    write(tmp_path, {f"lovelaceada_101_11_{NAME}": ADA, f"bobo_102_12_{NAME}": BOB})
    packed = results[platform] / f"{zipped}.zip"
    if unpacked:
        zipfile.ZipFile(packed).extractall(tmp_path / zipped)
    else:
        shutil.copy(packed, tmp_path / f"{zipped} (1).zip")
    made = planned(tmp_path)
    assert [*made.students] == ["bobo_102", "lovelaceada_101"] and made.doubts == []
    assert len(made.files) == 2 and made.left_out


def test_what_a_student_handed_in_is_never_taken_for_results(results, tmp_path):
    """Work in a folder of results, results alone, one page of feedback, and a folder that is only called so."""
    shutil.copytree(results["canvas"], tmp_path / "ada")
    write(tmp_path, {f"ada/{NAME}": ADA, f"bob/{NAME}": BOB, f"canvas_comments/{NAME}": ADA, f"results/{NAME}": BOB})
    write(tmp_path, {"dan/results.jsonl": '{"a": 1}\n', "dan/more.txt": "x"})
    shutil.copytree(results["canvas"], tmp_path / "cyd" / "results", ignore=shutil.ignore_patterns("*.zip"))
    page = next((results["canvas"] / "html" / "students").glob("*.html"))
    write(tmp_path, {"eve/feedback.html": page.read_bytes()})
    made = planned(tmp_path)
    assert {"ada", "bob", "canvas_comments", "results", "cyd", "dan", "eve"} == {*made.students}
    assert [each.file.name for each in made.students["ada"].choices["00"].counts] == [f"ada/{NAME}"]
    write(tmp_path, {f"cyd/{NAME}": ADA})  # now the results beside it are no hand-in
    made = planned(tmp_path)
    assert "cyd/results/results.jsonl" in made.left_out and made.students["cyd"].unread == {}
