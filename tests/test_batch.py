"""Many programs in one pass: never another result, ledger or error than one by one. Run with each Triton, too."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import copy

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from conftest import stored

from grader import interpreter
from grader.interpreter import OutOfBounds, conditions, recording
from grader.interpreter.batching import array, conflicts, scheduler
from grader.interpreter.ledger import Ledger
from grader.interpreter.recorder import Recorder
from tools.record.both_ways import description, differences

interpreter.install()


@triton.jit
def softmax_row(y_ptr, x_ptr, stride, n, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < n)


@triton.jit
def softmax_tile(y_ptr, x_ptr, stride, m, n, AXIS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows, cols = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, BLOCK)
    if AXIS == 1:
        at, mask = rows[:, None] * stride + cols[None, :], (rows[:, None] < m) & (cols[None, :] < n)
    else:
        at, mask = rows[None, :] * stride + cols[:, None], (rows[None, :] < m) & (cols[:, None] < n)
    x = tl.load(x_ptr + at, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.expand_dims(tl.max(x, axis=AXIS), AXIS))
    tl.store(y_ptr + at, e / tl.expand_dims(tl.sum(e, axis=AXIS), AXIS), mask=mask)


@triton.jit
def rows_in_steps(y_ptr, x_ptr, stride, m, n, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    first, cols = tl.program_id(0), tl.arange(0, BLOCK)
    if WIDE:
        first = first.to(tl.int64)
    for row in range(first, m, tl.num_programs(0)):
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < n)


@triton.jit
def sizes_and_values(y_ptr, x_ptr):
    at = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    tl.store(y_ptr + at, tl.load(x_ptr + at) + tl.num_programs(0))


@triton.jit
def softmax_online(y_ptr, x_ptr, stride, n, BLOCK: tl.constexpr):
    row, m, d = tl.program_id(0), -float("inf"), 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=0)
        m = new
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=-float("inf"))
        tl.store(y_ptr + row * stride + cols, tl.exp(x - m) / d, mask=cols < n)


@triton.jit
def products(y_ptr, a_ptr, b_ptr, SIZE: tl.constexpr):
    tile, i = tl.program_id(0), tl.arange(0, SIZE)
    a = tl.load(a_ptr + tile * SIZE * SIZE + i[:, None] * SIZE + i[None, :])
    b = tl.load(b_ptr + i[:, None] * SIZE + i[None, :])
    y = tl.dot(a, tl.trans(b), input_precision="ieee") + tl.dot(b, a, input_precision="ieee")
    tl.store(y_ptr + tile * SIZE * SIZE + i[:, None] * SIZE + i[None, :], tl.where(i[:, None] < i[None, :], y, a))


@triton.jit
def unpadded(y_ptr, x_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at % 7 < 3 + tl.program_id(0)))


@triton.jit
def grid_of_three(y_ptr, x_ptr):
    number = (tl.program_id(0) * 3 + tl.program_id(1)) * 4 + tl.program_id(2)
    tl.store(y_ptr + number, tl.load(x_ptr + number // 2) + tl.program_id(2))


@triton.jit
def scanned(y_ptr, x_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(y_ptr + at, tl.cumsum(x, axis=0) + tl.argmax(x, axis=0))


@triton.jit
def rounded(y_ptr, x_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at).to(tl.bfloat16).to(tl.float32).to(tl.float16)
    tl.store(y_ptr + at, (-x).to(tl.float32) / 3)


@triton.jit
def two_walks(y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for step in range(3):
        tl.store(y_ptr + at, tl.load(y_ptr + at, mask=at < n, other=0.0) + step, mask=at < n)


@triton.jit
def turned(y_ptr, x_ptr, SIZE: tl.constexpr):
    i, scale = tl.arange(0, SIZE), tl.load(x_ptr + tl.program_id(0))
    x = tl.load(x_ptr + i[:, None] * SIZE + i[None, :])
    tl.store(y_ptr + tl.program_id(0) * SIZE + i, tl.sum(tl.trans(x) * scale, axis=1) + tl.sum(scale + x, axis=0))


@triton.jit
def drawn(y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + tl.program_id(0) * BLOCK + i, tl.rand(tl.program_id(0), i))


@triton.jit
def one_for_all(y_ptr, x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < 20)
    tl.store(y_ptr + tl.program_id(0) * BLOCK + i, x * tl.load(y_ptr + 900 + i) + tl.program_id(0))


def row(kernel=softmax_row):
    return lambda y, x: kernel[(21,)](y, x, 45, 45, BLOCK=64 if kernel is softmax_row else 16)


TOGETHER = {
    "row": row(),
    "online": row(softmax_online),
    "tile": lambda y, x: softmax_tile[(6,)](y, x, 45, 21, 45, AXIS=1, ROWS=4, BLOCK=64),
    "tile on its side": lambda y, x: softmax_tile[(6,)](y, x, 45, 21, 45, AXIS=0, ROWS=4, BLOCK=64),
    "in place": lambda y, x: softmax_row[(21,)](y, y.copy_(x), 45, 45, BLOCK=64),
    "strided": lambda y, x: softmax_row[(21,)](y, x, 45, 30, BLOCK=32),
    "view": lambda y, x: softmax_row[(21,)](y[:, :30], x[:, :30], 45, 30, BLOCK=32),
    "products": lambda y, x: products[(10,)](y, x, x, SIZE=8),
    "unpadded": lambda y, x: unpadded[(29,)](y, x, BLOCK=32),
    "grid of three": lambda y, x: grid_of_three[(5, 3, 4)](y, x),
    "scanned": lambda y, x: scanned[(29,)](y, x, BLOCK=32),
    "rounded": lambda y, x: rounded[(29,)](y, x, BLOCK=32),
    "turned": lambda y, x: turned[(29,)](y, x, SIZE=16),
    "drawn": lambda y, x: drawn[(29,)](y, BLOCK=32),
    "one for all": lambda y, x: one_for_all[(28,)](y.copy_(x), x, BLOCK=32),
    "two walks": lambda y, x: two_walks[(30,)](y.copy_(x), 900, BLOCK=32),
    "rows in steps": lambda y, x: rows_in_steps[(7,)](y, x, 45, 21, 45, BLOCK=64, WIDE=False),
    "rows in steps of 64 bits": lambda y, x: rows_in_steps[(7,)](y, x, 45, 21, 45, BLOCK=64, WIDE=True),
}


@triton.jit
def loops_by_data(y_ptr, n_ptr):
    total = 0.0
    for step in range(tl.load(n_ptr + tl.program_id(0))):
        total += step
    tl.store(y_ptr + tl.program_id(0), total)


@triton.jit
def branches(y_ptr):
    if tl.program_id(0) % 2 == 0:
        tl.store(y_ptr + tl.program_id(0), 1.0)
    else:
        tl.store(y_ptr + tl.program_id(0), 2.0)


@triton.jit
def neighbours(y_ptr, STEP: tl.constexpr):
    i = tl.program_id(0) + 1
    tl.store(y_ptr + i, tl.load(y_ptr + i + STEP) + 1.0)


@triton.jit
def one_element(y_ptr):
    tl.store(y_ptr + tl.program_id(0) // 3, tl.program_id(0) * 1.0)


@triton.jit
def counted(y_ptr):
    tl.atomic_add(y_ptr, 1.0)
    tl.store(y_ptr + 1 + tl.program_id(0), 1.0)


@triton.jit
def caught(y_ptr):
    try:
        tl.store(y_ptr + tl.program_id(0), int(tl.program_id(0)) * 1.0)
    except BaseException:
        tl.store(y_ptr, -1.0)


@triton.jit
def late_reader(y_ptr, x_ptr):
    i = tl.program_id(0)
    tl.store(y_ptr + i, 1.0)
    tl.store(y_ptr + 100 + i, tl.load(x_ptr + 100 - i))


@triton.jit
def wider(y_ptr, x_ptr):
    i = tl.program_id(0)
    tl.store((y_ptr + i).to(tl.pointer_type(tl.float64)), tl.load(x_ptr + i).to(tl.float64))


@triton.jit
def first_of(a, b):
    return a


@triton.jit
def signed_zeros(y_ptr, x_ptr):
    zeros = tl.load(x_ptr + tl.program_id(0) * 2 + tl.arange(0, 2)) * 0.0
    tl.store(y_ptr + tl.program_id(0), 1.0 / tl.reduce(zeros, 0, first_of))


@triton.jit
def leaves(y_ptr):
    tl.store(y_ptr + tl.program_id(0), 1.0)
    if tl.program_id(0) > 0:
        exit()


TURNS = 0


@triton.jit
def takes_turns(y_ptr):
    global TURNS
    TURNS += 1
    tl.store(y_ptr + tl.program_id(0), TURNS * 1.0)


@triton.jit
def appends(y_ptr, SEEN: tl.constexpr):
    SEEN.append(1)
    tl.store(y_ptr + tl.program_id(0), len(SEEN) * 1.0)


def tried(value):
    try:
        return float(value)
    except BaseException:
        return -1.0


@triton.jit
def helped(y_ptr):
    tl.store(y_ptr + tl.program_id(0), tried(tl.program_id(0)))


def count_turns(y):
    global TURNS
    TURNS = 0
    takes_turns[(9,)](y)


ALONE = {
    "loop by data": lambda y, x: loops_by_data[(9,)](y, torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5])),
    "branches": lambda y, x: branches[(9,)](y),
    "reads what comes before": lambda y, x: neighbours[(9,)](y.copy_(x), STEP=-1),
    "reads what comes after": lambda y, x: neighbours[(9,)](y.copy_(x), STEP=1),
    "stores one element": lambda y, x: one_element[(9,)](y),
    "atomics": lambda y, x: counted[(9,)](y),
    "wider than its tensor": lambda y, x: wider[(9,)](y, x),
    "signed zeros": lambda y, x: signed_zeros[(9,)](y, x),
    "leaves": lambda y, x: leaves[(9,)](y),
    "takes turns": lambda y, x: count_turns(y),
    "appends": lambda y, x: appends[(9,)](y, SEEN=[]),
    "helped by Python": lambda y, x: helped[(9,)](y),
    "catches": lambda y, x: caught[(9,)](y),
    "overlapping views": lambda y, x: late_reader[(9,)](y.copy_(x).flatten()[:400], y.flatten()[5:]),
    "in its own memory": lambda y, x: late_reader[(60,)](y.copy_(x), y),
}


@pytest.fixture
def passes(monkeypatch):
    """The sizes of the passes that were kept."""
    sizes = []
    commit = scheduler.Transaction.commit
    monkeypatch.setattr(
        scheduler.Transaction, "commit", lambda s, ledger: (sizes.append(len(s.programs)), commit(s, ledger))
    )
    return sizes


def outcome(launch, order, together, poison=True, recorder=None):
    """(bytes of the output and the input, the ledger, the error) of a launch."""
    torch.manual_seed(0)
    x = torch.randn(21, 45) * 5
    y = torch.full((21, 45), float("nan"))
    ledger, error = Ledger(), None
    with conditions(order, poison, batch=together), recording(ledger, recorder):
        try:
            launch(y, x)
        except (Exception, SystemExit) as raised:
            error = type(raised), str(raised)
    return y.numpy().tobytes(), x.numpy().tobytes(), copy.deepcopy(description(ledger)), error


@pytest.mark.parametrize("order", ["forward", "reversed", "shuffled"])
@pytest.mark.parametrize("name", TOGETHER)
def test_programs_at_once_do_what_they_do_one_by_one(name, order, passes):
    """Bit for bit, with the same ledger, and they do run at once."""
    for poison in (True, False):
        alone = outcome(TOGETHER[name], order, False, poison)
        assert passes == []
        assert alone == outcome(TOGETHER[name], order, True, poison)
        assert alone[3] is None and passes
        passes.clear()


@pytest.mark.parametrize("order", ["forward", "reversed", "shuffled"])
@pytest.mark.parametrize("name", TOGETHER)
def test_a_trace_shows_them_one_by_one(name, order, passes):
    """Also where they ran at once: the same panels, program after program."""
    panels = []
    for together in (False, True):
        recorder = Recorder()
        outcome(TOGETHER[name], order, together, recorder=recorder)
        panels.append(list(map(vars, recorder.panels)))

    assert passes and panels[0] and panels[0] == panels[1]


@pytest.mark.parametrize("order", ["forward", "reversed", "shuffled"])
@pytest.mark.parametrize("name", ALONE)
def test_what_cannot_run_at_once_has_the_same_outcome(name, order):
    """Nothing shows of a pass that was given up: neither in the first launch of a kernel nor in the next one."""
    alone = outcome(ALONE[name], order, False)

    assert alone == outcome(ALONE[name], order, True)
    assert alone == outcome(ALONE[name], order, True)


@triton.jit
def one_or_the_other(y_ptr, x_ptr, first, step, count):
    at = tl.program_id(0)
    for _ in range(count):
        if first:
            tl.store(y_ptr + at, tl.load(x_ptr + at + step) + 1.0)
        else:
            tl.store(x_ptr + at, tl.load(y_ptr + at + step) + 2.0)


WAYS = [(True, 0, 1), (False, 0, 1), (True, 1, 100), (False, 0, 100), (False, -30, 1)]


@pytest.mark.parametrize("order", ["forward", "reversed"])
@pytest.mark.parametrize("before", WAYS)
def test_a_launch_may_go_another_way_than_the_one_before(before, order, passes, monkeypatch):
    """It stores to another tensor, loops for longer, or meets other programs or the end of its tensor."""
    monkeypatch.setattr(conflicts, "_LEAST_LIMIT", 1)
    for way in WAYS:
        launch = lambda y, x, way=way: one_or_the_other[(20,)](y.copy_(x), x, *way)  # noqa: E731
        alone = outcome(launch, order, False)
        outcome(lambda y, x: one_or_the_other[(20,)](y.copy_(x), x, *before), order, True)

        assert alone == outcome(launch, order, True)
    assert 20 in passes  # the first program, too


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("order", ["forward", "reversed", "shuffled"])
def test_chosen_programs_run_in_their_whole_grid(order, together):
    """The others do not. A launch of another grid runs as it is."""
    x = torch.arange(42.0).reshape(21, 2)
    few, whole = torch.full((21, 2), -1.0), torch.full((14, 3), -1.0)
    with conditions(order, batch=together, few=(21, (2, 3, 11, 20))):
        sizes_and_values[(21, 2)](few, x)
        sizes_and_values[(14, 3)](whole, x)
    rows = [2, 3, 11, 20]

    assert torch.equal(x[rows] + 21, few[rows]) and int((few == -1).sum()) == 34
    assert torch.equal(x.reshape(14, 3) + 14, whole)


def test_a_blind_program_loads_zeros():
    """In launches of so many programs along an axis."""
    x = torch.arange(1.0, 15.0).reshape(7, 2)
    y, other = torch.full((7, 2), -1.0), torch.full((14, 1), -1.0)
    with conditions(blind=(7, 4)):
        sizes_and_values[(7, 2)](y, x)
        sizes_and_values[(14, 1)](other, x)

    assert (y - 7)[4].tolist() == [0, 0]
    assert torch.equal(x[:4] + 7, y[:4]) and torch.equal(x[5:] + 7, y[5:])
    assert torch.equal(x.reshape(14, 1) + 14, other)


@pytest.mark.parametrize("name", ["reads what comes before", "reads what comes after", "stores one element", "atomics"])
def test_no_pass_is_kept_where_programs_meet(name, passes):
    """In either order, and whether they load or store."""
    outcome(ALONE[name], "forward", True)

    assert passes == []


def test_an_access_out_of_bounds_is_told_as_it_is_alone():
    """The 17th of 21 programs leaves its tensor: the same sentence, and the same stores before it."""
    launch = lambda y, x: softmax_row[(21,)](y[:17], x, 45, 45, BLOCK=64)  # noqa: E731
    alone = outcome(launch, "forward", False)

    assert OutOfBounds is alone[3][0] and "program 17 stores to y_ptr" in alone[3][1]
    assert alone == outcome(launch, "forward", True)


def test_a_pass_is_bounded(monkeypatch, passes):
    """A pass holds as many lanes as it may, however many programs there are."""
    monkeypatch.setattr(array, "MOST_LANES", 256)
    monkeypatch.setattr(scheduler, "MOST_LANES", 256)

    assert outcome(row(), "forward", False) == outcome(row(), "forward", True)
    assert passes == [4, 4, 4, 4, 4]


def test_a_block_wider_than_any_access_makes_passes_smaller(monkeypatch, passes):
    """Rather than give up."""
    for module in (array, scheduler, scheduler.Transaction.access.__globals__):
        (monkeypatch.setitem if isinstance(module, dict) else monkeypatch.setattr)(module, "MOST_LANES", 256)

    assert outcome(wide, "forward", False) == outcome(wide, "forward", True)
    assert passes and max(passes) <= 256 // 32


def wide(y, x):
    outer[(21,)](y, x, BLOCK=4)


@triton.jit
def outer(y_ptr, x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + i)
    twice = tl.join(x, x + 1)
    tl.store(y_ptr + tl.program_id(0) * BLOCK + i, tl.sum(tl.sum(x[:, None, None] * twice[None, :, :], axis=2), axis=0))


def test_what_is_not_written_down_fails():
    """NumPy must not take the programs for an axis, nor a kernel one program's value for all."""
    many = array.BatchArray(np.arange(6.0).reshape(3, 2))
    for do in (
        np.asarray,
        np.sort,
        np.add.reduce,
        str,
        bool,
        iter,
        lambda a: a[:, 0].item(),
        lambda a: a.view("int32"),
    ):
        with pytest.raises((array.Unbatchable, TypeError, ValueError, IndexError)):
            do(many)


@pytest.mark.parametrize("name", ["05_two_dimensional_tile", "09_partial_states_in_lanes", "13_kernel_while"])
def test_answers_are_judged_alike(name):
    """Three of those that tools/record/both_ways.py compares."""
    (kept,) = [kept for kept in stored("right") if kept.name == name]
    compared, found = differences(kept.source, kept.exercise)

    assert compared and found == []
