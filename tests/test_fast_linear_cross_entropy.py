"""The loss of a linear layer by chunks of its logits, where the interpreter runs its kernels."""

import sys

import pytest
import torch
from test_fast import DTYPES, guarded  # noqa: F401
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

from grader import fast
from grader.checks import inputs

ours = fast.linear_cross_entropy
module = sys.modules["grader.fast.linear_cross_entropy"]
DIGITS = {torch.float32: 2e-5, torch.bfloat16: 2e-2, torch.float16: 3e-3}
M, N, K = 300, 51, 8  # three chunks; rows of logits are padded


def theirs(hidden, weight, target, bias=None, **options):
    return torch.nn.functional.cross_entropy(torch.nn.functional.linear(hidden, weight, bias), target, **options)


@pytest.fixture
def chunked(monkeypatch):
    """As few rows in a chunk as there may be."""
    monkeypatch.setattr(module, "CHUNK", 1)


@pytest.fixture
def products(monkeypatch):
    """How many rows each product of a chunk had."""
    rows: list[int] = []
    chunks = module._chunks

    def noted(*inputs):
        for where, logits in chunks(*inputs):
            rows.append(len(logits))
            yield where, logits

    monkeypatch.setattr(module, "_chunks", noted)
    return rows


def _inputs(dtype=torch.float32, bias=False, m=M):
    shapes = [(m, K), (N, K), (N,)]
    return [torch.randn(s, generator=inputs.generator(i)).to(dtype).requires_grad_() for i, s in enumerate(shapes)][
        : 2 + bias
    ]


def _target(m=M):
    target = torch.randint(N, (m,), generator=inputs.generator(N))
    target[2::3] = -100
    return target


def _check(leaves, target, **options):
    """The loss and the gradients of all leaves against those of float64, for any gradient of the loss."""
    dtype = leaves[0].dtype
    loss = ours(*leaves[:2], target, *leaves[2:], **options)
    wide = [t.detach().double().requires_grad_() for t in leaves]
    want = theirs(*wide[:2], target, *wide[2:], **options)
    assert loss.dtype == dtype and loss.shape == want.shape
    torch.testing.assert_close(loss.double(), want, rtol=DIGITS[dtype], atol=2 * DIGITS[dtype], equal_nan=True)
    g = torch.randn(loss.shape, generator=inputs.generator(7)).to(dtype) + 3
    found = torch.autograd.grad(loss, leaves, g)
    for leaf, got, wanted in zip(leaves, found, torch.autograd.grad(want, wide, g.double()), strict=True):
        assert got.dtype == dtype and got.shape == leaf.shape
        largest = max(wanted.abs().flatten().tolist(), default=0.0)
        torch.testing.assert_close(got.double(), wanted, rtol=DIGITS[dtype], atol=DIGITS[dtype] * largest)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_loss_and_gradients_are_pytorchs(dtype, bias, reduction, smoothing, chunked, products):
    """In chunks of at most 128 rows; their logits are made twice where the gradient of the loss must be known first."""
    _check(_inputs(dtype, bias), _target(), reduction=reduction, label_smoothing=smoothing)
    again = reduction == "none" or dtype == torch.float16

    assert products == [128, 128, 44] * (1 + again)


@pytest.mark.parametrize("wanted", [(0,), (1,), (2,), (0, 1), (1, 2)])
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_gradients_of_some_inputs(reduction, wanted, chunked):
    """Those that ask for none get none, and no memory is taken for them."""
    leaves = [t.requires_grad_(i in wanted) for i, t in enumerate(_inputs(bias=True))]
    ours(*leaves[:2], _target(), leaves[2], reduction=reduction).sum().backward()
    wide = [t.detach().double().requires_grad_(t.requires_grad) for t in leaves]
    theirs(*wide[:2], _target(), wide[2], reduction=reduction).sum().backward()
    for leaf, want in zip(leaves, wide, strict=True):
        if leaf.requires_grad:
            torch.testing.assert_close(leaf.grad.double(), want.grad, rtol=2e-5, atol=1e-5)
        else:
            assert leaf.grad is None
    sums = module._sums([t.requires_grad for t in leaves], *leaves[:2])
    assert [s.numel() > 0 for s in sums] == [t.requires_grad for t in leaves]


def test_without_gradients_no_product_is_made_for_them(chunked, products, monkeypatch):
    """Under no_grad, and where no input asks."""
    monkeypatch.setattr(module, "_add", None)
    leaves = _inputs()
    with torch.no_grad():
        loss = ours(*leaves, _target())
    assert not loss.requires_grad
    torch.testing.assert_close(loss, ours(*(t.detach() for t in leaves), _target()), rtol=0, atol=0)
    assert products == [128, 128, 44] * 2


def test_a_graph_that_is_kept_gives_the_gradient_again(chunked):
    """The gradient is not made in place of what was kept."""
    leaves = _inputs(torch.bfloat16)
    loss = ours(*leaves, _target())
    first = torch.autograd.grad(loss, leaves, torch.tensor(0.5), retain_graph=True)
    torch.testing.assert_close(torch.autograd.grad(loss, leaves, torch.tensor(0.5)), first, rtol=0, atol=0)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_rows_that_do_not_count(reduction, chunked):
    """All ignored, another number for them, whole chunks of them; views; no rows at all."""
    for target, options in (
        (torch.full((M,), -100), {}), (torch.full((M,), 7), {"ignore_index": 7}),
        (torch.cat([torch.full((200,), -100), _target(100)]), {"label_smoothing": 0.2}),
    ):  # fmt: skip
        leaves = _inputs()
        _check(leaves, target, reduction=reduction, **options)
    wide = torch.randn(M, 2 * K, generator=inputs.generator(3))
    _check([wide[:, ::2].detach().requires_grad_(), *_inputs()[1:]], _target(2 * M)[::2], reduction=reduction)
    _check(_inputs(m=0), _target(0), reduction=reduction)


def test_up_to_a_chunk_of_logits_all_are_stored(products):
    """And then there is a second gradient, and torch.func."""
    _check(_inputs(), _target())
    assert products == []
    weight, target = _inputs()[1].detach(), _target(4)
    one, other = (torch.func.hessian(lambda h, f=f: f(h, weight, target))(torch.ones(4, K)) for f in (ours, theirs))
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)


def test_torch_func_and_forward_mode_store_all_logits(chunked, products):
    """As cross_entropy(linear(...)) has them."""
    hidden, weight = (t.detach() for t in _inputs())
    batch = torch.stack([hidden, hidden + 1])
    for f in (
        lambda f: torch.func.vmap(f, in_dims=(0, None, None))(batch, weight, _target()),
        lambda f: torch.func.vmap(torch.func.grad(f), in_dims=(0, None, None))(batch, weight, _target()),
        lambda f: torch.func.jvp(lambda h: f(h, weight, _target()), (hidden,), (batch[1],))[1],
    ):
        torch.testing.assert_close(f(ours), f(theirs), rtol=1e-4, atol=1e-6)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(hidden, batch[1])
        one, other = (forward_ad.unpack_dual(f(dual, weight, _target())).tangent for f in (ours, theirs))
    torch.testing.assert_close(one, other)
    assert products == []


@pytest.mark.parametrize("reduction", ["none", "mean"])
def test_a_second_gradient_of_chunks_is_refused(reduction, chunked):
    """It is an error, and no wrong number; also in a compiled function."""
    torch._dynamo.reset()
    for function in (ours, torch.compile(ours, backend="eager", fullgraph=True)):
        hidden, weight = _inputs()
        loss = function(hidden, weight, _target(), reduction=reduction).sum()
        (first,) = torch.autograd.grad(loss, hidden, create_graph=True)
        with pytest.raises(RuntimeError, match="linear_cross_entropy has no second gradient"):
            torch.autograd.grad(first.sum(), weight)


H, W, T = (
    torch.randn(200, 3, generator=inputs.generator(8)),
    torch.randn(6, 3, generator=inputs.generator(9)),
    _target(200) % 6,
)


@pytest.mark.parametrize(
    "arguments, options",
    [
        ((H, W, T + 1), {}), ((H, W, T - 1), {}), ((H, W, T[:3]), {}), ((H, W, T.int()), {}), ((H, W[:, :2], T), {}),
        ((H, W.double(), T), {}), ((H, W, T), {"reduction": "average"}), ((H, W, T), {"label_smoothing": 1.5}),
        ((H, W, T, W[:5, 0]), {}), ((H, W, T), {"ignore_index": 0.5}), ((H.tolist(), W, T), {}),
        ((None, W, T), {}), ((H, None, T), {}),
        ((H, W, T.view(2, 100)), {}), ((H.int(), W.int(), T), {}), ((H.view(2, 100, 3), W, T), {}),
    ],
    ids=lambda a: None,
)  # fmt: skip
def test_errors_are_pytorchs(arguments, options, chunked):
    """Their types and their words."""
    with pytest.raises(Exception) as expected:
        theirs(*arguments, **options)
    with pytest.raises(type(expected.value)) as raised:
        ours(*arguments, **options)
    assert str(expected.value) == str(raised.value)


@pytest.mark.parametrize(
    "arguments, options",
    [
        ((H.double(), W.double(), T), {}), ((H[0], W, T[0]), {}), ((H, W, H @ W.t()), {}),
        ((H.view(2, 100, 3), W, T[:12].view(2, 6)), {"reduction": "none"}),
    ],
    ids=lambda a: None,
)  # fmt: skip
def test_what_goes_to_pytorch(arguments, options, chunked, products):
    """float64, one row, class probabilities, logits of more dimensions."""
    torch.testing.assert_close(ours(*arguments, **options), theirs(*arguments, **options))
    assert products == []


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64], ids=str)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_dtypes_under_autocast_are_pytorchs(reduction, dtype, chunked, products):
    """A product of bfloat16, a loss of float32, gradients of the dtype of each input; float64 stays."""
    results = []
    for function in (ours, theirs):
        hidden, weight, bias = _inputs(dtype, bias=True)
        bias = bias.detach().float().requires_grad_(dtype != torch.float64)  # of another dtype than the others
        bias = bias.detach().double().requires_grad_() if dtype == torch.float64 else bias
        with torch.autocast("cpu", torch.bfloat16):
            loss = function(hidden, weight, _target(), bias, reduction=reduction)
        results.append([loss, *torch.autograd.grad(loss.sum(), (hidden, weight, bias))])
    for got, want in zip(*results, strict=True):
        assert got.dtype == want.dtype
        torch.testing.assert_close(got, want, rtol=2e-2, atol=2e-2 * want.abs().max().item())
    assert len(products) == (0 if dtype == torch.float64 else 6 if reduction == "none" else 3)


@pytest.mark.whole
@pytest.mark.one_in(8)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_compilers_know_it_as_an_operator(dtype, reduction, chunked, products):
    """Shapes without data, autograd, a whole graph; chunks there too; one graph for any number of rows; autocast."""
    torch._dynamo.reset()
    keep = [reduction != "none" and dtype != torch.float16] * 3
    leaves = _inputs(dtype, bias=True)
    torch.library.opcheck(
        torch.ops.five_passes.linear_cross_entropy.default,
        (*leaves, _target(), -100, 0.1, reduction, False, keep),
        test_utils=("test_schema", "test_faketensor", "test_autograd_registration"),
    )
    compiled = torch.compile(
        lambda h, w, t, b: 2 * ours(h, w, t, b, reduction=reduction).sum(),
        backend="aot_eager",
        fullgraph=True,
        dynamic=True,
    )
    for m in (M, 257):
        hidden, weight, bias = _inputs(dtype, bias=True, m=m)
        products.clear()
        got = compiled(hidden, weight, _target(m), bias)
        assert len(products) == 3
        want = 2 * ours(hidden, weight, _target(m), bias, reduction=reduction).sum()
        torch.testing.assert_close(got, want, rtol=0, atol=0)
        one, other = (torch.autograd.grad(loss, (hidden, weight, bias)) for loss in (got, want))
        torch.testing.assert_close(one, other, rtol=0, atol=0)
    with torch.autocast("cpu", torch.bfloat16):
        assert compiled(hidden, weight, _target(m), bias).dtype == torch.float32


def test_a_mode_sees_one_operator(chunked):
    """As it sees PyTorch's."""

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
            names.append(operator.name())
            return operator(*args, **(kwargs or {}))

    names: list[str] = []
    with Seen():
        ours(*_inputs(), _target())
    assert "five_passes::linear_cross_entropy" in names


@pytest.mark.whole
def test_the_gradient_of_weight_is_not_rounded_once_a_chunk(chunked):
    """Each of 63 chunks adds an eighth to 64, less than half of the last digit of bfloat16 there."""
    hidden = torch.ones(64 * 128, 1, dtype=torch.bfloat16)
    hidden[128:] = 2**-9
    weight = torch.zeros(2, 1, dtype=torch.bfloat16).requires_grad_()
    loss = ours(hidden, weight, torch.zeros(64 * 128, dtype=torch.int64), reduction="sum")
    (got,) = torch.autograd.grad(loss, weight)

    assert got.flatten().tolist() == [-72.0, 72.0]  # 71.875, rounded once


def test_small_gradients_of_float16_are_scaled_before_they_are_rounded(chunked):
    """As a scaler of gradients wants it: exp(-10) / 300 is below the smallest normal number, 32768 times it is not."""
    hidden, weight = torch.zeros(M, K, dtype=torch.float16), torch.zeros(N, K, dtype=torch.float16)
    bias = torch.zeros(N, dtype=torch.float16)
    bias[3] = -10
    got, wide = bias.requires_grad_(), bias.detach().double().requires_grad_()
    target = torch.zeros(M, dtype=torch.int64)
    (32768 * ours(hidden, weight, target, got).float()).backward()
    (32768 * theirs(hidden.double(), weight.double(), target, wide)).backward()
    torch.testing.assert_close(got.grad.double(), wide.grad, rtol=1e-3, atol=0)


@pytest.mark.parametrize(
    "n, k, size, dtype",
    [(1000, 1, 1 << 20, torch.float32), (1001, 1, 1 << 20, torch.bfloat16), (50257, 1, 1 << 20, torch.bfloat16),
     (64, 700, 1, torch.float32), (9, 3, 1, torch.float16)],
    ids=str,
)  # fmt: skip
def test_a_chunk_is_bounded(n, k, size, dtype, monkeypatch):
    """By bytes, by those of weight, or by rows; all chunks lie in the same memory, each row at a line."""
    monkeypatch.setattr(module, "CHUNK", size)
    hidden, weight = torch.zeros(1700, k, dtype=dtype), torch.zeros(n, k, dtype=dtype)
    chunks = list(module._chunks(hidden, weight, None))
    rows = [len(x) for _, x in chunks]
    a_row = chunks[0][1].stride(0) * hidden.element_size()

    assert a_row % 128 == 0 and all(x.stride(0) * x.element_size() == a_row for _, x in chunks)
    assert rows[0] * a_row == chunks[0][1].untyped_storage().nbytes()
    assert rows[0] * a_row <= max(size, weight.numel() * weight.element_size(), module.FEWEST * a_row)
    assert [where.start for where, _ in chunks] == [sum(rows[:i]) for i in range(len(rows))]
    assert sum(rows) == 1700 and chunks[-1][0].stop == 1700 and len(rows) > 1
    assert len({x.untyped_storage().data_ptr() for _, x in chunks}) == 1


def test_rows_that_do_not_fill_vectors_go_in_chunks_sooner(monkeypatch):
    """51 logits of float32 are 12 vectors and 3; 52 are 13."""
    monkeypatch.setattr(module, "CHUNK", 16 * 51 * 4 * 200)
    target = torch.zeros(201, dtype=torch.int64)
    for n, m, chunked in ((51, 200, False), (51, 201, True), (52, 201, False)):
        assert chunked == module._in_chunks(torch.zeros(m, 2), torch.zeros(n, 2), None, target[:m])
