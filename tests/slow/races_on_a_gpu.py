"""Races on a real GPU: make gpu. Forgeries gain nothing, and honest answers rank as Triton's own benchmark ranks them.

Times are compared as ratios, within one run on one card.
"""

from __future__ import annotations

import functools
import importlib.util
import re

import pytest
import torch
import triton
from conftest import ROOT

from grader import lessons
from grader.export import ranking
from grader.mistakes.mutant import reference
from grader.racing import race
from grader.spec import Answer, Result, Shape

if not torch.cuda.is_available():
    pytest.exit("these tests need a GPU", returncode=2)

PASSED = Result("5.2", "", "passed", 1.0, 1.0)
OWN = reference("5.2")
SHAPES = [Shape((4096, 1000)), Shape((16384, 781))]
FORGERIES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/attacks/race").glob("*.py"))}
STYLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/races").glob("*.py"))}
NARROW = [Shape((4096, 64)), Shape((16384, 48))]  # columns that the blocks of STYLES hold
GAIN, NOISE, LARGE = 0.95, 0.03, 0.15  # of the honest time; of a time; a difference between two


def raced(source, shapes=SHAPES, secret=b"secret", number="5.2"):
    """A race of an exercise, of an answer that is taken to have passed its check."""
    return race.race(lessons.exercises()[number], Answer(source), secret, shapes, checked=PASSED)


@functools.cache
def honest(number):
    """{shape: µs} of the course's own answer, the fastest of three races: two of them may be some per cent apart."""
    laps = [lap for _ in range(3) for lap in raced(reference(number), number=number).laps]
    return {shape: min(lap.microseconds for lap in laps if lap.shape == shape) for shape in SHAPES}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_gains_nothing(name):
    """There is no time, or it is not shorter than that of the work."""
    of = re.search(r"^# exercise: (.+)$", FORGERIES[name], re.MULTILINE)
    number = of[1] if of else "5.2"
    found = raced(reference(number) + "\n" + FORGERIES[name], number=number)
    outcome = re.search("^# outcome: (.+)$", FORGERIES[name], re.MULTILINE)[1]

    for lap in found.laps:
        assert lap.refused or lap.microseconds > GAIN * honest(number)[lap.shape], f"{lap.shape}: {lap.microseconds}"
    if outcome == "refused":
        assert not any(lap.microseconds for lap in found.laps)
    if outcome in ("no gain", "no gain on a GPU"):
        assert [lap.refused for lap in found.laps] == ["", ""]


@pytest.mark.parametrize("name", STYLES)
def test_an_honest_style_has_a_time(name):
    """tests/races has one file each, which follows the course's answer to 5.2 as well."""
    assert [lap.refused for lap in raced(OWN + "\n" + STYLES[name], NARROW).laps] == ["", ""]


@pytest.mark.parametrize("number", race.exercises())
def test_the_course_s_own_answer_races(number):
    """On known and on drawn shapes, as a graph."""
    exercise = lessons.exercises()[number]
    found = race.race(exercise, Answer(reference(number)), b"secret", checked=PASSED)

    assert found.refused == ""
    assert [lap.refused for lap in found.laps] == [""] * len(found.laps)
    assert {lap.way for lap in found.laps} == {"graph"}


CALLS = {"1.1": "naive_softmax", "8.4": "online_softmax", "14.2": "my_softmax"}
WARPS = "16 if block >= 4096 else 8 if block >= 2048 else 4"
HONEST = {
    "own": OWN,
    **{f"{warps} warps": OWN.replace(WARPS, str(warps)) for warps in (1, 8, 32)},
    **{number: f"{reference(number)}\n\nfused_softmax = {name}\n" for number, name in CALLS.items()},
    "split": reference("9.3")
    + "\n\ndef fused_softmax(x):\n    return split_softmax(x, triton.cdiv(x.shape[1], 8192))\n",
    "copies": OWN + "\n\nown = fused_softmax\n\n\ndef fused_softmax(x):\n    return own(x.clone()).clone()\n",
    "logarithm": "import torch\n\n\ndef fused_softmax(x):\n    x = x - x.amax(1, keepdim=True)\n"
    "    return torch.exp(x - torch.log(torch.exp(x).sum(1, keepdim=True)))\n",
}


def test_honest_answers_rank_as_in_triton_s_benchmark(tmp_path):
    """Ten ways, in pairs: no difference that the benchmark sees is the other way round; a large one is no tie either.

    The benchmark writes to the cache before each run, and never lets the card rest: ways that few loads in flight slow
    down lose some per cent there.
    """
    shape = Shape((8192, 8192))  # Triton's benchmark counts Python's time for short launches as well
    x = torch.randn(shape.sizes, device="cuda")
    ours, theirs = {}, {}
    for number, (name, source) in enumerate(HONEST.items()):
        ours[name] = raced(source, [shape]).laps[0].microseconds
        path = tmp_path / f"honest_{number}.py"
        path.write_text(source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        run = module.fused_softmax
        theirs[name] = triton.testing.do_bench(lambda run=run: run(x), return_mode="median")

    for one in HONEST:
        for other in HONEST:
            if theirs[one] < (1 - 2 * NOISE) * theirs[other]:
                assert ours[one] < ours[other], (one, other, ours, theirs)
            if theirs[one] < (1 - LARGE) * theirs[other]:
                assert (1 + ranking.NOISE) * ours[one] < ours[other], (one, other, ours, theirs)


def test_the_same_answer_has_the_same_time():
    """Five races, each with a secret of its own: what the ranking takes for noise is noise."""
    shapes = [*SHAPES, Shape((8192, 4096))]
    races = [raced(OWN, shapes, bytes([number]) * 16).laps for number in range(5)]

    for of_shape in zip(*races):
        times = [lap.microseconds for lap in of_shape]
        noise = ranking.NOISE if min(times) > ranking.SHORT else ranking.NOISE_OF_SHORT
        assert max(times) < (1 + noise) * min(times), times


def test_orders_that_cannot_be_captured_are_given_one_by_one():
    """The reason stands beside the time."""
    body = "torch.histc(x, 4)\n    e = torch.exp(x - x.amax(1, keepdim=True))\n    return e / e.sum(1, keepdim=True)"
    (lap,) = raced(f"import torch\n\n\ndef fused_softmax(x):\n    {body}", SHAPES[:1]).laps

    assert lap.refused == ""
    assert lap.way == "tape"
    assert len(lap.notes) == 1
