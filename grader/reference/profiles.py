"""Recorded profiles of an H200, and what follows from them: the limit of a launch, the line, the headroom (lesson 17).

profiles.json holds numbers of records/profiles_on_h200.json, which the lesson shows: for each launch the kernel, rows,
columns, and its report {metric of Nsight Compute: number}, with times in nanoseconds; for three kernels the source
page, a list of rows {"line", "text", column: number}.
"""

from __future__ import annotations

import functools
import json
import pathlib
import random
from dataclasses import dataclass

SECTOR = 32  # bytes

COPY, TWICE, SPILLS = "copy limit", "reads twice", "spills"
UNCOALESCED, CONFLICTS, FEW = "uncoalesced", "bank conflicts", "too few warps"
LIMITS = (COPY, TWICE, SPILLS, UNCOALESCED, CONFLICTS, FEW)
# kernel -> its limit
OF = {
    "copy": COPY, "odd_rows": COPY, "shipped": COPY, "spilled": SPILLS, "few_warps": FEW, "columns": UNCOALESCED,
    "conflicts": CONFLICTS, "two_walks": TWICE,
}  # fmt: skip
PAGES = {UNCOALESCED: "columns", CONFLICTS: "conflicts", SPILLS: "spilled"}
LEFT_OUT = ("two_walks", 256, 262144)  # two limits: it reads twice, and its 256 programs do not keep memory busy

TIME, DRAM = "gpu__time_duration.sum", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
WARPS, GRID, BLOCK = "sm__warps_active.avg.pct_of_peak_sustained_active", "launch__grid_size", "launch__block_size"
SPILLED, REGISTERS = "sass__inst_executed_register_spilling", "launch__registers_per_thread"
SECTORS, WAVEFRONTS = "memory_l2_theoretical_sectors_global", "memory_l1_wavefronts_shared"
_ALL_REGISTERS = 255  # of a thread: a launch that has so many may spill, and no other number says anything

SAMPLES, EXECUTED = "# Samples", "Instructions Executed"
GLOBAL, GLOBAL_IDEAL = "L2 Theoretical Sectors Global", "L2 Theoretical Sectors Global Ideal"
LOCAL = "L2 Theoretical Sectors Local"
SHARED, SHARED_IDEAL = "L1 Wavefronts Shared", "L1 Wavefronts Shared Ideal"
# limit -> (the column that counts, the column of the ideal or None)
COLUMNS = {UNCOALESCED: (GLOBAL, GLOBAL_IDEAL), CONFLICTS: (SHARED, SHARED_IDEAL), SPILLS: (LOCAL, None)}


@dataclass(frozen=True)
class Profile:
    """A recorded launch on float32 numbers. shown: whether it is the one of its kernel that the lesson shows."""

    kernel: str
    m: int
    n: int
    report: dict[str, float]
    shown: bool


@functools.cache
def _read() -> dict:
    return json.loads(pathlib.Path(__file__).with_name("profiles.json").read_text(encoding="utf-8"))


@functools.cache
def profiles() -> tuple[Profile, ...]:
    """All recorded launches, but for the one with two limits; those that the lesson shows first."""
    seen: set[str] = set()
    found = []
    for kernel, m, n, report in _read()["launches"]:
        if (kernel, m, n) != LEFT_OUT:
            found.append(Profile(kernel, m, n, report, kernel not in seen))
        seen.add(kernel)
    return tuple(sorted(found, key=lambda each: not each.shown))


def request_sectors(address: int, lanes: int, stride: int, itemsize: int) -> int:
    """Sectors that one request touches; address and itemsize in bytes, stride in elements."""
    return len({(address + lane * stride * itemsize) // SECTOR for lane in range(lanes)})


def many_times(profile: Profile, rng: random.Random) -> tuple[float, dict[str, float]]:
    """(k, the report of a like kernel on a matrix that is k times as large): counters grow, rates stay, with noise.

    Another number of threads shares the work, and each has other registers: neither tells one kernel from another.
    Excess counts of `columns` shrink and those of `odd_rows` grow, so that no count tells one from the other.
    """
    least, most = {"columns": (1 / 16, 1 / 4), "conflicts": (1 / 4, 2), "odd_rows": (1, 12)}.get(profile.kernel, (1, 4))
    k = least * (most / least) ** rng.random()
    if profile.kernel == "odd_rows":
        k = max(k, 8.0) if profile.shown else k
    report = {name: _grown(name, number, k, rng) for name, number in profile.report.items()}
    report[BLOCK] = rng.choice((32, 64, 128) if profile.kernel == "few_warps" else (64, 128, 256, 512, 1024))
    threads = profile.report[GRID] * profile.report[BLOCK]
    report[GRID] = (
        rng.randint(100, 140) if profile.kernel == "few_warps" else max(1, round(k * threads / report[BLOCK]))
    )
    if profile.report[REGISTERS] != _ALL_REGISTERS:
        report[REGISTERS] = rng.randint(16, 64)
    for name in (SECTORS, WAVEFRONTS):
        if (excess := f"derived__{name}_excessive") in report:
            report[excess] = report[name] - report[f"{name}_ideal"]
    return k, report


def _grown(name: str, number: float, k: float, rng: random.Random) -> float:
    if name in (GRID, BLOCK, REGISTERS):
        return number
    if "pct" in name:
        return round(min(100.0, number * rng.uniform(0.985, 1.015)), 2)
    exact = name.startswith(("dram__", TIME, "sass__"))
    return round(number * k * (rng.uniform(0.99, 1.01) if exact else 1))


def page(limit: str) -> list[dict]:
    """The recorded source page of the kernel with this limit: the rows, each a dictionary of its own."""
    return [dict(row) for row in _read()["pages"][PAGES[limit]]]


def excess(row: dict, limit: str) -> int:
    """What a row of a source page has beyond the ideal."""
    counted, ideal = COLUMNS[limit]
    return row[counted] - (row[ideal] if ideal else 0)


def culprits(rows: list[dict], limit: str) -> list[int]:
    """The lines with the largest excess: more than one where they have the same."""
    most = max(excess(row, limit) for row in rows)
    return [row["line"] for row in rows if excess(row, limit) == most]


def drawn_page(limit: str, rng: random.Random, plain: bool) -> list[dict]:
    """A page like the recorded one, of a kernel with other line numbers and other counts.

    With plain, one factor for all counts. Otherwise the line with most samples, the one with the largest total, and the
    one with the largest ratio to its ideal are three others than the line with the largest excess.
    """
    rows, (counted, ideal) = page(limit), COLUMNS[limit]
    first, k = rng.randint(3, 300), rng.uniform(0.2, 3)
    columns = [SAMPLES, EXECUTED, GLOBAL, GLOBAL_IDEAL, LOCAL, SHARED, SHARED_IDEAL]
    for row in rows:
        row["line"] += first
        row.update({name: round(k * row[name]) for name in columns})
    if plain:
        return rows
    guilty, wide, steep, waits = rng.sample(rows, 4)
    most = max(row[counted] for row in rows)
    for row in rows:  # what the recorded kernel has in excess moves to other lines
        row[counted] = row[ideal] if ideal else 0
        row[SAMPLES] = min(row[SAMPLES], round(2000 * k))
    waits[SAMPLES] = round(rng.uniform(20_000, 90_000) * k)
    guilty[counted] += most
    if ideal:
        guilty[ideal] = round(guilty[counted] * rng.uniform(0.2, 0.4))
        wide[counted] = wide[ideal] = round(1.5 * guilty[counted])
        steep[ideal] = round(most / 100)
        steep[counted] = 20 * steep[ideal]
    else:
        guilty[counted], wide[counted], steep[counted] = most, round(0.6 * most), round(0.1 * most)
        wide[GLOBAL] = wide[GLOBAL_IDEAL] = 3 * most
    return rows


def headroom(report: dict, least_bytes: int, copy_rate: float) -> float:
    """The time of a launch over that of a copy of least_bytes, at least 1; copy_rate in bytes per second."""
    return max(1.0, report[TIME] * 1e-9 * copy_rate / least_bytes)
