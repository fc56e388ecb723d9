# %% [markdown]
# # 08 · Online softmax
#
# Until now a row had to fit into one block. The vocabulary of a language model has more than a hundred thousand entries,
# and softmax runs over all of them. In this lesson a program walks along its row in **tiles**, and you find out how to get
# the maximum and the sum in a single walk.
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
# ## When a row does not fit
#
# A block lives in registers, the small storage right beside the arithmetic. A multiprocessor, the part of a GPU that runs a
# program, has 65,536 of them for all its threads together, and each holds one float32. How many would a row of a
# vocabulary need?

# %%
n_cols = 128256
print(f"a block of {triton.next_power_of_2(n_cols):,} lanes")

# %% [markdown]
# Twice as many as there are. What does not fit, the compiler parks in memory and fetches again (it **spills**), which is
# just what we wanted to avoid. So take a block that fits and move it along the row. But then nobody ever sees the whole row at once.
#
# The plain way takes three walks: one for the maximum, one for the sum, one to divide and store. Can the first two be
# one?

# %% [markdown]
# ## A sum whose maximum moves
#
# Say you have walked along 1.0 and 2.0. You know the maximum, and the sum of the exponentials relative to it. The next
# value is 4.0, a new maximum. Is your sum lost?

# %%
to_2 = math.exp(1.0 - 2.0) + math.exp(2.0 - 2.0)
to_4 = math.exp(1.0 - 4.0) + math.exp(2.0 - 4.0)
print(f"relative to 2: {to_2:.4f}, relative to 4: {to_4:.4f}, ratio {to_4 / to_2:.6f}")

# %% [markdown]
# Both terms shrank by the same factor, so the sum is not lost. Which factor is it, in terms of the two maxima? Lesson 01
# has the answer: $e^{x-c} = e^x / e^c$. Try it:

# %%
for guess in (4.0 - 2.0, 2.0 - 4.0, 2.0 / 4.0):
    print(f"exp({guess}) = {math.exp(guess):.6f}")

# %% [markdown]
# ## Your turn: 8.1
#
# A walk needs to remember two numbers, its **state**: `m`, the largest value so far, and `d`, the sum of `exp(x - m)` over
# the values so far. Here `xs` gives you one number at a time, and each only once, like a row that is read only once. Do not
# collect them: a row may be longer than your memory.
#
# Before the first value the maximum is `-math.inf` and the sum is 0. One trap: data may hold `-inf` as well, and
# `-inf - -inf` is `nan`.

# %%
def online_normalizer(xs):
    """(m, d) of the numbers xs: their maximum, and the sum of exp(x - m). xs can be walked along once.

    Of no numbers, or of nothing but -inf, it is (-inf, 0).
    """
    m, d = -math.inf, 0.0
    for x in xs:
        # Take x in: the new maximum, then the new sum (about 4 lines).
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
# **The new maximum** comes first, but the old one is still needed for the factor. With `m = max(m, x)` too early, the
# factor is `exp(m - m)`, always 1, and the old sum is never rescaled.
#
# **The factor** `exp(m - new)` is at most 1: a sum relative to something larger is smaller. Upside down it overflows.
#
# **The guard**: as long as everything was `-inf`, there is nothing to add.
#
# **Who fails where**: without rescaling, *descending* numbers still come out right, because the maximum never moves.
#
# The idea is by Milakov and Gimelshein, *Online normalizer calculation for softmax* (2018).
#
# </details>

# %% [markdown]
# ## Watch it move
#
# Your function on the beginnings of a row, longer and longer. The line is `m`. What happens to `d` where the line jumps?

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
# A jump shrinks the *old* sum, by exp(old - new), and then adds 1 for the new value. Where the jump is large, from 1.4 to
# 3.0, `d` falls; where it is small, `d` still grows. The last pair is all that the softmax of the row needs.

# %% [markdown]
# ## Your turn: 8.2
#
# If one walk did the left part of a row and another the right part, their two states can be **merged** into the state of
# the whole. Neither walk has to see the other's values. Lesson 09 makes many programs share a row this way.

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
# **What**: `merge` is commutative (the order does not matter), associative (the grouping does not matter), and the empty
# state `(-inf, 0)` changes nothing. So partial results may be combined in any order, as a tree, or as they come in.
#
# **8.1 again**: one number `x` above `-inf` is the state `(x, 1)`. The walk of 8.1 is a chain of merges.
#
# **An honest aside**: with rounding, the grouping does matter in the last digit. Two runs of a kernel that merges in
# whatever order its programs finish need not agree bit by bit.
#
# </details>

# %% [markdown]
# Does the grouping really not matter? A thousand times, with states of very different sizes:

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
# Now the kernel. Where one value came in, a whole tile comes in: it brings its maximum and its sum, by one `tl.max` and one
# `tl.sum`. After the first walk `m` and `d` are known, and a second walk divides and stores.
#
# In the loop, `start` is the column where the tile begins. The last tile hangs over the end of the row; what is its mask?
# No access may be wider than a tile.

# %% [markdown]
# `tl.max(x, axis=0)` reduces a block to a number, `tl.maximum(a, b)` takes the larger of two. There is no `if` for single
# lanes, but `tl.where(condition, a, b)` picks `a` where the condition holds and `b` elsewhere. You may need it for a tile
# that is `-inf` everywhere: a maximum of `-inf` is no number to subtract.

# %%
@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0), in tiles of BLOCK columns: two walks, for rows of any length."""
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        # Load the tile that begins at start (about 2 lines).
        ### BEGIN SOLUTION
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        ### END SOLUTION
        # Take it in: the new maximum, the new sum (about 4 lines).
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
# **The mask** is `start + lanes < n_cols`. With `lanes < n_cols` the last tile reads past the row.
#
# **The running maximum**: `tl.maximum(m, ...)` compares two numbers, `tl.max(x, axis=0)` reduces a block. Keep the larger of
# the old and the new: the maximum of the newest tile alone passes nearly every test, and explodes on a row whose first
# tile is far above the rest.
#
# **The second walk** uses the final `m`, not the last tile's.
#
# **Textbook versions** give `nan` for rows that begin with a whole tile of `-inf`, as the masked rows of attention do.
#
# *Another style*: keep `BLOCK` states, one a lane, and merge them after the loop. It needs one reduction a row in place of
# two a tile.
#
# </details>

# %% [markdown]
# ## Your turn: 8.4
#
# The function around it, as in lesson 05: a `ValueError` with a sentence for every tensor that is no float32 matrix, then
# output and launch. The block of a long row is a number of your choice between 1024 and 16384, whatever its length; 4096 is
# a good start. A short row may have a smaller one. The check brings a row that no single block can hold.

# %%
def online_softmax(x):
    """Softmax of each row of x (M×N, float32, any N), as a new tensor: each row is read twice and written once."""
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
# **The price**: 2 MN read and 1 MN written, where the one-block kernel of lesson 05 needs 1 MN and 1 MN. When both reads
# come from memory, that is two thirds of its speed. For rows that fit into a block, lesson 05 stays the better kernel.
#
# **The gain**: any length of row, with a block that fits into the registers. And against three walks one read less.
#
# </details>

# %%
x = torch.randn(8, 3000, device=where)
traffic(online_softmax, x)

# %% [markdown]
# ## Does it come out like that?
#
# A copy reads a matrix once and writes it once, so no softmax of that matrix should beat it by much. What share of a
# copy's speed do you expect of three transfers in place of two? And of the one-block kernel of lesson 05, on rows that
# do not fit into registers?

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../docs/softmax_on_h200.json").read_text())
lesson = recorded["lessons"]["08"]["results"]
took = {(run["m"], run["n"], run["what"]): run["microseconds"] for run in lesson}
print(f"recorded on {recorded['device']}, {recorded['date']}: {recorded['command']}")
print("share of a copy's speed (1.00 is as fast as a copy)")
print("                          one block  online  torch.softmax")
for m, n in [(4096, 4096), (4096, 12672), (8192, 32768), (2048, 128256)]:
    copy, *others = (took[m, n, what] for what in ("copy", "one block", "online", "torch.softmax"))
    print(f"{m:5} × {n:6}  {copy / others[0]:20.2f}  {copy / others[1]:6.2f}  {copy / others[2]:13.2f}")

# %% [markdown]
# Where rows fit, one block wins. At 128256 columns it spills, and is far behind. The online kernel keeps close to two thirds, as counted, however long the rows are. (With 4096 columns a
# row is one tile of 4096, and probably still in the cache when it is read again.) If you have a GPU, your own kernel beside a copy:

# %% tags=["nbval-ignore-output"]
if where == "cuda":
    from triton.testing import do_bench

    for m, n in [(4096, 12672), (2048, 128256), (1, 4194304)]:
        x = torch.randn(m, n, device=where)
        torch.testing.assert_close(online_softmax(x), torch.softmax(x, dim=1))
        y = torch.empty_like(x)
        copy, mine = (do_bench(f, return_mode="median") for f in (lambda: y.copy_(x), lambda: online_softmax(x)))
        print(f"{m:5} × {n:7}: {copy / mine:.2f} of a copy's speed")

# %% [markdown]
# ## Backwards is better
#
# Between memory and the chip sits a **cache**, which keeps what was read last. When the first walk ends, it holds the *end*
# of the row. Where should the second walk begin? Here is a cache for 4 tiles that forgets the tile it has not seen for
# longest, and a row of 10 tiles:

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
# Forwards, every tile is thrown out just before its turn. Backwards, the end of the row is still there. In the kernel it is
# a change of one line, and the ledger does not see it: it counts what a kernel asks for, not what the cache had.
#
# On a GPU, hundreds of programs share one cache. Will it still help? Prediction first, then the recorded runs:

# %%
for m, n in [(4096, 12672), (8192, 32768), (2048, 128256)]:
    forwards, back = (took[m, n, what] for what in ("online", "online, second walk backwards"))
    print(f"{m:5} × {n:6}: backwards takes {back / forwards:.2f} of the time")

# %% [markdown]
# A little, or nothing: probably because the rows that hundreds of programs have under way together are larger than the
# cache. A good idea on paper is a few per cent here. That is why one measures.

# %%
progress()

# %% [markdown]
# **Next: [09 · Split a row](09_split_a_row.ipynb).** One program a row is fine as long as there are many rows. What if
# there is only one?
