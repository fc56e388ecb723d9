"""The traffic of a softmax, the time that it takes at least, and its bound, by the roofline model.

In the model (Williams, Waterman and Patterson, 2009), memory and arithmetic work at the same time, so the slower of the
two bounds a kernel. Traffic is counted in elements, bandwidth in bytes per second, arithmetic in floating-point
operations (flop) per second, and intensity in flop per byte.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

from ..checks import compare
from ..checks.compare import same_number
from ..sentence import said
from ..spec import Call, Case


def five_pass_traffic(m: int, n: int) -> tuple[int, int]:
    """(elements read, elements written) by max, subtract, exp, sum, divide, each as a pass of its own.

    max reads MN and writes M; subtract reads MN + M and writes MN; exp reads and writes MN; sum reads MN and writes
    M; divide reads MN + M and writes MN.
    """
    return 5 * m * n + 2 * m, 3 * m * n + 2 * m


def one_pass_traffic(m: int, n: int) -> tuple[int, int]:
    """(elements read, elements written) by a single pass: the matrix once in each direction."""
    return m * n, m * n


def traffic_cases(function: str, traffic: Callable[[int, int], tuple[int, int]], seed: int) -> list[Case]:
    """Eight shapes for a function of the answer whose right result is traffic(m, n)."""
    rng = random.Random(seed)
    small = [(rng.randint(2, 4), rng.choice((5, 7, 11))), (1, rng.randint(7, 19)), (1000 + rng.randrange(900), 781)]
    shapes = small + [(rng.randint(2, 5000), rng.randint(2, 20000)) for _ in range(5)]
    return [_traffic_case(function, m, n, traffic(m, n)) for m, n in shapes]


def _traffic_case(function: str, m: int, n: int, want: tuple[int, int]) -> Case:
    return Case(
        said("m={m}, n={n}", m=m, n=n),
        Call("call", function, (m, n)),
        verify=lambda e: compare.two_numbers(e.value, want),
        size=m * n,
        facts={"m": m, "n": n, "want": want},
    )


def ideal_speedup(m: int, n: int) -> Fraction:
    """The traffic of the five passes over that of a single pass."""
    return Fraction(sum(five_pass_traffic(m, n)), sum(one_pass_traffic(m, n)))


def floor_time(m: int, n: int, itemsize: int, bandwidth: int) -> Fraction:
    """The seconds that a single pass takes at full bandwidth; itemsize is in bytes."""
    return Fraction(sum(one_pass_traffic(m, n)) * itemsize, bandwidth)


def bound_by(intensity: float, flops: float, bandwidth: float) -> str:
    """ "memory" or "compute": the side that bounds a kernel of this intensity on a card with these two rates."""
    return "memory" if intensity * bandwidth < flops else "compute"


def at_the_balance(intensity: float, flops: float, bandwidth: float) -> bool:
    """Whether both sides take the same time, so that either word is right."""
    return intensity * bandwidth == flops


def number_fault(got, want: Fraction) -> str | None:
    """None if got is the number `want`, else a sentence.

    The tolerance accepts float32, and a ratio near 4 that is rounded to five decimals.
    """
    if same_number(got, want, rel=2e-6):
        return None
    if isinstance(got, bool) or not isinstance(got, (int, float, Fraction)):
        return said("{shown} came back, expected a number", shown=compare.shown(got))
    try:
        got = float(got)
    except OverflowError:
        return said("{shown} came back, which is larger than any float", shown=compare.shown(got))
    # The sentence names the factor and not the right number, which the learner can compute.
    times = got / float(want)
    return said(
        "{got} came back, {times} times the right number",
        got=f"{got:.6g}",
        times=f"{times:{('.4g' if abs(times - 1) > 0.001 else '.7f')}}",
    )


def bound_fault(got, intensity: float, flops: float, bandwidth: float) -> str | None:
    """None if got is the word of `bound_by`, or either word at the balance; else a sentence with the two times."""
    if got not in ("memory", "compute"):
        return said('{shown} came back, expected "memory" or "compute"', shown=compare.shown(got))
    if got == bound_by(intensity, flops, bandwidth) or at_the_balance(intensity, flops, bandwidth):
        return None
    calculating, moving = intensity / flops, 1 / bandwidth
    if got == "memory":
        return said(
            '"memory" came back, but the arithmetic for one byte takes {value} times as long as moving that byte',
            value=f"{calculating / moving:.3g}",
        )
    return said(
        '"compute" came back, but moving one byte takes {value} times as long as the arithmetic for it',
        value=f"{moving / calculating:.3g}",
    )
