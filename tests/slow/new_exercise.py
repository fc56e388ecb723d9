"""python -m grader new: the skeleton of an exercise stands in all its places, and everything passes at once."""

import os
import re
import subprocess
import sys

import pytest
from conftest import working_tree

from grader import environment, lessons
from grader.__main__ import main


def run(copy, *command):
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"FIVE_PASSES_PROGRESS": "off"}
    return subprocess.run([sys.executable, *command], cwd=copy, env=variables, capture_output=True, text=True)


def test_a_skeleton_passes_and_lists_what_is_left(tmp_path):
    """As docs/authors.md says, without a word of Chinese: new, make build, and all of make test ONLY=5.3."""
    copy = tmp_path / "course"
    working_tree(copy)
    made = run(copy, "-m", "grader", "new", "5.3", "log_softmax")

    assert made.returncode == 0, made.stderr
    points = sum(exercise.points for exercise in lessons.of_lesson("05") if not exercise.bonus)
    assert f"One point of 5.1 went to 5.3, so that the lesson keeps its {points}." in made.stdout
    left = [line.split(":")[0].strip() for line in made.stdout.splitlines() if line.startswith("  ")]
    answers = "tests/wrong/5.3.toml", "tests/right/05_log_softmax_in_another_style.py"
    for file in (
        "grader/lessons/lesson_05.py",
        "grader/mistakes/log_softmax.py",
        "solutions/05_every_row.py",
        *answers,
    ):
        assert file in left and "AUTHOR" + ":" in (copy / file).read_text()
    built = run(copy, "tools/build.py", "--execute")  # make build
    assert built.returncode == 0 and "running 05_every_row.ipynb" in built.stdout, built.stderr
    checked = run(copy, "tools/build.py", "--check")  # make test ONLY=5.3, line by line
    assert checked.returncode == 0, checked.stdout
    assert re.search("^warning: .* is new, and has no translation$", checked.stdout, re.MULTILINE), checked.stdout
    assert run(copy, "tools/build.py", "--check", "--release").returncode == 1
    assert run(copy, "-m", "ruff", "check", ".").returncode == 0
    assert run(copy, "-m", "mypy").returncode == 0
    tests = [f"tests/test_{name}.py" for name in ("answers", "course", "build", "rooms")]
    done = run(copy, "-m", "pytest", "-q", "--only", "5.3", *tests)
    assert done.returncode == 0, done.stdout[-3000:]
    nbval = "--nbval --nbval-current-env --nbval-sanitize-with tools/nbval.cfg solutions/05_every_row.ipynb"
    done = run(copy, "-m", "pytest", "-q", *nbval.split())
    assert done.returncode == 0, done.stdout[-3000:]
    assert "AUTHOR" in run(copy, "-m", "pytest", "-q", "tests/test_rooms.py", "-k", "left_for_the_author").stdout


@pytest.mark.parametrize("number, name, why", [
    ("5.2", "anything", "there is an exercise 5.2 already"),
    ("5.4", "anything", "the next exercise of lesson 05 is 5.3"),
    ("five", "anything", "'five' is no number of an exercise"),
    ("77.1", "anything", "'77.1' is no number of an exercise"),
    ("5.3", "fused_softmax", "'fused_softmax' is no free name"),
    ("5.3", "two words", "'two words' is no free name"),
    ("0.2", "anything", "no exercise of lesson 00 has a point to give away"),
])  # fmt: skip
def test_what_cannot_be_added_is_a_sentence_and_writes_nothing(number, name, why, capsys, monkeypatch, tmp_path):
    """The folder of the course is another one here, and stays empty."""
    monkeypatch.setattr(environment, "ROOT", tmp_path)

    assert main(["new", number, name]) == 2
    assert why in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
