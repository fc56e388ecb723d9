"""What lessons measure on the learner's own card: with a card of paper, so that no time and no GPU is needed."""

import json

import pytest
import torch
from conftest import ROOT
from paper_card import PaperCard

from grader import own_card
from grader.bench import own_card as module
from grader.bench import own_rows
from grader.environment import has_gpu
from grader.sentence import said

SMALL = 64


def five(x):
    e = torch.exp(x - x.amax(dim=1, keepdim=True))
    return e / e.sum(dim=1, keepdim=True)


def one(x):
    return torch.softmax(x, dim=1)


def heats(lesson, *mine):
    return list(own_rows.of(lesson, mine)[1])


def small(heat):
    """The same heat on a matrix that costs no time here."""
    return own_rows._heat(3, SMALL, heat.recorded, lambda x: {"five passes": lambda: lambda: five(x)}, heat.names)


@pytest.mark.skipif(has_gpu(), reason="here it measures")
def test_without_a_gpu_one_sentence_says_so(capsys):
    """And nothing else happens, so that notebooks keep what they show."""
    own_card("05", five, one)
    assert capsys.readouterr().out == (
        "No NVIDIA GPU here that runs compiled kernels, so nothing was measured on this machine.\n"
    )


def test_a_lesson_that_shows_no_times_is_named(capsys):
    own_card("03")
    assert capsys.readouterr().out.startswith("Nothing is measured for '03'; there are: 02, 05, 08, ")


@pytest.mark.parametrize("lesson", own_rows.LESSONS)
def test_every_row_has_a_time_in_the_record(lesson, monkeypatch):
    """What is measured stands beside what was recorded, and with the base of its shares."""
    monkeypatch.setattr(own_rows, "has_cupy", lambda: True)
    found = heats(lesson)
    assert 1 <= len(found) <= 3
    for heat in found:
        assert set(heat.names) <= set(heat.recorded) and heat.base in heat.names, heat.name


@pytest.mark.parametrize("lesson", own_rows.LESSONS)
def test_a_heat_fits_a_card_of_16_gb_and_its_bandwidth(lesson):
    """By the bytes that it moves: a second on a T4 for all turns of a function that goes through its memory once."""
    for heat in heats(lesson):
        assert heat.bytes < module._ROOM * 15e9
        assert heat.bytes / 320e9 * (module._WARM + module._LEAST) < 1.0


def test_each_lesson_that_shows_recorded_times_asks_for_its_own_card():
    """Below them, in one call; and no other lesson does."""
    asked = {path.name[:2] for path in (ROOT / "solutions").glob("*.py") if "own_card(" in path.read_text()}
    assert asked == set(own_rows.LESSONS)


def test_the_table_has_both_shares_and_the_time_here(capsys, monkeypatch):
    """Shares are those of a copy: on the card of paper, all take 100 µs."""
    (heat, *_) = heats("02")
    monkeypatch.setattr(own_rows, "of", lambda lesson, mine: ("NVIDIA H200", [small(heat)]))
    module.show("02", (), PaperCard())
    head, title, copy, passes, fused = capsys.readouterr().out.splitlines()
    assert head == "paper, now, beside NVIDIA H200 in the record"
    assert title.split() == "3×64 recorded here (speed of copy = 1)".split()
    assert copy.split() == "copy 1.00 1.00 100.0 µs ± 0%".split()
    record = json.loads((ROOT / "records" / "softmax_on_h200.json").read_text())["lessons"]["02"]["results"]
    took = {row["what"]: row["microseconds"] for row in record if (row["m"], row["n"]) == (4096, 781)}
    assert passes.split() == f"five passes {took['copy'] / took['five passes']:.2f} 1.00 100.0 µs ± 0%".split()
    assert fused.split() == f"fused {took['copy'] / took['fused']:.2f}".split(), "nothing was made for it here"


@pytest.mark.parametrize(
    "function, told",
    [
        (lambda x: x, "its result is not that of torch.softmax, so it was not timed"),
        (lambda x: None, "its result is not that of torch.softmax, so it was not timed"),
        (lambda x: [][0], "IndexError: list index out of range"),
    ],
)
def test_a_wrong_function_has_no_speed(function, told):
    """Nor does it keep the others from theirs."""
    heat = own_rows._heat(3, SMALL, {}, lambda x: {"a": own_rows._ready(function, x), "b": own_rows._ready(one, x)}, {})
    found = module.measured(heat, PaperCard())
    assert str(found["a"]) == told and isinstance(found["b"], module.Time)


def test_lesson_05_compares_the_two_softmaxes_of_its_learner(capsys, monkeypatch):
    """One sentence says how many times as long the five passes take, and how many elements they move."""
    mine = heats("05", five, one)[0]
    monkeypatch.setattr(own_rows, "of", lambda lesson, mine_: ("NVIDIA H200", [small_pair(mine)]))
    module.show("05", (five, one), PaperCard())
    assert capsys.readouterr().out.splitlines()[-1].split()[:5] == ["your", "five", "passes", "take", "1.00"]


def small_pair(heat):
    makes = lambda x: {"five passes": own_rows._ready(five, x), "fused": own_rows._ready(one, x)}  # noqa: E731
    return own_rows._heat(3, SMALL, heat.recorded, makes, heat.names, heat.ratio)


def test_what_the_time_does_not_allow_is_named(capsys, monkeypatch):
    """A slow card measures as many heats as it can."""
    (heat, *_) = heats("02")
    monkeypatch.setattr(own_rows, "of", lambda lesson, mine: ("NVIDIA H200", [small(heat)] * 2))
    monkeypatch.setattr(module, "_SECONDS", -1.0)
    module.show("02", (), PaperCard())
    assert "left out, for want of time or of this card's memory: 3×64, 3×64" in capsys.readouterr().out


def test_where_cupy_is_missing_it_says_how_to_get_it(capsys, monkeypatch):
    """For the CUDA that PyTorch has."""
    monkeypatch.setattr(own_rows, "has_cupy", lambda: False)
    monkeypatch.setattr(module.environment, "has_cupy", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    assert {"v1", "v2", "v3"}.isdisjoint(heats("12")[0].names)
    monkeypatch.setattr(own_rows, "of", lambda lesson, mine: ("NVIDIA H200", []))
    module.show("12", (), PaperCard())
    assert "`pip install cupy-cuda13x`" in capsys.readouterr().out


def test_a_sentence_about_a_card_is_no_time():
    """It stands in the row in place of a time."""
    heat = own_rows._heat(3, SMALL, {"copy": 2.0, "a": 4.0}, lambda x: {}, {"a": "a"})
    *_, line = module._lines(heat, {"copy": module.Time(1.0, 0.0), "a": said("no")})
    assert line.split() == ["a", "0.50", "no"]
