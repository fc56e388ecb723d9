"""Drawings of lessons 12 and 13: facts of the drawing, from runs of right and wrong functions."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import math
import re

import pytest
import torch
from attending import attention, lazy_attention, nan_attention, unmasked_attention

from grader import draw, interpreter
from grader.interpreter import KernelMisuse

interpreter.install()
GENERATOR = torch.Generator().manual_seed(28)
Q, K, V = (torch.randn(8, 4, generator=GENERATOR) for _ in range(3))


def grid(drawing):
    """The words of the tiles, a list for each program, read off the first table."""
    body = drawing.page.split("<tbody>")[1].split("</tbody>")[0]
    rows = [re.findall(r"<td[^>]*>([^<]*)", row) for row in body.split("<tr")[1:]]
    return [[words.strip() for words in row] for row in rows]


def test_attention_without_a_mask_computes_every_tile():
    """In the order of the keys."""
    assert [[f"{n} computed" for n in range(1, 5)]] * 4 == grid(draw.attention_tiles(attention, Q, K, V, False, 2))


def test_causal_attention_has_a_staircase():
    """Computed below, partial on it, skipped to the right; the words of the drawing say the same."""
    drawing = draw.attention_tiles(attention, Q, K, V, True, 2)

    assert grid(drawing) == [
        ["1 partial", "skipped", "skipped", "skipped"],
        ["1 computed", "2 partial", "skipped", "skipped"],
        ["1 computed", "2 computed", "3 partial", "skipped"],
        ["1 computed", "2 computed", "3 computed", "4 partial"],
    ]
    assert "Program 1, queries 2-3: keys 0-1 computed (1); keys 2-3 partial (2); keys 4-5 skipped" in repr(drawing)


def test_the_drawing_follows_the_run_and_not_the_argument():
    """A kernel that loads all tiles and masks them; one that masks nothing; one whose weights are NaN."""
    lazy, unmasked, broken = (
        grid(draw.attention_tiles(each, Q, K, V, True, 2))[0]
        for each in (lazy_attention, unmasked_attention, nan_attention)
    )

    assert lazy == ["1 partial", "2 masked", "3 masked", "4 masked"]
    assert unmasked == ["1 computed", "skipped", "skipped", "skipped"]
    assert broken == ["1 not a number", "skipped", "skipped", "skipped"]


def test_the_weights_are_those_of_the_learners_run():
    """Of each query they sum to 1, and masked ones are 0."""
    page = draw.attention_tiles(attention, Q, K, V, True, 8).page
    rows = re.search(r"monospace[^>]*>(.*?)</div>", page)[1].split("<br>")
    expected = torch.softmax((Q @ K.T * 0.5).masked_fill(~torch.ones(8, 8).tril().bool(), -math.inf), dim=1)

    assert len(rows) == 8
    for row, weights in zip(rows, expected.tolist()):
        found = [float(word.replace("&lt;", "")) for word in row.split()]
        assert all(abs(a - b) <= 0.0101 for a, b in zip(found, weights)) and found.count(0) == weights.count(0)


def test_ragged_sizes_and_one_program():
    """Seven queries, five keys; and one tile, which needs no frames."""
    drawing = draw.attention_tiles(attention, Q[:7], K[:5], V[:5], False, 4)
    assert [["1 computed", "2 computed"]] * 2 == grid(drawing) and "queries 4-6: keys 0-3" in repr(drawing)
    assert 'type="radio"' not in draw.attention_tiles(attention, Q, K, V, False, 8).page


def test_attention_without_those_tensors_is_a_sentence():
    """A function that launches nothing."""
    with pytest.raises(KernelMisuse, match="loads from q_ptr and k_ptr, and it loads nothing there"):
        draw.attention_tiles(lambda q, k, v: q @ k.T @ v, Q, K, V)


def tree_reduce(values):
    states = [values]
    while len(values) > 1:
        half = len(values) // 2
        values = [values[i] + values[i + half] for i in range(half)]
        states.append(values)
    return states


def neighbours(values):
    states = [list(values)]
    while len(values) > 1:
        values = [sum(values[i : i + 2]) for i in range(0, len(values), 2)]
        states.append(values)
    return states


def butterfly(lanes, combine):
    offset = len(lanes) // 2
    while offset > 0:
        lanes = [combine(lanes[lane], lanes[lane ^ offset]) for lane in range(len(lanes))]
        offset //= 2
    return lanes


def upwards(lanes, combine):
    if len(lanes) == 1:
        return lanes
    low, high = upwards(lanes[::2], combine), upwards(lanes[1::2], combine)
    return [combine(*pair) for a, b in zip(low, high) for pair in ((a, b), (b, a))]


def in_place(lanes, combine):
    for offset in (4, 2, 1):
        for lane in range(8):
            lanes[lane] = combine(lanes[lane], lanes[lane ^ offset])
    return lanes


def merge(a, b):
    m = max(a[0], b[0])
    return (m, 0.0) if m == -math.inf else (m, a[1] * math.exp(a[0] - m) + b[1] * math.exp(b[0] - m))


def two_level(lanes_m, lanes_d):
    lanes = list(zip(lanes_m, lanes_d))
    warps = [butterfly(lanes[first : first + 32], merge)[0] for first in range(0, len(lanes), 32)]
    return butterfly(warps + [(-math.inf, 0.0)] * (32 - len(warps)), merge)[0]


def zero_filled(lanes_m, lanes_d):
    warps = [butterfly(list(zip(lanes_m, lanes_d)), merge)[0]]
    return butterfly(warps + [(0.0, 0.0)] * 31, merge)[0]


NUMBERS = [3.0, 1.0, 7.0, 0.0, 4.0, 1.0, 6.0, 3.0]


def cells(drawing):
    """(number, places that it was added of) of each cell."""
    found = re.findall(r"<b>([^<]*)</b>(?:<br><small>(.*?)</small>)?", drawing.page)
    return [(number, origin.replace("<br>", " ")) for number, origin in found]


def test_a_tree_shows_its_sums_with_their_origin():
    """By halves, or by neighbours; and a line from each of both numbers."""
    halves, pairs = draw.tree(tree_reduce, NUMBERS), draw.tree(neighbours, NUMBERS)

    assert cells(halves)[8:12] == [("7", "0 + 4"), ("2", "1 + 5"), ("13", "2 + 6"), ("3", "3 + 7")]
    assert cells(halves)[12:] == [("20", "0 + 2"), ("5", "1 + 3"), ("25", "0 + 1")]
    assert cells(pairs)[8:10] == [("4", "0 + 1"), ("7", "2 + 3")] and cells(pairs)[-1] == ("25", "0 + 1")
    assert 14 == halves.page.count("<line ") == pairs.page.count("<line ")
    assert "Step 3: place 0 = 0 + 1, 25." in repr(halves)


@pytest.mark.parametrize("function, partner", [(butterfly, 4), (upwards, 4)])
def test_a_butterfly_ends_with_the_sum_in_every_lane(function, partner):
    """However it is written; eight sums per step, each of two numbers of the step before."""
    found = cells(draw.butterfly(function, NUMBERS))

    assert 4 * 8 == len(found) and ["25"] * 8 == [number for number, _ in found[-8:]]
    assert {lane: {lane, lane ^ partner} for lane in range(8)} == {
        lane: set(map(int, origin.split(" + "))) for lane, (_, origin) in enumerate(found[8:16])
    }
    assert not any("new" in origin for _, origin in found)
    assert 3 * 16 == draw.butterfly(function, NUMBERS).page.count("<line ")


def test_a_butterfly_in_place_shows_which_numbers_were_too_new():
    """The upper lanes of a step read what the lower ones have just stored."""
    drawing = draw.butterfly(in_place, NUMBERS)
    first = cells(drawing)[8:16]

    assert [False] * 4 + [True] * 4 == ["◆ new" in origin for _, origin in first]
    assert "◆ new: a number of the same step" in drawing.page and "lane 4 = 4 + 0 ◆ new, 11" in repr(drawing)


def test_two_levels_show_the_calls_and_what_fills_the_last_one():
    """Four warps, then their states and 28 more; the values are those of the run."""
    numbers = torch.randn(128, generator=torch.Generator().manual_seed(1)).tolist()
    drawing, x = draw.two_level(two_level, numbers, [1.0] * 128), torch.tensor(numbers, dtype=torch.float64)
    said = repr(drawing)

    names = re.findall(r'scope="row"[^>]*>([^<]*)</th>', drawing.page)
    assert names == ["warp 0", "warp 1", "warp 2", "warp 3", "second level"]
    assert all(f"warp {n}: threads {32 * n}-{32 * n + 31}: " in said for n in range(4)) and "28 × (-inf, 0)" in said
    assert f"The result is ({x.max():.3g}, {(x - x.max()).exp().sum():.3g}); calls of butterfly: 5." in said
    assert "31 × (0, 0)" in repr(draw.two_level(zero_filled, numbers[:32], [1.0] * 32))


def test_two_levels_with_equal_numbers_are_not_mixed_up():
    """All threads hold the same: still the threads of each warp."""
    said = repr(draw.two_level(two_level, [0.0] * 64, [1.0] * 64))

    assert "warp 0: threads 0-31: " in said and "warp 1: threads 32-63: " in said and "30 × (-inf, 0)" in said
    assert "The result is (0, 64); calls of butterfly: 3." in said


def test_drawings_need_neither_script_nor_picture_and_speak():
    """Each table is read out; nothing in it is told by a place on the page alone."""
    for drawing in (
        draw.tree(tree_reduce, NUMBERS),
        draw.butterfly(butterfly, NUMBERS),
        draw.two_level(two_level, [0.0] * 64, [1.0] * 64),
        draw.attention_tiles(attention, Q, K, V, True, 2),
    ):
        page = drawing._repr_mimebundle_()["text/html"]
        assert page.count("<table") == page.count('role="img" aria-label="') > 0
        assert "<script" not in page and "<img" not in page and len(repr(drawing)) > 100
