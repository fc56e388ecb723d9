"""The shipped softmax: right on every route that the interpreter can take. What needs a GPU is recorded in docs/."""

import pytest
import torch

from grader import interpreter
from grader.checks import compare, inputs
from grader.fast import packed, pick, shared, softmax, tiled_two_pass

DTYPES = [torch.float32, torch.bfloat16, torch.float16]
FAMILIES = [
    inputs.randn, inputs.large, inputs.far_below_zero, inputs.cliff, inputs.rising_cliff, inputs.constant,
    inputs.one_minus_inf, inputs.leading_minus_inf, inputs.outlier,
]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _guarded():
    """Addresses are checked, masked lanes are poisoned, programs run backwards."""
    interpreter.install()
    with interpreter.conditions("reversed", True):
        yield


def _random(m, n, dtype, family=inputs.randn):
    return family(m, n, inputs.generator(m * n)).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "shape", [(1, 1), (5, 3), (33, 8), (3, 257), (4, 300), (2, 1000), (3, 1024), (2, 1300), (1, 20001)]
)
def test_softmax_of_any_shape(shape, dtype):
    """Short rows, odd rows, ragged rows, long ones."""
    x = _random(*shape, dtype)
    assert None is compare.softmax(x, softmax(x))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("route", ["tile", "two", "odd", "split", "online"])
def test_every_route_is_right_on_every_family(route, family, dtype):
    """Whatever `pick` would have chosen. 9001 columns are two pieces, two tiles, and no multiple of a vector."""
    x = _random(2, 9001 if route in ("split", "online") else 77, dtype, family)
    y = torch.full_like(x, torch.nan)
    getattr(pick, route)(y, x)
    assert None is compare.softmax(x, y)


@pytest.mark.parametrize("route", ["tile", "two", "split", "online"])
def test_rows_may_lie_apart(route):
    """A view whose rows have gaps between them is taken as it is."""
    x = inputs.row_strided(_random(3, 9001, torch.float32), 3)
    y = torch.full(x.shape, torch.nan)
    getattr(pick, route)(y, x)
    assert None is compare.softmax(x, y)


@pytest.mark.parametrize("dtype, kind", [(torch.bfloat16, "bf16"), (torch.float16, "fp16")])
@pytest.mark.parametrize("n, family", [(512, inputs.randn), (300, inputs.large), (512, inputs.outlier)])
def test_pairs_of_halves(n, family, dtype, kind):
    """The kernels for an NVIDIA GPU, without the instructions that only it has: pairs in one program, and shared."""
    x = _random(4, n, dtype, family)
    y = torch.full_like(x, torch.nan)
    pairs, words_a_row = (y.view(torch.int32), x.view(torch.int32)), n // 2
    units = (words_a_row, words_a_row, words_a_row)
    packed.pair_row_kernel[(4,)](*pairs, *units, UNIT=1, BLOCK=256, FULL=n == 512, KIND=kind, PTX=False)
    assert None is compare.softmax(x, y)
    y.fill_(torch.nan)
    tiled_two_pass.two_blocks_kernel[(4,)](*pairs, *units, UNIT=1, BLOCK=128, REST=128, KIND=kind, PTX=False)
    assert None is compare.softmax(x, y)
    states = torch.zeros(4, dtype=torch.int64)
    y.fill_(torch.nan)
    shared.shared_row_kernel[(1,)](
        *pairs, states, *units[:2], 4, words_a_row, 1, words_a_row, UNIT=1, PIECES=1, BLOCK=256, KIND=kind, PTX=False
    )
    assert None is compare.softmax(x, y)


def test_a_row_in_two_pieces():
    """One program has both, so that it need not wait: more than that only a GPU can run."""
    x = _random(5, 300, torch.float32)
    y, states = torch.full_like(x, torch.nan), torch.zeros(10, dtype=torch.int64)
    shared.shared_row_kernel[(1,)](
        y, x, states, 75, 75, 5, 75, 2, 38, UNIT=4, PIECES=2, BLOCK=256, KIND="float", PTX=False
    )
    assert None is compare.softmax(x, y)


@pytest.mark.parametrize("launcher", [pick.pairs, pick.shared])
def test_what_only_an_nvidia_gpu_can_run_is_refused_elsewhere(launcher):
    """Programs that wait for each other would wait for ever in an interpreter, which runs one after another."""
    x = _random(2, 512, torch.bfloat16)
    with pytest.raises(RuntimeError, match="needs an NVIDIA GPU"):
        launcher(torch.empty_like(x), x)


def test_any_number_of_dimensions_and_any_strides():
    """Along the last dimension, as torch.softmax does with dim=-1."""
    x = _random(6, 35, torch.float32)
    for view in (x[0], x.reshape(2, 3, 35), x.t(), x[:, ::2], x[:0], x[:, :1], x[:, :0]):
        torch.testing.assert_close(softmax(view), torch.softmax(view, -1), rtol=1e-5, atol=1e-30)


def test_rows_without_a_number_become_nan():
    """As in torch.softmax: nothing but -inf, an inf, a NaN."""
    x = _random(4, 20, torch.float32)
    x[0], x[1, 3], x[2, 3] = -torch.inf, torch.inf, torch.nan
    assert [True, True, True, False] == softmax(x).isnan().all(1).tolist()


@pytest.mark.parametrize(
    "what, error", [([1.0], TypeError), (torch.ones(3).int(), TypeError), (torch.ones(()), ValueError)]
)
def test_anything_else_is_refused_with_a_sentence(what, error):
    """Which says what was wrong with it."""
    with pytest.raises(error, match="softmax (takes|needs)"):
        softmax(what)


@pytest.mark.parametrize("shape", [(3, 50), (2, 20000), (2, 3, 5)])
def test_the_gradient_is_pytorchs(shape):
    """Short rows in one tile, longer ones in several, and any number of dimensions."""
    x = torch.randn(shape, generator=inputs.generator(1), requires_grad=True)
    dy = torch.randn(shape, generator=inputs.generator(2))
    (got,) = torch.autograd.grad(softmax(x), x, dy)
    (want,) = torch.autograd.grad(torch.softmax(x.double(), -1), x, dy.double())
    torch.testing.assert_close(got, want.float(), rtol=1e-4, atol=1e-7)


def test_compilers_know_it_as_an_operator():
    """Shapes without data, autograd, a whole graph."""
    x = torch.randn(3, 7, requires_grad=True)
    results = torch.library.opcheck(torch.ops.five_passes.softmax.default, (x,))
    assert {"SUCCESS"} == set(results.values())
    compiled = torch.compile(lambda x: 2 * softmax(x), backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), 2 * torch.softmax(x, 1))
