# %% [markdown]
# # 04 · One row
#
# The kernels of lesson 03 moved numbers and hardly computed. The five passes compute, and fetch the same numbers again
# and again. Here you put both together: a kernel that loads a row once, does all five steps on the chip, and stores the
# result once.
#
# *About 35 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## Four moves
#
# *Where am I? Load, compute, store.* Every kernel of this course makes these four moves. One row is one program here, so
# "where am I" is only a matter of columns.

# %%
@triton.jit
def double_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)  # where am I: lanes 0, 1, ..., BLOCK - 1
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask)
    y = 2 * x  # on the chip: neither x nor y is in memory now
    tl.store(y_ptr + cols, y, mask=mask)


x = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], device=where)
y = torch.empty_like(x)
double_kernel[(1,)](y, x, 5, BLOCK=8)
y

# %% [markdown]
# ## Why eight lanes for five numbers?
#
# When a kernel is compiled, Triton shares its lanes out among the GPU's **threads**. A thread calculates one number at a
# time. Triton does this only for powers of two. What happens with five lanes?

# %%
try:
    double_kernel[(1,)](y, x, 5, BLOCK=5)
except Exception as error:
    print(str(error).splitlines()[-1])

# %% [markdown]
# So a row of 5 takes a block of 8, and three masked lanes hang over the end. In `double_kernel` nobody cares what they
# hold. As soon as a block is reduced to one number, its maximum or its sum, they take part.

# %% [markdown]
# ## Your turn: 4.1
#
# Softmax of one row. The load and the store are there; between them, four lines are missing. (Subtracting the maximum
# and taking `exp` share a line.)
#
# Three functions are all you need. `tl.max(block, axis=0)` and `tl.sum(block, axis=0)` turn a block into one number.
# `tl.exp(block)` works on every lane, and so do `block - number` and `block / number`.

# %%
@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    """Softmax of one row of n_cols numbers, in one program with one block."""
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # The masked lanes hold -inf. Exercise 4.2 asks whether anything else would do.
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    # The row maximum.
    ### BEGIN SOLUTION
    row_max = tl.max(x, axis=0)
    ### END SOLUTION
    # The numerator: exp of what is left after the shift.
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
# <details><summary>The four lines, one by one</summary>
#
# **Row maximum**: `tl.max` reduces the block to one number. *Otherwise*: `exp` overflows, as in lesson 01.
#
# **Numerator**: the number `row_max` is spread over all lanes and subtracted. The masked lanes become
# `exp(-inf)`, which is 0. *Otherwise*: with `tl.exp2` the base is 2; every row still sums to 1, and the values are wrong.
#
# **Denominator**: the sum of the *exponentials*. *Otherwise*: the sum of `x` contains the `-inf` of the masked
# lanes.
#
# **Division**: *otherwise* the row does not sum to 1. A test that only looks at rows with one huge value does not notice.
#
# Five steps, one load, one store. Nothing in between left the chip.
#
# </details>

# %% [markdown]
# ## Your turn: 4.2
#
# In lesson 03 the pad only had to lose the maximum. Here a masked lane takes part in the *sum* as well. A sum wants a pad
# of 0, so why not 0?
#
# Here are three rows of three values in a block of four. The last number is the share that the pad took; it should be 0,
# and the others should sum to 1. Try -100, -1000, -1e30 and others:

# %%
pad = 0.0
for row in ([1.0, 2.0, 3.0], [-201.0, -200.0, -199.0], [-3e38, -3e38, -3e38]):
    lanes = torch.tensor([*row, pad])
    e = torch.exp(lanes - lanes.max())
    print(row, "->", [round(s, 3) for s in (e / e.sum()).tolist()])

# %% [markdown]
# Which value is right for **every** row of float32 numbers?

# %%
# The value a masked lane should hold, as a number.
### BEGIN SOLUTION
pad_value = -float("inf")
### END SOLUTION

# %%
check("4.2")

# %% [markdown]
# <details><summary>What is summed is not the pad</summary>
#
# **What**: the pad must never win the maximum, and `exp(pad - max)` must be exactly 0, for that is what the sum gets.
#
# **Why -inf**: it is below every float, and `exp(-inf)` is 0 for any maximum.
#
# **Otherwise**: a pad of 0 adds `exp(0 - max)` to the sum. And -1e30 wins where a row lies below it, as in lesson 03.
#
# *An honest aside*: a row that is -inf everywhere has no softmax at all, because -inf minus -inf is `nan`. PyTorch
# answers `nan` too.
#
# </details>

# %% [markdown]
# ## Your turn: 4.3
#
# Choose the block for a row: a power of two, wide enough for every column, and no wider than it must be, because idle
# lanes cost time.

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
# **What**: 5 → 8, 8 → 8, 781 → 1024. Triton has a function for it, `triton.next_power_of_2(n_cols)`;
# `1 << (n_cols - 1).bit_length()` says the same in plain Python.
#
# **Otherwise**: rounding *down* leaves columns without a lane; they are never computed, and what stays in the output is
# whatever was there. Doubling a power of two is right in value and leaves half of the lanes idle.
#
# *An honest aside*: "the block size is the number of threads" is a common belief. It is a number of elements. Lesson 05
# shows how many of them one thread gets.
#
# </details>

# %% [markdown]
# ## All of it together
#
# Your kernel, with your block size, behind a function that anybody can call:

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
# And what does it move? The five passes read about 5 MN and wrote about 3 MN. Predict, then look:

# %%
traffic(softmax_row, row)

# %%
progress()

# %% [markdown]
# **Next: [05 · Every row](05_every_row.ipynb).** One program did one row. A matrix has thousands, and a GPU has room for
# many programs at once.
