"""What the course knows of GPUs, one record each: all that speaks of one by name takes its numbers from here.

To add a GPU, add its record. machine_code compiles for it if it has a `target`, hierarchy draws its memories if all
of them are known, and lesson 02 takes its data sheet if there is a bandwidth. Nothing else needs to change.
"""

from __future__ import annotations

from dataclasses import dataclass

from .sentence import said


@dataclass(frozen=True, kw_only=True)
class Multiprocessor:
    """What one multiprocessor holds; the programs of a launch live there.

    registers: of 32 bits. register_unit: how many a warp gets at once. register_parts: into how many parts they are
    divided; those of a warp lie in one. shared: bytes of shared memory, of which each program costs `reserved`
    besides its own. threads, programs: places for them. Of NVIDIA's, these are the numbers of the CUDA C++
    Programming Guide, Compute Capabilities, and of the occupancy calculator of Nsight Compute.
    """

    registers: int = 65536
    register_unit: int = 256
    register_parts: int = 4
    shared: int
    reserved: int = 1024
    threads: int = 2048
    programs: int = 32


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """One GPU. A number that nobody publishes, or that the course does not need, is None.

    target: as Triton's compiler calls it, (backend, architecture). warp: threads of one. multiprocessors: how many
    there are, and multiprocessor: what each holds. bandwidth: the peak of its memory in bytes/s. flops: the peak of
    its float32 arithmetic without tensor cores in flop/s. memory: bytes, and kind: what it is made of. l2: bytes of
    the L2 cache, and l2_a_clock: those that it hands out in a clock. lanes: multiplications with addition that a
    multiprocessor begins in a clock. banks: of its shared memory, each of which hands out 4 bytes in a clock.
    sources: where the numbers are from; the first has bandwidth and flops, if any has.
    """

    name: str
    target: tuple[str, int | str] | None = None
    warp: int = 32
    multiprocessors: int | None = None
    multiprocessor: Multiprocessor | None = None
    bandwidth: float | None = None
    flops: float | None = None
    memory: float | None = None
    kind: str | None = None
    l2: int | None = None
    l2_a_clock: int | None = None
    lanes: int | None = None
    banks: int | None = None
    widest_load: int = 16  # bytes that one instruction loads for a thread from global memory; PTX ISA, ld
    sources: tuple[str, ...]


_LLVM = said("LLVM, AMDGPUBaseInfo.cpp: registers and waves of a unit")
_CUDA = "CUDA C++ Programming Guide, Shared Memory"
_SHARED_228 = Multiprocessor(shared=233472)
_TABLE = (
    Gpu(
        name="T4",
        target=("cuda", 75),
        multiprocessors=40,
        multiprocessor=Multiprocessor(shared=65536, reserved=0, threads=1024, programs=16),
        bandwidth=320e9,
        flops=8.1e12,
        memory=16e9,
        kind="GDDR6",
        l2=4 << 20,
        lanes=64,
        sources=(said("NVIDIA T4 data sheet"), said("NVIDIA Turing GPU Architecture, appendix on the T4")),
    ),
    Gpu(
        name="A100",
        target=("cuda", 80),
        multiprocessors=108,
        multiprocessor=Multiprocessor(shared=167936),
        bandwidth=2039e9,
        flops=19.5e12,
        memory=80e9,
        kind="HBM2e",
        l2=40 << 20,
        l2_a_clock=5120,
        lanes=64,
        banks=32,
        sources=(said("NVIDIA A100 data sheet, 80GB SXM"), "NVIDIA A100 Tensor Core GPU Architecture", _CUDA),
    ),
    Gpu(
        name="H20",
        bandwidth=4000e9,
        flops=44e12,
        sources=(said("NVIDIA HGX H20 specification, as quoted by resellers"),),
    ),
    Gpu(
        name="H100",
        target=("cuda", 90),
        multiprocessors=132,
        multiprocessor=_SHARED_228,
        bandwidth=3350e9,
        flops=67e12,
        memory=80e9,
        kind="HBM3",
        l2=50 << 20,
        lanes=128,
        banks=32,
        sources=(said("NVIDIA H100 data sheet, SXM"), "NVIDIA H100 Tensor Core GPU Architecture", _CUDA),
    ),
    Gpu(
        name="H200",
        multiprocessors=132,
        multiprocessor=_SHARED_228,
        bandwidth=4800e9,
        flops=67e12,
        memory=141e9,
        kind="HBM3e",
        l2=50 << 20,
        lanes=128,
        banks=32,
        sources=(
            said("NVIDIA H200 data sheet, SXM"),
            said("its chip is that of the H100: NVIDIA H100 Tensor Core GPU Architecture"),
            _CUDA,
        ),
    ),
    Gpu(
        name="B200",
        target=("cuda", 100),
        multiprocessors=148,
        multiprocessor=_SHARED_228,
        widest_load=32,
        sources=("Chips and Cheese, Nvidia's B200: 148 multiprocessors", "PTX ISA, ld: .v8.b32 from sm_100 on"),
    ),
    Gpu(
        name="RTX 4090",
        multiprocessors=128,
        multiprocessor=Multiprocessor(shared=102400, threads=1536, programs=24),
        sources=("NVIDIA Ada GPU Architecture",),
    ),
    Gpu(
        name="MI300X",
        target=("hip", "gfx942"),
        warp=64,
        multiprocessors=304,
        multiprocessor=Multiprocessor(registers=131072, register_unit=512, shared=65536, reserved=0),
        sources=(said("AMD Instinct MI300X data sheet"), _LLVM),
    ),
    # A multiprocessor of it is a pair of compute units, which share their memory.
    Gpu(
        name="RX 7900",
        target=("hip", "gfx1100"),
        multiprocessors=48,
        multiprocessor=Multiprocessor(
            registers=196608, register_unit=768, shared=131072, reserved=0, programs=64
        ),
        sources=(said("AMD Radeon RX 7900 XTX, product page"), _LLVM),
    ),
)  # fmt: skip
GPUS = {gpu.name: gpu for gpu in _TABLE}
JUDGED = GPUS["H100"]  # answers are judged by the machine code that their launches would have there
# Programs that a multiprocessor of NVIDIA has places for, by its compute capability; 32 in all others.
PLACES = {(7, 5): 16, (8, 6): 16, (8, 7): 16, (8, 9): 24, (12, 0): 24, (12, 1): 24}
# Compute capabilities of NVIDIA's, ten times: of the GPUs above, and of those whose places are counted.
CAPABILITIES = sorted(
    {int(gpu.target[1]) for gpu in _TABLE if gpu.target and gpu.target[0] == "cuda"}
    | {10 * major + minor for major, minor in PLACES}
)


def data_sheets() -> list[Gpu]:
    """The GPUs whose peaks are known: bandwidth in bytes/s, flops in flop/s."""
    return [gpu for gpu in GPUS.values() if gpu.bandwidth and gpu.flops]
