"""What Triton leaves open goes two ways, and what its compiler takes on trust is checked."""

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
    names = dict(globals())
    exec(compile(text + "    tl.store(y_ptr + i, y)\n", "<kernel>", "exec"), names)
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
    "order of a reduction": "y = tl.reduce(i, 0, digits).to(tl.float32) + x",
    "grouping of a scan": "y = tl.associative_scan(x, 0, added_to_exp)",
}


@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG)
def test_what_depends_on_the_way_differs(line):
    """And the launch says that there was a choice."""
    one, other, note = both_ways(line)

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
