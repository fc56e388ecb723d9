"""The untrusted side: contained in time, memory and files, and gone afterwards."""

import contextlib
import pathlib
import socket
import subprocess
import sys
import time

import pytest
import torch
from conftest import ROOT

from grader import lessons, spec
from grader.isolation.linux import scratch
from grader.judge import extract, zygotes
from grader.judge.judge import judge
from grader.judge.verdict import failure_of
from grader.protocol.replies import pack_reply, unpack_reply
from grader.protocol.schema import Mismatch
from grader.protocol.values import decode, encode
from grader.spec import Answer, Call, Observations


def run(source, call, seconds=10.0):
    with zygotes.get().open(source, seconds) as session:
        assert session.loading_error is None, session.loading_error
        return session.run(call)


def test_tensors_come_back_as_they_were_sent():
    """Strides, gaps and dtypes survive the line in both directions."""
    for x in (torch.arange(24.0).reshape(4, 6)[1:, ::2], torch.arange(6, dtype=torch.int64).reshape(2, 3).t(),
              torch.ones(3, dtype=torch.bfloat16), torch.zeros(0, 5), torch.tensor(2.5)):  # fmt: skip
        evidence = run("def f(x): return x", Call("call", "f", (x,)))

        assert x.dtype == evidence.value.dtype and torch.equal(x, evidence.value)
        assert torch.equal(x, evidence.args[0])


PLAIN = [0, -(2**70), 1.5, float("inf"), "é", None, True, ..., (1, [2.0]), {"a": {1: "b"}}, torch.bfloat16,
         {torch.float32: 1e-5}]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_values_come_back_as_they_were(value):
    """Numbers, text, dtypes, containers."""
    assert value == decode(encode(value))


def test_a_dtype_arrives_as_a_dtype_and_comes_back_as_one():
    """Not as its name."""
    evidence = run("import torch\ndef f(d): return (torch.finfo(d).eps, d)", Call("call", "f", (torch.float16,)))

    assert (2.0**-10, torch.float16) == evidence.value


def test_values_may_be_such_that_they_are_walked_along_once():
    """As a row is that is read once; also when the same call is run again."""
    source = "def f(xs): return [list(xs), list(xs)]"
    call = Call("call", "f", (spec.Once([1.0, 2.0]),))

    assert [[1.0, 2.0], []] == run(source, call).value == run(source, call).value


def test_what_is_no_plain_value_keeps_only_its_name():
    """Nothing of the answer's own making crosses the line, least of all something that equals everything."""
    evidence = run("class Yes:\n    def __eq__(self, other): return True\ndef f(): return Yes()", Call("call", "f"))

    assert repr(evidence.value) == "<Yes>"
    assert evidence.value != 1


MALFORMED = [None, 3, [], ["int", "zz"], ["dict", 1], ["fraction", "0x1", "0x0"], ["tuple", [[]]], ["dtype"],
             ["dtype", "load"], ["dtype", ["float16"]], ["dtype", "__class__"]]  # fmt: skip


@pytest.mark.parametrize("data", MALFORMED, ids=repr)
def test_malformed_values_are_harmless(data):
    """A forged reply becomes a value that equals nothing."""
    assert isinstance(decode(data), (spec.Unreadable, tuple))


def test_nothing_more_of_the_course_can_be_imported():
    """Its packages have no path and its folder is on none, whatever the sandbox lets an answer read."""
    source = f"""
import sys
def f():
    packages = [n for n, m in sys.modules.items() if n.split(".")[0] == "grader" and vars(m).get("__path__")]
    return packages, {str(ROOT)!r} in sys.path
"""
    assert run(source, Call("call", "f")).value == ([], False)


def test_scratch_folders_are_gone_afterwards():
    """With the file that an answer wrote."""
    source = "import os\ndef f():\n    open('file', 'w').write('x')\n    return os.getcwd()"
    folder = run(source, Call("call", "f")).value

    for _ in range(100):
        if not pathlib.Path(folder).exists():
            break
        time.sleep(0.05)
    assert not pathlib.Path(folder).exists()


def _alive(pid: int) -> bool:
    try:
        return "Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0]
    except OSError:
        return False


def test_a_flood_of_output_is_not_read():
    """stdout is nobody's; a large result is only described."""
    source = "import torch\ndef f(x):\n    print('x' * 10**6)\n    return torch.zeros(10**7)"

    evidence = run(source, Call("call", "f", (torch.zeros(1),)))

    assert "tensor of float32" in repr(evidence.value)


def test_a_huge_file_is_stopped():
    """64 MB is more than any answer writes."""
    source = "def f():\n    with open('big', 'wb') as file:\n        for _ in range(100): file.write(bytes(2**20))"

    assert run(source, Call("call", "f")).error["type"] == "OSError"


@pytest.mark.whole
def test_endless_loops_end_and_the_next_answer_is_served():
    """Also one that ignores SIGTERM, and one at import."""
    loops = [
        "def naive_softmax(x):\n    while True: pass",
        "X = next(i for i in iter(int, 1) if i)\ndef naive_softmax(x): return X",
        "import signal, time\ndef naive_softmax(x):\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    signal.signal(signal.SIGINT, signal.SIG_IGN)\n    time.sleep(1000)",
    ]
    exercise = lessons.exercises()["1.1"]
    for source in loops:
        result = judge(exercise, extract.extract([source], exercise.names), seconds=1.5)
        assert (result.status, result.mistake) == ("timeout", "endless")

    assert run("def f(): return 3", Call("call", "f")).value == 3


@pytest.mark.whole
def test_exhausted_memory_costs_one_exercise_only():
    """100 GB at once, and a list that grows."""
    exercise = lessons.exercises()["1.1"]
    for body in ("torch.zeros(25 * 10**9)", "x = []\n    while True: x.append(bytearray(10**8))"):
        source = f"import torch\ndef naive_softmax(x):\n    {body}"
        result = judge(exercise, extract.extract([source], exercise.names), seconds=60)
        assert (result.status, result.mistake) == ("error", "out-of-memory"), result.text


def test_a_worker_that_does_not_start_is_a_sentence(monkeypatch):
    """Such as one whose Python lacks PyTorch."""
    monkeypatch.setattr(sys, "executable", "/bin/false")

    with pytest.raises(zygotes.NoWorker, match="did not start"):
        zygotes.Zygote("interpreted").wait()


@pytest.mark.whole
def test_a_worker_that_went_away_is_replaced():
    """Someone may have killed it."""
    lost = zygotes.get()
    lost._process.kill()
    lost._process.wait()

    assert run("def f(): return 1", Call("call", "f")).value == 1
    assert not pathlib.Path(lost._scratch.name).exists()


@pytest.mark.whole
def test_workers_that_nobody_uses_end_and_come_back(monkeypatch):
    """Neither one that serves an answer, nor one that somebody has just asked for."""
    monkeypatch.setattr(zygotes, "_zygotes", {})
    now = 0.0
    rest = zygotes.Rest(900, lambda: now)
    first = zygotes.get()
    first.wait()
    rest.look()
    now += 800
    with first.open("def f(): return 1", 10.0):
        now += 800
        rest.look()  # it serves an answer
        assert first.alive()
    now += 800
    rest.look()  # the answer's end was a use
    zygotes.get()
    now += 899
    rest.look()  # and so was this
    assert first.alive() and zygotes._zygotes == {"interpreted": first}

    now += 900
    rest.look()

    assert not first.alive() and zygotes._zygotes == {}
    assert not pathlib.Path(first._scratch.name).exists()
    assert run("def f(): return 1", Call("call", "f")).value == 1
    zygotes.close_all()


def test_a_second_interrupt_at_the_end_is_no_traceback(monkeypatch):
    """Whoever presses Ctrl-C twice does not wait for what ends by itself."""
    zygote = zygotes.get("interpreted")
    process, waits = zygote._process, []

    def wait(seconds=None):
        waits.append(seconds)
        if len(waits) == 1:
            raise KeyboardInterrupt
        return type(process).wait(process, seconds)

    monkeypatch.setattr(process, "wait", wait)
    zygotes.close_all()

    assert process.returncode is not None and zygotes._zygotes == {}


@pytest.mark.whole
def test_a_fork_waits_for_the_next_answer_of_its_kind():
    """Each answer has one of its own; those of kinds that nobody asks for any more end."""
    with contextlib.closing(zygotes.Zygote("interpreted")) as zygote:
        used = []
        for seconds in (10.0, 10.0, 11.0, 12.0, 13.0):
            waiting = dict(zygote._spares)
            with zygote.open("def f(): return 1", seconds) as session:
                used += [number for number, channel in waiting.values() if channel is session._channel]
                assert session.run(Call("call", "f")).value == 1
        assert len(used) == 1 and used[0] not in [number for number, _ in zygote._spares.values()]
        assert len(zygote._spares) == 2


@pytest.mark.whole
def test_a_fork_that_waited_in_vain_is_replaced():
    """Someone may have killed it."""
    with contextlib.closing(zygotes.Zygote("interpreted")) as zygote:
        for _ in range(2):
            with zygote.open("def f(): return 1", 10.0) as session:
                assert session.run(Call("call", "f")).value == 1
            ((number, channel),) = zygote._spares.values()
            zygote.kill(number)
            channel.recv(1, socket.MSG_PEEK)  # returns when it has ended, with or without a last word


@pytest.mark.whole
def test_nothing_stays_when_the_judge_goes_without_a_word():
    """The warm process ends when its judge is killed."""
    code = (
        "import os, signal\nfrom grader.judge import zygotes\nz = zygotes.get(); z.wait()\n"
        "print(z._process.pid, z._scratch.name, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    pid, folder = done.stdout.split()

    for _ in range(100):
        if not _alive(int(pid)):
            break
        time.sleep(0.05)
    assert not _alive(int(pid))
    assert not pathlib.Path(folder).exists()


GENUINE = pack_reply(1, observed=Observations())[0]
SAID = {"type": "E", "kinds": [], "message": "", "line": "", "kernel": False, "raised": False, "todo": None,
        "where": None}  # fmt: skip
ERROR = pack_reply(error=SAID)[0]["error"]
WHERE = dict.fromkeys(("tensor", "row", "column", "first", "line", "begins", "lanes", "of"))
FORGED = [
    {"observed": GENUINE["observed"] | {"launches": [{"kernel": 1}]}},
    {"observed": GENUINE["observed"] | {"launches": "many"}},
    {"observed": GENUINE["observed"] | {"rows": [["a", "b", "c"]]}},
    {"observed": GENUINE["observed"] | {"read": "x"}},
    {"observed": {}},
    {"observed": 3},
    {"omitted": {"dtype": "float32"}},
    {"tensor": {"dtype": "float32", "shape": [10**9], "strides": [1], "offset": 0, "nbytes": 4}},
    {"tensor": {"dtype": "load", "shape": [1], "strides": [1], "offset": 0, "nbytes": 0}},
    {"tensor": 5},
    {"value": ["dict", [1, 2, 3]]},
    {"error": "none"},
    {"error": ERROR | {"type": {}}},
    {"error": ERROR | {"todo": [1]}},
    {"error": ERROR | {"where": WHERE | {"op": "load", "program": "x"}}},
    {"error": ERROR | {"where": WHERE | {"op": "jump", "program": [0, 0, 0]}}},
    {"error": ERROR | {"where": WHERE | {"op": "load", "program": [0, 0]}}},
    {"error": ERROR | {"where": WHERE | {"op": "load", "program": [0, 0, 0], "lanes": "all"}}},
    {"error": ERROR | {"where": WHERE | {"op": "store", "program": [1, 0, 0]}}},
]


@pytest.mark.parametrize("header", FORGED, ids=range(len(FORGED)))
def test_a_forged_reply_ends_the_answer_or_becomes_harmless(header):
    """The judge's own code never trips over what a child sends."""
    try:
        evidence = unpack_reply(GENUINE | header, b"\0" * 4)
    except Mismatch:
        return
    exercise = lessons.exercises()["5.2"]
    case = exercise.cases(1)[0]
    assert failure_of(case, evidence) is not None
    for _, detect in exercise.mistakes:
        detect(case, evidence, Answer("def fused_softmax(x): pass"))


def test_a_child_holds_no_handle_but_its_own_channel():
    """Neither the line to the judge nor another child's."""
    source = (
        "import os\ndef f():\n    numbers = os.listdir('/proc/self/fd')\n"
        "    return [os.readlink(f'/proc/self/fd/{n}') for n in numbers if os.path.lexists(f'/proc/self/fd/{n}')]"
    )
    with zygotes.get().open("def f(): return 1", 10):
        handles = run(source, Call("call", "f")).value

    assert sum(h.startswith("socket:") for h in handles) == 1
    assert not any("pidfd" in h for h in handles)


def test_a_worker_that_cannot_be_started_is_a_sentence(monkeypatch):
    """Such as on a full disk."""

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch, "Scratch", full)

    with pytest.raises(zygotes.NoWorker, match="No space left on device"):
        zygotes.Zygote("interpreted")
