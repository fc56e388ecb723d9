"""Time the five passes and the fused kernel beside a copy, on a GPU, and write what came out.

    python benchmarks/passes.py docs/passes_on_h200.json

The functions are the answers stored in the solution notebooks (1.1 and 5.2), so what is timed is what the course
teaches. Each time is the median of triton.testing.do_bench, which empties the L2 cache between runs.
"""

from __future__ import annotations

import datetime
import functools
import importlib.util
import json
import pathlib
import platform
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SHAPES = [(256, 256), (1024, 512), (4096, 781), (4096, 2048), (4096, 8192), (8192, 16384), (16384, 16384)]


def solution(notebook: str, name: str):
    """The function of that name as a solution notebook defines it."""
    from grader import answer, submission

    cells = submission.read((ROOT / "solutions" / notebook).read_bytes()).cells
    path = pathlib.Path(tempfile.mkdtemp()) / f"{name}.py"
    path.write_text(answer.extract(cells, (name,)).source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def measure() -> list[dict]:
    """One row for each shape and function: median time, and the elements it reads and writes."""
    import torch
    from triton.testing import do_bench

    five, fused = solution("01_five_passes.ipynb", "naive_softmax"), solution("05_every_row.ipynb", "fused_softmax")
    rows = []
    for m, n in SHAPES:
        x = torch.randn(m, n, device="cuda")
        torch.testing.assert_close(fused(x), torch.softmax(x, dim=1))
        torch.testing.assert_close(five(x), torch.softmax(x, dim=1))
        once, five_times = (m * n, m * n), (5 * m * n + 2 * m, 3 * m * n + 2 * m)
        for what, run, (read, written) in [
            ("copy", functools.partial(torch.empty_like(x).copy_, x), once),
            ("five passes", functools.partial(five, x), five_times),
            ("fused", functools.partial(fused, x), once),
        ]:
            microseconds = round(1000 * do_bench(run, warmup=50, rep=200, return_mode="median"), 2)
            rows.append({
                "m": m, "n": n, "dtype": "float32", "what": what, "microseconds": microseconds, "read": read,
                "written": written,
            })  # fmt: skip
    return rows


def main() -> int:
    """Measure, and write the file named on the command line."""
    import torch
    import triton

    if not torch.cuda.is_available():
        print("There is no GPU here, so there is nothing to time.")
        return 2
    record = {
        "device": torch.cuda.get_device_name(),
        "versions": {"python": platform.python_version(), "torch": torch.__version__, "triton": triton.__version__},
        "date": datetime.date.today().isoformat(),
        "command": "python benchmarks/passes.py docs/passes_on_h200.json",
        "what": "Medians of triton.testing.do_bench, which empties the L2 cache between runs; elements as counted in "
        "lessons 01 and 02.",
        "results": measure(),
    }
    pathlib.Path(sys.argv[1]).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
