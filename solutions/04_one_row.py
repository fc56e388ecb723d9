# %% [markdown]
# # 04 · One row
#
# The five passes fetch the same numbers again and again. A *kernel* can load a row once, do all five steps on the chip, and
# store the result once. You write that kernel for a single row, in Triton, and you need not know Triton yet.
#
# *About 35 minutes. No GPU needed.*

# %%
import sys

sys.path.insert(0, "..")  # the course's own folder

from grader import check, hint, progress, traffic
import torch
import triton
import triton.language as tl

where = "cuda" if torch.cuda.is_available() else "cpu"

# %% [markdown]
# ## A kernel in four moves
#
# *Where am I? Load, compute, store.* A kernel is a function under `@triton.jit`. It gets **pointers**, the places in
# memory where tensors begin, and it works on a whole **block** of numbers at once. Each place in a block is called a
# **lane**.

# %%
@triton.jit
def double_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)  # where am I: lanes 0, 1, ..., BLOCK - 1
    x = tl.load(x_ptr + cols)  # x_ptr + 3 is the address of element 3
    tl.store(y_ptr + cols, 2 * x)

# %% [markdown]
# Nobody calls a kernel; you **launch** it. Square brackets say how many copies of it (**programs**) to run; here
# one. It returns nothing: what it stored is the result.

# %%
x = torch.tensor([1.0, 2.0, 3.0, 4.0], device=where)
y = torch.empty_like(x)
double_kernel[(1,)](y, x, 4, BLOCK=4)
y

# %% [markdown]
# ## The block must be a power of two
#
# `BLOCK` is a `tl.constexpr`: it is fixed when the kernel is compiled, because the lanes are laid out over the GPU's
# threads then, and that layout works in powers of two. What happens with five lanes?

# %%
x = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], device=where)
y = torch.empty_like(x)
try:
    double_kernel[(1,)](y, x, 5, BLOCK=5)
except Exception as error:
    print(str(error).splitlines()[-1])

# %% [markdown]
# ## So a row of 5 takes a block of 8
#
# And three lanes hang over the end. What would they load, and what would they overwrite?

# %%
try:
    double_kernel[(1,)](y, x, 5, BLOCK=8)
except RuntimeError as error:
    print(error)

# %% [markdown]
# Interpreted, the course's guard stopped the kernel *before* it touched memory that is not its own. A GPU does not do
# that: it would have read whatever lies behind `x`, and written over whatever lies behind `y`.

# %% [markdown]
# ## A mask switches lanes off
#
# `cols < n_cols` is true for the lanes inside the row. Masked lanes do not touch memory, but they still exist. So after
# a load they need a value, and `other=` says which.

# %%
@triton.jit
def look_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask, other=-1.0)
    tl.store(y_ptr + cols, x)  # no mask: y has room for every lane, and we want to see them all


lanes = torch.empty(8, device=where)
look_kernel[(1,)](lanes, x, 5, BLOCK=8)
lanes

# %% [markdown]
# ## Your turn: 4.1
#
# The five steps of softmax on one row. The row is loaded for you and the result is stored for you; between them, four
# lines are missing. Three functions are all you need, and they work on blocks: `tl.max(block, axis=0)` and
# `tl.sum(block, axis=0)` give one number, `tl.exp(block)` works on every lane.

# %%
@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    """Softmax of one row of n_cols numbers, in one program with one block."""
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # The masked lanes hold -inf. Exercise 4.2 asks why.
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
# **Row maximum**: `tl.max` reduces the block to one number; a block of one row has a single axis, 0.
# *Otherwise*: `exp` overflows, as in lesson 01.
# **Numerator**: the number `row_max` is spread over all lanes and subtracted. The masked lanes become
# `exp(-inf)`, which is 0. *Otherwise*: with `tl.exp2` the base is 2, every row still sums to 1, and every value is wrong.
# **Denominator**: the sum of the *exponentials*. *Otherwise*: the sum of `x` contains the `-inf` of the masked
# lanes.
# **Division**: *otherwise* the row does not sum to 1. A test that only looks at rows with one huge value does not notice.
#
# Five steps, one load, one store. Nothing in between left the chip.
#
# </details>

# %% [markdown]
# ## Your turn: 4.2
#
# Why -inf, of all values? A masked lane takes part in the maximum and in the sum like every other lane. Watch what a
# pad of 0 does to two rows of three values in a block of four:

# %%
pad = 0.0
for row in ([1.0, 2.0, 3.0], [-201.0, -200.0, -199.0]):
    lanes = torch.tensor([*row, pad])
    e = torch.exp(lanes - lanes.max())
    print([round(s, 3) for s in (e / e.sum()).tolist()])

# %% [markdown]
# In the first row the masked lane takes a share that is not its own. In the second it takes everything. Change `pad` in
# that cell: what about -100? -1000? Is -inf the only value that is right for **every** row of float32 numbers?

# %%
# The value a masked lane should hold, as a number.
### BEGIN SOLUTION
pad_value = -float("inf")
### END SOLUTION

# %%
check("4.2")

# %% [markdown]
# <details><summary>Why no other value will do</summary>
#
# **What**: the pad must never win the maximum, and `exp(pad - max)` must be exactly 0.
# **Why -inf**: it is below every float, and `exp(-inf)` is 0 for any maximum.
# **Otherwise**: -1e30 works until somebody masks their own data with -3e38, as attention code does. Then the pad is the
# largest value of the row. *An honest aside*: a row that is -inf everywhere has no softmax at all: -inf minus -inf is
# `nan`. PyTorch answers `nan` too.
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
# **What**: 5 → 8, 8 → 8, 781 → 1024. `1 << (n_cols - 1).bit_length()` says the same in plain Python.
# **Otherwise**: rounding *down* leaves columns without a lane; they are never computed, and what stays in the output is
# whatever was there. Doubling a power of two is right in value and leaves half of the lanes idle.
# *An honest aside*: "the block size is the number of threads" is a common belief. A block of 1024 lanes on four warps
# runs on 128 threads with 8 lanes each.
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
# And what does it move? The five passes read 5 MN and wrote 3 MN. Predict, then look:

# %%
traffic(softmax_row, row)

# %%
progress()

# %% [markdown]
# **Next: [05 · Every row](05_every_row.ipynb).** One program did one row. A matrix has thousands, and a GPU has room for
# many programs at once.
