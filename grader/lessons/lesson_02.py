"""Lesson 02: the least traffic of a softmax, its least time, and its bound."""

from __future__ import annotations

import random
from fractions import Fraction

from ..checks import compare
from ..gpus import Gpu, data_sheets
from ..mistakes.roofline import BOUND_BY, FLOOR_TIME, FUSED_TRAFFIC, IDEAL_SPEEDUP, MYTHS
from ..reference import roofline
from ..sentence import said
from ..spec import Call, Case, Exercise


def _traffic_cases(seed: int) -> list[Case]:
    return roofline.traffic_cases("fused_traffic", roofline.one_pass_traffic, seed)


def _speedup_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    # The smallest failing case is the one reported. For 7×5 and its like, no two known mistakes give the same number.
    small = [
        (rng.randint(7, 11), 5),
        (rng.randint(36, 60), 1),
        (3, rng.randint(19, 29)),
        (1000 + rng.randrange(900), 781),
    ]
    shapes = small + [(rng.randint(2, 99), rng.randint(11, 2000)) for _ in range(4)]
    return [
        _number_case(
            said("m={m}, n={n}", m=m, n=n),
            Call("call", "ideal_speedup", (m, n)),
            roofline.ideal_speedup(m, n),
            size=m * n,
            facts={"m": m, "n": n},
        )
        for m, n in shapes
    ]


def _floor_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    inputs = [(2, rng.choice((3, 5, 7)), 2, 1000), (4, rng.choice((5, 7, 9)), 8, 1000)]
    inputs += [(3, rng.randint(13, 19), 1, 10**6), (6, rng.randint(11, 17), 4, 10**12)]
    for card in data_sheets():
        inputs.append((rng.randint(100, 9000), rng.randint(100, 9000), rng.choice((2, 4)), int(card.bandwidth)))
    return [
        _number_case(
            (
                said(
                    "m={m}, n={n}, {itemsize} byte per element, {bandwidth} bytes/s",
                    m=m,
                    n=n,
                    itemsize=itemsize,
                    bandwidth=f"{bandwidth:,}",
                )
                if itemsize == 1
                else said(
                    "m={m}, n={n}, {itemsize} bytes per element, {bandwidth} bytes/s",
                    m=m,
                    n=n,
                    itemsize=itemsize,
                    bandwidth=f"{bandwidth:,}",
                )
            ),
            Call("call", "floor_time", (m, n, itemsize, bandwidth)),
            roofline.floor_time(m, n, itemsize, bandwidth),
            size=m * n,
            facts={"m": m, "n": n, "itemsize": itemsize, "bandwidth": bandwidth},
        )
        for m, n, itemsize, bandwidth in inputs
    ]


def _number_case(label: str, call: Call, want: Fraction, size: int, facts: dict) -> Case:
    return Case(
        label, call, verify=lambda e: roofline.number_fault(e.value, want), size=size, facts=facts | {"want": want}
    )


def _kernels(rng: random.Random) -> dict[str, float]:
    """{kernel: its intensity in float32, in flop per byte}.

    A function that ignores one of its arguments fails on some pair of kernel and card: one product is memory-bound on
    one card and compute-bound on another, and the small computer has fewer flop/s than bytes/s.
    """
    large, small, middle = rng.randint(3800, 4400), rng.randint(92, 99), rng.randint(126, 131)
    return {
        said("a fused softmax"): 5 / 8,
        said("the product of two {n}×{n} matrices", n=large): large / 6,
        said("the five passes"): 5 / 32,
        said("a copy that doubles"): 1 / 8,
        said("a kernel with one operation for each byte"): 1,
        said("a kernel with four operations for each byte"): 4,
        said("the product of two {n}×{n} matrices", n=small): small / 6,
        said("the product of two {n}×{n} matrices", n=middle): middle / 6,
    }


# Of the small computer, at 0.5 flop for each byte.
_NEAR_THE_BALANCE = [
    (said("a kernel at the balance"), 0.5),
    (said("a kernel just below the balance"), 0.48),
    (said("a kernel just above the balance"), 0.52),
]


def _bound_cases(seed: int) -> list[Case]:
    """Each card at a drawn share of its rates, both alike: as if its clocks were lower."""
    rng = random.Random(seed)
    kernels = _kernels(rng)
    small = Gpu(name=said("a small computer"), bandwidth=8e9, flops=4e9, sources=())
    cases = []
    for gpu in [*data_sheets(), small]:
        share = rng.randint(900, 999) / 1000
        card, flops, bandwidth = gpu.name, gpu.flops * share, gpu.bandwidth * share
        own = _NEAR_THE_BALANCE if gpu is small else []
        for kernel, intensity in [*kernels.items(), *own]:
            rates = {"intensity": intensity, "flops": flops, "bandwidth": bandwidth}
            cases.append(
                Case(
                    said(
                        "{kernel} on {card}: {intensity} flop/byte, {flops} flop/s, {bandwidth} bytes/s",
                        kernel=kernel,
                        card=card,
                        intensity=f"{intensity:.4g}",
                        flops=f"{flops:.4g}",
                        bandwidth=f"{bandwidth:.4g}",
                    ),
                    Call("call", "bound_by", tuple(rates.values())),
                    verify=lambda e, rates=rates: roofline.bound_fault(e.value, **rates),
                    size=len(cases),
                    facts=rates | {"want": roofline.bound_by(**rates)},
                )
            )
    return cases


# claim -> (whether it holds, where the evidence is). The text of the claims is in the lesson.
_CLAIMS = {
    "a": (False, said("the list that traffic printed for it after 2.1: how many operations are there?")),
    "b": (False, said("the bytes of that matrix, read once and written once, divided by that time")),
    "c": (True, said("which number of the card your floor_time divides by")),
    "d": (False, said("what bound_by says about the five passes")),
    "e": (True, said("what your floor_time gives for 4 bytes and for 2")),
    "f": (False, said("what your naive_traffic of lesson 01 says")),
}


def _claim_cases(seed: int) -> list[Case]:
    return [
        Case(
            said("claim {claim}", claim=claim),
            Call("value", "myths"),
            verify=lambda e, claim=claim: _claim_fault(e.value, claim),
            size=size,
            facts={"claim": claim},
        )
        for size, claim in enumerate(_CLAIMS)
    ]


def _claim_fault(got, claim: str) -> str | None:
    """None if the entry of a claim is right, else a sentence."""
    if not isinstance(got, dict) or claim not in got:
        return said("{shown} has no entry {claim}", shown=compare.shown(got), claim=repr(claim))
    holds, look = _CLAIMS[claim]
    if not isinstance(got[claim], bool):
        return said("{shown} is neither True nor False", shown=compare.shown(got[claim]))
    return None if got[claim] is holds else said("{got} is not right here. Look at {look}", got=got[claim], look=look)


EXERCISES = [
    Exercise(
        id="2.1",
        title="fused_traffic",
        names=("fused_traffic",),
        points=1,
        cases=_traffic_cases,
        hints=(
            said("A number that is on the chip costs nothing to use again."),
            said("Which numbers are in memory when the kernel begins, and which must be in memory when it ends?"),
            said("Each of the two numbers has the form a * m * n, with a small whole number a."),
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
            said("A ratio of 10 means: one of the two moves ten times as much as the other."),
            said("naive_traffic and fused_traffic give two numbers each. Both reads and writes take time."),
            said("The line has the form `sum(<five passes>) / sum(<one pass>)`."),
        ),
        mistakes=IDEAL_SPEEDUP,
    ),
    Exercise(
        id="2.3",
        title="floor_time",
        names=("floor_time",),
        points=1,
        cases=_floor_cases,
        hints=(
            said("At best, every byte that must move does so at full bandwidth, and nothing else takes time."),
            said("fused_traffic counts elements in both directions; the bandwidth counts bytes."),
            said("The line has the shape `<elements> * <bytes per element> / <bytes per second>`."),
        ),
        mistakes=FLOOR_TIME,
    ),
    Exercise(
        id="2.4",
        title="bound_by",
        names=("bound_by",),
        points=1,
        cases=_bound_cases,
        hints=(
            said("The GPU moves bytes and computes at the same time, so the slower of the two decides."),
            said(
                "Take one byte. How long does it take to move it, and how long does the arithmetic for one byte take?"
            ),
            said('The line has the form `return "memory" if <one rate> < <another rate> else "compute"`.'),
        ),
        mistakes=BOUND_BY,
    ),
    Exercise(
        id="2.5",
        title="myths",
        names=("myths",),
        points=1,
        cases=_claim_cases,
        open_book=said("the answer is a list of claims that hold or do not"),
        hints=(
            said(
                "You can decide each claim with numbers that you have counted, computed or seen in lessons 01 and 02."
            ),
            said(
                "Put the numbers of a claim into your own functions. For claims without numbers, ask "
                "on which quantity the time depends."
            ),
            said('A dictionary has the form `{"a": <True or False>, "b": <True or False>, ...}`.'),
        ),
        mistakes=MYTHS,
    ),
]
