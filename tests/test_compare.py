"""Tolerances: control answers that must be refused, and honest arithmetic that must pass."""

import pytest
import torch

from grader.checks import compare, inputs
from grader.checks.compare import same_number

FAMILIES = [
    inputs.randn, inputs.far_below_zero, inputs.large, inputs.ascending, inputs.descending, inputs.cliff,
    inputs.constant, inputs.one_minus_inf, inputs.outlier,
]  # fmt: skip
SIZES = [(1, 1), (3, 5), (4, 781), (2, 4096), (1, 70001)]


def make(family, size):
    return family(*size, inputs.generator(5))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_honest_float32_passes(family, size):
    """PyTorch's own float32 softmax, the five passes, and powers of two with a scaled exponent."""
    x = make(family, size)
    e = torch.exp(x - x.amax(1, keepdim=True))
    scaled = x * 1.4426950408889634
    e2 = torch.exp2(scaled - scaled.amax(1, keepdim=True))
    in_sequence = e / e.cumsum(1)[:, -1:]

    for got in (torch.softmax(x, 1), e / e.sum(1, keepdim=True), e2 / e2.sum(1, keepdim=True), in_sequence):
        assert compare.softmax(x, got) is None


@pytest.mark.parametrize("size", SIZES[1:], ids=str)
def test_control_answers_are_refused(size):
    """Each of these passes some test with an absolute tolerance."""
    x = make(inputs.randn, size)
    right = torch.softmax(x, 1)
    wrong = {
        "zeros": torch.zeros_like(x),
        "uniform": torch.full_like(x, 1 / size[1]),
        "shuffled": right.flip(1),
        "a thousandth off": right * 1.001,
        "one element off": right.index_fill(1, torch.tensor([size[1] - 1]), 0.0),
        "one element nan": right.index_fill(1, torch.tensor([0]), torch.nan),
        "rows swapped": right.roll(1, 0) if size[0] > 1 else right.flip(1),
        "view of another shape": right.t() if size[0] != size[1] else right.flip(1),
        "double": right.double(),
        "nothing": None,
        "the input": x,
    }

    assert {name for name, got in wrong.items() if compare.softmax(x, got) is None} == set()


def test_an_absolute_tolerance_would_accept_zeros():
    """Why the comparison is relative: at N = 4096 an output is about 0.0002."""
    x = make(inputs.constant, (1, 4096))

    assert torch.allclose(torch.zeros_like(x), torch.softmax(x, 1), atol=1e-3)
    assert compare.softmax(x, torch.zeros_like(x)) is not None


def test_the_sentence_says_where_and_by_how_much():
    """The first wrong row, its sum, its first wrong value."""
    x = torch.zeros(2, 4)
    right = torch.softmax(x, 1)
    low, swapped = right.clone(), right.clone()
    low[1, 3] = 0
    swapped[1, :2] = torch.tensor([0.1, 0.4])

    assert compare.softmax(x, low) == "row 1 sums to 0.75, expected 1; its column 3 is 0, expected 0.25"
    row_one = "row 1, column 0 is 0.1, expected 0.25; 2 of 8 values differ, the row sums to 1"
    assert row_one == compare.softmax(x, swapped)


def test_rows_of_minus_infinity_are_nan_as_in_pytorch():
    """There is no softmax of nothing."""
    x = torch.full((1, 3), -torch.inf)

    assert compare.softmax(x, torch.softmax(x, 1)) is None
    assert compare.softmax(x, torch.zeros(1, 3)) is not None


HALF = [torch.float16, torch.bfloat16]
LONG = [(2, 7), (1, 781), (1, 4096), (1, 32768)]


@pytest.mark.parametrize("size", LONG, ids=str)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", HALF, ids=str)
def test_float32_rounded_once_passes(dtype, family, size):
    """Also where float16 has only subnormals left."""
    x = make(family, size).to(dtype)
    x32 = x.float()
    e = torch.exp2((x32 - x32.amax(1, keepdim=True)) * 1.4426950408889634)

    for got in (torch.softmax(x32, 1), e / e.sum(1, keepdim=True)):
        assert compare.softmax(x, got.to(dtype)) is None


def accumulated(terms):
    """The sum of a row, one term after the other, rounded to the dtype after each."""
    total = torch.zeros((), dtype=terms.dtype)
    for term in terms:
        total += term
    return total


@pytest.mark.parametrize("size", LONG, ids=str)
@pytest.mark.parametrize("dtype", HALF, ids=str)
def test_low_precision_controls_are_refused(dtype, size):
    """float16 has outputs below its smallest normal number here: a slack of that size would accept zeros."""
    x = make(inputs.randn, size).to(dtype)
    e = torch.exp(x.float() - x.float().amax(1, keepdim=True))
    right = (e / e.sum(1, keepdim=True)).to(dtype)
    wrong = {
        "zeros": torch.zeros_like(x),
        "uniform": torch.full_like(x, 1 / size[1]),
        "two units in the last place off": right * (1 + 2 * torch.finfo(dtype).eps),
        "numerator rounded too": (e.to(dtype) / e.sum(1, keepdim=True)).to(dtype),
        "summed in low precision": (e / torch.stack([accumulated(row.to(dtype)) for row in e])[:, None]).to(dtype),
        "float32": right.float(),
    }
    if size[1] == 32768 and dtype == torch.float16:
        # Nearly all of these outputs are subnormal: a second rounding is smaller than the first there.
        del wrong["two units in the last place off"], wrong["numerator rounded too"]

    assert {name for name, got in wrong.items() if compare.softmax(x, got) is None} == set()


@pytest.mark.parametrize("dtype", HALF, ids=str)
def test_zeros_for_a_long_constant_row_are_refused(dtype):
    """Each output is 1/32768, about half of float16's smallest normal number."""
    x = torch.ones(1, 32768, dtype=dtype)

    assert compare.softmax(x, torch.softmax(x.float(), 1).to(dtype)) is None
    assert (
        compare.softmax(x, torch.zeros_like(x))
        == "the row sums to 0, expected 1; its column 0 is 0, expected 3.052e-05"
    )


def test_zeros_where_nan_is_expected_are_said_to_be_that():
    """Such a row does not sum to 1 either."""
    x = torch.full((1, 3), -torch.inf)
    said = compare.softmax(x, torch.zeros(1, 3))

    assert said == "the row, column 0 is 0, expected nan; 3 of 3 values differ, the row sums to 0"


def test_an_integer_beyond_every_float_is_another_number():
    """And no OverflowError in the judge."""
    assert not same_number(10**400, 2.5)
    assert compare.two_numbers((10**400, 1), (6, 6))


UPSTREAM = {
    "randn": lambda x: torch.randn(x.shape, generator=inputs.generator(6)),
    "large": lambda x: 1e4 * torch.randn(x.shape, generator=inputs.generator(7)),
    "constant": lambda x: torch.full_like(x, 0.7),
    "nearly constant": lambda x: 1000 + torch.randn(x.shape, generator=inputs.generator(8)),
    "ones": torch.ones_like,
}


@pytest.mark.parametrize("size", SIZES[1:], ids=str)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=compare.name)
def test_honest_gradients_pass(family, size, dtype):
    """The difference and the two products for a given y, and PyTorch's own for a y that was computed."""
    x = make(family, size).to(dtype)
    y = torch.softmax(x, 1)
    slack = compare.softmax_bound(x, dtype) * torch.finfo(dtype).eps / torch.finfo(torch.float32).eps
    if dtype == torch.float64:  # where PyTorch adds one number after the other, with a rounding for each
        slack += x.shape[1] * torch.finfo(dtype).eps
    for dy in (make_dy(x).to(dtype) for make_dy in UPSTREAM.values()):
        product = y * dy
        dot = product.sum(1, keepdim=True)
        for got in (y * (dy - dot), product - y * dot):
            assert compare.gradient(y, dy, got) is None
        exact = torch.softmax(x.double(), 1)
        assert compare.gradient(exact, dy, torch._softmax_backward_data(dy, y, 1, dtype), slack) is None


@pytest.mark.parametrize("size", SIZES[1:], ids=str)
def test_control_gradients_are_refused(size):
    """Zeros among them, which a loss of y.sum() would let through."""
    x = make(inputs.randn, size)
    y, dy = torch.softmax(x, 1), UPSTREAM["randn"](x)
    right = compare.softmax_gradient(y, dy).float()
    wrong = {
        "zeros": torch.zeros_like(x),
        "dy": dy,
        "without the sum": y * dy,
        "a thousandth off": right * 1.001,
        "one element off": right.index_fill(1, torch.tensor([size[1] - 1]), 1.0),
        "one element nan": right.index_fill(1, torch.tensor([0]), torch.nan),
        "double": right.double(),
        "nothing": None,
    }

    assert {name for name, got in wrong.items() if compare.gradient(y, dy, got) is None} == set()
    assert compare.gradient(y, torch.ones_like(x), torch.zeros_like(x)) is None


def test_a_wrong_gradient_says_where_and_by_how_much():
    """A row of right gradients sums to 0, so the sum is worth a word where it does not."""
    y, dy = torch.tensor([[0.25, 0.75]]), torch.tensor([[4.0, 0.0]])

    assert (
        compare.gradient(y, dy, y * dy)
    ) == "the row, column 0 is 1, expected 0.75; 2 of 2 values differ, and the row sums to 1, expected 0"
    assert (
        compare.gradient(y, dy, 2 * compare.softmax_gradient(y, dy).float())
    ) == "the row, column 0 is 1.5, expected 0.75; 2 of 2 values differ"


def test_infinities_must_be_equal_and_differences_get_room():
    """A relative tolerance of infinity accepts everything; a difference of large terms has an error of its own."""
    want = torch.tensor([[1.0, -torch.inf]])

    assert compare.tensor(want.clone(), want, 1e-5) is None
    for wrong in ([1.0, torch.inf], [1.0, 0.0], [1.0, torch.nan]):
        assert compare.tensor(torch.tensor([wrong]), want, 1e-5) is not None
    assert compare.tensor(torch.tensor([1e-6]), torch.tensor([0.0]), 1e-5) is not None
    assert compare.tensor(torch.tensor([1e-6]), torch.tensor([0.0]), 1e-5, atol=2e-6) is None
    assert compare.tensor(torch.tensor([3e-6]), torch.tensor([0.0]), 1e-5, atol=torch.tensor([2e-6])) is not None
