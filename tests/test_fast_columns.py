"""Softmax along any dimension: right where the interpreter runs it. What needs a GPU is in tests/slow/on_a_gpu.py."""

import pytest
import torch
from test_fast import DTYPES, FAMILIES, guarded  # noqa: F401

from grader import fast
from grader.checks import inputs
from grader.fast import column_clusters, column_launchers, plans

DIGITS = {torch.float32: 4e-6, torch.bfloat16: 8e-3, torch.float16: 1.2e-3}


@pytest.fixture(params=[column_launchers.TILE, 64], ids=["whole columns", "pieces of columns"])
def _tile(request, monkeypatch):
    """Columns that fit into a program, and the same ones where they do not."""
    monkeypatch.setattr(column_launchers, "TILE", request.param)
    for name in ("_forward_plans", "_backward_plans"):
        monkeypatch.setattr(column_launchers, name, plans.Plans())


def _check(x, dim):
    """Both functions and their gradients against those of float64; strides as of an elementwise function."""
    x = x.detach().requires_grad_()
    dy = torch.randn(x.shape, generator=inputs.generator(x.numel()))
    for ours, theirs in ((fast.softmax, torch.softmax), (fast.log_softmax, torch.log_softmax)):
        y, want = ours(x, dim), theirs(x.double(), dim)
        assert y.stride() == torch.empty_like(x).stride()
        torch.testing.assert_close(y.double(), want, rtol=DIGITS[x.dtype], atol=1e-6, equal_nan=True)
        (got,) = torch.autograd.grad(y, x, dy.to(x.dtype))
        (want,) = torch.autograd.grad(want, x, dy.to(x.dtype).double())
        allowed = 2e-5 if x.dtype == torch.float32 else 4e-2
        torch.testing.assert_close(got.double(), want.double(), rtol=2 * DIGITS[x.dtype], atol=allowed, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "shape, dim",
    [
        ((3, 5, 7), 1), ((3, 5, 8), 1), ((2, 33, 20), -2), ((40, 9), 0), ((2, 3, 4, 5), 1), ((2, 3, 4, 5), 2),
        ((2, 70, 3), 1), ((1, 300, 6), 1), ((1, 2, 2), 0), ((3, 1, 4), 1), ((0, 3, 4), 1), ((3, 0, 4), 2),
    ],
    ids=str,
)  # fmt: skip
def test_any_dimension(shape, dim, dtype, _tile):
    """Short columns and long ones, with steps that begin at a vector and anywhere; no elements."""
    _check((torch.randn(shape, generator=inputs.generator(1)) * 3).to(dtype), dim)


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 2, 1), (2, 0, 1)], ids=str)
def test_permuted_strides(order, dim, _tile):
    """They stay, whichever dimension is the last in memory."""
    _check(torch.randn(4, 6, 10, generator=inputs.generator(2)).permute(order), dim)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_gaps_and_repeated_elements(dim):
    """Strides that are no permutation."""
    x = torch.randn(4, 6, 10, generator=inputs.generator(3))
    for view in (x[:, ::2], x[:, :, ::2], x[:, :, 1:], x[1:3, 2:5], x[:1].expand(3, 6, 10), x[..., :1].expand(4, 6, 5)):
        _check(view, dim)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_every_family_along_columns(family, dtype, _tile):
    """Numbers far from zero, -inf, outliers."""
    x = family(3, 77, inputs.generator(4)).to(dtype).t().contiguous()
    for ours, theirs in ((fast.softmax, torch.softmax), (fast.log_softmax, torch.log_softmax)):
        want = theirs(x.double(), 0)
        torch.testing.assert_close(ours(x, 0).double(), want, rtol=DIGITS[dtype], atol=1e-6, equal_nan=True)


def test_columns_without_a_number_become_nan(_tile):
    """As in torch.softmax: nothing but -inf, an inf, a NaN. -inf alone in a piece of a column does not."""
    x = torch.randn(40, 5, generator=inputs.generator(5))
    x[:, 0], x[3, 1], x[39, 2], x[:20, 3] = -torch.inf, torch.inf, torch.nan, -torch.inf
    assert fast.softmax(x, 0).isnan().all(0).tolist() == [True, True, True, False, False]
    torch.testing.assert_close(fast.softmax(x, 0), torch.softmax(x, 0), equal_nan=True)


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
def test_second_gradients_vmap_and_compilers(function):
    """Along a dimension that is not the last."""
    ours, theirs = getattr(fast, function), getattr(torch, function)
    x, dy, g = (torch.randn(3, 4, 5, generator=inputs.generator(i)) for i in range(3))

    def second(f, *tensors):
        x, dy, g = (t.detach().clone().requires_grad_() for t in tensors)
        (dx,) = torch.autograd.grad(f(x, 1), x, dy, create_graph=True)
        return torch.autograd.grad(dx, (x, dy), g)

    for got, want in zip(second(ours, x, dy, g), second(theirs, *(t.double() for t in (x, dy, g))), strict=True):
        torch.testing.assert_close(got.double(), want, rtol=1e-4, atol=1e-6)
    for dim in (0, 1, 2):
        got = torch.func.vmap(lambda x: ours(x, 0), in_dims=dim)(x)
        torch.testing.assert_close(got, torch.func.vmap(lambda x: theirs(x, 0), in_dims=dim)(x), rtol=1e-5, atol=1e-6)
    compiled = torch.compile(lambda x: 2 * ours(x, 1), backend="aot_eager", fullgraph=True)
    for view in (x, x.transpose(0, 1)):
        torch.testing.assert_close(compiled(view), 2 * theirs(view, 1))
        assert compiled(view).stride() == view.stride()


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("inputs_", [1, 2])
def test_a_division_of_columns_holds_them(inputs_, size):
    """All steps have a place; no more threads, blocks and registers than there may be."""
    for outer in (1, 7, 300):
        for inner in (1, 8, 60, 256, 50304):
            for wide in (1, 2, 4):
                for n in (2, 3, 21, 197, 1000, 4096, 30000, 100000):
                    divided = column_clusters.division(outer, n, inner, size, wide, inputs_, 132, 16)
                    if divided is None:
                        assert n > 4096
                        continue
                    groups = divided.threads // divided.lanes
                    assert divided.blocks * groups * divided.steps >= n and divided.blocks in (1, 2, 4, 8, 16)
                    assert divided.threads in (32, 64, 128, 256, 512) and 1 <= divided.lanes <= 32
                    assert divided.steps * wide * inputs_ <= 64
                    assert divided.resident(inputs_) * divided.threads <= 2048
                    columns = divided.lanes * wide * 4 // size
                    assert 8 * columns * (divided.threads // 32 + 1) <= 48 * 1024
