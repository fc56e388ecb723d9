"""hierarchy(fn, ...): the memories of a card, and the tensors that each operation finds in them."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import pathlib

import pytest
import torch
import traced
from traced import copy_kernel

from grader import draw, environment, interpreter
from grader.gpus import GPUS
from grader.interpreter import KernelMisuse
from grader.notebook import canvas, hierarchy, history, traffic
from grader.reference import memories

interpreter.install()


def five_passes(x):
    shifted = x - x.amax(dim=1, keepdim=True)
    numerator = torch.exp(shifted)
    return numerator / numerator.sum(dim=1, keepdim=True)


def copied(x):
    y = torch.empty_like(x)
    copy_kernel[(1,)](y, x, x.numel(), BLOCK=64)
    return y


def library(x):
    return torch.softmax(x, dim=1)


def described(*args, **kwargs):
    """The picture's description."""
    picture = draw.hierarchy(*args, **kwargs)
    bundle = picture._repr_mimebundle_()
    assert bundle["image/png"] and 'alt="Picture of the memories' in bundle["text/html"]
    return bundle["text/plain"]


def test_the_sizes_are_those_of_the_card():
    """Of an H200: 65,536 registers of 4 bytes in each of 132 multiprocessors, and what its data sheet says."""
    registers, shared, cache, memory = memories.levels("H200")

    assert (registers.count, registers.bytes, shared.count, shared.bytes) == (132, 262144, 132, 233472)
    assert (1, 50 << 20, 1, 141 * 10**9) == (cache.count, cache.bytes, memory.count, memory.bytes)
    assert GPUS["H200"].bandwidth == memory.speed and cache.speed is None


@pytest.mark.parametrize("name", memories.drawable())
def test_each_memory_is_faster_than_the_one_below_it(name):
    """As far as its speed is known; and the clock that follows from the peak is one that such a card has."""
    levels, gpu = memories.levels(name), GPUS[name]
    speeds = [level.speed for level in levels if level.speed]

    assert sorted(speeds, reverse=True) == speeds and levels[-1].speed
    assert 1.3e9 < gpu.flops / 2 / gpu.lanes / gpu.multiprocessors < 2.1e9
    assert len(gpu.sources) >= 2


def test_the_speeds_of_an_a100_are_those_of_nvidias_paper():
    """19.5 TB/s from shared memory and 7.2 TB/s from the L2 cache, at 1,410 MHz."""
    registers, shared, cache, memory = memories.levels("A100")

    assert pytest.approx(shared.speed, rel=0.01) == 19.5e12 and pytest.approx(cache.speed, rel=0.01) == 7.2e12
    assert 8 * GPUS["A100"].flops == registers.speed


def test_each_operation_says_which_tensors_it_reads_and_writes(capsys):
    """The five passes: what one leaves in memory, the next finds there."""
    said = described(five_passes, torch.randn(10, 4))
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]

    assert lines[-5:] == [
        "amax: from memory input 1.00 MN; to memory amax 0.25 MN; in between: not shown",
        "sub: from memory input 1.00 MN, amax 0.25 MN; to memory sub 1.00 MN; in between: not shown",
        "exp: from memory sub 1.00 MN; to memory exp 1.00 MN; in between: not shown",
        "sum: from memory exp 1.00 MN; to memory sum 0.25 MN; in between: not shown",
        "div: from memory exp 1.00 MN, sum 0.25 MN; to memory div 1.00 MN; in between: not shown",
    ]
    assert all(" ".join(line.split()) in said for line in lines[-5:])


def test_an_operator_is_not_looked_into_and_a_kernel_is(capsys):
    """One read and one write of a matrix, both times."""
    described([library, copied], torch.randn(2, 32))
    out = capsys.readouterr().out

    assert "_softmax: from memory input 1.00 MN; to memory _softmax 1.00 MN; in between: not shown" in out
    assert "copy_kernel: from memory input 1.00 MN; to memory y_ptr 1.00 MN; in between: registers and shared" in out


def test_the_sums_are_those_of_traffic():
    """Nothing is counted twice, and nothing is left out."""
    run = traffic.count(five_passes, [torch.randn(10, 4)], {})
    read = sum(n for each in hierarchy.operations(run) for _, n in each.read)
    written = sum(n for each in hierarchy.operations(run) for _, n in each.written)

    assert run.totals() == (pytest.approx(read), pytest.approx(written)) == (5.5, 3.5)


def test_a_matrix_that_fits_in_the_cache_is_told_from_one_that_does_not(capsys):
    """The T4 has 4 MB: 1024×1024 numbers fit exactly."""
    described(five_passes, torch.zeros(1024, 1024), gpu="T4")
    described(five_passes, torch.zeros(1025, 1024), gpu="T4")
    first, second = (line for line in capsys.readouterr().out.splitlines() if line.startswith("five"))

    assert "with an input of 4 MB in float32: it fits in the L2 cache" in first and "does not fit" in second


@pytest.mark.whole
def test_where_kernels_are_compiled_a_worker_counts_the_same(capsys, monkeypatch):
    """Tensors have the same names."""
    x, said = torch.ones(7), []
    for elsewhere in (False, True):
        if elsewhere:
            monkeypatch.setattr(environment, "interpreted", lambda: False)
            monkeypatch.setattr(history, "session_cells", lambda: [pathlib.Path(traced.__file__).read_text()])
        described(traced.copied, x)
        said.append(capsys.readouterr().out)

    assert said[0] == said[1] and "to memory y_ptr" in said[0]


def test_the_picture_labels_its_regions_and_tells_without_colour():
    """Names, sizes and speeds of the levels; what is written is hatched, and so is what is not shown."""
    runs = [traffic.count(each, [torch.randn(2, 32)], {}) for each in (library, copied)]
    axes = hierarchy.figure("H200", memories.levels("H200"), runs).axes[0]
    said = {text.get_text() for text in axes.texts}

    assert "L2 cache\n50 MB\nspeed not published" in said and "memory (HBM3e)\n141 GB\nup to 4.8 TB/s" in said
    assert {"_softmax", "copy_\nkernel", "input", "y_ptr"} <= said
    assert len({(patch.get_facecolor(), patch.get_hatch()) for patch in axes.patches if patch.get_hatch()} | {0}) == 3
    assert axes.figure.get_facecolor() == (0, 0, 0, 0)


def test_many_operations_are_cut_and_it_says_so():
    """Seven columns."""
    run = traffic.count(lambda x: [f(x) for f in [torch.exp, torch.sin] * 5], [torch.ones(4)], {})
    axes = hierarchy.figure("A100", memories.levels("A100"), [run]).axes[0]

    assert any("3 operations more are not drawn" in text.get_text() for text in axes.texts)
    assert 7 + 1 == sum(patch.get_hatch() == canvas.IDLE["hatch"] for patch in axes.patches)  # 1: the legend


def test_another_gpu_is_refused_with_the_names():
    """Those of the table whose memories are known."""
    with pytest.raises(KernelMisuse, match="memories of 'H20': choose T4, A100, H100 or H200"):
        draw.hierarchy(gpu="H20")
