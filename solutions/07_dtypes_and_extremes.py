# %% [markdown]
# # 07 · Dtypes and extremes
#
# Most of the time is spent on moving bytes. A number in half precision has half the bytes, but it overflows earlier,
# and it has fewer digits. A test that is not made for it may accept wrong results. At the end of this lesson you have a
# kernel for half precision, a tolerance with a reason for each number, and a softmax that leaves entries out.
#
# *About 90 minutes. No GPU needed.*

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
# A GPU that moves three terabytes per second reads and writes a 4096×4096 matrix once. How long does that take at
# least?

# %%
bandwidth = 3e12  # bytes per second
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    moved = 2 * 4096 * 4096 * dtype.itemsize
    print(f"{dtype}: {moved / 1e6:.0f} MB, {1e6 * moved / bandwidth:.1f} microseconds")

# %% [markdown]
# ## What does half precision give up?
#
# float16 and bfloat16 both have 16 bits, but use them differently. **eps** is the distance from 1 to the next larger
# number. The rounding error of a value is at most half of eps, times the value. Numbers below the **smallest normal**
# number have fewer digits, as you see below.

# %%
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    info = torch.finfo(dtype)
    print(f"{info.dtype:8}  largest {info.max:.1e}  eps {info.eps:.1e}  smallest normal {info.smallest_normal:.1e}")

# %% [markdown]
# float16 has more digits, and bfloat16 has the range of float32. Which of the two can hold a number near 70000? In
# which of them are 256 and 257 different numbers?

# %%
for dtype in (torch.float16, torch.bfloat16):
    print(dtype, torch.tensor([70000.0, 257.0], dtype=dtype).tolist())

# %% [markdown]
# ## Computing with it
#
# Here is `double_kernel` of lesson 04, for exactly four numbers in bfloat16, so without a mask. What will `y` hold?

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
# A GPU computes this, and rounds every step to bfloat16. Triton's interpreter has no bfloat16: it keeps the bits of
# each number as an integer. If you double that integer, you get a wrong number. So the course refuses most arithmetic with bfloat16 numbers. Loading, storing and casting are allowed, and you need no more:

# %%
@triton.jit
def double_in_float32_kernel(y_ptr, x_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols).to(tl.float32)  # two bytes are read; the cast happens on the chip
    tl.store(y_ptr + cols, 2 * x)  # converted to what y_ptr points at; two bytes are written


double_in_float32_kernel[(1,)](y, x, BLOCK=4)
y.tolist()

# %% [markdown]
# In memory the numbers are in half precision, the arithmetic is in float32, and the cast moves no bytes.

# %% [markdown]
# ## Why not sum up in half precision?
#
# The denominator of a row of 4096 equal numbers is a sum of 4096 ones. Here they are added one after the other, in half
# precision:

# %%
for dtype in (torch.float16, torch.bfloat16):
    total = torch.tensor(0.0, dtype=dtype)
    for _ in range(4096):
        total += 1
    print(dtype, total.item())
print(torch.tensor([65504.0, 65520.0]).half().tolist())

# %% [markdown]
# The sum **gets stuck**: it stops growing. When the distance to the next number is 2 or more, the result of adding 1 is
# rounded back to the old sum. `tl.sum` adds in pairs and gets stuck later, but it rounds after every addition. In float16
# it also becomes inf above 65504.

# %% [markdown]
# ## Your turn: 7.1
#
# Write one kernel for float16 and bfloat16. Input and output have the same dtype. Compute in float32 between the load
# and the store, so that each value is rounded only once, at the end. The check compares relative errors, so it notices
# a second rounding.
#
# `tl.softmax` is not allowed in 7.1 and 7.3. The kernel has no parameter for the dtype of the output, but the pointer
# knows the dtype: `y_ptr.dtype` is the type of an address, and `y_ptr.dtype.element_ty` is the dtype of the elements
# there. A plain store converts its values to that dtype by itself, as above. So you need this name only if you want to
# write the cast yourself.

# %% [markdown]
# As in 5.1, the matrices may be of any size: a row may begin beyond element 2^31.

# %%
@triton.jit
def half_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0), float16 or bfloat16 in and out, computed in float32. BLOCK is at least n_cols."""
    row = tl.program_id(0).to(tl.int64)
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
# **The cast, right after the load**: *otherwise* differences may be rounded, and `exp` turns the absolute error of a
# difference into a relative error of the result. Also, `tl.exp` does not take half precision.
#
# **The pad**: -inf exists in every dtype. The lowest finite float16 is not a good pad, because a row can hold that
# value.
#
# **The store** rounds once, to the dtype that `y_ptr` points at. If the numerator is rounded before the division, there
# are two roundings.
#
# *An honest aside*: the kernel of lesson 05 passes this check without a change, because `tl.max` returns float32, and
# then the difference is float32, too. Few functions do that. If you multiply the row by a number first, the
# product is in half precision. So write the cast where you need it.
#
# </details>

# %% [markdown]
# Here is a function that launches it, on rows of 781 random numbers. The error is relative, compared with float64:

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
# `torch.allclose` accepts when `|got - want| <= atol + rtol * |want|` holds everywhere. Is the following tolerance
# strict?

# %%
flat = torch.softmax(torch.full((1, 4096), 3.0), dim=1)
torch.allclose(flat, torch.zeros(1, 4096), rtol=1e-5, atol=1e-3)

# %% [markdown]
# A kernel that returns only zeros passes. The outputs of a row are about 1/n, and this `atol` is larger:

# %%
for n in (781, 4096, 32768):
    print(f"1/{n} is {1 / n:.1e}")

# %% [markdown]
# So `rtol` should decide: the error that it allows grows and shrinks with the value. Is `atol = 0` right, then? A row
# with one outlier has very small outputs, too. Here are some small numbers, rounded to float16:

# %%
torch.tensor([1e-4, 1e-6, 1e-7, 4e-8, 1e-8], dtype=torch.float16).tolist()

# %% [markdown]
# Below its smallest normal number, float16 has **subnormal** numbers. Neighbouring ones are always equally far
# apart. So a smaller value has fewer digits, and the smallest values have none. float32 and bfloat16 have subnormal
# numbers, too, but far below the outputs of ordinary rows.

# %%
info = torch.finfo(torch.float16)
spacing = info.smallest_normal * info.eps
print(f"below {info.smallest_normal:.2e}, float16's numbers are {spacing:.2e} apart")
print(f"in a row of 32768 an output is about {1 / 32768:.2e}")

# %% [markdown]
# How exact is float32 itself? The next cell computes softmax in two ways, with `exp(x)` and with `exp2(x * log2(e))`,
# which is the same number. It does so on rows with one outlier, and compares the results with float64. Is the error
# larger for larger outliers?

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
# Write a tolerance for softmax outputs of a dtype, for rows of n elements. The check tries it on rows of 1 to 131072
# elements. Any way is fine: a table, a formula, a measurement.

# %% [markdown]
# - It must accept right results: float32 arithmetic with `exp` or with `exp2`, rounded to the dtype, on random rows,
#   on equal values, and on rows with one outlier of 20. In float32, the error of these results can be about as large
#   as the largest error above, which is many times eps. The check uses other rows, so allow a larger error than the
#   one above.
# - It must refuse these wrong results: only zeros; 1/n everywhere; results of a sum that got stuck, so that all values are many times too large; and results in which all values are too large by 0.1 % in float32, 5 % in float16 or 10 % in
#   bfloat16.

# %% [markdown]
# There are two steps, and each of them gives half of the points.
#
# 1. **float32 and bfloat16.** Their outputs keep all digits, so `atol` may be 0. Find `rtol`, and run the check.
# 2. **float16.** Small outputs are subnormal. What does `atol` have to cover there? Run the check again.

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
# **rtol** allows for rounding. In half precision, rounding changes a value by at most half of eps, relative to the
# value. So eps is enough. In float32, the error of the arithmetic is larger than eps, because an error in `x - max`
# grows with the distance to the maximum.
#
# **atol** allows for subnormal outputs, which are so small that they have few digits. Rounding changes a subnormal
# output by at most half the distance between neighbouring subnormal numbers. The whole distance is enough. For bfloat16 and float32 that distance is practically 0, so one
# formula is right for all three dtypes.
#
# **Otherwise**: an `atol` near 1/n accepts wrong results, and `atol = 0` refuses a float16 output that was correctly
# rounded to 0.
#
# *An honest aside*: n is not needed here. Could `atol` be a fixed fraction of 1/n? In float32 the fraction would have
# to be below a thousandth. In float16, for the longest rows, a thousandth of 1/n is less than half the distance between neighbouring subnormal
# numbers. So no single fraction is right for both dtypes.
#
# </details>

# %% [markdown]
# PyTorch's own test function, [`assert_close`](https://docs.pytorch.org/docs/stable/testing.html), has a tolerance for
# each dtype, and raises an error when two tensors differ by more. Does it notice a result that is all zeros?

# %%
flat = torch.softmax(torch.zeros(1, 131072), dim=1).half()
torch.testing.assert_close(torch.zeros_like(flat), flat)
print("accepted; the outputs are", f"{flat[0, 0].item():.1e}", "each")

# %% [markdown]
# `assert_close` is made for numbers of about 1. Does PyTorch's softmax in half precision pass with *your* tolerance?

# %%
for dtype in (torch.float16, torch.bfloat16):
    x = torch.randn(4, 4096, device=where).to(dtype)
    rtol, atol = tolerance(dtype, 4096)
    want = torch.softmax(x.double(), dim=1)
    print(dtype, torch.allclose(torch.softmax(x, dim=1).double(), want, rtol=rtol, atol=atol))

# %% [markdown]
# ## Entries that take no part
#
# In attention, a word may look only at some of the other words. The scores come with a matrix `keep` of 1 and 0: an
# entry with 0 takes no part, and its output is 0. In PyTorch:

# %%
inf = float("inf")
x = torch.tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 10000.0], [1.0, 2.0, 3.0]])
keep = torch.tensor([[1, 1, 1], [1, 1, 0], [0, 0, 0]], dtype=torch.int8)
torch.softmax(x.masked_fill(keep == 0, -inf), dim=1)

# %% [markdown]
# In row 1 (counted from 0), the dropped 10000 does not change the result. Row 2 keeps no entry, so it has no softmax,
# and the answer is a choice. **Our choice is PyTorch's: such a row is NaN everywhere.** The same holds where every kept
# entry is -inf.
#
# NaN is easy to notice. Zeros, or equal shares, look like a normal result.

# %% [markdown]
# ## Select, do not multiply
#
# Multiplying an entry by 0 looks like a natural way to drop it. But a dropped entry may hold any value, even `inf`:

# %%
torch.tensor([5.0, inf]) * torch.tensor([0.0, 0.0]), torch.where(torch.tensor([False, False]), torch.tensor([5.0, inf]), -inf)

# %% [markdown]
# In a kernel, `tl.where(condition, a, b)` does the same as `torch.where`: in each lane it takes `a` or `b`, and does
# not compute with them.

# %% [markdown]
# ## Your turn: 7.3
#
# Write the softmax over the kept entries, in float32. `keep` is a matrix of int8 with its own row stride. Dropped
# entries may hold huge values, `inf` or NaN. A kept NaN makes the kept entries of its row NaN, as in PyTorch. The dropped entries of such a row may be 0 or NaN. Each element of `x` may be
# read at most once.
#
# A kernel cannot use a variable of the notebook, such as the `inf` above: write the value itself.
#
# As in 5.1, the matrices may be of any size: a row may begin beyond element 2^31.
#
# Before you write it: before which step must a dropped entry be replaced?

# %%
@triton.jit
def masked_softmax_kernel(
    y_ptr, x_ptr, keep_ptr, y_row_stride, x_row_stride, keep_row_stride, n_cols, BLOCK: tl.constexpr
):
    """Softmax of the entries of row program_id(0) where keep is 1; 0 where it is 0. A row that keeps nothing above -inf is NaN."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Load the row and its keep, and give dropped entries the value of a masked lane (about 3 lines).
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    keep = tl.load(keep_ptr + row * keep_row_stride + cols, mask=mask, other=0)
    x = tl.where(keep != 0, x, -float("inf"))
    ### END SOLUTION
    # Softmax and store, as in lesson 05 (about 5 lines).
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
# **-inf before the maximum**: -inf is never above any other value, and its `exp` is 0. If an entry of 10000 is
# dropped only after `exp`, it has already been the maximum, and the exponentials of all kept entries are 0.
#
# **A row that keeps nothing**: -inf minus -inf is NaN, so our choice needs no extra line. With a finite value such as
# -1e9 in place of -inf, all entries of the row get equal shares.
#
# **Fewer reads**: if `keep` is a part of the mask of the load of `x`, dropped entries are not loaded. A GPU fetches
# whole sectors of 32 bytes. So this saves little if kept entries stand among the dropped ones. The check does not
# count the reads of `keep` itself.
#
# *An honest aside*: NaN is only one choice. Some attention kernels store zeros in such a row, so that one empty row
# does not make the gradients of a whole batch NaN. Document which of the two your function does, and test it.
#
# </details>

# %% [markdown]
# Here are the three rows from above, computed by your kernel:

# %%
x, keep = x.to(where), keep.to(where)
y = torch.empty_like(x)
masked_softmax_kernel[(3,)](y, x, keep, y.stride(0), x.stride(0), keep.stride(0), 3, BLOCK=4)
[[round(v, 3) for v in row] for row in y.tolist()]

# %% [markdown]
# ## What to read
#
# - Rounding, eps and subnormal numbers: David Goldberg, [*What Every Computer Scientist Should Know About
#   Floating-Point Arithmetic*](https://docs.oracle.com/cd/E19957-01/806-3568/ncg_goldberg.html) (1991).
# - Limits of each dtype: [`torch.finfo`](https://docs.pytorch.org/docs/stable/type_info.html).
# - Training in half precision: Paulius Micikevicius and others, [*Mixed Precision
#   Training*](https://arxiv.org/abs/1710.03740) (2017).
# - bfloat16: Dhiraj Kalamkar and others, [*A Study of BFLOAT16 for Deep Learning
#   Training*](https://arxiv.org/abs/1905.12322) (2019).

# %%
progress()

# %% [markdown]
# **Next: [08 · Online softmax](08_online_softmax.ipynb).** What if a row is longer than a block?
