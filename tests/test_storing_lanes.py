"""Lanes of a program that share an element have a barrier in between, one by one and in passes."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch
import triton
import triton.language as tl  # noqa: F401  the kernels' own

from grader import interpreter
from grader.interpreter import conditions, recording

interpreter.install()
N, PROGRAMS = 16, 9
# The body of a kernel for the row y of a program; x is a row of numbers. How often lanes of a program overtake others.
BODIES = {
    "each lane its own": ("tl.store(y + i, x)", 0),
    "each lane its own, twice": ("tl.store(y + i, x)\n    tl.store(y + i, x + 1)", 0),
    "loaded back by its own lane": ("tl.store(y + i, x)\n    tl.store(y + i, tl.load(y + i) + 1)", 0),
    "stored over by others": ("tl.store(y + i, x)\n    tl.store(y + N - 1 - i, x)", N),
    "loaded by others": (
        "tl.store(y + i, x)\n    z = tl.load(y + N - 1 - i)\n    tl.store(z_ptr + row, tl.sum(z, axis=0))", N
    ),
    "stored over behind a barrier": ("tl.store(y + i, x)\n    tl.debug_barrier()\n    tl.store(y + N - 1 - i, x)", 0),
    "stored over before a barrier": ("tl.store(y + i, x)\n    tl.store(y + N - 1 - i, x)\n    tl.debug_barrier()", N),
    "behind an atomic": ("tl.store(y + i, x)\n    tl.atomic_add(z_ptr + row, 1.0)\n    tl.store(y + N - 1 - i, x)", 0),
    "a half, masked": ("tl.store(y + i, x)\n    tl.store(y + N - 1 - i, x, mask=i < 4)", 4),
    "a smaller block": (
        "tl.store(y + i, x)\n    j = tl.arange(0, N // 2)\n    tl.store(y + j, tl.load(x_ptr + j))", N // 2
    ),
    "two lanes, one number": ("tl.store(y + i // 2, i // 2 * 1.0)", 0),
    "two lanes, two numbers": ("tl.store(y + i // 2, i * 1.0)", N // 2),
    "one number by all": ("tl.store(y + i, x)\n    tl.debug_barrier()\n    tl.store(y + i * 0, tl.sum(x, axis=0))", 0),
    "across two tensors": (
        "tl.store(y + i, x)\n    tl.store(tl.where(i < 8, y + 15 - i, z_ptr + 16 * row + i), x, mask=i < 4)", 4
    ),
}  # fmt: skip


def kernel(body):
    text = "def kernel(y_ptr, z_ptr, x_ptr, N: tl.constexpr):\n    i, row = tl.arange(0, N), tl.program_id(0)\n"
    names = dict(globals())
    exec(compile(f"{text}    y = y_ptr + row * N\n    x = tl.load(x_ptr + i)\n    {body}\n", "<kernel>", "exec"), names)
    return triton.jit(names["kernel"])


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("name", BODIES)
def test_lanes_that_overtake_others_are_counted(name, batch):
    """Once for each element of each program; the same place of a block as large is the same lane."""
    body, each = BODIES[name]
    x, z = torch.linspace(-2.0, 2.0, N), torch.zeros(PROGRAMS * N)
    with conditions(batch=batch), recording() as ledger:
        kernel(body)[(PROGRAMS,)](torch.zeros(PROGRAMS, N), z, x, N=N)

    assert PROGRAMS * each == ledger.launches[0].overtaken
