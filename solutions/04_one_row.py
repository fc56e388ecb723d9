# %% [markdown]
# # 04 · One row
#
# The kernels of lesson 03 moved numbers and computed very little. The five passes compute, but they fetch the same
# numbers again and again. Here you write one kernel that loads a row once into registers, does all five steps there,
# and stores the result once.
#
# *About 45 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
from grader.draw import hierarchy, steps
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## Four moves
#
# *Where am I? Load, compute, store.* Every kernel of this course has these four parts. Here there is only one row and
# one program, so the first part is only about columns.

# %%
@triton.jit
def double_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)  # where am I: lanes 0, 1, ..., BLOCK - 1
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask)
    y = 2 * x  # in registers: these eight numbers of y are not in memory yet
    tl.store(y_ptr + cols, y, mask=mask)


x = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], device=where)
y = torch.empty_like(x)
double_kernel[(1,)](y, x, 5, BLOCK=8)
y

# %% [markdown]
# ## Why eight lanes for five numbers?
#
# When Triton compiles a kernel, it distributes the lanes of a block over the **threads** of the program. The method
# that Triton uses for this needs a power of two. (This is a rule of Triton. The GPU itself has no such rule.) What
# happens with five lanes?

# %%
try:
    double_kernel[(1,)](y, x, 5, BLOCK=5)
except Exception as error:
    print(str(error).splitlines()[-1])

# %% [markdown]
# So a row of 5 needs a block of 8, and three masked lanes lie past the end of the row. In `double_kernel` their
# values do not matter. When a block is reduced to one number, such as its maximum or its sum, their values do matter.

# %% [markdown]
# ## Your turn: 4.1
#
# Write the softmax of one row. Five lines are missing: the load, and four lines between it and the store. (One of the
# four lines both subtracts the maximum and takes `exp`.) In 3.3, you chose what the masked lanes hold for a maximum. What
# should they hold here?
#
# After the load, you need only three functions. `tl.max(block, axis=0)` and `tl.sum(block, axis=0)` turn a block into one number.
# `tl.exp(block)` works on every lane, and so do `block - number` and `block / number`. (There is a `tl.softmax`, too. It
# would do your work: you may not use it in this course.)

# %%
@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    """Softmax of one row of n_cols numbers, in one program with one block."""
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Load the row. Every lane of the block takes part in what follows, the masked ones too.
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    ### END SOLUTION
    # The row maximum.
    ### BEGIN SOLUTION
    row_max = tl.max(x, axis=0)
    ### END SOLUTION
    # The numerator: exp of each value after the shift.
    ### BEGIN SOLUTION
    numerator = tl.exp(x - row_max)
    ### END SOLUTION
    # The denominator.
    ### BEGIN SOLUTION
    denominator = tl.sum(numerator, axis=0)
    ### END SOLUTION
    # The division: give the result the name y.
    ### BEGIN SOLUTION
    y = numerator / denominator
    ### END SOLUTION
    tl.store(y_ptr + cols, y, mask=mask)

# %%
check("4.1")

# %% [markdown]
# <details><summary>The five lines, one by one</summary>
#
# **Load**: masked lanes hold -inf, as in 3.3. *Otherwise*: they take part in the maximum, or in the sum. The next part of the
# lesson looks at other values.
#
# **Row maximum**: `tl.max` reduces the block to one number. *Otherwise*: `exp` overflows, as in lesson 01.
#
# **Numerator**: the number `row_max` is subtracted in every lane. The masked lanes become `exp(-inf)`, which is 0.
# *Otherwise*: with `tl.exp2` the base is 2. Every row still sums to 1, but the values are wrong.
#
# **Denominator**: the sum of the *exponentials*. *Otherwise*: when some lanes are masked, the sum of `x` is
# `-inf`, because masked lanes hold `-inf`.
#
# **Division**: *otherwise* the row does not sum to 1. If one value of a row is far above all others, the
# exponentials sum to about 1 already, so a test of such rows does not notice a missing division.
#
# Five steps, one load, one store: no intermediate number left the chip.
#
# </details>

# %% [markdown]
# ## Why -inf, and not 0?
#
# In lesson 03 the pad had to be below every value, so that it was never the maximum. In a softmax, a masked lane also takes part
# in the *sum*. If the kernel added the loaded values, the right pad would be 0. Why is it not 0 here?
#
# Here are three rows of three values in a block of four. The last number is the share of the masked lane: it should
# be 0, and the other three should sum to 1. Try 0, -100 and -1e30 as well:

# %%
pad = -float("inf")
for row in ([1.0, 2.0, 3.0], [-201.0, -200.0, -199.0], [-3e38, -3e38, -3e38]):
    lanes = torch.tensor([*row, pad])
    e = torch.exp(lanes - lanes.max())
    print(row, "->", [round(s, 3) for s in (e / e.sum()).tolist()])

# %% [markdown]
# The sum does not get the pad. It gets `exp(pad - max)`, and that must be exactly 0. So the right pad depends on
# the operations that the kernel does *before* it reduces. Even the lowest float32, about -3.4e38, is not low enough: a row
# may hold nothing else, and then `exp(pad - max)` is 1.

# %% [markdown]
# ## Your turn: 4.2
#
# Here are four other kernels. Like 4.1, each of them loads a row and reduces the block:
#
# - **a** `tl.max(tl.abs(x), axis=0)`, the largest absolute value
# - **b** `tl.min(x, axis=0)`, the smallest value
# - **c** `tl.sum(tl.exp(-x), axis=0)`
# - **d** `mean = tl.sum(x, axis=0) / n_cols`, and after it `tl.sum((x - mean) * (x - mean), axis=0) / n_cols`, the mean
#   squared distance to the mean
#
# The pad is one number, fixed before the load: the `other` of `tl.load`. Which pad gives the right result for **every**
# row of float32 numbers, even if some of the numbers are `inf`? For one of the kernels there is no such pad: write `None` there.

# %%
# A dictionary with the keys "a" to "d": numbers, and None once.
### BEGIN SOLUTION
pads = {"a": 0.0, "b": float("inf"), "c": float("inf"), "d": None}
### END SOLUTION

# %%
check("4.2")

# %% [markdown]
# <details><summary>Follow one masked lane</summary>
#
# **a** `abs` comes first, so no lane can hold less than 0, and 0 never wins against another value. *Otherwise*: -inf
# becomes inf, and wins.
#
# **b** A minimum wants the opposite of a maximum: `inf`.
#
# **c** The sum gets `exp(-pad)`, and `exp(-inf)` is 0. A large finite pad is right as well, if `exp(-pad)` is 0 in
# float32.
#
# **d** The first sum wants a pad of 0. In the second sum, that lane adds `mean * mean`. A pad equal to the mean would
# add nothing there, but the mean is not known before the load. A kernel can put a new value into masked lanes between
# the two sums: `tl.where(mask, x - mean, 0.0)` does that.
#
# *An honest aside*: a row that is -inf everywhere has no softmax at all, because -inf minus -inf is `nan`. PyTorch
# answers `nan` too.
#
# </details>

# %% [markdown]
# ## Your turn: 4.3
#
# Choose the block for a row: a power of two that is large enough for every column. It should not be larger than
# necessary, because lanes without a column cost time.

# %%
def block_size(n_cols):
    """The smallest power of two that is at least n_cols (an int from 1 up)."""
    # One line; a loop is fine as well.
    ### BEGIN SOLUTION
    return triton.next_power_of_2(n_cols)
    ### END SOLUTION

# %%
check("4.3")

# %% [markdown]
# <details><summary>Round up, and not further than needed</summary>
#
# **Examples**: 5 → 8, 8 → 8, 781 → 1024. Triton has a function for it, `triton.next_power_of_2(n_cols)`. In plain
# Python, `1 << (n_cols - 1).bit_length()` gives the same.
#
# **Otherwise**: if you round *down*, some columns have no lane. They are never computed, and their place in the output
# keeps its old content. If you double a power of two, the values are right, but half of the lanes have nothing to do.
#
# *An honest aside*: many people think that the block size is the number of threads. It is the number of elements.
# Lesson 05 shows how many of them one thread gets.
#
# </details>

# %% [markdown]
# ## All of it together
#
# Here is a function that launches your kernel with your block size:

# %%
def softmax_row(x):
    """Softmax of a vector."""
    y = torch.empty_like(x)
    n_cols = x.numel()
    softmax_row_kernel[(1,)](y, x, n_cols, BLOCK=block_size(n_cols))
    return y


row = torch.randn(781, device=where)
difference = (softmax_row(row) - torch.softmax(row, dim=0)).abs().max().item()
print("within 1e-6 of PyTorch:", difference < 1e-6)

# %% [markdown]
# How much does it move? The five passes read about 5 MN and wrote about 3 MN. Predict, then look:

# %%
traffic(softmax_row, row)

# %% [markdown]
# ## Where is each number now?
#
# In lesson 01, each of the five passes was a column of this picture, with arrows down to memory and up again. Where do
# the five steps of your kernel stand?

# %%
hierarchy(softmax_row, row)

# %% [markdown]
# They are all in one column: one arrow up, one arrow down, and between them nothing goes to memory. Where is each
# number in between? The compiled kernel shows it. A program has many threads, and each of them executes instructions
# for its part of the row. `steps` compiles your kernel of 4.1 for an H100. (Solve 4.1 first. You need no H100.)
# For each line, it counts the instructions of a thread that move numbers. Which lines move none?

# %% tags=["nbval-ignore-output"]
picture = None
try:
    picture = steps(softmax_row_kernel, row, row, 781, BLOCK=1024)
except Exception as error:
    print(error)
picture

# %% [markdown]
# | step | where its numbers are |
# |---|---|
# | load | from memory, through the caches, to registers: each thread has its part of the row |
# | maximum | each thread finds the maximum of its part in registers; then the threads exchange these maxima |
# | shift and `exp` | registers |
# | sum | like the maximum |
# | division | registers |
# | store | from registers, through the caches, to memory |

# %% [markdown]
# Threads exchange numbers in two ways: directly from register to register, and through shared memory. Lesson 12
# explains why a kernel needs both. The numbers of the row itself stay in registers between the load and the store.
# (In the picture, the long arrows go past shared memory. They do not stop there.)

# %% [markdown]
# ## What to read
#
# - The same kernel, by Triton's authors: [the tutorial on fused
#   softmax](https://triton-lang.org/main/getting-started/tutorials/02-fused-softmax.html).
# - The functions of this lesson:
#   [`tl.sum`](https://triton-lang.org/main/python-api/generated/triton.language.sum.html),
#   [`tl.exp`](https://triton-lang.org/main/python-api/generated/triton.language.exp.html),
#   [`tl.where`](https://triton-lang.org/main/python-api/generated/triton.language.where.html).

# %%
progress()

# %% [markdown]
# **Next: [05 · Every row](05_every_row.ipynb).** One program did one row. A matrix has thousands of rows, and a GPU can
# run many programs at the same time.
