"""Lesson 15: sweeps of warps, rows, blocks and stages of the lesson's kernels, and a profile by Nsight Compute."""

from __future__ import annotations

import csv
import functools
import io
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys

from .. import gpu
from . import solution

WARPS = (1, 2, 4, 8, 16, 32)
DTYPES = ("float32", "bfloat16")
ELEMENTS = 1 << 25  # of a matrix
BRIEF = 12  # ms: all runs of one configuration
COLUMNS = (64, 128, 256, 781, 1000, 1024, 2048, 3000, 4096, 8192, 16384, 32768)
WHAT = (
    "median microseconds of one kernel in many configurations; n_regs, n_spills: of a thread; shared: bytes of a "
    "program; resident: programs that fit on a multiprocessor, by 10.3. rows: of a tile; stages: of tl.range; 'copy' "
    "has none of them."
)
PROFILED = {"m": 8192, "n": 4096, "dtype": "float32", "warps": (1, 4, 8, 16, 32)}
METRICS = {
    "gpu__time_duration.sum": "nanoseconds",
    "dram__bytes_read.sum": "bytes read",
    "dram__bytes_write.sum": "bytes written",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "DRAM throughput, % of peak",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "resident warps, % of the most",
    "sm__maximum_warps_per_active_cycle_pct": "resident warps as compiled, % of the most",
    "launch__registers_per_thread": "registers per thread",
    "launch__waves_per_multiprocessor": "waves",
    "smsp__issue_active.avg.pct_of_peak_sustained_active": "cycles with an instruction, %",
} | {
    f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio": f"stall {reason}"
    for reason in (
        "long_scoreboard", "short_scoreboard", "barrier", "wait", "lg_throttle", "mio_throttle", "math_pipe_throttle",
        "not_selected", "no_instruction", "drain", "membar", "sleeping", "dispatch_stall", "branch_resolve",
    )
}  # fmt: skip


def configurations() -> list[dict]:
    """Every configuration that is measured: kernel, n, dtype, num_warps, and rows, or block and stages."""
    found = []
    for n in COLUMNS:
        block = 1 << (n - 1).bit_length()
        for rows in (1, 2, 4, 8):
            for warps in WARPS:
                a_thread = rows * block / (32 * warps)
                if rows == 1 and 1 <= a_thread <= 256 or rows > 1 and 4 <= a_thread <= 64:
                    found.append({"kernel": "tile", "n": n, "rows": rows, "num_warps": warps})
    for n in (1024, 4096, 8192, 16384):
        for warps in (4, 8, 16):
            if 4 <= n / (32 * warps) <= 64:
                found += [{"kernel": "rows", "n": n, "num_warps": warps, "stages": s} for s in (1, 2, 3, 4)]
    for n in (32768, 131072):
        for block in (1024, 2048, 4096, 8192):
            for warps in (4, 8, 16):
                some = {"kernel": "online", "n": n, "block": block, "num_warps": warps}
                found += [some | {"stages": s} for s in (1, 2, 3, 4)]
    return [{"dtype": dtype} | each for dtype in DTYPES for each in found]


def _kernels() -> dict:
    """The kernels of 10.1 and 8.3 as in lesson 14, and that of 10.2; loops of the last two have STAGES stages."""
    ways = {
        "tile": ("14.2", "tile_softmax_kernel", str),
        "rows": ("10.2", "persistent_softmax_kernel", _staged),
        "online": ("14.2", "online_softmax_kernel", _staged),
    }
    return {name: solution.answer(*each) for name, each in ways.items()}


def _staged(source: str) -> str:
    """A kernel whose loops are pipelined, and that computes in float32."""
    loops = re.sub(r" in range\((.*)\):", r" in tl.range(\1, num_stages=STAGES):", source)
    casts = re.sub(r'other=-float\("inf"\)\)$', 'other=-float("inf")).to(tl.float32)', loops, flags=re.M)
    return casts.replace("BLOCK: tl.constexpr)", "BLOCK: tl.constexpr, STAGES: tl.constexpr)")


def launch(kernels: dict, one: dict, y, x, programs: int = 0) -> tuple:
    """(kernel, grid, positional arguments, keyword arguments) of a configuration. programs: of persistent ones."""
    import triton

    m, n = x.shape
    sizes, block = (y, x, y.stride(0), x.stride(0)), triton.next_power_of_2(n)
    kernel, warps = kernels[one["kernel"]], {"num_warps": one["num_warps"]}
    if one["kernel"] == "tile":
        rows = one["rows"]
        return kernel, (triton.cdiv(m, rows),), (*sizes, m, n), {"ROWS": rows, "BLOCK": block} | warps
    if one["kernel"] == "rows":
        return kernel, (programs or 1,), (*sizes, m, n), {"BLOCK": block, "STAGES": one["stages"]} | warps
    return kernel, (m,), (*sizes, n), {"BLOCK": one["block"], "STAGES": one["stages"]} | warps


def _matrix(one: dict):
    import torch

    x = torch.randn(max(ELEMENTS // one["n"], 1), one["n"], device="cuda").to(getattr(torch, one["dtype"]))
    return torch.empty_like(x), x


def _compile(some: list[dict]) -> None:
    """Compile configurations into Triton's cache, without a launch: the body of a process."""
    import torch

    kernels = _kernels()
    for one in some:
        dtype, shape = getattr(torch, one["dtype"]), _Shape((max(ELEMENTS // one["n"], 1), one["n"]))
        kernel, grid, args, options = launch(kernels, one, shape, shape)
        try:
            kernel.warmup(*(dtype if arg is shape else arg for arg in args), grid=grid, **options)
        except Exception:  # what does not compile is recorded when it is measured
            pass


class _Shape:
    """The shape and the row stride of a contiguous matrix."""

    def __init__(self, shape: tuple[int, int]):
        self.shape = shape

    def stride(self, dim: int) -> int:
        return self.shape[1]


def measure() -> list[dict]:
    """One row for each configuration; for each n and dtype also one of a copy and of PyTorch's softmax."""
    import torch

    every = configurations()
    processes = max((os.cpu_count() or 2) - 2, 1)
    # The largest blocks first: they take the longest.
    order = sorted(every, key=lambda one: -_elements(one) / one["num_warps"])
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes) as pool:
        pool.map(_compile, [order[i::processes] for i in range(processes)])
    kernels, results, at = _kernels(), [], None
    for one in sorted(every, key=lambda one: (one["dtype"], one["n"])):
        if (one["dtype"], one["n"]) != at:
            at, (y, x) = (one["dtype"], one["n"]), _matrix(one)
            want = torch.softmax(x, dim=1)
            ways = {
                "copy": functools.partial(y.copy_, x),
                "torch.softmax": functools.partial(torch.softmax, x, 1, out=y),
            }
            for name, way in ways.items():
                time = gpu.microseconds(way, BRIEF)
                results.append({"dtype": at[0], "kernel": name, "m": len(x), "n": at[1], "microseconds": time})
        results.append(_measured(kernels, one, y, x, want))
    return results


def _elements(one: dict) -> int:
    return one.get("block") or one.get("rows", 1) * one["n"]


def _measured(kernels: dict, one: dict, y, x, want) -> dict:
    """A configuration with its time, registers, spills, shared memory and programs; with "error" if it does not run."""
    import torch

    row = one | {"m": len(x)}
    try:
        y.fill_(torch.nan)
        kernel, grid, args, options = launch(kernels, one, y, x)
        made = kernel[grid](*args, **options)
        row |= {"n_regs": made.n_regs, "n_spills": made.n_spills, "shared": made.metadata.shared}
        row["resident"] = _resident(made, one["num_warps"])
        if one["kernel"] == "rows":
            multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
            programs = min(row["resident"] * multiprocessors, len(x))
            _, grid, args, options = launch(kernels, one, y, x, programs)
            kernel[grid](*args, **options)
        torch.testing.assert_close(y, want)
        run = functools.partial(kernel[grid], *args, **options)
        return row | {"programs": grid[0], "microseconds": gpu.microseconds(run, BRIEF)}
    except Exception as error:  # too much shared memory, for one: the others must still be measured
        torch.cuda.synchronize()
        return row | {"error": f"{type(error).__name__}: {error}"[:200]}


def _resident(made, warps: int) -> int:
    """Programs of a compiled kernel that a multiprocessor holds at once."""
    resident, properties = _lesson_10()
    return resident(properties, made.n_regs, made.metadata.shared, warps) // properties["multiprocessor_count"]


@functools.cache
def _lesson_10() -> tuple:
    """(the function of 10.3, the properties of the device)."""
    properties = solution.given("10_rows_and_residency.ipynb", "device_properties")()
    return solution.answer("10.3", "resident_programs"), properties


def also() -> dict:
    """The profile of one kernel with several numbers of warps, and the properties of the device."""
    _, properties = _lesson_10()
    return {"properties": properties, "profile": profile()}


def profile() -> dict:
    """Nsight Compute's figures of `profiled`, one dictionary a launch; {"refused": why} where it cannot run."""
    ncu = shutil.which("ncu") or next(iter(sorted(map(str, pathlib.Path("/usr/local").glob("cuda*/bin/ncu")))), None)
    if ncu is None:
        return {"refused": "ncu, Nsight Compute's command, is not installed"}
    asked = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--kernel-name", "regex:tile_softmax"]
    asked += ["--clock-control", "none"]
    body = [sys.executable, "-c", "from grader.bench.per_lesson import tuning; tuning.profiled()"]
    for what in (["--metrics", ",".join(METRICS)], ["--set", "full"]):  # another version lacks one of these metrics
        done = subprocess.run([*asked, *what, *body], capture_output=True, text=True, timeout=120)
        lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
        if not done.returncode and lines:
            break
    else:
        told = " ".join((done.stdout + done.stderr).split())
        return {"refused": told[-500:] or f"ncu ended with status {done.returncode}", "command": asked[1:]}
    version = subprocess.run([ncu, "--version"], capture_output=True, text=True).stdout.splitlines()[-1]
    _, *launches = csv.DictReader(io.StringIO("\n".join(lines)))  # the first line of values holds the units
    figures = [{name: _number(row[metric]) for metric, name in METRICS.items() if row.get(metric)} for row in launches]
    return PROFILED | {
        "version": version,
        "command": " ".join(["ncu", *asked[1:], *what[:1]]),
        "launches": [{"num_warps": w} | f for w, f in zip(PROFILED["warps"], figures, strict=True)],
    }


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def profiled() -> None:
    """One launch for each number of warps: the work of the process that ncu watches."""
    import torch

    kernels = _kernels()
    y, x = _matrix(PROFILED)
    for warps in PROFILED["warps"]:
        one = {"kernel": "tile", "rows": 1, "num_warps": warps}
        kernel, grid, args, options = launch(kernels, one, y, x)
        kernel[grid](*args, **options)
    torch.cuda.synchronize()
