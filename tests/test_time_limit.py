"""The time limit of an answer on a busy machine. The clock and the waiting are made up, so nothing is timed."""

import os
import socket

import pytest

from grader.isolation.linux import processes
from grader.judge import time_limit
from grader.judge.time_limit import TimeLimit
from grader.protocol import frames


@pytest.fixture
def machine(monkeypatch):
    """A machine of which a test says the clock, how long each process waited for a core, and the forks of process 7."""

    class Machine:
        now, waited, below, asked = 100.0, {os.getpid(): 3.0, 7: 5.0}, {}, 0

        def ask(self, process):
            self.asked += 1
            return self.waited[process]

    made = Machine()
    monkeypatch.setattr(time_limit.time, "monotonic", lambda: made.now)
    monkeypatch.setattr(processes, "waited", made.ask)
    monkeypatch.setattr(processes, "waited_below", lambda process: dict(made.below) if process == 7 else {})
    return made


def test_on_an_idle_machine_the_clock_decides(machine):
    limit = TimeLimit(20)
    limit.watch(7)
    machine.now += 19

    assert limit.left() == 1
    machine.now += 2
    assert limit.left() == -1


def test_time_without_a_core_is_not_the_answers(machine):
    """That of the judge, of the process that forks, and of the forks. What they waited before does not count."""
    limit = TimeLimit(20)
    limit.watch(7)
    machine.now += 25
    machine.waited = {os.getpid(): 4.0, 7: 7.0}
    machine.below = {8: 3.5, 9: 0.5}

    assert limit.left() == 20 + 1 + 2 + 4 - 25


def test_an_answer_that_ended_waited_too(machine):
    limit = TimeLimit(20)
    limit.watch(7)
    machine.below = {8: 6.0}
    limit.look()
    machine.below = {9: 1.0}
    machine.now += 21

    assert limit.left() == 20 + 6 + 1 - 21


def test_waiting_triples_the_limit_at_most(machine):
    limit = TimeLimit(20)
    limit.watch(7)
    machine.below = {8: 500.0}
    machine.now += 59

    assert limit.left() == 1
    machine.now += 2
    assert limit.left() == -1


def test_linux_is_asked_only_when_the_time_is_over(machine):
    limit = TimeLimit(20)
    limit.watch(7)
    before = machine.asked
    machine.now += 19
    limit.left()

    assert machine.asked == before


def test_the_limit_begins_with_the_first_process(machine):
    """The first check waits until there is one to fork the answer's, and that is no time of the answer."""
    limit = TimeLimit(20)
    machine.now += 30
    limit.watch(7)

    assert limit.left() == 20


def test_one_call_may_have_a_part_of_the_limit(machine):
    limit = TimeLimit(20)
    limit.watch(7)
    machine.now += 4
    until = limit.passed() + 10
    machine.now += 9

    assert limit.left(until) == 1


def test_a_frame_that_comes_in_the_time_given_for_waiting_is_received():
    ours, theirs = socket.socketpair()
    given = iter([0.01, 60])

    def left():
        seconds = next(given, 60)
        if seconds == 60:
            frames.send(theirs, {"late": True}) if ours.gettimeout() == 0.01 else None
        return seconds

    assert frames.receive(ours, 0, left) == ({"late": True}, b"")


def test_threads_that_wait_at_once_wait_as_long_as_one(tmp_path, monkeypatch):
    """Else an answer of many threads would have many seconds for each on the clock."""
    for thread, waited in enumerate((2, 5, 3)):
        (tmp_path / "7" / "task" / str(thread)).mkdir(parents=True)
        (tmp_path / "7" / "task" / str(thread) / "schedstat").write_text(f"9 {waited}000000000 1\n")
    monkeypatch.setattr(processes.pathlib, "Path", lambda _, *parts: tmp_path.joinpath(*parts))

    assert processes.waited(7) == 5


def test_without_a_record_of_linux_nobody_waited():
    assert processes.waited(2**22 + 1) == 0
    assert processes.waited_below(2**22 + 1) == {}
