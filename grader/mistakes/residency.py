"""Mistakes in counting the programs that a GPU holds at once, with the wrong formula of each (exercise 10.3).

The facts of a case hold kernel (props, n_regs, shared, num_warps), want (the right count), and known (whether every
number is reported, none of them as 0).
"""

from __future__ import annotations

from dataclasses import replace

from ..reference.residency import DEVICES, FALLBACK, KEYS, ceil_div, limits, registers, right
from ..spec import Detector
from . import detectors
from .detectors import looks
from .mistake import Mistake

MISTAKES = [
    Mistake(
        "divided-by-zero",
        "A kernel may use no shared memory at all. Then your code divides by zero.",
        "If no program uses a resource, how many programs does this resource allow?",
    ),
    Mistake(
        "props-changed",
        "A second call with the same `props` gives another number: the first call changed `props`.",
        "Which line of yours writes into `props`, and who still needs what was there?",
    ),
    Mistake(
        "fallback-missing",
        "If any entry of props is missing or 0, or n_regs is, the answer should be a fixed number of programs.",
        "Which number does the docstring name, and which entries does your answer test before it computes?",
    ),
    Mistake(
        "programs-not-whole",
        "The number of programs has to be an int, and yours is a float.",
        "Which of your steps gives a float, and how do you get a whole number from it?",
    ),
    Mistake(
        "one-multiprocessor",
        "This is the number for a single multiprocessor.",
        "How many multiprocessors does the device have?",
    ),
    Mistake(
        "multiprocessors-pooled",
        "The resources of all multiprocessors were added, as if a program could run on two of them.",
        "What happens to the remainder that is left on each multiprocessor?",
    ),
    Mistake(
        "largest-limit",
        "The result follows from the resource that allows the most programs, and not from the one that allows the "
        "fewest.",
        "What does a multiprocessor run out of first?",
    ),
    Mistake(
        "programs-rounded-up",
        "The number of programs was rounded up, and the last of them only fits in part.",
        "Can a program start with only a part of the resources that it needs?",
    ),
    Mistake(
        "warps-of-32",
        "A warp was taken to have 32 threads, and on this device it has more.",
        "Which entry of props says how many threads a warp has?",
    ),
    Mistake(
        "registers-not-in-units",
        "The registers were counted one by one, but a warp gets registers in whole units.",
        "A warp needs one register more than a unit has. How many registers does it get?",
    ),
    Mistake(
        "registers-in-bytes",
        "The registers of a program were counted in bytes, and those of the multiprocessor one by one.",
        "What does max_num_regs count, and in which unit is n_regs when your code divides by it?",
    ),
    Mistake(
        "units-rounded-down",
        "The registers of a warp were not rounded up to whole units, so the warp gets fewer than it needs.",
        "A warp needs one register more than a unit has. How many registers does it get?",
    ),
    Mistake(
        "units-of-another",
        "Registers were rounded up to whole units, but not the registers of one warp.",
        "Which of them gets registers in whole units: a thread, a warp, or a program?",
    ),
    Mistake(
        "numbers-of-one-device",
        "A number of the H200 was used, and this device has another.",
        "Which number in your code would be different on another device, and which entry of props holds it?",
    ),
    Mistake(
        "shared-zero-counted",
        "For a kernel that uses no shared memory, your answer is 0 or the fixed number for missing entries.",
        "`shared` is 0: is the number missing, and does it limit the programs?",
    ),
    Mistake(
        "fallback-everywhere",
        "Your answer is the fixed number for missing entries, but no entry of this device is missing.",
        "Which numbers must be missing for the answer 32, and are they missing here?",
    ),
    Mistake(
        "multiprocessors-added",
        "The multiprocessors were added to the programs of one multiprocessor, or only multiprocessors were counted.",
        "How many programs do two multiprocessors hold, if each of them holds four?",
    ),
    Mistake(
        "nothing-fits",
        "By this count, not even one program fits on a multiprocessor.",
        "Which of your divisions gives 0 or less, and which of its two numbers should be the larger one?",
    ),
    Mistake(
        "registers-undercounted",
        "More programs were counted than there are registers for.",
        "How many registers does one program take, and which of your numbers says so?",
    ),
    Mistake(
        "shared-memory-ignored",
        "More programs were counted than there is shared memory for.",
        "Which parameter says how many bytes of it one program takes?",
    ),
    Mistake(
        "shared-memory-per-warp",
        "The shared memory of one program was multiplied by its number of warps.",
        "Whose bytes does the parameter `shared` count: those of a program or those of a warp?",
    ),
    Mistake(
        "resources-added",
        "The programs that the resources allow were added up.",
        "A room has 5 chairs and 3 desks. How many people can each have a chair and a desk?",
    ),
    Mistake(
        "thread-limit-ignored",
        "More programs were counted than the threads of a multiprocessor allow.",
        "Which entry of props limits the threads, and how many does one program bring?",
    ),
    Mistake(
        "program-limit-ignored",
        "More programs were counted than a multiprocessor has places for. That limit holds for very small programs, "
        "too.",
        "Which entry of props have you not used yet?",
    ),
]

_STOCKS = ("registers", "shared", "threads")  # a program takes more than one of each


def _number(test) -> Detector:
    """Matches a value where all numbers are reported: test gets the value and the facts of the case."""
    return detectors.value(lambda v, f: f["known"] and test(v, f))


def _count(formula) -> Detector:
    """Matches the number that formula(props, n_regs, shared, num_warps), a known wrong count, gives.

    The formula must give the number of the answer in every case where all numbers are reported.
    """

    def gives(got, facts):
        return not facts["known"] or got == formula(*facts["kernel"])

    detect = _number(lambda got, facts: gives(got, facts) and got != facts["want"])
    return replace(detect, fits=lambda case, evidence: gives(evidence.value, case.facts), exact=True, by_numbers=True)


def _without(stock: str) -> Detector:
    """Matches a count that leaves out one of the four stocks."""

    def formula(props, *kernel):
        stocks = limits(props, *kernel).items()
        return min(has // takes for name, (has, takes) in stocks if name != stock) * props["multiprocessor_count"]

    return _count(formula)


def _registers_as(takes) -> Detector:
    """Matches a count where one program takes takes(props, n_regs, num_warps) registers."""

    def formula(props, n_regs, shared, num_warps):
        stocks = limits(props, n_regs, shared, num_warps)
        stocks["registers"] = (props["max_num_regs"], takes(props, n_regs, num_warps))
        return min(has // takes for has, takes in stocks.values()) * props["multiprocessor_count"]

    return _count(formula)


def _units_rounded_down(props, n_regs, num_warps):
    """The registers of a warp are rounded down to whole units."""
    return num_warps * max(n_regs * props["warpSize"] // props["register_unit"], 1) * props["register_unit"]


def _units_of_a_program(props, n_regs, num_warps):
    """The registers of a program, not of a warp, are rounded up to whole units."""
    return ceil_div(num_warps * n_regs * props["warpSize"], props["register_unit"]) * props["register_unit"]


def _units_of_a_thread(props, n_regs, num_warps):
    """The registers of a thread, not of a warp, are rounded up to whole units."""
    return num_warps * props["warpSize"] * ceil_div(n_regs, props["register_unit"]) * props["register_unit"]


def _warps_of_32(props, n_regs, shared, num_warps):
    """A warp has 32 threads on every device."""
    return right(props | {"warpSize": 32}, n_regs, shared, num_warps)


def _rounded_up(*stocks: str, by=ceil_div) -> Detector:
    """Matches a count where the programs that these stocks allow are rounded up, or as `by` rounds a quotient."""

    def formula(props, *kernel):
        each = limits(props, *kernel).items()
        allowed = [by(*pair) if name in stocks else pair[0] // pair[1] for name, pair in each]
        return min(allowed) * props["multiprocessor_count"]

    return _count(formula)


def _nearest(has: int, takes: int) -> int:
    return round(has / takes)


def _fixed(*keys: str) -> Detector:
    """Matches a count with these numbers of an H200 on every device."""
    return _count(lambda props, *kernel: right(props | {key: DEVICES["H200"][key] for key in keys}, *kernel))


def _without_shared(result: int) -> Detector:
    """Matches a count that is `result` for kernels without shared memory."""
    return _count(lambda props, n_regs, shared, warps: right(props, n_regs, shared, warps) if shared else result)


def _most(props, *kernel):
    """The most plentiful stock decides."""
    return max(has // takes for has, takes in limits(props, *kernel).values()) * props["multiprocessor_count"]


def _added(props, *kernel):
    """What the stocks allow is added up."""
    return sum(has // takes for has, takes in limits(props, *kernel).values()) * props["multiprocessor_count"]


def _shared_per_warp(props, n_regs, shared, num_warps):
    """A program takes its shared memory once for each warp."""
    return right(props, n_regs, shared * num_warps, num_warps)


def _one_multiprocessor(props, *kernel):
    """The count for one multiprocessor."""
    return min(has // takes for has, takes in limits(props, *kernel).values())


def _pooled(props, *kernel):
    """The stocks of all multiprocessors are added up first."""
    count = props["multiprocessor_count"]
    return min(count * has // takes for has, takes in limits(props, *kernel).values())


@looks
def _divided_by_zero(known, error) -> bool:
    """A ZeroDivisionError, though all numbers are reported."""
    return known and (error or {}).get("type") == "ZeroDivisionError"


@looks
def _something_unknown(known, case) -> bool:
    """The case failed, and a number is missing or 0."""
    return not known and "twice" not in case.facts


RESIDENCY = (
    ("divided-by-zero", _divided_by_zero),
    ("props-changed", detectors.value(lambda v, f: f["twice"] and v[0] == f["want"][0])),
    ("text-for-number", detectors.value(lambda v, f: isinstance(v, str))),
    ("fallback-missing", _something_unknown),
    ("returns-nothing", detectors.nothing),
    ("programs-not-whole", _number(lambda v, f: isinstance(v, float))),
    ("one-multiprocessor", _count(_one_multiprocessor)),
    ("multiprocessors-pooled", _count(_pooled)),
    ("largest-limit", _count(_most)),
    *(
        ("programs-rounded-up", _rounded_up(*stocks, by=by))
        for by in (ceil_div, _nearest)
        for stocks in (_STOCKS, *((stock,) for stock in _STOCKS))
    ),
    ("shared-zero-counted", _without_shared(FALLBACK)),
    ("shared-zero-counted", _without_shared(0)),
    *(("numbers-of-one-device", _fixed(*keys)) for keys in (KEYS, *((key,) for key in KEYS if key != "warpSize"))),
    ("fallback-everywhere", _count(lambda *kernel: FALLBACK)),
    (
        "multiprocessors-added",
        _count(lambda props, *kernel: _one_multiprocessor(props, *kernel) + props["multiprocessor_count"]),
    ),
    ("multiprocessors-added", _count(lambda props, *kernel: props["multiprocessor_count"])),
    ("nothing-fits", _number(lambda v, f: v <= 0)),
    ("warps-of-32", _count(_warps_of_32)),
    ("registers-not-in-units", _registers_as(lambda p, r, w: r * w * p["warpSize"])),
    ("registers-in-bytes", _registers_as(lambda p, r, w: 4 * registers(p, r, w))),
    ("registers-in-bytes", _registers_as(lambda p, r, w: registers(p, 4 * r, w))),
    ("registers-in-bytes", _registers_as(lambda p, r, w: 4 * r * w * p["warpSize"])),
    ("units-rounded-down", _registers_as(_units_rounded_down)),
    ("units-of-another", _registers_as(_units_of_a_program)),
    ("units-of-another", _registers_as(_units_of_a_thread)),
    ("registers-undercounted", _registers_as(lambda p, r, w: r)),
    ("registers-undercounted", _registers_as(lambda p, r, w: r * w)),
    ("registers-undercounted", _registers_as(lambda p, r, w: r * p["warpSize"])),
    ("registers-undercounted", _registers_as(lambda p, r, w: registers(p, r, 1))),
    ("registers-undercounted", _without("registers")),
    ("shared-memory-per-warp", _count(_shared_per_warp)),
    ("resources-added", _count(_added)),
    ("shared-memory-ignored", _without("shared")),
    ("thread-limit-ignored", _without("threads")),
    ("program-limit-ignored", _without("programs")),
)
