"""The texts of exercise 12.8, and the compiler at hand."""

import pathlib
import runpy

import pytest
import torch
import triton

from grader import machine_code
from grader.reference import barrier_intervals

RECORDER = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "tools" / "record" / "ptx.py"))
WARPS = [1, 2, 4, 8, 16, 32]


@pytest.mark.whole
@pytest.mark.parametrize("gpu", ["T4", "A100", "H100"])
def test_the_prediction_holds_for_the_compiler_at_hand(gpu):
    """5.1 on a row of 1024, which gives every thread a part; with each Triton that make matrix runs."""
    x = torch.empty(4, 1024)
    made = machine_code(RECORDER["softmax_kernel"], x, x, 1024, 1024, 1024, BLOCK=1024, gpu=gpu, num_warps=WARPS)

    found = [barrier_intervals.shuffles(column.ptx) for column in made.columns]

    assert [barrier_intervals.predicted(warps) for warps in WARPS] == [[n for n in counts if n] for counts in found]
    assert [column.shuffles for column in made.columns] == [sum(counts) for counts in found]
    assert [column.barriers for column in made.columns] == [len(counts) - 1 for counts in found]


@pytest.mark.whole
def test_recorded_texts_have_the_barrier_intervals_of_the_compiler_at_hand():
    """But for empty ones, whose number differs between versions."""

    def counts(texts):
        return [[n for n in barrier_intervals.shuffles(text["ptx"]) if n] for text in texts]

    made = RECORDER["made"]()
    for version in {text["triton"] for text in barrier_intervals.recorded()}:
        assert counts(made) == counts(text for text in barrier_intervals.recorded() if text["triton"] == version)


@pytest.mark.whole
def test_recorded_texts_of_this_triton_are_those_that_it_makes():
    """As tools/record/ptx.py records them."""
    kept = [text for text in barrier_intervals.recorded() if text["triton"] == triton.__version__]
    if not kept:
        pytest.skip(f"no text of Triton {triton.__version__} is recorded")

    assert kept == RECORDER["made"]()


def test_versions_differ_in_their_barriers():
    """So no count of barriers can be judged."""
    lengths = {
        len(barrier_intervals.shuffles(text["ptx"]))
        for text in barrier_intervals.recorded()
        if text["kernel"] == "softmax_kernel" and text["num_warps"] == 4
    }

    assert lengths == {4, 6}


@pytest.mark.parametrize("counts", [[0], [3], [0, 0], [2, 0, 1], [1, 4, 0]], ids=str)
def test_a_text_written_by_hand_has_the_barrier_intervals_asked_for(counts):
    """Its lines begin as a compiler's."""
    assert counts == barrier_intervals.shuffles(barrier_intervals.written(counts))
