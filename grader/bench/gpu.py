"""python -m grader bench --gpu: softmax beside a copy and beside what else people use, on one GPU, in one run."""

from __future__ import annotations

import datetime
import functools
import math
import platform
import statistics
from collections.abc import Callable

from ..environment import version

# Rows of everyday sizes, vocabularies, powers of two and what is none, few long rows.
TABLE = [
    *((4096, n) for n in (256, 512, 781, 1000, 1024, 2048, 3000, 4096, 8192, 12672, 16384, 32768)),
    *((32768, n) for n in (256, 1024, 4096, 8192)),
    (65536, 781), (65536, 1000), (16384, 3000), (16384, 12672), (8192, 32768),
    (8192, 65536), (4096, 131072), (2048, 262144), (2048, 128256), (2048, 151936),
    (64, 131072), (16, 1048576), (1, 4194304),
]  # fmt: skip
SWEEP = [(4096, n) for n in range(256, 12673, 128)]  # float32, the well-known plot
_IN_THE_SWEEP = ("softmax", "torch.softmax", "torch.compile", "five passes", "one row")
ROUNDS = 3
HIDDEN, WHOLE = 0.4, 40  # ms: that launches may take unseen; that all runs of one function should take
_LONGEST = {"one row": 262144}  # columns; a wider block takes minutes to compile


@functools.cache
def _busy() -> tuple[object, int]:
    """(memory larger than any L2 cache, how many times to clear it until HIDDEN is over)."""
    import torch

    memory = torch.empty(1 << 28, dtype=torch.int8, device="cuda")
    return memory, math.ceil(HIDDEN / min(_times(lambda: None, memory.zero_, 5)))


def _times(before, function, runs: int) -> list[float]:
    """What the GPU took for each run of function(), in ms; before() comes first, and is not counted."""
    import torch

    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)]
    for begin, end in events:
        before()
        begin.record()
        function()
        end.record()
    torch.cuda.synchronize()
    return [begin.elapsed_time(end) for begin, end in events]


def microseconds(function) -> float:
    """Median time of function() on the GPU, in µs, after a few runs that do not count.

    Before each run memory is cleared, so that nothing of the last one is left in the L2 cache; for so long that the GPU
    is still at it when everything is launched. So a slow processor, or a slow Python, does not count.
    """
    memory, times = _busy()

    def before():
        for _ in range(times):
            memory.zero_()

    took = statistics.median(_times(before, function, 5))
    runs = min(max(int(WHOLE / (HIDDEN + took)), 10), 100)
    return round(1000 * statistics.median(_times(before, function, runs)), 2)


def side_by_side(functions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Medians of ROUNDS rounds that take turns, in µs: what slows the card for a moment slows all of them."""
    rounds = [{name: microseconds(f) for name, f in functions.items()} for _ in range(ROUNDS)]
    return {name: statistics.median(r[name] for r in rounds) for name in functions}


def header(command: str, what: str) -> dict:
    """What every record of a GPU begins with: device, versions, date, command, and what was measured."""
    import torch

    versions = {"python": platform.python_version(), "torch": torch.__version__, "triton": version("triton")}
    return {
        "device": torch.cuda.get_device_name(),
        "multiprocessors": torch.cuda.get_device_properties(0).multi_processor_count,
        "versions": versions,
        "date": datetime.date.today().isoformat(),
        "command": command,
        "what": f"{what} Medians of the GPU's own time, with an emptied L2 cache.",
    }


def run(shapes: list[tuple[int, int]], dtype: str, peers: dict) -> list[dict]:
    """One row a shape: microseconds of a copy and of each peer, None for one that fails or is wrong."""
    import torch

    from ..fast.pick import route

    rows = []
    for m, n in shapes:
        x = torch.randn(m, n, device="cuda", dtype=getattr(torch, dtype))
        able = {name: p for name, p in peers.items() if n <= _LONGEST.get(name, n) and _right(p, x)}
        functions = {"copy": functools.partial(torch.empty_like(x).copy_, x)}
        times = side_by_side(functions | {name: functools.partial(p, x) for name, p in able.items()})
        times = {name: times.get(name) for name in ("copy", *peers)}
        rows.append({"dtype": dtype, "m": m, "n": n, "route": route(x), "microseconds": times})
    return rows


def _right(peer, x) -> bool:
    """Whether a peer takes this shape, and its numbers are off by no more than rounding explains."""
    import torch

    try:
        error = (peer(x).float() - torch.softmax(x.float(), 1)).abs().amax()
        scale = torch.softmax(x[:1].float(), 1).amax()
        return bool(error <= (1e-4 if x.dtype == torch.float32 else 2e-2) * max(scale.item(), 0.05))
    except Exception:  # whatever somebody else's library raises, the others are still to be measured
        torch.cuda.synchronize()
        return False


def measure(command: str) -> dict:
    """The record of one run: what it begins with, the table, the plot's numbers, and who is missing."""
    from . import baselines

    here, missing = baselines.all_of_them()
    what = (
        "softmax beside a copy of the same tensor and beside its peers; microseconds, null where a peer fails. "
        f"All take turns, {ROUNDS} rounds, of which the middle one counts."
    )
    done = header(command, what)
    done["versions"] |= {name: v for name in ("liger-kernel", "quack-kernels") if (v := version(name))}
    done |= {"left_out": missing, "results": [], "sweep": []}
    for dtype in ("float32", "bfloat16"):
        done["results"] += run(TABLE, dtype, here)
    done["sweep"] = run(SWEEP, "float32", {name: here[name] for name in _IN_THE_SWEEP})
    return done


def share(row: dict, name: str) -> float | None:
    """The time of a copy as a share of the time that this one took; 1 is the limit of the card."""
    took = row["microseconds"].get(name)
    return row["microseconds"]["copy"] / took if took else None


def table(done: dict) -> str:
    """The results as lines: shares of a copy, one column a peer."""
    names = [name for name in done["results"][0]["microseconds"] if name != "copy"]
    lines = [f"{'dtype':<9}{'M×N':>14}  {'route':<7}" + "".join(f"{name:>14}" for name in names)]
    for row in done["results"]:
        shares = (share(row, name) for name in names)
        cells = "".join(f"{'–':>14}" if s is None else f"{s:>14.2f}" for s in shares)
        lines.append(f"{row['dtype']:<9}{row['m']:>7}×{row['n']:<7} {row['route']:<7}" + cells)
    if done["left_out"]:
        lines.append("not installed here: " + ", ".join(done["left_out"]))
    return "\n".join(lines)
