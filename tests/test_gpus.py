"""One table of GPUs: what is added there is known everywhere, and no number of a GPU stands anywhere else."""

import dataclasses
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

from grader import gpus
from grader.compiler.targets import TARGETS
from grader.gpus import GPUS
from grader.reference import memories, residency

# In a process of its own, before anything has read the table.
ADDED = """
import dataclasses
from grader import gpus

one = dataclasses.replace(gpus.GPUS["A100"], name="X1", target=("cuda", 86), multiprocessors=84, flops=30e12)
gpus.GPUS["X1"] = one
import torch
from traced import copy_kernel
from grader import lessons, machine_code
from grader.notebook.hierarchy import hierarchy

column = machine_code(copy_kernel, torch.zeros(64), torch.zeros(64), 64, BLOCK=64, grid=(9,), gpu="X1").columns[0]
print(column.error, column.registers > 0, column.at_once % 84)
print(hierarchy(gpu="X1"))
print(next(case.label for case in lessons.exercises()["2.4"].cases(0) if "X1" in case.label))
"""


@pytest.mark.whole
def test_a_gpu_is_added_in_one_place():
    """machine_code compiles for it, its memories are drawn, and lesson 02 takes its data sheet."""
    variables = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]), "TRITON_INTERPRET": "1"}
    variables |= {"FIVE_PASSES_WORKER": "1"}  # nothing is imported in the background
    done = subprocess.run(
        [sys.executable, "-c", ADDED], cwd=ROOT, env=os.environ | variables, capture_output=True, text=True
    )
    compiled, *_, drawn, label = done.stdout.splitlines() or [done.stderr]

    assert compiled == "None True 0", done.stdout + done.stderr
    assert drawn.startswith("Picture of the memories of the X1. registers: 84 times 256 KB")
    assert label.startswith("a fused softmax on X1: 0.625 flop/byte, 2.883e+13 flop/s, 1.959e+12 bytes/s")


@pytest.mark.parametrize("gpu", GPUS.values(), ids=lambda gpu: gpu.name)
def test_a_record_is_whole(gpu):
    """It says where it is from; what compiles has its multiprocessors, and a data sheet has both peaks."""
    assert gpu.sources and all(gpu.sources)
    assert bool(gpu.bandwidth) == bool(gpu.flops) and bool(gpu.multiprocessors) == bool(gpu.multiprocessor)
    assert gpu.multiprocessor or not gpu.target


def test_every_table_comes_from_the_records():
    """In the order of the records, which is that of the cases of lesson 02 and of the columns of machine_code."""
    assert "T4 A100 H100 B200 MI300X RX 7900".split(" ", 5) == [*TARGETS] == [*residency.CARDS]
    assert "T4 A100 H20 H100 H200".split() == [gpu.name for gpu in gpus.data_sheets()]
    assert "T4 A100 H100 H200".split() == memories.drawable()
    assert "H200, T4, RTX 4090, warps of 64, RX 7900".split(", ") == [*residency.DEVICES]


def numbers():
    """The facts of the table that no other number of the course is by chance, as a few powers of two may be."""
    found = set()
    for gpu in GPUS.values():
        values = dataclasses.asdict(gpu)
        inside = values.pop("multiprocessor") or {}
        found |= {v for v in (*values.values(), *inside.values()) if isinstance(v, (int, float))}
    return {int(v) for v in found if v > 65536 and bin(int(v)).count("1") > 2}


def test_no_other_module_has_a_number_of_a_gpu():
    """Sizes of memories, speeds, and Triton's names of architectures."""
    facts = numbers()
    assert {233472, 4800e9, 52428800} <= facts
    for path in sorted((ROOT / "grader").rglob("*.py")):
        if path == ROOT / "grader" / "gpus.py":
            continue
        text = path.read_text(encoding="utf-8")
        assert not re.search(r'"gfx\d+"|\("cuda", \d+', text), path
        found = re.findall(r"(?<![\w.])\d[\d_]*(?:e\d+)?(?![\w.])", text)
        written = {float(number.replace("_", "")) for number in found}
        assert not written & facts, (path, written & facts)
