"""The race without a GPU and without timing: tape, names, poison, comparison, the floor, and what is refused."""

import contextlib
import re

import pytest
from conftest import ROOT
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


def lap(source, card=None, elsewhere=True, **more):
    """The lap of f, which the text defines."""
    with racing(source, card or PaperCard(), elsewhere=elsewhere) as keeper:
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


# ---- the tape: a replay means what the recording meant

SAME = [
    "return five(x)",
    "y = torch.empty_like(x); y.copy_(five(x)); return y",
    "y = torch.empty_like(x); torch.exp(x - x.amax(1, keepdim=True), out=y); y /= y.sum(1, keepdim=True); return y",
    "e = torch.exp(x - x.amax(1, keepdim=True)); e.div_(e.sum(1, keepdim=True)); return e",
    "y = torch.zeros_like(x); v = y.view(-1); v.add_(five(x).view(-1)); return y",
    "y = torch.empty(x.shape[1], x.shape[0], device=x.device).t(); y.copy_(five(x)); return y",
    "a, b = x.split(3); return torch.cat([five(a), five(b)])",
    "y = torch.empty_like(x); y[:3] = five(x[:3]); y[3:] = five(x[3:]); return y",
    "m = x.max(dim=1, keepdim=True).values; e = torch.exp(x - m); return e / e.sum(1, keepdim=True)",
    "s = x * torch.tensor(1.0, device=x.device); return five(s)",
    "y = five(x); z = y; del y; z = z + 0; return z",
    "for _ in range(5): y = five(x)\n    return y",
    "order = torch.arange(len(x), device=x.device).flip(0); return five(x[order])[order]",
    "y = five(x); w = y.t_(); return w.t()",
    "return torch.where(x > -1e30, five(x), torch.zeros((), device=x.device))",
    "return five(x.double()).float()",
]
FIVE = """
import torch
def five(x):
    e = torch.exp(x - x.amax(dim=1, keepdim=True))
    return e / e.sum(dim=1, keepdim=True)
def f(x):
    """


@pytest.mark.parametrize("body", SAME)
@pytest.mark.parametrize("captures", [True, False])
def test_a_replay_means_what_the_recording_meant(body, captures):
    """Views, operators in place, `out=`, memory that was freed: on numbers that the host has never seen."""
    raced = lap(FIVE + body, PaperCard(captures=captures), elsewhere=False)

    assert raced.refused == ""
    assert (raced.microseconds, raced.way) == (100.0, "graph" if captures else "tape")
    assert [*map(str, raced.notes)] == ([] if captures else ["no graph"])


# ---- forgeries: tests/attacks/race has one file each, which follows the course's answer to 5.2

FORGERIES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/attacks/race").glob("*.py"))}


def header(name):
    """{"tries", "in its way", "outcome"} of a forgery."""
    return dict(re.findall(r"^# ([a-z ]+): (.+)$", FORGERIES[name], re.MULTILINE))


def raced_twice(source, card):
    """For two races of 5.2 on one shape: the reason why there is no time, or the time."""
    seen = []
    driver = "\n".join((lessons.exercises()["5.2"].driver, events.DRIVER))
    with contextlib.suppress(frames.BrokenChannel, OSError, KeyError), racing(source, card, driver) as keeper:
        for seed in (7, 8):
            order = {"op": "lap", "name": "race_5_2", "family": "softmax", "shape": schema.pack(SMALL, Shape)}
            reply, _ = keeper.handle(order | {"dtype": "float32", "peers": False, "seed": seed})
            found = schema.unpack(reply["laps"][OWN], Lap) if "laps" in reply else None
            seen.append(found.refused or found.microseconds if found else "an error")
    return seen + ["no host"] * (2 - len(seen))


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_gains_nothing(name):
    """It has no time, or the time that the card's clock says, of right results."""
    first, second = raced_twice(reference("5.2") + "\n" + FORGERIES[name], PaperCard())

    outcome = header(name)["outcome"]
    if outcome == "refused":
        assert isinstance(first, str), first
    elif outcome == "refused the second time":
        assert first == 100.0
        assert isinstance(second, str), second
    elif outcome == "no gain on a GPU":  # no interpreter runs it
        assert isinstance(first, str)
    else:
        assert outcome == "no gain"
        assert (first, second) == (100.0, 100.0)


def test_there_are_as_many_forgeries_as_the_page_says():
    """At least 25 kinds; each has a row in docs/race.md, with what it tries and what is in its way."""
    page = (ROOT / "docs/race.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d\d) \| (.+?) \| (.+?) \| (.+?) \|$", page, re.MULTILINE)
    wanted = [
        (name[:2], header(name)["tries"], header(name)["in its way"], header(name)["outcome"]) for name in FORGERIES
    ]

    assert len(FORGERIES) >= 25
    assert rows == wanted
