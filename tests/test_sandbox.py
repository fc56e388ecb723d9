"""The isolation ladder: a rung is named only where it holds, and nothing that an answer starts outlives it."""

import os
import pathlib
import platform
import signal
import socket
import struct
import subprocess
import sys
import time

import pytest
from conftest import ROOT

from grader.isolation import HIDDEN, LEVELS, RUNGS, level
from grader.isolation.linux import landlock, limits, proof, scratch, seccomp
from grader.isolation.linux.ladder import Sandbox
from grader.judge import zygotes
from grader.spec import Call

DAEMON = """
import os, pathlib, subprocess, time
def f(place):
    first = subprocess.Popen(["sleep", "60"]).pid
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            pathlib.Path("number").write_text(str(os.getpid()))
            time.sleep(60)
        os._exit(0)
    while not pathlib.Path("number").exists() or not pathlib.Path("number").read_text():
        time.sleep(0.01)
    return [first, int(pathlib.Path("number").read_text())]
"""


@pytest.fixture(scope="module")
def weakest():
    """A worker of the lowest rung, whose answers may start processes."""
    worker = zygotes.Zygote("interpreted", ("limits",))
    yield worker
    worker.close()


def gone(pids, seconds=10):
    end = time.monotonic() + seconds
    while any(_alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(_alive(pid) for pid in pids)


def _alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    "on, named",
    [
        ((), "none"), (RUNGS[1:], "none"), (("limits",), "limits"), (("limits", "seccomp", "namespaces"), "limits"),
        (("limits", "landlock", "seccomp"), "landlock+seccomp"), (RUNGS, "namespaces"),
    ],
)  # fmt: skip
def test_a_level_holds_what_those_below_it_hold(on, named):
    """A higher rung does not make up for one that is missing."""
    assert named == level(dict.fromkeys(RUNGS, "off: why") | dict.fromkeys(on, "on"))


def test_the_lowest_rung_holds_everywhere():
    """What a process may ask of itself needs no kernel's leave."""
    worker = zygotes.get()
    worker.wait()

    assert worker.status["limits"] == "on"
    assert (*RUNGS, HIDDEN) == tuple(worker.status)
    assert all(state == "on" or state.startswith("off: ") for state in worker.status.values())


BROKEN = {
    "limits": (limits, "_limit", lambda *args: None),
    "landlock": (landlock, "_allow", lambda libc, ruleset, path, access: ALLOW(libc, ruleset, "/", access)),
    "seccomp": (seccomp, "_REFUSED", ""),
}
ALLOW = landlock._allow


@pytest.mark.parametrize("rung", BROKEN)
def test_a_rung_that_lets_something_through_is_not_named(rung, monkeypatch, tmp_path):
    """Its negative control says what went through."""
    monkeypatch.setattr(*BROKEN[rung])
    sandbox = Sandbox(ROOT, (rung,))

    sandbox.prove(str(tmp_path))

    assert sandbox.status[rung].startswith("off: ") and "went through" in sandbox.status[rung]


def test_a_rung_that_refuses_too_much_is_not_named_either(monkeypatch, tmp_path):
    """Its positive control says what does not work any more."""
    monkeypatch.setattr(limits, "MEMORY", -(1 << 40))
    sandbox = Sandbox(ROOT, ("limits",))

    sandbox.prove(str(tmp_path))

    assert sandbox.status["limits"].startswith("off: ")


NO_HIDING = {
    "root.Root.enter = lambda self: None": "the size of a file elsewhere went through",
    "landlock.names = landlock.readable = lambda *_: []": "Python's own library",
    "root._MOUNT_SETATTR = -1": "mount_setattr: Function not implemented",
}


@pytest.mark.parametrize("broken, why", NO_HIDING.items())
def test_files_that_are_not_hidden_are_not_said_to_be(broken, why, tmp_path):
    """Nor where too many are hidden; the namespaces stay what they are."""
    zygotes.get().wait()
    if zygotes.get().status["namespaces"] != "on":
        pytest.skip("this machine has no namespaces")
    code = (
        "import sys\nfrom grader import environment\nfrom grader.isolation import HIDDEN, RUNGS\n"
        f"from grader.isolation.linux import ladder, landlock, root\n{broken}\n"
        "sandbox = ladder.Sandbox(environment.ROOT, RUNGS)\nsandbox.prove(sys.argv[1])\n"
        "print(sandbox.status['namespaces'], sandbox.status[HIDDEN], sandbox.descriptors)"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, capture_output=True, text=True)

    assert done.stdout.startswith("on off: ") and why in done.stdout and "set()" in done.stdout, done.stderr


LOOKS = """
import importlib, os, sys
def f(paths):
    def there(path):
        try:
            return bool(os.stat(path))
        except FileNotFoundError:
            return False
    late = [name for name in ("colorsys", "torch.utils.bundled_inputs") if name not in sys.modules]
    return [there(path) for path in paths], [importlib.import_module(name).__name__ for name in late]
"""


def test_inside_only_the_files_exist_that_may_be_read(tmp_path):
    """Modules that nobody has imported yet are among them; the notebook, the course and other folders are not."""
    if zygotes.get().status[HIDDEN] != "on":
        pytest.skip("this machine hides no files")
    missing = [str(ROOT / "grader" / "judge" / "judge.py"), str(tmp_path), "/etc/hostname", "/var"]
    present = [os.__file__, sys.executable, "/dev/urandom", "/proc/self/fd", "/bin/sh"]
    with zygotes.get().open(LOOKS, 20) as session:
        evidence = session.run(Call("call", "f", (missing + present,)))

    assert evidence.error is None and evidence.value[1]
    assert [False] * len(missing) + [True] * len(present) == evidence.value[0]


def test_a_gpu_keeps_the_rungs_that_its_driver_bears(tmp_path):
    """A driver that reads elsewhere costs the files' rung alone, one that looks at the network seccomp alone."""
    sandbox = Sandbox(ROOT, RUNGS[:3])
    sandbox.prove(str(tmp_path))
    proved = {rung for rung in RUNGS[:3] if sandbox.status[rung] == "on"}

    sandbox.prove_on_gpu(str(tmp_path), lambda: subprocess.run(["true"], check=True))
    assert proved == {rung for rung in RUNGS if sandbox.status[rung] == "on"}

    sandbox.prove_on_gpu(str(tmp_path), lambda: (ROOT / "README.md").read_bytes())
    assert proved - {"landlock"} == {rung for rung in RUNGS if sandbox.status[rung] == "on"}

    sandbox.status |= dict.fromkeys(proved, "on")
    sandbox.prove_on_gpu(str(tmp_path), lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close())
    assert proved - {"seccomp"} == {rung for rung in RUNGS if sandbox.status[rung] == "on"}


def test_the_course_is_cut_out_of_what_answers_may_read(tmp_path):
    """Also where it lies in a folder of the system's."""
    (tmp_path / "lib" / "a").mkdir(parents=True)
    (tmp_path / "course").mkdir()

    assert [str(tmp_path / "lib")] == landlock._without(str(tmp_path), str(tmp_path / "course"))
    assert landlock._without(str(tmp_path / "course"), str(tmp_path / "course")) == []
    assert not any(ROOT.is_relative_to(path) for path in landlock.readable(ROOT))
    assert not any(pathlib.Path.home().is_relative_to(path) for path in landlock.readable(ROOT))


@pytest.mark.whole
def test_a_process_that_left_its_session_ends_with_its_answer(weakest):
    """Where nothing keeps an answer from starting one."""
    with weakest.open(DAEMON, 20) as session:
        evidence = session.run(Call("call", "f", ("",)))
        assert evidence.error is None
        assert all(_alive(pid) for pid in evidence.value)

    assert gone(evidence.value)


@pytest.mark.whole
def test_it_ends_also_when_the_judge_is_killed():
    """Nobody is left to say that it should."""
    code = (
        "import os, signal, sys\nfrom grader.judge import zygotes\nfrom grader.spec import Call\n"
        "session = zygotes.Zygote('interpreted', ('limits',)).open(sys.argv[1], 60)\n"
        "print(*session.run(Call('call', 'f', ('',))).value, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, DAEMON], cwd=ROOT, capture_output=True, text=True)
    pids = [int(n) for n in done.stdout.split()]

    assert -signal.SIGKILL == done.returncode and len(pids) == 2
    assert gone(pids)


def test_others_go_on_when_strays_are_ended(weakest):
    """A child that still runs, and what is below it, are nobody's strays; what left it is."""
    with weakest.open(DAEMON, 20) as lasting:
        below, left = lasting.run(Call("call", "f", ("",))).value
        with weakest.open(DAEMON, 20) as passing:
            others = passing.run(Call("call", "f", ("",))).value

        assert gone([*others, left])
        assert _alive(below)


def test_an_answer_that_fills_its_folder_is_ended(weakest):
    """However small each of its files is."""
    source = "def f():\n    for n in range(10**6):\n        open(f'file{n}', 'wb').write(bytes(10**5))"
    with weakest.open(source, 60) as session, pytest.raises(zygotes.Died):
        session.run(Call("call", "f"))


def test_a_folder_whose_owner_was_killed_goes_with_the_next_start(monkeypatch, tmp_path):
    """One that somebody holds stays, and so does what only looks like one."""
    monkeypatch.setattr(scratch.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))
    code = (
        "import os, pathlib, signal\nfrom grader.isolation.linux.scratch import Scratch\nheld = Scratch()\n"
        "pathlib.Path(held.name, 'left').mkdir()\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    held = scratch.Scratch()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=os.environ | {"TMPDIR": str(tmp_path)})
    (tmp_path / "five-passes-link").symlink_to(ROOT)
    (tmp_path / "five-passes-file").write_text("a file")
    assert len(list(tmp_path.iterdir())) == 4

    again = scratch.Scratch()

    assert {held.name, again.name} == {str(p) for p in tmp_path.iterdir() if p.is_dir() and not p.is_symlink()}
    again.close()
    held.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["five-passes-file", "five-passes-link"]
    assert (ROOT / "README.md").exists()


def test_a_folder_goes_whatever_is_in_it(tmp_path):
    """Deeper than Python's recursion and than the longest path, without a right to look into it, links."""
    folder, was = tmp_path / "folder", os.open(".", os.O_DIRECTORY)
    folder.mkdir()
    (tmp_path / "kept").write_text("a file")
    (folder / "link").symlink_to(tmp_path / "kept")
    try:
        os.chdir(folder)
        for _ in range(1200):
            os.mkdir("deep")
            os.chdir("deep")
    finally:
        os.fchdir(was)
        os.close(was)
    (folder / "closed").mkdir()
    (folder / "closed" / "file").write_text("a file")
    (folder / "closed").chmod(0o300)

    scratch.remove(str(folder))

    assert [p.name for p in tmp_path.iterdir()] == ["kept"]


def test_an_answer_sees_none_of_the_judges_environment(monkeypatch):
    """Somebody's keys, say."""
    monkeypatch.setenv("FIVE_PASSES_TEST_SECRET", "a key")
    worker = zygotes.Zygote("interpreted", ("limits",))
    source = "import os\ndef f(): return [dict(os.environ), open('/proc/self/environ').read()]"
    try:
        with worker.open(source, 20) as session:
            evidence = session.run(Call("call", "f"))
    finally:
        worker.close()

    assert "a key" not in repr(evidence.value) and "TRITON_INTERPRET" in repr(evidence.value)


def test_the_level_of_a_machine_is_that_of_its_weakest_worker(monkeypatch):
    """With a GPU, an answer meets two."""

    class Worker:
        def __init__(self, mode):
            self.status = dict.fromkeys(RUNGS if mode == "interpreted" else RUNGS[:1], "on")

        def wait(self):
            pass

    monkeypatch.setattr(zygotes, "get", Worker)
    monkeypatch.setattr(zygotes.environment, "has_gpu", lambda: False)
    assert LEVELS[3] == zygotes.isolation()
    monkeypatch.setattr(zygotes.environment, "has_gpu", lambda: True)
    assert LEVELS[1] == zygotes.isolation()


# ---- the filter, run as the kernel runs it, for machines that are not at hand

ALLOW_IT, EPERM, ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
THREAD, PROCESS, NAMESPACE = 0x3D0F00, 17, 17 | 0x10000000
PID = 4711
X86, ARM = {"machine": "x86_64", "arch": 0xC000003E}, {"machine": "aarch64", "arch": 0xC00000B7}


def verdict(code, arch, number, *arguments):
    """What a filter returns for one system call: the instructions of classic BPF that it uses."""
    data = struct.pack("<IIQ6Q", number, arch, 0, *arguments, *[0] * (6 - len(arguments)))
    lines = [struct.unpack_from("<HBBI", code, i) for i in range(0, len(code), 8)]
    at = value = 0
    while True:
        what, yes, no, k = lines[at]
        at += 1
        if what == 0x20:
            value = struct.unpack_from("<I", data, k)[0]
        elif what == 0x54:
            value &= k
        elif what == 0x06:
            return k
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[what]
            at += yes if holds else no


CALLS = [  # machine, whether programs may be started, number and arguments, what becomes of it
    (X86, False, (0, 5), ALLOW_IT), (X86, False, (57,), EPERM), (X86, False, (59,), EPERM),
    (X86, False, (56, THREAD), ALLOW_IT), (X86, False, (56, PROCESS), EPERM), (X86, False, (435,), ENOSYS),
    (X86, True, (57,), ALLOW_IT), (X86, True, (56, PROCESS), ALLOW_IT), (X86, True, (56, NAMESPACE), EPERM),
    (X86, True, (41,), EPERM), (X86, False, (41,), EPERM), (X86, False, (0x40000000 + 57,), ENOSYS),
    (X86, False, (62, PID), ALLOW_IT), (X86, False, (62, 1), EPERM), (X86, False, (62, 2**32 - 1), EPERM),
    (X86, False, (234, PID, 5), ALLOW_IT), (X86, False, (234, 5, PID), EPERM),
    (X86, False, (302, 0), ALLOW_IT), (X86, False, (302, PID), ALLOW_IT), (X86, False, (302, 1), EPERM),
    (X86, False, (157, 1), EPERM), (X86, False, (157, 15), ALLOW_IT),
    (X86, False, (257, 0, 0, os.O_TRUNC), EPERM), (X86, False, (257, 0, 0, os.O_TRUNC | os.O_WRONLY), ALLOW_IT),
    (X86, False, (72, 3, 8, 1), EPERM), (X86, False, (72, 3, 15, 0), EPERM), (X86, False, (72, 3, 4, 0), ALLOW_IT),
    (X86, False, (16, 3, 0x8901), EPERM), (X86, False, (16, 3, 0x8902), EPERM), (X86, False, (16, 3, 0x5401), ALLOW_IT),
    (X86, False, (203, 0), ALLOW_IT), (X86, False, (203, 1), EPERM), (X86, False, (30, 1), EPERM),
    (X86, False, (2, 0, os.O_TRUNC), EPERM), (X86, False, (2, 0, os.O_RDONLY), ALLOW_IT),
    (ARM, False, (220, THREAD), ALLOW_IT), (ARM, False, (220, PROCESS), EPERM), (ARM, False, (221,), EPERM),
    (ARM, True, (221,), ALLOW_IT), (ARM, False, (198,), EPERM), (ARM, False, (129, PID), ALLOW_IT),
    (ARM, False, (129, 1), EPERM), (ARM, False, (56, 0, 0, os.O_TRUNC), EPERM), (ARM, False, (0,), ALLOW_IT),
    (ARM, False, (63,), ALLOW_IT), (ARM, False, (435,), ENOSYS),
]  # fmt: skip


@pytest.mark.parametrize("on, programs, call, becomes", CALLS, ids=range(len(CALLS)))
def test_the_filter_says_of_a_call_what_it_should(on, programs, call, becomes, monkeypatch):
    """On both architectures; and nothing at all through the door of another one."""
    monkeypatch.setattr(platform, "machine", lambda: on["machine"])
    code = seccomp._filter(PID, programs, on_gpu=False)

    assert becomes == verdict(code, on["arch"], *call)
    assert ENOSYS == verdict(code, 0x40000003, *call)


CUDA_STARTS = {
    X86["machine"]: (X86, (41, 49, 50), (42, 43, 288)),
    ARM["machine"]: (ARM, (198, 200, 201), (203, 202, 242)),
}


@pytest.mark.parametrize("on, listens, meets", CUDA_STARTS.values(), ids=CUDA_STARTS)
def test_on_a_gpu_a_local_socket_may_be_there_and_nobody_gets_through(on, listens, meets, monkeypatch):
    """CUDA's driver listens on one when it starts. It connects to nothing and lets nobody in."""
    monkeypatch.setattr(platform, "machine", lambda: on["machine"])
    gpu, tools = seccomp._filter(PID, True, on_gpu=True), seccomp._filter(PID, True, on_gpu=False)

    assert [ALLOW_IT] * 3 == [verdict(gpu, on["arch"], number, socket.AF_UNIX) for number in listens]
    assert [EPERM] * 2 == [verdict(gpu, on["arch"], listens[0], kind) for kind in (socket.AF_INET, socket.AF_NETLINK)]
    assert [EPERM] * 3 == [verdict(gpu, on["arch"], number, 3) for number in meets]
    assert [EPERM] * 3 == [verdict(tools, on["arch"], number, socket.AF_UNIX) for number in listens]


def test_another_architecture_is_a_sentence(monkeypatch, tmp_path):
    """The rung is off, and the rest goes on."""
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    sandbox = Sandbox(ROOT, ("seccomp",))

    sandbox.prove(str(tmp_path))

    assert "no list of system calls for riscv64" in sandbox.status["seccomp"]


def test_every_rung_but_one_has_controls_of_both_kinds():
    """What must work and what must not; namespaces bring their own."""
    assert RUNGS[:3] == tuple(proof.CONTROLS)
    for controls in (*proof.CONTROLS.values(), proof.HIDDEN):
        assert {control.error is None for control in controls} == {True, False}
