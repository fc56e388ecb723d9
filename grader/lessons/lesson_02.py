"""Lesson 02: what a softmax must move, how long that takes at least, and what bounds it."""

from __future__ import annotations

import json
import pathlib
import random
from fractions import Fraction

from ..checks import compare
from ..checks.compare import same_number
from ..mistakes import detectors
from ..mistakes.roofline import BOUND_BY, FLOOR_TIME, FUSED_TRAFFIC, IDEAL_SPEEDUP
from ..spec import Call, Case, Exercise

# One table for the lesson's text and for its checks.
_CARDS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cards.json"


def _cards() -> dict[str, dict]:
    return {card["name"]: card for card in json.loads(_CARDS.read_text(encoding="utf-8"))["cards"]}


def _traffic_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    shapes = [(2, 3), (1, 7), (1823, 781)] + [(rng.randint(2, 5000), rng.randint(2, 20000)) for _ in range(5)]
    return [
        Case(
            f"m={m}, n={n}",
            Call("call", "fused_traffic", (m, n)),
            verify=lambda e, want=(m * n, m * n): compare.two_numbers(e.value, want),
            size=m * n,
            facts={"m": m, "n": n},
        )
        for m, n in shapes
    ]


def _speedup_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    # The smallest is named first: there, no two known mistakes may give the same number.
    shapes = [(7, 5), (40, 1), (3, 20), (1823, 781)] + [(rng.randint(2, 99), rng.randint(11, 2000)) for _ in range(4)]
    return [
        _number_case(
            f"m={m}, n={n}",
            Call("call", "ideal_speedup", (m, n)),
            Fraction(8 * m * n + 4 * m, 2 * m * n),
            size=m * n,
            facts={"m": m, "n": n},
        )
        for m, n in shapes
    ]


def _floor_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    inputs = [(2, 3, 2, 1000), (4, 5, 8, 1000), (3, 7, 1, 10**6)]
    for card in _cards().values():
        inputs.append((rng.randint(100, 9000), rng.randint(100, 9000), rng.choice((2, 4)), int(card["bandwidth"])))
    return [
        _number_case(
            f"m={m}, n={n}, {itemsize} {'byte' if itemsize == 1 else 'bytes'} an element, {bandwidth:,} bytes/s",
            Call("call", "floor_time", (m, n, itemsize, bandwidth)),
            Fraction(2 * m * n * itemsize, bandwidth),
            size=m * n,
            facts={"m": m, "n": n, "itemsize": itemsize, "bandwidth": bandwidth},
        )
        for m, n, itemsize, bandwidth in inputs
    ]


def _number_case(label: str, call: Call, want: Fraction, size: int, facts: dict) -> Case:
    return Case(label, call, verify=lambda e: _number(e.value, want), size=size, facts=facts | {"want": want})


def _number(got, want: Fraction) -> str | None:
    # float32, or five decimals of a ratio near 4, is precise enough.
    if same_number(got, want, rel=2e-6):
        return None
    if isinstance(got, bool) or not isinstance(got, (int, float, Fraction)):
        return f"{compare.shown(got)} came back, expected a number"
    try:
        got = float(got)
    except OverflowError:
        return f"{compare.shown(got)} came back, which is larger than any float"
    # How far off it is tells more than the number expected, which stays with the check.
    times = got / float(want)
    return f"{got:.6g} came back, {times:{'.4g' if abs(times - 1) > 1e-3 else '.7f'}} times the right number"


# What exercise 2.4 asks about: flop per byte in float32. On the cards below, no shortcut survives: the same product is
# bound by memory on one and by arithmetic on another, and the small computer calculates more slowly than it reads.
_KERNELS = {
    "a fused softmax": 5 / 8,
    "the product of two 4096×4096 matrices": 4096 / 6,
    "the five passes": 5 / 32,
    "a copy that doubles": 1 / 8,
    "the product of two 96×96 matrices": 96 / 6,
    "the product of two 128×128 matrices": 128 / 6,
}
_SMALL_COMPUTER = {"bandwidth": 8e9, "flops": 4e9}


def _bound_cases(seed: int) -> list[Case]:
    cases = []
    for card, sheet in (_cards() | {"a small computer": _SMALL_COMPUTER}).items():
        for kernel, intensity in _KERNELS.items():
            flops, bandwidth = sheet["flops"], sheet["bandwidth"]
            want = "memory" if intensity * bandwidth < flops else "compute"
            facts = {"intensity": intensity, "flops": flops, "bandwidth": bandwidth, "want": want}
            cases.append(
                Case(
                    f"{kernel} on {card}: {intensity:.4g} flop/byte, {flops:g} flop/s, {bandwidth:g} bytes/s",
                    Call("call", "bound_by", (intensity, flops, bandwidth)),
                    verify=lambda e, facts=facts: _bound(e.value, facts),
                    size=len(cases),
                    facts=facts,
                )
            )
    return cases


def _bound(got, facts: dict) -> str | None:
    if got == facts["want"]:
        return None
    if got not in ("memory", "compute"):
        return f'{compare.shown(got)} came back, expected "memory" or "compute"'
    calculating, moving = facts["intensity"] / facts["flops"], 1 / facts["bandwidth"]
    if got == "memory":
        return (
            f'"memory" came back, but a byte\'s arithmetic takes {calculating / moving:.3g} times as long as moving it'
        )
    return f'"compute" came back, but moving a byte takes {moving / calculating:.3g} times as long as its arithmetic'


# claim -> (whether it holds, where to look). The claims themselves stand in the lesson.
_CLAIMS = {
    "a": (False, "what traffic showed for it at the end of lesson 01"),
    "b": (False, "how many bytes that matrix makes, once in and once out, over that time"),
    "c": (True, "which number of the card your floor_time divides by"),
    "d": (False, "what bound_by says about the five passes"),
    "e": (True, "what your floor_time gives for 4 bytes and for 2"),
    "f": (False, "what your naive_traffic of lesson 01 says"),
}


def _claim_cases(seed: int) -> list[Case]:
    return [
        Case(
            f"claim {claim}",
            Call("value", "myths"),
            verify=lambda e, claim=claim: _claim(e.value, claim),
            size=size,
            facts={"claim": claim},
        )
        for size, claim in enumerate(_CLAIMS)
    ]


def _claim(got, claim: str) -> str | None:
    if not isinstance(got, dict) or claim not in got:
        return f"{compare.shown(got)} has no entry {claim!r}"
    holds, look = _CLAIMS[claim]
    if not isinstance(got[claim], bool):
        return f"{compare.shown(got[claim])} is neither True nor False"
    return None if got[claim] is holds else f"{got[claim]} is not what the evidence says. Look at {look}"


def _entry(test) -> detectors.Detector:
    return detectors.value(lambda v, f: test(v[f["claim"]]))


EXERCISES = [
    Exercise(
        id="2.1",
        title="fused_traffic",
        names=("fused_traffic",),
        points=1,
        cases=_traffic_cases,
        hints=(
            "A number that is on the chip costs nothing to use again.",
            "Which numbers are not on the chip when the kernel begins, and which must be off it when it ends?",
            "Each of the two numbers has the shape a·m·n, with a small whole a.",
        ),
        mistakes=FUSED_TRAFFIC,
    ),
    Exercise(
        id="2.2",
        title="ideal_speedup",
        names=("ideal_speedup",),
        points=1,
        cases=_speedup_cases,
        hints=(
            "A ratio of 10 says: the one moves ten times what the other moves.",
            "naive_traffic and fused_traffic give two numbers each; a softmax takes its time for both.",
            "The line has the shape `sum(<five passes>) / sum(<one pass>)`.",
        ),
        mistakes=IDEAL_SPEEDUP,
    ),
    Exercise(
        id="2.3",
        title="floor_time",
        names=("floor_time",),
        points=2,
        cases=_floor_cases,
        hints=(
            "At best, every byte that must move does so at full bandwidth, and nothing else takes time.",
            "fused_traffic counts elements in both directions; the bandwidth counts bytes.",
            "The line has the shape `<elements> * <bytes an element> / <bytes a second>`.",
        ),
        mistakes=FLOOR_TIME,
    ),
    Exercise(
        id="2.4",
        title="bound_by",
        names=("bound_by",),
        points=2,
        cases=_bound_cases,
        hints=(
            "Moving and calculating go on at the same time, so the slower of the two decides.",
            "For one byte: how long does it take to move, and how long does the arithmetic take that comes with it?",
            'The line has the shape `return "memory" if <one rate> < <another rate> else "compute"`.',
        ),
        mistakes=BOUND_BY,
    ),
    Exercise(
        id="2.5",
        title="myths",
        names=("myths",),
        points=1,
        cases=_claim_cases,
        hints=(
            "Each claim can be settled with what you have counted, computed or seen in lessons 01 and 02.",
            "Put the numbers of a claim into your own functions; for the others, ask what the time depends on.",
            'A dictionary has the shape `{"a": <True or False>, "b": <True or False>, ...}`.',
        ),
        mistakes=(
            ("value-left-out", detectors.value(lambda v, f: v is None or v[f["claim"]] in (None, ...))),
            ("claim-missing", detectors.value(lambda v, f: not isinstance(v, dict) or f["claim"] not in v)),
            ("not-true-or-false", _entry(lambda v: not isinstance(v, bool))),
            ("myth-believed", _entry(lambda v: v)),
            ("truth-doubted", _entry(lambda v: not v)),
        ),
    ),
]
