"""docs/instructors.md is done as it says, in a copy of the course."""

import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """A copy of the course with every change that the page shows."""
    copy = tmp_path_factory.mktemp("fork") / "course"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "results", "*.zip"))
    for name, lines in re.findall(r"```diff\n.*?\n\+\+\+ b/(\S+)\n(.*?)```", PAGE, re.DOTALL):
        was, becomes = ("".join(x[1:] for x in lines.splitlines(True) if x[0] in f" {sign}") for sign in "-+")
        text = (copy / name).read_text()
        assert 1 == text.count(was), f"{name} has changed: the page's diff does not apply"
        (copy / name).write_text(text.replace(was, becomes))
    added = re.findall(r"(?i)at the end of\s+`([^`]+)`:\n\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert 3 == len(added)
    for name, text in added:
        with open(copy / name, "a") as f:
            f.write("\n\n" * (f.tell() > 0) + text)
    return copy


def run(copy, *command):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"FIVE_PASSES_PROGRESS": "off"}
    done = subprocess.run([sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True)
    assert 0 == done.returncode, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_points_and_exercises_change_as_described(changed):
    """Notebooks, list, tests of the course and grades follow, and there are still 100 points."""
    assert "running 00_check_your_bench.ipynb" in run(changed, "solutions/build.py", "--execute")
    assert "15 lessons are up to date" in run(changed, "solutions/build.py", "--check")

    listed = json.loads(run(changed, "-m", "grader", "list", "--json"))
    points = {e["id"]: e["points"] for e in listed if not e["bonus"]}
    assert (1, 2, 100) == (points["0.2"], points["1.1"], sum(points.values()))
    learners = nbformat.read(changed / "notebooks" / "00_check_your_bench.ipynb", as_version=4)
    assert "check-0-2" in [c.id for c in learners.cells] and "x / 2" not in nbformat.writes(learners)
    tests = [f"tests/test_{name}.py" for name in ("course", "scores", "build", "answers")]
    run(changed, "-m", "pytest", "-q", *tests, "-k", "not test_answers or halve")

    right, wrong = "def halve(x): return x / 2", (changed / "tests/wrong/00_halve_unchanged.py").read_text()
    (changed / "in").mkdir()
    for name, answer in (("right", right), ("wrong", wrong)):
        cells = [nbformat.v4.new_code_cell(c) for c in ("def double(x): return 2 * x", answer)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), changed / "in" / f"{name}.ipynb")
    run(changed, "-m", "grader", "grade", "in", "--out", "out")
    rows = {r["student"]: r for r in map(json.loads, (changed / "out" / "results.jsonl").read_text().splitlines())}
    assert [(2, 2), (1, 2)] == [(rows[n]["score"], rows[n]["max_score"]) for n in ("right", "wrong")]
    assert "unchanged" == rows["wrong"]["exercises"][1]["mistake"]


def test_the_page_names_what_there_is():
    """Every format, and every file of the course that it links to."""
    for link in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link
    for form in ("csv", "html", "canvas", "gradescope", "junit"):
        assert f"--format {form}" in PAGE
