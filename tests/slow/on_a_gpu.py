"""The shipped functions on a real GPU: make gpu. What needs two GPUs says so where there is one."""

from __future__ import annotations

import random
import runpy
import sys
import threading

import pytest
import torch

from grader import fast, lessons
from grader.checks import inputs
from grader.fast import backward, pick, plans
from grader.mistakes.mutant import reference

if not torch.cuda.is_available():
    pytest.exit("these tests need a GPU", returncode=2)

DTYPES = [torch.float32, torch.bfloat16, torch.float16]
SHAPES = [
    (1, 1), (5, 3), (4099, 17), (3, 129), (700, 257), (5, 781), (33, 1000), (64, 1025), (7, 4096), (3, 8192),
    (2, 12673), (130, 16384), (3, 20001), (2, 32767), (300, 32000), (5, 50257), (2, 65536), (3, 100003), (2, 131072),
    (1, 262144), (3, 524289), (2, 999999), (1, 1048576), (1, 1048577), (2, 4194304), (1, 5000001),
]  # fmt: skip
# Half a unit in the last place of 16 bits; for float32 some roundings of 6e-8 for each unit below the maximum.
RELATIVE = {torch.float32: 1e-5, torch.bfloat16: 4.1e-3, torch.float16: 6e-4}
SMALLEST = {torch.float32: 1e-37, torch.bfloat16: 1e-37, torch.float16: 6.2e-8}


def _random(m, n, dtype, family=inputs.randn):
    return family(m, n, inputs.generator(m * n)).to(dtype).cuda()


def _same(got, want, dtype):
    """Whether got is want (float64), but for the rounding of its dtype."""
    torch.testing.assert_close(
        got.double(), want, rtol=RELATIVE[dtype], atol=SMALLEST[dtype], equal_nan=True, check_device=False
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_forward_and_backward_of_any_shape(shape, dtype):
    """Also of the logarithm; rows follow each other, lie apart, and begin at any element."""
    x = _random(*shape, dtype)
    wider = torch.empty(shape[0], shape[1] + 3, dtype=dtype, device="cuda")
    for view in (x, wider[:, 3:].copy_(x), wider[:, 1:-2].copy_(x)):
        _same(fast.softmax(view), torch.softmax(view.double(), 1), dtype)
        got, want = fast.log_softmax(view), torch.log_softmax(view.double(), 1)
        torch.testing.assert_close(got.double(), want, rtol=RELATIVE[dtype], atol=1e-5)
    dy = _random(*shape, dtype, inputs.large)
    for log, function in ((False, torch.softmax), (True, torch.log_softmax)):
        y = function(x.double(), 1).to(dtype)
        dx = torch.full_like(y, torch.nan)
        backward.launch(dx, y, dy, log)
        wide, term = y.double(), dy.double()
        weight = wide.exp() if log else wide
        each = term if log else weight * term
        want = each - weight * each.sum(1, keepdim=True)
        summed = each.abs() + weight * each.abs().sum(1, keepdim=True)  # what is rounded on the way
        allowed = RELATIVE[dtype] * want.abs() + 3e-6 * summed + SMALLEST[dtype]
        assert bool(((dx.double() - want).abs() <= allowed).all())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "family",
    [inputs.large, inputs.far_below_zero, inputs.cliff, inputs.rising_cliff, inputs.constant, inputs.one_minus_inf,
     inputs.leading_minus_inf, inputs.outlier],
    ids=lambda f: f.__name__,
)  # fmt: skip
@pytest.mark.parametrize("n", [129, 1000, 20001, 131072, 1200001])
def test_extremes(n, family, dtype):
    """Every route that a length can take."""
    x = _random(3, n, dtype, family)
    _same(fast.softmax(x), torch.softmax(x.double(), 1), dtype)


# Softmax goes along the second dimension. Columns in a block, in a cluster, in pieces; steps that begin anywhere.
ALONG = [
    (3, 2, 5), (2, 7, 64), (64, 21, 4096), (5, 64, 8), (3, 129, 77), (2, 1000, 256), (7, 333, 130), (1, 4096, 1000),
    (2, 9001, 36), (1, 20000, 64), (1, 70001, 40), (1, 300000, 3), (1, 131072, 256), (40, 100, 1),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", ALONG, ids=str)
def test_along_another_dimension(shape, dtype):
    """Both functions and their gradients, of tensors that begin at a vector, and at the element behind it."""
    outer, n, inner = shape
    held = _random(1, outer * n * inner + 1, dtype)[0]
    for x in (held[:-1].view(shape), held[1:].view(shape)):
        for ours, theirs in ((fast.softmax, torch.softmax), (fast.log_softmax, torch.log_softmax)):
            x = x.detach().requires_grad_()
            y = ours(x, 1)
            want = theirs(x.detach().double(), 1)
            torch.testing.assert_close(
                y.double(), want, rtol=RELATIVE[dtype], atol=1e-5 if ours is fast.log_softmax else SMALLEST[dtype]
            )
            dy = _random(outer * n, inner, dtype, inputs.large).view(shape)
            (dx,) = torch.autograd.grad(y, x, dy)
            each = dy.double() if ours is fast.log_softmax else y.detach().double() * dy.double()
            weight = y.detach().double().exp() if ours is fast.log_softmax else y.detach().double()
            want = each - weight * each.sum(1, keepdim=True)
            allowed = RELATIVE[dtype] * want.abs() + SMALLEST[dtype]
            allowed += 3e-6 * (each.abs() + weight * each.abs().sum(1, keepdim=True))
            assert bool(((dx.double() - want).abs() <= allowed).all())


@pytest.mark.parametrize("n", [20, 129, 4096, 50257, 300000])
def test_columns_without_a_number_become_nan(n):
    """As rows do."""
    x = _random(n, 8, torch.float32)
    x[:, 0], x[3, 1], x[n - 1, 2], x[: n // 2, 4] = -torch.inf, torch.inf, torch.nan, -torch.inf
    y = fast.softmax(x, 0)
    assert y.isnan().all(0).tolist() == [True, True, True] + 5 * [False]
    _same(y[:, 3:], torch.softmax(x[:, 3:].double(), 0), torch.float32)


def test_permuted_strides_stay():
    """Along each dimension, without a contiguous copy."""
    x = _random(24, 70, torch.float32).view(4, 6, 70).permute(2, 0, 1)
    for dim in range(3):
        y = fast.softmax(x, dim)
        assert y.stride() == x.stride()
        _same(y, torch.softmax(x.double(), dim), torch.float32)


# Logits in a tile, walked along, and in pieces; rows of vectors, and rows that begin anywhere.
LOGITS = [
    (1, 1), (7, 2), (4099, 10), (700, 100), (64, 257), (70000, 40), (33, 1000), (3, 1001), (300, 4096), (270, 5001),
    (300, 32000), (5, 50257), (270, 50257), (4, 128256), (1, 1000003),
]  # fmt: skip


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", LOGITS, ids=str)
def test_cross_entropy_and_its_gradient(shape, dtype, smoothing):
    """Each reduction, with rows to be ignored, of rows that follow each other and of rows that lie apart."""
    m, n = shape
    wider = _random(m, n + 3, dtype, inputs.large)
    target = torch.randint(n, (m,), generator=inputs.generator(n)).cuda()
    target[1::5] = -100
    for x in (wider[:, :n].contiguous(), wider[:, 3:], wider[:, 1:-2]):
        for reduction in ("none", "mean", "sum"):
            options = {"reduction": reduction, "label_smoothing": smoothing}
            x = x.detach().requires_grad_()
            wide = x.detach().double().requires_grad_()
            loss = fast.cross_entropy(x, target, **options)
            want = torch.nn.functional.cross_entropy(wide, target, **options)
            assert loss.dtype == dtype and loss.shape == want.shape
            torch.testing.assert_close(loss, want.to(dtype), rtol=2 * RELATIVE[dtype], atol=1e-5)
            g = _random(1, m, dtype)[0] if reduction == "none" else _random(1, 1, dtype)[0, 0]
            (got,) = torch.autograd.grad(loss, x, g)
            (want,) = torch.autograd.grad(want, wide, g.double())
            torch.testing.assert_close(got.double(), want, rtol=2 * RELATIVE[dtype], atol=max(SMALLEST[dtype], 2e-6))


def test_cross_entropy_of_rows_without_a_number_is_pytorchs():
    """-inf alone, inf, NaN, -inf at the target, and a row that is ignored."""
    for n in (20, 1001, 40000):
        x = _random(5, n, torch.float32)
        x[0], x[1, 3], x[2, n - 1], x[3, 4], x[4, 5] = -torch.inf, torch.inf, torch.nan, -torch.inf, torch.inf
        target = torch.tensor([0, 1, 2, 4, -100]).cuda()
        for smoothing in (0.0, 0.1):
            x = x.detach().requires_grad_()
            results = []
            for function in (fast.cross_entropy, torch.nn.functional.cross_entropy):
                loss = function(x, target, reduction="none", label_smoothing=smoothing)
                results.append((loss, *torch.autograd.grad(loss.sum(), x)))
            for got, want in zip(*results, strict=True):
                torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-6, equal_nan=True)


def test_cross_entropy_of_more_logits_than_32_bits_can_count():
    """Rows far behind, and the gradient of the last one."""
    for n in (1024, 50257):
        m = (2**31 + 2**27) // n
        x = torch.zeros(m, n, dtype=torch.bfloat16, device="cuda")
        x[-3:] = _random(3, n, torch.bfloat16)
        target = torch.full((m,), 5, device="cuda")
        x.requires_grad_()
        loss = fast.cross_entropy(x, target, reduction="none")
        want = torch.nn.functional.cross_entropy(x.detach()[-3:].double(), target[-3:], reduction="none")
        _same(loss[-3:], want, torch.bfloat16)
        (dx,) = torch.autograd.grad(loss, x, torch.ones_like(loss))
        p = torch.softmax(x.detach()[-3:].double(), 1)
        p[:, 5] -= 1
        _same(dx[-3:], p, torch.bfloat16)
        del x, loss, dx


@pytest.mark.parametrize("n", [10, 100, 1001, 5000, 32000])
def test_targets_that_begin_anywhere(n):
    """As tokens[1:] do, after targets that begin at a vector."""
    x = _random(600, n, torch.bfloat16).requires_grad_()
    tokens = torch.randint(n, (601,), generator=inputs.generator(n)).cuda()
    for target in (tokens[:-1], tokens[1:]):
        for reduction in ("none", "mean"):
            wide = x.detach().double().requires_grad_()
            loss = fast.cross_entropy(x, target, reduction=reduction)
            want = torch.nn.functional.cross_entropy(wide, target, reduction=reduction)
            torch.testing.assert_close(loss.double(), want, rtol=8e-3, atol=1e-5)
            g = torch.randn(601, device="cuda", dtype=x.dtype)[1:] if reduction == "none" else torch.ones_like(loss)
            (got,) = torch.autograd.grad(loss, x, g)
            (want,) = torch.autograd.grad(want, wide, g.double())
            torch.testing.assert_close(got.double(), want, rtol=8e-3, atol=2e-6)


LINEAR = sys.modules["grader.fast.linear_cross_entropy"]
LINEAR_DIGITS = {torch.float32: 1e-4, torch.bfloat16: 1.5e-2, torch.float16: 2e-3}


def _linear(m, n, k, dtype):
    """(hidden, weight, bias), target: of logits with a spread of some units."""
    leaves = [_random(rows, k, dtype) / k**0.25 for rows in (m, n)] + [_random(1, n, dtype)[0]]
    target = torch.randint(n, (m,), generator=inputs.generator(n)).cuda()
    target[::7] = -100
    return [t.requires_grad_() for t in leaves], target


def _linear_loss(hidden, weight, target, bias=None, **options):
    return torch.nn.functional.cross_entropy(torch.nn.functional.linear(hidden, weight, bias), target, **options)


@pytest.mark.parametrize("options", [{}, {"reduction": "sum", "label_smoothing": 0.1}, {"reduction": "none"}], ids=str)
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(700, 1000, 64), (1000, 5001, 96), (300, 50257, 64), (6000, 101, 33)], ids=str)
def test_the_loss_of_a_linear_layer_by_chunks(shape, dtype, with_bias, options, monkeypatch):
    """Vocabularies even and odd, rows that fill no chunk; for a gradient of the loss that is not 1."""
    monkeypatch.setattr(LINEAR, "CHUNK", 1 << 20)
    leaves, target = _linear(*shape, dtype)
    leaves = leaves[: 2 + with_bias]
    loss = fast.linear_cross_entropy(*leaves[:2], target, *leaves[2:], **options)
    wide = [t.detach().double().requires_grad_() for t in leaves]
    want = _linear_loss(*wide[:2], target, *wide[2:], **options)
    digits = LINEAR_DIGITS[dtype]
    torch.testing.assert_close(loss.double(), want, rtol=digits, atol=2 * digits)
    g = torch.full_like(loss, 3.0)
    found = torch.autograd.grad(loss, leaves, g)
    for got, wanted in zip(found, torch.autograd.grad(want, wide, g.double()), strict=True):
        assert got.dtype == dtype
        torch.testing.assert_close(got.double(), wanted, rtol=digits, atol=digits * wanted.abs().max().item())


@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_a_linear_loss_takes_the_memory_that_it_says(reduction):
    """One chunk, the sums, the gradients, and some bytes a row: 1.3 GB of logits in 256 MB."""
    m, n, k = 20000, 32001, 256  # weight has fewer bytes than a chunk
    leaves, target = _linear(m, n, k, torch.bfloat16)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    loss = fast.linear_cross_entropy(*leaves[:2], target, leaves[2], reduction=reduction)
    torch.autograd.grad(loss.sum(), leaves)
    sums, gradients = 4 * n * (k + 1), 2 * (m * k + n * k + n)
    again = 2 * m * k  # of hidden, kept and scaled
    assert torch.cuda.max_memory_allocated() - before <= LINEAR.CHUNK + sums + gradients + again + 100 * m + (8 << 20)
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    with torch.no_grad():
        fast.linear_cross_entropy(*leaves[:2], target, leaves[2], reduction=reduction)
    assert torch.cuda.max_memory_allocated() - before <= LINEAR.CHUNK + 100 * m + (8 << 20)


@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_a_linear_loss_in_graphs_compilers_and_under_autocast(reduction, monkeypatch):
    """The same bits each time; a graph of loss and gradients runs again on other values; chunks when compiled."""
    monkeypatch.setattr(LINEAR, "CHUNK", 1 << 20)
    leaves, target = _linear(900, 3001, 64, torch.bfloat16)
    weight, bias = leaves[1:]

    def both(hidden):
        loss = fast.linear_cross_entropy(hidden, weight, target, bias, reduction=reduction)
        return loss.detach(), *torch.autograd.grad(loss.sum(), (hidden, weight, bias))

    want = both(leaves[0])
    assert all(torch.equal(one, other) for _ in range(5) for one, other in zip(want, both(leaves[0]), strict=True))
    kept, graph = torch.zeros_like(leaves[0]).requires_grad_(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        got = both(kept)
    with torch.no_grad():
        kept.copy_(leaves[0])
    graph.replay()
    assert all(torch.equal(one, other) for one, other in zip(want, got, strict=True))
    compiled = torch.compile(
        lambda *t: 2 * fast.linear_cross_entropy(*t, reduction=reduction).sum(), dynamic=True, fullgraph=True
    )
    for m in (900, 700):
        hidden = leaves[0].detach()[:m].clone().requires_grad_()
        one, other = (
            torch.autograd.grad(loss, (hidden, weight, bias))
            for loss in (
                compiled(hidden, weight, target[:m], bias),
                2 * fast.linear_cross_entropy(hidden, weight, target[:m], bias, reduction=reduction).sum(),
            )
        )
        torch.testing.assert_close(one, other, rtol=1e-2, atol=1e-4)
    single = [t.detach().float().requires_grad_() for t in leaves]
    results = []
    for function in (fast.linear_cross_entropy, _linear_loss):
        with torch.autocast("cuda", torch.bfloat16):
            loss = function(*single[:2], target, single[2], reduction=reduction)
        results.append((loss, *torch.autograd.grad(loss.sum(), single)))
    for got, want in zip(*results, strict=True):
        assert got.dtype == want.dtype == torch.float32
        torch.testing.assert_close(got, want, rtol=1.5e-2, atol=1.5e-2 * want.abs().max().item())


def test_a_linear_loss_of_more_logits_than_32_bits_can_count():
    """The loss and the gradient of the last rows, and the gradient of weight, by all rows."""
    m, n, k = 70_000, 32_768, 8
    leaves, target = _linear(m, n, k, torch.bfloat16)
    hidden, weight = leaves[:2]
    target.clamp_(min=0)
    loss = fast.linear_cross_entropy(hidden, weight, target, reduction="none")
    dh, dw = torch.autograd.grad(loss, (hidden, weight), torch.ones_like(loss))
    wide = hidden.detach()[-3:].double().requires_grad_()
    want = _linear_loss(wide, weight.detach().double(), target[-3:], reduction="none")
    torch.testing.assert_close(loss[-3:].double(), want, rtol=1.5e-2, atol=0)
    (of_hidden,) = torch.autograd.grad(want.sum(), wide)
    torch.testing.assert_close(dh[-3:].double(), of_hidden, rtol=1.5e-2, atol=1.5e-2 * of_hidden.abs().max().item())
    mean = fast.linear_cross_entropy(hidden, weight, target)
    torch.testing.assert_close(mean.double(), loss.double().mean(), rtol=1e-2, atol=0)
    again = m * torch.autograd.grad(mean, weight)[0].float()
    torch.testing.assert_close(dw.float(), again, rtol=1.5e-2, atol=1.5e-2 * again.abs().max().item())


@pytest.mark.parametrize("n", [70, 1001, 32000])
def test_dtypes_under_autocast_are_pytorchs(n):
    """float32, whatever comes in, of each function. PyTorch's own losses of bfloat16 are rounded on the way: float32 is
    what ours is compared with.
    """
    x = _random(300, n, torch.bfloat16).requires_grad_()
    target = torch.randint(n, (300,), generator=inputs.generator(n)).cuda()
    theirs = torch.nn.functional
    with torch.autocast("cuda", torch.bfloat16):
        assert theirs.cross_entropy(x, target).dtype == torch.float32
        wide = x.float()
        for ours, reference in (
            (fast.softmax(x), torch.softmax(x, -1)), (fast.log_softmax(x, 0), torch.log_softmax(x, 0)),
            (fast.cross_entropy(x, target), theirs.cross_entropy(wide, target)),
            (fast.cross_entropy(x, target, reduction="none"), theirs.cross_entropy(wide, target, reduction="none")),
        ):  # fmt: skip
            assert ours.dtype == reference.dtype == torch.float32
            torch.testing.assert_close(ours, reference, rtol=1e-5, atol=1e-6)
            one, other = (torch.autograd.grad(y.square().sum(), x)[0] for y in (ours, reference))
            largest = other.abs().max().item()  # near 0 an element is a difference of numbers of about this size
            torch.testing.assert_close(one, other, rtol=2e-2, atol=2e-5 * largest)
        for dtype in (*DTYPES, torch.float64):
            for asked in (None, torch.bfloat16):
                for ours, reference in ((fast.softmax, torch.softmax), (fast.log_softmax, torch.log_softmax)):
                    z = x.detach().to(dtype)
                    assert ours(z, -1, dtype=asked).dtype == reference(z, -1, dtype=asked).dtype
        compiled = torch.compile(lambda x: (fast.softmax(x), fast.log_softmax(x, 0)), fullgraph=True)
        for got, want in zip(compiled(x), (torch.softmax(x, -1), torch.log_softmax(x, 0)), strict=True):
            assert got.dtype == torch.float32
            torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-6)


def test_more_elements_than_32_bits_can_count_along_columns():
    """The last part, far behind: columns in blocks, in clusters, and in pieces."""
    for n, inner in ((64, 1024), (4096, 256), (40000, 64)):
        outer = (2**31 + 2**27) // (n * inner)
        x = torch.zeros(outer, n, inner, dtype=torch.bfloat16, device="cuda")
        x[-1] = _random(n, inner, torch.bfloat16)
        y = fast.softmax(x, 1)
        _same(y[-1], torch.softmax(x[-1].double(), 0), torch.bfloat16)
        _same(y[0], torch.softmax(x[0].double(), 0), torch.bfloat16)
        del x, y


def test_cross_entropy_in_graphs_compilers_and_vmap():
    """The same bits each time; a graph runs again on other values; both gradients."""
    ours, theirs = fast.cross_entropy, torch.nn.functional.cross_entropy
    x, target = torch.randn(300, 5001, device="cuda"), torch.randint(5001, (300,), device="cuda")
    want = ours(x, target)
    assert all(torch.equal(want, ours(x, target)) for _ in range(20))
    kept, graph = torch.empty_like(x), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = ours(kept, target)
    kept.copy_(x)
    graph.replay()
    assert torch.equal(want, loss)
    compiled = torch.compile(lambda x, target: 2 * ours(x, target), dynamic=True, fullgraph=True)
    for n in (50, 129, 777):
        x, target = torch.randn(3, n, device="cuda", requires_grad=True), torch.randint(n, (3,), device="cuda")
        got, want = compiled(x, target), 2 * theirs(x, target)
        torch.testing.assert_close(got, want)
        torch.testing.assert_close(torch.autograd.grad(got, x), torch.autograd.grad(want, x), rtol=1e-4, atol=1e-7)
    x, target = torch.randn(4, 5, 70, device="cuda"), torch.randint(70, (4, 5), device="cuda")
    one, other = (torch.func.vmap(torch.func.hessian(f))(x, target) for f in (ours, theirs))
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("n", [20, 129, 4096, 50257, 1200000])
def test_rows_without_a_number_become_nan(n):
    """As in torch.softmax: nothing but -inf, an inf, a NaN."""
    x = _random(4, n, torch.float32)
    x[0], x[1, 3], x[2, n - 1] = -torch.inf, torch.inf, torch.nan
    assert fast.softmax(x).isnan().all(1).tolist() == [True, True, True, False]


def test_more_elements_than_32_bits_can_count():
    """Rows far behind, of each kind of kernel."""
    for n in (129, 4096, 32000, 131072):
        m = (2**31 + 2**27) // n
        x = torch.zeros(m, n, dtype=torch.bfloat16, device="cuda")
        x[-3:] = _random(3, n, torch.bfloat16)
        y = fast.softmax(x)
        _same(y[-3:], torch.softmax(x[-3:].double(), 1), torch.bfloat16)
        _same(y[:2], torch.softmax(x[:2].double(), 1), torch.bfloat16)
        del x, y


def _launched(kernel, grid, **constants):
    """A function of one matrix, by a kernel that takes both matrices, their strides and their size."""

    def function(x):
        y = torch.empty_like(x)
        kernel[grid,](y, x, y.stride(0), x.stride(0), *x.shape, **constants)
        return y

    return function


# The lessons' answers that take matrices of any size, and how each of them becomes a function of one matrix.
OF_ANY_SIZE = {
    "5.2": lambda answer: answer,
    "8.4": lambda answer: answer,
    "9.3": lambda answer: lambda x: answer(x, 2),
    "10.1": lambda kernel: _launched(kernel, 300_000, ROWS=1, BLOCK=8192),
    "10.2": lambda kernel: _launched(kernel, 1000, BLOCK=8192),
    "10.4": lambda answer: answer,
    "14.2": lambda answer: answer,
    "14.3": lambda answer: answer,
}


@pytest.mark.parametrize("exercise", OF_ANY_SIZE)
def test_the_functions_of_the_lessons_beyond_32_bits(exercise, tmp_path):
    """The course's own answers, on 300,000 rows of 8192: the last element is number 2,457,599,999."""
    m, n = 300_000, 8192
    needed = 2 * m * n * 4 + 2**31  # input, output, and some room
    if torch.cuda.mem_get_info()[0] < needed:
        pytest.skip(f"LEFT OUT: {exercise} on {m:,}×{n}, because that needs {needed >> 30} GB of the GPU's memory")
    answer = tmp_path / "answer.py"  # Triton reads the text of a kernel in its file
    answer.write_text(reference(exercise), encoding="utf-8")
    function = OF_ANY_SIZE[exercise](runpy.run_path(str(answer))[lessons.exercises()[exercise].names[0]])
    x = torch.zeros(m, n, device="cuda")
    x[-3:] = _random(3, n, torch.float32)
    y = function(x)
    _same(y[-3:], torch.softmax(x[-3:].double(), 1), torch.float32)
    _same(y[:2], torch.softmax(x[:2].double(), 1), torch.float32)


@pytest.mark.parametrize("shape", [(64, 129), (64, 1000), (8, 32000), (2, 1200000), (64, 131072)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES[:2], ids=str)
def test_the_same_bits_each_time_in_graphs_streams_and_threads(shape, dtype):
    """And a graph may run again on other values."""
    x = _random(*shape, dtype)
    want = fast.softmax(x)
    assert all(torch.equal(want, fast.softmax(x)) for _ in range(20))
    kept, graph = torch.empty_like(x), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = fast.softmax(kept)
    kept.copy_(x)
    graph.replay()
    assert torch.equal(want, y)
    wrong = []

    def work():
        with torch.cuda.stream(torch.cuda.Stream()):
            wrong.extend(i for i in range(50) if not torch.equal(want, fast.softmax(x)))

    torch.cuda.synchronize()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
def test_gradients_of_gradients_compilers_and_vmap(function):
    """As PyTorch's, with shapes that a compiled function does not know."""
    ours, theirs = getattr(fast, function), getattr(torch, function)
    x, dy, g = (torch.randn(6, 50, device="cuda", requires_grad=True) for _ in range(3))

    def second(f, *tensors):
        x, dy, g = (t.detach().clone().requires_grad_() for t in tensors)
        (dx,) = torch.autograd.grad(f(x, -1), x, dy, create_graph=True)
        return torch.autograd.grad(dx, (x, dy), g)

    for got, want in zip(second(ours, x, dy, g), second(theirs, *(t.double() for t in (x, dy, g))), strict=True):
        torch.testing.assert_close(got.double(), want, rtol=1e-4, atol=1e-5)
    compiled = torch.compile(lambda x: 2 * ours(x), dynamic=True, fullgraph=True)
    for n in (50, 129, 777):
        x = torch.randn(3, n, device="cuda")
        torch.testing.assert_close(compiled(x), 2 * theirs(x, -1), rtol=1e-5, atol=1e-6)
    x = torch.randn(4, 5, 70, device="cuda")
    torch.testing.assert_close(torch.func.vmap(ours, in_dims=1, out_dims=1)(x), theirs(x, -1), rtol=1e-5, atol=1e-6)


def test_many_shapes_in_bounded_memory():
    """20,000 layouts: plans go when others come."""
    chance = random.Random(0)
    held = torch.randn(40 * 3000, device="cuda")
    for _ in range(20000):
        m, n = chance.randint(1, 40), chance.randint(1, 3000)
        fast.softmax(held[: m * n].view(m, n))
    assert plans.MOST // 2 <= len(pick._plans) <= plans.MOST
    x = held[: 40 * 2999].view(40, 2999)
    _same(fast.softmax(x), torch.softmax(x.double(), 1), torch.float32)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="LEFT OUT: a tensor on a second GPU, because there is one")
@pytest.mark.parametrize("n", [129, 1000, 32000, 131072, 1200000])
def test_a_tensor_on_another_gpu(n):
    """On both in turn, while the first one is the current one, and its gradient too."""
    for device in ("cuda:1", "cuda:0", "cuda:1"):
        for dtype in DTYPES:
            x = _random(3, n, dtype).to(device)
            y = fast.softmax(x)
            assert y.device == x.device and torch.cuda.current_device() == 0
            _same(y, torch.softmax(x.double(), 1), dtype)
        x = torch.randn(3, n, device=device, requires_grad=True)
        dy = torch.randn(3, n, device=device)
        (got,) = torch.autograd.grad(fast.softmax(x), x, dy)
        (want,) = torch.autograd.grad(torch.softmax(x.double(), 1), x, dy.double())
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-7)
