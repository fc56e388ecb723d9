"""What Triton leaves open goes two ways, and what its compiler takes on trust is checked."""

import linecache
import os

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch
import triton
import triton.language as tl

from grader import interpreter
from grader.interpreter import KernelMisuse, conditions, recording

interpreter.install()
N = 16


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def merged(m, d, other_m, other_d):
    new = tl.maximum(m, other_m)
    return new, d * tl.exp(m - new) + other_d * tl.exp(other_m - new)


@triton.jit
def composed(a, b, other_a, other_b):
    return a * other_a, b * other_a + other_b


@triton.jit
def digits(a, b):
    return a * 3 + b


@triton.jit
def added_to_exp(a, b):
    return a + tl.exp(b)


def in_a_kernel(*lines):
    """A kernel of x (float32) and i (0 to 15), of which it stores y. Lines of its body."""
    body = "".join(f"    {line}\n" for line in lines)
    text = f"def kernel(y_ptr, x_ptr, N: tl.constexpr):\n    i = tl.arange(0, N)\n    x = tl.load(x_ptr + i)\n{body}"
    text += "    tl.store(y_ptr + i, y)\n"
    names, file = dict(globals()), f"<kernel {len(linecache.cache)}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file  # so that the interpreter can rewrite it
    exec(compile(text, file, "exec"), names)
    return triton.jit(names["kernel"])


def both_ways(*lines):
    """(y with poison, y without it, whether the launch notes that a way was taken)."""
    kernel, x = in_a_kernel(*lines), torch.linspace(-2.0, 2.0, N)
    found, notes = [], set()
    for poison in (True, False):
        y = torch.zeros(N)
        with conditions(poison=poison), recording() as ledger:
            kernel[(1,)](y, x, N=N)
        found.append(y)
        notes |= {launch.open for launch in ledger.launches}
    (note,) = notes
    return *found, note


RIGHT = {
    "nothing open": ("y = tl.sum(x, axis=0) + x", 0),
    "the language's own": ("y = tl.cumsum(x, axis=0) + tl.max(x, axis=0)", 0),
    "padded": ("y = tl.load(x_ptr + i, mask=i < 5, other=0.0)", 0),
    "not used": ("y = tl.where(i < 5, tl.load(x_ptr + i, mask=i < 5), 0.0)", 1),
    "maximum": ("y = tl.reduce(x, 0, larger) + x", 1),
    "states": ("m, d = tl.reduce((x, tl.full([N], 1.0, tl.float32)), 0, merged); y = m + tl.log(d) + x", 1),
    "rows": ("y = tl.ravel(tl.reduce(tl.reshape(x, (4, 4)), 1, larger, keep_dims=True) + tl.reshape(x, (4, 4)))", 1),
    "recurrence": ("a, y = tl.associative_scan((tl.exp(-x), x), 0, composed)", 1),
    "backwards": ("y = tl.associative_scan(x, 0, larger, reverse=True)", 1),
    "an address": ("y = x + ((x_ptr + i).to(tl.int64) % 4).to(tl.float32)", 1),
    "an address and back": ("y = tl.load((x_ptr + i).to(tl.int64).to(tl.pointer_type(tl.float32)))", 1),
    "the first of equal lanes": ("y = x + tl.argmax(i // 2, 0).to(tl.float32)", 0),
    "the only place": ("y = x + tl.argmin(i, 0, tie_break_left=False).to(tl.float32)", 0),
    "the value of equal lanes": (
        "y, _ = tl.max(i // 2, 0, return_indices=True, return_indices_tie_break_left=False); y = y.to(tl.float32) + x",
        1,
    ),
    "a sum of both": ("y = x + tl.sum(tl.cat(x, x * 2, can_reorder=True), axis=0)", 1),
    "both in order": ("y = x + tl.sum(tl.cat(i, i) * (tl.arange(0, 2 * N) < N).to(tl.int32), axis=0)", 0),
    "rows in order": ("y = tl.reshape(tl.reshape(x, (4, 4)), (N,))", 0),
    "an atomic operation": ("y = x + tl.where(i < 5, tl.atomic_add(y_ptr + i, x, mask=i < 5), 0.0)", 1),
    "lanes that are counted": ("n = tl.atomic_add(y_ptr + i * 0, x * 0.0 + 1.0); y = x + tl.max(n, axis=0)", 1),
    "in range": ("y = (x.to(tl.int32) // 3 + (i << 31)).to(tl.float32)", 0),
}


@pytest.mark.parametrize("line, open", RIGHT.values(), ids=RIGHT)
def test_what_depends_on_no_way_is_the_same_in_both(line, open):
    """Up to rounding. The launch says whether there was a choice."""
    one, other, note = both_ways(*line.split("; "))

    torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)
    assert one.isfinite().all() and note == open


WRONG = {
    "masked lanes": "y = tl.load(x_ptr + i, mask=i < 5)",
    "infinity": "y = (x / 0.0).to(tl.int32).to(tl.float32)",
    "a large number": "y = (x * 1e30).to(tl.int16).to(tl.float32)",
    "division by 0": "y = (i // (i - i)).to(tl.float32)",
    "rest by 0": "y = (i % (i - i)).to(tl.float32)",
    "too far to the left": "y = ((i + 1) << (i + 32)).to(tl.float32)",
    "too far to the right": "y = ((i + 1) >> (i + 32)).to(tl.float32)",
    "the smallest number by -1": "y = (tl.full([N], -2147483648, tl.int32) // (i * 0 - 1)).to(tl.float32)",
    "an address": "y = ((x_ptr + i).to(tl.int64) >> 41).to(tl.float32)",
    "how far apart": "y = ((x_ptr + i).to(tl.int64) - (y_ptr + i).to(tl.int64) >> 40).to(tl.float32)",
    "the place of equal lanes": "y = x + tl.argmax(i // 2, 0, tie_break_left=False).to(tl.float32)",
    "the place beside NaN": "y = x + tl.argmin(tl.where(i == 7, float('nan'), x), 0).to(tl.float32)",
    "rows with NaN": "y = tl.argmax(tl.where(i == 7, float('nan'), x).reshape(1, N), 1) + x",
    "two blocks in one": "y = tl.max(tl.reshape(tl.cat(i, i + N, can_reorder=True), (N, 2)), axis=1).to(tl.float32)",
    "rows in any order": "y = tl.reshape(x, (4, 4), can_reorder=True).reshape(N)",
    "lanes that come to one number": "n = tl.atomic_add(y_ptr + i * 0, x * 0.0 + 1.0); y = n - tl.min(n, axis=0)",
    "an atomic operation": "y = tl.atomic_add(y_ptr + i, x, mask=i < 5)",
    "order of a reduction": "y = tl.reduce(i, 0, digits).to(tl.float32) + x",
    "grouping of a scan": "y = tl.associative_scan(x, 0, added_to_exp)",
}


@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG)
def test_what_depends_on_the_way_differs(line):
    """And the launch says that there was a choice."""
    one, other, note = both_ways(*line.split("; "))

    assert not torch.allclose(one, other, rtol=1e-5, atol=1e-5, equal_nan=True) and note == 1


KEPT = {
    "a range": "y = tl.load(x_ptr + tl.max_contiguous(tl.multiple_of(i, 16), 16))",
    "an address": "y = tl.load(tl.multiple_of(x_ptr, 4) + i)",
    "groups": "y = tl.max_constancy(i // 4, 4).to(tl.float32)",
    "a mask": "y = tl.load(x_ptr + i, mask=tl.max_constancy(i < 8, 8), other=0.0)",
    "lanes": "y = tl.gather(x, 15 - i, 0)",
}


@pytest.mark.parametrize("line", KEPT.values(), ids=KEPT)
def test_a_promise_that_is_kept_costs_nothing(line):
    """Multiples, ranges and groups as the compiler understands them, and lanes that are there."""
    one, other, note = both_ways(line)

    assert torch.equal(one, other) and note == 0


BROKEN = {
    "a multiple": ("y = tl.load(x_ptr + tl.multiple_of(i + 1, 16) - 1)", "multiple_of .* 16, .* the first value is 1$"),
    "an address": ("y = tl.load(tl.multiple_of(x_ptr + 1, 16) + i - 1)", "multiple_of .* 16"),
    "a range": ("y = tl.load(x_ptr + tl.max_contiguous(i * 2 % 16, 4))", "lane 0 has 0, and the next one 2"),
    "groups": ("y = tl.max_constancy(i // 4, 8).to(tl.float32)", "lane 3 has 0, and the next one 1"),
    "a mask": (
        "y = tl.load(x_ptr + i, mask=tl.max_constancy(i < 5, 4), other=0.0)",
        "lane 4 has 1, and the next one 0",
    ),
    "a lane before": ("y = tl.gather(x, i - 1, 0)", "takes lane -1 of a block with 16 lanes"),
    "a lane behind": ("y = tl.gather(x, i + 1, 0)", "takes lane 16 of a block with 16 lanes"),
}


@pytest.mark.parametrize("line, sentence", BROKEN.values(), ids=BROKEN)
def test_a_promise_that_is_broken_is_refused(line, sentence):
    """The sentence shows the lane."""
    with pytest.raises(KernelMisuse, match=sentence):
        both_ways(line)


COUNTED = {
    "a sign": ("range(-2, (i0 + 1).to(tl.int16))", [-2.0, -1.0, 0.0]),
    "no sign": ("range((i0 + 1).to(tl.uint32), (i0 + 3).to(tl.uint32))", [1.0, 2.0]),
    "no sign, and below 0": ("range((i0 - 1).to(tl.uint32), 1)", [float(2**32), 0.0]),
    "few bits": ("range((i0 + 126).to(tl.int8), (i0 + 127).to(tl.int8), (i0 + 1).to(tl.int8))", [126.0]),
    "down": ("range(3, i0, -1)", [3.0, 2.0, 1.0]),
    "a keyword": ("tl.range(0, 5, step=i0 + 2)", [0.0, 2.0, 4.0]),
    "none": ("range(3, i0, 1)", []),
}


@pytest.mark.parametrize("loop, counters", COUNTED.values(), ids=COUNTED)
@pytest.mark.parametrize("programs", [1, 3])
def test_a_counter_has_the_type_and_the_rounds_that_the_compiler_gives_it(loop, counters, programs):
    """Its bounds are promoted to one type, and compared with a sign."""
    lines = ["i0 = tl.program_id(0) * 0", "y = tl.zeros([N], tl.float32)", "n = 0", f"for each in {loop}:"]
    lines += ["    y = tl.where(i == n, each.to(tl.float32), y)", "    n += 1"]
    kernel, y = in_a_kernel(*lines), torch.zeros(N)

    kernel[(programs,)](y, torch.zeros(N), N=N)

    assert y.tolist() == counters + [0.0] * (N - len(counters))


@pytest.mark.parametrize("step", [-1, 0])
def test_a_step_that_only_the_launch_knows_counts_up(step):
    """The compiler turns a loop around for a constant alone."""
    with pytest.raises(KernelMisuse, match=f"the step of a loop is {step}: only a step that is a constant"):
        both_ways(f"i0 = tl.program_id(0) * 0 + {step}", "y = x", "for _ in range(1, 0, i0):", "    y = y + 1.0")


CONVERTED = {
    "float2int_rn(x * 1e20)": (-2147483648.0, 2147483647.0),
    "float2uint_rz(x * 1e20)": (0.0, -1.0),  # its bits, as int32
    "float2ll_rd(x * 1e30)": (-float(2**63), float(2**63)),
    "llrint(x * 1e30)": (-float(2**63), float(2**63)),
    "float2int_ru(x * 1.3)": (-2.0, 3.0),
    "ilogb(x * 0.0)": (-2147483648.0, -2147483648.0),
    "ilogb(x / 0.0)": (2147483647.0, 2147483647.0),
    "tgamma(x - 2.0)": (float("nan"), float("inf")),
    "tgamma(x + 3.0)": (1.0, 24.0),
}


@pytest.mark.parametrize("call, ends", CONVERTED.items(), ids=CONVERTED)
def test_libdevice_gives_the_nearest_number_of_the_type(call, ends):
    """As CUDA's manual has it. x is -2 at one end, and 2 at the other."""
    one, other, _ = both_ways(f"y = tl.extra.libdevice.{call}.to(tl.float32)")

    torch.testing.assert_close(one[[0, -1]], torch.tensor(ends), equal_nan=True)
    torch.testing.assert_close(one, other, equal_nan=True)
