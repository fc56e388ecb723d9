"""How many programs a GPU holds at once, and the known wrong ways to count them: for exercise 10.3.

A multiprocessor has four stocks, each of which limits the programs that can be on it at once: registers, shared memory,
threads, and places for programs. Registers are handed to whole warps, in units (CUDA C++ Programming Guide, "Compute
Capabilities", and the occupancy calculator of Nsight Compute).
"""

from __future__ import annotations

import random
from dataclasses import replace

from ..checks import compare
from ..spec import Answer, Case, Detector, Evidence
from . import detectors

FALLBACK = 32  # programs, where the device or the compiler says nothing
KEYS = (
    "multiprocessor_count",
    "warpSize",
    "max_num_regs",
    "register_unit",
    "max_shared_mem",
    "max_threads_per_sm",
    "max_blocks_per_sm",
)
STOCKS = ("registers", "shared", "threads")  # of which a program takes more than one
DEVICES = {
    "H200": dict(zip(KEYS, (132, 32, 65536, 256, 233472, 2048, 32))),
    "T4": dict(zip(KEYS, (40, 32, 65536, 256, 65536, 1024, 16))),
    "RTX 4090": dict(zip(KEYS, (128, 32, 65536, 256, 102400, 1536, 24))),
    "warps of 64": dict(zip(KEYS, (304, 64, 131072, 512, 65536, 2048, 32))),
}


def lacking(key: str, value: int | None = None) -> dict:
    """A device that does not report one entry, or reports a value for it that says nothing."""
    others = {k: v for k, v in DEVICES["T4"].items() if k != key}
    return others if value is None else others | {key: value}


def known(props: dict, n_regs: int | None) -> bool:
    """Whether there is anything to compute with."""
    return bool(n_regs) and all(props.get(key) for key in KEYS)


def _up(a: int, b: int) -> int:
    return -(-a // b)


def _registers(props: dict, n_regs: int, num_warps: int) -> int:
    """Registers of one program."""
    return num_warps * _up(n_regs * props["warpSize"], props["register_unit"]) * props["register_unit"]


def limits(props: dict, n_regs: int, shared: int, num_warps: int) -> dict[str, tuple[int, int]]:
    """For each stock, what a multiprocessor has of it and what one program takes."""
    takes = {
        "registers": (props["max_num_regs"], _registers(props, n_regs, num_warps)),
        "shared": (props["max_shared_mem"], shared),
        "threads": (props["max_threads_per_sm"], num_warps * props["warpSize"]),
        "programs": (props["max_blocks_per_sm"], 1),
    }
    return takes if shared else {k: v for k, v in takes.items() if k != "shared"}


def right(props: dict, n_regs: int | None, shared: int, num_warps: int) -> int:
    """Programs that the whole device holds at once."""
    if not known(props, n_regs):
        return FALLBACK
    each = limits(props, n_regs, shared, num_warps).values()
    return min(has // takes for has, takes in each) * props["multiprocessor_count"]


def any_kernel(rng: random.Random) -> tuple[str, int, int, int]:
    """A device and a kernel that fits on it.

    On NVIDIA's cards the registers of a multiprocessor lie in four parts, and a warp's cannot lie in two. Kernels for
    which that makes a difference are left out, so that whoever takes it into account is right as well.
    """
    while True:
        name, num_warps = rng.choice(list(DEVICES)), rng.choice((1, 2, 4, 8))
        props, n_regs, shared = DEVICES[name], rng.randint(17, 200), rng.choice((0, 512, 8192, 20480))
        quarter = props["max_num_regs"] // 4 // _registers(props, n_regs, 1)
        has, takes = limits(props, n_regs, shared, num_warps)["registers"]
        if has // takes == 4 * quarter // num_warps > 0:
            return name, n_regs, shared, num_warps


def verify(got, want: int) -> str | None:
    """None when got is the whole number wanted, else a sentence."""
    if isinstance(got, int) and not isinstance(got, bool) and got == want:
        return None
    return f"{compare.shown(got)} came back, expected {want}"


def _number(test) -> Detector:
    """Matches a number that came back where there was something to compute with."""
    return detectors.value(lambda v, f: f["known"] and test(v, f))


def _is(formula) -> Detector:
    """Matches when a known wrong way to count, of the props and the limits, gives just that number, here and elsewhere.

    What an answer says where nothing is known is another matter.
    """

    def gives(got, facts):
        return not facts["known"] or got == formula(*facts["kernel"])

    detect = _number(lambda got, facts: gives(got, facts) and got != facts["want"])
    return replace(detect, fits=lambda case, evidence: gives(evidence.value, case.facts), exact=True)


def _without(stock: str) -> Detector:
    """One of the four stocks was not asked."""

    def formula(props, *kernel):
        each = limits(props, *kernel)
        return min(has // takes for name, (has, takes) in each.items() if name != stock) * props["multiprocessor_count"]

    return _is(formula)


def _registers_as(takes) -> Detector:
    """The registers of one program are counted as takes(props, n_regs, num_warps)."""

    def formula(props, n_regs, shared, num_warps):
        each = limits(props, n_regs, shared, num_warps) | {
            "registers": (props["max_num_regs"], takes(props, n_regs, num_warps))
        }
        return min(has // takes for has, takes in each.values()) * props["multiprocessor_count"]

    return _is(formula)


def _units_rounded_down(props, n_regs, num_warps):
    return num_warps * max(n_regs * props["warpSize"] // props["register_unit"], 1) * props["register_unit"]


def _warps_of_32(props, n_regs, shared, num_warps):
    return right(props | {"warpSize": 32}, n_regs, shared, num_warps)


def _units_of_a_program(props, n_regs, num_warps):
    return _up(num_warps * n_regs * props["warpSize"], props["register_unit"]) * props["register_unit"]


def _units_of_a_thread(props, n_regs, num_warps):
    return num_warps * props["warpSize"] * _up(n_regs, props["register_unit"]) * props["register_unit"]


def _rounded_up(*stocks: str) -> Detector:
    """What these stocks serve was rounded up."""

    def formula(props, *kernel):
        each = limits(props, *kernel).items()
        served = [_up(*pair) if name in stocks else pair[0] // pair[1] for name, pair in each]
        return min(served) * props["multiprocessor_count"]

    return _is(formula)


def _fixed(*keys: str) -> Detector:
    """These numbers of an H200 were taken for every device."""
    return _is(lambda props, *kernel: right(props | {key: DEVICES["H200"][key] for key in keys}, *kernel))


def _without_shared(result: int) -> Detector:
    """A kernel without shared memory got this number."""
    return _is(lambda props, n_regs, shared, warps: right(props, n_regs, shared, warps) if shared else result)


def _most(props, *kernel):
    return max(has // takes for has, takes in limits(props, *kernel).values()) * props["multiprocessor_count"]


def _one_multiprocessor(props, *kernel):
    return min(has // takes for has, takes in limits(props, *kernel).values())


def _pooled(props, *kernel):
    count = props["multiprocessor_count"]
    return min(count * has // takes for has, takes in limits(props, *kernel).values())


def _raised(*kinds: str) -> Detector:
    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        return (evidence.error or {}).get("type") in kinds

    return detect


@Detector
def _something_known(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return case.facts["known"]


@Detector
def _nothing_known(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return not case.facts["known"]


RESIDENCY = (
    ("divided-by-zero", detectors.both(_raised("ZeroDivisionError"), _something_known)),
    ("fallback-missing", _nothing_known),
    ("returns-nothing", detectors.nothing),
    ("programs-not-whole", _number(lambda v, f: isinstance(v, float))),
    ("one-multiprocessor", _is(_one_multiprocessor)),
    ("multiprocessors-pooled", _is(_pooled)),
    ("largest-limit", _is(_most)),
    *(("programs-rounded-up", _rounded_up(*stocks)) for stocks in (STOCKS, *((stock,) for stock in STOCKS))),
    ("shared-zero-counted", _without_shared(FALLBACK)),
    ("shared-zero-counted", _without_shared(0)),
    *(("numbers-of-one-device", _fixed(*keys)) for keys in (KEYS, *((key,) for key in KEYS if key != "warpSize"))),
    ("warps-of-32", _is(_warps_of_32)),
    ("registers-not-in-units", _registers_as(lambda p, r, w: r * w * p["warpSize"])),
    ("units-rounded-down", _registers_as(_units_rounded_down)),
    ("units-of-another", _registers_as(_units_of_a_program)),
    ("units-of-another", _registers_as(_units_of_a_thread)),
    ("registers-undercounted", _registers_as(lambda p, r, w: r)),
    ("registers-undercounted", _registers_as(lambda p, r, w: r * w)),
    ("registers-undercounted", _registers_as(lambda p, r, w: r * p["warpSize"])),
    ("registers-undercounted", _registers_as(lambda p, r, w: _registers(p, r, 1))),
    ("registers-undercounted", _without("registers")),
    ("shared-memory-ignored", _without("shared")),
    ("thread-limit-ignored", _without("threads")),
    ("program-limit-ignored", _without("programs")),
)
