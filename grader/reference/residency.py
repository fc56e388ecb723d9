"""The number of programs that a GPU holds at once: the right count, devices, and random kernels (exercise 10.3).

A multiprocessor has four stocks: registers, shared memory, threads, and places for programs. Each stock limits the
programs that are resident on it at once. A warp gets its registers in whole units. (CUDA C++ Programming Guide,
"Compute Capabilities", and the occupancy calculator of Nsight Compute.)
"""

from __future__ import annotations

import random

from ..checks import compare
from ..gpus import GPUS, PLACES, Gpu
from ..sentence import said

FALLBACK = 32  # programs, where the device or the compiler reports too little
KEYS = (
    "multiprocessor_count",
    "warpSize",
    "max_num_regs",
    "register_unit",
    "max_shared_mem",
    "max_threads_per_sm",
    "max_blocks_per_sm",
)
# The devices of 10.3: names in the labels of its cases -> GPUs.
_TRIED = {"H200": "H200", "T4": "T4", "RTX 4090": "RTX 4090", said("warps of 64"): "MI300X", "RX 7900": "RX 7900"}


def _properties(gpu: Gpu) -> dict[str, int]:
    has = gpu.multiprocessor
    values = (gpu.multiprocessors, gpu.warp, has.registers, has.register_unit, has.shared, has.threads, has.programs)
    return dict(zip(KEYS, values))


DEVICES = {name: _properties(GPUS[gpu]) for name, gpu in _TRIED.items()}
# The same of the GPUs that machine_code compiles for, with two more facts: the parts into which the registers of a
# multiprocessor are divided, and the bytes of shared memory that it keeps for each program.
CARDS = {
    gpu.name: _properties(gpu)
    | {"register_parts": gpu.multiprocessor.register_parts, "reserved_shared_mem": gpu.multiprocessor.reserved}
    for gpu in GPUS.values()
    if gpu.target
}


def of_nvidia(multiprocessors: int, capability: tuple[int, int], shared: int, threads: int) -> dict:
    """Properties as in CARDS, of another NVIDIA GPU. shared: bytes of a multiprocessor. threads: that it holds."""
    properties = (multiprocessors, 32, 65536, 256, shared, threads, PLACES.get(capability, 32))
    return dict(zip(CARDS["T4"], (*properties, 4, 1024 if capability >= (8, 0) else 0)))


def drawn(name: str, rng: random.Random) -> dict[str, int]:
    """The properties of one of DEVICES, with another number of multiprocessors: as if some were switched off."""
    properties = DEVICES[name]
    return properties | {"multiprocessor_count": rng.randint(2, 3 * properties["multiprocessor_count"] // 2)}


def lacking(rng: random.Random, key: str, value: int | None = None) -> dict:
    """The properties of a drawn T4 without this entry; or, with a value, with that value in its place."""
    others = {k: v for k, v in drawn("T4", rng).items() if k != key}
    return others if value is None else others | {key: value}


def known(props: dict, n_regs: int | None) -> bool:
    """Whether every property and the registers of a thread are reported, none of them as 0."""
    return bool(n_regs) and all(props.get(key) for key in KEYS)


def ceil_div(a: int, b: int) -> int:
    """⌈a / b⌉ for integers."""
    return -(-a // b)


def registers(props: dict, n_regs: int, num_warps: int) -> int:
    """The registers of one program, whose threads use n_regs each."""
    return num_warps * ceil_div(n_regs * props["warpSize"], props["register_unit"]) * props["register_unit"]


def limits(props: dict, n_regs: int, shared: int, num_warps: int) -> dict[str, tuple[int, int]]:
    """For each stock: the amount of a multiprocessor, and the amount of one program. shared is in bytes.

    Shared memory is absent where a program uses none.
    """
    stocks = {
        "registers": (props["max_num_regs"], registers(props, n_regs, num_warps)),
        "shared": (props["max_shared_mem"], shared),
        "threads": (props["max_threads_per_sm"], num_warps * props["warpSize"]),
        "programs": (props["max_blocks_per_sm"], 1),
    }
    return stocks if shared else {k: v for k, v in stocks.items() if k != "shared"}


def right(props: dict, n_regs: int | None, shared: int, num_warps: int) -> int:
    """The programs that the whole device holds at once; FALLBACK where a number is missing or 0."""
    if not known(props, n_regs):
        return FALLBACK
    stocks = limits(props, n_regs, shared, num_warps).values()
    return min(has // takes for has, takes in stocks) * props["multiprocessor_count"]


def of_multiprocessor(card: dict, n_regs: int, shared: int, num_warps: int) -> tuple[int, list[str]]:
    """(programs that a multiprocessor holds at once, the stocks that allow no more). card: properties as in CARDS.

    Unlike in exercise 10.3, the registers of a warp lie in one part, and each program costs its reserved memory.
    """
    fits = {
        stock: has // takes
        for stock, (has, takes) in limits(card, n_regs, shared + card["reserved_shared_mem"], num_warps).items()
    }
    parts = card["register_parts"]
    fits["registers"] = parts * (card["max_num_regs"] // parts // registers(card, n_regs, 1)) // num_warps
    least = min(fits.values())
    return least, [stock for stock, programs in fits.items() if programs == least]


def any_kernel(rng: random.Random) -> tuple[str, int, int, int]:
    """A random device and kernel that fits on it: (name, n_regs, shared, num_warps).

    The registers of an NVIDIA multiprocessor are divided into four parts, and those of a warp must be in one part. A
    kernel is left out where this makes a difference, so an answer that takes the parts into account is right as well.
    """
    while True:
        name, num_warps = rng.choice(list(DEVICES)), rng.choice((1, 2, 4, 8))
        props, n_regs, shared = DEVICES[name], rng.randint(17, 200), rng.choice((0, 512, 8192, 20480))
        warps_of_a_part = props["max_num_regs"] // 4 // registers(props, n_regs, 1)
        has, takes = limits(props, n_regs, shared, num_warps)["registers"]
        if has // takes == 4 * warps_of_a_part // num_warps > 0:
            return name, n_regs, shared, num_warps


def verify(got, want: int) -> str | None:
    """None when got is the integer `want`, else a sentence."""
    if isinstance(got, int) and not isinstance(got, bool) and got == want:
        return None
    return said("{shown} came back, expected {want}", shown=compare.shown(got), want=want)


def verify_both(got, want: list[int]) -> str | None:
    """None when got has the integers of `want`, one for each call with the same arguments, else a sentence."""
    if not isinstance(got, list) or len(got) != 2:
        return said("{shown} came back, expected {want}", shown=compare.shown(got), want=want)
    first, second = map(verify, got, want)
    if first:
        return said("the first call: {first}", first=first)
    return said("the second call: {second}", second=second) if second else None
