"""Machine code for the GPUs that people have, without any of them: make cards."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys

import pytest
import torch
from conftest import ROOT

from grader import lessons
from grader.bench.per_lesson import solution
from grader.compiler import request

NVIDIA = [75, 80, 86, 89, 90, 100, 120]
AMD = ["gfx942", "gfx1100"]


@pytest.mark.parametrize("card", [*NVIDIA, *AMD], ids=str)
def test_every_launch_of_the_shipped_softmax_compiles(card, tmp_path):
    """Forward, gradient, and that of the logarithm, for each dtype."""
    environment = os.environ | {
        "TRITON_INTERPRET": "0", "FIVE_PASSES_WORKER": "1", "PYTHONPATH": str(ROOT), "TRITON_CACHE_DIR": str(tmp_path),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "tests/slow/kernels_of_a_card.py", str(card)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    count, _, what = done.stdout.rstrip("\n").partition(" ")
    assert what == "launches" and int(count) > 100, done.stderr[-1500:]


KERNELS = sorted(
    (f"{number}_{slug}.ipynb", name)
    for number, (slug, _) in lessons.OUTLINE.items()
    for exercise in lessons.of_lesson(number)
    for name in exercise.names
    if name.endswith("_kernel")
)


@pytest.mark.parametrize("notebook, name", KERNELS, ids=[name for _, name in KERNELS])
def test_every_kernel_of_the_solutions_compiles(notebook, name):
    """With lengths that fit each of its parameters."""
    kernel = solution.function(notebook, name)
    constants = {n for n, kind in inspect.get_annotations(kernel.fn).items() if "constexpr" in str(kind)}
    arguments = {
        n: torch.empty(64, 64, dtype=torch.int64 if n == "target_ptr" else torch.float32) if n.endswith("_ptr")
        else 64 if n in constants else 640
        for n in inspect.signature(kernel.fn).parameters
    }  # fmt: skip
    targets = [(("cuda", card, 32), {"num_warps": 4}) for card in NVIDIA]
    columns = request.compiled(kernel, [], arguments, targets)
    assert [None] * len(NVIDIA) == [column.get("error") for column in columns]
