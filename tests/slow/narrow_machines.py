"""Narrow machines: where a system call, a folder or memory is missing, an answer is graded, or its row says why not."""

import json
import os
import resource
import subprocess
import sys

import pytest
from conftest import ROOT, stored

from grader import lessons
from grader.classroom import executors
from grader.cuda import tools
from grader.isolation import HIDDEN
from grader.isolation.linux import calls, processes
from grader.judge import zygotes

NARROW = [sys.executable, str(ROOT / "tests" / "slow" / "narrow.py")]
CUDA = next(s for s in stored("right") if lessons.exercises()[s.exercise].cases(1)[0].call.kind == "cuda")
PROGRAM = """
import json, sys
from grader import lessons
from grader.judge import judge, zygotes
from grader.spec import Answer
rows = [judge.judge(lessons.exercises()[number], Answer(text)).record() for number, text in json.load(sys.stdin)]
try:
    status = zygotes.get().status
except zygotes.NoWorker:
    status = {}
print(json.dumps([rows, status]))
"""
ATTACKS = ROOT / "tests" / "attacks"
ANSWERS = [
    ("1.1", (ATTACKS / "00_control_right.py").read_text(encoding="utf-8")),
    ("1.1", (ATTACKS / "00_control_wrong.py").read_text(encoding="utf-8")),
    (CUDA.exercise, CUDA.source),
]


def graded(launcher, answers=ANSWERS, **options):
    """(records, status of the worker) of answers on the machine that `launcher` makes."""
    command = [*launcher, sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, input=json.dumps(answers), cwd=ROOT, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def filters():
    """Whether this machine lets a process take calls away from itself."""
    if subprocess.run([*NARROW, "EPERM", "--", "true"], capture_output=True).returncode:
        pytest.skip("this machine has no seccomp to take calls away with")


GRADED = {  # calls that are missing together, and what the worker says about it
    "pidfd_open": {},
    "landlock_create_ruleset unshare prctl:22 prctl:38": {"landlock": "Landlock", "seccomp": "PR_", "namespaces": ""},
    "clone3 close_range memfd_create pidfd_send_signal process_madvise madvise:25 prctl:1 prctl:36": {},
    "mount setresuid capset": {HIDDEN: ""},
}
@pytest.mark.parametrize("error", ["ENOSYS", "EPERM"])
def test_the_course_imports_where_no_thread_starts(error, filters):
    """NumPy's library would end the process, whatever number of threads it was told to start."""
    command = [*NARROW, error, "clone3", "--", sys.executable, "-c", "import grader, numpy; print('imported')"]
    environ = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True)

    assert done.stdout == "imported\n", done.stderr


REFUSED = {"prlimit64": "getrlimit", "setsid": "cannot be started"}


@pytest.mark.parametrize("error", ["ENOSYS", "EPERM"])
@pytest.mark.parametrize("missing", GRADED)
def test_answers_are_graded_without(missing, error, filters):
    """A right one passes and a wrong one fails for its own mistake; a rung that is lost says so."""
    answers = ANSWERS if {"memfd_create", "setresuid"} & {*missing.split()} else ANSWERS[:2]
    (right, wrong, *cuda), status = graded([*NARROW, error, *missing.split(), "--"], answers)

    assert {row["status"] for row in (right, *cuda)} == {"passed"}, (right, cuda)
    assert (wrong["status"], wrong["mistake"]) == ("failed", "no-max")
    if "unshare" not in missing:  # a machine without mounts keeps its namespaces
        zygotes.get().wait()
        assert zygotes.get().status["namespaces"] == status["namespaces"]
    for rung, said in GRADED[missing].items():
        assert status[rung].startswith("off: ") and said in status[rung]


@pytest.mark.parametrize("error", ["ENOSYS", "EPERM"])
@pytest.mark.parametrize("missing", REFUSED)
def test_no_answer_is_blamed_for(missing, error, filters):
    """Where the lowest rung cannot be had, every row is flagged and names the call."""
    rows, _ = graded([*NARROW, error, missing, "--"], ANSWERS[:2])

    for row in rows:
        assert (row["status"], row["score"], row["flags"]) == ("error", 0, ["grader-failed"])
        assert REFUSED[missing] in row["message"]


def test_no_answer_is_blamed_for_a_limit_of_memory():
    """Under ulimit -v a process may end, or not, wherever it asks for memory."""
    limit = 950_000 << 10
    rows, _ = graded([], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    for row in (rows[0], rows[2]):
        assert row["status"] == "passed" or row["flags"] == ["grader-failed"], row["message"]
        assert row["status"] == "passed" or "memory" in row["message"] or "did not start" in row["message"]


@pytest.mark.parametrize("refusal", [OSError(1, "Operation not permitted"), AttributeError("pidfd_open")])
def test_the_end_of_a_child_is_seen_without_pidfd_open(refusal, monkeypatch):
    """Also where Python was built without it."""

    def refuse(pid):
        raise refusal

    monkeypatch.setattr(os, "pidfd_open", refuse)
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    child = processes.Child(pid)
    assert child.wakes is None and not child.ended()
    os.close(writing)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    assert child.ended()
    child.reap()
    os.close(reading)
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, 0)


def test_no_folder_for_shared_memory_is_a_sentence(monkeypatch):
    """Python's locks between processes are files there."""

    def refuse(*_):
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(executors, "ProcessPoolExecutor", refuse)
    with executors.local(1, 1.0) as grader, pytest.raises(RuntimeError, match="need /dev/shm: No such file"):
        grader.executor.submit(len, "").result()


COMPILERS = {  # what stands in for g++: its script, what it says, whether that is the machine's fault
    "refuses the kernel": ("echo 'kernel:1:1: error: no' >&2; exit 1", "kernel:1:1: error: no", ""),
    "refuses some text": ("grep -q kernel_text && { echo no >&2; exit 1; }; for last; do :; done; : > $last", "no", ""),
    "cannot start": ("echo 'g++: fatal error: cannot execute cc1plus' >&2; exit 1", "cannot execute", "cannot execute"),
    "waits": ("sleep 30", "", "not done after"),
}


@pytest.mark.parametrize("kind", COMPILERS)
def test_a_kernel_is_not_blamed_for_a_compiler_that_compiles_nothing(kind, monkeypatch, tmp_path):
    """An empty kernel tells which of them it is."""
    script, said, fault = COMPILERS[kind]
    (tmp_path / "g++").write_text(f'#!/bin/sh\n[ "$1" = -dumpversion ] && {{ echo 12; exit; }}\n{script}\n')
    (tmp_path / "g++").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(tools, "_PATIENCE", 0.1 if kind == "waits" else 60)

    _, *found = tools._read("reader", ["kernel_text", 0], str(tmp_path))

    assert said in found[0] and fault in found[1] and bool(fault) == bool(found[1])


def test_the_doctor_names_the_missing_calls_and_what_follows(filters):
    """And none where all are here."""
    code = "from grader.notebook import doctor\ndoctor.show(doctor._calls())"
    all_here, two_missing = (
        subprocess.run([*launcher, sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True).stdout
        for launcher in ([], [*NARROW, "EPERM", "pidfd_open", "memfd_create", "--"])
    )

    assert "pidfd_open" not in all_here and "memfd_create" not in all_here
    assert "missing: pidfd_open, memfd_create" in two_missing
    for name in ("pidfd_open", "memfd_create"):
        assert f"{name:<16} Operation not permitted: {calls.CALLS[name][1]}" in two_missing
