"""The shipped cross-entropy: right where the interpreter runs it. What needs a GPU is in tests/slow/on_a_gpu.py."""

import pytest
import torch
from test_fast import DTYPES, FAMILIES, guarded  # noqa: F401
from torch.autograd import forward_ad

from grader import fast
from grader.checks import inputs

DIGITS = {torch.float32: 4e-6, torch.bfloat16: 8e-3, torch.float16: 1.2e-3}
theirs = torch.nn.functional.cross_entropy


def _target(m, n):
    """Random classes; every third row is to be ignored, but for the first."""
    target = torch.randint(n, (m,), generator=inputs.generator(m * n))
    target[2::3] = -100
    return target


def _check(x, target, **options):
    """The loss and its gradient against those of float64."""
    x = x.detach().requires_grad_()
    loss, want = fast.cross_entropy(x, target, **options), theirs(x.double(), target, **options)
    assert loss.dtype == x.dtype and loss.shape == want.shape
    torch.testing.assert_close(loss.double(), want, rtol=DIGITS[x.dtype], atol=2e-6, equal_nan=True)
    g = torch.randn(loss.shape, generator=inputs.generator(7)).to(x.dtype)
    (got,), (want,) = torch.autograd.grad(loss, x, g), torch.autograd.grad(want, x, g.double())
    torch.testing.assert_close(got.double(), want.double(), rtol=2 * DIGITS[x.dtype], atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "shape", [(1, 1), (5, 7), (33, 10), (3, 300), (4, 1001), (2, 4096), (2, 9001), (2, 40000)], ids=str
)
def test_loss_and_gradient_are_pytorchs(shape, dtype, reduction, smoothing):
    """Rows in a tile, walked along, and in pieces; with rows to be ignored."""
    x = (torch.randn(shape, generator=inputs.generator(shape[1])) * 3).to(dtype)
    _check(x, _target(*shape), reduction=reduction, label_smoothing=smoothing)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [77, 1001, 33003])
def test_every_family_of_logits(n, family, smoothing):
    """Numbers far from zero, -inf, outliers."""
    _check(family(3, n, inputs.generator(n)), _target(3, n), reduction="none", label_smoothing=smoothing)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("n", [20, 1001, 33003])
def test_rows_without_a_number(n, smoothing):
    """-inf alone, inf, NaN, -inf at the target, inf where the row is ignored: PyTorch's own result in float32."""
    x = torch.randn(5, n, generator=inputs.generator(n))
    x[0], x[1, 3], x[2, n - 1], x[3, 4], x[4, 5] = -torch.inf, torch.inf, torch.nan, -torch.inf, torch.inf
    x, target = x.requires_grad_(), torch.tensor([0, 1, 2, 4, -100])
    for reduction in ("none", "sum"):
        options = {"reduction": reduction, "label_smoothing": smoothing}
        ours, want = fast.cross_entropy(x, target, **options), theirs(x, target, **options)
        torch.testing.assert_close(ours, want, equal_nan=True)
        got, want = (torch.autograd.grad(loss.sum(), x) for loss in (ours, want))
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-6, equal_nan=True)


def test_any_shape_that_pytorch_takes():
    """One row, dimensions behind the classes, transposed ones, rows that lie apart, no rows, and none that counts."""
    x = torch.randn(4, 6, 10, generator=inputs.generator(1))
    _check(x[0, 0], torch.tensor(3))
    _check(x[0, 0], torch.tensor(3), reduction="none")
    for view in (x, x.transpose(1, 2), x[:, 1:4], x.transpose(1, 2)[:, 2:9]):
        target = torch.randint(view.shape[1], (4, view.shape[2]), generator=inputs.generator(2))
        for reduction in ("none", "mean"):
            _check(view, target, reduction=reduction)
    for view in (x[0, :, 3:], x[0, :, ::2], x[0].t(), x[0, :1].expand(6, 10)):
        _check(view, _target(*view.shape))
    _check(x[0], torch.full((6,), 7), ignore_index=7, reduction="mean")
    _check(x[0], torch.tensor([1, 7, 2, 7, 7, 3]), ignore_index=7, label_smoothing=0.3)
    for reduction in ("none", "mean", "sum"):
        empty = torch.empty(0, 4), torch.empty(0, dtype=torch.int64)
        torch.testing.assert_close(
            fast.cross_entropy(*empty, reduction=reduction), theirs(*empty, reduction=reduction), equal_nan=True
        )


X, TARGET = torch.randn(4, 6, generator=inputs.generator(3)), torch.tensor([1, 2, 3, 5])


@pytest.mark.parametrize(
    "arguments, options",
    [
        ((X, torch.tensor([1, 2, 3, 6])), {}), ((X, torch.tensor([1, 2, 3, -1])), {}), ((X, TARGET[:3]), {}),
        ((X, TARGET.int()), {}), ((X.tolist(), TARGET), {}), ((X, TARGET), {"reduction": "average"}),
        ((X, TARGET), {"label_smoothing": 1.5}), ((X, TARGET, torch.ones(5)), {}), ((X.int(), TARGET), {}),
        ((X, TARGET), {"ignore_index": 0.5}), ((X, TARGET.view(2, 2)), {}), ((X, TARGET), {"label_smoothing": None}),
    ],
    ids=lambda a: None,
)  # fmt: skip
def test_errors_are_pytorchs(arguments, options):
    """Their types and their words."""
    with pytest.raises(Exception) as expected:
        theirs(*arguments, **options)
    with pytest.raises(type(expected.value)) as raised:
        fast.cross_entropy(*arguments, **options)
    assert str(expected.value) == str(raised.value)


@pytest.mark.parametrize(
    "x, target, options",
    [
        (X, TARGET, {"weight": torch.arange(6.0)}), (X, X.softmax(1), {}), (X.double(), TARGET, {}),
        (X, TARGET, {"size_average": False}), (X, TARGET, {"reduce": False}), (X, TARGET.to(torch.uint8), {}),
        (X, X.softmax(1), {"label_smoothing": 0.1, "reduction": "none"}),
    ],
    ids=lambda a: None,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:size_average and reduce")
def test_what_goes_to_pytorch(x, target, options):
    """Weights, probabilities, float64, bytes, and the arguments that are deprecated."""
    torch.testing.assert_close(fast.cross_entropy(x, target, **options), theirs(x, target, **options), rtol=0, atol=0)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_second_gradients(reduction):
    """With respect to the logits and to the gradient of the loss; and a Hessian."""

    def second(f, x):
        x = x.detach().clone().requires_grad_()
        loss = f(x, TARGET, reduction=reduction, label_smoothing=0.2, ignore_index=2)
        g = torch.ones_like(loss).requires_grad_()
        (dx,) = torch.autograd.grad(loss, x, g, create_graph=True)
        return torch.autograd.grad(dx, (x, g), torch.arange(24.0).view(4, 6).to(x.dtype))

    for got, want in zip(second(fast.cross_entropy, X), second(theirs, X.double()), strict=True):
        torch.testing.assert_close(got.double(), want, rtol=1e-4, atol=1e-6)
    one, other = (torch.func.hessian(lambda x, f=f: f(x, TARGET))(X) for f in (fast.cross_entropy, theirs))
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_vmap_gives_what_a_batch_gives(reduction):
    """Over logits, targets, or both, also inside of a gradient."""
    x, target = torch.randn(3, 4, 6, generator=inputs.generator(4)), torch.stack([TARGET, 5 - TARGET, TARGET])
    target[0, 1] = -100
    for dims in ((0, 0), (0, None), (None, 0), (1, 0)):
        batch = x.transpose(0, 1) if dims[0] == 1 else x if dims[0] == 0 else x[0]
        targets = target[0] if dims[1] is None else target
        one, other = (
            torch.func.vmap(lambda x, t, f=f: f(x, t, reduction=reduction), in_dims=dims)(batch, targets)
            for f in (fast.cross_entropy, theirs)
        )
        torch.testing.assert_close(one, other)
    one, other = (
        torch.func.vmap(torch.func.grad(lambda x, t, f=f: f(x, t, reduction=reduction).sum()))(x, target)
        for f in (fast.cross_entropy, theirs)
    )
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-7)


def test_forward_mode_is_not_lost():
    """The tangent arrives, though no kernel computes it."""
    tangent = torch.randn(4, 6, generator=inputs.generator(6))
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(X, tangent)
        one, other = (forward_ad.unpack_dual(f(dual, TARGET)).tangent for f in (fast.cross_entropy, theirs))
    torch.testing.assert_close(one, other)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_compilers_know_it_as_an_operator(reduction):
    """Shapes without data, autograd, a whole graph."""
    x = X.clone().requires_grad_()
    results = torch.library.opcheck(
        torch.ops.five_passes.cross_entropy.default, (x, TARGET, -100, 0.1, reduction, False)
    )
    assert set(results.values()) == {"SUCCESS"}
    compiled = torch.compile(
        lambda x, t: 2 * fast.cross_entropy(x, t, reduction=reduction).sum(), backend="aot_eager", fullgraph=True
    )
    got, want = compiled(x, TARGET), 2 * theirs(x, TARGET, reduction=reduction).sum()
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(torch.autograd.grad(got, x), torch.autograd.grad(want, x))


@pytest.mark.parametrize("dtype", DTYPES[:2], ids=str)
def test_dtypes_under_autocast_are_pytorchs(dtype):
    """A loss of float32, each row's too, rounded once; a gradient of the dtype of the logits."""
    x = (X * 3).to(dtype).requires_grad_()
    with torch.autocast("cpu", torch.bfloat16):
        for reduction in ("none", "mean", "sum"):
            got, want = (f(x, TARGET, reduction=reduction) for f in (fast.cross_entropy, theirs))
            assert got.dtype == want.dtype == torch.float32
            torch.testing.assert_close(got, theirs(x.float(), TARGET, reduction=reduction))
            (dx,) = torch.autograd.grad(got.sum(), x)
            assert dx.dtype == dtype
            torch.testing.assert_close(dx, torch.autograd.grad(want.sum(), x)[0], rtol=2e-2, atol=1e-3)
    compiled = torch.compile(lambda x: fast.cross_entropy(x, TARGET), backend="aot_eager", fullgraph=True)
    with torch.autocast("cpu", torch.bfloat16):
        assert compiled(x).dtype == torch.float32
