# %% [markdown]
# # 09 · Split a row
#
# One program for each row is good if there are many rows. What if there is only one row, and it is long? In this lesson
# several programs share a row. Nothing guarantees that one program can wait for another, and that decides how the work
# is divided.
#
# *About 70 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, trace, traffic
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## Few rows, idle GPU
#
# A GPU consists of **multiprocessors** (SMs), and each program runs on one of them. So a launch keeps at most as many
# multiprocessors busy as it has programs. Which part of a GPU works on a softmax with one program for each row?

# %%
multiprocessors = {"T4": 40, "A100": 108, "H200": 132}
for rows in (1, 16, 64, 1024):
    busy = (f"{card} {min(rows, n) / n:4.0%}" for card, n in multiprocessors.items())
    print(f"{rows:4} rows:  ", "   ".join(busy))

# %% [markdown]
# With one row, nearly all of an H200 has nothing to do, even if the row is long. This happens when a language model
# writes text: each new word needs the softmax of one row of a hundred thousand scores.

# %% [markdown]
# ## Parts that can be put together
#
# So divide the row into **splits**, with one program for each split. A program then sees only its own split. Here is a
# row of two splits. The sum of each split is relative to the maximum of that split. Is the sum of the row the sum of
# these two?

# %%
left, right = torch.tensor([1.0, 2.0, 0.0, 1.0]), torch.tensor([5.0, 1.0, 4.0, 0.0])
sums = [torch.exp(part - part.max()).sum().item() for part in (left, right)]
row = torch.cat([left, right])
print("of the splits:", [round(s, 4) for s in sums], "together", round(sum(sums), 4))
print("of the row:   ", round(torch.exp(row - row.max()).sum().item(), 4))

# %% [markdown]
# No: each sum is relative to its own maximum. Your `merge` of lesson 08 takes a maximum and a sum from each side: a
# **state**. So every program stores two numbers, no matter how long its split is.

# %% [markdown]
# ## A grid of two dimensions
#
# A program has to know its row *and* its split. A grid may have two numbers, and there is a `tl.program_id` for each of
# them:

# %%
@triton.jit
def who_am_i_kernel(y_ptr, n_splits):
    row, split = tl.program_id(0), tl.program_id(1)
    tl.store(y_ptr + row * n_splits + split, 10 * row + split)


y = torch.empty((2, 3), dtype=torch.int32, device=where)
who_am_i_kernel[(2, 3)](y, 3)
y

# %% [markdown]
# The program of row 1 and split 2 stored 12. Do all splits have the same length? Not always:

# %%
n_cols, n_splits = 11, 7
split_size = triton.cdiv(n_cols, n_splits)  # rounded up: otherwise no split has the end of the row
for split in range(n_splits):
    print(f"split {split}: columns", list(range(n_cols))[split * split_size : (split + 1) * split_size])

# %% [markdown]
# Five splits are full, one is shorter, and the last one is **empty**: it has no columns, so its state is `(-inf, 0)`,
# which changes nothing in a merge.

# %% [markdown]
# ## Your turn: 9.1
#
# Write the first walk of lesson 08 for one split. It takes a **tile** at a time, `BLOCK` columns, and updates its state: if
# $M$ is the larger of $m$ and the maximum of the tile, then $d$ becomes $d \cdot e^{m - M} + \sum e^{x - M}$, and $m$ becomes
# $M$. Each element is read once. The states are stored in two matrices, `m` and `d`, with a row for each row of `x` and a
# column for each split, without gaps.

# %% [markdown]
# There are three sizes: a row has `n_cols` columns, a split has `split_size` columns, and a tile has `BLOCK` columns. A
# split may be longer than `BLOCK`, and need not be a multiple of it. So a lane has to be inside its split *and* inside
# the row. Which splits need the first condition, and which the second? (The answer is folded away below the check.)

# %%
@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    """Store the state (m, d) of split program_id(1) of row program_id(0): its maximum, and the sum relative to it.

    m and d are matrices with n_splits columns. Split s begins at column s * split_size, and may end beyond the row.
    If a split has no number above -inf, its state is (-inf, 0).
    """
    row = tl.program_id(0)
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
# **Inside the split**: every split that has a next split needs this. Without `start + lanes < split_size`, the last tile of a
# split also counts columns of the next split, and so these are counted twice.
#
# **Inside the row**: the last split of a row needs this, and so do empty splits. They may reach beyond the end of the row,
# into the next row.
#
# **The empty split**: every lane is masked. The `tl.where` of lesson 08 avoids `-inf - -inf`.
#
# **`row * n_splits + split`**: with `split` alone, all rows store into the first row of the states.
#
# *Another style*: `range(begin, end, BLOCK)` with `end = tl.minimum(begin + split_size, n_cols)` needs only one
# condition.
#
# </details>

# %% [markdown]
# Here is your kernel on two rows of ten, in two splits of five, with blocks of four. Most lanes of the second tile of a
# split are masked. Every element is read by one program, and every state is stored by one program. A program is named
# by its place in the grid, row first. The buttons step through the programs:

# %%
x = torch.arange(20.0, device=where).reshape(2, 10)
m, d = (torch.zeros(2, 2, device=where) for _ in range(2))
trace(partial_kernel, m, d, x, x.stride(0), 10, 2, 5, BLOCK=4, grid=(2, 2))

# %% [markdown]
# ## Who puts them together?
#
# All states are stored. Can the last program of each row go on and merge them? Here is a kernel that tries this for a
# sum: each program sums a block, and the last program adds up the sums that the others stored.

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
print("the sum of twelve ones:", total.item(), "and the parts, after the launch:", parts.tolist())
picture

# %% [markdown]
# After the launch all parts are there, but program 2 ran first. It loaded from `part_ptr` before programs 0 and 1 had
# stored there, and found the NaN that we had put there. The picture marks these elements with ◆.
#
# This is a **race**, as in lesson 03: two programs use the same element, at least one of them stores, and nothing orders the
# two. In the first picture the race gave the right number, and it may do so a thousand times.

# %% [markdown]
# Could program 2 wait in a loop until the others have stored? Nothing guarantees that the others run at the same time. A
# GPU starts only as many programs as it has room for. The programs that are waited for may start only after program 2 has
# ended, which is never. (Waiting is safe only if something guarantees that all of them run at once, or that each program waits
# for programs that have started already. An ordinary launch guarantees neither.)

# %% [markdown]
# A line where all wait until all have arrived is called a **barrier**. **An ordinary launch has no barrier between its
# programs.** But PyTorch's launches go to one
# [stream](https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-streams), and launches on one stream keep their
# order: when the first program of the second launch begins, all programs of the first launch have ended. So a second
# launch serves as a barrier.

# %% [markdown]
# ## All states at once
#
# The `merge` of lesson 08 takes two states. All states of a row can be merged at once: the maximum of the row is the largest
# `m`, and every `d` must become relative to it. By which factor? Then all `d` can be added.

# %% [markdown]
# ## Your turn: 9.2
#
# The second launch has the same grid. Every program reads all states of its row, merges them, and writes the softmax of
# its own split. All programs of a row repeat the same merge. At the end of the lesson we count the cost of that.
#
# `SPLITS` is the number of lanes for the states: a power of two, at least `n_splits`. What should lanes without a state
# hold? If all values of a row are `-inf`, it has no softmax. It becomes NaN by itself, and you need no extra line for
# it.

# %%
@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_splits, split_size,
    SPLITS: tl.constexpr, BLOCK: tl.constexpr,
):
    """Store the softmax of split program_id(1) of row program_id(0), from the states m and d of all splits of the row."""
    row = tl.program_id(0)
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
# **`ds * tl.exp(ms - m)`** turns a sum relative to the maximum of its split into a sum relative to the maximum of the
# row. *Otherwise*: only rows whose splits all have the same maximum are right, such as constant rows.
#
# **`tl.exp(x - m)`** with the `m` of the row. With the `m` of the split, every split has another scale.
#
# **Lanes without a state** hold the empty state, `(-inf, 0)`. A maximum of 0 wins in every row whose values are
# negative.
#
# **Two conditions in both masks**: if the end of the split is missing in both masks, two programs write the same
# numbers into the same columns, which is only more traffic. If it is missing only in the mask of the store, lanes that
# loaded nothing write over the next split.
#
# </details>

# %% [markdown]
# ## Your turn: 9.3
#
# Write the function that launches both kernels. It raises a `ValueError` with a sentence for every tensor that is not a
# float32 matrix, and for fewer than one split. There may be more splits than columns, and `n_splits` need not divide
# the number of columns. As in 5.2, `x` may be a transposed matrix: its `x.stride(1)` is not 1, and the kernels take it for 1.
#
# It makes the tensors for the states, and launches twice with the grid `(n_rows, n_splits)`. Give the block an upper
# limit, because Triton allows at most 1048576 elements in a block. 4096 is a good limit. A short split may have a
# smaller block.

# %%
def split_softmax(x, n_splits):
    """Softmax of each row of x (M×N, float32), as a new tensor. n_splits programs share each row."""
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
# **No shared sum**: suppose that many programs load the same number, add to it, and store it. That is a race. If they run one
# after the other, the result is right. On a GPU, several of them load the same old value at the same time, and all but one
# of their additions are lost.
#
# *An honest aside*: **atomic** operations work on one element, and no other program can interrupt them. Suppose that
# each program stores its state, *and only then* adds 1 to a counter of its row with `tl.atomic_add`. Then the program
# that adds the last 1 knows that all states are stored, and it may finish the row in the same launch. This is right in
# any order, and the check accepts it. But then only one program does the second walk along the row.
# [`tl.atomic_add`](https://triton-lang.org/main/python-api/generated/triton.language.atomic_add.html) has a parameter
# for the order of memory accesses; its default is the safe one.
#
# </details>

# %% [markdown]
# How much does it move? As much as the two walks of lesson 08, and the states in addition:

# %%
def in_eight_splits(x):
    return split_softmax(x, 8)


x = torch.randn(2, 3000, device=where)
traffic(in_eight_splits, x)

# %% [markdown]
# ## How many splits?
#
# More splits mean more programs. But every program of the second launch reads all states of its row. How large is this
# part for many splits?

# %%
n = 131072
for s in (1, 4, 16, 64, 256, 1024):
    print(f"{s:4} splits of {n // s:6}: states {2 * s / n:7.3%} of MN written, {s * 2 * s / n:7.1%} of MN read")

# %% [markdown]
# It grows with the *square* of the number of splits. The best number is somewhere between too few programs and too many
# states, and only a measurement can find it. An H200 ran the function of 9.3 on three shapes, and the times are
# recorded in a file. The last line printed is the command that made the file. (If you run that command, it writes over
# the file.)

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../docs/softmax_on_h200.json").read_text())
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
# In words: every line falls as long as more splits keep more of the GPU busy, and then it is flat. With many rows it
# falls less, because less of the GPU was idle. It rises again for many splits, because of the states and of many short
# programs. How many splits are enough to come within 5 % of the best time?

# %%
for m, n in shapes:
    of = {s: times[m, n, "split_softmax", s] for s in counts}
    enough = min(s for s in counts if of[s] <= 1.05 * min(of.values()))
    programs = f"{m * enough} programs, {m * enough / recorded['multiprocessors']:.1f} for each multiprocessor"
    print(f"{m:2}×{n:<7}: {enough:3} splits, {programs}; {of[1] / of[enough]:.1f} times as fast as one program a row")

# %% [markdown]
# In these runs, several programs for each multiprocessor are enough: the fewer rows, the more splits. How far are we from
# the dotted line, and from PyTorch's own softmax in the same run?

# %%
for m, n in shapes:
    best = min(times[m, n, "split_softmax", s] for s in counts)
    copies = best / times[m, n, "copy", None]
    assert 1.4 < copies < 1.8
    print(f"{m:2}×{n:<7}: {copies:.2f} copies; torch.softmax took {times[m, n, 'torch.softmax', None] / best:.1f} times as long")

# %% [markdown]
# *An honest aside*: PyTorch's kernel is made for many rows, and here we compare with it on few rows. Also, a row that
# fits into the L2 cache is fetched from memory only once. The ledger counts what a kernel asks for, so memory delivers
# at most 3 MN and the states. That is why a shape can reach the dotted line although there are two launches.
#
# If this machine has a GPU, the next cell shows its own times:

# %% tags=["nbval-ignore-output"]
x = torch.randn(1, 4194304 if where == "cuda" else 1024, device=where)
for s in (1, 16, 256 if where == "cuda" else 64):
    assert torch.allclose(split_softmax(x, s), torch.softmax(x, dim=1), atol=0, rtol=1e-4)
    print(f"{s:3} splits: equal to PyTorch")
    if where == "cuda":
        from triton.testing import do_bench

        print(f"{s:3} splits: {1000 * do_bench(lambda s=s: split_softmax(x, s), return_mode='median'):7.1f} microseconds")

# %% [markdown]
# ## What it is called
#
# To split a long sum over several programs and to merge the parts in a second launch is called **split-K** where a matrix
# product is split. For attention, where a state (m, d) has to be merged as in 9.2, it is called **Flash-Decoding**
# ([Dao, Haziza, Massa, Sizov 2023](https://pytorch.org/blog/flash-decoding/)): one new query meets a long row of keys. You
# will do that at the end of lesson 13. The merge itself is in
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
#   (2016), where programs do wait for others, and why that is safe there.

# %%
progress()

# %% [markdown]
# **Next: [10 · Rows and residency](10_rows_and_residency.ipynb).** Now the opposite: many rows, each so short that it
# is hardly worth a program of its own.
