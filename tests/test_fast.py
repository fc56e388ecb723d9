"""The shipped softmax: right on every route that the interpreter can take. What needs a GPU is recorded in records/."""

import pytest
import torch
from torch.autograd import forward_ad

from grader import fast, interpreter
from grader.checks import compare, inputs
from grader.fast import backward, clusters, launchers, packed, pick, plans, shared, short_rows, softmax, tiled_two_pass

DTYPES = [torch.float32, torch.bfloat16, torch.float16]
FAMILIES = [
    inputs.randn, inputs.large, inputs.far_below_zero, inputs.cliff, inputs.rising_cliff, inputs.constant,
    inputs.one_minus_inf, inputs.leading_minus_inf, inputs.outlier,
]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def guarded():
    """Addresses are checked, masked lanes are poisoned, programs run backwards."""
    interpreter.install()
    with interpreter.conditions("reversed", True):
        yield


def _random(m, n, dtype, family=inputs.randn):
    return family(m, n, inputs.generator(m * n)).to(dtype)


def _right(x, y, log=False):
    """Whether y is the softmax of the rows of x, or its logarithm, but for the rounding of its dtype."""
    if not log:
        return compare.softmax(x, y) is None
    digits = {torch.float32: 2e-6, torch.bfloat16: 4.1e-3, torch.float16: 6e-4}[x.dtype]
    want = torch.log_softmax(x.double(), -1)
    return torch.allclose(y.double(), want, rtol=digits, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "shape", [(1, 1), (5, 3), (33, 8), (3, 257), (4, 300), (2, 1000), (3, 1024), (2, 1300), (1, 20001)]
)
def test_softmax_of_any_shape(shape, dtype, log):
    """Short rows, odd rows, ragged rows, long ones."""
    x = _random(*shape, dtype)
    assert _right(x, (fast.log_softmax if log else softmax)(x), log)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("route", ["tile", "two", "odd", "split", "online"])
def test_every_route_is_right_on_every_family(route, family, dtype, log):
    """Whatever `pick` would have chosen. 9001 columns are two pieces, two tiles, and no multiple of a vector."""
    x = _random(2, 9001 if route in ("split", "online") else 77, dtype, family)
    y = torch.full_like(x, torch.nan)
    getattr(pick, route)(y, x, log)
    assert _right(x, y, log)


def test_the_pieces_of_a_large_matrix_may_be_taken_from_the_last_to_the_first(monkeypatch):
    """As where x is larger than a cache."""
    monkeypatch.setattr(launchers, "CACHE", 0)
    x = _random(2, 9001, torch.float32)
    y = torch.full_like(x, torch.nan)
    pick.split.plan(y, x, False)(y, x)
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
@pytest.mark.parametrize("log", [False, True])
def test_pairs_of_halves(n, family, dtype, kind, log):
    """The kernels for an NVIDIA GPU, without the instructions that only it has: pairs in one program, and shared."""
    x = _random(4, n, dtype, family)
    y = torch.full_like(x, torch.nan)
    pairs, words_a_row = (y.view(torch.int32), x.view(torch.int32)), n // 2
    units = (words_a_row, words_a_row, words_a_row)
    options = {"UNIT": 1, "KIND": kind, "PTX": False, "LOG": log}
    packed.pair_row_kernel[(4,)](*pairs, *units, BLOCK=256, FULL=n == 512, **options)
    assert _right(x, y, log)
    y.fill_(torch.nan)
    tiled_two_pass.two_blocks_kernel[(4,)](*pairs, *units, BLOCK=128, REST=128, **options)
    assert _right(x, y, log)
    states = torch.zeros(4, dtype=torch.int64)
    y.fill_(torch.nan)
    shared.shared_row_kernel[(1,)](
        *pairs, states, *units[:2], 4, words_a_row, 1, words_a_row, PIECES=1, BLOCK=256, **options
    )
    assert _right(x, y, log)


def test_a_row_in_two_pieces():
    """One program has both, so that it need not wait: more than that only a GPU can run."""
    x = _random(5, 300, torch.float32)
    y, states = torch.full_like(x, torch.nan), torch.zeros(10, dtype=torch.int64)
    shared.shared_row_kernel[(1,)](
        y, x, states, 75, 75, 5, 75, 2, 38, UNIT=4, PIECES=2, BLOCK=256, KIND="float", PTX=False, LOG=False
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
    assert softmax(x).isnan().all(1).tolist() == [True, True, True, False]


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
@pytest.mark.parametrize(
    "arguments",
    [
        ([1.0],), (torch.ones(3).int(),), (torch.ones(3), 1), (torch.ones(3), -2), (torch.ones(()), 1),
        (torch.ones(3), "columns"), (torch.ones(3, 2), 0.5), (torch.ones(2, dtype=torch.complex64),),
    ],
    ids=str,
)  # fmt: skip
def test_errors_are_pytorchs(function, arguments):
    """Their types and their words."""
    with pytest.raises(Exception) as expected:
        getattr(torch, function)(*(arguments if len(arguments) > 1 else (*arguments, -1)))
    with pytest.raises(type(expected.value)) as raised:
        getattr(fast, function)(*arguments)
    assert str(expected.value) == str(raised.value)


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
@pytest.mark.parametrize(
    "shape, dtype, arguments",
    [
        ((3, 4, 5), torch.float32, {"dim": 0}), ((3, 4, 5), torch.float32, {"dim": -2}),
        ((4, 5), torch.int64, {"dim": 1, "dtype": torch.float32}), ((4, 5), torch.bfloat16, {"dtype": torch.float32}),
        ((4, 5), torch.float64, {}), ((4, 5), torch.float32, {"dtype": torch.float64}), ((), torch.float32, {}),
        ((3, 4), torch.bool, {"dim": 0, "dtype": torch.float16}), ((0, 5), torch.float32, {"dim": 0}),
    ],
    ids=str,
)  # fmt: skip
def test_dimensions_and_conversions_are_pytorchs(function, shape, dtype, arguments):
    """dim= and dtype= as in torch, and what torch takes but no kernel does."""
    x = (torch.randn(shape, generator=inputs.generator(3)) * 3).to(dtype)
    got, want = getattr(fast, function)(x, **arguments), getattr(torch, function)(x, **{"dim": -1} | arguments)
    assert got.dtype == want.dtype and got.is_contiguous()
    torch.testing.assert_close(got, want, rtol=2e-3 if got.dtype == torch.float16 else 1e-5, atol=1e-7)


@pytest.mark.parametrize("shape", [(3, 50), (2, 20000), (2, 3, 5)])
def test_the_gradient_is_pytorchs(shape):
    """Short rows in one tile, longer ones in several, and any number of dimensions."""
    x = torch.randn(shape, generator=inputs.generator(1), requires_grad=True)
    dy = torch.randn(shape, generator=inputs.generator(2))
    (got,) = torch.autograd.grad(softmax(x), x, dy)
    (want,) = torch.autograd.grad(torch.softmax(x.double(), -1), x, dy.double())
    torch.testing.assert_close(got, want.float(), rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
def test_the_second_gradient_is_right(function):
    """Against differences, in the precision that kernels have."""
    x, dy, g = (torch.randn(3, 7, generator=inputs.generator(i)) for i in range(3))

    def second(f, x, dy, g):
        x, dy = x.clone().requires_grad_(), dy.clone().requires_grad_()
        (dx,) = torch.autograd.grad(f(x), x, dy, create_graph=True)
        return torch.autograd.grad(dx, (x, dy), g)

    got = second(getattr(fast, function), x, dy, g)
    want = second(lambda x: getattr(torch, function)(x, -1), x.double(), dy.double(), g.double())
    for one, other in zip(got, want, strict=True):
        torch.testing.assert_close(one.double(), other.double(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("n", [5, 300, 70000])
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_gradient_kernel_is_right(dtype, log, n):
    """Several rows per program, one, and several programs per row."""
    y = (torch.log_softmax if log else torch.softmax)(_random(3, n, torch.float32).float(), 1).to(dtype)
    dy = torch.randn(3, n, generator=inputs.generator(n)).to(dtype)
    dx = torch.full_like(y, torch.nan)
    backward.launch(dx, y, dy, log)
    wide, dy = y.double(), dy.double()
    want = dy - wide.exp() * dy.sum(1, keepdim=True) if log else wide * (dy - (wide * dy).sum(1, keepdim=True))
    torch.testing.assert_close(dx.double(), want, rtol=1e-2 if dtype != torch.float32 else 1e-4, atol=1e-6)


def test_vmap_gives_what_a_batch_gives():
    """Over any dimension, also inside of a gradient."""
    x = torch.randn(4, 3, 5, generator=inputs.generator(4))
    for dim in (0, 1):
        got = torch.func.vmap(softmax, in_dims=dim, out_dims=dim)(x)
        torch.testing.assert_close(got, torch.softmax(x, -1), rtol=1e-5, atol=1e-7)
    got = torch.func.vmap(torch.func.grad(lambda row: softmax(row)[..., 0].sum()))(x)
    want = torch.func.vmap(torch.func.grad(lambda row: torch.softmax(row, -1)[..., 0].sum()))(x)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-7)


def test_forward_mode_is_not_lost():
    """The tangent arrives, though no kernel computes it."""
    x, t = (torch.randn(2, 5, generator=inputs.generator(i)) for i in (5, 6))
    with forward_ad.dual_level():
        got = forward_ad.unpack_dual(softmax(forward_ad.make_dual(x, t))).tangent
        want = forward_ad.unpack_dual(torch.softmax(forward_ad.make_dual(x, t), -1)).tangent
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("capability, has", [((7, 5), False), ((8, 0), True), ((12, 0), True)])
def test_cards_without_instructions_for_pairs_get_none(monkeypatch, capability, has):
    """A T4's assembler refuses them."""
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: capability)
    assert has == launchers._ptx(torch.empty(2, dtype=torch.bfloat16), "bf16")
    assert not launchers._ptx(torch.empty(2), "float")


def test_plans_are_bounded():
    """Many layouts in bounded memory; the one that was in use stays."""
    kept = plans.Plans()
    kept.of(("used",), object)
    used = kept.of(("used",), object)
    for i in range(3 * plans.MOST):
        kept.of((i,), object)
        assert kept.of(("used",), object) is used
    assert plans.MOST // 2 <= len(kept) <= plans.MOST


@pytest.mark.parametrize("half", [True, False])
@pytest.mark.parametrize("inputs_, shape", [(1, clusters.forward_shape), (2, clusters.backward_shape)])
def test_a_cluster_holds_its_row(half, inputs_, shape):
    """Whatever the shape: all vectors have a place, no more of anything than there may be, and a limit."""
    for m in (1, 7, 64, 1000, 100000):
        for row_bytes in (*range(16, 5000, 112), *(int(1.13**i) for i in range(70, 125))):
            for most in (8, 16):
                divided = shape(m, row_bytes, half, 132, most)
                if divided is None:
                    assert row_bytes > (32768 if inputs_ == 1 else 2 * 81920) * most
                    continue
                held = divided.vectors + divided.slots
                assert divided.blocks * divided.threads * held * 16 >= row_bytes
                assert divided.blocks in (1, 2, 4, 8, 16) and divided.blocks <= most and divided.vectors <= 16
                assert divided.threads % 32 == 0 and divided.threads <= 1024
                assert 0 <= divided.shared(inputs_) <= clusters.SHARED - clusters.STATES
                for aligned in (True, False):
                    resident = divided.resident(inputs_, aligned)
                    assert resident * divided.threads <= 2048
                    assert resident * divided.shared(inputs_) <= clusters.SHARED


@pytest.mark.parametrize("size", [2, 4])
def test_a_block_of_short_rows_holds_whole_rows_and_begins_at_a_vector(size):
    """Each row has a thread for each word, and a block no more shared memory than every GPU gives."""
    for n in range(1, short_rows.LONGEST // size + 1):
        lanes, held, rows = short_rows.division(n, size)
        assert 4 * lanes * held >= n * size and lanes <= 32 and rows % (short_rows.THREADS // lanes) == 0
        assert rows * n * size % 16 == 0 and 2 * rows * n * size <= 48 * 1024


def test_compilers_know_it_as_an_operator():
    """Shapes without data, autograd, a whole graph."""
    x = torch.randn(3, 7, requires_grad=True)
    results = torch.library.opcheck(torch.ops.five_passes.softmax.default, (x, 1, False))
    assert set(results.values()) == {"SUCCESS"}
    compiled = torch.compile(lambda x: 2 * softmax(x), backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), 2 * torch.softmax(x, 1))


@pytest.mark.parametrize("dtype", [*DTYPES, torch.float64], ids=str)
@pytest.mark.parametrize("asked", [None, torch.bfloat16, torch.float32], ids=str)
def test_dtypes_under_autocast_are_pytorchs(dtype, asked):
    """On a CPU neither function is converted; tests/slow/on_a_gpu.py has a GPU, where both are."""
    x = _random(3, 70, torch.float32).to(dtype)
    with torch.autocast("cpu", torch.bfloat16):
        for ours, theirs in ((fast.softmax, torch.softmax), (fast.log_softmax, torch.log_softmax)):
            for dim in (0, 1):
                got, want = ours(x, dim, dtype=asked), theirs(x, dim, dtype=asked)
                assert got.dtype == want.dtype
                torch.testing.assert_close(got, want, rtol=8e-3 if got.dtype in DTYPES[1:] else 1e-5, atol=1e-6)
