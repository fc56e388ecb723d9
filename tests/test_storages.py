"""Numbers are counted and kept in view by their storages: whatever operator makes whatever view of them."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch
import triton
import triton.language as tl

from grader import interpreter
from grader.device_side import operators
from grader.interpreter import OutOfBounds, recording
from grader.interpreter.ledger import Ledger
from grader.interpreter.torch_ledger import TorchLedger

interpreter.install()

ROWS, COLUMNS = 8, 64
N = ROWS * COLUMNS
INTEGERS = torch.int32


def counted(work, *given):
    """(numbers read, numbers written, peak) of work(*given), with the numbers that PyTorch and kernels moved."""
    ledger = Ledger()
    ledger.storages.begin(given)
    with recording(ledger), TorchLedger(ledger, poison=True):
        work(*given)
    return *ledger.totals(), ledger.storages.peak


def matrix(dtype=torch.float32):
    return torch.rand(ROWS, COLUMNS).to(dtype)


@triton.jit
def copy(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0), mask=i < n)


@triton.jit
def copy_as(y_ptr, x_ptr, n, kind: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr.to(tl.pointer_type(kind)) + i, mask=i < n, other=0)
    tl.store(y_ptr.to(tl.pointer_type(kind)) + i, x, mask=i < n)


def launched(kernel, *args, n=N, **constants):
    kernel[(triton.cdiv(n, 64),)](*args, n, BLOCK=64, **constants)


# Ways to see the same numbers with another dtype. What is read of them once counts once.
VIEWS = {
    "integers": lambda x: x.view(INTEGERS),
    "bytes": lambda x: x.view(torch.uint8),
    "pairs as integers": lambda x: x.view(torch.int64),
    "pairs as wide numbers": lambda x: x.view(torch.float64),
    "complex": lambda x: torch.view_as_complex(x.view(-1, 2)),
    "a view that calls itself new": lambda x: torch.ops.aten._unsafe_view(x.view(INTEGERS), [N]),
    "parts that call themselves new": lambda x: torch.cat(torch.ops.aten.unsafe_split(x.view(INTEGERS), 3)),
    "parts of sizes that call themselves new": lambda x: torch.cat(
        torch.ops.aten.unsafe_split_with_sizes(x.view(INTEGERS), [3, 5])
    ),
    "strided": lambda x: x.view(INTEGERS).as_strided((N,), (1,)),
    "reshaped": lambda x: torch.ops.aten._reshape_alias(x.view(INTEGERS), [N], [1]),
    "an alias": lambda x: torch.ops.aten.alias(x.view(INTEGERS)),
    "detached": lambda x: torch.ops.aten.detach(x.view(INTEGERS)),
    "lifted": lambda x: torch.ops.aten.lift_fresh(x.view(INTEGERS)),
    "expanded": lambda x: x.view(INTEGERS).expand(3, ROWS, COLUMNS)[0],
    "a view of an allocation over it": lambda x: over(x),
}


def over(x):
    torch.ops.aten.empty_like.out(torch.empty(0), out=x.view(torch.bool)[:0])
    return x.view(INTEGERS)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_whoever_reads_numbers_in_another_form_reads_numbers(view):
    """A storage that was given as numbers stays one: its elements count as the numbers that they are."""
    read, written, _ = counted(lambda x: view(x).clone(), matrix())

    assert N <= read and N <= written


# Ways to copy numbers into a storage of integers, or of a few wide elements. What is read of it then counts again.
COPIES = {
    "as integers": lambda x: x.view(INTEGERS).clone(),
    "as conditions": lambda x: torch.cat([x.view(torch.bool)]),
    "sorted one by one": lambda x: x.view(INTEGERS)[..., None].sort(dim=2).values,
    "into an output that is enlarged": lambda x: torch.neg(x, out=torch.empty(0)).view(INTEGERS),
    "into integers that are seen as numbers": lambda x: into_integers(x),
    "into integers that a kernel sees as numbers": lambda x: by_kernel(x, torch.empty(N, dtype=INTEGERS)),
    "into wide numbers that are seen as narrow ones": lambda x: into_wide(x),
    "into wide numbers, by integers": lambda x: as_integers(x, torch.empty(N // 2, dtype=torch.float64)),
    "into complex numbers, by integers": lambda x: as_integers(x, torch.empty(N // 2, dtype=torch.complex64)),
    "by a kernel, into integers": lambda x: as_integers(x, torch.empty(N, dtype=INTEGERS)),
    "by a kernel, into bytes": lambda x: as_integers(x, torch.empty(4 * N, dtype=torch.uint8)),
    "rounded": lambda x: (x * 2**20).int(),
    "two in one integer": lambda x: pairs(x),
    "two in one wide number": lambda x: (x[:, ::2].double() * 2**30).floor() + x[:, 1::2].double(),
    "places among marks": lambda x: torch.bucketize(x, torch.linspace(0, 1, N)),
    "places among sorted marks": lambda x: torch.searchsorted(torch.linspace(0, 1, N), x),
    "more conditions than numbers": lambda x: (x[..., None] > torch.linspace(0, 1, 32)).sum(-1),
}


def into_integers(x):
    bits = torch.empty(ROWS, COLUMNS, dtype=INTEGERS)
    torch.neg(x, out=bits.view(torch.float32))
    return bits


def by_kernel(x, bits):
    launched(copy, bits.view(torch.float32), x)
    return bits


def into_wide(x):
    wide = torch.empty(N // 2, dtype=torch.float64).view(torch.float32)
    return wide.copy_(x.view(-1))


def as_integers(x, memory):
    launched(copy_as, memory.view(INTEGERS), x.view(INTEGERS), kind=tl.int32)
    return memory.view(INTEGERS)


def pairs(x):
    bits = x.view(INTEGERS).long()
    return (bits[:, ::2] << 32) | (bits[:, 1::2] & 0xFFFFFFFF)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("reading", ["operator", "kernel"])
def test_a_copy_of_numbers_holds_numbers_until_it_is_released(copied, reading):
    """Its readers count, operators and kernels alike: one more read of it is one more read of every number."""
    kept, x = [], matrix()

    def again(x):
        kept.append(copied(x))
        ledger = interpreter.state.current.ledger
        before = ledger.totals()[0]
        if reading == "operator":
            kept[0].clone()
        else:
            y = torch.empty(kept[0].numel(), dtype=kept[0].dtype)
            launched(copy, y, kept[0], n=kept[0].numel())
        kept.append(ledger.totals()[0] - before)

    counted(again, x)

    assert N <= kept[1]


# Lanes


@triton.jit
def load_wide(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr.to(tl.pointer_type(tl.int64)) + i, mask=i < n, other=0)
    tl.store(y_ptr + i, x.to(tl.int32), mask=i < n)


@triton.jit
def load_from_both(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """n wide lanes in x, and one in y."""
    i = tl.arange(0, BLOCK)
    here, there = x_ptr.to(tl.int64) + i * 8, y_ptr.to(tl.int64) + 0 * i
    at = tl.where(i < n, here, there).to(tl.pointer_type(tl.int64))
    tl.store(y_ptr + i, tl.load(at, mask=i <= n, other=0).to(tl.int32), mask=i < n)


@triton.jit
def store_to_both(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """n wide lanes in x, and one at the last element of y."""
    i = tl.arange(0, BLOCK)
    here, there = x_ptr.to(tl.int64) + i * 8, y_ptr.to(tl.int64) + 4 * (BLOCK - 1) + 0 * i
    at = tl.where(i < n, here, there).to(tl.pointer_type(tl.int64))
    tl.store(at, i.to(tl.int64), mask=i <= n)


@triton.jit
def store_wide_values(y_ptr, BLOCK: tl.constexpr):
    """A scan, whose values the interpreter holds in 64 bits."""
    tl.store(y_ptr + tl.arange(0, BLOCK), tl.cumsum(tl.arange(0, BLOCK), axis=0))


@pytest.mark.parametrize("kernel, lanes", [(load_wide, 6), (load_from_both, 6)], ids=["one tensor", "two tensors"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64])
def test_a_wide_lane_reads_all_that_lies_under_it(kernel, lanes, dtype):
    """In one tensor or in two: six lanes of 8 bytes are 12 numbers of 4, or 24 of 2."""
    x, y = torch.ones(32, dtype=dtype), torch.zeros(16, dtype=torch.int32)

    read, _, _ = counted(lambda x, y: kernel[(1,)](y, x, lanes, BLOCK=16), x, y)

    assert lanes * 8 // dtype.itemsize == read


def test_a_wide_lane_that_leaves_its_tensor_is_found_in_every_tensor():
    """Also where the other lanes lie in another tensor: nothing behind y is written."""
    x, y = torch.ones(32), torch.zeros(17, dtype=torch.int32)

    with pytest.raises(OutOfBounds, match="y_ptr at element 16"):
        store_to_both[(1,)](y[:16], x, 6, BLOCK=16)

    assert 0 == y[16] and torch.equal(x, torch.ones(32))


def test_what_the_interpreter_stores_is_as_wide_as_the_pointer():
    """Values that NumPy keeps in more bits than their type has do not reach the element behind them."""
    y = torch.full((17,), -1, dtype=torch.int32)

    store_wide_values[(1,)](y[:16], BLOCK=16)

    assert [*torch.arange(16).cumsum(0).tolist(), -1] == y.tolist()


# Launches


@triton.jit
def copy_then_fail(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0).to(tl.int32, bitcast=True), mask=i < n)
    if tl.program_id(0) == tl.num_programs(0) - 1:
        tl.store(y_ptr - 1, 0)


@triton.jit
def copy_and_read_again(y_ptr, same_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0).to(tl.int32, bitcast=True), mask=i < n)
    tl.store(y_ptr + i, tl.load(same_ptr + i, mask=i < n, other=0) + 0, mask=i < n)


def test_a_launch_that_ends_in_an_error_is_settled():
    """Its reads and writes count, and the integers that it stored are numbers from then on."""

    def work(x):
        bits = torch.empty(N, dtype=INTEGERS)
        with pytest.raises(OutOfBounds):
            launched(copy_then_fail, bits, x)
        bits.clone()

    read, written, _ = counted(work, matrix())

    assert (2 * N, 2 * N) == (read, written)


def test_integers_that_a_launch_stores_count_by_whatever_pointer_it_reads_them():
    """One storage as two arguments is one storage."""

    def work(x):
        bits = torch.empty(N, dtype=INTEGERS)
        launched(copy_and_read_again, bits, bits.view(-1), x)

    read, written, _ = counted(work, matrix())

    assert (2 * N, 2 * N) == (read, written)


# Memory

LEFT = {
    "empty": lambda: torch.empty(N, dtype=INTEGERS),
    "permuted": lambda: torch.ops.aten.empty_permuted([N], [0], dtype=INTEGERS),
    "conditions": lambda: torch.empty(4 * N, dtype=torch.bool).view(INTEGERS),
    "the gaps": lambda: torch.empty_strided((2,), (N - 1,), dtype=INTEGERS).as_strided((N,), (1,)),
    "an output": lambda: torch.ops.aten.empty_permuted.out([N], [0], out=torch.empty(0, dtype=INTEGERS)),
    "an output like another": lambda: torch.ops.aten.empty_like.out(
        torch.empty(N, dtype=INTEGERS), out=torch.empty(0, dtype=INTEGERS)
    ),
    "an output with gaps": lambda: torch.ops.aten.empty_strided.out(
        [2], [N - 1], out=torch.empty(0, dtype=INTEGERS)
    ).as_strided((N,), (1,)),
}


@pytest.mark.parametrize("allocate", LEFT.values(), ids=LEFT)
def test_new_memory_holds_nothing_of_what_was_released(allocate):
    """No number of a tensor that was let go, gaps and conditions included."""
    found = []

    def work(x):
        for _ in range(20):
            bits = x.view(INTEGERS).clone()
            del bits
            try:
                found.append(bool(torch.isin(allocate(), x.view(INTEGERS)).any()))
            except RuntimeError:  # as_strided of a storage that is smaller than it was meant to be
                found.append(False)

    counted(work, matrix())

    assert not any(found)


PEAKS = {
    "a matrix": lambda: torch.empty(ROWS, COLUMNS),
    "two elements far apart": lambda: torch.empty_strided((2,), (N - 1,)),
    "wide numbers": lambda: torch.empty(N // 2, dtype=torch.float64),
    "pairs": lambda: torch.zeros(N // 2, dtype=torch.int64),
    "complex numbers": lambda: torch.zeros(N // 2, dtype=torch.complex64),
    "a result that had to be enlarged": lambda: torch.neg(torch.rand(N // 2).repeat(2), out=torch.empty(0)),
    "a view of more": lambda: torch.zeros(N)[:1],
}


@pytest.mark.parametrize("make", PEAKS.values(), ids=PEAKS)
def test_a_storage_is_alive_whole_until_it_is_released(make):
    """In numbers of four bytes, whatever a tensor shows of it; what is let go makes room."""
    peaks = [counted(lambda: [make() for _ in range(3)])[2], counted(lambda: [make().sum() for _ in range(3)])[2]]

    assert 3 * N <= peaks[0] and peaks[1] < 3 * N


def test_memory_counts_in_every_call_that_it_lives_in():
    """What an earlier call made and kept, or was given and kept; the arguments of this one do not."""
    storages = Ledger().storages

    def call(work, *given):
        ledger = Ledger(storages)
        storages.begin(given)
        with recording(ledger), TorchLedger(ledger):
            result = work(*given)
        return storages.peak, result

    first, kept = call(lambda x: (torch.zeros(N), x), matrix())
    second = call(lambda x: x + 1, matrix())[0]
    del kept
    third = call(lambda x: x + 1, matrix())[0]

    assert (N, 3 * N, N) == (first, second, third)


def test_memory_that_is_seen_as_numbers_later_was_written_as_numbers():
    """A result that a kernel stored as integers, few of them, and that is returned as a view."""

    def work(x):
        y = torch.empty(16, dtype=INTEGERS)
        launched(copy, y, x.view(INTEGERS), n=16)
        return y.view(torch.float32)

    assert (16, 16) == counted(work, matrix())[:2]


# Operators

# What an operator of the device's list may make of numbers that is not counted: conditions, and places in an order.
_CONDITIONS = set(
    "ge gt le lt eq ne signbit isin isnan isinf isfinite isposinf isneginf logical_and logical_or".split()
)
_CONDITIONS |= {"logical_xor", "logical_not", "any", "all", *(f"{name}_" for name in _CONDITIONS)}
_ORDERS = set("max min median nanmedian mode kthvalue argmax argmin cummax cummin sort argsort topk".split())
_ORDERS |= {"_unique2", "unique_dim", "unique_consecutive", "nonzero", "count_nonzero"}


def arguments(operator, x, first, out):
    """Some arguments of an operator, by their types alone. Raises KeyError for a type that is none of these."""
    values = {
        "int": 1,
        "float": 0.5,
        "number": 0.5,
        "Scalar": 0.5,
        "bool": False,
        "List[int]": [1],
        "List[Tensor]": [x, x],
    }
    args, kwargs = [], {}
    for argument in operator._schema.arguments:
        if argument.is_out:
            kwargs[argument.name] = torch.empty(0, dtype=out)
        elif not argument.kwarg_only and not argument.has_default_value():
            kind = str(argument.type)
            args.append((x if args else first) if kind == "Tensor" else values[kind])
    return args, kwargs


def made_of(operator, seed, view, out):
    """[(elements, numbers in each)] of what an operator makes of random numbers, seen as `view`."""
    torch.manual_seed(seed)
    x, ledger = torch.rand(ROWS, COLUMNS) * 4 - 2, Ledger()
    ledger.storages.begin([x])
    args, kwargs = arguments(operator, x, x.view(view), out)
    torch.manual_seed(0)  # for operators that draw
    with TorchLedger(ledger, poison=True):
        made = operator(*args, **kwargs)
    made = [t for t in (made if isinstance(made, (list, tuple)) else [made]) if isinstance(t, torch.Tensor)]
    return [(t.clone(), ledger.storages.share_of(t)) for t in made]


@pytest.mark.whole
def test_no_operator_of_the_list_makes_something_else_of_numbers():
    """What depends on the numbers holds numbers, unless it is a condition or a place: tried with random numbers."""
    ran, uncounted = set(), set()
    for name in sorted(operators.ALLOWED):
        for overload in getattr(torch.ops.aten, name).overloads() if hasattr(torch.ops.aten, name) else ():
            outs = (torch.float32, torch.int64, torch.uint8) if "out" in overload else (None,)
            for view, out in [(view, out) for view in (torch.float32, INTEGERS) for out in outs]:
                try:
                    operator = operators.operator(f"aten::{name}", overload)
                    one, other = (made_of(operator, seed, view, out) for seed in (1, 2))
                except (RuntimeError, TypeError, KeyError, IndexError, ValueError, NotImplementedError):
                    continue  # an operator that the device refuses, or that takes other arguments
                ran.add(operator)
                differ = [not torch.equal(a, b) and not share for (a, share), (b, _) in zip(one, other)]
                uncounted |= {name} if any(differ) else set()

    assert len(ran) > 400
    assert uncounted <= _CONDITIONS | _ORDERS, uncounted - _CONDITIONS - _ORDERS
