# %% [markdown]
# # 06 · Green tests lie
#
# So far your kernels passed checks that others wrote. In a project of your own, you have to write the test yourself. In
# this lesson you get three kernels that look right, and find inputs on which they fail. Then you write a test that
# tells right kernels from wrong ones.
#
# *About 95 minutes. No GPU needed.*

# %%
from grader import check, hint, progress
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## A test that everybody writes
#
# It takes random numbers, computes PyTorch's own softmax as the reference, and compares with `allclose`. An **assert**
# stops the test when its condition is false. A test that runs to its end is **green**; a test that stops is **red**.

# %%
def popular_test(softmax):
    """Green when softmax(x) looks like the softmax of each row of x."""
    x = torch.rand(4, 5000, device=where)
    assert torch.allclose(softmax(x), torch.softmax(x, dim=1), atol=1e-3)

# %% [markdown]
# How bad can a softmax be that passes this test? Make a guess before you run the next cell.

# %%
popular_test(torch.zeros_like)
print("green")

# %% [markdown]
# A function that returns only zeros passes. How is that possible? Look at the largest value of the *right* answer:

# %% tags=["nbval-ignore-output"]
torch.manual_seed(6)
largest = torch.softmax(torch.rand(4, 5000, device=where), dim=1).max().item()
assert largest < 1e-3  # whatever the random numbers are
print(f"{largest:.5f}")

# %% [markdown]
# The shares of a long row are tiny: all of them are smaller than the error that `atol=1e-3` allows. Such an **absolute
# tolerance** means nothing unless you know how large the numbers are.

# %% [markdown]
# ## It happened
#
# In a published course, the reference solution loads its rows with a mask and without `other=`. Its test has the
# tolerance above, and is green. Where masked lanes happen to hold 0, each of them adds `exp(0 - max)` to the sum:

# %%
def no_other_softmax(x):
    """The result of that kernel where masked lanes hold 0, computed in PyTorch."""
    m, n = x.shape
    block = triton.next_power_of_2(n)
    lanes = torch.zeros(m, block, device=x.device)
    lanes[:, :n] = x
    return torch.softmax(lanes, dim=1)[:, :n]


popular_test(no_other_softmax)
off = 1 - no_other_softmax(torch.zeros(1, 5000, device=where)).sum().item()
print(f"green, and on a row of equal values {off:.0%} of the total is missing")

# %% [markdown]
# ## Relative errors
#
# So compare the error with the size of the right value: divide the error by that value. Compute the reference in
# float64, whose own rounding is too small to matter.

# %% [markdown]
# There are three traps. First, `torch.allclose` wants the same dtype on both sides. So convert the result to float64
# as well, with `.double()`. (A subtraction converts it by itself.)
#
# Second, a relative error is `nan` in two cases. In the first case, the result and the right value are both 0: 0 / 0 is `nan`, and the result is *right*. In the second case, the result is `nan` itself, and it is *wrong*. A comparison with `nan` (`<`, `<=`, `>`, `>=`, `==`) is always false. So a test with `assert error < bound` refuses the right result, too. And a test that looks for `error > bound` lets both results pass.

# %% [markdown]
# Third, float32 numbers below about 1e-38 have fewer digits, and the smallest values become 0. In float64 these
# values keep their digits. So the relative error of a *right* float32 result may be large for such small values. Is
# it below 1e-4 here?

# %%
x = torch.tensor([[0.0, -50.0, -100.0, -110.0]], device=where)
want = torch.softmax(x.double(), dim=1)
error = (torch.softmax(x, dim=1).double() - want).abs()
print("right value:          ", *(f"{v:.0e}" for v in want[0].tolist()))
print("off by less than 1e-4:", *(error / want < 1e-4)[0].tolist())
assert error[want < 1e-38].max() < 1e-30  # as an absolute error, it is tiny

# %% [markdown]
# The last value became 0, and the one before it has two digits at most. So a test allows two errors together: one
# relative to the right value, and a tiny absolute one. Together they are `tiny + bound * want`.
#
# Take 1e-30 for `tiny`. It is far above 1e-38, so it allows the errors of all values that have fewer digits. And it is
# far below every value that matters.
#
# The function in the next cell is only for ordinary inputs. There, all right values are far above 1e-30, so it needs
# no `tiny`.

# %%
def worst_error(softmax, x):
    """The largest relative error of softmax(x): error divided by right value."""
    want = torch.softmax(x.double(), dim=1)
    return ((softmax(x).double() - want).abs() / want).max().item()


x = torch.linspace(-2, 2, 80, device=where).reshape(4, 20)
for name, f in [("PyTorch", lambda x: torch.softmax(x, dim=1)), ("no other", no_other_softmax), ("zeros", torch.zeros_like)]:
    print(f"{name:8}  off by less than 1e-5: {worst_error(f, x) < 1e-5}")

# %% [markdown]
# ## Three kernels to break
#
# A strict comparison is half of a test. The inputs are the other half. Here are three kernels. On ordinary random
# numbers, the relative error of each is below 1e-5. On other inputs they are wrong. For each kernel, find an input on
# which it is wrong.

# %%
def launch(kernel, x):
    """Run a kernel on x (M×N, float32), one program for each row."""
    x = x.contiguous()
    y = torch.empty_like(x)
    n_cols = x.shape[1]
    kernel[(x.shape[0],)](y, x, n_cols, BLOCK=triton.next_power_of_2(n_cols))
    return y

# %%
@triton.jit
def a_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    start = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + start + cols, mask=mask, other=-float("inf"))
    # exp of 80 is no problem for float32, so nothing can overflow.
    numerator = tl.exp(tl.minimum(x, 80.0))
    denominator = tl.sum(numerator, axis=0)
    tl.store(y_ptr + start + cols, numerator / denominator, mask=mask)


def softmax_a(x):
    """Softmax of each row, by a_kernel."""
    return launch(a_kernel, x)


x = torch.randn(4, 100, device=where)
print("a, on random numbers: off by less than 1e-5:", worst_error(softmax_a, x) < 1e-5)

# %% [markdown]
# ## Your turn: 6.1
#
# Return a small matrix on which `softmax_a` is wrong, with at most 64 rows and 65,536 elements. This limit also holds in
# 6.2 and 6.3. A value counts as wrong if its relative error is far above rounding. The check allows an absolute error
# as well, but it is far below 1e-30. The check also runs a right kernel on your matrix. Your input must be fair: no value
# of the right answer may be `nan`.

# %%
def breaks_a():
    """A float32 matrix on which softmax_a is wrong and a right kernel is not."""
    # One line: torch.tensor([[...]]).
    ### BEGIN SOLUTION
    return torch.tensor([[100.0, 90.0]])
    ### END SOLUTION

# %%
check("6.1")

# %% [markdown]
# <details><summary>What the clip does</summary>
#
# **The error**: every value above 80 counts as 80, so 100 and 90 get the same share. The kernel also fails on a row far
# *below* zero: all exponentials become 0, and 0 / 0 is `nan`.
#
# **Why random numbers miss it**: `torch.randn` hardly ever gives a number above 5 or below -5.
#
# **The habit**: choose test values for which each line of the kernel matters.
#
# </details>

# %%
@triton.jit
def b_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    start = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + start + cols, mask=mask, other=-float("inf"))
    # Any shift is right, so the first 64 values are enough to find a good one.
    shift = tl.max(tl.where(cols < 64, x, -float("inf")), axis=0)
    numerator = tl.exp(x - shift)
    denominator = tl.sum(numerator, axis=0)
    tl.store(y_ptr + start + cols, numerator / denominator, mask=mask)


def softmax_b(x):
    """Softmax of each row, by b_kernel."""
    return launch(b_kernel, x)


x = torch.randn(4, 100, device=where)
print("b, on random numbers: off by less than 1e-5:", worst_error(softmax_b, x) < 1e-5)

# %% [markdown]
# ## Your turn: 6.2
#
# `tl.where(condition, a, b)` takes `a` in the lanes where the condition is true, and `b` in the others. The comment in
# the kernel is true for many rows. For which rows is it false?

# %%
def breaks_b():
    """A float32 matrix on which softmax_b is wrong and a right kernel is not."""
    # A row that is long enough, and one value that matters (about 3 lines).
    ### BEGIN SOLUTION
    x = torch.zeros(1, 100)
    x[0, 80] = 200.0
    return x
    ### END SOLUTION

# %%
check("6.2")

# %% [markdown]
# <details><summary>When the sample is not enough</summary>
#
# **The error**: the shift has to keep every `exp`, and their sum, within the range of float32. If a value is 89 or more above the largest of the first 64, its exponential overflows. If the first 64 values are all `-inf`, the shift is `-inf`, too. If the first 64 values
# are far above all others, the result is right: the shares of the others are 0.
#
# **Why random numbers miss it**: with 100 columns, they reach both parts of the row, but all values are of a similar
# size.
#
# **The habit**: vary the width *and* the values. Put a special value in different places of a row: at the beginning, in
# the middle, at the end.
#
# </details>

# %%
@triton.jit
def c_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    start = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + start + cols, mask=mask, other=-float("inf"))
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - row_max)
    # The largest term is exp(0), which is 1, so only the others need to be added up.
    others = tl.sum(tl.where(x == row_max, 0.0, numerator), axis=0)
    tl.store(y_ptr + start + cols, numerator / (1.0 + others), mask=mask)


def softmax_c(x):
    """Softmax of each row, by c_kernel."""
    return launch(c_kernel, x)


x = torch.randn(4, 100, device=where)
print("c, on random numbers: off by less than 1e-5:", worst_error(softmax_c, x) < 1e-5)

# %% [markdown]
# ## Your turn: 6.3
#
# This kernel shifts by the maximum of the whole row, and saves one addition. What does its comment assume about a row?

# %%
def breaks_c():
    """A float32 matrix on which softmax_c is wrong and a right kernel is not."""
    # One line is enough.
    ### BEGIN SOLUTION
    return torch.tensor([[1.0, 1.0]])
    ### END SOLUTION

# %%
check("6.3")

# %% [markdown]
# <details><summary>What random numbers never do</summary>
#
# **The error**: if two values are both the maximum, both are left out of the sum, and 1 is added only once. In a row of two equal values, each gets a share of 1.
#
# **Why random numbers miss it**: two of them are hardly ever equal. In real data, equal values are common: zeros after
# a ReLU, pixels of 255, padding.
#
# **The habit**: test constant rows, repeated values, and rows of zeros.
#
# </details>

# %% [markdown]
# ## Your turn: 6.4
#
# Now write the test. It gets a function `softmax` for float32 matrices, and runs it on inputs that you choose. If
# something is wrong, an `assert` fails. The check runs your test on eight right kernels and twenty-two wrong ones.
# Your test must accept all right kernels. Then each wrong kernel that it refuses gives some of the points.
#
# All kernels are interpreted, and the whole check has 20 seconds. So take few rows: 60 over all inputs together are enough. A matrix that you pass to `softmax` twice counts twice. Start with a simple test and run the check. It tells you which kinds
# of wrong kernels still pass your test.

# %% [markdown]
# The test cannot look inside a kernel. It sees only the inputs and the results. So ask yourself what can go wrong. The
# **values**: how large, how different, how unusual are they? The **shape**: how wide and how high is the matrix? Some
# kernels take 4 columns at a time, or 16 rows. Is the width a power of two, a multiple of 4, or in the thousands? Are there more than 16
# rows, and is their number a multiple of 16? The **strides**, as in lesson 05: are neighbouring rows, and neighbouring
# columns, next to each other in memory? And what else might a call do, besides returning a result?

# %%
def test_softmax(softmax):
    """Fails when softmax(x) is not the softmax of each row of x, for float32 matrices x."""
    # Choose inputs; for each: call softmax, compute the right values, compare (about 20 lines).
    ### BEGIN SOLUTION
    g = torch.Generator().manual_seed(0)
    wide = torch.randn(20, 40, generator=g)
    holes = torch.randn(3, 6, generator=g)
    holes[:, 2] = -torch.inf
    inputs = [torch.randn(m, n, generator=g) for m, n in [(37, 5), (20, 1), (1, 64), (2, 1500)]]
    inputs += [wide[:, :30], wide.t(), holes, torch.ones(3, 7), 20 * torch.randn(3, 50, generator=g)]
    inputs += [torch.randn(3, 7, generator=g) + torch.tensor([[0.0], [300.0], [-300.0]])]
    inputs += [-x.nan_to_num() for x in inputs]  # the same shapes again, other values
    for x in inputs:
        before = x.clone()
        got = softmax(x)
        want = torch.softmax(before.double(), dim=1)
        assert torch.equal(x, before), "the input was changed"
        assert got.shape == x.shape and got.dtype == x.dtype, "another shape or dtype"
        assert ((got - want).abs() <= 1e-4 * want + 1e-30).all(), "wrong values"
    ### END SOLUTION

# %%
check("6.4")

# %% [markdown]
# <details><summary>Which input catches what</summary>
#
# | input or assertion | catches kernels that |
# |---|---|
# | widths that are no power of two, no multiple of 4; very wide rows | are wrong at the end of a row, or stop early |
# | a number of rows that is no multiple of 16; rows that differ by hundreds | leave out the last rows, or share a maximum |
# | a slice, a transposed view | expect rows or columns to be neighbours in memory |
# | `-inf`, spread-out rows, negative values | replace `-inf`, cut values off, or lose the sign |
# | a relative tolerance of about 1e-4, not an absolute one | lose digits, or round small results |
# | comparing each element, so that `nan` fails | return one wrong value, `nan`, or rows that are plausible but wrong |
# | the input afterwards; a second call with other values of the same shape | write into `x`, or remember an earlier call |
#
# *An honest aside*: 1e-4 is a choice. Rounding errors grow with the distance to the maximum, so 1e-7 would refuse right kernels. Lesson 07 asks for a good bound.
#
# </details>

# %% [markdown]
# ## The popular test again
#
# The popular test was green for zeros. Is yours green, too?

# %%
for name, f in [("zeros", torch.zeros_like), ("no other", no_other_softmax)]:
    try:
        test_softmax(f)
        print(f"{name}: green")
    except AssertionError as error:
        print(f"{name}: red, {str(error) or 'without a word'}")

# %% [markdown]
# ## What to read
#
# - Comparisons in PyTorch: [`torch.allclose`](https://docs.pytorch.org/docs/stable/generated/torch.allclose.html) and
#   [`torch.testing`](https://docs.pytorch.org/docs/stable/testing.html).
# - Inputs that a machine invents: David MacIver and others, [the guide of
#   Hypothesis](https://hypothesis.readthedocs.io/en/latest/), a library for property-based tests.
# - Tests that are tested: Richard DeMillo, Richard Lipton and Frederick Sayward, [*Hints on Test Data
#   Selection*](https://doi.org/10.1109/C-M.1978.218136) (1978), where mutation testing began: wrong programs test a test.

# %%
progress()

# %% [markdown]
# **Next: [07 · Dtypes and extremes](07_dtypes_and_extremes.ipynb).** A number in half precision has half the bytes.
# How does that change the speed, and your tolerance?
