# %% [markdown]
# # 09 · Split a row
#
# One program a row is fine as long as there are many rows. What if there is only one, and it is long? In this lesson several
# programs share a row. They cannot wait for each other, and that decides how the work is cut.
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
# A GPU is made of **multiprocessors**. Each program runs on one of them, so a launch keeps at most as many of them busy as
# it has programs. How much of a GPU works on a softmax with one program a row?

# %%
multiprocessors = {"T4": 40, "A100": 108, "H200": 132}
for rows in (1, 16, 64, 1024):
    busy = (f"{card} {min(rows, n) / n:4.0%}" for card, n in multiprocessors.items())
    print(f"{rows:4} rows:  ", "   ".join(busy))

# %% [markdown]
# One row, however long, leaves nearly all of an H200 idle. Language models meet this when they write: each new word is one
# row of a hundred thousand scores.

# %% [markdown]
# ## Parts that can be put together
#
# So cut the row into **splits**, one program each. A program then sees its own split and no other. Here is a row of two
# splits, with the sum of each relative to its own maximum. Is the sum of the row the sum of the two?

# %%
left, right = torch.tensor([1.0, 2.0, 0.0, 1.0]), torch.tensor([5.0, 1.0, 4.0, 0.0])
sums = [torch.exp(part - part.max()).sum().item() for part in (left, right)]
row = torch.cat([left, right])
print("of the splits:", [round(s, 4) for s in sums], "together", round(sum(sums), 4))
print("of the row:   ", round(torch.exp(row - row.max()).sum().item(), 4))

# %% [markdown]
# No: each sum belongs to a maximum of its own. Your `merge` of lesson 08 knew that, and it wanted a maximum and a sum from
# each side: a **state**. So every program hands over two numbers, whatever the length of its split.

# %% [markdown]
# ## A grid of two dimensions
#
# A program needs to know its row *and* its split. A grid may have two numbers, and each has its own `tl.program_id`:

# %%
@triton.jit
def who_am_i_kernel(y_ptr, n_splits):
    row, split = tl.program_id(0), tl.program_id(1)
    tl.store(y_ptr + row * n_splits + split, 10 * row + split)


y = torch.empty((2, 3), dtype=torch.int32, device=where)
who_am_i_kernel[(2, 3)](y, 3)
y

# %% [markdown]
# Row 1, split 2 stored 12. Who guarantees that all splits have the same length? Nobody:

# %%
n_cols, n_splits = 11, 7
split_size = triton.cdiv(n_cols, n_splits)  # rounded up, or the end of the row would be nobody's
for split in range(n_splits):
    print(f"split {split}: columns", list(range(n_cols))[split * split_size : (split + 1) * split_size])

# %% [markdown]
# Five splits are full, one is shorter, and the last one is **empty**: no columns, so its state is `(-inf, 0)`, the one that
# changes nothing.

# %% [markdown]
# ## Your turn: 9.1
#
# The first walk of lesson 08, over one split: each element is read once. The states are two matrices with a row for each row of `x` and a column for
# each split, without gaps.
#
# Three sizes, then: a row has `n_cols` columns, a split has `split_size` of them, and a program takes `BLOCK` at a time. A
# split may be longer than `BLOCK`, and no multiple of it. So a lane has to be inside its split *and* inside the row.
# Which of the two does the last split of a row need, and which do the others? (The answer is folded below the check.)

# %%
@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    """Store the state (m, d) of split program_id(1) of row program_id(0): its maximum, and the sum relative to it.

    m and d are matrices with n_splits columns. Split s begins at column s * split_size, and may end beyond the row.
    The state of a split without any number above -inf is (-inf, 0).
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
        # Take it in, as in lesson 08 (about 4 lines).
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
# **Inside the split**: every split but the last needs it. Without `start + lanes < split_size`, a last tile that hangs over
# counts columns of the next split, and these are counted twice.
#
# **Inside the row**: the last split may reach over the end of its row, into the next one, and so may empty splits.
#
# **The empty split**: every lane is masked, and the guard of lesson 08 keeps `-inf - -inf` out.
#
# **`row * n_splits + split`**: with `split` alone, all rows store into the first row of the states.
#
# *Another style*: `range(begin, end, BLOCK)` with `end = tl.minimum(begin + split_size, n_cols)` needs one condition only.
#
# </details>

# %% [markdown]
# Your kernel on two rows of ten, in two splits of five, with blocks of four: the second tile of a split is mostly masked.
# Every element is read by one program, every state stored by one. A program is named by its place in the grid, row first.
# The buttons step through the programs:

# %%
x = torch.arange(20.0, device=where).reshape(2, 10)
m, d = (torch.zeros(2, 2, device=where) for _ in range(2))
trace(partial_kernel, m, d, x, x.stride(0), 10, 2, 5, BLOCK=4, grid=(2, 2))

# %% [markdown]
# ## Who puts them together?
#
# All states are stored. Could the last program of each row not wait for the others and go on? Here is a kernel with that
# hope, for a sum: each program sums a block, and the last one adds up what the others stored.

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
# Right. Now the same launch, with its programs in another order, which a GPU is free to choose:

# %%
total.fill_(nan), parts.fill_(nan)
picture = trace(hopeful_kernel, total, parts, ones, 3, BLOCK=4, grid=(3,), order="reversed")
print("the sum of twelve ones:", total.item(), "and the parts, after the launch:", parts.tolist())
picture

# %% [markdown]
# The parts are all there after the launch, but program 2 was the first to run: it loaded `part_ptr` before programs 0 and 1
# had stored into it, and found the NaN that we had put there. The picture marks them with ◆. Waiting in a loop would not
# help: a GPU starts only as many programs as it has room for, and the ones waited for may not have started.
#
# So there is **no barrier between the programs of a launch**. But launches on one stream, as PyTorch makes them, keep their
# order: when the first program of the second launch begins, all of the first launch have ended. That is our barrier.

# %% [markdown]
# ## Your turn: 9.2
#
# The second launch has the same grid. Every program reads all states of its row, merges them, and writes the softmax of its
# own split. All programs of a row repeat the same merge. What that costs, we count at the end.
#
# `SPLITS` is the number of lanes for the states: a power of two, at least `n_splits`. What should the lanes hold that have no
# state? A row of nothing but `-inf` has no softmax: leave it, and it becomes NaN.

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
# **`ds * tl.exp(ms - m)`**: a sum relative to its split's maximum, made relative to the row's. *Otherwise*: constant rows
# still come out right, because all maxima are the same.
#
# **`tl.exp(x - m)`** with the row's `m`: with the split's own, every split is scaled differently.
#
# **Lanes without a state** hold the empty one, `(-inf, 0)`. A maximum of 0 wins over any row that lies below it.
#
# **Two masks in the load and in the store**: if both lack the split's end, two programs write the same numbers into the same
# columns, which is only more traffic. If the store alone lacks it, its masked lanes write over the next split.
#
# </details>

# %% [markdown]
# ## Your turn: 9.3
#
# The function around both. Refuse what it cannot take with a `ValueError` and a sentence: every tensor that is no float32
# matrix, and fewer than one split. There may be more splits than columns, and `n_splits` need not divide the row. As in
# 5.2, mind a transposed `x`.
#
# It makes the states itself, and launches twice over the grid `(n_rows, n_splits)`. The block should not grow with a long
# split, because no block may hold more than 1048576 elements; 4096 is a good upper limit. A split may be shorter.

# %%
def split_softmax(x, n_splits):
    """Softmax of each row of x (M×N, float32), as a new tensor. n_splits programs share each row."""
    # Refuse what it does not take (about 8 lines).
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
# **`triton.cdiv`**: rounded down, the splits together are shorter than the row, and its last columns are never stored.
#
# **The states** belong to the call: made here, and forgotten at the end.
#
# **No shared sum**: many programs that load one number, add to it and store it look right when they run one after the
# other. On a GPU they load the same old value, and all but one of the additions are lost.
#
# *An honest aside*: **atomics** are operations on one element that no other program can interrupt. Suppose that each program
# stores its state, *and only then* counts itself with `tl.atomic_add` on a counter of its row. Then the one that counts last
# knows that all states are there, and may finish the row in the same launch. That is right in any order, and the check
# takes it; but then one program alone walks along the row.
#
# </details>

# %% [markdown]
# What does it move? The same as the two walks of lesson 08, and the small part:

# %%
def in_eight_splits(x):
    return split_softmax(x, 8)


x = torch.randn(2, 3000, device=where)
traffic(in_eight_splits, x)

# %% [markdown]
# ## How many splits?
#
# More splits, more programs. But every program of the second launch reads all states of its row, so what does the small
# part cost when it grows?

# %%
n = 131072
for s in (1, 4, 16, 64, 256, 1024):
    print(f"{s:4} splits of {n // s:6}: states {2 * s / n:7.3%} of MN written, {s * 2 * s / n:7.1%} of MN read")

# %% [markdown]
# It grows with the *square* of their number. Somewhere between too few programs and too many states lies the best. Where,
# only a measurement says. An H200 ran the function of 9.3 on three shapes; the times are recorded in a file. The last line
# printed is the command that made it: run again, it writes over that file.

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
# The time, in units of what copying the same matrix took. A copy moves 2 MN and this softmax 3 MN, so the dotted line is
# what we hope for.

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
# In words: every line falls as long as splits bring more of the GPU to work, then it is flat. With many rows it falls less,
# because there was less idle, and it rises again when the states, and many short programs, weigh in. How many splits are
# enough, to within a twentieth of the best time?

# %%
for m, n in shapes:
    of = {s: times[m, n, "split_softmax", s] for s in counts}
    enough = min(s for s in counts if of[s] <= 1.05 * min(of.values()))
    programs = f"{m * enough} programs, {m * enough / recorded['multiprocessors']:.1f} for each multiprocessor"
    print(f"{m:2}×{n:<7}: {enough:3} splits, {programs}; {of[1] / of[enough]:.1f} times as fast as one program a row")

# %% [markdown]
# In steps as coarse as these, a few programs for each multiprocessor are enough: the fewer rows, the more splits. And how
# far are we from the dotted line, and from PyTorch's own softmax in the same run?

# %%
for m, n in shapes:
    best = min(times[m, n, "split_softmax", s] for s in counts)
    copies = best / times[m, n, "copy", None]
    assert 1.4 < copies < 1.8
    print(f"{m:2}×{n:<7}: {copies:.2f} copies; torch.softmax took {times[m, n, 'torch.softmax', None] / best:.1f} times as long")

# %% [markdown]
# *An honest aside*: on few rows we beat a kernel that was made for many. And a row that the cache of the GPU holds is
# fetched from memory only once: the ledger counts what a kernel asks for, so 3 MN and the states are an upper limit. That is
# how a shape can come down to the dotted line in spite of two launches.
#
# If this machine has a GPU, here are its own times:

# %% tags=["nbval-ignore-output"]
x = torch.randn(1, 4194304 if where == "cuda" else 1024, device=where)
for s in (1, 16, 256 if where == "cuda" else 64):
    assert torch.allclose(split_softmax(x, s), torch.softmax(x, dim=1), atol=0, rtol=1e-4)
    print(f"{s:3} splits: equal to PyTorch")
    if where == "cuda":
        from triton.testing import do_bench

        print(f"{s:3} splits: {1000 * do_bench(lambda s=s: split_softmax(x, s), return_mode='median'):7.1f} microseconds")

# %%
progress()

# %% [markdown]
# **Next: [10 · Rows and residency](10_rows_and_residency.ipynb).** The other end: many rows, so short that a program is
# hardly worth starting for one.
