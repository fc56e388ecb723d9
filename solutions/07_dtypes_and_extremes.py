# %% [markdown]
# # 07 · Dtypes and extremes
#
# Moving bytes is what takes the time. A number in half precision has half the bytes, and half the trouble: it overflows
# earlier, it has fewer digits, and a test that is not meant for it accepts anything. At the end you have a kernel for
# it, a tolerance that means something, and a softmax that leaves entries out.
#
# *About an hour. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
import math
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## Half the bytes
#
# One read and one write of a 4096×4096 matrix, on a GPU that moves three terabytes a second. How long does that take at
# least?

# %%
bandwidth = 3e12  # bytes a second
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    moved = 2 * 4096 * 4096 * dtype.itemsize
    print(f"{dtype}: {moved / 1e6:.0f} MB, {1e6 * moved / bandwidth:.1f} microseconds")

# %% [markdown]
# ## What does half precision give up?
#
# Both halves have 16 bits and spend them differently. **eps** is the distance from 1 to the next number: the rounding
# error of a value is at most half of eps, times the value. Numbers below the **smallest normal**
# one have fewer digits; more on that below.

# %%
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    info = torch.finfo(dtype)
    print(f"{info.dtype:8}  largest {info.max:.1e}  eps {info.eps:.1e}  smallest normal {info.smallest_normal:.1e}")

# %% [markdown]
# float16 has more digits, bfloat16 has float32's range. Which can hold something near 70000, and which
# tells 257 from 256?

# %%
for dtype in (torch.float16, torch.bfloat16):
    print(dtype, torch.tensor([70000.0, 257.0], dtype=dtype).tolist())

# %% [markdown]
# ## Computing with it
#
# Lesson 04's `double_kernel`, for exactly four numbers in bfloat16, so without a mask. What will `y` hold?

# %%
@triton.jit
def double_kernel(y_ptr, x_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols)
    tl.store(y_ptr + cols, 2 * x)


x = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.bfloat16, device=where)
y = torch.empty_like(x)
try:
    double_kernel[(1,)](y, x, BLOCK=4)
    print(y.tolist())
except TypeError as error:
    print(error)

# %% [markdown]
# A GPU would have done it, rounding every step to bfloat16. Interpreted, there is no bfloat16: its bits travel as
# integers, and doubling *those* gives nonsense. So the course's guard refuses what computes with them. Loading, storing
# and casting are allowed, and they are all you need:

# %%
@triton.jit
def double_in_float32_kernel(y_ptr, x_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols).to(tl.float32)  # two bytes are read; the cast happens on the chip
    tl.store(y_ptr + cols, 2 * x)  # converted to what y_ptr points at; two bytes are written


double_in_float32_kernel[(1,)](y, x, BLOCK=4)
y.tolist()

# %% [markdown]
# Memory sees half precision, the arithmetic sees float32, and the cast costs no bytes.

# %% [markdown]
# ## Why not sum up in half precision?
#
# The denominator of a row of 4096 equal numbers is a sum of 4096 ones. One after the other, in half precision:

# %%
for dtype in (torch.float16, torch.bfloat16):
    total = torch.tensor(0.0, dtype=dtype)
    for _ in range(4096):
        total += 1
    print(dtype, total.item())
print(torch.tensor([65504.0, 65520.0]).half().tolist())

# %% [markdown]
# The sum **stalls** where 1 is no more than half the distance to the next number: 1 is added, and rounded away. `tl.sum`
# adds in pairs and stalls later, but it rounds at every level, and in float16 it becomes inf beyond 65504.

# %% [markdown]
# ## Your turn: 7.1
#
# One kernel for float16 and bfloat16, input and output alike: float32 between the load and the store, and one rounding at
# the very end. The check compares relative errors, so a second rounding shows.
#
# `tl.softmax` is not allowed here, nor in 7.3. And no parameter names the output's dtype: who knows it?

# %%
@triton.jit
def half_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0), float16 or bfloat16 in and out, computed in float32. BLOCK is at least n_cols."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Load the row, and cast it before anything else happens to it (1 or 2 lines).
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    ### END SOLUTION
    # The softmax of lesson 05, and its store (about 5 lines).
    ### BEGIN SOLUTION
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - row_max)
    denominator = tl.sum(numerator, axis=0)
    y = numerator / denominator
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
    ### END SOLUTION

# %%
check("7.1")

# %% [markdown]
# <details><summary>Where each rounding comes from</summary>
#
# **The cast, right after the load**: *otherwise* differences are rounded, and `exp` turns that error into a relative one.
# `tl.exp` does not even take half precision.
#
# **The pad**: -inf is -inf in every dtype. The lowest float16 is a value that a row can hold.
#
# **The store** rounds once, to whatever `y_ptr` points at. A numerator rounded before the division is rounded twice.
#
# *An honest aside*: the kernel of lesson 05 passes this check as it stands, because `tl.max` hands back float32 and the
# difference follows. That is a habit of one function. Multiply the row by a number first, and that product is in half
# precision: write the cast where you mean it.
#
# </details>

# %% [markdown]
# Here it is behind a function, on rows of 781 random numbers. The error is relative, against float64:

# %% tags=["nbval-ignore-output"]
def half_softmax(x):
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    half_softmax_kernel[(n_rows,)](y, x, y.stride(0), x.stride(0), n_cols, BLOCK=triton.next_power_of_2(n_cols))
    return y


for dtype in (torch.float16, torch.bfloat16):
    x = torch.randn(8, 781, device=where).to(dtype)
    want = torch.softmax(x.double(), dim=1)
    normal = want > torch.finfo(dtype).smallest_normal
    error = ((half_softmax(x).double() - want).abs() / want)[normal].max().item()
    print(f"{dtype}: worst relative error {error:.1e}, half of eps is {torch.finfo(dtype).eps / 2:.1e}")
    assert error < 0.51 * torch.finfo(dtype).eps  # the digits above depend on the numbers drawn; this bound does not

# %% [markdown]
# ## How close is close?
#
# `torch.allclose` accepts when `|got - want| <= atol + rtol * |want|` holds everywhere. Is this tolerance a strict one?

# %%
flat = torch.softmax(torch.full((1, 4096), 3.0), dim=1)
torch.allclose(flat, torch.zeros(1, 4096), rtol=1e-5, atol=1e-3)

# %% [markdown]
# A kernel that returns nothing but zeros passes. The outputs of a row are about 1/n, and this `atol` is larger:

# %%
for n in (781, 4096, 32768):
    print(f"1/{n} is {1 / n:.1e}")

# %% [markdown]
# So `rtol` should do the work: it grows and shrinks with the value. Is `atol = 0` right, then? A row with one outlier
# also has very small outputs. Here are some small numbers, rounded to float16:

# %%
torch.tensor([1e-4, 1e-6, 1e-7, 4e-8, 1e-8], dtype=torch.float16).tolist()

# %% [markdown]
# Below its smallest normal number float16 has **subnormals**: numbers a fixed distance apart, so the smaller the value,
# the fewer digits it has, down to none. float32 and bfloat16 have them too, far below the outputs of ordinary rows.

# %%
info = torch.finfo(torch.float16)
spacing = info.smallest_normal * info.eps
print(f"below {info.smallest_normal:.2e}, float16's numbers are {spacing:.2e} apart")
print(f"in a row of 32768 an output is about {1 / 32768:.2e}")

# %% [markdown]
# And float32 itself? Softmax by `exp` and by `exp2`, on rows with one outlier, against float64. What does the error grow
# with?

# %% tags=["nbval-ignore-output"]
def worst_error(exp, x, scaled):
    e = exp(scaled - scaled.amax(dim=1, keepdim=True))
    want = torch.softmax(x.double(), dim=1)
    return (((e / e.sum(dim=1, keepdim=True)).double() - want).abs() / want).max().item()


for outlier in (5, 10, 20):
    x = torch.randn(8, 32768, generator=torch.Generator().manual_seed(0))
    x[:, 0] = outlier
    by_exp, by_exp2 = worst_error(torch.exp, x, x), worst_error(torch.exp2, x, x * math.log2(math.e))
    print(f"outlier of {outlier:2}: worst relative error {by_exp:.1e} by exp, {by_exp2:.1e} by exp2")
    assert max(by_exp, by_exp2) < 3e-6

# %% [markdown]
# ## Your turn: 7.2
#
# A tolerance for softmax outputs of a dtype, for rows of n elements. The check tries it on rows of 1 to 131072 elements.
#
# - It must accept what float32 arithmetic gives, by `exp` or by `exp2`, rounded to the dtype: on random rows, equal values,
#   one outlier of 20. In float32 that is an error like the largest one above, several times its eps. Other rows were drawn,
#   so leave some room.
# - It must refuse zeros, 1/n everywhere, sums that stalled (too small a sum makes all values many times too large), and
#   values that are all too large: by 0.1 % in float32, by 5 % in float16, by 10 % in bfloat16.

# %% [markdown]
# Any way is fine: a table, a formula, a measurement.

# %%
def tolerance(dtype, n):
    """(rtol, atol) for torch.allclose: softmax outputs of rows of n elements in this torch dtype, against float64."""
    # About 3 lines. torch.finfo(dtype) knows a lot.
    ### BEGIN SOLUTION
    info = torch.finfo(dtype)
    rtol = 2 * max(info.eps, 5e-6)  # rounding to the dtype, or the arithmetic in float32, whichever is more
    return rtol, info.smallest_normal * info.eps
    ### END SOLUTION

# %%
check("7.2")

# %% [markdown]
# <details><summary>Two numbers, two reasons</summary>
#
# **rtol** covers rounding. In half precision that is half of eps, and eps leaves room; in float32 the arithmetic itself is worse than its eps, because
# an error in `x - max` grows with the distance to the maximum.
#
# **atol** covers what has no digits left: the distance between two subnormals. For bfloat16 and float32 that is practically
# 0, so one formula serves all three.
#
# **Otherwise**: an `atol` near 1/n accepts anything, and `atol = 0` refuses a float16 output that was rightly rounded to 0.
#
# *An honest aside*: n is not needed here. An `atol` that is a part of 1/n would have to be less than a thousandth of it
# in float32, and in float16, for the longest rows, still half the distance of its subnormals: no single part does both.
#
# </details>

# %% [markdown]
# PyTorch's own test helper knows a tolerance for each dtype, and raises an error when two tensors differ by more. Does it
# notice that this row is all zeros?

# %%
flat = torch.softmax(torch.zeros(1, 131072), dim=1).half()
torch.testing.assert_close(torch.zeros_like(flat), flat)
print("accepted; the outputs are", f"{flat[0, 0].item():.1e}", "each")

# %% [markdown]
# It is made for numbers around 1. And does PyTorch's softmax in half precision satisfy *your* tolerance?

# %%
for dtype in (torch.float16, torch.bfloat16):
    x = torch.randn(4, 4096, device=where).to(dtype)
    rtol, atol = tolerance(dtype, 4096)
    want = torch.softmax(x.double(), dim=1)
    print(dtype, torch.allclose(torch.softmax(x, dim=1).double(), want, rtol=rtol, atol=atol))

# %% [markdown]
# ## Entries that take no part
#
# In attention, a word may look only at some of the others. The scores come with a mask `keep` of 1 and 0: an entry with 0
# takes no part, and its output is 0. In PyTorch:

# %%
inf = float("inf")
x = torch.tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 10000.0], [1.0, 2.0, 3.0]])
keep = torch.tensor([[1, 1, 1], [1, 1, 0], [0, 0, 0]], dtype=torch.int8)
torch.softmax(x.masked_fill(keep == 0, -inf), dim=1)

# %% [markdown]
# Counted from 0, row 1: the dropped 10000 does not matter. Row 2 keeps nothing, so there is nothing to share out, and the answer is a
# choice. **Our policy is PyTorch's: such a row is NaN everywhere.** The same holds where every kept entry is -inf.
#
# NaN is loud. Zeros, or equal shares of nothing, would be taken for an answer.

# %% [markdown]
# ## Select, do not multiply
#
# To switch an entry off, multiplying by its mask looks natural. A dropped entry may hold anything, even `inf`:

# %%
torch.tensor([5.0, inf]) * torch.tensor([0.0, 0.0]), torch.where(torch.tensor([False, False]), torch.tensor([5.0, inf]), -inf)

# %% [markdown]
# `tl.where(condition, a, b)` does the same in a kernel: lane by lane it takes `a` or `b`, and computes with neither.

# %% [markdown]
# ## Your turn: 7.3
#
# Softmax over the kept entries, in float32. `keep` is a matrix of int8 with a row stride of its own. Dropped entries may
# hold huge values, `inf` or NaN. A kept NaN makes its row NaN, as in PyTorch. `x` may be read once at most.
#
# Before you write it: at which step must a dropped entry be gone?

# %%
@triton.jit
def masked_softmax_kernel(
    y_ptr, x_ptr, keep_ptr, y_row_stride, x_row_stride, keep_row_stride, n_cols, BLOCK: tl.constexpr
):
    """Softmax of the entries of row program_id(0) where keep is 1; 0 where it is 0; NaN for a row with nothing to share."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Load the row and its keep, and let what is dropped look like a masked lane (about 3 lines).
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    keep = tl.load(keep_ptr + row * keep_row_stride + cols, mask=mask, other=0)
    x = tl.where(keep != 0, x, -float("inf"))
    ### END SOLUTION
    # Softmax and store, as ever (about 5 lines).
    ### BEGIN SOLUTION
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - row_max)
    denominator = tl.sum(numerator, axis=0)
    y = numerator / denominator
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
    ### END SOLUTION

# %%
check("7.3")

# %% [markdown]
# <details><summary>One value does it all</summary>
#
# **-inf before the maximum**: it loses the maximum, and its `exp` is 0. Dropped after `exp`, a 10000 has already been the
# maximum and pushed every kept entry to 0.
#
# **A row that keeps nothing**: -inf minus -inf is NaN. The policy costs no line. A finite fill such as -1e9 gives equal
# shares of nothing.
#
# **Fewer reads**: put `keep` into the mask of the load of `x`, and dropped entries are read less often: a GPU fetches whole
# pieces of 32 bytes, so scattered holes save little. What is read of `keep` itself, the check does not show.
#
# *An honest aside*: NaN is no law. Some attention kernels store zeros there, so that one empty row does not spoil the
# gradients of a whole batch. Say which, and test it.
#
# </details>

# %% [markdown]
# The three rows from above, through your kernel:

# %%
x, keep = x.to(where), keep.to(where)
y = torch.empty_like(x)
masked_softmax_kernel[(3,)](y, x, keep, y.stride(0), x.stride(0), keep.stride(0), 3, BLOCK=4)
[[round(v, 3) for v in row] for row in y.tolist()]

# %%
progress()

# %% [markdown]
# **Next: [08 · Online softmax](08_online_softmax.ipynb).** Rows that are longer than a block.
