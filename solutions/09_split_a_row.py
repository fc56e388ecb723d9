# %% [markdown]
# # 09 · Split a row
#
# One program for each row is good if there are many rows. What if there is only one row, and it is long? In this lesson
# several programs share a row. One program cannot simply wait for another one. You will see why, and how to divide the
# work all the same.
#
# *About 95 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, trace, traffic
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## Few rows, idle GPU
#
# A GPU consists of **multiprocessors** (SMs), and each program runs on one of them. So a launch of 16 programs keeps at
# most 16 multiprocessors busy. Suppose that a softmax has one program for each row. Which share of a GPU is then busy?

# %%
multiprocessors = {"T4": 40, "A100": 108, "H200": 132}
for rows in (1, 16, 64, 1024):
    busy = (f"{card} {min(rows, n) / n:4.0%}" for card, n in multiprocessors.items())
    print(f"{rows:4} rows:  ", "   ".join(busy))

# %% [markdown]
# With one row, nearly all of an H200 has nothing to do, even if the row is long. This happens when a language model
# writes text. Each new word needs the softmax of one row: a hundred thousand numbers, one for each word that may come
# next.

# %% [markdown]
# ## Parts that can be put together
#
# So divide the row into **splits**, with one program for each split. A program then sees only its own split. Here is a
# row of two splits. The next cell prints the sum of `exp(x - m)` for each split, where `m` is the maximum of that split.
# Do these two sums together give the sum of the whole row?

# %%
left, right = torch.tensor([1.0, 2.0, 0.0, 1.0]), torch.tensor([5.0, 1.0, 4.0, 0.0])
sums = [torch.exp(part - part.max()).sum().item() for part in (left, right)]
row = torch.cat([left, right])
print("of the splits:", [round(s, 4) for s in sums], "together", round(sum(sums), 4))
print("of the row:   ", round(torch.exp(row - row.max()).sum().item(), 4))

# %% [markdown]
# No: each sum is relative to a different maximum. Your `merge` of lesson 08 needs two numbers of each part, its **state**: the
# maximum `m`, and the sum `d` relative to it. So every program stores two numbers, no matter how long its split is.

# %% [markdown]
# ## A grid of two dimensions
#
# A program has to know its row *and* its split. So the grid gets two numbers: how many rows, and how many splits. Then
# `tl.program_id(0)` is the row of a program, and `tl.program_id(1)` is its split. The order matters for tall matrices: axis 0
# of a grid can have [2^31 - 1 programs, and axis 1 only 65,535](https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#compute-capabilities).
# Here each program stores a number made of both:

# %%
@triton.jit
def who_am_i_kernel(y_ptr, n_splits):
    row, split = tl.program_id(0), tl.program_id(1)
    tl.store(y_ptr + row * n_splits + split, 10 * row + split)


y = torch.empty((2, 3), dtype=torch.int32, device=where)
who_am_i_kernel[(2, 3)](y, 3)
y

# %% [markdown]
# The program of row 1 and split 2 stored 12. Now divide 11 columns into 7 splits. Do all of them have the same length?

# %%
n_cols, n_splits = 11, 7
split_size = triton.cdiv(n_cols, n_splits)  # rounded up: otherwise no split has the end of the row
for split in range(n_splits):
    print(f"split {split}: columns", list(range(n_cols))[split * split_size : (split + 1) * split_size])

# %% [markdown]
# No: five splits are full, one is shorter, and the last one is **empty**. An empty split has no columns. Its state is
# `(-inf, 0)`, which changes nothing in a merge.

# %% [markdown]
# ## Your turn: 9.1
#
# Write the first walk of lesson 08 for one split. It takes one **tile** after the other, `BLOCK` columns each, and updates
# its state with each tile. Let $M$ be the larger one of $m$ and the maximum of the tile. Then $d$ becomes
# $d \cdot e^{m - M} + \sum e^{x - M}$, and $m$ becomes $M$. Each element is read once.
#
# The states are stored in two matrices, `m` and `d`. Each of them has a row for each row of `x`, and a column for each split.
# In each of the two matrices, the rows follow each other in memory without gaps.

# %% [markdown]
# As in 5.1, the matrices may be of any size: a row may begin beyond element 2^31.

# %% [markdown]
# There are three sizes: a row has `n_cols` columns, a split has `split_size` columns, and a tile has `BLOCK` columns.
# A split may be longer than `BLOCK`. Its length need not be a multiple of `BLOCK`. So a lane may load only if two
# conditions hold:
#
# 1. its column is **inside its split**;
# 2. its column is **inside the row**.
#
# Leave one of the conditions out. If a lane of a split then loads a wrong column, this split *needs* the condition. Which
# splits need condition 1? Which splits need condition 2? (The answer is folded away below the check.)

# %% [markdown]
# There is the same trap as in lesson 08: as long as all values are `-inf`, $M$ is `-inf` too, and `-inf - -inf` is
# NaN. There, `tl.where(condition, a, b)` helped: it gives `a` where the condition is true, and `b` elsewhere.

# %%
@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    """Store the state (m, d) of split program_id(1) of row program_id(0): its maximum, and the sum relative to it.

    m and d are matrices with n_splits columns. Split s begins at column s * split_size, and may end beyond the row.
    If a split has no number above -inf, its state is (-inf, 0).
    """
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, split_size, BLOCK):
        # Load the tile that begins `start` columns into the split (about 3 lines).
        ### BEGIN SOLUTION
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        ### END SOLUTION
        # Update the state, as in lesson 08 (about 4 lines).
        ### BEGIN SOLUTION
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
        ### END SOLUTION
    # Store the state (2 lines).
    ### BEGIN SOLUTION
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(d_ptr + row * n_splits + split, d)
    ### END SOLUTION

# %%
check("9.1")

# %% [markdown]
# <details><summary>What each line is for</summary>
#
# **1. Inside the split**: a split needs this condition if BLOCK does not divide its length, and columns of the row
# follow after it. Without `start + lanes < split_size`, its last tile also loads columns of the next split. Then the sum
# contains these columns twice.
#
# **2. Inside the row**: a split needs this condition if it ends beyond the row. There are two kinds of such splits:
# the empty splits, and the last split with columns, if it is shorter than the others. Without `cols < n_cols`, these
# splits load elements past the end of the row: those of the next rows, or memory past the end of the matrix.
#
# **The empty split**: every lane is masked, so the maximum stays `-inf`. `tl.where` avoids `-inf - -inf`.
#
# **`row * n_splits + split`**: with `split` alone, all rows store into the first row of the states.
#
# *Another style*: `range(begin, end, BLOCK)` with `end = tl.minimum(begin + split_size, n_cols)` needs only the condition
# `cols < end`.
#
# </details>

# %% [markdown]
# Here is your kernel on two rows of ten columns. Each row has two splits of five columns, and a tile has four. So each
# split has two tiles, and most lanes of its second tile are masked. A program is named by its place in the grid, row
# first. Every element is read by one program, and every state is stored by one program. The buttons step through the
# programs:

# %%
x = torch.arange(20.0, device=where).reshape(2, 10)
m, d = (torch.zeros(2, 2, device=where) for _ in range(2))
trace(partial_kernel, m, d, x, x.stride(0), 10, 2, 5, BLOCK=4, grid=(2, 2))

# %% [markdown]
# ## Who puts them together?
#
# Each program stores its state. Who merges them? Can the last program of each row do it, in the same launch? Here is a
# kernel that tries this for a sum: each program sums a block and stores its sum. Then the last program adds up all sums
# that were stored.

# %%
@triton.jit
def hopeful_kernel(total_ptr, part_ptr, x_ptr, n_parts, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    tl.store(part_ptr + part, tl.sum(tl.load(x_ptr + part * BLOCK + lanes), axis=0))
    if part == n_parts - 1:
        parts = tl.load(part_ptr + lanes, mask=lanes < n_parts, other=0.0)
        tl.store(total_ptr, tl.sum(parts, axis=0))


ones, nan = torch.ones(12, device=where), float("nan")
total, parts = torch.full((1,), nan, device=where), torch.full((3,), nan, device=where)
picture = trace(hopeful_kernel, total, parts, ones, 3, BLOCK=4, grid=(3,))
print("the sum of twelve ones:", total.item())
picture

# %% [markdown]
# The sum is right. Now run the same launch with its programs in another order. A GPU may choose any order:

# %%
total.fill_(nan), parts.fill_(nan)
picture = trace(hopeful_kernel, total, parts, ones, 3, BLOCK=4, grid=(3,), order="reversed")
print(f"the sum of twelve ones: {total.item()}; the parts after the launch: {parts.tolist()}")
picture

# %% [markdown]
# After the launch all parts are there, but program 2 ran first. It loaded from `part_ptr` before programs 0 and 1 had
# stored anything. So it found the NaN that we had put there before the launch. The picture marks these elements with ◆.
#
# This is a **data race**, as in lesson 03: two programs use the same element, at least one of them stores, and nothing orders the
# two. In the first picture the same data race gave the right number. It may do so a thousand times, and then fail.

# %% [markdown]
# Could program 2 wait in a loop until the others have stored? A GPU starts only as many programs as it has room for. The
# next one starts when one of them ends. Suppose that program 2 starts first, and that no room is left. Then programs 0 and 1
# cannot start before program 2 ends. But program 2 waits for them. This never ends.
#
# Waiting is safe in two cases. In the first case, something guarantees that all programs run at the same time. In the
# second case, each program waits only for programs that have already started. An ordinary launch guarantees neither.

# %% [markdown]
# A **barrier** is a place in a kernel. A program that arrives there waits until all others have arrived, too. **An
# ordinary launch has no barrier between its programs.** But PyTorch puts its launches into one
# [stream](https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-streams), a queue for the GPU. The launches
# of a stream run one after the other: when the first program of the second launch begins, all programs of the first
# launch have ended. So a second launch serves as a barrier.

# %% [markdown]
# ## All states at once
#
# The `merge` of lesson 08 takes two states. All states of a row can also be merged at once. The maximum of the row is the
# largest `m`. Each `d` is relative to its own `m`, and a factor makes it relative to the maximum of the row. Which factor?
# After that, all `d` can be added.

# %% [markdown]
# ## Your turn: 9.2
#
# The second launch has the same grid. Every program reads all states of its row, merges them, and writes the softmax of
# its own split. All programs of a row repeat the same merge. At the end of the lesson we count the cost of that.
#
# A program loads its states once, and not in every step of its loop. The check counts that. (It lets you load `m` a second time.)
#
# As in 5.1, the matrices may be of any size: a row may begin beyond element 2^31.

# %% [markdown]
# `SPLITS` is the number of lanes for the states: a power of two, at least `n_splits`. So some lanes may have no state.
# For these lanes, the loads of `m` and `d` each need a pad (`other=`). The pad of `m` must never become the maximum.
# The pad of `d` must be a number, and 0 is the clearest one. Without a pad, a lane may hold anything, even NaN, and 0 times NaN is NaN.
# Which two pads do you take?

# %% [markdown]
# If all values of a row are `-inf`, the row has no softmax, and the check expects NaN. You need no extra line for that: the
# maximum `m` of the row is `-inf`, so `x - m` is `-inf - -inf`, which is NaN.

# %%
@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_splits, split_size,
    SPLITS: tl.constexpr, BLOCK: tl.constexpr,
):
    """Store the softmax of split program_id(1) of row program_id(0), from the states m and d of all splits of the row."""
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    splits = tl.arange(0, SPLITS)
    # Load the states of this row, and merge them (about 4 lines).
    ### BEGIN SOLUTION
    ms = tl.load(m_ptr + row * n_splits + splits, mask=splits < n_splits, other=-float("inf"))
    ds = tl.load(d_ptr + row * n_splits + splits, mask=splits < n_splits, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp(ms - m), axis=0)
    ### END SOLUTION
    for start in range(0, split_size, BLOCK):
        # The tile of 9.1 again, normalised and stored (about 4 lines).
        ### BEGIN SOLUTION
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)
        ### END SOLUTION

# %%
check("9.2")

# %% [markdown]
# <details><summary>What can go wrong in a merge</summary>
#
# **`ds * tl.exp(ms - m)`**: each sum was relative to the maximum of its split. The factor makes it relative to the maximum
# of the row. Without the factor, a row is right only if all its splits have the same maximum, as in a constant row.
#
# **`tl.exp(x - m)`** needs the `m` of the row. With the `m` of the split, every split has another scale.
#
# **Lanes without a state** hold the empty state, `(-inf, 0)`. If the pad of `m` is 0, it is the maximum of every row whose
# values are negative. If `d` has no pad, these lanes hold anything. Their factor is 0, but 0 times NaN is NaN.
#
# **Both conditions of 9.1, in both masks.** Suppose that "inside its split" is missing in both masks. Then two programs
# store to the same columns. This is a data race too, even if both store the same numbers. It is harmless here, because they
# are the same, but it is more traffic. Now suppose that it is missing only in the mask of the store. Then lanes that
# loaded nothing store into the next split.
#
# </details>

# %% [markdown]
# ## Your turn: 9.3
#
# Write the function that launches both kernels. It raises a `ValueError` with a sentence for every tensor that is not
# a float32 matrix, and for fewer than one split. There may be more splits than columns, and `n_splits` need not divide
# the number of columns. There is at least one column, but there may be no rows. The kernels assume that `x.stride(1)` is 1. As in 5.2, `x` may be a transposed matrix. Then
# `x.stride(1)` is not 1: copy `x` or refuse it.

# %% [markdown]
# The function makes the tensors for the states, and launches twice with the grid `(n_rows, n_splits)`. Give the block an upper limit, such as 4096, because Triton allows at most 1048576 elements in a block. With a limit of 64, a long split takes many short steps, and the program is slow. A short split may have a smaller block.

# %%
def split_softmax(x, n_splits):
    """Softmax of each row of x (M×N, float32, N is at least 1), as a new tensor. n_splits programs share each row."""
    # Raise the errors (about 8 lines).
    ### BEGIN SOLUTION
    if x.dim() != 2:
        raise ValueError(f"split_softmax takes a matrix, not a tensor of {x.dim()} dimensions")
    if x.dtype != torch.float32:
        raise ValueError(f"split_softmax takes float32, not {x.dtype}")
    if n_splits < 1:
        raise ValueError(f"a row has at least one split, and n_splits is {n_splits}")
    if x.stride(1) != 1:
        x = x.contiguous()
    ### END SOLUTION
    # The output, the states, the sizes, two launches (about 10 lines). Return the output.
    ### BEGIN SOLUTION
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    m, d = (torch.empty((n_rows, n_splits), dtype=x.dtype, device=x.device) for _ in range(2))
    size = triton.cdiv(n_cols, n_splits)
    block, lanes = min(triton.next_power_of_2(size), 4096), triton.next_power_of_2(n_splits)
    grid = (n_rows, n_splits)
    partial_kernel[grid](m, d, x, x.stride(0), n_cols, n_splits, size, BLOCK=block, num_warps=8)
    strides = y.stride(0), x.stride(0)
    combine_kernel[grid](y, x, m, d, *strides, n_cols, n_splits, size, SPLITS=lanes, BLOCK=block, num_warps=8)
    return y
    ### END SOLUTION

# %%
check("9.3")

# %% [markdown]
# <details><summary>What a caller may expect</summary>
#
# **`triton.cdiv`**: if you round down, all splits together are shorter than the row, and its last columns are never
# stored.
#
# **The states** are made in each call and belong to this call alone.
#
# **No sum that programs share**: suppose that many programs load the same number, add to it, and store it. That is a data race.
# If they run one after the other, the result is right. On a GPU, several of them load the same old value at the same time.
# Then all but one of their additions are lost.
#
# *An honest aside*: an **atomic** operation works on one element, and no other program can interrupt it. Suppose that
# each program stores its state, *and only then* adds 1 to a counter of its row with `tl.atomic_add`. Then the program
# that adds the last 1 knows that all states are stored. It may finish the row in the same launch. This is right in
# any order, and the check accepts it. But then only one program does the second walk along the row.
# [`tl.atomic_add`](https://triton-lang.org/main/python-api/generated/triton.language.atomic_add.html) has a parameter
# for the order of memory accesses; its default is the safe one.
#
# </details>

# %% [markdown]
# How much does it move? The two walks of lesson 08 read 2 MN and wrote 1 MN. (**MN** is the number of elements of the
# matrix: M rows, N columns.) What do the states add? `traffic` shows the **ledger**, the list of the reads and writes
# of each kernel:

# %%
def in_eight_splits(x):
    return split_softmax(x, 8)


x = torch.randn(2, 3000, device=where)
traffic(in_eight_splits, x)

# %% [markdown]
# ## How many splits?
#
# More splits mean more programs. But every program of the second launch reads all states of its row. How much is that,
# compared with the matrix, when there are many splits?

# %%
n = 131072
for s in (1, 4, 16, 64, 256, 1024):
    print(f"splits: {s:4}, of {n // s:6} columns: states {2 * s / n:7.3%} of MN written, {s * 2 * s / n:7.1%} of MN read")

# %% [markdown]
# The number of states that are read grows with the *square* of the number of splits: each split reads the states of all
# splits. The best number is somewhere between too few programs and too many states. Only a measurement can find it. An
# H200 ran the function of 9.3 on three shapes, and the times are recorded in a file. The last line printed is the
# command that made the file. (If you run that command, it writes over the file.)

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../records/softmax_on_h200.json").read_text())
lesson = recorded["lessons"]["09"]["results"]
times = {(run["m"], run["n"], run["what"], run["n_splits"]): run["microseconds"] for run in lesson}
shapes = sorted({(m, n) for m, n, _, _ in times})
counts = sorted({s for *_, s in times if s})
print(f"{recorded['device']}, recorded {recorded['date']} with torch {recorded['versions']['torch']}")
print(recorded["command"])

# %% [markdown]
# The picture shows the time, divided by the time of a copy of the same matrix. A copy moves 2 MN and this softmax moves
# 3 MN, so 1.5 is the goal: the dotted line.

# %%
import matplotlib.pyplot as plt

plt.rcParams["font.size"] = 11
figure, axes = plt.subplots(figsize=(6.4, 4.4), dpi=110, layout="constrained")
for (m, n), marker, color in zip(shapes, "os^", ("#4477aa", "#eecc66", "#aa3377")):
    ratio = [times[m, n, "split_softmax", s] / times[m, n, "copy", None] for s in counts]
    axes.loglog(counts, ratio, marker=marker, color=color, markeredgecolor="black", label=f"{m}×{n}")
axes.axhline(1.5, color="black", linestyle=":", label="3 MN")
axes.set_xlabel("splits of each row")
axes.set_ylabel("time, in copies of the matrix")
axes.set_xticks(counts, [str(s) for s in counts])
axes.set_yticks([1, 10, 100], ["1", "10", "100"])
axes.minorticks_off()
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# In words: every line falls as long as more splits keep more of the GPU busy, and then it is flat. With more rows, less
# of the GPU is idle at the left end of the line, so the line falls less. With more than one row, it rises again for
# many splits. Two things cost time there: the states, and the many short programs. How many splits are enough to come
# within 5 % of the best time?

# %%
for m, n in shapes:
    of = {s: times[m, n, "split_softmax", s] for s in counts}
    enough = min(s for s in counts if of[s] <= 1.05 * min(of.values()))
    programs = f"{m * enough} programs, {m * enough / recorded['multiprocessors']:.1f} for each multiprocessor"
    print(f"{m:2}×{n:<7}: {enough:3} splits, {programs}; {of[1] / of[enough]:.1f} times as fast as one program per row")

# %% [markdown]
# In these runs, several programs for each multiprocessor are enough. So the fewer rows there are, the more splits each of
# them needs. How far are we from the dotted line, and from PyTorch's own softmax in the same run?

# %%
for m, n in shapes:
    best = min(times[m, n, "split_softmax", s] for s in counts)
    copies = best / times[m, n, "copy", None]
    assert 1.4 < copies < 1.8
    print(f"{m:2}×{n:<7}: {copies:.2f} copies; torch.softmax took {times[m, n, 'torch.softmax', None] / best:.1f} times as long")

# %% [markdown]
# *An honest aside*: PyTorch's kernel is made for many rows, and here we compare with it on few rows. The dotted line
# counts the elements that the kernels ask for: 3 MN, without the states. Memory can move more than that, or less. It
# moves a little more where a split begins or ends inside a **sector** (32 bytes), because memory moves whole sectors.
# It moves less where a row is still in the L2 cache, which all multiprocessors share: the second walk then needs no
# memory. So a shape can even come below the dotted line.

# %% [markdown]
# The next cell compares your function with PyTorch's. If this machine has a GPU, it also measures your function on it,
# beside the record:

# %% tags=["nbval-ignore-output"]
from grader import own_card

x = torch.randn(1, 4194304 if where == "cuda" else 1024, device=where)
for s in (1, 16, 256 if where == "cuda" else 64):
    assert torch.allclose(split_softmax(x, s), torch.softmax(x, dim=1), atol=0, rtol=1e-4)
    print(f"splits: {s:3}, equal to PyTorch")
own_card("09", split_softmax)

# %% [markdown]
# ## What it is called
#
# Several programs share a long sum, and their parts are merged later. In a matrix product, this is called **split-K**. In
# attention, the parts are states (m, d) and more, merged as in 9.2. There it is called **Flash-Decoding**
# ([Dao, Haziza, Massa, Sizov 2023](https://pytorch.org/blog/flash-decoding/)). Attention compares a *query*, the vector of
# the newest word, with many *keys*, the vectors of all words before it. This gives one long row of scores. You will
# split it at the end of lesson 13. The merge itself is in
# [Milakov and Gimelshein (2018)](https://arxiv.org/abs/1805.02867), section 3.1.

# %% [markdown]
# ## What to read
#
# - Order of launches: [CUDA semantics in PyTorch](https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-streams),
#   the section on streams.
# - Atomic operations:
#   [`tl.atomic_add`](https://triton-lang.org/main/python-api/generated/triton.language.atomic_add.html).
# - Reductions by many thread blocks: Duane Merrill and Michael Garland, [*Single-pass Parallel Prefix Scan with
#   Decoupled
#   Look-back*](https://research.nvidia.com/publication/2016-03_single-pass-parallel-prefix-scan-decoupled-look-back)
#   (2016), on programs that wait for others, and why that is safe there.

# %%
progress()

# %% [markdown]
# **Next: [10 · Rows and residency](10_rows_and_residency.ipynb).** Now the opposite: many rows, each so short that it
# is hardly worth a program of its own.
