"""traffic(fn, *args): the table, the picture, and its words."""

import io
import re
import struct

import pytest
import torch

import grader
from grader.notebook import charts, traffic


def two_passes(x):
    return torch.exp(x) * 2


def views_and_counts(x):
    y = x.t().contiguous().view(-1)[::2].expand(3, -1)
    y.shape, y.stride(), y.is_contiguous()
    return x.max(dim=1).values.unsqueeze(1)


def in_place(x):
    z = x.clone()
    z.exp_().div_(2)
    z.copy_(x)
    return z


def run(fn, *shape):
    return traffic.count(fn, (torch.randn(*shape),), {})


def test_every_operation_is_a_row():
    """exp and mul each read and write the matrix."""
    assert run(two_passes, 3, 4).rows == [("exp", 12, 12), ("mul", 12, 12)]
    assert run(two_passes, 3, 4).totals() == (2.0, 2.0)


def test_views_move_nothing_and_indices_count_as_bytes_only():
    """Transposing and slicing is free; max(dim) writes 64-bit indices besides."""
    counted = run(views_and_counts, 4, 6)

    assert counted.rows == [("clone", 24, 24), ("max", 24, 4)]
    assert ((24 + 24) * 4, (24 + 4) * 4 + 4 * 8) == counted.bytes


def test_operations_in_place_read_and_write_their_tensor():
    """copy_ writes its target without reading it."""
    assert run(in_place, 2, 3).rows == [("clone", 6, 6), ("exp_", 6, 6), ("div_", 6, 6), ("copy_", 6, 6)]


def test_making_a_tensor_like_another_reads_nothing():
    """zeros_like writes its zeros; empty_like not even that."""
    assert run(lambda x: (torch.zeros_like(x), torch.empty_like(x)), 2, 3).rows == [("zeros_like", 0, 6)]


def test_a_broadcast_vector_is_read_once():
    """M elements, however often they are spread."""
    assert [("sub", 12 + 3, 12)] == traffic.count(lambda a, b: a - b, (torch.ones(3, 4), torch.ones(3, 1)), {}).rows


def test_the_table_says_elements_and_units(capsys):
    """What a notebook prints."""
    grader.traffic(two_passes, torch.ones(3, 4))

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "operation          elements read       elements written"
    assert lines[1] == "exp                12 =  1.00 MN          12 =  1.00 MN"
    assert lines[-1].split() == ["in", "bytes", "96", "96"]


def test_the_picture_is_described_in_words():
    """The description holds every number the picture shows, and travels with it as alternative text."""
    picture = traffic.picture([run(two_passes, 3, 4), run(in_place, 2, 3)])
    bundle = picture._repr_mimebundle_()

    assert "two_passes: exp 2.00, mul 2.00; in all 2.00 read and 2.00 written." in bundle["text/plain"]
    assert f'alt="{bundle["text/plain"]}"' in bundle["text/html"]


@pytest.mark.parametrize("count", [1, 3])
def test_the_picture_fits_a_phone_and_grows_with_its_bars(count):
    """One width, some height a bar; equal runs give equal bytes."""
    import base64

    runs = [run(two_passes, 3, 4)] * count
    data = base64.b64decode(charts.png(charts.traffic(runs)))
    width, height = struct.unpack(">II", io.BytesIO(data).getbuffer()[16:24])

    assert width == 704 and 150 < height < 900
    assert charts.png(charts.traffic(runs)) == charts.png(charts.traffic(runs))


def colours_of(data):
    """The RGBA values of a PNG in base64, as an array of shape (height, width, 4)."""
    import base64

    from matplotlib.image import imread

    return imread(io.BytesIO(base64.b64decode(data)))


def test_a_chart_has_no_ground_of_its_own():
    """The corners of the PNG are transparent, and nothing in it that is not on a fill is black."""
    pixels = colours_of(charts.png(charts.traffic([run(two_passes, 3, 4)])))

    assert 0 == pixels[0, 0, 3] == pixels[-1, -1, 3] and 0.5 < (pixels[..., 3] == 0).mean()
    left = pixels[len(pixels) // 3 :, :40]  # names of operations, left of the bars and below the legend
    words = left[left[..., 3] == 1]
    assert len(words) and words[:, :3].min() > 0.4


def test_a_chart_follows_the_page_and_leaves_an_image_where_svg_is_dropped():
    """Words have the colour of the page; the image stands in the description of the SVG, which no page shows."""
    page = traffic.picture([run(two_passes, 3, 4)])._repr_mimebundle_()["text/html"]
    drawn, image = re.search(r"<svg.*</svg>", page, re.DOTALL)[0], re.search(r"<desc>(<img [^>]*>)</desc>", page)[1]

    assert "currentColor" in drawn and charts._INK not in drawn and "<style" not in drawn and "<metadata" not in drawn
    assert 'role="img" aria-label="Bar chart' in drawn and 'alt="Bar chart' in image
    assert re.sub(r"<[^>]*>", "", drawn).strip() == ""  # no word would be left where the tags are dropped
    assert page == traffic.picture([run(two_passes, 3, 4)])._repr_mimebundle_()["text/html"]


def test_black_edges_stay_on_what_is_filled():
    """A hatch in the page's colour would vanish on its light fill; an axis in black, on a dark page."""
    figure = charts.traffic([run(two_passes, 3, 4)])
    charts.see_through(figure)
    axes = figure.axes[0]

    assert {bar.get_edgecolor() for bar in axes.patches} == {(0, 0, 0, 1)}
    assert not any(charts._black(spine.get_edgecolor()) for spine in axes.spines.values())
    assert not any(charts._black(text.get_color()) for text in axes.get_yticklabels())
