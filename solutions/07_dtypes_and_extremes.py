# %% [markdown]
# # 07 · Dtypes and extremes
#
# Most of the time is spent on moving bytes. A number in half precision has half the bytes, but it overflows earlier,
# and it has fewer digits. A test that is not made for it may accept wrong results. At the end of this lesson you have a
# kernel for half precision, a tolerance with a reason for each number, and a softmax that leaves entries out.
#
# *About 90 minutes, and 75 more for the open exercise at its end. No GPU needed.*

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
# Write one kernel for float16 and bfloat16: the softmax of `SCALE * x`, row by row. Attention (lesson 13) scales its numbers
# like that. `SCALE` is a constant of the compiled kernel, like `BLOCK`: a positive Python number. So a product of `SCALE` and a
# block has the dtype of the block.

# %% [markdown]
# Input and output have the same dtype. Compute in float32 between the load and the store, so that each value is rounded only
# once, at the end. The check compares relative errors, so it notices a second rounding.
#
# `tl.softmax` is not allowed in 7.1 and 7.3. The kernel has no parameter for the dtype of the output, but the pointer
# knows the dtype: `y_ptr.dtype` is the type of an address, and `y_ptr.dtype.element_ty` is the dtype of the elements
# there. A plain store converts its values to that dtype by itself, as above. So you need this name only if you want to
# write the cast yourself.

# %% [markdown]
# As in 5.1, the matrices may be of any size: a row may begin beyond element 2^31.

# %%
@triton.jit
def half_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, SCALE: tl.constexpr, BLOCK: tl.constexpr
):
    """Softmax of SCALE times row program_id(0), float16 or bfloat16 in and out, computed in float32.

    BLOCK is at least n_cols.
    """
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Load the row, and cast it before anything else happens to it (1 or 2 lines).
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    ### END SOLUTION
    # The product with SCALE, the softmax of lesson 05, and its store (about 6 lines).
    ### BEGIN SOLUTION
    x = x * SCALE
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
# **The cast, right after the load**: *otherwise* the product with `SCALE` is rounded to half precision, and `exp` turns the
# absolute error of its argument into a relative error of the result. Also, `tl.exp` does not take half precision.
#
# **The pad**: -inf exists in every dtype. The lowest finite float16 is not a good pad, because a row can hold that
# value.
#
# **The store** rounds once, to the dtype that `y_ptr` points at. If the numerator is rounded before the division, there
# are two roundings.
#
# *An honest aside*: `tl.exp(SCALE * (x - row_max))` passes this check without a cast, because `tl.max` returns float32, and
# then the difference is float32, too, and so is its product. Few functions do that. With the cast right after the load, nobody
# has to know it.
#
# </details>

# %% [markdown]
# Here is a function that launches it, on rows of 781 random numbers, with a scale of 0.7. The error is relative, compared with float64:

# %% tags=["nbval-ignore-output"]
def half_softmax(x, scale=1.0):
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    half_softmax_kernel[(n_rows,)](y, x, y.stride(0), x.stride(0), n_cols, SCALE=scale, BLOCK=block)
    return y


for dtype in (torch.float16, torch.bfloat16):
    x = torch.randn(8, 781, device=where).to(dtype)
    want = torch.softmax(0.7 * x.double(), dim=1)
    normal = want > torch.finfo(dtype).smallest_normal
    error = ((half_softmax(x, 0.7).double() - want).abs() / want)[normal].max().item()
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
print(f"accepted; each output is {flat[0, 0].item():.1e}")

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
# ## Who checks a kernel of your own?
#
# *From here to the end of the lesson is an open exercise, without points.*
#
# So far a cell gave you the first lines of a kernel, and a check knew the answer. For a kernel of your own there is
# neither. But there is an **audit**. It takes a function that launches Triton kernels, a function that is right, and
# inputs. From these inputs it makes about forty cases: other sizes, other dtypes, views, large and small numbers. It
# compares the results of each case with float64, and watches every load and store.

# %% [markdown]
# `half_softmax` launches your kernel of 7.1. Is it right for every matrix? Here is its audit. `gpus=()` leaves out what the
# compiler makes of the kernel.

# %% tags=["nbval-ignore-output"]
from grader import audit

report = audit(half_softmax, lambda x: torch.softmax(x, dim=1), torch.randn(4, 300).half(), gpus=())
report

# %% [markdown]
# If your kernel passed 7.1, there is one fault, and it is not in the kernel. A fault has three parts:
#
# 1. **What is wrong**: an access, an element that was never stored, or a number, with the error that is allowed. Nobody chose
#    that error: it follows from the dtype and from the length of the sums.
# 2. **Where**: the line of the kernel that did it.
# 3. **With** which inputs: the smallest case that shows it. Read this part first.
#
# In which lesson did you meet this case? What did the function do there, before it launched the kernel?

# %%
def mended(x):
    return half_softmax(x.contiguous())


bool(audit(mended, lambda x: torch.softmax(x, dim=1), torch.randn(4, 300).half(), gpus=()))

# %% [markdown]
# With the `x.contiguous()` of 5.2 there is no fault. A report without a fault is true, so a test of a kernel is one
# line: `assert audit(...)`.
#
# The last lines of a report are no faults, but read them, too. They say which cases the function **refuses** with an
# error, whether its dtypes are others than those of the reference, and what was **not looked at**.

# %% [markdown]
# ## Your turn: from an empty cell
#
# Most language models of today have an **RMSNorm** before each attention. It divides each row by the root of its mean square, and
# multiplies the result by a vector of weights, which all rows share:
#
# $$y_{ij} = \frac{x_{ij}}{\sqrt{\frac{1}{N}\sum_k x_{ik}^2 + \text{eps}}} \, w_j$$
#
# eps is a small number. It decides what happens to a row of zeros.

# %% [markdown]
# Write `rms_norm(x, w)`, and the kernel that it launches, with eps = 1e-6:
#
# - `x` is a matrix in float32, float16 or bfloat16, with any strides, such as a transposed view. It may have no rows.
# - `w` is a vector in the same dtype, with one number for each column.
# - The result is a new tensor, of the size and dtype of `x`.
# - One program computes one row, in float32, and reads each element of `x` once.

# %% [markdown]
# Two things are new. `tl.rsqrt(v)` is $1/\sqrt{v}$. And a vector that all rows share has no row stride. Nothing else is
# given: look back at 5.2 and 7.1 if you need to. Before you write it: what does a masked lane have to hold here?

# %% tags=["open"]
# The kernel, and the function that launches it.
### BEGIN SOLUTION
@triton.jit
def rms_norm_kernel(y_ptr, x_ptr, w_ptr, y_row_stride, x_row_stride, n_cols, eps, BLOCK: tl.constexpr):
    """RMSNorm of row program_id(0), computed in float32. w has n_cols elements. BLOCK is at least n_cols."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # A masked lane must add nothing to the sum of squares.
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)  # the same addresses in every program
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    tl.store(y_ptr + row * y_row_stride + cols, x * rstd * w, mask=mask)


def rms_norm(x, w, eps=1e-6):
    """RMSNorm of each row of x (M×N, float32, float16 or bfloat16), times w (N), as a new tensor."""
    if x.stride(1) != 1:
        x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(n_cols)
    rms_norm_kernel[(n_rows,)](y, x, w, y.stride(0), x.stride(0), n_cols, eps, BLOCK=block)
    return y
### END SOLUTION

# %% [markdown]
# The judge is PyTorch, in float64. Without `gpus=()`, Triton's compiler also says what it makes of your kernel, for three
# GPUs that need not be here. Lesson 10 explains this table.

# %% tags=["nbval-ignore-output"]
def rms_norm_of_torch(x, w):
    return torch.nn.functional.rms_norm(x, w.shape, w, 1e-6)


report_of_norm = audit(rms_norm, rms_norm_of_torch, torch.randn(4, 300), torch.randn(300))
report_of_norm

# %%
bool(report_of_norm)

# %% [markdown]
# ## How many MN is a shared vector?
#
# `x` has MN elements, and `w` has only N. How many MN will the ledger say that your function reads?

# %%
traffic(rms_norm, torch.randn(64, 781, device=where), torch.randn(781, device=where))

# %% [markdown]
# 2 MN. The ledger counts what programs ask for, and each of the M programs asks for all N elements of `w`. The report of the
# audit says the same in bytes: with four rows, `w` was read four times.
#
# Memory itself delivers less. `w` is small: once the first programs have loaded it, it is in the L2 cache, and the others
# get it from there. So the time depends on what memory has to move at least:

# %%
m, n = 4096, 4096
asked, least = 3 * m * n, 2 * m * n + n
print(f"asked for: {asked / (m * n):.4f} MN, at least: {least / (m * n):.4f} MN, w: {4 * n / 1024:.0f} KiB")

# %% [markdown]
# `x` once, `y` once: the floor of an RMSNorm is that of a softmax, and the weights hardly count.

# %% [markdown]
# ## Does your audit see mistakes?
#
# In lesson 06, a test was worth as much as the wrong kernels that it refuses. Here are four mistakes that people make in an
# RMSNorm:
#
# - eps is added outside of the root;
# - the mean is taken over BLOCK lanes, not over N elements;
# - the row's offset is added to `w_ptr`, too;
# - the squares are added in half precision.
#
# A test with a few random numbers in float32 does not see two of them. Which two?
#
# Make one of the mistakes in a copy of your kernel. Which part of the report will tell it, *numbers* or *memory*, and with
# which inputs? Then audit it.

# %% tags=["open", "nbval-ignore-output"]
# A kernel with a mistake, the function that launches it, and its audit.
### BEGIN SOLUTION
@triton.jit
def wrong_kernel(
    y_ptr, x_ptr, w_ptr, y_row_stride, x_row_stride, n_cols, eps, MISTAKE: tl.constexpr, BLOCK: tl.constexpr
):
    """As rms_norm_kernel, with one of the four mistakes: eps, mean, stride, half."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=0.0)
    w_ptr += row * x_row_stride if MISTAKE == "stride" else 0
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    squares = tl.sum(x * x if MISTAKE == "half" else x.to(tl.float32) * x.to(tl.float32), axis=0).to(tl.float32)
    mean = squares / (BLOCK if MISTAKE == "mean" else n_cols)
    rstd = 1 / (tl.sqrt(mean) + eps) if MISTAKE == "eps" else tl.rsqrt(mean + eps)
    tl.store(y_ptr + row * y_row_stride + cols, x.to(tl.float32) * rstd * w, mask=mask)


def wrong(x, w, mistake):
    """RMSNorm with a mistake."""
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.shape[1]
    block = triton.next_power_of_2(n)
    wrong_kernel[(x.shape[0],)](y, x, w, y.stride(0), x.stride(0), n, 1e-6, MISTAKE=mistake, BLOCK=block)
    return y


for mistake, section in {"eps": "numbers", "mean": "numbers", "stride": "memory", "half": "numbers"}.items():
    report = audit(lambda x, w: wrong(x, w, mistake), rms_norm_of_torch, torch.randn(4, 300), torch.randn(300), gpus=())
    assert {fault.section for fault in report.faults} == {section}
    print(f"{mistake}: {report.faults[0].sentence}")
    print(f"    with {report.faults[0].case}\n")
### END SOLUTION

# %% [markdown]
# <details><summary>Which case shows which mistake</summary>
#
# **eps outside of the root**: *numbers*, where the squares are about as small as eps: with numbers near 0.001, or in a row of
# one small number. Beside the squares of ordinary numbers, eps is too small to be seen. So longer rows of random numbers
# hide this mistake.
#
# **The mean over BLOCK**: *numbers*, for every row whose length is no power of two.
#
# **The row's offset in `w_ptr`**: *memory*. Program 1 loads behind the last element of `w`. Only a matrix of one row
# hides it.
#
# **Squares in half precision**: *numbers*, in float16, where the sum passes 65504. A test in float32 cannot see
# it. For bfloat16, the report says under *not looked at* that the kernel computes with bfloat16.
#
# *An honest aside*: no fault in forty cases is no proof. An audit sees only what reaches the kernel. If a function copies every
# `x` first, then no row begins beyond element 2^31, and nobody notices an offset of 32 bits.
#
# </details>

# %% [markdown]
# ## One step further: the gradient of the weights
#
# *This is harder. Allow yourself half an hour.*
#
# In training, `w` is learned. Let `dy` be the gradient of `y`. All rows share `w`, so its gradient is a sum over all rows:
#
# $$dw_j = \sum_i dy_{ij} \, \frac{x_{ij}}{\sqrt{\frac{1}{N}\sum_k x_{ik}^2 + \text{eps}}}$$
#
# Each row had a program of its own, and now every row adds to the same N numbers. What is wrong if two programs store
# the same element (lesson 03)?

# %% [markdown]
# Write `weight_gradient(x, dy)`, with as many kernels as you like:
#
# - `x` and `dy` are matrices of the same size and dtype, as `x` above. eps is 1e-6.
# - The result is a vector in this dtype, with one number for each column. If there are no rows, all of them are 0.
#
# No new function is needed. A program may also take a column.

# %% tags=["open"]
# The kernels, and the function that launches them.
### BEGIN SOLUTION
@triton.jit
def rstd_kernel(rstd_ptr, x_ptr, x_row_stride, n_cols, eps, BLOCK: tl.constexpr):
    """What row program_id(0) is multiplied by, in float32: a number for each row."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    tl.store(rstd_ptr + row, tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps))


@triton.jit
def weight_gradient_kernel(dw_ptr, dy_ptr, x_ptr, rstd_ptr, dy_row_stride, x_row_stride, n_rows, BLOCK: tl.constexpr):
    """The sum of column program_id(0): no other program stores its element. BLOCK is at least n_rows."""
    col = tl.program_id(0)
    rows = tl.arange(0, BLOCK).to(tl.int64)
    mask = rows < n_rows
    dy = tl.load(dy_ptr + rows * dy_row_stride + col, mask=mask, other=0.0).to(tl.float32)
    x = tl.load(x_ptr + rows * x_row_stride + col, mask=mask, other=0.0).to(tl.float32)
    rstd = tl.load(rstd_ptr + rows, mask=mask, other=0.0)
    tl.store(dw_ptr + col, tl.sum(dy * x * rstd, axis=0))


def weight_gradient(x, dy, eps=1e-6):
    """The gradient of w in rms_norm(x, w), for the gradient dy of its result; both M×N."""
    x = x if x.stride(1) == 1 else x.contiguous()
    dy = dy if dy.stride(1) == 1 else dy.contiguous()
    n_rows, n_cols = x.shape
    rstd = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    dw = torch.empty(n_cols, dtype=x.dtype, device=x.device)
    rstd_kernel[(n_rows,)](rstd, x, x.stride(0), n_cols, eps, BLOCK=triton.next_power_of_2(n_cols))
    block = triton.next_power_of_2(max(n_rows, 1))  # a block has one lane at least
    weight_gradient_kernel[(n_cols,)](dw, dy, x, rstd, dy.stride(0), x.stride(0), n_rows, BLOCK=block)
    return dw
### END SOLUTION

# %% tags=["nbval-ignore-output"]
def weight_gradient_of_torch(x, dy):
    return (dy * torch.nn.functional.rms_norm(x, x.shape[1:], None, 1e-6)).sum(dim=0)


report_of_gradient = audit(weight_gradient, weight_gradient_of_torch, torch.randn(40, 30), torch.randn(40, 30), gpus=())
report_of_gradient

# %%
bool(report_of_gradient)

# %% [markdown]
# Try the data race, too: the program of each row loads all of `dw`, adds its part, and stores it. Are these numbers wrong, if
# programs run one after the other? What does the audit say?

# %% tags=["open", "nbval-ignore-output"]
# A kernel with a race, the function that launches it, and its audit.
### BEGIN SOLUTION
@triton.jit
def racing_kernel(dw_ptr, dy_ptr, x_ptr, rstd_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    """Row program_id(0) adds its part to dw, which all programs share."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    dy = tl.load(dy_ptr + row * row_stride + cols, mask=mask, other=0.0).to(tl.float32)
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask, other=0.0).to(tl.float32)
    before = tl.load(dw_ptr + cols, mask=mask, other=0.0)
    tl.store(dw_ptr + cols, before + dy * x * tl.load(rstd_ptr + row), mask=mask)


def racing_gradient(x, dy):
    """The gradient of w, if the programs happen to run one after the other."""
    x, dy = x.contiguous(), dy.contiguous()
    rstd = torch.rsqrt(x.float().square().mean(dim=1) + 1e-6)
    dw = torch.zeros(x.shape[1], device=x.device)
    block = triton.next_power_of_2(x.shape[1])
    racing_kernel[(x.shape[0],)](dw, dy, x, rstd, x.stride(0), x.shape[1], BLOCK=block)
    return dw.to(x.dtype)


report = audit(racing_gradient, weight_gradient_of_torch, torch.randn(40, 30), torch.randn(40, 30), gpus=())
assert {fault.section for fault in report.faults} == {"order"}
report
### END SOLUTION

# %% [markdown]
# <details><summary>One way to sum across programs</summary>
#
# **Two launches**: the first one stores one number for each row, the inverse of its root mean square. The second one reads it:
# all stores of a launch are done before the next one begins.
#
# **A program for each column**: its lanes are the rows, and no other program stores its element. So there is no race.
# `tl.atomic_add` would be right, too (lesson 03), with the last digits of the sums in the order of the programs.
#
# **The race**: the numbers are right here, and the report names the load and the store that meet, under *order*. On a
# GPU some of the sums may be lost.
#
# *An honest aside*: the kernel of columns is right, but not fast. Neighbouring lanes are a row apart, so its requests are not
# coalesced (lesson 03), and one block has to hold a whole column. A faster way: each program adds up several rows, stores its sum in a row of its own,
# and a second launch adds these rows. Lesson 09 divides work in this way. Lesson 11 is about gradients.
#
# </details>

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
# - RMSNorm: Biao Zhang and Rico Sennrich, [*Root Mean Square Layer
#   Normalization*](https://arxiv.org/abs/1910.07467) (2019), and
#   [`torch.nn.functional.rms_norm`](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.rms_norm.html).
# - Kernels of your own, in a notebook, in pytest and on GitHub: [`audit`](../docs/audit.md). Its example is an RMSNorm, so write yours first.

# %%
progress()

# %% [markdown]
# **Next: [08 · Online softmax](08_online_softmax.ipynb).** What if a row is longer than a block?
