"""Time the tile kernel of lesson 15 on a GPU, for lengths of rows that the lesson does not show.

    python tools/record/unseen_lengths.py

It writes records/unseen_lengths_on_h200.json, and of it grader/reference/unseen.json, which judges 15.1 and 15.2 too.
"""

from __future__ import annotations

import datetime
import json

import course  # puts the course on the path

LENGTHS = (
    48, 80, 96, 100, 160, 192, 200, 320, 333, 384, 500, 512, 640, 768, 900, 1021, 1025, 1280, 1500, 1536, 2500, 2560,
    3072, 3333, 5000, 5120, 6144, 10000, 12288, 20000, 24576,
)  # fmt: skip
LEFT_OUT = (48, 100, 2500, 5000)  # there good rules of thumb differ
WHAT = (
    "The tile kernel of lesson 15 for lengths that the lesson does not show: the median of the GPU's own time, with an "
    "emptied L2 cache, as in tuning_on_h200.json. 15.1 and 15.2 are judged by them too, but for 48, 100, 2500 and 5000 "
    "columns, where good rules of thumb differ."
)
FIELDS = ("dtype", "n", "rows", "num_warps", "n_regs", "n_spills", "resident", "microseconds")


def main() -> None:
    """Measure, and write both files."""
    import torch
    import triton

    from grader.bench.per_lesson import tuning

    tuning.COLUMNS = LENGTHS
    every = [one for one in tuning.configurations() if one["kernel"] == "tile"]
    tuning.configurations = lambda: every
    results = tuning.measure()
    record = {
        "device": torch.cuda.get_device_name(),
        "multiprocessors": torch.cuda.get_device_properties(0).multi_processor_count,
        "versions": {"torch": torch.__version__, "triton": triton.__version__},
        "date": datetime.date.today().isoformat(),
        "command": "python tools/record/unseen_lengths.py",
        "what": WHAT,
        "results": results,
    }
    _write(course.ROOT / "records" / "unseen_lengths_on_h200.json", json.dumps(record).replace("}, {", "},\n{"))
    used = [row for row in results if row["kernel"] == "tile" and "error" not in row and row["n"] not in LEFT_OUT]
    rows = [FIELDS, *([row[name] for name in FIELDS] for row in used)]
    _write(course.ROOT / "grader" / "reference" / "unseen.json", "[" + ",\n".join(map(json.dumps, rows)) + "]")


def _write(path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
