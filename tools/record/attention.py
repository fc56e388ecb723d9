"""Attention of lesson 13 (13.3) beside scaled_dot_product_attention, on one GPU in one run.

    python tools/record/attention.py records/attention_on_h200.json

It takes about a minute. The record is written after each part of the run.
"""

from __future__ import annotations

import functools
import itertools
import json
import pathlib
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grader.bench import gpu  # noqa: E402
from grader.bench.per_lesson import solution  # noqa: E402

BATCHES, HEADS = 4, 16
LENGTHS, WIDTHS = (1024, 4096, 16384), (64, 128)
LAUNCHES = [  # BLOCK_M, BLOCK_N, num_warps, num_stages
    (128, 64, 8, 3), (128, 128, 8, 2), (128, 64, 4, 3), (64, 64, 4, 3),
]  # fmt: skip
PEERS = {"flash": SDPBackend.FLASH_ATTENTION, "cuDNN": SDPBackend.CUDNN_ATTENTION}
WHAT = (
    f"Attention of {BATCHES} batches of {HEADS} heads, n queries and n keys of d numbers each; microseconds, null "
    f"where a way fails. All ways of a row take turns, {gpu.ROUNDS} rounds, of which the middle one counts. flash and "
    "cuDNN: backends of scaled_dot_product_attention; three steps: matmul, softmax, matmul; 13.3: the course's "
    "solution. launches: block_m, block_n, num_warps, num_stages of 13.3, of which the table has the fastest for each "
    "d. variants: 13.3 with one change each; those without exp and with one product less give other numbers. "
    "errors: largest differences from float64, for o in units of the rounding of its largest number."
)
# Changes of the kernel's text that leave the numbers right for lengths that the blocks divide.
CHANGES = {
    "13.3": lambda text: text,
    "exp2": lambda text: (
        text.replace("* scale\n", "* (scale * 1.4426950408889634)\n").replace("tl.exp(", "tl.exp2(")
        .replace("m + tl.log(l)", "(m + tl.log2(l)) * 0.6931471805599453")
    ),
    "no mask for keys": lambda text: (
        text.replace('        s = tl.where(keys[None, :] < n_keys, s, -float("inf"))\n', "")
        .replace(", mask=exist, other=0.0", "")
    ),
    "one product less": lambda text: text.replace("+ tl.dot(p.to(v.dtype), v)", "+ tl.sum(p, axis=1)[:, None]"),
    "no exp": lambda text: text.replace("p = tl.exp(s - new[:, None])", "p = s - new[:, None]"),
}  # fmt: skip
RIGHT = ("13.3", "exp2", "no mask for keys")  # the last two show what a part of the work costs


def tensors(n: int, d: int, dtype: torch.dtype, b: int = BATCHES, h: int = HEADS):
    """q, k, v of normal values, b×h×n×d."""
    return [torch.randn(b, h, n, d, device="cuda", dtype=dtype) for _ in range(3)]


def peer(backend, q, k, v, causal: bool):
    """Attention by one backend of PyTorch; all b×h×n×d."""
    with sdpa_kernel(backend):
        return scaled_dot_product_attention(q, k, v, is_causal=causal)


def three_steps(q, k, v, causal: bool):
    """Attention by matmul, softmax and matmul, with all scores stored; all b×h×n×d."""
    s = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    if causal:
        s.masked_fill_(torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1), -torch.inf)
    return torch.softmax(s, -1) @ v


def works(function) -> bool:
    """Whether a peer runs here."""
    try:
        function()
        torch.cuda.synchronize()
        return True
    except Exception:  # another library's, or Triton's for a launch that does not fit
        torch.cuda.synchronize()
        return False


def errors(kernel) -> list[dict]:
    """13.3 and the flash backend beside float64, for ragged lengths."""
    found = []
    for d, causal, dtype in itertools.product(WIDTHS[:1], (False, True), (torch.float16, torch.bfloat16)):
        q, k, v = tensors(333, d, dtype, 2, 3)
        s = (q.double() @ k.double().transpose(-1, -2)) * d**-0.5
        if causal:
            s = s.masked_fill(torch.ones(333, 333, dtype=torch.bool, device="cuda").triu(1), -torch.inf)
        want, want_lse = torch.softmax(s, -1) @ v.double(), torch.logsumexp(s, -1)
        unit = torch.finfo(dtype).eps / 2 * want.abs().amax()
        o, lse = kernel(q, k, v, causal)
        off = {"13.3": o, "flash": peer(PEERS["flash"], q, k, v, causal)}
        off = {name: round(((got.double() - want).abs().amax() / unit).item(), 3) for name, got in off.items()}
        row = {"d": d, "causal": causal, "dtype": str(dtype)[6:], "o": off}
        found.append(row | {"lse": (lse.double() - want_lse).abs().amax().item()})
    return found


def sweep(kernel) -> list[dict]:
    """Each launch of 13.3, for each d; float16, without a mask."""
    found = []
    for d in WIDTHS:
        q, k, v = tensors(4096, d, torch.float16)
        runs = {i: functools.partial(kernel, q, k, v, False, *launch) for i, launch in enumerate(LAUNCHES)}
        times = gpu.side_by_side({i: run for i, run in runs.items() if works(run)})
        found += [
            {"n": 4096, "d": d, "launch": launch, "microseconds": times.get(i)} for i, launch in enumerate(LAUNCHES)
        ]
    return found


def variants(best: dict) -> list[dict]:
    """Each change of 13.3 beside 13.3 itself; float16, without a mask."""
    found = []
    kernels = {n: solution.function("13_flash_attention.ipynb", "flash_attention", c) for n, c in CHANGES.items()}
    for d in WIDTHS:
        q, k, v = tensors(4096, d, torch.float16)
        want = peer(PEERS["flash"], q, k, v, False)
        for name in RIGHT:
            torch.testing.assert_close(kernels[name](q, k, v, False, *best[d])[0], want, rtol=2e-2, atol=2e-3)
        runs = {n: functools.partial(f, q, k, v, False, *best[d]) for n, f in kernels.items()}
        found.append({"n": 4096, "d": d, "microseconds": gpu.side_by_side(runs)})
    return found


def table(kernel, best: dict) -> list[dict]:
    """A row for each length, width, mask and dtype."""
    rows = []
    half, brain = torch.float16, torch.bfloat16
    shapes = [(n, d, half) for d in WIDTHS for n in LENGTHS] + [(4096, d, brain) for d in WIDTHS]
    for (n, d, dtype), causal in itertools.product(shapes, (False, True)):
        q, k, v = tensors(n, d, dtype)
        ways = {name: functools.partial(peer, backend, q, k, v, causal) for name, backend in PEERS.items()}
        ways["13.3"] = lambda q=q, k=k, v=v, d=d, causal=causal: kernel(q, k, v, causal, *best[d])
        if n <= 4096:
            ways["three steps"] = functools.partial(three_steps, q, k, v, causal)
        ways = {name: run for name, run in ways.items() if works(run)}
        torch.testing.assert_close(ways["13.3"]()[0], ways["flash"](), rtol=2e-2, atol=1e-2)
        times = gpu.side_by_side(ways)
        times = {name: times.get(name) for name in (*PEERS, "13.3", "three steps")}
        row = {"b": BATCHES, "h": HEADS, "n": n, "d": d, "dtype": str(dtype)[6:], "causal": causal}
        rows.append(row | {"microseconds": times})
    return rows


def main(out: pathlib.Path) -> None:
    """Measure all, and write the record after each part."""
    kernel = solution.function("13_flash_attention.ipynb", "flash_attention")
    done = gpu.header(f"python tools/record/attention.py records/{out.name}", WHAT)

    def keep(**part) -> None:
        done.update(part)
        out.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")

    keep(errors=errors(kernel))
    keep(launches=sweep(kernel))
    timed = [row for row in done["launches"] if row["microseconds"]]
    best = {d: min((r for r in timed if r["d"] == d), key=lambda r: r["microseconds"])["launch"] for d in WIDTHS}
    keep(best={str(d): launch for d, launch in best.items()})
    keep(results=table(kernel, best))
    keep(variants=variants(best))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "attention_on_gpu.json"))
