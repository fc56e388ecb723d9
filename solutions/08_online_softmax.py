# %% [markdown]
# # 08 · Online softmax
#
# Until now, a row had to fit into one block. The vocabulary of a language model can have more than a hundred thousand
# entries, and softmax runs over all of them. In this lesson a program walks along its row in **tiles**, and you find
# out how to get the maximum and the sum in a single walk. The result is called **online softmax**.
#
# *About 85 minutes. No GPU needed.*

# %%
from grader import check, hint, own_way, progress, traffic
import math
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## When a row does not fit
#
# A block is kept in registers, the small storage right beside the arithmetic. A GPU consists of many
# **multiprocessors** (NVIDIA says streaming multiprocessors, **SM**), and each program runs on one of them. A
# multiprocessor of an H200 has 65,536 registers for all its threads together, and each register holds one float32. How
# many would a row of a vocabulary need?

# %%
n_cols = 128256
print(f"a block of {triton.next_power_of_2(n_cols):,} lanes")

# %% [markdown]
# The row needs about twice as many registers as a multiprocessor has. Values without a register are **spilled**: the
# compiler stores them to memory, and loads them again when they are needed. That is more traffic, which we want to
# avoid. So take a block that fits, and move it along the row. But then the program never has the whole row at once.
#
# The simple way takes three walks: one for the maximum, one for the sum, and one to divide and store. Can one walk do
# the work of the first two?

# %% [markdown]
# ## A sum whose maximum moves
#
# Suppose that you have seen 1.0 and 2.0. You know the maximum, and the sum of the exponentials relative to it. The next
# value is 4.0, a new maximum. Can you still use your sum?

# %%
to_2 = math.exp(1.0 - 2.0) + math.exp(2.0 - 2.0)
to_4 = math.exp(1.0 - 4.0) + math.exp(2.0 - 4.0)
print(f"relative to 2: {to_2:.4f}, relative to 4: {to_4:.4f}, ratio {to_4 / to_2:.6f}")

# %% [markdown]
# You can: both terms became smaller by the same factor. Which factor is it, as a function of the two maxima? Lesson 01
# has the formula: $e^{x-c} = e^x / e^c$. Try it:

# %%
for guess in (4.0 - 2.0, 2.0 - 4.0, 2.0 / 4.0):
    print(f"exp({guess}) = {math.exp(guess):.6f}")

# %% [markdown]
# ## Your turn: 8.1
#
# A walk has to remember two numbers, its **state**: `m`, the largest value so far, and `d`, the sum of `exp(x - m)`
# over the values so far. Here `xs` gives you one number at a time, and each of them only once, like a row that is read
# only once. Do not collect the numbers: a row may be longer than any block. (The check judges only the
# result, so it takes no points for that. If it notices that you keep them, it tells you.)
#
# Before the first value, the maximum is `-math.inf` and the sum is 0. There is one trap: the data may also hold `-inf`,
# and `-inf - -inf` is `nan`.

# %%
def online_normalizer(xs):
    """(m, d) of the numbers xs: their maximum, and the sum of exp(x - m). xs can be read only once.

    Without numbers, or if all are -inf, it is (-inf, 0).
    """
    m, d = -math.inf, 0.0
    for x in xs:
        # Update the state with x: the new maximum, then the new sum (about 4 lines).
        ### BEGIN SOLUTION
        new = max(m, x)
        if new > -math.inf:
            d = d * math.exp(m - new) + math.exp(x - new)
        m = new
        ### END SOLUTION
    return m, d

# %%
check("8.1")

# %% [markdown]
# <details><summary>Line by line</summary>
#
# **The new maximum** comes first, but the factor still needs the old one. If `m = max(m, x)` comes too early, the
# factor is `exp(m - m)`, which is always 1, and the old sum is never rescaled.
#
# **The factor** `exp(m - new)` is at most 1: relative to a larger maximum, the sum is smaller. The inverse factor,
# `exp(new - m)`, can overflow.
#
# **The condition**: as long as all values so far are `-inf`, there is nothing to add.
#
# **A test that is too easy**: without rescaling, the result for *descending* numbers is still right, because the
# maximum never changes.
#
# The idea comes from Milakov and Gimelshein, [*Online normalizer calculation for softmax*](https://arxiv.org/abs/1805.02867)
# (2018).
#
# </details>

# %% [markdown]
# ## Watch it move
#
# The next cell calls your function with the first value of a row, then with the first two, and so on. The line is `m`.
# What happens to `d` where the line jumps?

# %%
import matplotlib.pyplot as plt

row = [0.5, 1.0, 0.2, 1.4, 0.9, 3.0, 2.6, 2.9, 1.0, 3.1, 0.3, 2.8]
states = [online_normalizer(iter(row[: k + 1])) for k in range(len(row))]
figure, (top, bottom) = plt.subplots(2, figsize=(6.4, 4.2), sharex=True, layout="constrained")
seen = range(1, len(row) + 1)
top.plot(seen, row, "o", color="black", label="x")
top.step(seen, [m for m, d in states], where="post", color="#4477aa", linewidth=2.5, label="m, the largest so far")
bottom.bar(seen, [d for m, d in states], color="#eecc66", edgecolor="black", hatch="///", label="d, the sum")
for axes in (top, bottom):
    axes.legend(fontsize=11, frameon=False, loc="upper left")
    axes.tick_params(labelsize=11)
    axes.spines[["top", "right"]].set_visible(False)
bottom.set_ylim(0, 1.5 * max(d for m, d in states))
bottom.set_xlabel("values seen", fontsize=11)
plt.close(figure)
print("m:", *(f"{m:.1f}" for m, d in states))
print("d:", *(f"{d:.1f}" for m, d in states))
figure

# %% [markdown]
# At a jump, the *old* sum is multiplied by exp(old - new), and then 1 is added for the new value. Where the jump is
# large, from 1.4 to 3.0, `d` becomes smaller. Where it is small, `d` still grows. The softmax of the row needs only the
# last pair.

# %% [markdown]
# ## Your turn: 8.2
#
# If one walk did the left part of a row and another walk the right part, their two states can be **merged** into the
# state of the whole row. Neither walk has to see the values of the other. In lesson 09, many programs share a row in
# this way.

# %%
def merge(a, b):
    """The state (m, d) of two parts of a row together, from their states a = (m, d) and b = (m, d)."""
    (ma, da), (mb, db) = a, b
    # The common maximum, then both sums relative to it. A part may be empty (about 4 lines).
    ### BEGIN SOLUTION
    m = max(ma, mb)
    if m == -math.inf:
        return m, 0.0
    return m, da * math.exp(ma - m) + db * math.exp(mb - m)
    ### END SOLUTION

# %%
check("8.2")

# %% [markdown]
# <details><summary>An operation like addition</summary>
#
# **Three properties**: `merge` is commutative (the order does not matter), it is associative (the grouping does not
# matter), and the empty state `(-inf, 0)` changes nothing. So the states of several parts may be merged in any order
# and in any grouping.
#
# **8.1 again**: the state of one number `x` above `-inf` is `(x, 1)`. The walk of 8.1 is one merge after the other.
#
# *An honest aside*: with rounding, the grouping changes the last digits ([Goldberg,
# 1991](https://docs.oracle.com/cd/E19957-01/806-3568/ncg_goldberg.html)). If a kernel merges states in the order in
# which its programs finish, two runs may give results that differ in the last bits.
#
# </details>

# %% [markdown]
# Does the grouping really not matter? The next cell tries it a thousand times, with states of very different sizes:

# %%
import random

random.seed(8)
def some():
    return online_normalizer(random.gauss(0, 30) for _ in range(random.randint(0, 4)))


for _ in range(1000):
    a, b, c = some(), some(), some()
    (m1, d1), (m2, d2) = merge(merge(a, b), c), merge(a, merge(b, c))
    assert m1 == m2 and math.isclose(d1, d2, rel_tol=1e-12)
print("merge(merge(a, b), c) and merge(a, merge(b, c)) agree")

# %% [markdown]
# ## Your turn: 8.3
#
# Now write the kernel. In 8.1, each step took in one value. Here, each step takes in a whole tile, with one `tl.max`
# and one `tl.sum`. After the first walk, `m` and `d` are known, and a second walk divides and stores.
#
# In the loop, `start` is the first column of the tile. The last tile may reach beyond the end of the row: what is its
# mask? Load or store at most BLOCK columns at a time.
#
# As in 5.1, the matrices may be of any size: a row may begin beyond element 2^31.

# %% [markdown]
# `tl.max(x, axis=0)` reduces a block to a number, and `tl.maximum(a, b)` gives the larger of two numbers. There is no
# `if` for single lanes. Instead, `tl.where(condition, a, b)` gives `a` where the condition is true, and `b` elsewhere.
# You may need it for a tile that is `-inf` everywhere: if you subtract a maximum of `-inf`, the result is `nan`.

# %%
@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0), in tiles of BLOCK columns: two walks, for rows of any length."""
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        # Load the tile that begins at start (about 2 lines).
        ### BEGIN SOLUTION
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        ### END SOLUTION
        # Update the state: the new maximum, the new sum (about 4 lines).
        ### BEGIN SOLUTION
        new = tl.maximum(m, tl.max(x, axis=0))
        # As long as all is -inf, shift by 0: exp(-inf - 0) is 0, and exp(-inf - -inf) would be nan.
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
        ### END SOLUTION
    for start in range(0, n_cols, BLOCK):
        # Load the tile again, divide, store (about 3 lines).
        ### BEGIN SOLUTION
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)
        ### END SOLUTION

# %%
check("8.3")

# %% [markdown]
# <details><summary>What can go wrong in a tile</summary>
#
# **The mask** is `start + lanes < n_cols`. With `lanes < n_cols`, the last tile reads past the end of the row.
#
# **The maximum so far** is the larger one of the old maximum and the maximum of the tile. If you keep the maximum of
# the newest tile alone, nearly every test passes, but `exp` overflows on a row whose first tile is far above the
# others.
#
# **The second walk** uses the final `m`, and not the maximum of the last tile.
#
# **A tile of `-inf`**: many published versions give `nan` for rows that begin with a whole tile of `-inf`. In
# attention, masked rows can begin like that.
#
# *Another style*: keep `BLOCK` states, one in each lane, and merge them after the loop. Then there are two reductions
# for each row, and not two for each tile.
#
# </details>

# %% [markdown]
# ## Your turn: 8.4
#
# Write a function that launches the kernel, as in lesson 05. It raises a `ValueError` with a sentence for every
# tensor that is not a float32 matrix. Then it makes the output and launches. Choose one block size between 1024 and
# 16384, such as 4096. For rows shorter than that, you may launch with a smaller block. The check also uses a row that
# is longer than the largest of these blocks, and matrices without rows or without columns. Their result is just as
# empty. (A block of 0 lanes does not exist.)

# %% [markdown]
# The kernel assumes that `x.stride(1)` is 1. As in 5.2, `x` may be a transposed matrix. Then `x.stride(1)` is not 1:
# copy `x` or refuse it.

# %%
def online_softmax(x):
    """Softmax of each row of x (M×N, float32, any N, also 0), as a new tensor: each row is read twice, written once."""
    ### BEGIN SOLUTION
    if x.dim() != 2:
        raise ValueError(f"online_softmax takes a matrix, not a tensor of {x.dim()} dimensions")
    if x.dtype != torch.float32:
        raise ValueError(f"online_softmax takes float32, not {x.dtype}")
    if x.stride(1) != 1:
        x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    online_softmax_kernel[(n_rows,)](y, x, y.stride(0), x.stride(0), n_cols, BLOCK=4096, num_warps=8)
    return y
    ### END SOLUTION

# %%
check("8.4")

# %% [markdown]
# <details><summary>What the second read costs</summary>
#
# **The cost**: the kernel reads 2 MN and writes 1 MN, and the one-block kernel of lesson 05 reads 1 MN and writes 1 MN.
# If both reads come from memory, this kernel has two thirds of the speed of the other. For rows that fit into a block, the kernel
# of lesson 05 is better.
#
# **The gain**: rows may have any length, with a block that fits into the registers. Compared with three walks, this
# kernel saves one read.
#
# </details>

# %%
x = torch.randn(8, 3000, device=where)
traffic(online_softmax, x)

# %% [markdown]
# ## Does it come out like that?
#
# A copy reads a matrix once and writes it once, so a softmax should not be much faster than a copy. This kernel makes
# three transfers in place of two. How fast do you expect it to be, as a share of a copy's speed? And how fast do you
# expect the one-block kernel of lesson 05 to be, on rows that do not fit into registers?

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../records/softmax_on_h200.json").read_text())
lesson = recorded["lessons"]["08"]["results"]
took = {(run["m"], run["n"], run["what"]): run["microseconds"] for run in lesson}
print(f"recorded on {recorded['device']}, {recorded['date']}: {recorded['command']}")
print("share of a copy's speed (1.00 is as fast as a copy)")
print("                          one block  online  torch.softmax")
for m, n in [(4096, 4096), (4096, 12672), (8192, 32768), (2048, 128256)]:
    copy, *others = (took[m, n, what] for what in ("copy", "one block", "online", "torch.softmax"))
    print(f"{m:5} × {n:6}  {copy / others[0]:20.2f}  {copy / others[1]:6.2f}  {copy / others[2]:13.2f}")

# %% [markdown]
# Where rows fit, the one-block kernel is faster. With 128256 columns, it spills and is much slower. If a row has more
# than one tile, the online kernel has about two thirds of the speed of a copy, however long the rows are. The count says
# the same: where a copy makes two transfers, this kernel makes three.
#
# Two exceptions: a row of 4096 is one tile, and is probably still in a cache when it is read again. And a matrix of one
# row leaves most of the GPU with nothing to do (lesson 09).

# %% [markdown]
# If this machine has a GPU, the next cell measures your own function on it, beside these:

# %% tags=["nbval-ignore-output"]
from grader import own_card

own_card("08", online_softmax)

# %% [markdown]
# ## Is backwards better?
#
# Between memory and the arithmetic there is a **cache**, which keeps the data that was read last. When the first walk
# ends, the cache holds the *end* of the row. Where should the second walk begin? Here is a model of a cache: it holds 4
# tiles, and when it is full, it drops the tile that has not been used for the longest time. The row has 10 tiles:

# %%
def cache_hits(second_walk, n_tiles=10, room=4):
    """How many tiles of the second walk are still in the cache."""
    cached, hits = list(range(n_tiles))[-room:], 0
    for tile in second_walk:
        hits += tile in cached
        cached = ([t for t in cached if t != tile] + [tile])[-room:]
    return hits


print("forwards: ", cache_hits(range(10)), "of 10 tiles are still there")
print("backwards:", cache_hits(reversed(range(10))), "of 10 tiles are still there")

# %% [markdown]
# Forwards, every tile is dropped before it is needed again. Backwards, the end of the row is still there. In the
# kernel, this is a change of one line. The ledger does not show the difference: it counts all elements that a kernel
# asks for, and does not know which of them come from the cache.
#
# On a GPU, hundreds of programs share one cache. Does it still help to go backwards? Predict, then look at the recorded
# runs:

# %%
for m, n in [(4096, 12672), (8192, 32768), (2048, 128256)]:
    forwards, back = (took[m, n, what] for what in ("online", "online, second walk backwards"))
    print(f"{m:5} × {n:6}: backwards takes {back / forwards:.2f} of the time")

# %% [markdown]
# It helps a little, or not at all. Hundreds of programs run at the same time, each on a row of its own. Together,
# these rows are probably larger than the cache. Here, a good idea gains a few per cent at most. Only a measurement shows that.

# %% [markdown]
# ## What to read
#
# - The idea of this lesson: Maxim Milakov and Natalia Gimelshein, [*Online normalizer calculation for
#   softmax*](https://arxiv.org/abs/1805.02867) (2018).
# - The same idea in attention: Tri Dao, Daniel Fu, Stefano Ermon, Atri Rudra and Christopher Ré, [*FlashAttention: Fast
#   and Memory-Efficient Exact Attention with IO-Awareness*](https://arxiv.org/abs/2205.14135) (2022).
# - A state with two parts, in attention: Markus Rabe and Charles Staats, [*Self-attention Does Not Need O(n²)
#   Memory*](https://arxiv.org/abs/2112.05682) (2021).

# %% [markdown]
# ## Your way so far
#
# You began with five passes over the matrix. Here are your own right answers since then, and what each of them moves. Which of them
# read the matrix more than once, and why?

# %% tags=["nbval-ignore-output"]
own_way()

# %%
progress()

# %% [markdown]
# **Next: [09 · Split a row](09_split_a_row.ipynb).** One program for each row is good if there are many rows. What if
# there is only one row?
