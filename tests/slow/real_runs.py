"""Real runs of python -m grader grade: stopped, killed, in parts, on a cluster. What they leave is always whole."""

import contextlib
import json
import os
import pathlib
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from concurrent.futures.process import BrokenProcessPool

import nbformat
import pytest
from conftest import ROOT

from grader.__main__ import main
from grader.classroom import executors, results_store

RIGHT = "def double(x): return 2 * x"
SECRET = "a secret of the tests"
CLASS = 16
KINDS = (
    RIGHT,
    "def double(x): return x",
    "def double(x):\n    import torch\n    return torch.zeros_like(x)",
    'overflow_at = {"float32": 89, "float16": 12}\ndef naive_traffic(m, n): return 5*m*n + 2*m, 3*m*n + 2*m',
)


def notebook(*cells):
    """The same bytes every time: rows name them."""
    found = [nbformat.v4.new_code_cell(c, id=f"cell-{number}") for number, c in enumerate(cells)]
    return nbformat.writes(nbformat.v4.new_notebook(cells=found))


@pytest.fixture
def place(tmp_path):
    """A class, a secret, and nothing of ours left running afterwards."""
    with a_place(tmp_path) as found:
        yield found


@contextlib.contextmanager
def a_place(path):
    folder = path / "class"
    for number in range(CLASS):
        (folder / f"s{number:02}").mkdir(parents=True)
        (folder / f"s{number:02}" / "x.ipynb").write_text(notebook(KINDS[number % len(KINDS)], f"n = {number}"))
    (path / "key").write_text(SECRET)
    with tempfile.TemporaryDirectory() as temporary:  # a short name, as most machines have
        place = Place(path, f"FIVE_PASSES_TEST_RUN={uuid.uuid4()}", temporary)
        yield place
        end = time.monotonic() + 20
        while (left := place.running()) and time.monotonic() < end:
            time.sleep(0.1)
        assert left == []
        assert [name for name in os.listdir(temporary) if "five-passes-" in name] == []


class Place:
    """Where a run takes place."""

    def __init__(self, folder: pathlib.Path, mark: str, temporary: str):
        self.folder, self.path, self._mark, self._temporary = folder, folder / "class", mark, temporary
        self.environment = os.environ | dict([mark.split("=")]) | {"TMPDIR": temporary, "COLUMNS": "200"}

    def start(self, *options, out="out"):
        command = ["grade", str(self.path), "--out", str(self.folder / out), "--secret", str(self.folder / "key")]
        return subprocess.Popen(
            [sys.executable, "-m", "grader", *command, "--jobs", "2", *options],
            cwd=ROOT, env=self.environment, start_new_session=True, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, *options, out="out"):
        process = self.start(*options, out=out)
        said, complaints = process.communicate(timeout=300)
        return process.returncode, said, complaints

    def cluster(self):
        """Start a cluster of two: (its process, its address). It goes on until it is ended."""
        script = self.folder / "cluster.py"
        script.write_text(
            "from distributed import LocalCluster\n"
            "if __name__ == '__main__':\n"
            "    with LocalCluster(n_workers=2, threads_per_worker=1, host='127.0.0.1', dashboard_address=None) as c:\n"
            "        print(c.scheduler_address, flush=True)\n"
            "        input()\n"
        )
        process = subprocess.Popen(
            [sys.executable, str(script)], env=self.environment | {"PYTHONPATH": str(ROOT)}, start_new_session=True,
            cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        return process, process.stdout.readline().strip()

    def rows(self, out="out"):
        """The rows by file, without the times that grading took."""
        return {
            r["submission"]: r | {"seconds": 0, "exercises": [e | {"seconds": 0} for e in r["exercises"]]}
            for r in map(json.loads, self.lines(out))
        }

    def lines(self, out="out"):
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / out / "results.jsonl").read_text().splitlines()
        return []

    def wait_for_rows(self, process, count, out="out"):
        while len(self.lines(out)) < count and process.poll() is None:
            time.sleep(0.01)

    def running(self):
        """The processes that were started with our mark in their environment, or with our folder for what they write.

        Workers see little of the environment.
        """
        found = []
        for process in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                marked = self._mark.encode() in (process / "environ").read_bytes()
                ours = self._temporary.encode() in (process / "cmdline").read_bytes()
                if process.name.isdecimal() and (marked or ours):
                    found.append(int(process.name))
        return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The rows of an undisturbed run."""
    with a_place(tmp_path_factory.mktemp("whole")) as place:
        status, _, complaints = place.run()
        assert status == 0, complaints
        return place.rows()


def test_runs_killed_at_any_moment_end_where_an_undisturbed_one_does(place, whole):
    """Row for row, seeds included; and what a killed run had done is not done again."""
    assert CLASS == len(whole) and {r["score"] for r in whole.values()} == {0.0, 1.0, 2.0}

    chance = random.Random()
    for count in (0, 3, 8):
        process = place.start()
        place.wait_for_rows(process, count)
        time.sleep(chance.random() / 3)
        process.kill()
        process.communicate(timeout=60)
    done = {r["submission"]: r["seconds"] for r in results_store.read(place.folder / "out" / "results.jsonl").rows()}
    assert len(done) >= 8

    status, said, complaints = place.run()

    assert status == 0 and f"{CLASS} of {CLASS} files with a row" in said, complaints
    assert whole == place.rows() and CLASS == len(place.lines())
    assert done.items() <= {r["submission"]: r["seconds"] for r in map(json.loads, place.lines())}.items()


def test_ctrl_c_says_how_to_go_on(place):
    """Exit status 130, no traceback, and only whole rows."""
    for name in ("s14", "s15"):  # slow ones, or the run might be over before anybody could stop it
        (place.path / name / "x.ipynb").write_text(notebook("import time\ndef double(x): time.sleep(60)"))
    # Whoever runs the tests in the background of a shell ignores Ctrl-C, and what they start would do so as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process = place.start()
    place.wait_for_rows(process, 2)
    os.killpg(process.pid, signal.SIGINT)
    said, complaints = process.communicate(timeout=60)

    assert process.returncode == 130, complaints
    assert "the same command goes on from there" in complaints and "Traceback" not in complaints + said
    assert 2 <= len(place.rows()) == len(place.lines())


def test_a_disk_that_fills_up_stops_the_run_and_loses_nothing(place):
    """A sentence, exit status 2, whole rows; with room again the same command does the rest."""
    process = place.start()
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))
    _, complaints = process.communicate(timeout=60)

    assert process.returncode == 2 and "goes on from them" in complaints and "Traceback" not in complaints
    assert 1 <= len(place.rows()) == len(place.lines()) < CLASS
    assert place.run()[0] == 0 and CLASS == len(place.rows()) == len(place.lines())


def test_parts_joined_are_the_whole(place):
    """Two parts of a class have every row once."""
    for part in ("1/2", "2/2"):
        status, _, complaints = place.run("--shard", part, out=part.replace("/", "_"))
        assert status == 0, complaints
    first, second = place.rows("1_2"), place.rows("2_2")
    assert CLASS == len(first | second) == len(first) + len(second) and first and second

    merge = [sys.executable, "-m", "grader", "merge", "1_2", "2_2", "--out", "all"]
    environment = place.environment | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(merge, cwd=place.folder, env=environment, capture_output=True, text=True)

    assert done.returncode == 0 and f"{CLASS} submissions with a row" in done.stdout, done.stdout + done.stderr
    assert first | second == place.rows("all")


def test_a_grader_that_is_ended_costs_no_file_its_row(place):
    """A process that grades is ended from outside: its file is graded by another."""
    process = place.start()
    place.wait_for_rows(process, 1)
    zygotes = {pid for pid in place.running() if b"grader.worker.start" in _command(pid)}
    judges = {_parent(pid) for pid in zygotes} - {process.pid, *zygotes}
    os.kill(judges.pop(), signal.SIGKILL)
    _, complaints = process.communicate(timeout=300)

    assert process.returncode == 0, complaints
    assert CLASS == len(place.rows()) and all(not r["problems"] for r in place.rows().values())


def test_a_process_that_hangs_or_ends_is_replaced(monkeypatch):
    """Whoever waits for it hears of it, and the next file has a process again."""
    monkeypatch.setattr(executors, "_begin", executors._watch)  # nothing is graded here
    with executors.local(1, seconds=2.0) as found:
        assert (BrokenProcessPool, TimeoutError) == found.lost_worker_errors and found.capacity() == 1
        first = found.executor.submit(os.getpid).result()
        with pytest.raises(TimeoutError, match="did not end in 2 seconds"):
            found.executor.submit(time.sleep, 60).result()
        with pytest.raises(BrokenProcessPool):
            found.executor.submit(os._exit, 1).result()
        assert first != found.executor.submit(os.getpid).result() != os.getpid()


def test_where_forks_would_not_do_processes_are_started_anew(monkeypatch):
    """With a GPU; or where a socket's name, which begins with the folder for temporary files, would be too long."""
    monkeypatch.setattr(executors, "_begin", executors._watch)
    for gpu, folder, method in ((False, "/tmp", "forkserver"), (True, "/tmp", "spawn"), (False, "/long" * 20, "spawn")):
        monkeypatch.setattr(executors.environment, "has_gpu", lambda gpu=gpu: gpu)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        assert method == executors._context().get_start_method()

    with executors.local(1, seconds=60.0) as found:
        assert os.getpid() != found.executor.submit(os.getpid).result()


def test_a_cluster_of_two_does_the_same_work_and_when_it_goes_away_nothing_is_lost(place, whole):
    """A real one on this machine, through the same unit of work; this machine's own processes do what it leaves."""
    cluster, address = place.cluster()
    try:
        status, _, complaints = place.run("--dask", address)
        assert status == 0, complaints
        assert whole == place.rows()

        process = place.start("--dask", address, out="second")
        place.wait_for_rows(process, 1, out="second")
    finally:
        os.killpg(cluster.pid, signal.SIGKILL)
        cluster.communicate(timeout=60)
    _, complaints = process.communicate(timeout=120)

    assert process.returncode == 2 and "Grading stopped: " in complaints, complaints
    assert 1 <= len(place.rows("second")) == len(place.lines("second")) < CLASS
    assert place.run(out="second")[0] == 0
    assert whole == place.rows("second") and CLASS == len(place.lines("second"))


@pytest.mark.parametrize("what, says", [("--nanny", "has had no worker for"), ("scheduler", "Dask scheduler")])
def test_a_cluster_that_loses_its_workers_or_begins_anew_is_a_sentence(place, whole, what, says):
    """Within half a minute, and no row is lost."""

    def start(*command):
        command = [sys.executable, "-m", "distributed.cli.dask_" + command[0], *command[1:], "--no-dashboard"]
        environment = place.environment | {"PYTHONPATH": str(ROOT)}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        return subprocess.Popen(command, env=environment, cwd=place.folder, **quiet)

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", port]
    processes = {"scheduler": start(*scheduler)}
    try:
        processes["--nanny"] = start("worker", f"tcp://127.0.0.1:{port}", "--nworkers", "2", "--nthreads", "1")
        process = place.start("--dask", f"tcp://127.0.0.1:{port}")
        place.wait_for_rows(process, 1)
        os.killpg(processes[what].pid, signal.SIGKILL)
        began = time.monotonic()
        if what == "scheduler":
            processes["another"] = start(*scheduler)
        _, complaints = process.communicate(timeout=60)
        assert time.monotonic() - began < 35
    finally:
        for each in processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(each.pid, signal.SIGKILL)
            each.wait(60)

    assert process.returncode == 2 and says in complaints and "Traceback" not in complaints, complaints
    assert 1 <= len(place.rows()) == len(place.lines()) < CLASS
    assert place.run()[0] == 0
    assert whole == place.rows() and CLASS == len(place.lines())


def test_a_cluster_that_is_not_there_is_a_sentence(monkeypatch, tmp_path, capsys):
    """Nothing is graded, and nothing is wrong with the folder."""
    monkeypatch.setattr(executors, "CONNECT_TIMEOUT", 0.5)
    (tmp_path / "a.ipynb").write_text(notebook(RIGHT))

    assert (
        main(["grade", str(tmp_path / "a.ipynb"), "--out", str(tmp_path / "out"), "--dask", "tcp://127.0.0.1:1"]) == 2
    )
    complaints = capsys.readouterr().err
    assert "Grading stopped: no Dask scheduler answers" in complaints and "Traceback" not in complaints


def test_without_the_library_a_cluster_is_a_sentence(monkeypatch, tmp_path, capsys):
    """It says what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    (tmp_path / "a.ipynb").write_text(notebook(RIGHT))

    assert main(["grade", str(tmp_path / "a.ipynb"), "--out", str(tmp_path / "out"), "--dask", "tcp://x:1"]) == 2
    assert "pip install distributed" in capsys.readouterr().err


def _command(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _parent(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
