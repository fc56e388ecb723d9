"""The race without a GPU and without timing: tape, names, poison, comparison, the floor, and what is refused."""

import contextlib

import pytest
from paper_card import PaperCard

from grader import lessons
from grader.judge import zygotes
from grader.mistakes.mutant import reference
from grader.protocol import frames, schema
from grader.protocol.jobs import Job
from grader.racing import events
from grader.spec import Lap, Shape
from grader.timing.timekeeper import OWN, Timekeeper

SMALL = Shape((6, 40))


@contextlib.contextmanager
def racing(source, card, driver="", elsewhere=True, modules=()):
    """A timekeeper in this process, with a host as in a race."""
    zygote = zygotes.get()
    zygote.wait()
    number, wire = zygote._request("fork", Job(60.0, elsewhere=elsewhere, modules=modules, raced="host"))
    frames.receive(wire, 0)
    keeper = Timekeeper(wire, card)
    try:
        assert "error" not in keeper.handle({"op": "write", "source": source})[0]
        loaded, _ = keeper.handle({"op": "load", "driver": driver})
        assert "error" not in loaded, loaded
        yield keeper
    finally:
        wire.close()
        zygote.kill(number)


def laps(keeper, name="f", family="softmax", shape=SMALL, dtype="float32", peers=False, seed=7):
    """{name: lap} of one shape."""
    order = {"op": "lap", "name": name, "family": family, "shape": schema.pack(shape, Shape)}
    reply, _ = keeper.handle(order | {"dtype": dtype, "peers": peers, "seed": seed})
    assert "error" not in reply, reply["error"]["message"]
    return {name: schema.unpack(lap, Lap) for name, lap in reply["laps"].items()}


def lap(source, card=None, **more):
    """The lap of f, which the text defines."""
    with racing(source, card or PaperCard()) as keeper:
        return laps(keeper, **more)[OWN]


SIZES = {"attention": (48, 16), "flash": (1, 2, 32, 16)}


@pytest.mark.parametrize("number", events.EVENTS)
def test_the_course_s_own_answer_races(number):
    """Every exercise that races, from its text to times, with the course's own launch where it has one."""
    event, exercise = events.EVENTS[number], lessons.exercises()[number]
    driver = "\n".join((exercise.driver, events.DRIVER))
    with racing(reference(number), PaperCard(), driver, exercise.kernels, exercise.modules) as keeper:
        shape = Shape(SIZES.get(event.family, (6, 40)))
        raced = laps(keeper, f"race_{number.replace('.', '_')}", event.family, shape, event.dtype)[OWN]

    assert raced.refused == ""
    assert raced.microseconds == 100.0
