"""Lesson 17, read a profile: a counter from addresses, the limit of a launch, the line to blame, what can be won."""

from __future__ import annotations

import random

from ..checks import compare
from ..mistakes.profiles import CULPRIT, HEADROOM, LIMIT, SECTORS
from ..reference import profiles
from ..sentence import said
from ..spec import Call, Case, Exercise


def _sector_cases(seed: int) -> list[Case]:
    """Requests by address, lanes, stride, itemsize: each known mistake gives another number somewhere."""
    rng = random.Random(seed)
    far = 32 * rng.randint(3, 90)
    odd = rng.randrange(1, 8)
    requests = [
        (said("a few numbers of one sector"), far + 4, rng.randint(3, 6), 1, 4),
        (said("a whole warp from the beginning of a sector"), far, 32, 1, 4),
        (said("a whole warp from inside a sector"), far + 4 * odd, 32, 1, 4),
        (said("half precision"), far + 2 * rng.randrange(1, 16), 32, 1, 2),
        (said("float64"), far + 8 * rng.randrange(1, 4), 32, 1, 8),
        (said("the end of a row"), far + 4 * odd, rng.randint(17, 23), 1, 4),
        (said("an end at the end of a sector"), far + 4 * odd, 24 - odd, 1, 4),
        (said("every second number"), far + 4 * odd, 32, 2, 4),
        (said("every third number"), far + 4 * odd, rng.randint(27, 31), 3, 4),
        (said("a stride of more than a sector"), far + 4 * odd, 32, rng.randint(9, 15), 4),
        (said("a column"), far + 4 * odd, rng.randint(25, 31), rng.randint(1000, 9000), 4),
        (said("all lanes the same element"), far + 4 * odd, 32, 0, 4),
        (said("one lane"), far + 4 * odd, 1, rng.randint(1, 9), 4),
        (said("bytes"), far + rng.randrange(1, 31), 32, 1, 1),
        (said("a stride of half a sector"), far + 4 * odd, rng.randint(20, 30), 4, 4),
    ]
    return [_sector_case(size, *request) for size, request in enumerate(requests)]


def _sector_case(size: int, label: str, address: int, lanes: int, stride: int, itemsize: int) -> Case:
    asked = {"address": address, "lanes": lanes, "stride": stride, "itemsize": itemsize}
    want = profiles.request_sectors(**asked)

    def verify(evidence):
        got = evidence.value
        if compare.same_number(got, want):
            return None
        return said("{shown} came back, expected {want}", shown=compare.shown(got), want=want)

    return Case(
        said(
            "{label}: address={address}, lanes={lanes}, stride={stride}, itemsize={itemsize}",
            label=label,
            address=address,
            lanes=lanes,
            stride=stride,
            itemsize=itemsize,
        ),
        Call("call", "request_sectors", tuple(asked.values())),
        verify=verify,
        size=size,
        facts=asked | {"want": want},
    )


def _limit_cases(seed: int) -> list[Case]:
    """A drawn report of each recorded launch, in a drawn order; those that the lesson shows are reported first."""
    rng = random.Random(seed)
    asked = list(profiles.profiles())
    rng.shuffle(asked)
    return [_limit_case(i, profile, *profiles.many_times(profile, rng)) for i, profile in enumerate(asked, 1)]


def _limit_case(i: int, profile: profiles.Profile, k: float, report: dict) -> Case:
    want = profiles.OF[profile.kernel]

    def verify(evidence):
        got = evidence.value
        if got == want:
            return None
        return said(
            "{shown} came back. Memory is {busy} % busy; read over written: {ratio}; warps: {warps} %; over the ideal: "
            "{sectors} times the sectors, {wavefronts} times the wavefronts; instructions that spill: {spilling}",
            shown=compare.shown(got),
            busy=f"{report[profiles.DRAM]:.0f}",
            ratio=f"{report[profiles.READ] / report[profiles.WRITTEN]:.2f}",
            warps=f"{report[profiles.WARPS]:.0f}",
            sectors=f"{report[profiles.SECTORS] / report[profiles.SECTORS + '_ideal']:.2f}",
            wavefronts=f"{report[profiles.WAVEFRONTS] / max(1, report[profiles.WAVEFRONTS + '_ideal']):.2f}",
            spilling=f"{report[profiles.SPILLED]:,}",
        )

    return Case(
        said(
            "report {i}: {grid} programs of {block} threads, {time} µs",
            i=i,
            grid=f"{report[profiles.GRID]:,}",
            block=report[profiles.BLOCK],
            time=f"{report[profiles.TIME] / 1000:.1f}",
        ),
        Call("call", "limits", (report,)),
        verify=verify,
        size=i if profile.shown else 100 + i,
        facts={"kernel": profile.kernel, "report": report, "want": want},
    )


def _culprit_cases(seed: int) -> list[Case]:
    """Pages of three limits: like the recorded ones, and with lines that mislead."""
    rng = random.Random(seed)
    kinds = [(limit, plain) for plain in (True, False, False, False) for limit in profiles.PAGES]
    return [
        _culprit_case(i, limit, profiles.drawn_page(limit, rng, plain)) for i, (limit, plain) in enumerate(kinds, 1)
    ]


def _culprit_case(i: int, limit: str, page: list[dict]) -> Case:
    want = profiles.culprits(page, limit)
    excess = {row["line"]: profiles.excess(row, limit) for row in page}

    def verify(evidence):
        got = evidence.value
        line = next((line for line in excess if compare.same_number(got, line)), None)
        if line in want:
            return None
        if line is None:
            return said("{shown} came back, which is the number of no line of this page", shown=compare.shown(got))
        return said(
            "line {line} came back, with an excess of {excess}; another line has {most}",
            line=line,
            excess=f"{excess[line]:,}",
            most=f"{max(excess.values()):,}",
        )

    return Case(
        said(
            "page {i}, {limit}, lines {first} to {last}",
            i=i,
            limit=limit,
            first=page[0]["line"],
            last=page[-1]["line"],
        ),
        Call("call", "culprit", (page, limit)),
        verify=verify,
        size=i,
        facts={"page": page, "limit": limit, "want": want},
    )


def _headroom_cases(seed: int) -> list[Case]:
    """Drawn reports beside copies of drawn speeds; some launches are faster than the copy."""
    rng = random.Random(seed)
    asked = [each for each in profiles.profiles() if each.shown]
    rng.shuffle(asked)
    cases = []
    for i, profile in enumerate([*asked, *asked], 1):
        k, report = profiles.many_times(profile, rng)
        least = 8 * round(k * profile.m * profile.n)
        fast = least / (report[profiles.TIME] * 1e-9)  # bytes per second that would leave nothing to win
        at_limit = profiles.OF[profile.kernel] == profiles.COPY
        share = rng.uniform(0.85, 0.97) if at_limit and i <= len(asked) else rng.uniform(1.2, 9)
        cases.append(_headroom_case(i, report, least, round(fast * share)))
    return cases


def _headroom_case(i: int, report: dict, least: int, rate: int) -> Case:
    want = profiles.headroom(report, least, rate)

    def verify(evidence):
        got = evidence.value
        if compare.same_number(got, want, rel=2e-6):
            return None
        return said("{shown} came back, expected {want}", shown=compare.shown(got), want=f"{want:.6g}")

    return Case(
        said(
            "report {i}: {time} ns, {least} bytes, {rate} bytes/s",
            i=i,
            time=f"{report[profiles.TIME]:,}",
            least=f"{least:,}",
            rate=f"{rate:,}",
        ),
        Call("call", "headroom", (report, least, rate)),
        verify=verify,
        size=i + (100 if want == 1.0 else 0),  # where every wrong number below 1 looks the same
        facts={"report": report, "least": least, "rate": rate, "want": want},
    )


EXERCISES = [
    Exercise(
        id="17.1",
        title="request_sectors",
        names=("request_sectors",),
        points=1,
        cases=_sector_cases,
        hints=(
            said("A sector moves as a whole, however little of it is wanted, and only once for a request."),
            said("The number of the sector in which an address lies is a whole number. Which operation gives it?"),
            said("The line has the form `len({<address of a lane> // <bytes> for lane in range(lanes)})`."),
        ),
        mistakes=SECTORS,
    ),
    Exercise(
        id="17.2",
        title="limits",
        names=("limits",),
        points=1,
        cases=_limit_cases,
        hints=(
            said("A busy memory and an idle one have different limits. First find out which of the two it is."),
            said(
                "If memory is busy, compare the bytes read with the bytes written. If it is idle, compare two counters "
                "with their ideals. Spills come before all that."
            ),
            said(
                "Conditions have the form `report[<counter>] > 2 * report[<its ideal>]`, and the percentages of "
                "memory are above 65 or below 35."
            ),
        ),
        mistakes=LIMIT,
    ),
    Exercise(
        id="17.3",
        title="culprit",
        names=("culprit",),
        points=1,
        cases=_culprit_cases,
        hints=(
            said("Who waits is not to blame, and who moves much is not to blame if all of it is wanted."),
            said("The excess of a limit is the difference of two columns. That of spills is one column."),
            said('The line has the form `max(page, key=<excess of a row>)["line"]`.'),
        ),
        mistakes=CULPRIT,
    ),
    Exercise(
        id="17.4",
        title="headroom",
        names=("headroom",),
        points=1,
        cases=_headroom_cases,
        hints=(
            said("The report says how long the launch took. How long would a copy of the least bytes take?"),
            said("The profiler's times are in nanoseconds, and the speed of the copy is in bytes per second."),
            said("The line has the form `max(1.0, <time in seconds> / <time that would be enough>)`."),
        ),
        mistakes=HEADROOM,
    ),
]
