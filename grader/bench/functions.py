"""python -m grader bench --gpu --functions: log_softmax, other dimensions and cross-entropy, on one GPU in one run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

from ..environment import version
from . import baselines, gpu

DTYPES = ("float32", "bfloat16")
# (M, N) for log_softmax: short rows of which there are many, vocabularies, long rows.
ROWS = [(65536, 8), (65536, 64), (500000, 100), (120000, 333), (8192, 32000), (4096, 50257), (2048, 131072)]
# (shape, dim): columns that a block holds, a cluster, and none.
DIMS = [
    ((16, 21, 512, 512), 1), ((32, 128, 4096), 1), ((96, 512, 512), 1), ((64, 1000, 256), 1), ((4096, 50304), 0),
    ((8, 8192, 512), 1), ((50257, 512), 0),
]  # fmt: skip
# (M, N) for cross-entropy: vocabularies, odd ones, short rows, few rows.
LOGITS = [
    (8192, 32000), (4096, 50304), (4096, 50257), (2048, 128256), (65536, 1024), (32768, 4096), (262144, 100),
    (64, 128256),
]  # fmt: skip
# (rows, hidden, classes) for linear_cross_entropy, of bfloat16: vocabularies, an odd one, and one chunk of logits.
LINEAR = [(4096, 4096, 128256), (16384, 2048, 32000), (4096, 2048, 50257), (2048, 4096, 32000)]
HOST = (64, 1000)
WAYS = ("forward", "gradient")
PARTS = ("log_softmax", "dims", "cross_entropy", "linear_cross_entropy", "host")
WHOLE = 6  # ms: all runs of one function in a round


def measure(command: str, keep: Callable[[dict], object], parts: Sequence[str] = ()) -> dict:
    """The record of one run, of some PARTS or of all. It takes minutes; keep(the record so far) follows each case."""
    what = (
        "log_softmax beside softmax, softmax along a dimension that is not the last, and cross_entropy (mean), each "
        "beside a copy of the same tensor and beside its peers: forward, its gradient, or both. linear_cross_entropy: "
        "the loss and all gradients, the most bytes that are there beside the inputs, and the error of the gradient of "
        "weight, as a share of it (Frobenius norms; beside float32). "
        f"Microseconds, null where a peer fails. All take turns, {gpu.ROUNDS} rounds, of which the middle one counts."
    )
    done = gpu.header(command, what)
    done["versions"] |= {name: v for name in ("liger-kernel", "quack-kernels") if (v := version(name))}
    losses, done["left_out"] = baselines.losses()
    if not parts or "linear_cross_entropy" in parts:
        linear, missing = baselines.linear_losses()
        done["left_out"] += [name for name in missing if name not in done["left_out"]]
    if not parts or "host" in parts:
        done["host"] = run_host(losses)
    for name, run in (
        ("log_softmax", functools.partial(_of_each_dtype, ROWS, run_rows)),
        ("dims", functools.partial(_of_each_dtype, DIMS, run_dims)),
        ("cross_entropy", functools.partial(_of_each_dtype, LOGITS, functools.partial(run_losses, peers=losses))),
        ("linear_cross_entropy", lambda: ([run_linear(shape, linear)] for shape in LINEAR)),
    ):
        if parts and name not in parts:
            continue
        done[name] = []
        for rows in run():
            done[name] += rows
            keep(done)
    keep(done)
    return done


def _of_each_dtype(cases: list, run: Callable[[tuple, str], list[dict]]) -> Iterator[list[dict]]:
    return (run(case, dtype) for dtype in DTYPES for case in cases)


def _random(shape: tuple[int, ...], dtype: str):
    import torch

    return torch.randn(shape, device="cuda", dtype=getattr(torch, dtype))


def run_rows(case: tuple[int, int], dtype: str) -> list[dict]:
    """softmax and log_softmax of an M×N matrix: forward, and the gradient alone."""
    return _both_functions(_random(case, dtype), 1, log=True)


def run_dims(case: tuple[tuple[int, ...], int], dtype: str) -> list[dict]:
    """softmax and log_softmax of a tensor along a dimension: forward, and the gradient alone."""
    shape, dim = case
    return _both_functions(_random(shape, dtype), dim, log=False)


def _both_functions(x, dim: int, log: bool) -> list[dict]:
    """All peers of log_softmax, or softmax, and the other shipped function beside them."""
    peers, other = baselines.along(dim, log), baselines.along(dim, not log)
    judged = dict.fromkeys(other, other["torch"]) | dict.fromkeys(peers, peers["torch"])
    peers = peers | {name: other[name] for name in ("softmax", "log_softmax") if name in other}
    return [_row(x, dim, {name: (peer, judged[name]) for name, peer in peers.items()}, way) for way in WAYS]


def run_losses(case: tuple[int, int], dtype: str, peers: dict[str, baselines.Loss]) -> list[dict]:
    """cross_entropy of an M×N matrix: forward, and forward with the gradient."""
    import torch

    x, target = _random(case, dtype), torch.randint(case[1], case[:1], device="cuda")
    bound = {name: functools.partial(_loss, peer, target) for name, peer in peers.items()}
    return [_row(x, 1, {n: (peer, bound["torch"]) for n, peer in bound.items()}, way) for way in ("forward", "both")]


def _loss(peer: baselines.Loss, target, x):
    return peer(x, target)


def _row(x, dim: int, peers: dict[str, tuple[Callable, Callable]], way: str) -> dict:
    """µs of a copy of x and of each peer: "forward", its "gradient", or "both"; None for one that fails or is wrong.

    peers: {name: (function of x, the one whose numbers are right)}.
    """
    import torch

    functions: dict[str, Callable] = {"copy": functools.partial(torch.empty_like(x).copy_, x)}
    for name, (peer, reference) in peers.items():
        if timed := _timed(peer, reference, x, way):
            functions[name] = timed
    times = gpu.side_by_side(functions, WHOLE)
    times = {name: times.get(name) for name in ("copy", *peers)}
    dtype = str(x.dtype).removeprefix("torch.")
    return {"dtype": dtype, "shape": list(x.shape), "dim": dim, "way": way, "microseconds": times}


def _timed(peer: Callable, reference: Callable, x, way: str) -> Callable[[], object] | None:
    """What of a peer is timed; None where it fails, or its numbers are not those of the reference in float32."""
    import torch

    leaf = x.clone().requires_grad_(way != "forward")  # a clone, since Liger's gradient takes the place of its logits
    wide = x.to(torch.float32, copy=True).requires_grad_(way != "forward")  # a copy: of float32, float() is x itself
    try:
        y, want = peer(leaf), reference(wide)
        dy = torch.ones_like(y) if y.dim() == 0 else torch.randn_like(x)
        timed = functools.partial(peer, leaf)
        got = y
        if way != "forward":
            timed = functools.partial(torch.autograd.grad, y, leaf, dy, retain_graph=True)
            (got,) = timed() if way == "gradient" else torch.autograd.grad(y, leaf, dy)
            (want,) = torch.autograd.grad(want, wide, dy.float())
        if way == "both":
            timed = functools.partial(_both, peer, leaf)
            timed()
        allowed = (1e-4 if x.dtype == torch.float32 else 3e-2) * want.abs().amax()
        return timed if bool((got.float() - want).abs().amax() <= allowed) else None
    except Exception:  # any error of another library: the others must still be measured
        torch.cuda.synchronize()
        return None


def _both(peer: Callable, leaf):
    import torch

    return torch.autograd.grad(peer(leaf), leaf)


def run_linear(shape: tuple[int, int, int], peers: dict[str, Callable]) -> dict:
    """The loss of a linear layer and the gradients of its inputs: µs, bytes and errors, as `measure` says."""
    import torch

    m, hidden, classes = shape
    leaves = [(_random(s, "bfloat16") / 8).requires_grad_() for s in ((m, hidden), (classes, hidden))]
    target = torch.randint(classes, (m,), device="cuda")
    want = _gradients(peers["torch"], [t.detach().float().requires_grad_() for t in leaves], target)
    functions, taken, errors = {}, {}, {}
    for name, peer in peers.items():
        timed = functools.partial(_gradients, peer, leaves, target)
        try:
            errors[name] = _error(timed(), want)
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            timed()
            torch.cuda.synchronize()
            taken[name] = torch.cuda.max_memory_allocated() - before
            if errors[name] <= 3e-2:
                functions[name] = timed
        except Exception:  # as in _timed
            torch.cuda.synchronize()
    del want
    times = gpu.side_by_side(functions, WHOLE)
    times = {name: times.get(name) for name in peers}
    return {"dtype": "bfloat16", "shape": list(shape), "microseconds": times, "bytes": taken, "errors": errors}


def _error(got, want) -> float:
    """That of the gradient of weight; infinite where that of hidden is wrong."""
    of_hidden, of_weight = ((g.float() - w).norm() / w.norm() for g, w in zip(got, want, strict=True))
    return float(f"{of_weight.item():.3g}") if of_hidden.item() <= 3e-2 else float("inf")


def _gradients(peer: Callable, leaves, target):
    import torch

    return torch.autograd.grad(peer(*leaves, target), leaves)


def run_host(losses: dict[str, baselines.Loss]) -> list[dict]:
    """µs of the host that a call takes: the first one, which finds on disk what it compiled earlier, and later ones."""
    import time

    import torch

    rows = []
    m, n = HOST
    for what, peers in (
        ("softmax", baselines.along(1)), ("log_softmax", baselines.along(1, log=True)),
        ("softmax along 0", baselines.along(0)), ("cross_entropy", losses),
    ):  # fmt: skip
        for dtype in DTYPES:
            x, target = _random(HOST, dtype), torch.randint(n, (m,), device="cuda")
            times = {}
            for name, peer in peers.items():
                call = functools.partial(peer, x, target) if what == "cross_entropy" else functools.partial(peer, x)
                try:
                    begin = time.perf_counter()
                    call()
                    first = round(1e6 * (time.perf_counter() - begin))
                    times[name] = {"first": first, "later": gpu.host_microseconds(call)}
                except Exception:  # as above
                    times[name] = None
            rows.append({"what": what, "dtype": dtype, "m": m, "n": n, "microseconds": times})
    return rows


# Copies of x in the time of the limit. A loss reads x and writes nothing.
COPIES = {"forward": 1.0, "gradient": 1.5, "both": 1.5}


def share(row: dict, name: str, loss: bool = False) -> float | None:
    """The time that the card's limit takes, divided by that of a peer: 1 is the limit. None if it has no time."""
    took = row["microseconds"].get(name)
    copies = 0.5 if loss and row["way"] == "forward" else COPIES[row["way"]]
    return copies * row["microseconds"]["copy"] / took if took else None


def table(done: dict) -> str:
    """The record as text: shares of the limit, a column a peer, and µs of the host."""
    lines = []
    for part in ("log_softmax", "dims", "cross_entropy"):
        if not done.get(part):
            continue
        names = [name for name in done[part][0]["microseconds"] if name != "copy"]
        lines.append(f"{part:<42}" + "".join(f"{name:>16}" for name in names))
        for row in done[part]:
            shape = "×".join(map(str, row["shape"])) + (f" along {row['dim']}" if part == "dims" else "")
            cells = (share(row, name, part == "cross_entropy") for name in names)
            cells = "".join(f"{'–':>16}" if c is None else f"{c:>16.2f}" for c in cells)
            lines.append(f"{row['dtype']:<9} {shape:<22} {row['way']:<9}" + cells)
        lines.append("")
    for row in done.get("linear_cross_entropy", ()):
        lines.append(f"linear_cross_entropy {'×'.join(map(str, row['shape']))}, loss and gradients")
        for name, took in row["microseconds"].items():
            if took:
                found = f"{took / 1000:10.2f} ms {row['bytes'][name] >> 20:8} MB   error {row['errors'][name]:.2g}"
                lines.append(f"    {name:<22}" + found)
    for row in done.get("host", ()):
        times = (f"{name} {t['later']} ({t['first']})" for name, t in row["microseconds"].items() if t)
        lines.append(f"host, µs (first call) {row['what']} {row['dtype']}: " + ", ".join(times))
    if done["left_out"]:
        lines.append("left out: " + ", ".join(done["left_out"]))
    return "\n".join(lines)
