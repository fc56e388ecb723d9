# %% [markdown]
# # 06 · Green tests lie
#
# Your kernels passed every check so far, and the checks did most of the thinking. In a project of your own there is
# nobody but you to write the test. In this lesson you break three kernels that look right, and then write a test that
# tells right kernels from wrong ones.
#
# *About an hour. No GPU needed.*

# %%
from grader import check, hint, progress
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## A test that everybody writes
#
# Random numbers in, PyTorch's own softmax as the reference, `allclose` between them. An **assert** stops the test when
# its condition is false; a test that runs to its end is **green**.

# %%
def popular_test(softmax):
    """Green when softmax(x) looks like the softmax of each row of x."""
    x = torch.rand(4, 5000, device=where)
    assert torch.allclose(softmax(x), torch.softmax(x, dim=1), atol=1e-3)

# %% [markdown]
# What is the worst softmax that passes it? Make a guess before you run this one.

# %%
popular_test(torch.zeros_like)
print("green")

# %% [markdown]
# A function that returns nothing but zeros. How can that be? Look at the largest value of the *right* answer:

# %% tags=["nbval-ignore-output"]
torch.manual_seed(6)
largest = torch.softmax(torch.rand(4, 5000, device=where), dim=1).max().item()
assert largest < 1e-3  # whatever the random numbers are
print(f"{largest:.5f}")

# %% [markdown]
# The shares of a long row are tiny, and all of them are smaller than the error that `atol=1e-3` allows. An **absolute**
# tolerance says nothing unless you know how large the numbers are.

# %% [markdown]
# ## It happened
#
# The reference solution of a published course loads its rows with a mask and without `other=`, and its test, with the
# tolerance above, is green. Where masked lanes happen to hold 0, each of them adds `exp(0 - max)` to the sum:

# %%
def no_other_softmax(x):
    """What that kernel computes where masked lanes hold 0, written in PyTorch."""
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
# So compare with the size of the right value: the error divided by it. For the reference use float64, whose own rounding
# is far too small to matter.
#
# Two traps. `torch.allclose` wants both sides in one dtype: `got.double()`. And where the right value is 0, the share is
# 0 / 0, which is `nan`. Every comparison with `nan` is false: `error < bound` fails on it, and `error > bound` does not.

# %%
def worst_share(softmax, x):
    """The largest error of softmax(x), as a share of the right value."""
    want = torch.softmax(x.double(), dim=1)
    return ((softmax(x) - want).abs() / want).max().item()


x = torch.linspace(-2, 2, 80, device=where).reshape(4, 20)
for name, f in [("PyTorch", lambda x: torch.softmax(x, dim=1)), ("no other", no_other_softmax), ("zeros", torch.zeros_like)]:
    print(f"{name:8}  off by less than 1e-5: {worst_share(f, x) < 1e-5}")

# %% [markdown]
# ## Three kernels to break
#
# Strict comparisons are half of a test. The other half are the inputs. Here are three kernels, each right on ordinary
# random numbers to within 1e-5, and wrong on others. You break them, one by one, with an input of your own.

# %%
def launch(kernel, x):
    """Run a kernel on x (M×N, float32), one program a row."""
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
print("a, on random numbers: off by less than 1e-5:", worst_share(softmax_a, x) < 1e-5)

# %% [markdown]
# ## Your turn: 6.1
#
# Return a small matrix on which `softmax_a` is wrong; 64 rows and 65,536 elements are the most that is run here. A right
# kernel runs beside it, and your input must be fair: the right answer has to be a number everywhere, not `nan`.

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
# **What**: every value above 80 counts as 80, so 100 and 90 get the same share. A row far *below* zero breaks it as
# well: all exponentials become 0, and 0 / 0 is `nan`.
#
# **Why random numbers miss it**: `torch.randn` hardly ever gives anything beyond 5.
#
# **The habit**: test values for which each line of the kernel makes a difference.
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
print("b, on random numbers: off by less than 1e-5:", worst_share(softmax_b, x) < 1e-5)

# %% [markdown]
# ## Your turn: 6.2
#
# `tl.where(condition, a, b)` takes `a` in the lanes where the condition holds and `b` in the others. The comment in the
# kernel is even true, up to a point. Up to which?

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
# **What**: the shift only has to keep `exp` within its range. A value that is 89 or more above the largest of the first
# 64 overflows, and if the first 64 are all `-inf` there is no shift at all. If the first 64 are far above all the rest,
# nothing bad happens: the rest rightly vanish.
#
# **Why random numbers miss it**: at 100 columns they reach both parts of the kernel, and still all values are alike.
#
# **The habit**: it takes a width *and* a value. Put the special value where the kernel does not expect it: first, last,
# in the middle.
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
print("c, on random numbers: off by less than 1e-5:", worst_share(softmax_c, x) < 1e-5)

# %% [markdown]
# ## Your turn: 6.3
#
# This kernel shifts by the maximum of the whole row and saves one addition. What does its comment take for granted?

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
# **What**: if two values share the maximum, both are left out of the sum and 1 is added once. Two equal values get a
# share of 1 each.
#
# **Why random numbers miss it**: two of them are hardly ever equal. Real data is full of ties: zeros after a ReLU, pixels
# at 255, padding.
#
# **The habit**: constant rows, repeated values, rows of zeros.
#
# </details>

# %% [markdown]
# ## Your turn: 6.4
#
# Now the test. It gets a function `softmax` for float32 matrices and runs it on inputs that you choose; if it is not
# content, an `assert` fails. The check hands your test eight right kernels and nineteen wrong ones. Each wrong one that
# you catch is worth its share of the points, if no right one is refused.
#
# Everything is interpreted, and the whole check has 20 seconds: at most 64 rows, and a few small inputs rather than many
# large ones. Start with something simple, run the check, and let it tell you which kinds you still let through.

# %% [markdown]
# You cannot look inside a kernel, only at what it does. So ask what can go wrong at all. The **values**: how large, how
# different, how strange? The **shape**: how wide, how high, what if the width is no multiple of a block? The **strides**,
# as in lesson 05: does every row follow the one before in memory, every column? And what might a call do besides
# returning a result?

# %%
def test_softmax(softmax):
    """Fails when softmax(x) is not the softmax of each row of x, for float32 matrices x."""
    # Choose inputs; for each: call softmax, compute what is right, compare (about 20 lines).
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
# | widths that are no power of two, no multiple of 4; very wide rows; one column | mishandle the end of a row, or stop at some width |
# | a number of rows that is no multiple of 16; rows that differ by hundreds | round the grid down, or share a shift |
# | a slice, a transposed view | take rows or columns for neighbours in memory |
# | `-inf`, spread-out rows, negative values | replace `-inf`, cut values off, or lose the sign |
# | a relative tolerance of about 1e-4 | lose digits on the way |
# | comparing element by element, with `nan` in mind | give plausible rows, or `nan` |
# | the input afterwards; a second call of the same shape with other values | write into `x`, or remember |
#
# *An honest aside*: 1e-4 is a choice. The rounding of a right kernel grows with the distance from the maximum, so
# 1e-7 would refuse right kernels. Lesson 07 asks what a good bound is.
#
# </details>

# %% [markdown]
# ## The popular test again
#
# It was green for zeros. Is yours?

# %%
for name, f in [("zeros", torch.zeros_like), ("no other", no_other_softmax)]:
    try:
        test_softmax(f)
        print(f"{name}: green")
    except Exception as error:
        print(f"{name}: red, {error or 'without a word'}")

# %%
progress()

# %% [markdown]
# **Next: [07 · Dtypes and extremes](07_dtypes_and_extremes.ipynb).** Half the bytes a number: what does that do to the
# speed, and to your tolerance?
