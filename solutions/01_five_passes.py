# %% [markdown]
# # 01 · Five passes
#
# Softmax turns a row of numbers into shares that sum to 1. Written line by line in PyTorch, it goes over the whole
# matrix five times: five **passes**. Here you write the five passes, count the elements that each of them moves, and
# see why you cannot leave out the first one.
#
# *About 45 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
from grader.draw import hierarchy
import torch

# %% [markdown]
# ## The definition
#
# For one row: $\mathrm{softmax}(x)_j = e^{x_j} / \sum_k e^{x_k}$. A larger number gets a larger share.

# %%
row = torch.tensor([1.0, 2.0, 3.0])
shares = torch.exp(row) / torch.exp(row).sum()
[round(s, 3) for s in shares.tolist()]

# %% [markdown]
# ## It breaks
#
# Here is the same formula for a row of larger numbers. What do you expect?

# %%
row = torch.tensor([100.0, 200.0, 300.0])
torch.exp(row) / torch.exp(row).sum()

# %% [markdown]
# Step by step: each of the three exponentials is larger than the largest float32 number, so `exp` gives `inf`. Then `inf / inf` is
# `nan`.

# %%
torch.exp(row), torch.exp(row).sum()

# %% [markdown]
# ## A shift changes nothing
#
# $e^{x-c} = e^x / e^c$. So if you subtract a number $c$ from all values of a row, the factor $e^c$ cancels in the
# division. With which $c$ is every exponent at most 0, so that `exp` is never more than 1?

# %%
small = torch.tensor([1.0, 2.0, 3.0])
for c in (0.0, 3.0, -50.0):
    e = torch.exp(small - c)
    print(f"c = {c:5}:", [round(s, 3) for s in (e / e.sum()).tolist()])

# %% [markdown]
# ## One number for each row
#
# `amin` finds the smallest number, `amax` the largest one, and `sum` adds. With `dim=1`, each of them works along the
# rows and gives one number for each row. Here is `amin`, without and with `keepdim=True`. How do the two shapes differ?

# %%
table = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 9.0]])
without = table.amin(dim=1)
kept = table.amin(dim=1, keepdim=True)
print("shape of the table:    ", tuple(table.shape))
print("without keepdim:       ", tuple(without.shape), without.tolist())
print("with keepdim=True:     ", tuple(kept.shape), kept.tolist())

# %% [markdown]
# The numbers are the same. With `keepdim=True`, the result keeps both dimensions: it is a matrix with one column.

# %% [markdown]
# ## Your turn: 1.1
#
# The five passes, in this order: the row maximum, the difference, the exponential, the row sum, the quotient. Write one
# PyTorch operation on each line, so that we can see how much each of them moves.
#
# A matrix has M rows, and each row has its own maximum. Think about the shapes.
#
# Before you run it, predict: how many of the five lines read a whole matrix, and how many write one? The check counts
# this, too. It shows two numbers with "of" between them: how much your answer moved, and the **budget**, which is how
# much five passes should move for a matrix of this shape.

# %%
def naive_softmax(x):
    """Softmax of each row of x (M×N, float32) in five passes: max, subtract, exp, sum, divide."""
    # Five lines, one operation each.
    ### BEGIN SOLUTION
    row_max = x.amax(dim=1, keepdim=True)
    shifted = x - row_max
    numerator = torch.exp(shifted)
    denominator = numerator.sum(dim=1, keepdim=True)
    return numerator / denominator
    ### END SOLUTION

# %%
check("1.1")

# %% [markdown]
# <details><summary>Each line, and what goes wrong without it</summary>
#
# **Row maximum** (`amax`, `dim=1`): the largest exponent becomes exactly 0. One maximum for the *whole* matrix is not
# enough: if all values of a row are far below that maximum, all its exponentials become 0, and 0 / 0 is `nan`.
#
# **Difference**: `keepdim=True` gives the shape M×1, which PyTorch repeats along each row
# ([broadcasting](https://docs.pytorch.org/docs/stable/notes/broadcasting.html)). Without it, PyTorch matches the M
# maxima with the N *columns*. Where M and N differ, this mostly ends in an error. Where they are equal, there is no
# error, but the numbers are wrong.
#
# **Exponential**: all values now lie between 0 and 1.
#
# **Row sum**: at least 1, because the largest term is $e^0 = 1$. So the division never divides by 0.
#
# **Quotient**: without it, rows do not sum to 1.
#
# *An honest aside*: `x.max(dim=1, keepdim=True)` returns two tensors, the maxima and their positions. Its `.values`
# holds the same numbers as `amax`. The positions are M integers that you do not need. `max` writes them as well, and
# the check does not count them. A `print(x.max())` for debugging is one more pass over the matrix, and the check
# counts it.
#
# </details>

# %% [markdown]
# ## What does it move?
#
# `traffic` shows the same count line by line, for a matrix of 64 rows and 32 columns. This list is called the
# **ledger**. Was your prediction right?

# %%
x = torch.randn(64, 32)
traffic(naive_softmax, x)

# %% [markdown]
# ## Where is each number?
#
# A GPU computes in its **multiprocessors**, parts that work independently of each other. It has several memories. Those
# near the arithmetic are small and fast, and those further away are large and slow:
#
# - a **register** holds one number, right beside the arithmetic of a multiprocessor;
# - **shared memory** is a small storage inside each multiprocessor;
# - the **L2 cache** keeps the numbers that were used last, for all multiprocessors;
# - the card's **memory** holds your tensors.

# %% [markdown]
# `hierarchy` draws them for one card, an H200. It also shows which tensors each of your lines reads from memory and
# writes to it. (Lesson 03 explains the words *thread* and *program* in the table.) Where is the result of the second
# line before the third line begins?

# %%
hierarchy(naive_softmax, x)

# %% [markdown]
# The result is in the card's memory, which is furthest from the arithmetic. Each of your lines is a kernel of its
# own, and registers and shared memory keep nothing from one kernel to the next. So each line writes its result to
# memory, and each later line that needs this result reads it from memory. (The L2 cache may still have a copy. It has room for a small result such as this one, but not for a large one. Lesson 02 says more about caches.) Two lines read
# the result of the same earlier line. Which line is it?

# %% [markdown]
# ## Your turn: 1.2
#
# Write the count as a formula. Count *elements*, exactly. The maximum and the sum are vectors of M elements: count them
# as well, when they are written and when they are read again.

# %%
def naive_traffic(m, n):
    """(elements read, elements written) by the five passes on an m×n matrix."""
    # Two whole numbers, each of the form a * m * n + b * m.
    ### BEGIN SOLUTION
    read = 5 * m * n + 2 * m
    written = 3 * m * n + 2 * m
    return read, written
    ### END SOLUTION

# %%
check("1.2")

# %% [markdown]
# <details><summary>Line by line</summary>
#
# | pass | reads | writes |
# |---|---|---|
# | max | MN | M |
# | subtract | MN + M | MN |
# | exp | MN | MN |
# | sum | MN | M |
# | divide | MN + M | MN |
# | in all | 5MN + 2M | 3MN + 2M |
#
# **Why exact**: with a budget that is only nearly right, a check could accept a kernel that moves a little too much.
#
# **The result that two lines read** is the matrix of exponentials: the sum reads it, and the division reads it again.
#
# **A common error**: some texts give 7MN for the reads. That number counts the two vectors as if they were whole matrices.
#
# </details>

# %% [markdown]
# Here is your formula for the matrix above. Compare the numbers with the last lines of the ledger.

# %%
m, n = x.shape
read, written = naive_traffic(m, n)
print(f"{read:,} elements read, {written:,} written; in bytes: {4 * read:,} and {4 * written:,}")

# %% [markdown]
# ## Your turn: 1.3
#
# From which number on does `exp` overflow? Find the smallest **integer** whose exponential is `inf`, in float32 and in
# float16. Experiment in this cell as much as you like:

# %%
for k in (50, 80, 100):
    print(k, torch.exp(torch.tensor(float(k), dtype=torch.float32)).item())

# %%
# A dictionary with the keys "float32" and "float16".
### BEGIN SOLUTION
overflow_at = {"float32": 89, "float16": 12}
### END SOLUTION

# %%
check("1.3")

# %% [markdown]
# <details><summary>Where the border comes from</summary>
#
# **The border**: `exp` overflows above the logarithm of the largest number of the dtype. The next cell computes that
# logarithm for both dtypes.
#
# **Why it matters**: 12 is not a large number, and in float16 a softmax without the shift already fails on it.
#
# **A common error**: one often reads that `exp(50)` overflows. You have just printed `exp(50)` in float32.
#
# </details>

# %%
for dtype in (torch.float32, torch.float16):
    largest = torch.finfo(dtype).max
    print(f"{dtype} ends at {largest}, whose logarithm is {torch.tensor(largest).double().log().item():.2f}")

# %% [markdown]
# ## What to read
#
# - The operations of the five lines: [`torch.amax`](https://docs.pytorch.org/docs/stable/generated/torch.amax.html),
#   [`torch.sum`](https://docs.pytorch.org/docs/stable/generated/torch.sum.html),
#   [broadcasting](https://docs.pytorch.org/docs/stable/notes/broadcasting.html).
# - Where floating-point numbers end: David Goldberg, [*What Every Computer Scientist Should Know About Floating-Point
#   Arithmetic*](https://docs.oracle.com/cd/E19957-01/806-3568/ncg_goldberg.html) (1991).
# - Softmax without overflow: Pierre Blanchard, Desmond Higham and Nicholas Higham, [*Accurately computing the
#   log-sum-exp and softmax functions*](https://doi.org/10.1093/imanum/draa038) (2021).

# %%
progress()

# %% [markdown]
# **Next: [02 · Bytes, not flops](02_bytes_not_flops.ipynb).** How much of all this moving is needed, and how much
# time does it take?
