"""trace(kernel, ...): what it says a kernel touched, in words and in the picture. Run with each Triton too."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import contextlib
import io
import re

import numpy as np
import pytest
import torch
from conftest import unwrapped
from traced import (
    before_kernel,
    column_kernel,
    copied,
    copy_kernel,
    grid_kernel,
    nowhere_kernel,
    parts_kernel,
    split_kernel,
    standing_tile_kernel,
    stub_kernel,
    tile_kernel,
    unmasked_kernel,
)

import grader
from grader import interpreter
from grader.interpreter import KernelMisuse
from grader.interpreter.address_space import AddressSpace
from grader.interpreter.recorder import Recorder, lines
from grader.notebook import drawing, trace_drawing, trace_text, trace_time
from grader.notebook import trace as tracing
from grader.notebook.trace_text import pieces

interpreter.install()


def blank(*shape):
    return torch.full(shape, float("nan"))


@pytest.fixture
def trace(capsys):
    """trace, and the lines it prints; the picture's description holds each of them."""

    def run(*args, **kwargs):
        picture = grader.trace(*args, **kwargs)
        lines = unwrapped(capsys.readouterr().out)
        if picture is not None:
            bundle = picture._repr_mimebundle_()
            for line in lines:
                assert " ".join(line.split()) in bundle["text/plain"]
            assert (
                bundle["text/plain"].startswith("Picture of these accesses. ") and "aria-label" in bundle["text/html"]
            )
        return lines

    return run


def test_a_copy_with_a_masked_tail(trace):
    """Three programs of eight lanes, twenty elements: four lanes are masked. The copy is there afterwards."""
    x, y = torch.randn(20), blank(20)

    assert trace(copy_kernel, y, x, 20, BLOCK=8, grid=(3,)) == [
        "copy_kernel, 3 programs",
        "loads from x_ptr, a tensor of 20 elements",
        "  program 0   elements 0-7",
        "  program 1   elements 8-15",
        "  program 2   elements 16-19; 4 lanes masked",
        "stores to y_ptr, a tensor of 20 elements",
        "  the same elements by the same programs",
    ]
    assert torch.equal(x, y)


def test_rows_that_are_stored_twice_are_pointed_out_in_the_order_of_the_programs(trace):
    """The last program named is the one whose value stands."""
    x, y = torch.ones(2, 5), blank(3, 5)

    forward = trace(unmasked_kernel, y, x, 5, 5, BLOCK=8, grid=(2,))
    assert y[1, 0].item() == 2
    backward = trace(unmasked_kernel, y, x, 5, 5, BLOCK=8, grid=(2,), order="reversed")
    assert y[1, 0].item() == 0

    assert "  program 0   row 0, columns 0-4; row 1, columns 0-2" in forward
    assert forward[-1] == "  touched twice: row 1, columns 0-2, by program 0, then 1"
    assert backward[0] == "unmasked_kernel, 2 programs, in reversed order"
    assert backward[-1] == "  touched twice: row 1, columns 0-2, by program 1, then 0"


def test_an_access_outside_is_shown_and_does_not_happen(trace):
    """trace does not raise: the run stops there, and nothing of that store is done."""
    y = blank(2, 5)
    lines = trace(unmasked_kernel, y, torch.ones(2, 5), 5, 5, BLOCK=8, grid=(2,))

    assert "  program 1   nothing; out of bounds: row 1, columns 5-7" in lines
    assert lines[-1].startswith("stopped before it happened: program 1 stores to y_ptr at row 1, column 5")
    assert "The line is `tl.store(" in lines[-1]
    assert y.flatten().tolist()[:8] == [2, 2, 2, 2, 2, 0, 0, 0] and y[1, 3:].isnan().all()


def test_a_function_with_two_launches(trace):
    """Each launch has its tables."""
    lines = trace(copied, torch.randn(7))

    assert [s for s in lines if s.startswith("copy")] == ["copy_kernel, 2 programs", "copy_kernel, 1 program"]
    assert "  program 1   elements 4-6; 1 lane masked" in lines
    assert "  program 0   elements 0-2; 1 lane masked" in lines


def test_a_block_of_two_dimensions_lies_in_the_rows_of_its_tensor(trace):
    """Lanes beyond the end of a row are masked there, and a row that does not exist is masked altogether."""
    lines = trace(tile_kernel, blank(3, 5), torch.ones(3, 5), 3, 5, ROWS=2, BLOCK=8, grid=(2,))

    assert lines[2] == "  program 0   rows 0-1, columns 0-4; 6 lanes masked"
    assert lines[3] == "  program 1   row 2, columns 0-4; 11 lanes masked"


def panels(kernel, *args, **kwargs):
    grid = kwargs.pop("grid", (1,))
    return tracing.traced(kernel, args, kwargs, grid, "forward")[0]


def test_masked_lanes_lie_beyond_the_end_of_their_row():
    """Where their addresses say, even where that is the next row's memory; whichever way the block lies."""
    expected = [(0, 0, 5, 3), (0, 1, 5, 3)]

    loaded = panels(tile_kernel, blank(2, 5), torch.ones(2, 5), 2, 5, ROWS=2, BLOCK=8)[0]
    standing = panels(standing_tile_kernel, torch.ones(2, 5), 2, 5, ROWS=2, BLOCK=8)[0]

    assert expected == loaded.masked == standing.masked
    assert [(0, 0, 0, 5), (0, 1, 0, 5)] == loaded.touched == standing.touched


def test_views_are_placed_by_their_strides():
    """Rows of a slice, and the columns of a transposed matrix."""
    wide, tall = torch.ones(3, 8)[:, 2:7], torch.ones(5, 3).t()

    assert [(0, r, 0, 1) for r in range(3)] == panels(column_kernel, wide, 3, 8, ROWS=4)[0].touched
    assert panels(column_kernel, tall, 4, 3, ROWS=4)[0].touched == [(0, 0, 0, 4)]


def test_an_access_before_the_tensor(trace):
    """Elements -2 and -1."""
    lines = trace(before_kernel, torch.ones(6), BLOCK=4, grid=(1,))

    assert "  program 0   nothing; out of bounds: elements -2 to -1" in lines


def test_an_address_of_no_tensor(trace):
    """There is no cell to draw, and the sentence says so all the same."""
    lines = trace(nowhere_kernel, blank(1), 2**45 + 2**33, grid=(1,))

    assert len(lines) == 1 and "belongs to no tensor of this launch" in lines[0]


def test_a_grid_of_two_dimensions_numbers_its_programs(trace):
    """A program has as many numbers as its grid."""
    lines = trace(grid_kernel, blank(2, 3), grid=(2, 3))

    assert lines[0] == "grid_kernel, 6 programs in a grid of 2 × 3"
    assert "  program (1, 1) row 1, column 1" in lines


def test_a_large_launch_is_cut_and_says_so(trace):
    """Sixteen programs in the table, sixteen rows and 32 columns in the picture, a limit to what is kept."""
    lines = trace(tile_kernel, blank(40, 70), torch.ones(40, 70), 40, 70, ROWS=1, BLOCK=128, grid=(40,))
    kept = panels(column_kernel, torch.ones(6000, 2), 6000, 2, ROWS=8192)[0]

    assert "  and 24 programs more" in lines
    assert len(kept.touched + kept.masked) == 5000 and not kept.complete
    assert "  (there was more than is kept here)" in trace_text.describe([kept])


def test_many_launches_are_cut_too():
    """Forty launches of a load and a store each."""
    recorder = Recorder()
    with interpreter.recording(recorder=recorder):
        for _ in range(40):
            copy_kernel[(1,)](blank(4), torch.ones(4), 4, BLOCK=4)

    assert len(recorder.panels) == 64
    assert [panel.complete for panel in recorder.panels[-2:]] == [True, False]


@pytest.mark.parametrize(
    "wrong, sentence",
    [
        (lambda: grader.trace(copy_kernel, blank(4), blank(4), 4, BLOCK=4), r"copy_kernel is a kernel.*grid=\(4,\)"),
        (lambda: grader.trace(copied, blank(4), grid=(4,)), "copied is a plain function: a kernel has @triton.jit"),
        (lambda: grader.trace(copied(blank(4))), "got a Tensor"),
        (lambda: grader.trace(copied, blank(4), order="backward"), "choose one of forward, reversed, shuffled"),
        (lambda: grader.trace(copy_kernel, blank(4), blank(4), 4, BLOCK=4, grid=4), "the grid of a launch is a tuple"),
        (
            lambda: grader.trace(copy_kernel, blank(4), blank(4), 4, BLOCK=4, grid=(1, 65536)),
            "copy_kernel was launched with 65,536 programs along axis 1 of the grid, and a GPU takes at most 65,535",
        ),
        (lambda: grader.trace(copy_kernel, blank(4), blank(4), BLOCK=4, grid=(1,)), "missing 1 required"),
    ],
)
def test_misuse_is_a_sentence(wrong, sentence):
    """KernelMisuse, which a notebook shows without a traceback."""
    with pytest.raises(KernelMisuse, match=sentence):
        wrong()


def test_nothing_launched_has_no_picture(trace):
    """A function of PyTorch alone."""
    assert trace(torch.exp, torch.ones(3)) == ["no kernel touched any memory"]


def test_a_stub_says_which_todo_is_open():
    """The error of the launch, which a notebook turns into a sentence."""
    with pytest.raises(Exception, match="TODO 3.1"):
        grader.trace(stub_kernel, blank(1), grid=(1,))


@pytest.mark.parametrize("runs, expected", [
    ([], []),
    ([[0, 0, 0, 3], [1, 0, 3, 2]], [(0, 0, 3, [0]), (0, 3, 2, [1])]),
    ([[1, 0, 2, 4], [0, 0, 0, 3]], [(0, 0, 2, [0]), (0, 2, 1, [1, 0]), (0, 3, 3, [1])]),
    ([[0, 0, 0, 2], [0, 0, 2, 2]], [(0, 0, 4, [0])]),
    ([[0, 1, 0, 2], [0, 1, 0, 2], [0, 0, 5, 1]], [(0, 5, 1, [0]), (1, 0, 2, [0, 0])]),
])  # fmt: skip
def test_runs_are_cut_where_they_overlap(runs, expected):
    """Programs in the order they came; neighbours with the same programs are one piece."""
    assert expected == pieces(runs)


@pytest.mark.parametrize("x", [torch.ones(40), torch.ones(5, 12), torch.ones(5, 12)[1:, 3:9], torch.ones(1, 7)])
def test_an_access_along_a_row_is_kept_as_any_other(x, monkeypatch):
    """Most accesses are neighbours of one row with the last ones masked; those are not looked at lane by lane."""
    memory, kept = AddressSpace(), []
    region = memory.add("x_ptr", x)
    for quick in (True, False):
        recorder, seen = Recorder(), np.random.default_rng(2)
        if not quick:
            monkeypatch.setattr(grader.interpreter.recorder, "lines", lambda addresses, *more: [None] * len(addresses))
        recorder.begin_launch("kernel", [300])
        for program in range(300):
            first, lanes = (int(n) for n in seen.integers((-2, 1), (region.numel + 4, 17)))
            addresses = np.uint64(region.base + first * region.itemsize) + np.arange(
                lanes, dtype=np.uint64
            ) * np.uint64(4)
            mask = np.arange(lanes) < seen.integers(0, lanes + 1)
            recorder.access("load", addresses, mask, memory.regions, program)
        kept.append(recorder.panels)

    assert kept[0] == kept[1] and kept[0][0].touched and kept[0][0].masked and kept[0][0].outside


def test_the_lines_of_many_programs_are_those_of_each():
    """Programs of one batch: of two tensors, with masks of any form, and one beyond the end of its tensor."""
    memory, seen = AddressSpace(), np.random.default_rng(3)
    regions = [memory.add("x_ptr", torch.ones(5, 12)), memory.add("y_ptr", torch.ones(5, 12).T)]
    first = np.uint64(4) * seen.integers(0, 60, 400).astype(np.uint64)
    bases = np.array([region.base for region in regions], np.uint64)[seen.integers(0, 2, 400)]
    steps = np.uint64(4) * np.where(seen.integers(0, 9, 400) > 0, 1, 2).astype(np.uint64)
    addresses = (bases + first)[:, None] + steps[:, None] * np.arange(8, dtype=np.uint64)
    mask = np.arange(8) < seen.integers(0, 9, 400)[:, None]
    mask[::7] = seen.random((len(mask[::7]), 8)) < 0.5

    together = lines(addresses, mask, regions)

    assert together == [lines(addresses[i : i + 1], mask[i : i + 1], regions)[0] for i in range(400)]
    assert 100 < sum(line is None for line in together) < 350


def test_lanes_that_share_an_address_touch_it_once():
    """As the ledger counts."""
    recorder = Recorder()
    with interpreter.recording(recorder=recorder):
        column_kernel[(1,)](torch.ones(4), 4, 0, ROWS=4)

    assert recorder.panels[0].touched == [(0, 0, 0, 1)]


def drawn(*args, **kwargs):
    """(lines of text, HTML) of a trace."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        picture = grader.trace(*args, **kwargs)
    return unwrapped(printed.getvalue()), picture._repr_mimebundle_()["text/html"]


def boxes(page, look):
    """The words in boxes of one look, tags left out."""
    style = re.escape(drawing.LOOKS[look])
    found = re.findall(rf'<(?:td|span)[^>]*style="[^"]*{style}[^"]*"[^>]*>(.*?)</(?:td|span)>', page)
    return [re.sub("<[^>]*>", "", words) for words in found]


NAMES = re.compile(r"<div><div[^>]*><b>(.*?)</b></div>")


def frame(page, name):
    """The HTML of the frame of that name."""
    names, parts = NAMES.findall(page), NAMES.split(page)[2::2]
    return parts[names.index(name)].split("</form>")[0]


def test_forward_and_reversed_look_different():
    """In time, even where every element is touched by the same program; the steps are those of the launch."""
    pages = [
        drawn(copy_kernel, blank(20), torch.ones(20), 20, BLOCK=8, grid=(3,), order=order)[1]
        for order in ("forward", "reversed")
    ]
    rows = [re.findall(r"<b>(\d)</b> (loads|stores) \w+, elements (\d+)", page) for page in pages]

    assert pages[0] != pages[1] and "in reversed order" in pages[1]
    assert rows[0][::2] == [("1", "loads", "0"), ("3", "loads", "8"), ("5", "loads", "16")]
    assert rows[1][::2] == [("1", "loads", "16"), ("3", "loads", "8"), ("5", "loads", "0")]


def test_a_read_before_the_write_is_marked_by_shape_and_word():
    """In the cells, in time, and in the text; and not where the write came first."""
    for order, early in (("forward", 0), ("reversed", 2)):
        lines, page = drawn(parts_kernel, blank(1), blank(3), torch.ones(12), 3, BLOCK=4, grid=(3,), order=order)
        told = [line for line in lines if "read before the write" in line]

        assert early == boxes(frame(page, "all programs"), "early").count("◆ 2")
        assert (early > 0) == bool(told) == ("◆ read before the write" in page)
    stores = "stored by program 1 at step 6, program 0 at step 8"
    assert [f"  read before the write, by program 2 at step 3: elements 0-1; {stores}"] == told


def test_a_program_may_read_what_it_writes_later_itself():
    """In place, each program on its own elements: nothing is too early."""
    x = torch.ones(20)
    lines, page = drawn(copy_kernel, x, x, 20, BLOCK=8, grid=(3,), order="reversed")

    assert not [line for line in lines if "before the write" in line] and "◆" not in page


def test_all_masked_lanes_that_are_counted_are_drawn():
    """Also those that point at elements of another program: three of each of four programs."""
    lines, page = drawn(split_kernel, torch.ones(2, 10), 10, 2, 5, BLOCK=4, grid=(2, 2))
    counted = [int(number) for line in lines for number in re.findall(r"(\d+) lanes? masked", line)]

    assert counted == [3, 3, 3, 3]
    cells = trace_drawing.Cells(panel := panels(split_kernel, torch.ones(2, 10), 10, 2, 5, BLOCK=4, grid=(2, 2))[0])
    places = cells.places(trace_time.accesses(panel))
    assert sum(place.masked.total() for place in places.values()) == 12
    assert sum(place.masked.total() for place in places.values() if place.touched) == 6
    assert len(boxes(frame(page, "all programs"), "masked")) == 12


def test_frames_step_through_the_programs():
    """One for all, and one for each program in the order in which they ran; with names that stay without style."""
    page = drawn(copy_kernel, blank(20), torch.ones(20), 20, BLOCK=8, grid=(3,), order="reversed")[1]
    names = ["all programs", "1: program 2", "2: program 1", "3: program 0"]
    plain = re.sub(r"<style>.*?</style>| style=\"[^\"]*\"", "", page)

    assert names == re.findall(r'type="radio"[^>]*> ([^<]*)</label>', page)
    assert names == NAMES.findall(page) == NAMES.findall(plain) and "<p hidden>" in plain
    assert "<script" not in page and " id=" not in page


def test_a_frame_outlines_what_its_program_touched():
    """Eight lanes of the load and eight of the store; elements that came before keep their number."""
    page = drawn(copy_kernel, blank(20), torch.ones(20), 20, BLOCK=8, grid=(3,))[1]
    first, second = (frame(page, name) for name in ("1: program 0", "2: program 1"))

    assert [each.count(drawing._NOW) for each in (first, second)] == [16, 16]
    assert [each.count(">0</td>") for each in (first, second)] == [16, 16]


def test_large_launches_have_a_bounded_drawing():
    """Forty programs of 128 lanes: no frame, eight turns in time, less than a megabyte."""
    page = drawn(tile_kernel, blank(40, 70), torch.ones(40, 70), 40, 70, ROWS=1, BLOCK=128, grid=(40,))[1]

    assert "drawn: 16 rows × 32 columns" in page and "drawn: the first 8 of 40 turns" in page
    assert 'type="radio"' not in page and len(page) < 1_000_000


def test_equal_runs_give_equal_bytes():
    """As notebooks that are executed twice."""
    pages = {drawn(copy_kernel, blank(20), torch.ones(20), 20, BLOCK=8, grid=(3,))[1] for _ in range(2)}

    assert len(pages) == 1


def test_no_two_looks_are_told_apart_by_colour_alone():
    """Borders and corners differ, or the words do; text on a fill is black on light."""
    shapes = {}
    for name, style in drawing.LOOKS.items():
        kept = re.sub(r"#[0-9a-f]+|color:[^;]*;|print-color-adjust:[^;]*;|background:[^;]*;", "", style)
        shapes.setdefault(kept, []).append(name)
        for fill in re.findall("background:#([0-9a-f]+)", style):
            channels = [
                int(each * (2 if len(fill) == 3 else 1), 16) for each in re.findall("." * (len(fill) // 3), fill)
            ]
            assert min(channels) >= 0x7F and max(channels) > 0xE0 and "color:#000" in style
    assert [names for names in shapes.values() if len(names) > 1] == [["load", "load, odd"], ["store", "store, odd"]]
