"""Numbers are counted and kept in view by their storages: whatever operator makes whatever view of them."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch
import triton
import triton.language as tl

from grader import interpreter
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
