"""python -m grader bench --gpu: softmax, its gradient, a copy and other softmaxes, on one GPU in one run."""

from __future__ import annotations

import datetime
import functools
import math
import platform
import statistics
import time
from collections.abc import Callable

from ..environment import version

# (M, N): common sizes, vocabularies, powers of two and other lengths, few long rows.
TABLE = [
    *((4096, n) for n in (256, 512, 781, 1000, 1024, 2048, 3000, 4096, 8192, 12672, 16384, 32768)),
    *((32768, n) for n in (256, 1024, 4096, 8192)),
    (65536, 781), (65536, 1000), (16384, 3000), (16384, 12672), (8192, 32768),
    (8192, 65536), (4096, 131072), (2048, 262144), (2048, 128256), (2048, 151936),
    (64, 131072), (16, 1048576), (1, 4194304),
    # vocabularies, with many rows and with as few as when one token is sampled
    (128, 32000), (1024, 32000), (8192, 32000), (16384, 28672), (512, 129280), (1, 32000), (8, 128256), (64, 262144),
    # rows that begin anywhere
    (65536, 129), (65536, 257), (32768, 1001), (4096, 50257), (333, 100003),
    # few rows, some hundreds, and few very long ones
    (16, 8192), (256, 65536), (5, 999999), (2, 16777216),
]  # fmt: skip
BACKWARD = [
    (32768, 256), (4096, 1024), (4096, 3000), (4096, 8192), (65536, 781), (65536, 129), (8192, 32000), (8192, 32768),
    (4096, 50257), (512, 129280), (2048, 128256), (1024, 262144), (64, 131072), (256, 524288), (16, 1048576),
]  # fmt: skip
HOST = [("float32", 64, 1024), ("bfloat16", 64, 781), ("bfloat16", 8, 32000), ("float32", 1, 1048576)]
SWEEP = [(4096, n) for n in range(256, 12673, 384)]  # float32: the plot of Triton's tutorial on softmax
_SLOW = ("five passes", "one row")  # in the lessons; nobody's gradient, and no peers on the host
_IN_THE_SWEEP = ("softmax", "torch.softmax", "torch.compile", "five passes", "one row")
ROUNDS = 3
HIDDEN, WHOLE = 0.4, 25  # ms: work that hides the time of launches; all runs of one function
_LONGEST = {"one row": 262144}  # columns; a wider block takes minutes to compile


@functools.cache
def _busy() -> tuple[object, int]:
    """(int8 tensor larger than any L2 cache, the number of times to clear it that takes HIDDEN)."""
    import torch

    memory = torch.empty(1 << 28, dtype=torch.int8, device="cuda")
    return memory, math.ceil(HIDDEN / min(_times(lambda: None, memory.zero_, 5)))


def _times(before, function, runs: int) -> list[float]:
    """The GPU's time for each run of function(), in ms. before() runs before each, and is not counted.

    A run counts only if the host had launched all of function() before the GPU began with it: else the GPU may have
    waited for the host. Where no run counts, before() takes 4 and then 16 times as long; after that, all runs count.
    """
    import torch

    for often in (1, 4, 16):
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)]
        ahead = []
        for begin, end in events:
            for _ in range(often):
                before()
            begin.record()
            function()
            end.record()
            ahead.append(not begin.query())
        torch.cuda.synchronize()
        times = [begin.elapsed_time(end) for begin, end in events]
        if any(ahead):
            return [took for took, counts in zip(times, ahead, strict=True) if counts]
    return times


def microseconds(function, whole: float = WHOLE) -> float:
    """Median time of function() on the GPU, in µs, after a few runs that are not counted. whole: ms for all runs.

    Memory is cleared before each run, so that the L2 cache holds nothing of the last one. The GPU is still clearing
    when function() has launched everything. So the time of the processor and of Python is not counted.
    """
    memory, times = _busy()

    def before():
        for _ in range(times):
            memory.zero_()

    took = statistics.median(_times(before, function, 5))
    runs = min(max(int(whole / (HIDDEN + took)), 10), 100)
    return round(1000 * statistics.median(_times(before, function, runs)), 2)


def side_by_side(functions: dict[str, Callable[[], object]], whole: float = WHOLE) -> dict[str, float]:
    """{name: median over ROUNDS rounds, in µs}. whole: ms for all runs of a function in a round.

    The functions take turns in each round, so that a temporary slowdown of the card affects all of them.
    """
    rounds = [{name: microseconds(f, whole) for name, f in functions.items()} for _ in range(ROUNDS)]
    return {name: statistics.median(r[name] for r in rounds) for name in functions}


def header(command: str, what: str) -> dict:
    """The header of every record of a GPU: device, versions, date, command, and a description (what)."""
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
    """One row for each shape (M, N): µs of a copy and of each peer, None for a peer that fails or is wrong."""
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


def run_backward(shapes: list[tuple[int, int]], dtype: str, peers: dict) -> list[dict]:
    """One row for each shape (M×N): µs of a copy and of each peer's gradient, by PyTorch's autograd, as for `run`."""
    import torch

    rows = []
    for m, n in shapes:
        x = torch.randn(m, n, device="cuda", dtype=getattr(torch, dtype), requires_grad=True)
        dy = torch.randn_like(x)
        y = torch.softmax(x.detach().double() if m * n < 1 << 26 else x.detach().float(), 1)
        want = (y * (dy - (y * dy).sum(1, keepdim=True))).float()
        del y
        functions = {"copy": functools.partial(torch.empty_like(dy).copy_, dy)}
        for name, peer in peers.items():
            if gradient := _gradient(peer, x, dy, want):
                functions[name] = gradient
        del want
        times = side_by_side(functions)
        times = {name: times.get(name) for name in ("copy", *peers)}
        rows.append({"dtype": dtype, "m": m, "n": n, "microseconds": times})
    return rows


def _gradient(peer, x, dy, want) -> Callable[[], object] | None:
    """A function that computes a peer's gradient of x for dy; None where it fails, or is not what is wanted."""
    import torch

    try:
        gradient = functools.partial(torch.autograd.grad, peer(x), x, dy, retain_graph=True)
        (got,) = gradient()
        allowed = (1e-4 if x.dtype == torch.float32 else 3e-2) * want.abs().amax()
        return gradient if bool((got.float() - want).abs().amax() <= allowed) else None
    except Exception:  # as in _right
        torch.cuda.synchronize()
        return None


def host_microseconds(function) -> float:
    """Time of the host for one function(), in µs: of 200 calls in a row, the least of some rounds."""
    import torch

    took = []
    for _ in range(10):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(200):
            function()
        took.append((time.perf_counter() - begin) / 200)
    return round(1e6 * min(took), 2)


def run_host(matrices: list[tuple[str, int, int]], peers: dict) -> list[dict]:
    """One row for each (dtype, M, N): µs of the host that each peer's call takes. The GPU needs less for them."""
    import torch

    from ..fast.pick import route

    rows = []
    for dtype, m, n in matrices:
        x = torch.randn(m, n, device="cuda", dtype=getattr(torch, dtype))
        able = {name: functools.partial(p, x) for name, p in peers.items() if _right(p, x)}
        times = {name: host_microseconds(able[name]) if name in able else None for name in peers}
        rows.append({"dtype": dtype, "m": m, "n": n, "route": route(x), "microseconds": times})
    return rows


def _right(peer, x) -> bool:
    """Whether a peer accepts x (M×N), and its errors are no larger than those of rounding."""
    import torch

    try:
        error = (peer(x).float() - torch.softmax(x.float(), 1)).abs().amax()
        scale = torch.softmax(x[:1].float(), 1).amax()
        return bool(error <= (1e-4 if x.dtype == torch.float32 else 2e-2) * max(scale.item(), 0.05))
    except Exception:  # any error of another library: the others must still be measured
        torch.cuda.synchronize()
        return False


def measure(command: str, keep: Callable[[dict], object]) -> dict:
    """The record of one run: header, table, numbers of the plot, and the peers that are not installed.

    It takes minutes; keep(record so far) is called after each matrix.
    """
    from . import baselines

    here, missing = baselines.all_of_them()
    what = (
        "softmax beside a copy of the same tensor and beside its peers; microseconds, null where a peer fails. "
        f"All take turns, {ROUNDS} rounds, of which the middle one counts."
    )
    done = header(command, what)
    done["versions"] |= {name: v for name in ("liger-kernel", "quack-kernels") if (v := version(name))}
    done |= {"left_out": missing, "results": [], "backward": [], "sweep": []}
    fast = {name: here[name] for name in here if name not in _SLOW}
    done["host"] = run_host(HOST, fast)
    for dtype in ("float32", "bfloat16"):
        for shape in TABLE:
            done["results"] += run([shape], dtype, here)
            keep(done)
        for shape in BACKWARD:
            done["backward"] += run_backward([shape], dtype, fast)
            keep(done)
    done["sweep"] = run(SWEEP, "float32", {name: here[name] for name in _IN_THE_SWEEP})
    return done


def share(row: dict, name: str, copies: float = 1) -> float | None:
    """The time of so many copies divided by the time of a peer: 1 is the limit of the card. None if it has no time.

    copies: 1 for softmax, 1.5 for its gradient, which reads two matrices and writes one.
    """
    took = row["microseconds"].get(name)
    return copies * row["microseconds"]["copy"] / took if took else None


def table(done: dict) -> str:
    """The results as text, a column a peer: shares of a copy, of one and a half for the gradient, µs of the host."""
    lines = _lines("softmax", done["results"], share)
    lines += _lines("backward", done["backward"], functools.partial(share, copies=1.5))
    lines += _lines("host, µs", done["host"], lambda row, name: row["microseconds"][name])
    if done["left_out"]:
        lines.append("left out: " + ", ".join(done["left_out"]))
    return "\n".join(lines)


def _lines(title: str, rows: list[dict], cell: Callable[[dict, str], float | None]) -> list[str]:
    names = [name for name in rows[0]["microseconds"] if name != "copy"]
    lines = [f"{title:<9}{'M×N':>16}  {'route':<9}" + "".join(f"{name:>14}" for name in names)]
    for row in rows:
        cells = "".join(f"{'–':>14}" if (c := cell(row, name)) is None else f"{c:>14.2f}" for name in names)
        lines.append(f"{row['dtype']:<9}{row['m']:>8}×{row['n']:<8} {row.get('route', ''):<9}" + cells)
    return [*lines, ""]
