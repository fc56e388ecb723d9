"""Answers and files that try to cheat or to break the grader: no points, no traces, no harm to others.

One file an attack in tests/attacks/, or a record in its edits.toml; its number is the row of the table in
docs/isolation.md. `# files` marks those that write files to be graded.
"""

import json
import os
import pathlib
import re
import runpy
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import ROOT

from grader import lessons
from grader.classroom import executors, grading, results_store, submissions
from grader.isolation import HIDDEN
from grader.judge import zygotes
from grader.judge.judge import PUBLIC_SEED, judge
from grader.mistakes import stored
from grader.spec import Answer

ATTACKS = ROOT / "tests" / "attacks"
TEXTS = stored.texts(ATTACKS)
FILES = [name for name, text in TEXTS.items() if "\n# files" in "\n" + text[:20]]
ANSWERS = [name for name in TEXTS if name not in FILES]
RIGHT = "00_control_right"
SEED = 7  # not the published one
SECONDS = 6.0
ENDLESS = 1.0  # seconds for what is known to take all that it gets
# An attack that an exercise has outgrown fails by these, before it attacked anything. A header says where it is meant.
OUTGROWN = ("wrong-device", "step-zero", "refuses-the-right-ones", "no-such-function")
# What a machine without Landlock, seccomp and namespaces cannot keep an answer from; README says so.
BEYOND_LIMITS = ("36_the_shipped_c", "09_reads", "10_imports_by_path", "23_", "24_files", "24_shared", "26_", "27_")


@pytest.fixture(scope="module")
def mark(tmp_path_factory):
    """A folder that an attack may know of, with a secret beside it in the judge's environment."""
    folder = tmp_path_factory.mktemp("mark")
    zygotes.close_all()
    os.environ["FIVE_PASSES_TEST_SECRET"] = "a key that no answer may see"
    yield folder
    del os.environ["FIVE_PASSES_TEST_SECRET"]
    zygotes.close_all()


@pytest.fixture(scope="module")
def heard():
    """What came in over the network: (port, list of messages)."""
    tcp, udp, local = socket.socket(), socket.socket(type=socket.SOCK_DGRAM), socket.socket(socket.AF_UNIX)
    tcp.bind(("127.0.0.1", 0))
    port = tcp.getsockname()[1]
    udp.bind(("127.0.0.1", port))
    local.bind(f"\0five-passes-{port}")
    messages = []

    def listen(s, take):
        while True:
            try:
                messages.append(take(s))
            except OSError:
                return

    listening = [(tcp, lambda s: s.accept()[1]), (local, lambda s: s.accept()[1]), (udp, lambda s: s.recv(100))]
    for s, take in listening:
        if s.type == socket.SOCK_STREAM:
            s.listen()
        threading.Thread(target=listen, args=(s, take), daemon=True).start()
    yield port, messages
    for s in (tcp, udp, local):
        s.close()


def header(name):
    return dict(re.findall(r"^# (\w+): (.+)$", TEXTS[name], re.MULTILINE))


def notebook(source):
    cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


def graded(found, out):
    """The rows of files, two at a time."""
    with results_store.Results(out) as results, ThreadPoolExecutor(2) as executor:
        grader = executors.GradingExecutor(executor, lambda: 2)
        list(grading.grade_all(found, results, grader, b"a secret of sixteen", SECONDS))
    return {row["submission"]: row for row in results_store.read(out / results_store.RESULTS).rows()}


def verdict(name, seed=SEED, **replaced):
    text, head = TEXTS[name], header(name)
    for word, value in replaced.items():
        text = text.replace(word, str(value))
    endless = head.get("status") == "timeout" or head.get("mistake") == "compiler-endless"
    exercise, seconds = lessons.exercises()[head["exercise"]], ENDLESS if endless else SECONDS
    # All of the text, and not only what a notebook's answer is made of: it is for the worker to bear it.
    return judge(exercise, Answer(text), seconds=seconds, seed=seed)


def processes():
    """The children of every worker: (number, command) by what /proc says."""
    workers = {z._process.pid for z in zygotes._zygotes.values()}
    above = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[:2]
                above[int(entry.name)] = (int(parent), state)
            except OSError:
                pass
    below, found = set(workers), True
    while found:
        found = {n for n, (parent, _) in above.items() if parent in below} - below
        below |= found
    return {n for n in below - workers if above[n][1] != "Z"}


@pytest.fixture
def nothing_left(mark):
    """After the test: no process but the workers', no scratch folder, nothing where an attack would leave it."""
    for mode in ("interpreted", "compiled"):
        zygotes.get(mode).wait()
    (mark / "results.jsonl").write_text("a row\n")
    before = processes()
    yield
    for zygote in zygotes._zygotes.values():
        zygote.end_spares()
    end = time.monotonic() + 10
    while (left := processes() - before) or any(p for z in zygotes._zygotes.values() for p in scratch(z)):
        assert time.monotonic() < end, f"still there: {left}"
        time.sleep(0.05)
    assert [p.name for p in mark.iterdir()] == ["results.jsonl"], [p.read_text() for p in mark.iterdir()]
    assert (mark / "results.jsonl").read_text() == "a row\n"
    assert not (mark.parent / "elsewhere").exists() and not (ROOT / "attack").exists()
    for place in ("/tmp", "/dev/shm", "/var/tmp"):
        assert not pathlib.Path(place, "five-passes-attack").exists()


def scratch(zygote):
    return list(pathlib.Path(zygote._scratch.name).iterdir())


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", ANSWERS)
def test_an_attack_earns_nothing_and_leaves_nothing(name, mark, heard, nothing_left):
    """Whatever it does, its exercise fails, and the next right answer passes in the same worker."""
    if name.startswith(BEYOND_LIMITS) and zygotes.isolation() in ("none", "limits"):
        pytest.skip(f"isolation on this machine is {zygotes.isolation()}")
    if name.startswith("46_") and zygotes.get().status[HIDDEN] != "on":
        pytest.skip(f"files outside exist here: {zygotes.get().status[HIDDEN]}")
    port, messages = heard
    worker = zygotes.get()._process.pid
    head = header(name)

    result = verdict(name, MARK=mark, COURSE=ROOT, JUDGE=os.getpid(), PORT=port)

    if head.get("control") == "passed":
        assert ("passed", result.max_score) == (result.status, result.score), result.text
    else:
        assert result.score == float(head.get("points", 0)), result.text  # of groups that it solves as asked
        assert result.status in (head.get("status", result.status), head.get("control", result.status))
        assert result.status in ("failed", "error", "timeout")
        named = head.get("mistake", result.mistake), head.get("slowly")  # the clock comes first on a slow machine
        assert result.mistake in named, result.text
        assert result.mistake == head.get("mistake") or result.mistake not in OUTGROWN, result.text
    assert messages == []
    assert worker == zygotes.get()._process.pid and zygotes.get().alive()
    assert verdict(RIGHT).status == "passed"


SLOW = "05_", "29_", "38_", "39_"  # files of some seconds


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.whole] * each.startswith(SLOW)) for each in FILES]
)
def test_odd_files_get_a_row_each_and_cost_nobody_else_theirs(name, tmp_path, nothing_left):
    """One row a file, no points, and the right answers beside them keep theirs."""
    handed = tmp_path / "handed"
    handed.mkdir()
    runpy.run_path(str(ATTACKS / f"{name}.py"))["make"](handed)
    (handed / "zz_right.ipynb").write_text(notebook(TEXTS[RIGHT]))

    found = list(submissions.find(handed))
    rows = graded(found, tmp_path / "out")

    assert len(found) == len(rows)
    assert rows.pop("zz_right.ipynb")["score"] == 2
    assert {row["score"] for row in rows.values()} == {0}
    assert {zygotes.isolation()} == {row["isolation"] for row in rows.values()}


def test_attacks_side_by_side_change_nobodys_row(mark, nothing_left, tmp_path):
    """Two files at a time, the noisiest attacks and right answers in turn."""
    noisy = ["23_fork_bomb", "24_threads", "26_signals", "24_open_files", "06_forged_replies", "24_disk"]
    for number, name in enumerate(noisy):
        text = TEXTS[name].replace("JUDGE", str(os.getpid()))
        (tmp_path / f"{number}_attack.ipynb").write_text(notebook(text))
        (tmp_path / f"{number}_right.ipynb").write_text(notebook(TEXTS[RIGHT]))

    rows = graded(list(submissions.find(tmp_path)), tmp_path / "out")

    assert {kind: {row["score"] for name, row in rows.items() if kind in name} for kind in ("attack", "right")} == {
        "attack": {0.0},
        "right": {2.0},
    }


def test_what_is_written_down_for_the_published_seed_is_right_for_no_other():
    """An answer that knows the numbers `check` uses fails when it is graded."""
    assert verdict("16_published_seed", seed=PUBLIC_SEED).status == "passed"
    assert verdict("16_published_seed").score == 0
