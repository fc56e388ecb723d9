# %% [markdown]
# # 04 · One row
#
# The five passes fetch the same numbers again and again. A *kernel* can load a row once, do all five steps on the chip,
# right beside the arithmetic, and store the result once. You write that kernel for a single row, in Triton, and you
# need not know Triton yet.
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
# *Where am I? Load, compute, store.*
#
# - `@triton.jit` above a function makes it a kernel: Triton's compiler reads it, not Python.
# - A kernel gets **pointers**. You pass it a tensor; it receives the address of the tensor's first element.
# - It works on a whole **block** of numbers at once. Each place in a block is a **lane**.
# - `BLOCK: tl.constexpr` is the number of lanes. It must be known when the kernel is compiled, before it runs.

# %%
@triton.jit
def double_kernel(y_ptr, x_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)  # where am I: lanes 0, 1, ..., BLOCK - 1
    x = tl.load(x_ptr + cols)  # x_ptr + 3 is the address of element 3, so this loads one element a lane
    tl.store(y_ptr + cols, 2 * x)

# %% [markdown]
# Nobody calls a kernel; you **launch** it. Square brackets say how many copies of it (**programs**) to run: here
# `(1,)`, a tuple with one number. It returns nothing. What it stored is the result.

# %%
x = torch.tensor([1.0, 2.0, 3.0, 4.0], device=where)
y = torch.empty_like(x)
double_kernel[(1,)](y, x, BLOCK=4)
y

# %% [markdown]
# ## The block must be a power of two
#
# When a kernel is compiled, its lanes are laid out over the GPU's threads, and that layout works in powers of two. What
# happens with five lanes?

# %%
x = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], device=where)
y = torch.empty_like(x)
try:
    double_kernel[(1,)](y, x, BLOCK=5)
except Exception as error:
    print(str(error).splitlines()[-1])

# %% [markdown]
# ## So a row of 5 takes a block of 8
#
# And three lanes hang over the end. What would they load, and what would they overwrite?

# %%
try:
    double_kernel[(1,)](y, x, BLOCK=8)
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
# Softmax of one row. The load and the store are there; between them, four lines are missing. (Subtracting the maximum
# and taking `exp` share a line.) Replace each line that says TODO: `tl.static_assert` only stops the kernel there.
#
# Three functions are all you need. `tl.max(block, axis=0)` and `tl.sum(block, axis=0)` turn a block into one number; a
# block of one row has a single axis, number 0. `tl.exp(block)` works on every lane, and so do `block - number` and
# `block / number`.

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
# Would another pad do as well as -inf? A masked lane takes part in the maximum and in the sum like every other lane.
# Here are three rows of three values in a block of four. The last number is the share that the *pad* took; it should be
# 0, and the others should sum to 1. Try -100, -1000, -1e30 and others:

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
# <details><summary>Why a very small number is not enough</summary>
#
# **What**: the pad must never win the maximum, and `exp(pad - max)` must be exactly 0.
#
# **Why -inf**: it is below every float, and `exp(-inf)` is 0 for any maximum.
#
# **Otherwise**: -1e30 works until a row lies below it. People mask their own data with values like -3e38; then the pad is
# the largest value of the row and takes it all.
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
