# %% [markdown]
# # 05 · Every row
#
# A program handles one row. So a matrix of M rows needs M programs, and each of them has to find out which row is its
# own. At the end of this lesson you have a softmax that others can call.
#
# *About 55 minutes. No GPU needed.*

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
# The brackets of a launch hold the grid: the number of programs. All programs run the same code, and only
# `tl.program_id(0)` is different in each of them.

# %%
@triton.jit
def who_am_i_kernel(y_ptr):
    me = tl.program_id(0)
    tl.store(y_ptr + me, me)


y = torch.full((6,), -1, dtype=torch.int32, device=where)
who_am_i_kernel[(4,)](y)
y

# %% [markdown]
# Four programs stored four numbers, and no program has the last two elements. The checks also run your programs
# backwards and shuffled, because a GPU guarantees no order.

# %% [markdown]
# ## Two strides
#
# A tensor has two strides: `x.stride(0)` is the number of elements from one row to the next, and `x.stride(1)` from one
# column to the next. In lesson 03 there was a slice whose row stride was larger than its number of columns. What is the
# column stride of a transposed matrix?

# %%
wide = torch.arange(24.0, device=where).reshape(3, 8)
for name, t in (("wide", wide), ("wide[:, :5]", wide[:, :5]), ("wide.t()", wide.t())):
    print(f"{name:11}  {tuple(t.shape)}, row stride {t.stride(0)}, column stride {t.stride(1)}")

# %% [markdown]
# All three tensors are **views** of the same memory ([tensor
# views](https://docs.pytorch.org/docs/stable/tensor_view.html)). In `wide.t()`, neighbours in a *column* are next to
# each other in memory, and neighbours in a row are far apart. You need this in 5.2.

# %% [markdown]
# ## How far away can a row begin?
#
# Row 3 begins at element `3 * x.stride(0)`. `tl.program_id(0)` is an integer of 32 bits, and so are most strides. So their
# product has 32 bits as well, and the largest such number is 2^31 - 1. A language model writes a row of 128,256 scores for
# each word that it reads. How many rows may a matrix have until some element has a larger number than that?

# %%
columns = 128_256
rows = 2**31 // columns + 1
print(f"{rows:,} rows have {rows * columns:,} elements, and 2^31 is {2**31:,}")
behind = torch.tensor(rows, dtype=torch.int32)  # the number of the row behind them
for number in (behind, behind.to(torch.int64)):
    print(f"{number.dtype}: row {rows:,} begins at element {(number * columns).item():,}")

# %% [markdown]
# The number **wraps around**, and the address is in front of the matrix. On a GPU this is an *illegal memory access*, or
# numbers of another tensor. In half precision these 16,744 rows take 4 GB: they are nothing unusual. The remedy is one
# conversion: `.to(tl.int64)` makes a number of 64 bits, in which the product is computed. A pointer has 64 bits anyway.
# The columns need no such thing, because no row has 2^31 of them.

# %% [markdown]
# ## Your turn: 5.1
#
# Write the kernel of lesson 04 for every row. Input and output may have different row strides, so the kernel gets both.
# The matrix may be of any size, and a row may begin beyond element 2^31.
# This time, write the load and the store yourself: addresses, mask, and the value for masked lanes.

# %%
@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0) of a matrix with n_cols columns. BLOCK is a power of two, at least n_cols."""
    # Where am I? This program's row, its lanes, and which of them lie inside the row (3 lines).
    ### BEGIN SOLUTION
    row = tl.program_id(0).to(tl.int64)
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
# **Where am I**: without `program_id`, every program does row 0, and the other rows are never stored.
#
# **`.to(tl.int64)`**: without it, `row * x_row_stride` has 32 bits. *Otherwise*: a matrix of 16,744 rows of 128,256
# columns is right, and one with a few rows more is not. Convert the number of the row, and not the product: that
# has wrapped around already.
#
# **Load**: `row * x_row_stride` is the beginning of the row. With `+ row` alone, row 1 begins at element 1: every row
# sums to 1, but only row 0 is right. Without the mask, the last lanes read the *next* row. Those addresses are inside
# the tensor, except in the last row.
#
# **`other`**: without it, a masked lane may hold any value. On many GPUs that value happens to be 0, which is wrong as
# well.
#
# **Store**: without the mask, a program writes over the beginning of the next row. If the programs run in order, the
# next program then stores the right numbers there, and the error is hidden. In another order it is not: this is the
# data race of lesson 03.
#
# </details>

# %% [markdown]
# ## How many warps?
#
# A GPU runs threads in groups of 32, called **warps**. `num_warps` in a launch says how many warps run one program.
# With few warps, each thread holds many elements, and they may not fit into its *registers*. With many warps, more
# threads wait for each other at every `tl.max` and `tl.sum`. Here is a common rule of thumb:

# %%
def warps_for(block):
    """4 warps; 8 for a block of 2048 or more, 16 for 4096 or more."""
    return 16 if block >= 4096 else 8 if block >= 2048 else 4


for block in (256, 1024, 2048, 4096, 16384):
    threads = 32 * warps_for(block)
    print(f"block {block:5}: {warps_for(block):2} warps, {threads:3} threads, {block // threads:2} elements per thread")

# %% [markdown]
# `num_warps` is given in the launch, beside `BLOCK`. When a kernel is interpreted, it changes nothing. On a GPU it changes the speed, and at most the last digits of the result.

# %%
who_am_i_kernel[(4,)](y, num_warps=warps_for(1024))
y

# %% [markdown]
# ## Your turn: 5.2
#
# Write a function that others can call. First it looks at `x`. If `x` is not a matrix, or not float32, it raises a
# `ValueError` with a helpful sentence. Then it makes the output, chooses the block, and launches the kernel. A matrix
# without rows is a matrix: its result has no rows, too.
#
# Make the output with `device=x.device`, or with `torch.empty_like(x)`. Without that, a tensor is in the memory of the CPU, which
# no kernel on a GPU can reach. The check refuses it even where there is no GPU.
#
# Instead of your `block_size` of lesson 04, use `triton.next_power_of_2(n_cols)`. Choose the warps with `warps_for`.

# %% [markdown]
# There is one more trap. The kernel assumes that neighbours in a row are neighbours in memory, in `x` and in `y`. In a
# transposed matrix they are not. You may copy such an input first (`x.contiguous()`), or refuse it.

# %%
def fused_softmax(x):
    """Softmax of each row of x (M×N, float32, N is at least 1), as a new tensor.

    One program for each row; each element is read once and written once.
    """
    # Raise the errors (about 5 lines).
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
# **Errors first**: a `ValueError` with a sentence takes two lines. *Otherwise*: a 3-D tensor may give numbers that look
# right and are wrong.
#
# **`x.stride(1)`**: for a transposed view, the kernel would read along the columns. A copy costs one more read and
# write, and the ledger shows them.
#
# **The grid**: one program for each row. With `(1,)`, only row 0 is computed. With the number of columns, there are too
# many programs or too few.
#
# **`y.stride(0)` and `x.stride(0)`**: not the number of columns, because `x` may be a slice of something wider.
#
# **The block**: with `BLOCK=n_cols`, Triton takes only rows whose length is a power of two.
#
# </details>

# %% [markdown]
# ## Awkward shapes
#
# Kernels are often tried on 1823×781 and 7×257: neither number of columns is a power of two, so the last lanes of every
# program are masked. The next cell compares your function with PyTorch on both shapes, and on a GPU also on a third,
# large one.

# %% tags=["nbval-ignore-output"]
for m, n in [(1823, 781), (7, 257)] + ([(8192, 1000)] if where == "cuda" else []):
    x = torch.randn(m, n, device=where)
    y = fused_softmax(x)
    error = (y - torch.softmax(x, dim=1)).abs().max().item()
    off = (y.sum(dim=1) - 1).abs().max().item()
    print(f"{m}×{n}: largest error {error:.1e}, row sums within {off:.1e} of 1")
    assert error < 1e-6 and off < 1e-5  # the digits above differ from machine to machine; these bounds do not

# %% [markdown]
# *An honest aside*: would an error of 0.001 be small, too? The right outputs of a row of N numbers are about 1/N.
# Suppose that a wrong kernel returns only zeros. How large is its error on a row of 781 equal numbers?

# %%
flat = torch.full((1, 781), 3.0)
round(torch.softmax(flat, dim=1).max().item(), 4)

# %% [markdown]
# That is why the checks compare *relative* errors, against float64.

# %% [markdown]
# ## Five passes and one
#
# Here is the softmax of lesson 01 again, to compare with yours:

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
# Add reads and writes. The five passes move more elements than your kernel: by which factor?

# %%
m, n = x.shape
five, one = 8 * m * n + 4 * m, 2 * m * n
round(five / one, 2)

# %% [markdown]
# Where are the numbers between the steps? The course counts every load and store of your kernel. Between a load and a
# store, a number stays on the chip. The course cannot look inside PyTorch's operations. (The
# picture shows an H200. HBM3e is the type of its memory.)

# %%
hierarchy([naive_softmax, fused_softmax], x)

# %% [markdown]
# Your row, its maximum, the exponentials and their sum are in **registers**. For the maximum and the sum, the threads
# of a program exchange numbers, also through **shared memory**. Lesson 12 shows how.

# %% [markdown]
# ## The promise of lesson 02
#
# Exercise 2.2 made a promise: if the time is proportional to the elements moved, a fused softmax takes about a quarter of
# the time of the five passes. In lesson 02, the table below "A floor, not a promise" has the times of an H200: "fused" is the
# function of 5.2, and the last column compares both. For which sizes do you expect the promise to hold?

# %% [markdown]
# <details><summary>Is the promise kept?</summary>
#
# **Large matrices**: yes. The time even falls by a larger factor than the number of elements, because the five passes
# also reach a smaller share of the bandwidth, as lesson 02 showed.
#
# **Small matrices**: the ratio is near the promise, but for another reason. Starting five kernels takes longer than
# starting one, and little else takes time.
#
# *An honest aside*: the ratio says how much better the one pass is than the five. It does not say how good the one
# pass is. The copy in lesson 02 says that.
#
# </details>

# %% [markdown]
# And yours? If this machine has a GPU, the next cell measures the five passes and your function on it, side by side. Its
# clock empties the cache before each run, and takes the middle of many runs. Both take turns with a copy of the matrix.

# %% tags=["nbval-ignore-output"]
from grader import own_card

own_card("05", naive_softmax, fused_softmax)

# %% [markdown]
# ## What to read
#
# - Strides and views: [tensor views](https://docs.pytorch.org/docs/stable/tensor_view.html) and
#   [`Tensor.stride`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.stride.html).
# - Grids and programs:
#   [`tl.program_id`](https://triton-lang.org/main/python-api/generated/triton.language.program_id.html), and
#   [`triton.jit`](https://triton-lang.org/main/python-api/generated/triton.jit.html).
# - Threads, warps and multiprocessors: [CUDA C++ Programming
#   Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#hardware-implementation), the chapter
#   *Hardware Implementation*.

# %%
progress()

# %% [markdown]
# **Next: [06 · Green tests lie](06_green_tests_lie.ipynb).** So far, the checks have told you whether a kernel is
# right. In a project of your own there are no such checks.
