"""trace(..., sectors=True): the sectors of 32 bytes that the requests of a kernel's warps touch."""

import os

os.environ["TRITON_INTERPRET"] = "1"


import pytest
import torch
from conftest import unwrapped
from traced import column_kernel, copied, copy_kernel, standing_tile_kernel, tile_kernel, unmasked_kernel

import grader
from grader import environment, interpreter
from grader.interpreter import state
from grader.interpreter.sectors import SectorCounter
from grader.notebook import trace_sectors

interpreter.install()


def counted(kernel, *args, grid=(1,), **kwargs):
    """{(operation, tensor): entry} of one launch."""
    counter = SectorCounter()
    with interpreter.recording(recorder=counter):
        kernel[grid](*args, **kwargs)
    return {(entry.op, entry.tensor): entry for entry in counter.requests}


def of_load(entries):
    entry = entries["load", "x_ptr"]
    return entry.requests, entry.sectors, entry.least


@pytest.mark.parametrize("first, dtype, expected", [
    (0, torch.float32, 4), (1, torch.float32, 5), (8, torch.float32, 4), (7, torch.float32, 5),
    (0, torch.float16, 2), (1, torch.float16, 3), (0, torch.float64, 8), (1, torch.float64, 9), (0, torch.int8, 1),
])  # fmt: skip
def test_neighbours_fill_their_sectors_and_an_offset_adds_one(first, dtype, expected):
    """32 lanes, from the element `first` on: 128 bytes of float32 are 4 sectors where they begin with one, else 5."""
    x = torch.zeros(64, dtype=dtype)
    requests, found, least = of_load(counted(copy_kernel, torch.zeros(32, dtype=dtype), x[first:], 32, BLOCK=32))

    assert (1, expected, 32 * x.element_size() // 32) == (requests, found, least)


@pytest.mark.parametrize("step, expected", [(0, 1), (1, 4), (2, 8), (3, 12), (4, 16), (8, 32), (32, 32)])
def test_a_stride_spreads_a_request(step, expected):
    """32 elements that lie `step` apart; the same element for all lanes is one sector."""
    found = of_load(counted(column_kernel, torch.zeros(1024), 32, step, ROWS=32))

    assert (1, expected, 1 if step == 0 else 4) == found


def test_a_request_is_32_lanes_and_masked_ones_ask_for_nothing():
    """40 of 96 lanes: a whole request, one of 8 lanes, and none."""
    assert of_load(counted(copy_kernel, torch.zeros(40), torch.zeros(40), 40, BLOCK=128)) == (2, 5, 5)
    assert of_load(counted(copy_kernel, torch.zeros(1), torch.zeros(1), 1, BLOCK=1)) == (1, 1, 1)


def test_rows_of_odd_length_begin_within_a_sector():
    """Three rows of 33 numbers: 5, 5 and 5 sectors each with its last number; four more for 40, a multiple of 8."""
    odd, even = torch.zeros(3, 33), torch.zeros(3, 40)
    rows = [of_load(counted(tile_kernel, torch.zeros(1, n), x[r : r + 1], 1, n, ROWS=1, BLOCK=n_block))
            for x, n, n_block in ((odd, 33, 64), (even, 40, 64)) for r in range(3)]  # fmt: skip

    assert rows[:3] == [(2, 5, 5), (2, 6, 5), (2, 6, 5)] and [(2, 5, 5)] * 3 == rows[3:]


def test_a_block_is_numbered_along_its_neighbours_in_memory():
    """A tile that stands on its side asks for what the lying one asks for."""
    x, y = torch.zeros(4, 32), torch.zeros(4, 32)
    lying = of_load(counted(tile_kernel, y, x, 4, 32, ROWS=4, BLOCK=32))

    assert (4, 16, 16) == lying == of_load(counted(standing_tile_kernel, x, 4, 32, ROWS=4, BLOCK=32))


def test_programs_of_one_pass_are_counted_as_each_alone(monkeypatch):
    """Batched passes change no count, and no request that is shown."""
    x, found = torch.zeros(40, 33), []
    for batch in (True, False):
        monkeypatch.setattr(state.current, "batch", batch)
        found.append(counted(tile_kernel, torch.zeros(40, 33), x, 40, 33, ROWS=1, BLOCK=64, grid=(40,)))

    assert found[0] == found[1] and found[0]["load", "x_ptr"].requests == 80


def test_the_text_says_requests_sectors_and_the_least(capsys):
    """And the picture's description says the same, and where the drawn request lies."""
    picture = grader.trace(copy_kernel, torch.zeros(32), torch.zeros(64)[1:], 32, BLOCK=32, grid=(1,), sectors=True)
    lines = capsys.readouterr().out.splitlines()

    assert lines == [
        "A request is a load or store of 32 neighbouring lanes, by one warp. A sector is 32 bytes of memory.",
        "copy_kernel",
        "  loads from x_ptr: 1 request, 5 sectors: 5 a request; 4 would be enough",
        "  stores to y_ptr: 1 request, 4 sectors: 4 a request; the fewest possible",
    ]
    bundle = picture._repr_mimebundle_()
    assert all(" ".join(line.split()) in bundle["text/plain"] for line in lines) and bundle["image/png"]
    assert "loads from x_ptr, program 0, lanes 0 to 31: 5 sectors: bytes 0 to 159." in bundle["text/plain"]
    assert 'alt="Picture of the sectors of a request. ' in bundle["text/html"]


def test_the_picture_has_a_number_for_each_lane_and_says_what_it_leaves_out():
    """Lane numbers in the cells that were asked for; 8 lines of 128 bytes at most."""
    entries = counted(column_kernel, torch.zeros(1024), 32, 32, ROWS=32)
    said = [text.get_text() for text in trace_sectors.figure(list(entries.values())).axes[0].texts]

    assert "loads from x_ptr, program 0, lanes 0 to 31: 32 sectors (drawn: 8 of 32 lines of 128 bytes)" in said
    assert {str(lane) for lane in range(8)} <= set(said) and "9" not in said


def test_what_the_guard_stops_is_no_request(capsys):
    """The access before it counts, and the sentence about it is there."""
    grader.trace(unmasked_kernel, torch.zeros(1, 5), torch.zeros(1, 5), 5, 5, BLOCK=8, grid=(1,), sectors=True)
    lines = unwrapped(capsys.readouterr().out)

    assert lines[2] == "  loads from x_ptr: 1 request, 1 sector: 1 a request; the fewest possible"
    assert lines[3].startswith("stopped before it happened: ") and len(lines) == 4


def test_where_kernels_are_compiled_a_worker_counts_the_same(capsys, monkeypatch):
    """A function with two launches, and a slice that begins within a sector."""
    said = []
    for elsewhere in (False, True):
        if elsewhere:
            monkeypatch.setattr(environment, "interpreted", lambda: False)
        grader.trace(copied, torch.ones(12)[5:], sectors=True)
        said.append(capsys.readouterr().out)

    assert said[0] == said[1] and said[0].count("copy_kernel") == 2
    assert "loads from x_ptr: 2 requests, 3 sectors" in said[0]
