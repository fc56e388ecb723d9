"""docs/instructors.md is done as it says, in a copy of the course."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile

import nbformat
import pytest
from conftest import ROOT

from grader.cli.export import FORMATS

PAGE = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
TEACHING = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
PROVED = "python -c 'import json; from grader.judge import zygotes; print(json.dumps(zygotes.isolation()))'"


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """A copy of the course with every change that the page shows."""
    copy = tmp_path_factory.mktemp("fork") / "course"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "results", "*.zip"))
    for name, lines in re.findall(r"```diff\n.*?\n\+\+\+ b/(\S+)\n(.*?)```", PAGE, re.DOTALL):
        was, becomes = ("".join(x[1:] for x in lines.splitlines(True) if x[0] in f" {sign}") for sign in "-+")
        text = (copy / name).read_text()
        assert text.count(was) == 1, f"{name} has changed: the page's diff does not apply"
        (copy / name).write_text(text.replace(was, becomes))
    added = re.findall(r"(?i)at the end of\s+`([^`]+)`:\n\n```(?:python|toml)\n(.*?)```", PAGE, re.DOTALL)
    assert len(added) == 3
    for name, text in added:
        with open(copy / name, "a") as f:
            f.write("\n\n" * (f.tell() > 0) + text)
    return copy


def run(copy, *command, status=0):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"FIVE_PASSES_PROGRESS": "off"}
    done = subprocess.run([sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True)
    assert status == done.returncode, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_points_and_exercises_change_as_described(changed):
    """Notebooks, list, tests of the course and grades follow, and there are still 100 points."""
    assert "running 00_check_your_bench.ipynb" in run(changed, "tools/build.py", "--execute")
    *said, _ = run(changed, "tools/build.py", "--check").splitlines()
    assert said and all(line.startswith("warning: locale/zh_Hans/") for line in said)  # as the page says

    listed = json.loads(run(changed, "-m", "grader", "list", "--json"))
    points = {e["id"]: e["points"] for e in listed if not e["bonus"]}
    assert (points["0.2"], points["1.1"], sum(points.values())) == (1, 1, 100)
    learners = nbformat.read(changed / "notebooks" / "00_check_your_bench.ipynb", as_version=4)
    assert "check-0-2" in [c.id for c in learners.cells] and "x / 2" not in nbformat.writes(learners)
    tests = [f"tests/test_{name}.py" for name in ("course", "scores", "build", "answers")]
    run(changed, "-m", "pytest", "-q", *tests, "-k", "not test_answers or halve")

    right, wrong = "def halve(x): return x / 2", "def halve(x): return x"
    (changed / "in").mkdir()
    for name, answer in (("right", right), ("wrong", wrong)):
        cells = [nbformat.v4.new_code_cell(c) for c in ("def double(x): return 2 * x", answer)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), changed / "in" / f"{name}.ipynb")
    run(changed, "-m", "grader", "grade", "in", "--out", "out")
    rows = {r["student"]: r for r in map(json.loads, (changed / "out" / "results.jsonl").read_text().splitlines())}
    assert [(rows[n]["score"], rows[n]["max_score"]) for n in ("right", "wrong")] == [(2, 2), (1, 2)]
    assert rows["wrong"]["exercises"][1]["mistake"] == "unchanged"


def test_the_page_names_what_there_is():
    """Every format, and every file of the course that it links to."""
    for link in re.findall(r"\]\(([^)#]+)\)", PAGE + TEACHING):
        assert (ROOT / "docs" / link).exists(), link
    for form in FORMATS:
        assert f"--format {form}" in PAGE


def commands(folder, text, status=0):
    """Run commands of a page as they stand, in a folder beside which nothing of the course is."""
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PATH": path}
    done = subprocess.run(["bash", "-e", "-c", text], cwd=folder, env=environment, capture_output=True, text=True)
    assert status == done.returncode, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


def exam(folder, names=("ada/00.ipynb", "Jürgen 李/00.ipynb")):
    """exam.zip: two students' answers. names: of their files, of which the first one is right."""
    with zipfile.ZipFile(folder / "exam.zip", "w") as archive:
        for name, factor in zip(names, (2, 1)):
            cell = nbformat.v4.new_code_cell(f"def double(x): return {factor} * x")
            archive.writestr(name, nbformat.writes(nbformat.v4.new_notebook(cells=[cell])))


def test_results_are_exported_as_described(tmp_path):
    """By the page's own lines, each of which says where the result is. Feedback goes back to its own platform alone."""
    exam(tmp_path)
    commands(tmp_path, "python -m grader grade exam.zip")
    (tmp_path / "export.csv").write_text("Student,ID,SIS Login ID,Lesson 00 (1)\nLovelace,1,ada,\n")
    (tmp_path / "Grades.csv").write_text(
        "Identifier,Full name,Grade,Maximum Grade,Changed,Feedback\nParticipant 1,ada,,1,-,\n"
    )
    lines = re.findall(r"^python -m grader export results .*$", PAGE, re.MULTILINE)
    assert {*FORMATS} == {line.split()[6] for line in lines}
    handed_out = {
        "canvas-comments": ["lovelaceada_101_9001_00.ipynb", "lijurgen_102_9002_00.ipynb"],
        "moodle-feedback": [f"{name}_assignsubmission_file/00.ipynb" for name in ("Ada Lovelace_101", "Jürgen Li_102")],
    }
    of_a_platform = [line for line in lines if line.split()[6] in handed_out]
    commands(tmp_path, "\n".join(line for line in lines if line not in of_a_platform))
    for line in of_a_platform:
        assert "Nothing exported" in commands(tmp_path, line, 2)
        (folder := tmp_path / line.split()[6]).mkdir()
        exam(folder, handed_out[folder.name])
        commands(folder, f"python -m grader grade exam.zip\n{line}")
        assert [path.suffix for path in folder.glob("results/*_*.zip")] == [".zip"]

    names = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"results.csv", "html", "canvas.csv", "results", "github", "results.xml"} <= names
    assert {"moodle.csv", "mail.csv", "likeness.csv"} <= names
    assert "Lovelace,1,ada,1" in (tmp_path / "results" / "canvas.csv").read_text()


def test_an_exam_is_held_as_described(tmp_path):
    """A secret for its owner alone, a level that was proved, and a second run that agrees."""
    exam(tmp_path)
    secret, grade = (textwrap.dedent(block) for block in re.findall(r"```\n(.*?)   ```", TEACHING, re.DOTALL))
    commands(tmp_path, secret)
    assert (tmp_path / "exam.secret").stat().st_mode & 0o777 == 0o600
    proved = json.loads(commands(tmp_path, PROVED)) in ("landlock+seccomp", "namespaces")
    commands(tmp_path, grade, 0 if proved else 3)
    if proved:
        commands(tmp_path, grade.replace("--out exam", "--out again"))
        merge = " ".join(re.search(r"`(python -m grader merge exam\s+again --out both)`", TEACHING)[1].split())
        assert "2 submissions with a row" in commands(tmp_path, merge)
