"""What the image, Gradescope and workflows have of the course grades all solutions, or says what it could not."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import build
import nbformat
import pytest
import yaml
from conftest import ROOT, stored
from test_notebook import STEMS

from grader import lessons
from grader.export import autograder

CLASSROOM = yaml.safe_load((ROOT / "docs" / "classroom.yml").read_text(encoding="utf-8"))
STEPS = CLASSROOM["jobs"]["run-autograding-tests"]["steps"]
QUICK = ("00", "02")  # without a kernel


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A folder with what the list names, and nothing else."""
    folder = tmp_path_factory.mktemp("copy") / "course"
    for name, path in autograder.files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / name)
    return folder


def python(tree, *arguments, status=0, **environment):
    """Run Python where the tree is all there is of the course; what it printed."""
    alone = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | environment
    done = subprocess.run([sys.executable, *arguments], cwd=tree, env=alone, capture_output=True, text=True)
    assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


def solutions(folder, numbers):
    """Two students' notebooks: the solutions, and the Chinese ones with the same answers."""
    for stem in (stem for stem in STEMS if stem[:2] in numbers):
        english = nbformat.read(ROOT / "solutions" / f"{stem}.ipynb", as_version=4)
        chinese = nbformat.read(ROOT / "notebooks" / "zh" / f"{stem}.ipynb", as_version=4)
        answers = {cell.id: cell.source for cell in english.cells if build.BEGIN in cell.source}
        for cell in chinese.cells:
            cell.source = answers.pop(cell.id, cell.source)
        assert not answers
        for student, notebook in {"ada": english, "lin": chinese}.items():
            (folder / student).mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, folder / student / f"{stem}.ipynb")


def graded(tree, folder, numbers):
    """All exercises of these lessons pass in both languages, and each student reads the student's own."""
    solutions(folder / "in", numbers)
    python(tree, "-m", "grader", "grade", str(folder / "in"), "--out", str(folder / "out"), "--jobs", "2")
    python(tree, "-m", "grader", "export", str(folder / "out"), "--format", "gradescope")

    rows = [json.loads(line) for line in (folder / "out" / "results.jsonl").read_text().splitlines()]
    wanted = {each.id for number in numbers for each in lessons.of_lesson(number)}
    for student, language in {"ada": "en", "lin": "zh_Hans"}.items():
        mine = [row for row in rows if row["student"] == student]
        assert {row["language"] for row in mine} == {language}
        assert wanted == {e["id"] for row in mine for e in row["exercises"] if e["status"] == "passed"}, mine
        assert [e["flags"] for row in mine for e in row["exercises"] if "grader" in "".join(e["flags"])] == []
    pages = (folder / "out" / "results").glob("*.json")
    shown = {path.name[:3]: json.loads(path.read_text()) for path in pages}
    assert "isolation:" in shown["ada"]["output"] and "隔离" in shown["lin"]["output"]


def test_a_copy_is_the_grader_alone(tree):
    """No other course is on the path of the process."""
    code = "import sys, grader, grader.environment as e; print(grader.__file__, e.ROOT, repr(sys.path), sep='\\n')"
    file, root, path = python(tree, "-c", code).splitlines()

    assert (file, root) == (f"{tree}/grader/__init__.py", str(tree)) and repr(str(ROOT)) not in path
    assert {"solutions", "tests", "docs", "locale", "notebooks"}.isdisjoint(os.listdir(tree))


@pytest.mark.whole
def test_a_copy_grades_solutions_in_both_languages(tree, tmp_path):
    graded(tree, tmp_path, QUICK)


@pytest.mark.whole
def test_a_copy_grades_all_solutions_in_both_languages(tree, tmp_path):
    graded(tree, tmp_path, sorted(lessons.OUTLINE))
    assert "there is no record of it" not in python(tree, "-m", "grader", "doctor")


def test_all_copies_are_of_the_list(tmp_path):
    """The zip has its two scripts besides; the image, what it needs first; the workflows check the whole course out."""
    with zipfile.ZipFile(autograder.build(tmp_path / "autograder.zip")) as archive:
        assert sorted(archive.namelist()) == sorted([*autograder.files(), "setup.sh", "run_autograder"])
    listed = autograder.files()
    *first, (everything,) = (
        line.split() for line in re.findall(r"^COPY (.+) \S+$", (ROOT / "Dockerfile").read_text(), re.M)
    )
    assert everything == "." and {name for names in first for name in names} <= listed.keys()
    assert not any(name.startswith(("solutions/", "tests/")) or "__pycache__" in name for name in listed)
    (checkout,) = (step["with"] for step in STEPS if step.get("with", {}).get("path") == "course")
    assert checkout.keys() == {"repository", "path"}


def handed_in(folder):
    """A right answer for which this machine lacks a compiler, and one that needs none."""
    folder.mkdir(parents=True)
    calls = ((each, lessons.exercises()[each.exercise].cases(1)[0].call) for each in stored("right"))
    cuda = next(each for each, call in calls if call.kind == "cuda")
    for name, source in {"00": "def double(x): return 2 * x", "12": cuda.source}.items():
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
        nbformat.write(notebook, folder / f"{name}.ipynb")


@pytest.mark.whole
def test_the_image_ends_with_1_where_something_could_not_be_judged(tree, tmp_path):
    """And says so; its row names what was missing: there is no g++ on this search path."""
    handed_in(tmp_path / "in")
    entry, command = (
        json.loads(found) for found in re.findall(r"^(?:ENTRYPOINT|CMD) (.+)$", (ROOT / "Dockerfile").read_text(), re.M)
    )
    places = {"python": "", "/submissions": str(tmp_path / "in"), "/results": str(tmp_path / "out")}
    arguments = [places.get(each, each) for each in entry + command]
    said = python(tree, *filter(None, arguments), status=1, PATH="/nowhere")

    assert "1 of them could not be judged in full, through no fault of the answers" in said
    assert "this machine has none" in (tmp_path / "out" / "results.jsonl").read_text()
    merge = ["-m", "grader", "merge", str(tmp_path / "out"), "--out", str(tmp_path / "merged")]
    assert "not judged in full: '12.ipynb'" in python(tree, *merge, status=1)


STUB = """#!/bin/sh
while [ $# -gt 1 ]; do  # python -m grader grade FILES..., python -m grader export RESULTS ... --to FILE
  case "$1" in
    grade) exit $GRADED ;;
    --format) mkdir -p ../results; echo '{"score": 1}' | tee ../results/github.json > "${4:-/dev/null}"; exit 0 ;;
  esac
  shift
done
"""


@pytest.fixture
def scripted(tmp_path):
    """A function that runs a script with a stand-in for Python, whose grading ends with this exit status."""
    for folder in ("bin", "venv/bin", "source", "submission"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("bin/python", "venv/bin/python"):
        (tmp_path / name).write_text(STUB)
        (tmp_path / name).chmod(0o755)

    def run(graded, *command):
        environment = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "AUTOGRADER_ROOT": str(tmp_path)}
        environment |= {"GRADED": str(graded), "GITHUB_OUTPUT": str(tmp_path / "output")}
        return subprocess.run(
            ["bash", *command], cwd=tmp_path / "source", env=environment, capture_output=True
        ).returncode

    return run


@pytest.mark.parametrize("graded, status, score", [(0, 0, 1), (1, 1, 1), (2, 2, 0)])
def test_gradescope_shows_what_was_judged_and_ends_as_grading_did(scripted, tmp_path, graded, status, score):
    """So a student keeps the points of what could be judged; where nothing was, the result says so."""
    assert status == scripted(graded, ROOT / "grader" / "export" / "autograder" / "run_autograder")
    assert score == json.loads((tmp_path / "results" / "results.json").read_text())["score"]


@pytest.mark.parametrize("graded", [0, 1])
def test_a_workflow_reports_what_was_judged_and_ends_as_grading_did(scripted, tmp_path, graded):
    """The reporter runs although the step before it failed."""
    (step,) = (each for each in STEPS if each.get("id") == "course")
    (report,) = (each for each in STEPS if "runners" in each.get("with", {}))

    assert graded == scripted(graded, "-e", "-c", step["run"])
    assert (tmp_path / "output").read_text().startswith("result=ey")
    assert "!cancelled()" in report["if"] and f"steps.{step['id']}.outputs.result" in report["if"]


def test_the_site_gathers_pages_that_name_the_fork_in_both_languages(tmp_path, monkeypatch):
    """It copies docs/ and the lessons; what a check said is in the notebook's language."""
    monkeypatch.syspath_prepend(ROOT / "site")
    import gather

    monkeypatch.setattr(gather, "PAGES", tmp_path / "pages")
    monkeypatch.setattr(gather, "lessons", lambda: STEMS[:1])
    monkeypatch.setattr(gather.opening, "repository", lambda root=ROOT: "me/fork")
    gather.gather()

    for page in ("instructors.md", "zh/instructors.md"):
        assert "git clone https://github.com/me/fork course" in (tmp_path / "pages" / "docs" / page).read_text()
    outputs = (tmp_path / "pages" / "notebooks" / "zh" / f"{STEMS[0]}.ipynb").read_text()
    assert "0 分，满分 4 分" in outputs
