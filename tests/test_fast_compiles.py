"""Triton's compiler takes every shipped kernel, for each kind of element. It needs no GPU to say so."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import ROOT

_LOWER = """
from grader.fast import backward, online, packed, rows, shared, split, tiled_two_pass
from grader.protocol.values import encode
from grader.device_side import lowering

def lower(kernel, pointers, **constants):
    names = kernel.arg_names
    types = {n: pointers.get(n, "i32") for n in names if n not in constants}
    lowering.lower_kernel(kernel, types, {n: encode(v) for n, v in constants.items()}, {})

for element in ("fp32", "bf16", "fp16"):
    xy = {n: "*" + element for n in ("x_ptr", "y_ptr", "dx_ptr", "dy_ptr")}
    xy |= {"dy_ptr": "*" + element, "sums_ptr": "*fp32"}
    for log in (True, False):
        lower(rows.tile_kernel, xy, UNIT=4, ROWS=2, BLOCK=512, LOG=log)
        lower(rows.odd_kernel, xy, VECTORS=128, UNIT=8, LOG=log)
        lower(online.online_kernel, xy, VECTORS=128, UNIT=8, LOG=log)
        lower(backward.rows_kernel, xy, UNIT=4, ROWS=2, BLOCK=512, LOG=log)
        lower(backward.sums_kernel, xy, UNIT=4, BLOCK=512, LOG=log)
        lower(backward.pieces_kernel, xy, UNIT=4, PIECES=8, BLOCK=512, LOG=log)
for kind, element in (("float", "fp32"), ("bf16", "i32"), ("fp16", "i32")):
    words_of = {n: "*" + element for n in ("x_ptr", "y_ptr")}
    states = words_of | {"states_ptr": "*fp32"}
    words_of |= {"states_ptr": "*i64"}
    common = {"UNIT": 4, "BLOCK": 1024, "KIND": kind, "PTX": kind != "float"}
    lower(split.partial_kernel, states, OVERLAP=True, **common)
    for log in (True, False):
        lower(shared.shared_row_kernel, words_of, PIECES=8, LOG=log, **common)
        lower(tiled_two_pass.two_blocks_kernel, words_of, REST=64, LOG=log, **common)
        lower(split.combine_kernel, states, OVERLAP=True, BACKWARDS=True, PIECES=8, LOG=log, **common)
        if kind != "float":
            for full in (True, False):
                lower(packed.pair_row_kernel, words_of, FULL=full, LOG=log, **common)
print("lowered")
"""


_FOR_A_T4 = """
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from grader.fast import packed, shared, split, tiled_two_pass

def build(kernel, constants, **options):
    states = "*i64" if kernel is shared.shared_row_kernel else "*fp32"
    pointers = {"x_ptr": "*i32", "y_ptr": "*i32", "states_ptr": states}
    names = kernel.arg_names
    types = {n: "constexpr" if n in constants else pointers.get(n, "i32") for n in names}
    source = ASTSource(kernel, types, {(i,): constants[n] for i, n in enumerate(names) if n in constants})
    assert "cubin" in triton.compile(source, target=GPUTarget("cuda", 75, 32), options=options).asm

for kind in ("bf16", "fp16"):
    common = {"UNIT": 4, "BLOCK": 1024, "KIND": kind, "PTX": False}
    build(split.partial_kernel, common | {"OVERLAP": False})
    common["LOG"] = False
    build(tiled_two_pass.two_blocks_kernel, common | {"REST": 64})
    build(packed.pair_row_kernel, common | {"FULL": True}, maxnreg=80)
    build(split.combine_kernel, common | {"OVERLAP": False, "BACKWARDS": False, "PIECES": 8})
    build(shared.shared_row_kernel, common | {"PIECES": 8}, num_warps=2, maxnreg=96, launch_cooperative_grid=True)
print("built")
"""


@pytest.mark.whole
@pytest.mark.parametrize(
    "program, says",
    [pytest.param(_LOWER, "lowered", id="all"), pytest.param(_FOR_A_T4, "built", id="16 bits for a T4")],
)
def test_the_compiler_takes_shipped_kernels(program, says):
    """All of them; and pairs of 16-bit floats down to the machine code of a card without instructions for them."""
    environment = os.environ | {"TRITON_INTERPRET": "0", "FIVE_PASSES_WORKER": "1"}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout == says + "\n", done.stderr[-800:]
