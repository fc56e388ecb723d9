"""A class on a real GPU, and what lessons measure there: make gpu. No time is compared with a number."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
import torch
from conftest import ROOT, stored
from test_race_class import notebook, rows, table

from grader import own_card
from grader.bench import own_rows
from grader.bench.per_lesson import solution
from grader.mistakes.mutant import reference

if not torch.cuda.is_available():
    pytest.exit("these tests need a GPU", returncode=2)

OWN = {
    "05": lambda: (solution.answer("1.1", "naive_softmax"), solution.answer("5.2", "fused_softmax")),
    "08": lambda: (solution.answer("8.4", "online_softmax"),),
    "09": lambda: (solution.answer("9.3", "split_softmax"),),
}
SECONDS = 300


def command(folder, out):
    shapes = "4096x1000,16384x781"
    return [
        sys.executable,
        "-m",
        "grader",
        "race",
        str(folder),
        "--exercise",
        "5.2",
        "--out",
        str(out),
        "--shapes",
        shapes,
    ]


@pytest.fixture(scope="module")
def handed(tmp_path_factory):
    """Four students: the course's own answer twice, another right answer, and a wrong one."""
    folder = tmp_path_factory.mktemp("class") / "in"
    other = next(each for each in stored("right") if each.name == "05_wrapper_plain").source
    wrong = next(each for each in stored("wrong") if each.exercise == "5.2").source
    for student, text in {"ada": reference("5.2"), "grace": reference("5.2"), "alan": other, "tim": wrong}.items():
        (folder / student).mkdir(parents=True)
        (folder / student / "05_every_row.ipynb").write_text(notebook(text), encoding="utf-8")
    return folder


def test_a_class_races_and_goes_on_after_kill_9(handed, tmp_path):
    """The killed run leaves whole rows, and the next one races the others; equal answers tie."""
    out = tmp_path / "out"
    began = subprocess.Popen(command(handed, out), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and began.poll() is None and not ((out / "race.jsonl").exists() and rows(out)):
        time.sleep(0.05)
    began.send_signal(signal.SIGKILL)
    began.wait()
    before = rows(out)
    done = subprocess.run(command(handed, out), cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)

    assert done.returncode == 0, done.stdout + done.stderr
    after = rows(out)
    assert sorted(after) == ["ada", "alan", "grace"], done.stdout
    assert all(after[name] == before[name] for name in before)
    ranks = {row["student"]: row["rank"] for row in table(out) if row["student"]}
    assert ranks["ada"] == ranks["grace"] and ranks["tim"] == ""


@pytest.mark.parametrize("lesson", own_rows.LESSONS)
def test_a_lesson_measures_its_rows_here(lesson, capsys):
    """Every heat that has room gives times, and what has none says why."""
    own_card(lesson, *OWN.get(lesson, tuple)())
    told = capsys.readouterr().out
    assert " µs ± " in told, told
