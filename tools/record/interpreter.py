"""How long kernels take on the CPU: Triton's own interpreter beside the course's, which guards, poisons and counts.

python tools/record/interpreter.py records/interpreter_speed.json

Both run the solutions' kernels in processes of their own, several times in turns. What is kept is the shortest CPU time
of a launch, in seconds, and the ratio.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS, LAUNCHES = 3, 2
ONE = ("TRITON_INTERPRET", "FIVE_PASSES_WORKER", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
KERNELS = {
    "softmax_kernel": "05_every_row",
    "tile_softmax_kernel": "10_rows_and_residency",
    "online_softmax_kernel": "08_online_softmax",
    "attention_kernel": "13_flash_attention",
}


def write_kernels(folder: str) -> None:
    """The solutions' kernels as modules of their own, which import nothing of the course's."""
    from grader.bench.per_lesson import solution

    for name, notebook in KERNELS.items():
        pathlib.Path(folder, f"{name}.py").write_text(solution.text(f"{notebook}.ipynb", name), encoding="utf-8")


def launches(folder: str) -> dict:
    """{what: a function without arguments that launches a kernel once}."""
    import torch
    import triton

    sys.path.insert(0, folder)
    row, tile, online, attention = (getattr(importlib.import_module(name), name) for name in KERNELS)
    found = {}
    for m, n in ((512, 781), (64, 4096)):
        x = torch.randn(m, n, generator=torch.Generator().manual_seed(0))
        given, block = (torch.empty_like(x), x, n, n), triton.next_power_of_2(n)
        found |= {
            f"row {m}×{n}": lambda m=m, n=n, g=given, b=block: row[(m,)](*g, n, BLOCK=b),
            f"tile of 4 rows {m}×{n}": lambda m=m, n=n, g=given, b=block: tile[(m // 4,)](*g, m, n, ROWS=4, BLOCK=b),
            f"online {m}×{n} by 256": lambda m=m, n=n, g=given: online[(m,)](*g, n, BLOCK=256),
        }
    for causal in (False, True):
        n = 512
        qkv = torch.randn(3, n, 64, generator=torch.Generator().manual_seed(0))
        given = (torch.empty(n, 64), *qkv, 64, 64, 64, 64, n, n, 0.125)
        sizes = {"D": 64, "BLOCK_M": 32, "BLOCK_N": 32, "CAUSAL": causal}
        name = f"attention {n}×64{', causal' * causal}"
        found[name] = lambda n=n, g=given, s=sizes: attention[(n // 32,)](*g, **s)
    return found


def seconds(whose: str, folder: str) -> dict[str, float]:
    """CPU seconds of each launch in this process, the shortest of LAUNCHES, after one that warms up."""
    import torch

    torch.set_num_threads(1)
    if whose == "ours":
        sys.path.insert(0, str(ROOT))
        from grader import interpreter
        from grader.interpreter.ledger import Ledger

        assert {"on"} == set(interpreter.install().values())
    found = {}
    for name, launch in launches(folder).items():
        times = []
        for _ in range(1 + LAUNCHES):
            with interpreter.recording(Ledger()) if whose == "ours" else contextlib.nullcontext():
                began = time.process_time()
                launch()
                times.append(time.process_time() - began)
        found[name] = min(times[1:])
    assert (whose == "ours") == any(name.split(".")[0] == "grader" for name in sys.modules)
    return found


def measure() -> list[dict]:
    """One row per kernel."""
    shortest: dict[str, dict[str, float]] = {"stock": {}, "ours": {}}
    environment = os.environ | dict.fromkeys(ONE, "1")
    with tempfile.TemporaryDirectory() as folder:
        write_kernels(folder)
        for whose in ("stock", "ours") * ROUNDS:
            command = [sys.executable, __file__, "--in-this-process", whose, folder]
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
            for name, taken in json.loads(done.stdout).items():
                shortest[whose][name] = min(taken, shortest[whose].get(name, taken))
    return [
        {"kernel": name, "stock": round(taken, 4), "ours": round(ours, 4), "ratio": round(taken / ours, 1)}
        for (name, taken), ours in zip(shortest["stock"].items(), shortest["ours"].values())
    ]


def main() -> None:
    """Write the record to argv[1], and print its table."""
    sys.path.insert(0, str(ROOT))
    from grader.bench import record

    what = (
        "CPU seconds of an interpreted launch, one thread, the shortest of several: Triton's own interpreter, "
        "and the course's with guard, poison and ledger."
    )
    command = "python tools/record/interpreter.py records/interpreter_speed.json"
    done = record.header(what, command) | {"results": measure()}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for row in done["results"]:
        print(f"{row['kernel']:28} stock {row['stock']:8.4f}  ours {row['ours']:8.4f}  ratio {row['ratio']:6.1f}")


if __name__ == "__main__":
    if sys.argv[1] == "--in-this-process":
        print(json.dumps(seconds(*sys.argv[2:])))
    else:
        main()
