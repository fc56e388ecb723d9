"""Tensors of a few elements whose rows lie billions of elements apart for a kernel: same results, counts and errors."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch
import triton
import triton.language as tl

from grader import interpreter, lessons
from grader.device_side import far_tensors
from grader.interpreter import OutOfBounds, conditions, recording
from grader.spec import Call

interpreter.install()

FAR = 2**30 + 16
APART = ((FAR, 1), (FAR + 16, 1))


@triton.jit
def add_one(y_ptr, x_ptr, y_stride, x_stride, n, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    if WIDE:
        row = row.to(tl.int64)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + row * y_stride + cols, x + 1, mask=cols < n)


@triton.jit
def sum_of_rows(y_ptr, x_ptr, x_stride, n, m, ROWS: tl.constexpr, BLOCK: tl.constexpr, PADDED: tl.constexpr):
    rows, cols = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64), tl.arange(0, BLOCK)
    mask = (rows < m)[:, None] & (cols < n)[None, :]
    if PADDED:
        x = tl.load(x_ptr + rows[:, None] * x_stride + cols[None, :], mask=mask, other=0.0)
    else:
        x = tl.load(x_ptr + rows[:, None] * x_stride + cols[None, :], mask=mask)
    tl.store(y_ptr + rows, tl.sum(x, axis=1), mask=rows < m)


@triton.jit
def everyone_adds(y_ptr, stride, BLOCK: tl.constexpr):
    at = y_ptr + 3 * stride.to(tl.int64) + tl.arange(0, BLOCK)
    tl.store(at, tl.load(at) + 1)


@triton.jit
def count(y_ptr, stride):
    tl.atomic_add(y_ptr + 3 * stride.to(tl.int64), 1.0)


def launched(batch, **more):
    """(output, ledger) of add_one for 40 rows of 5."""
    x, y = torch.arange(200.0).reshape(40, 5), torch.full((40, 5), float("nan"))
    with conditions(batch=batch, strides=APART, **more), recording() as ledger:
        add_one[(40,)](y, x, *(s for s, _ in APART), 5, BLOCK=8, WIDE=True)
    return y, x, ledger


@pytest.mark.parametrize("order", ["forward", "shuffled"])
@pytest.mark.parametrize("batch", [False, True])
def test_far_rows_are_rows(batch, order):
    """Each element is found where it is, in a pass and one by one; the counts are those of the elements."""
    y, x, ledger = launched(batch, order=order)

    assert torch.equal(x + 1, y)
    assert ledger.totals() == (200, 200)
    assert ledger.rows() == [("add_one", 200, 200)]


@pytest.mark.parametrize("batch", [False, True])
def test_a_tile_of_far_rows(batch):
    """Rows of one block lie billions of elements apart, and masked lanes without a value hold poison."""
    x, y = torch.ones(13, 5), torch.zeros(13)
    for padded in (True, False):
        with conditions(batch=batch, strides=((), (FAR, 1))), recording() as ledger:
            sum_of_rows[(7,)](y, x, FAR, 5, 13, ROWS=2, BLOCK=8, PADDED=padded)
        assert ledger.totals() == (65, 13)
        assert torch.equal(y, torch.full((13,), 5.0)) is padded


@pytest.mark.parametrize("batch", [False, True])
def test_an_offset_of_32_bits_leaves_its_tensor(batch):
    """Row 2 begins at 2^31 + 64, and as int32 this is -2^31 + 64. The error says so, and nothing is stored there."""
    x, y = torch.zeros(40, 5), torch.full((40, 5), float("nan"))

    with (
        conditions(batch=batch, strides=APART),
        pytest.raises(OutOfBounds, match=r"program 2 loads from x_ptr at place -2147483584 of its memory") as caught,
    ):
        add_one[(40,)](y, x, *(s for s, _ in APART), 5, BLOCK=8, WIDE=False)

    assert tuple(caught.value.where[k] for k in ("tensor", "row", "column", "lanes")) == ("x_ptr", 0, -(2**31) + 64, 5)
    assert bool(y[2:].isnan().all()) and not y[:2].isnan().any()


@pytest.mark.parametrize("batch", [False, True])
def test_the_gap_between_far_rows_is_outside(batch):
    """The lanes behind the last column of a row belong to nobody, however near the next row is in real memory."""
    with conditions(batch=batch, strides=APART), pytest.raises(OutOfBounds, match=r"row 0, column 5 \(place 5 of its"):
        add_one[(40,)](torch.zeros(40, 5), torch.zeros(40, 5), *(s for s, _ in APART), 6, BLOCK=8, WIDE=True)


@pytest.mark.parametrize("batch", [False, True])
def test_what_is_undone_or_atomic_works_on_far_rows(batch):
    """A pass with a conflict restores its elements; an atomic finds its own."""
    y = torch.zeros(4, 8)
    with conditions(batch=batch, strides=((FAR, 1),)):
        everyone_adds[(20,)](y, FAR, BLOCK=8)
        count[(20,)](y, FAR)

    assert y[3].tolist() == [40.0] + [20.0] * 7 and not y[:3].any()


def test_one_row_may_be_far_from_nothing():
    """With a single row, no stride matters."""
    y = torch.zeros(1, 5)
    with conditions(strides=APART):
        add_one[(1,)](y, torch.zeros(1, 5), *(s for s, _ in APART), 5, BLOCK=8, WIDE=True)

    assert torch.equal(y, torch.ones(1, 5))


def test_other_launches_have_their_own_strides():
    """What one launch pretends, the next one does not."""
    launched(batch=True)
    y = torch.zeros(3, 5)
    add_one[(3,)](y, torch.zeros(3, 5), 5, 5, 5, BLOCK=8, WIDE=False)

    assert torch.equal(y, torch.ones(3, 5))


@pytest.mark.parametrize("number", ["5.1", "7.1", "7.3", "8.3", "9.1", "9.2", "10.1", "10.2", "11.2"])
def test_every_kernel_with_a_row_stride_has_a_case(number):
    """Its tensors are contiguous, of few elements, and row 2 begins beyond 2^31; no GPU is asked for it."""
    far = [case for case in lessons.exercises()[number].cases(3) if case.call.strides]

    assert [case.interpreted_only for case in far] == [True]
    for case in far:
        tensors = [arg for arg in case.call.args if hasattr(arg, "shape")]
        numbers = [arg for arg in case.call.args if isinstance(arg, int)]
        assert len(tensors) == len(case.call.strides)
        for tensor, strides in zip(tensors, case.call.strides):
            assert not strides or (2 * strides[0] > 2**31 and strides[0] in numbers and len(tensor.shape) == 2)
            assert not isinstance(tensor, torch.Tensor) or tensor.is_contiguous()
            assert getattr(tensor, "strides", None) is None or not strides


@pytest.mark.parametrize(
    "number, places", [("5.2", 1), ("8.4", 1), ("9.3", 1), ("11.3", 2), ("14.2", 3), ("16.4", 2)]
)
def test_functions_that_launch_kernels_have_a_case(number, places):
    """Its matrix is contiguous, of three rows, and arrives with row 2 beyond 2^31."""
    far = [case for case in lessons.exercises()[number].cases(3) if case.call.strides]

    assert [case.call.kind for case in far] == ["call"] * places
    for case in far:
        tensors = [arg for arg in case.call.args if isinstance(arg, torch.Tensor)]
        apart = [(t, s) for t, s in zip(tensors, case.call.strides) if s]
        assert len(tensors) == len(case.call.strides) and apart
        assert all(len(t) == 3 and t.is_contiguous() and 2 * s[0] > 2**31 for t, s in apart)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64])
def test_a_far_tensor_has_the_numbers_of_the_near_one(dtype):
    """And its strides. Whatever PyTorch does with it costs no more memory than its rows; an int64 one has no room."""
    near, window = torch.arange(18).reshape(3, 6).to(dtype), far_tensors.reserve()
    call = far_tensors.placed(Call("call", "f", (near, 5, near), strides=((FAR, 1), ())), window)
    far, five, same = call.args

    assert torch.equal(near, far) and five == 5 and same is near and call.strides == ()
    assert far.stride() == ((6, 1) if dtype == torch.int64 else (FAR, 1))
    assert torch.equal(far[1:].contiguous() + 1, near[1:] + 1) and torch.empty_like(far).is_contiguous()


def test_without_addresses_a_tensor_stays_near():
    """Also in a launch, which has strides of its own."""
    near = torch.zeros(3, 6)
    for call, window in (
        (Call("call", "f", (near,), strides=((FAR, 1),)), None),
        (Call("launch", "f", (near,), strides=((FAR, 1),)), far_tensors.reserve()),
        (Call("call", "f", (near,)), far_tensors.reserve()),
    ):
        assert far_tensors.placed(call, window).args == (near,)
