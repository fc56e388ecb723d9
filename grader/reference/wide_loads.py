"""The width of a launch's loads, and its spills: what rows allow, and what became of it (exercise 10.4).

A load instruction moves 4, 8 or 16 bytes for each thread, and its address is a multiple of as many. ("Device Memory
Accesses" in the CUDA C++ Programming Guide.)
"""

from __future__ import annotations

import math

import torch

from ..checks import inputs
from ..gpus import JUDGED
from ..sentence import fault, said
from ..spec import Call, Case, Evidence, Launch, Machine
from . import softmax_function

WIDEST = 16  # bytes
_DIVISIBLE = 16  # a launch tells Triton's compiler that 16 divides an integer, and nothing of smaller powers of two
_NARROW = 0.25  # of the bytes that a kernel loads, the share that may come in narrower loads: single numbers
MOST_REGISTERS = 255  # of a thread, on NVIDIA's GPUs
_REGISTERS = MOST_REGISTERS * 4  # bytes of a thread
_FEW_SPILLS = 8  # values; one version of the compiler spills as many where another spills none, and no time is lost
_GPU = said("an {name}", name=JUDGED.name)


def case(label: str, x: torch.Tensor, machine: bool) -> Case:
    """wide_softmax(x) of a contiguous matrix. machine: whether the machine code of its launches is judged."""
    dtype = str(x.dtype).removeprefix("torch.")
    return Case(
        inputs.sized(label, len(x), x.shape[1], dtype),
        Call("call", "wide_softmax", (x,)),
        verify=lambda e: _fault(x, e),
        machine=(lambda launches: machine_fault(x, launches)) if machine else None,
        size=x.numel(),
        budget=(x.numel(), x.numel()),
        unit=x.numel(),
        interpreted_only=softmax_function.lowest(x),
        facts={"x": x, "block": softmax_function.block(x.shape[1])} | {"x_stride": x.stride(0), "y_stride": x.shape[1]},
    )


def _fault(x: torch.Tensor, evidence: Evidence) -> str | None:
    _, sentence = softmax_function.launch_fault(x, evidence)
    sentence = sentence or softmax_function.stored(x, evidence.value)
    sentence = sentence or softmax_function.idle_fault(evidence)
    if sentence is None and (held := bytes_of_a_thread(x, evidence)) > _REGISTERS:
        return fault(
            "way",
            "right numbers, but each thread holds {held} bytes of x, and its registers hold {REGISTERS} at most",
            held=held,
            REGISTERS=_REGISTERS,
        )
    return sentence


def bytes_of_a_thread(x: torch.Tensor, evidence: Evidence) -> int:
    """The most bytes of x that one load of a launch brings to each thread.

    A row is read once, so a thread keeps all of them. Above _REGISTERS it spills for certain, and compilers take
    minutes for it.
    """
    if softmax_function.warps_fault(evidence):
        return 0  # there are no such threads
    loads = (each["widest"] // (32 * each["options"].get("num_warps", 4)) for each in evidence.launches)
    return max(loads, default=0) * x.element_size()


def spills(x: torch.Tensor, evidence: Evidence) -> bool:
    """Whether a thread holds more than its registers do, whatever the compiler makes of it."""
    return softmax_function.warps_fault(evidence) is None and bytes_of_a_thread(x, evidence) > _REGISTERS


def machine_fault(x: torch.Tensor, launches: list[tuple[Launch, Machine]]) -> tuple[str, str] | None:
    """(sentence, id of the mistake) for loads that are wider or narrower than the rows of x allow, and for spills."""
    row = x.shape[1] * x.element_size()
    allowed = math.gcd(row, WIDEST)  # the rows begin at multiples of as many bytes
    for launch, machine in launches:
        loads = {int(size): number for size, number in machine["loads"].items()}
        widest = max(loads, default=0)
        if widest > allowed:
            return (
                said(
                    "on {GPU}, a load moves {widest} bytes per thread, and the rows begin {row} bytes apart",
                    GPU=_GPU,
                    widest=widest,
                    row=row,
                ),
                "alignment-promised",
            )
        if machine["spills"] > _FEW_SPILLS:
            return (
                fault(
                    "way",
                    "right numbers, but on {GPU} each thread spills {spills} values ({chosen})",
                    GPU=_GPU,
                    spills=machine["spills"],
                    chosen=_chosen(launch),
                ),
                "spills",
            )
        narrow = {size: size * number for size, number in loads.items() if size < WIDEST}
        moved = sum(size * number for size, number in loads.items())
        if x.shape[1] % _DIVISIBLE == 0 and sum(narrow.values()) > _NARROW * moved:
            size = max(narrow, key=narrow.get)
            return (
                fault(
                    "way",
                    "right numbers, but on {GPU} a load moves {size} bytes per thread, where 16 fit ({chosen})",
                    GPU=_GPU,
                    size=size,
                    chosen=_chosen(launch),
                ),
                _why_narrow(size, x.element_size(), launch),
            )
    return None


def _why_narrow(size: int, element: int, launch: Launch) -> str:
    """The id of the mistake that makes a launch load `size` bytes per thread. element: bytes of an element."""
    threads = 32 * launch["options"].get("num_warps", 4)
    if launch["widest"] * element >= WIDEST * threads:
        return "divisibility-unknown"
    return "loads-one-element" if size == element else "loads-too-narrow"


def _chosen(launch: Launch) -> str:
    """The blocks and the warps of a launch."""
    chosen = {name: value for name, value in launch["constants"].items() if type(value) is int}
    chosen["num_warps"] = launch["options"].get("num_warps", 4)
    return ", ".join(f"{name}={value}" for name, value in chosen.items())
