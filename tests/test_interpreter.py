"""The contract with Triton's interpreter. Run with each Triton the course supports: make contract TRITON=3.6.0"""

import os
import warnings

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

from grader import interpreter
from grader.interpreter import EndlessKernel, KernelMisuse, OutOfBounds, conditions, recording, selfcheck

interpreter.install()


@triton.jit
def copy_kernel(y_ptr, x_ptr, y_stride, x_stride, n, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + row * y_stride + cols, x, mask=cols < n)


@triton.jit
def unmasked_store(y_ptr, x_ptr, stride, n, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(y_ptr + row * stride + cols, tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0))


@triton.jit
def read_before(y_ptr, x_ptr):
    tl.store(y_ptr, tl.load(x_ptr - 1))


@triton.jit
def of_libdevice(y_ptr, x_ptr, n: tl.constexpr):
    cols = tl.arange(0, n)
    x = tl.load(x_ptr + cols)
    y_ptr += cols
    tl.store(y_ptr, libdevice.tanh(x))
    tl.store(y_ptr + n, libdevice.log1p(x))
    tl.store(y_ptr + 2 * n, libdevice.pow(x, 2.5))
    tl.store(y_ptr + 3 * n, libdevice.ldexp(x, 3))
    tl.store(y_ptr + 4 * n, libdevice.erfc(x))
    tl.store(y_ptr + 5 * n, libdevice.round(x))
    tl.store(y_ptr + 6 * n, libdevice.float2int_rz(x))
    tl.store(y_ptr + 7 * n, libdevice.ffs(cols))
    tl.store(y_ptr + 8 * n, libdevice.fma_rn(x, x, x))
    tl.store(y_ptr + 9 * n, libdevice.copysign(x, -x))


@triton.jit
def without_a_meaning(y_ptr, x_ptr):
    tl.store(y_ptr, libdevice.j0(tl.load(x_ptr)))


@triton.jit
def exchanged(x_ptr, old_ptr):
    tl.store(old_ptr, tl.atomic_xchg(x_ptr, 2.5))


@triton.jit
def no_tensor(y_ptr, address):
    pointer = (address + 64).to(tl.pointer_type(tl.float32))
    tl.store(y_ptr, tl.load(pointer))


@triton.jit
def copy_wide(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr.to(tl.pointer_type(tl.int64)) + cols, mask=cols < n, other=0)
    tl.store(y_ptr.to(tl.pointer_type(tl.int64)) + cols, x, mask=cols < n)


@triton.jit
def add_one(x):
    return x + 1.0


@triton.jit
def with_helper(y_ptr, x_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols)
    tl.store(y_ptr + cols, add_one(x) / tl.sum(x, axis=0))


@triton.jit
def count_programs(count_ptr):
    tl.atomic_add(count_ptr, 1)


@triton.jit
def persistent(y_ptr, n_rows):
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        tl.store(y_ptr + row, tl.program_id(0))


@triton.jit
def row_inside(y_ptr, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(y_ptr + cols, 1.0, mask=(tl.program_id(0) < n_rows) & (cols < n_cols))


@triton.jit
def tile_without_a_mask(y_ptr, stride, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    tl.store(y_ptr + rows[:, None] * stride + tl.arange(0, BLOCK)[None, :], 1.0)


@triton.jit
def divides_by_nothing(y_ptr):
    tl.store(y_ptr, undefined_name)  # noqa: F821


@triton.jit
def same_element(y_ptr):
    tl.store(y_ptr, 1.0)


@triton.jit
def padded_by_zero(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    me, cols = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(y_ptr + 2 * me, tl.load(x_ptr + me, mask=me < n, other=0.0))
    tl.store(y_ptr + 2 * me + 1 + cols, tl.load(x_ptr + me + cols, mask=me + cols < n, other=0))


@triton.jit
def broadcast_load(y_ptr, x_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(y_ptr + cols, tl.load(x_ptr + cols * 0))


def blank(*shape):
    return torch.full(shape, float("nan"))


def test_every_feature_passes_its_control():
    """Each feature acts on a wrong kernel and leaves a right one alone."""
    assert dict.fromkeys(interpreter.FEATURES, "on") == selfcheck.run()


def test_installing_twice_changes_nothing():
    """A second import must not hook the hooks."""
    before = triton.runtime.interpreter.GridExecutor.__call__

    interpreter.install()

    assert before is triton.runtime.interpreter.GridExecutor.__call__


def test_an_unmasked_store_names_tensor_row_and_column():
    """The last row's lanes run over the end: row 2, column 5, of y_ptr, and nothing is written there."""
    x, y = torch.randn(3, 5), blank(3, 5)

    with pytest.raises(OutOfBounds, match=r"program 2 stores to y_ptr at row 2, column 5") as caught:
        unmasked_store[(3,)](y, x, 5, 5, BLOCK=8)

    assert tuple(caught.value.where[k] for k in ("tensor", "row", "column", "program")) == ("y_ptr", 2, 5, [2, 0, 0])


@pytest.mark.parametrize("gap", [0, 3])
def test_a_tile_that_runs_over_the_last_row_is_said_to_do_so(gap):
    """Each line of a tile is a row of its own: what lies below the matrix is not at the far right of the row above."""
    y = blank(3, 4 + gap)[:, :4]
    with pytest.raises(interpreter.OutOfBounds) as caught:
        tile_without_a_mask[(2,)](y, y.stride(0), ROWS=2, BLOCK=4)
    where = caught.value.where

    assert (where["row"], where["column"]) == (3, 0)
    assert ([1, 0, 0], 1, 3 * y.stride(0)) == (where["program"], where["line"], where["begins"])


@pytest.mark.parametrize("programs", [1, 4])
@pytest.mark.parametrize("n", [0, 2])
def test_a_pad_of_zero_is_one_for_a_single_element_too(programs, n):
    """A number, and a block of one lane: the stock interpreter takes 0 for no pad there."""
    x, y = torch.ones(programs), blank(2 * programs)
    padded_by_zero[(programs,)](y, x, min(n, programs), BLOCK=1)

    assert y.tolist() == [float(i // 2 < n) for i in range(2 * programs)]


def test_a_condition_on_scalars_may_be_part_of_a_mask():
    """True or false of two numbers, such as a row and the number of rows, stays that among the lanes."""
    y = torch.zeros(2, 4)
    row_inside[(1,)](y[0], 1, 3, BLOCK=4)
    row_inside[(1,)](y[1], 0, 3, BLOCK=4)

    assert y.tolist() == [[1, 1, 1, 0], [0, 0, 0, 0]]


def test_and_or_and_not_of_blocks_go_lane_by_lane():
    """As the compiler takes them; a constant on the left decides whether the rest is asked at all."""
    y = torch.zeros(3, 8)
    of_two_masks[(1,)](y, 2, 6, None, BLOCK=8)

    assert y.tolist() == [
        [float(2 <= i < 6) for i in range(8)],
        [float(i < 2 or i >= 6) for i in range(8)],
        [float(i >= 2) for i in range(8)],
    ]


@triton.jit
def of_two_masks(y_ptr, low, high, absent: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, 1.0, mask=i >= low and i < high and i >= 0)
    tl.store(y_ptr + BLOCK + i, 1.0, mask=i < low or i >= high)
    if absent is None or absent.shape[0] > 0:
        tl.store(y_ptr + 2 * BLOCK + i, 1.0, mask=not i < low)


@pytest.mark.parametrize("programs", [1, 6])
def test_a_float_is_a_number_of_the_kernel(programs):
    """It has attributes, and float32 alone, in a pass of several programs too."""
    y = torch.zeros(programs)
    of_a_float[(programs,)](y, 0.1)

    assert y.tolist() == [torch.tensor(0.1).item() * 2] * programs


@triton.jit
def of_a_float(y_ptr, number):
    tl.store(y_ptr + tl.program_id(0), number.to(tl.float32) + number)


@pytest.mark.parametrize("programs", [1, 6])
def test_the_place_of_the_largest_of_nans_is_some_place(programs):
    """NumPy has an error for it. A row with numbers has its place."""
    x = torch.full((programs, 2, 4), torch.nan)
    x[:, 1, 2] = 5.0
    y = torch.full((programs, 2), -1, dtype=torch.int32)
    places_of_largest[(programs,)](y, x)

    assert y[:, 1].tolist() == [2] * programs and set(y[:, 0].tolist()) <= {0, 1, 2, 3}


@triton.jit
def places_of_largest(y_ptr, x_ptr):
    rows, cols, program = tl.arange(0, 2), tl.arange(0, 4), tl.program_id(0)
    x = tl.load(x_ptr + program * 8 + rows[:, None] * 4 + cols[None, :])
    tl.store(y_ptr + program * 2 + rows, tl.argmax(x, axis=1))


def test_a_gap_between_rows_is_outside():
    """An address inside the storage, but between two rows of a view, belongs to nobody."""
    y = blank(2, 8)[:, :5]

    with pytest.raises(OutOfBounds, match=r"y_ptr at row 0, column 5"):
        unmasked_store[(1,)](y, torch.zeros(2, 5), 8, 5, BLOCK=8)
    between = "y_ptr at place 5 of its memory, in a gap: row 0 ends at place 4, and row 1 begins at place 8"
    with pytest.raises(OutOfBounds, match=between):
        unmasked_store[(2,)](y, torch.zeros(2, 5), 5, 5, BLOCK=1)


@pytest.mark.parametrize("row, held", [(torch.zeros(5), 5), (torch.zeros(1), 1)])
def test_behind_the_elements_of_an_expanded_tensor_is_outside(row, held):
    """All rows of an expanded tensor are the same memory: where a second row would lie there is nothing."""
    y = blank(3, 5)
    copy_kernel[(3,)](y, torch.zeros(5).expand(3, 5), 5, 0, 5, BLOCK=8)

    assert y.abs().sum() == 0
    with pytest.raises(OutOfBounds, match=rf"x_ptr at element \d, which is outside of it: x_ptr has {held} element"):
        copy_kernel[(3,)](blank(3, 5), row.expand(3, 5), 5, 5, 5, BLOCK=8)


def test_an_address_before_the_tensor_is_outside():
    """Offsets may be negative."""
    with pytest.raises(OutOfBounds, match=r"x_ptr at element -1"):
        read_before[(1,)](blank(1), torch.zeros(4))


def test_an_address_of_no_tensor_is_refused():
    """A number is no pointer, even when it happens to be an address."""
    with pytest.raises(OutOfBounds, match="belongs to no tensor"):
        no_tensor[(1,)](blank(1), 2**45 + 2**33)


def test_neighbours_in_memory_are_told_apart():
    """Running over the end of one tensor into the next is not an access to the next."""
    both = torch.zeros(16)
    y, x = both[:5], both[8:13]

    with pytest.raises(OutOfBounds, match="y_ptr"):
        unmasked_store[(1,)](y, x, 5, 5, BLOCK=8)


def test_a_wide_access_touches_several_elements():
    """A pointer to 8 bytes in a tensor of 4: both elements count, and both must exist."""
    x, y = torch.arange(7.0), torch.zeros(7)

    with recording() as ledger:
        copy_wide[(1,)](y, x, 3, BLOCK=4)

    assert torch.equal(x[:6], y[:6]) and ledger.totals() == (6, 6)
    with pytest.raises(OutOfBounds, match="element 7"):
        copy_wide[(1,)](y, x, 4, BLOCK=4)


def test_views_are_read_and_written_by_their_strides():
    """A transposed or sliced tensor works, and so does an offset into its storage."""
    x = torch.arange(24.0).reshape(3, 8)[:, 2:7]
    y = blank(3, 9)[:, :5]

    copy_kernel[(3,)](y, x, y.stride(0), x.stride(0), 5, BLOCK=8)

    assert torch.equal(x, y)


def test_the_ledger_counts_active_lanes_once():
    """15 elements read, 15 written; masked lanes and repeated addresses cost nothing."""
    with recording() as ledger:
        copy_kernel[(3,)](blank(3, 5), torch.randn(3, 5), 5, 5, 5, BLOCK=8)
        broadcast_load[(1,)](blank(4), torch.ones(1), BLOCK=4)

    assert ledger.rows() == [("copy_kernel", 15, 15), ("broadcast_load", 1, 4)]
    assert ((15 + 1) * 4, (15 + 4) * 4) == ledger.bytes()


def test_the_launch_record_says_how_it_was_started():
    """Grid, constants, options and types: enough to compile the kernel elsewhere."""
    with recording() as ledger:
        copy_kernel[lambda meta: (3,)](blank(3, 5), torch.randn(3, 5), 5, 5, n=5, BLOCK=8, num_warps=2)

    launch = ledger.launches[0]
    assert (launch.kernel, launch.grid) == ("copy_kernel", (3, 1, 1))
    assert (launch.constants, launch.options) == ({"BLOCK": 8}, {"num_warps": 2})
    assert launch.signature == {"y_ptr": "*fp32", "x_ptr": "*fp32", "y_stride": "i32", "x_stride": "i32", "n": "i32"}


def test_elements_stored_by_several_programs_are_counted():
    """4 programs store one element: 3 of the stores meet another program's."""
    with recording() as ledger:
        same_element[(4,)](blank(1))
        copy_kernel[(2,)](blank(2, 3), torch.ones(2, 3), 3, 3, 3, BLOCK=4)

    assert [launch.shared for launch in ledger.launches] == [3, 0]


def test_atomics_may_share_an_element():
    """They cannot get lost, whoever comes first."""
    with recording() as ledger:
        count_programs[(4,)](torch.zeros(1, dtype=torch.int32))

    assert ledger.launches[0].shared == 0


@pytest.mark.parametrize("early, shared", [(False, 0), (True, 3)])
def test_stores_under_a_lock_are_ordered(early, shared):
    """Whoever holds it after another one knows what that one stored; not so if it was given back before the store."""
    with recording() as ledger:
        added_under_a_lock[(4,)](y := torch.zeros(1), torch.zeros(1, dtype=torch.int32), EARLY=early)

    assert (ledger.launches[0].shared, y.item()) == (shared, 4.0)


@triton.jit
def added_under_a_lock(y_ptr, lock_ptr, EARLY: tl.constexpr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    y = tl.load(y_ptr) + 1
    if EARLY:
        tl.atomic_xchg(lock_ptr, 0)
    tl.store(y_ptr, y)
    if not EARLY:
        tl.atomic_xchg(lock_ptr, 0)


@pytest.mark.parametrize("order", ["forward", "reversed", "shuffled"])
def test_every_order_runs_every_program(order):
    """Whatever the order, each program runs once, on grids of two dimensions too."""
    count = torch.zeros(1, dtype=torch.int32)

    with conditions(order):
        count_programs[(3, 5)](count)

    assert count.item() == 15


def test_helpers_under_jit_work_and_may_be_launched_again():
    """Patching once a launch must leave the language as it was afterwards."""
    for _ in range(2):
        y = blank(4)
        with_helper[(1,)](y, torch.ones(4), BLOCK=4)
        assert [0.5] * 4 == y.tolist()


def test_a_grid_stride_loop_visits_every_row():
    """range() takes scalars of a kernel, whatever NumPy thinks of arrays with one element."""
    y = torch.full((5,), -1, dtype=torch.int32)

    persistent[(2,)](y, 5)

    assert y.tolist() == [0, 1, 0, 1, 0]


def test_atomics_are_guarded_and_counted():
    """An atomic reads and writes."""
    with recording() as ledger:
        count_programs[(2,)](torch.zeros(1, dtype=torch.int32))

    assert ledger.bytes() == (8, 8)


def test_an_error_in_a_kernel_is_the_learners_own():
    """Not the interpreter's wrapper around it."""
    with pytest.raises(NameError, match="undefined_name"):
        divides_by_nothing[(1,)](blank(1))


def test_after_an_error_the_next_launch_works():
    """Python lives on."""
    with pytest.raises(OutOfBounds):
        read_before[(1,)](blank(1), torch.zeros(4))
    y = blank(2, 3)

    copy_kernel[(2,)](y, torch.ones(2, 3), 3, 3, 3, BLOCK=4)

    assert torch.equal(torch.ones(2, 3), y)


@triton.jit
def walk(y_ptr, n, STEP: tl.constexpr):
    start = 0
    while start < n:
        tl.store(y_ptr + start, 1.0)
        start += STEP


@pytest.mark.whole
def test_a_loop_that_goes_on_for_ever_is_stopped_by_its_accesses():
    """The number of loads and stores decides, and no clock: a walk over every element is none of these."""
    y = blank(12_000)
    walk[(1,)](y, 12_000, STEP=1)
    assert y.sum() == 12_000

    with pytest.raises(EndlessKernel, match=r"program 0 has made 10,017 loads and stores, .* 2 elements"):
        walk[(1,)](blank(2), 2, STEP=0)


def test_a_kernel_without_a_grid_is_a_sentence():
    """Not an AttributeError about is_ptr."""
    with pytest.raises(KernelMisuse, match=r"copy_kernel\[grid\]"):
        copy_kernel(blank(1), torch.zeros(1), 1, 1, 1, BLOCK=1)


def test_a_launch_that_does_not_fit_is_a_sentence():
    """The missing parameter is named."""
    with pytest.raises(KernelMisuse, match="BLOCK"):
        copy_kernel[(1,)](blank(1), torch.zeros(1), 1, 1, 1)


def test_bfloat16_lanes_without_a_value_show():
    """bfloat16 travels as 16-bit integers; its poison is no finite number all the same."""
    y = torch.zeros(4, dtype=torch.bfloat16)
    unpadded[(1,)](y, torch.ones(4, dtype=torch.bfloat16), 2, BLOCK=4)

    assert y.isfinite().tolist() == [True, True, False, False]


@triton.jit
def unpadded(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(y_ptr + cols, tl.load(x_ptr + cols, mask=cols < n))


@triton.jit
def from_bfloat16(y_ptr, x_ptr, STEP: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols)
    if STEP == "multiply":
        y = 2 * x
    elif STEP == "negate":
        y = -x
    elif STEP == "compare":
        y = x > x
    elif STEP == "add a block":
        y = x + x
    elif STEP == "absolute":
        y = tl.abs(x)
    elif STEP == "sum":
        y = tl.sum(x, axis=0)
    elif STEP == "cumulate":
        y = tl.associative_scan(x, 0, add_one_each)
    elif STEP == "fma":
        y = tl.fma(x, x, x)
    elif STEP == "float32":
        y = 2 * x.to(tl.float32)
    elif STEP == "select":
        y = tl.where(cols < 2, x, -float("inf"))
    elif STEP == "reshape":
        y = tl.reshape(tl.broadcast_to(x[:, None], (BLOCK, 2)), (2 * BLOCK,), can_reorder=False)
        cols = tl.arange(0, 2 * BLOCK)
    elif STEP == "maximum of a row":
        y = x - tl.max(x, axis=0)
    elif STEP == "float16":
        y = 2 * x.to(tl.float16)
    elif STEP == "bits":
        y = (x.to(tl.uint16, bitcast=True) + 1).to(tl.uint16).to(tl.bfloat16, bitcast=True)
    elif STEP == "integers":
        y = x.to(tl.int32).to(tl.bfloat16)
    tl.store(y_ptr + cols, y)


@triton.jit
def products(y_ptr, a_ptr, b_ptr, SIZE: tl.constexpr):
    lanes = tl.arange(0, SIZE)
    places = lanes[:, None] * SIZE + lanes[None, :]
    tl.store(y_ptr + places, tl.dot(tl.load(a_ptr + places), tl.trans(tl.load(b_ptr + places))))


@triton.jit
def converted(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(y_ptr + offsets, x.to(y_ptr.dtype.element_ty), mask=offsets < n)


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_numbers_of_8_bits_are_converted_as_on_a_gpu(dtype):
    """Rounded to nearest even, with the carry; too large ones become the largest. Each of the 256 is read as it is."""
    every = torch.arange(256).to(torch.uint8).view(dtype)
    wide = torch.empty(256)
    converted[(8,)](wide, every, 256, BLOCK=32)
    finite = every.float()[every.float().isfinite()].sort()[0]
    halfway = (finite[1:] + finite[:-1]) / 2
    x = torch.cat([finite, halfway, halfway * (1 + 1e-6), halfway * (1 - 1e-6), 2 * finite])
    largest = torch.finfo(dtype).max
    for source in (torch.float32, torch.float16, torch.bfloat16):
        y = torch.empty(len(x), dtype=dtype)
        converted[(triton.cdiv(len(x), 64),)](y, x.to(source), len(x), BLOCK=64)
        rounded = x.to(source).float().clamp(-largest, largest).to(dtype)

        assert torch.equal(y.view(torch.uint8), rounded.view(torch.uint8))
    assert torch.equal(wide.nan_to_num(-1.0), every.float().nan_to_num(-1.0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_products_of_half_precision_are_summed_in_float32(dtype):
    """As on tensor cores: of 2048 and fifteen ones, no one is lost."""
    a, b = torch.ones(16, 16, dtype=dtype), torch.ones(16, 16, dtype=dtype)
    a[:, 0], y = 2048, torch.zeros(16, 16)
    products[(1,)](y, a, b, SIZE=16)

    assert torch.equal(torch.full((16, 16), 2063.0), y)


@triton.jit
def add_one_each(a, b):
    return a + b


@pytest.mark.parametrize("step", ["multiply", "negate", "compare", "add a block", "absolute", "sum", "cumulate", "fma"])
def test_arithmetic_on_bfloat16_is_refused(step):
    """It would compute with the bit patterns."""
    x = torch.tensor([1.0, 2.0, -3.0, 4.0], dtype=torch.bfloat16)

    with pytest.raises(KernelMisuse, match="computes with a bfloat16 value, which has to be float32"):
        from_bfloat16[(1,)](torch.zeros_like(x), x, STEP=step, BLOCK=4)


@pytest.mark.parametrize("step", ["multiply", "negate", "absolute", "sum"])
def test_arithmetic_on_bfloat16_rounds_as_pytorch_does(step):
    """Where it is allowed: each operation in float32, and rounded after it."""
    x = torch.tensor([1.0078125, 2.0, -3.0, 4.0], dtype=torch.bfloat16)
    y = torch.zeros_like(x)
    with conditions(bfloat16=True):
        from_bfloat16[(1,)](y, x, STEP=step, BLOCK=4)
    wanted = {"multiply": x * 2, "negate": -x, "absolute": x.abs(), "sum": x.sum().expand(4)}[step]

    assert torch.equal(y, wanted)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_are_added_to_memory_one_by_one(dtype):
    """Each sum is rounded, and may become infinite."""
    x, y = torch.full((8,), 30000.0, dtype=dtype), torch.zeros(2, dtype=dtype)
    added_halves[(1,)](y, x, 7, BLOCK=8)
    want = torch.zeros(2, dtype=dtype)
    for i in range(7):
        want[i % 2] += x[i]

    assert torch.equal(y, want)


@triton.jit
def added_halves(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(y_ptr + i % 2, tl.load(x_ptr + i, mask=i < n), mask=i < n)


ALLOWED = {
    "float32": [2, 4, -6, 8],
    "float16": [2, 4, -6, 8],
    "select": [1, 2, -torch.inf, -torch.inf],
    "reshape": [1, 1, 2, 2, -3, -3, 4, 4],
    "maximum of a row": [-3, -2, -7, 0],
    "bits": [1.0078125, 2.015625, -3.015625, 4.03125],
    "integers": [1, 2, -3, 4],
}


@pytest.mark.parametrize("step", ALLOWED)
def test_what_only_moves_or_casts_bfloat16_works(step):
    """tl.max hands back float32, and the difference with it is float32 too; 16-bit integers stay integers."""
    x = torch.tensor([1.0, 2.0, -3.0, 4.0], dtype=torch.bfloat16)
    y = torch.zeros(len(ALLOWED[step]), dtype=torch.bfloat16)

    from_bfloat16[(1,)](y, x, STEP=step, BLOCK=4)

    assert ALLOWED[step] == y.tolist()


def test_a_store_rounds_to_bfloat16_as_pytorch_does():
    """To nearest, ties to even, subnormals, infinities and NaN included."""
    ties = torch.tensor([1.00390625, 1.01171875, 1e-39, -1e-40, torch.inf, -torch.inf, 3.4028e38, 0.0])
    x = torch.cat([ties, torch.randn(56), torch.full((8,), torch.nan)])
    y = torch.zeros(1, 72, dtype=torch.bfloat16)
    copy_kernel[(1,)](y, x[None], 72, 72, 72, BLOCK=128)
    back = blank(1, 72)
    copy_kernel[(1,)](back, y, 72, 72, 72, BLOCK=128)

    assert torch.equal(x.bfloat16()[:64], y[0, :64]) and y[0, 64:].isnan().all()
    assert torch.equal(y[0, :64].float(), back[0, :64])


def test_infinities_in_a_kernel_are_no_warning():
    """inf - inf is NaN, as on a GPU, without a word from NumPy."""
    y = torch.zeros(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        minus_itself[(1,)](y, torch.full((4,), torch.inf), BLOCK=4)

    assert y.isnan().all()


@triton.jit
def minus_itself(y_ptr, x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(y_ptr + tl.arange(0, BLOCK), x - x)


def test_descriptors_are_read_and_stored_with_their_own_masks():
    """Rows beyond the tensor are masked by Triton itself, in some versions with an array in the place of a block."""
    x, y = torch.arange(48.0).reshape(3, 16), torch.zeros(3, 16)

    copied_by_descriptors[(2,)](y, x, 3, ROWS=2)

    assert torch.equal(y, x)


@triton.jit
def copied_by_descriptors(y_ptr, x_ptr, n_rows, ROWS: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, shape=[n_rows, 16], strides=[16, 1], block_shape=[ROWS, 16])
    target = tl.make_tensor_descriptor(y_ptr, shape=[n_rows, 16], strides=[16, 1], block_shape=[ROWS, 16])
    first = tl.program_id(0) * ROWS
    target.store([first, 0], source.load([first, 0]))


def test_a_mask_of_numbers_is_a_sentence():
    """Some versions of Triton end the Python process at such a load."""
    with pytest.raises(KernelMisuse, match=r"mask of a load holds numbers \(int8\)"):
        masked_by_numbers[(1,)](torch.zeros(4), torch.ones(4, dtype=torch.int8), BLOCK=4)


@triton.jit
def masked_by_numbers(y_ptr, keep_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    keep = tl.load(keep_ptr + cols)
    tl.store(y_ptr + cols, tl.load(y_ptr + cols, mask=keep & (cols < 3)))


def test_libdevice_has_the_meaning_of_its_symbols():
    """In float32, rounded once from float64; halves are rounded away from zero."""
    x = torch.tensor([0.1, 0.5, 1.5, 2.5])
    y = torch.empty(10, 4)
    of_libdevice[(1,)](y, x, n=4)

    wide = x.double()
    expected = [
        wide.tanh(), wide.log1p(), wide**2.5, 8 * wide, wide.erfc(), torch.tensor([0, 1, 2, 3]),
        torch.tensor([0, 0, 1, 2]), torch.tensor([0, 1, 2, 1]), wide * wide + wide, -wide,
    ]  # fmt: skip
    assert torch.equal(y, torch.stack([each.double().float() for each in expected]))


def test_what_needs_a_gpu_says_so():
    with pytest.raises(Exception, match="libdevice's j0f runs on a GPU, and not in Triton's interpreter"):
        without_a_meaning[(1,)](torch.empty(1), torch.ones(1))


def test_floats_are_exchanged():
    x, old = torch.tensor([1.5]), torch.empty(1)
    exchanged[(1,)](x, old)

    assert (x.item(), old.item()) == (2.5, 1.5)
