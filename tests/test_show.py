"""traffic(fn, *args): the table, the picture, and its words."""

import io
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
    assert [("exp", 12, 12), ("mul", 12, 12)] == run(two_passes, 3, 4).rows
    assert (2.0, 2.0) == run(two_passes, 3, 4).totals()


def test_views_move_nothing_and_indices_count_as_bytes_only():
    """Transposing and slicing is free; max(dim) writes 64-bit indices besides."""
    counted = run(views_and_counts, 4, 6)

    assert [("clone", 24, 24), ("max", 24, 4)] == counted.rows
    assert ((24 + 24) * 4, (24 + 4) * 4 + 4 * 8) == counted.bytes


def test_operations_in_place_read_and_write_their_tensor():
    """copy_ writes its target without reading it."""
    assert [("clone", 6, 6), ("exp_", 6, 6), ("div_", 6, 6), ("copy_", 6, 6)] == run(in_place, 2, 3).rows


def test_making_a_tensor_like_another_reads_nothing():
    """zeros_like writes its zeros; empty_like not even that."""
    assert [("zeros_like", 0, 6)] == run(lambda x: (torch.zeros_like(x), torch.empty_like(x)), 2, 3).rows


def test_a_broadcast_vector_is_read_once():
    """M elements, however often they are spread."""
    assert [("sub", 12 + 3, 12)] == traffic.count(lambda a, b: a - b, (torch.ones(3, 4), torch.ones(3, 1)), {}).rows


def test_the_table_says_elements_and_units(capsys):
    """What a notebook prints."""
    grader.traffic(two_passes, torch.ones(3, 4))

    lines = capsys.readouterr().out.splitlines()
    assert "operation          elements read       elements written" == lines[0]
    assert "exp                12 =  1.00 MN          12 =  1.00 MN" == lines[1]
    assert ["in", "bytes", "96", "96"] == lines[-1].split()


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

    assert 704 == width and 150 < height < 900
    assert charts.png(charts.traffic(runs)) == charts.png(charts.traffic(runs))
