# %% [markdown]
# # 05 · Every row
#
# A program handles one row. So a matrix of M rows takes M programs, and each of them only has to find out which row is
# its own. At the end of this lesson you have a softmax that others can call.
#
# *About 35 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
from grader.draw import hierarchy
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## The grid
#
# The brackets of a launch hold the grid: how many programs to start. All of them run the same code, and
# `tl.program_id(0)` is the one thing that differs.

# %%
@triton.jit
def who_am_i_kernel(y_ptr):
    me = tl.program_id(0)
    tl.store(y_ptr + me, me)


y = torch.full((6,), -1, dtype=torch.int32, device=where)
who_am_i_kernel[(4,)](y)
y

# %% [markdown]
# Four programs, four stores; the last two elements belong to nobody. The checks run your programs backwards and shuffled
# as well, because a GPU promises no order.

# %% [markdown]
# ## Two strides
#
# A tensor knows two distances: `x.stride(0)` elements from one row to the next, `x.stride(1)` from one column to the next.
# Lesson 03 met a slice, whose rows lie further apart than it has columns. What is the column stride of a transposed
# matrix?

# %%
wide = torch.arange(24.0, device=where).reshape(3, 8)
for name, t in (("wide", wide), ("wide[:, :5]", wide[:, :5]), ("wide.t()", wide.t())):
    print(f"{name:11}  {tuple(t.shape)}, row stride {t.stride(0)}, column stride {t.stride(1)}")

# %% [markdown]
# All three look at the same memory. `wide.t()` has its neighbours in a *column* next to each other, and the neighbours in a
# row far apart. Keep it in mind until 5.2.

# %% [markdown]
# ## Your turn: 5.1
#
# The kernel of lesson 04, for every row. Input and output may have different row strides, so each comes with its own.
# Write the load and the store yourself this time: address, mask, and the value for masked lanes.

# %%
@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0) of a matrix with n_cols columns. BLOCK is a power of two, at least n_cols."""
    # Where am I? This program's row, its lanes, and which of them lie inside the row (3 lines).
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    ### END SOLUTION
    # Load the row, once. What do masked lanes hold? (1 line)
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    ### END SOLUTION
    # The four lines of lesson 04.
    ### BEGIN SOLUTION
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - row_max)
    denominator = tl.sum(numerator, axis=0)
    y = numerator / denominator
    ### END SOLUTION
    # Store y to this program's row of the output (1 line).
    ### BEGIN SOLUTION
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
    ### END SOLUTION

# %%
check("5.1")

# %% [markdown]
# <details><summary>What each part is for</summary>
#
# **Where am I**: without `program_id` every program does row 0, and the others stay empty.
#
# **Load**: `row * x_row_stride` is where the row begins. With `+ row` alone, row 1 starts one element in: every row sums to
# 1, and only row 0 is right. Without the mask, the last lanes read the *next* row, which is a perfectly good address
# until the last row.
#
# **`other`**: without it a masked lane holds anything; on many GPUs it happens to be 0, which is wrong as well.
#
# **Store**: a missing mask writes over the beginning of the next row. If programs run in order, the next program repairs
# it, and the numbers look perfect. In any other order they do not.
#
# </details>

# %% [markdown]
# ## How many warps?
#
# A GPU runs threads in groups of 32, called **warps**, and `num_warps` in a launch says how many of them share one
# program. With few, each thread holds many elements, more than fit into its own small storage, its *registers*. With many,
# threads wait for each other at every `tl.max` and `tl.sum`. A common rule of thumb:

# %%
def warps_for(block):
    """4 warps, 8 from a block of 2048, 16 from 4096."""
    return 16 if block >= 4096 else 8 if block >= 2048 else 4


for block in (256, 1024, 2048, 4096, 16384):
    threads = 32 * warps_for(block)
    print(f"block {block:5}: {warps_for(block):2} warps, {threads:3} threads, {block // threads:2} elements a thread")

# %% [markdown]
# It goes into the launch, beside `BLOCK`. Interpreted it changes nothing; on a GPU it changes the speed and not the
# result.

# %%
who_am_i_kernel[(4,)](y, num_warps=warps_for(1024))
y

# %% [markdown]
# ## Your turn: 5.2
#
# A function that others can call. It looks at `x` first: what it does not take gets a `ValueError` with a sentence that
# helps. That is every tensor that is no matrix, and every dtype but float32. Then output, block, launch.
#
# Your `block_size` of lesson 04 is `triton.next_power_of_2(n_cols)`. Choose the warps with `warps_for`.
#
# One more trap: the kernel assumes that neighbours in a row are neighbours in memory, in `x` and in `y`. For a transposed
# matrix they are not. You may copy such an input first (`x.contiguous()`), or refuse it.

# %%
def fused_softmax(x):
    """Softmax of each row of x (M×N, float32), as a new tensor: one program a row, each element moved once."""
    # Refuse what it does not take (about 5 lines).
    ### BEGIN SOLUTION
    if x.dim() != 2:
        raise ValueError(f"fused_softmax takes a matrix, not a tensor of {x.dim()} dimensions")
    if x.dtype != torch.float32:
        raise ValueError(f"fused_softmax takes float32, not {x.dtype}")
    if x.stride(1) != 1:
        x = x.contiguous()
    ### END SOLUTION
    # The output, the sizes, the launch (about 5 lines). Return the output.
    ### BEGIN SOLUTION
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](y, x, y.stride(0), x.stride(0), n_cols, BLOCK=block, num_warps=warps_for(block))
    return y
    ### END SOLUTION

# %%
check("5.2")

# %% [markdown]
# <details><summary>What a caller may expect</summary>
#
# **Errors first**: a `ValueError` with a sentence costs two lines. *Otherwise*: a 3-D tensor gives numbers that
# look fine and are not.
#
# **`x.stride(1)`**: for a transposed view the kernel would read down the columns. A copy costs one more read and write,
# and says so in the ledger.
#
# **The grid**: one program a row. With `(1,)` only row 0 is computed; with the number of columns you
# launch programs for rows that do not exist, or too few.
#
# **`y.stride(0)` and `x.stride(0)`**: not the number of columns, because `x` may be a slice of something wider.
#
# **The block**: `BLOCK=n_cols` works for powers of two and for nothing else.
#
# </details>

# %% [markdown]
# ## Awkward shapes
#
# 1823×781 and 7×257 are the shapes that kernels are often tried on: neither number of columns is a power of two, so the
# last lanes of every program are masked. Each against PyTorch; on a GPU there is a third, large one.

# %% tags=["nbval-ignore-output"]
for m, n in [(1823, 781), (7, 257)] + ([(8192, 1000)] if where == "cuda" else []):
    x = torch.randn(m, n, device=where)
    y = fused_softmax(x)
    error = (y - torch.softmax(x, dim=1)).abs().max().item()
    off = (y.sum(dim=1) - 1).abs().max().item()
    print(f"{m}×{n}: largest error {error:.1e}, row sums within {off:.1e} of 1")
    assert error < 1e-6 and off < 1e-5  # the digits above differ from machine to machine; these bounds do not

# %% [markdown]
# *An honest aside*: how good is an error of 0.001? The outputs themselves are about 1/N. On a row of equal numbers, a
# kernel that returned nothing but zeros would be off by only:

# %%
flat = torch.full((1, 781), 3.0)
round(torch.softmax(flat, dim=1).max().item(), 4)

# %% [markdown]
# That is why the checks compare *relative* errors, against float64.

# %% [markdown]
# ## Five passes and one
#
# Here is the softmax of lesson 01 again, beside yours:

# %%
def naive_softmax(x):
    """The five passes of lesson 01."""
    shifted = x - x.amax(dim=1, keepdim=True)
    numerator = torch.exp(shifted)
    return numerator / numerator.sum(dim=1, keepdim=True)


x = torch.randn(64, 256, device=where)
torch.allclose(naive_softmax(x), fused_softmax(x))

# %% tags=["picture:five_passes.png"]
traffic([naive_softmax, fused_softmax], x)

# %% [markdown]
# Reads and writes together, how many times more do the five passes move?

# %%
m, n = x.shape
five, one = 8 * m * n + 4 * m, 2 * m * n
round(five / one, 2)

# %% [markdown]
# And where are the numbers on their way? Here `traffic` looks inside: every load and store of your kernel is counted. What is
# neither loaded nor stored never leaves the chip.

# %%
hierarchy([naive_softmax, fused_softmax], x)

# %% [markdown]
# Your row, its maximum, the exponentials and their sum live in **registers**. Where the threads of a program have to agree,
# for the maximum and the sum, they also pass through **shared memory**: lesson 12 shows how.

# %% [markdown]
# Lesson 02 says what that is worth: both are bound by memory, so the one pass should be about that many times faster.

# %%
progress()

# %% [markdown]
# **Next: [06 · Green tests lie](06_green_tests_lie.ipynb).** The checks have told you so far whether a kernel is right. Who
# tells you in a project of your own?
