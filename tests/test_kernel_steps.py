"""steps(kernel, ...): the lines of a compiled kernel, and the numbers that each of them moves."""

import os
import re

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch
import triton
import triton.language as tl
from conftest import unwrapped

from grader import draw, interpreter
from grader.interpreter import KernelMisuse
from grader.notebook import kernel_steps

interpreter.install()


@triton.jit
def row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    """Softmax of one row."""
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = (
        numerator  # on lines of its own
        / tl.sum(numerator, axis=0)
    )
    tl.store(y_ptr + cols, y, mask=mask)


@triton.jit
def stored_between_kernel(y_ptr, z_ptr, x_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    e = tl.exp(tl.load(x_ptr + cols))
    tl.store(z_ptr + cols, e)
    tl.store(y_ptr + cols, 2 * e)


def test_each_line_says_what_it_moves(capsys):
    """Rows of 781 in 4 warps: loads and stores of memory at the ends, exchanges in both reductions."""
    row = torch.zeros(781)
    picture = draw.steps(row_kernel, row, row, 781, BLOCK=1024)
    head, *lines = [line.strip() for line in unwrapped(capsys.readouterr().out)]

    assert head.startswith("row_kernel on H100, 4 warps: ") and head.endswith(" registers per thread; all numbers fit")
    assert lines[0].startswith('x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))')
    assert lines[0].endswith("  memory to registers: 8")
    exchanged = "between registers of threads: 7; to shared memory: 1; from shared memory: 1"
    assert [line.split("  ")[0] for line in lines[1:3]] == ["numerator = tl.exp(x - tl.max(x, axis=0))", "y = ("]
    assert lines[1].endswith(exchanged) and lines[2].endswith(exchanged)
    assert lines[3].endswith("registers to memory: 8") and len(lines) == 4
    assert f"{head}." in picture.description
    for code, words in (re.split("  +", line, maxsplit=1) for line in lines):
        assert f"`{code}`: {words}." in picture.description


def test_a_number_that_goes_to_memory_in_between_is_seen(capsys):
    """A second store is a second line that moves numbers to memory."""
    x = torch.zeros(1024)
    draw.steps(stored_between_kernel, x, x, x, BLOCK=1024)

    assert capsys.readouterr().out.count("registers to memory: 2") == 2


def test_one_warp_needs_no_shared_memory(capsys):
    """Its 32 threads exchange all from register to register."""
    row = torch.zeros(32)
    draw.steps(row_kernel, row, row, 32, BLOCK=32, num_warps=1)
    out = capsys.readouterr().out

    assert out.count("between registers of threads: 5") == 2 and "shared memory" not in out


def test_a_statement_owns_all_its_lines_and_those_in_loops():
    """Predicates stand before instructions; lines before the first that moves numbers are left out."""
    source = "def k(p, n):\n    a = n\n    for i in range(n):\n        s = load(\n            p)\n    p.store(s)\n"
    listing = [("a = n", "MOV R1, R2"), ("p)", "@!P4 LDG.E R8, [R2]"), ("    s = load(", "FADD R1, R1, R8")]
    listing += [("p.store(s)", "@P0 STG.E [R2], R1"), ("for i in range(n):", "BRA `(.L_x_0)")]
    found = kernel_steps.of_listing(source, listing)

    assert [(step.name, step.code, {kind: n for kind, n in step.moves.items() if n}) for step in found] == [
        ("s", "s = load(", {"LDG": 1}),
        ("store", "p.store(s)", {"STG": 1}),
    ]


def test_the_picture_has_a_column_for_each_line_and_says_what_it_leaves_out():
    """Names of results in the registers; nine lines, of which eight are drawn."""
    source = "def k(p):\n" + "".join(f"    v{i} = load(p + {i})\n" for i in range(9))
    found = kernel_steps.of_listing(source, [(f"v{i} = load(p + {i})", "LDG.E R8, [R2]") for i in range(9)])
    axes = kernel_steps.figure(found).axes[0]
    said = [text.get_text() for text in axes.texts]

    assert {f"v{i}" for i in range(8)} <= {*said} and "v8" not in said
    assert any("lines after these are not drawn: 1" in text for text in said)
    assert axes.figure.get_facecolor() == (0, 0, 0, 0)


def test_what_is_no_kernel_is_refused():
    """As machine_code does."""
    with pytest.raises(KernelMisuse, match="takes a kernel"):
        draw.steps(torch.softmax, torch.zeros(4))
