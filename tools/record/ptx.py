"""Record the PTX of a few kernels in grader/reference/ptx.json: python tools/record/ptx.py

Exercise 12.8 is judged on these texts. They come from several versions of Triton, and the same wherever it is judged.
The installed version replaces its own texts and keeps those of the others.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
import grader  # noqa: E402, I001  # before Triton
import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

_FILE = pathlib.Path(__file__).parents[2] / "grader" / "reference" / "ptx.json"


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """The kernel of 5.1: two reductions."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.jit
def copy_kernel(y_ptr, x_ptr, BLOCK: tl.constexpr):
    """No reduction."""
    cols = tl.arange(0, BLOCK)
    tl.store(y_ptr + cols, tl.load(x_ptr + cols))


@triton.jit
def sum_kernel(y_ptr, x_ptr, BLOCK: tl.constexpr):
    """One reduction."""
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, BLOCK)), axis=0))


@triton.jit
def running_sum_kernel(y_ptr, x_ptr, BLOCK: tl.constexpr):
    """A scan, whose shuffles are no butterflies."""
    cols = tl.arange(0, BLOCK)
    tl.store(y_ptr + cols, tl.cumsum(tl.load(x_ptr + cols), axis=0))


# Kernel, elements of a block, GPU, warps.
RECORDED = [
    (copy_kernel, 128, "H100", 4),
    (softmax_kernel, 128, "H100", 1),
    (sum_kernel, 128, "T4", 2),
    (softmax_kernel, 128, "H100", 4),
    (softmax_kernel, 256, "T4", 8),
    (running_sum_kernel, 256, "H100", 4),
]


def made() -> list[dict]:
    """The texts of the installed Triton: {"kernel", "gpu", "num_warps", "triton", "ptx"} of each."""
    return [
        {"kernel": kernel.fn.__name__, "gpu": gpu, "num_warps": warps, "triton": triton.__version__,
         "ptx": instructions(_ptx(kernel, block, gpu, warps))}
        for kernel, block, gpu, warps in RECORDED
    ]  # fmt: skip


def _ptx(kernel, block: int, gpu: str, warps: int) -> str:
    x = torch.ones(1, block)
    sizes = (block, block, block) if kernel is softmax_kernel else ()
    made = grader.machine_code(kernel, torch.empty_like(x), x, *sizes, BLOCK=block, gpu=gpu, num_warps=warps)
    return made.columns[0].ptx


def instructions(ptx: str) -> str:
    """A PTX without what a debugger reads: places in the source, and sections of their own."""
    kept = ptx.partition("\t.section\t.debug")[0]
    return "\n".join(line for line in kept.split("\n") if not re.match(r"\t\.(loc|file)\b|\s*//|\s*$", line)) + "\n"


if __name__ == "__main__":
    recorded = json.loads(_FILE.read_text()) if _FILE.exists() else {"texts": []}
    others = [each for each in recorded["texts"] if each["triton"] != triton.__version__]
    texts = sorted(others + made(), key=lambda each: [int(part) for part in each["triton"].split(".")])
    _FILE.write_text(json.dumps({"command": "python tools/record/ptx.py", "texts": texts}, indent=1) + "\n")
