# %% [markdown]
# # 01 · Five passes
#
# Softmax turns a row of numbers into shares that sum to 1. Written line by line in PyTorch it goes over the whole matrix
# five times: five **passes**. Here you write them, count what each one moves, and see why the first of them is not
# optional.
#
# *About 35 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, traffic
from grader.draw import hierarchy
import torch

# %% [markdown]
# ## The definition
#
# For one row: $\mathrm{softmax}(x)_j = e^{x_j} / \sum_k e^{x_k}$. Bigger numbers get bigger shares.

# %%
row = torch.tensor([1.0, 2.0, 3.0])
shares = torch.exp(row) / torch.exp(row).sum()
[round(s, 3) for s in shares.tolist()]

# %% [markdown]
# ## It breaks
#
# The same formula on a row that is merely larger. What do you expect?

# %%
row = torch.tensor([100.0, 200.0, 300.0])
torch.exp(row) / torch.exp(row).sum()

# %% [markdown]
# Step by step: `exp` went past the largest number that float32 holds and gave `inf`; then `inf / inf` is `nan`.

# %%
torch.exp(row), torch.exp(row).sum()

# %% [markdown]
# ## A shift changes nothing
#
# $e^{x-c} = e^x / e^c$, so subtracting any number $c$ from a whole row cancels in the division. Which $c$ makes every
# exponent at most 0, so that `exp` never exceeds 1?

# %%
small = torch.tensor([1.0, 2.0, 3.0])
for c in (0.0, 3.0, -50.0):
    e = torch.exp(small - c)
    print(f"c = {c:5}:", [round(s, 3) for s in (e / e.sum()).tolist()])

# %% [markdown]
# ## Your turn: 1.1
#
# The five passes, in this order: the row maximum, the difference, the exponential, the row sum, the quotient. One
# PyTorch operation a line, so that we can see what each costs.
#
# A matrix has M rows, and each row has its own maximum: mind the shapes.
#
# Before you run it, predict: how many of the five lines read the whole matrix, and how many write one? The check counts
# them too. It shows what you moved and, after "of", the **budget**: what five passes should move.

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
# enough: a row far below it becomes all zeros.
#
# **Difference**: `keepdim=True` gives M×1, which spreads along each row. Without it the M maxima line up with the
# *columns*: an error, or for a square matrix wrong numbers.
#
# **Exponential**: all values now lie between 0 and 1.
#
# **Row sum**: at least 1, because the largest term is $e^0 = 1$. The division is always safe.
#
# **Quotient**: without it, rows do not sum to 1.
#
# *An honest aside*: `x.max(dim=1)` also works. It writes the positions of the maxima as well, M integers that nobody
# reads; budgets leave them out. A `print(x.max())` you add for debugging is a pass like any other, and counts.
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
# The ideal is to read the matrix once and write the result once: 2 MN together. You moved about four times that, with
# the same arithmetic.

# %% [markdown]
# ## Where is each number?
#
# A GPU has several memories. Beside the arithmetic they are small and fast, further away large and slow. `hierarchy`
# draws those of one card, an H200, and the tensors that each of your lines finds in the lowest one. Where is the result
# of the second line before the third begins?

# %%
hierarchy(naive_softmax, x)

# %% [markdown]
# It is in the card's **memory**, the furthest from the arithmetic. Every operation has to leave its result there: the
# next one is a program of its own, and **registers** and **shared memory** keep nothing from one to the next. So a number
# goes down and up again between any two of your lines.

# %% [markdown]
# ## Your turn: 1.2
#
# Say it as a formula. Count *elements*, exactly. The maximum and the sum are vectors of M elements: they cost something
# too, when they are written and when they are read again.

# %%
def naive_traffic(m, n):
    """(elements read, elements written) by the five passes on an m×n matrix."""
    # Two whole numbers of the shape a·m·n + b·m.
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
# **Why exactly**: a budget that is only nearly right cannot tell a kernel that reads its row twice from one that does
# not.
#
# **Otherwise**: 7MN is often quoted for the reads. It counts the two vectors as if they were whole matrices.
#
# </details>

# %% [markdown]
# Your formula, for the matrix above. Compare it with the ledger's last lines.

# %%
m, n = x.shape
read, written = naive_traffic(m, n)
print(f"{read:,} elements read, {written:,} written; in bytes: {4 * read:,} and {4 * written:,}")

# %% [markdown]
# ## Your turn: 1.3
#
# Where exactly is the border of `exp`? Find the smallest **integer** whose exponential is `inf`, in float32 and in
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
# **What**: exp overflows beyond the logarithm of the largest number. The next cell computes it for both dtypes.
#
# **Why it matters**: in float16 a value of 12 is nothing unusual; a softmax without the shift breaks on ordinary data.
#
# **Otherwise**: "exp(50) overflows" is a popular claim. You have just printed exp(50).
#
# </details>

# %%
for dtype in (torch.float32, torch.float16):
    largest = torch.finfo(dtype).max
    print(dtype, "ends at", largest, "whose logarithm is", round(torch.tensor(largest).double().log().item(), 2))

# %% [markdown]
# ## One operation that does it all
#
# PyTorch's own softmax is *one* operation. What does it move?

# %%
def library_softmax(x):
    return torch.softmax(x, dim=1)


traffic(library_softmax, x)

# %% [markdown]
# One read, one write, says the ledger. How does it know? `traffic` keeps books on operators: for each, it adds up the
# tensors that go in and those that come out. It does *not* look inside `_softmax`. It knows nothing of caches either: what
# one operation has just written, the next may find in the **L2 cache**, and it counts all the same.

# %%
hierarchy(library_softmax, x)

# %% [markdown]
# At least the books leave room for it: somebody wrote a kernel that keeps the row on the chip, right beside the
# arithmetic, from the first step to the last. You are about to write that kernel yourself. There `traffic` looks inside, at
# every load and every store.

# %%
progress()

# %% [markdown]
# **Next: [02 · Bytes, not flops](02_bytes_not_flops.ipynb).** Four times the bytes: is it four times the time?
