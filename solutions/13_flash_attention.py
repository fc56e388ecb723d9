# %% [markdown]
# # 13 · Flash attention
#
# Attention is where most softmaxes live, and where they hurt: its scores are a matrix that no memory is large enough for.
# You will compute attention without that matrix. All it takes is the state of lesson 08, with one more sum beside it.
#
# *About an hour. No GPU needed.*

# %%
from grader import check, draw, hint, progress, traffic
import math
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## Three steps
#
# Each word of a text asks a question: its **query**, a vector of d numbers. Each word also has a **key**, what it can be
# found by, and a **value**, what it has to say. Query times key is a **score**; softmax turns the scores of a query into
# weights; the answer is the weighted mean of the values. As matrices: $\mathrm{softmax}(q k^T / \sqrt{d})\, v$.
#
# Which of these three steps moves most?

# %%
def three_steps(q, k, v):
    """Attention of one head: q is M×d, k and v are N×d."""
    scores = q @ k.T * q.shape[1] ** -0.5
    weights = torch.softmax(scores, dim=1)
    return weights @ v


g = torch.Generator().manual_seed(13)
q, k, v = (torch.randn(256, 32, generator=g).to(where) for _ in range(3))
traffic(three_steps, q, k, v)

# %% [markdown]
# MN is one of the inputs here, 256×32. The scores: scaling them is an operation of its own, and moves as much as softmax
# does. q, k, v and o hardly matter: nearly everything that moves is scores and weights, written and read back, and both have
# a row of N for each query. Inputs and output grow with N, the scores with its square. For one head with d = 64, in
# float32:

# %%
for n in (1024, 8192, 65536):
    print(f"N = {n:6}: q, k, v and o {4 * 4 * n * 64 / 2**20:6.0f} MiB, the scores {4 * n * n / 2**20:7,.0f} MiB")

# %% [markdown]
# A model has dozens of heads and of layers. But nobody wants the scores. What is asked for is `o`, and that is small.

# %% [markdown]
# ## The state, and one sum more
#
# An output is a mean: $\sum e^{s-m} v$ divided by $\sum e^{s-m}$. The lower sum is `d` of lesson 08; it is called **l** from
# here on, since d is taken. The upper one, **o**, is its twin, with a row of `v` in each term: an **accumulator**.
#
# Say two keys are done, with scores 1 and 2. The third has the score 4. What happens to `l`, and what to `o`?

# %%
values = torch.tensor([[10.0, 0.0], [0.0, 10.0]])
for m in (2.0, 4.0):
    p = torch.exp(torch.tensor([1.0, 2.0]) - m)
    print(f"relative to {m}: l = {p.sum().item():.4f}, o = {[round(x, 4) for x in (p @ values).tolist()]}")
print(f"the factor: {math.exp(2.0 - 4.0):.4f}")

# %% [markdown]
# Both shrink by the same factor, because every term of both holds the same $e^{s-m}$. So a walk along the keys can keep
# `(m, l, o)` for each query, take in a tile of keys and values, and forget its scores.

# %% [markdown]
# ## Your turn: 13.1
#
# In PyTorch first: all queries at once, and a walk along `k` and `v` in tiles of `tile` rows. `v` may have another number of
# columns than `k`, and the last tile may be short.
#
# The check counts. Each row of `k` and `v` may be read once; and where there are many keys, all your tensors that are alive
# at one moment must hold fewer numbers than there are scores. `torch.softmax` and `torch.logsumexp` are not allowed.

# %%
def tiled_attention(q, k, v, tile):
    """softmax(q kᵀ / √d) v for q (M×d), k (N×d), v (N×dv), float32, in tiles of `tile` keys."""
    scale = q.shape[1] ** -0.5
    # The state of no keys: for each query a maximum, a sum, a row of zeros (3 lines).
    ### BEGIN SOLUTION
    m = torch.full((len(q), 1), -math.inf, device=q.device)
    l = torch.zeros(len(q), 1, device=q.device)
    o = torch.zeros(len(q), v.shape[1], device=q.device)
    ### END SOLUTION
    for start in range(0, len(k), tile):
        # The scores of this tile; the new maximum, and what follows from it for l and o, undivided (about 7 lines).
        ### BEGIN SOLUTION
        s = q @ k[start : start + tile].T * scale
        new = torch.maximum(m, s.amax(dim=1, keepdim=True))
        factor = torch.exp(m - new)
        p = torch.exp(s - new)
        l = l * factor + p.sum(dim=1, keepdim=True)
        o = o * factor + p @ v[start : start + tile]
        m = new
        ### END SOLUTION
    # The mean (1 line).
    ### BEGIN SOLUTION
    return o / l
    ### END SOLUTION

# %%
check("13.1")

# %% [markdown]
# <details><summary>One factor, two sums</summary>
#
# **The factor** goes to `l` and to `o`. In one of them alone it is wrong whenever the maximum rises: with *falling* scores
# nobody notices.
#
# **The division** comes once, at the end. Dividing at every tile also works, if `o` is multiplied by the old `l` again
# before the next part is added. Nobody needs that.
#
# **`-inf`**: the first factor is exp(-inf), which is 0. Every tile has a finite score here, so -inf minus -inf does not
# occur.
#
# **The idea**: Milakov and Gimelshein (2018) for the state, Rabe and Staats (2021) for attention in little memory, Dao and
# others (2022) for the kernel, *FlashAttention*.
#
# </details>

# %% [markdown]
# Watch one query. Its output, after each tile, is the attention over the keys so far, so your function can draw its own
# walk. When does the output jump?

# %%
import matplotlib.pyplot as plt

g = torch.Generator().manual_seed(4)
one, keys, values = (torch.randn(n, 2, generator=g) for n in (1, 24, 24))
keys[9], keys[16] = 3 * one[0], 4 * one[0]  # two keys that suit the query better and better
scores = (one @ keys.T * 2**-0.5)[0]
seen = range(3, 25, 3)
maxima = [scores[:n].max().item() for n in seen]
outputs = [tiled_attention(one, keys[:n], values[:n], 3)[0].tolist() for n in seen]
print("m:       ", *(f"{m:5.2f}" for m in maxima))
print("column 0:", *(f"{row[0]:5.2f}" for row in outputs))
plt.rcParams["font.size"] = 11
figure, (top, bottom) = plt.subplots(2, figsize=(6.4, 4.6), dpi=110, sharex=True, layout="constrained")
top.plot(range(1, 25), scores, "o", color="black", markersize=4, label="scores")
top.step([0, *seen], [maxima[0], *maxima], color="#4477aa", linewidth=2.5, label="m, the largest so far")
for i, style in enumerate(("s-", "^--")):
    bottom.plot(seen, [row[i] for row in outputs], style, color="#aa3377", label=f"o / l, column {i}")
for axes, limits in ((top, (-4, 12)), (bottom, (-0.9, 1.6))):
    axes.set_ylim(limits)
    axes.legend(frameon=False, loc="upper left", ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
bottom.set_xlabel("keys seen, in tiles of 3")
plt.show()

# %% [markdown]
# In words: the output moves most in the tiles where the maximum rises. There the factor is small, and what was summed up
# before counts for little.

# %% [markdown]
# ## Into a kernel
#
# In PyTorch, each tile's scores still travel to memory and back: every operation does that. In a kernel they stay in the
# registers, with `m`, `l` and `o`. A program takes `BLOCK_M` queries and walks along all keys, `BLOCK_N` at a time.
#
# New are the product of two blocks, and blocks to start with. `tl.zeros((A, B), tl.float32)` and
# `tl.full((A,), value, tl.float32)` make one; a shape is a tuple, even with one size. `tl.dot(a, b)` takes shapes [A, B]
# and [B, C] and gives [A, C]; `tl.trans(k)` turns a block on its side. A GPU wants each of the three sizes to be 16
# at least. And `tl.minimum(a, b)` is the smaller of two numbers.

# %% [markdown]
# One thing about precision. Many GPUs multiply float32 blocks in **tf32**, which is faster and keeps 10 bits after the
# point. How much is that?

# %%
x = torch.tensor([1 / 3])
tf32 = (x.view(torch.int32) + 4096 & ~8191).view(torch.float32)  # the nearest number with 13 bits fewer
print(f"{x.item():.7f} becomes {tf32.item():.7f}, off by {abs(tf32 / x - 1).item():.1e} of itself")

# %% [markdown]
# `tl.dot(..., input_precision="ieee")` asks for all digits of float32. Interpreted it makes no difference; on a GPU it
# decides whether the check passes.

# %% [markdown]
# ## Your turn: 13.2
#
# Fill in all but the two `CAUSAL` steps first; that is worth 2 of the 3 points (the two causal cells below then have to
# wait).
#
# Lanes behind the last key have to lose: they may neither win the maximum nor have a weight. And their rows of `v`? 0 times
# a number is 0, but 0 times NaN is NaN, and a masked lane may hold NaN.
#
# The check counts: `q` is read once, `k` and `v` once for each block of queries, `o` is written once.

# %%
@triton.jit
def attention_kernel(
    o_ptr, q_ptr, k_ptr, v_ptr, o_row_stride, q_row_stride, k_row_stride, v_row_stride, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):
    """o = softmax(scale · q kᵀ) v: program 0 has the first BLOCK_M queries, program 1 the next; all rows have D columns.

    With CAUSAL, query i sees the keys 0 to i and no others.
    """
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    # This program's queries, and the state of no keys: m and l have one value a query, o has D (about 4 lines).
    ### BEGIN SOLUTION
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=inside, other=0.0)
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    o = tl.zeros([BLOCK_M, D], tl.float32)
    ### END SOLUTION
    end = n_keys
    if CAUSAL:
        # Last step: where may this program stop? (1 line; `pass` sees all tiles and is right as well)
        ### BEGIN SOLUTION
        end = tl.minimum(n_keys, (tl.program_id(0) + 1) * BLOCK_M)
        ### END SOLUTION
    for start in range(0, end, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        # Load the tiles of k and v (about 3 lines).
        ### BEGIN SOLUTION
        exist = keys[:, None] < n_keys
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=exist, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=exist, other=0.0)
        ### END SOLUTION
        # The scores s; those of keys that do not exist must lose (about 2 lines).
        ### BEGIN SOLUTION
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(keys[None, :] < n_keys, s, -float("inf"))
        ### END SOLUTION
        if CAUSAL:
            # Last step: those of keys that a query does not see must lose, too (1 line).
            ### BEGIN SOLUTION
            s = tl.where(keys[None, :] <= rows[:, None], s, -float("inf"))
            ### END SOLUTION
        # The new m, l and o, as in 13.1 (about 6 lines).
        ### BEGIN SOLUTION
        new = tl.maximum(m, tl.max(s, axis=1))
        factor = tl.exp(m - new)
        p = tl.exp(s - new[:, None])
        l = l * factor + tl.sum(p, axis=1)
        o = o * factor[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
        ### END SOLUTION
    # Divide and store (about 2 lines).
    ### BEGIN SOLUTION
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o / l[:, None], mask=inside)
    ### END SOLUTION

# %%
check("13.2")

# %% [markdown]
# <details><summary>Line by line</summary>
#
# **Queries below the matrix** may hold anything: rows share no number, and the store is masked. **Values behind the last
# key** may not: 0 times NaN is NaN.
#
# **Before the maximum**: masked only after `exp`, a hidden score has already been the maximum. A score of 0 in its place
# has a weight like any other.
#
# **`[:, None]`** wherever one value a query meets a row: in `p`, in `o`, in the division.
#
# **`tl.trans(k)`**, or load `k` on its side, `keys[None, :]` and `dims[:, None]`.
#
# *An honest aside*: float32 throughout shows the idea, not the speed. Fast kernels take half precision and load the next
# tile while they compute.
#
# </details>

# %% [markdown]
# ## Causal
#
# A model that writes may not look ahead: word i sees the words 0 to i, itself included. Such attention is **causal**; its
# mask is a staircase. Here are eight words in blocks of two, without the mask. Which keys will program 0 need with it?

# %%
def attention(q, k, v, causal=False, block=32):
    """One head, float32: q is M×d, k and v are N×d; d is a power of two and, on a GPU, like block at least 16."""
    o = torch.empty_like(q)
    strides = [t.stride(0) for t in (o, q, k, v)]
    sizes = {"D": q.shape[1], "BLOCK_M": block, "BLOCK_N": block, "CAUSAL": causal}
    attention_kernel[(triton.cdiv(len(q), block),)](o, q, k, v, *strides, len(q), len(k), q.shape[1] ** -0.5, **sizes)
    return o


small = [torch.randn(8, 4, generator=g).to(where) for _ in range(3)]
draw.attention_tiles(attention, *small, False, 2)

# %% [markdown]
# Every program loads all of `k`, as it must. The numbers are weights: your output where `v` holds 1 for one key and 0 for all
# others. (This run is interpreted, so blocks of 2 will do.) And with the mask?

# %%
draw.attention_tiles(attention, *small, True, 2)

# %% [markdown]
# On the staircase, tiles are **partial**: a query has a score for keys that it does not see, and they are masked. To the right
# of it, tiles are **skipped**; with many blocks that is nearly half of the reads. A program that loads and masks them would
# be right as well: their weights are all 0.

# %% [markdown]
# <details><summary>A tile that is hidden altogether</summary>
#
# Where a tile is narrower than the block is high, a query may see none of its keys: all scores are -inf. Does -inf minus
# -inf make NaN of it?
#
# Not here: the walk begins with key 0, which every query sees, so `m` is a number by then. The factor is 1, the weights
# are 0. A walk from the right would need lesson 08's guard, a shift of 0 in place of -inf.
#
# *An honest aside*: for fewer queries than keys, two staircases are in use. Ours begins at the top left, like PyTorch's
# `is_causal`. Others end at the bottom right, where with more queries than keys some see none.
#
# </details>

# %% [markdown]
# ## What it moves
#
# The same 256×32 as at the beginning, beside the three steps:

# %%
traffic([three_steps, attention], q, k, v)

# %%
def causal_attention(q, k, v):
    return attention(q, k, v, causal=True)


traffic([attention, causal_attention], q, k, v)

# %% [markdown]
# No score was stored. What is left is `k` and `v`, once for each block of queries: the larger `BLOCK_M`, the less. For one
# head of 65536 words with d = 64, in gigabytes:

# %%
n, d = 65536, 64
stored = 4 * (4 * n * d + 6 * n * n)  # inputs and output once; scores and weights three times out and three times in
print(f"three steps: {stored / 1e9:6.1f} GB")
for block_m in (16, 64, 128):
    tiles = 4 * (2 * n * d + 2 * n * d * n // block_m)
    print(f"blocks of {block_m:3} queries: {tiles / 1e9:5.1f} GB, {tiles / stored:.2f} of that")

# %% [markdown]
# The first of these formulas should be the ledger of `three_steps`. Is it, for 256×32? Compare with the table above:

# %%
n, d = 256, 32
print(f"read {3 * n * d + 3 * n * n:,} and written {n * d + 3 * n * n:,}")

# %% [markdown]
# It is. And with the smallest blocks nothing is gained: what the scores would have cost, `k` and `v` cost again and again.
# With larger ones it pays. The arithmetic is the same throughout, every score is computed; so by lesson 02 the intensity
# rises, and attention in large blocks can be bound by compute.
#
# *An honest aside*: programs that run side by side read the same tiles of `k` and `v`, and most of that comes from the
# cache. The ledger counts what a kernel asks for.

# %% [markdown]
# If this machine has a GPU: your kernel beside the three steps. Do not expect to win. PyTorch's matrix products are tuned for
# each card; ours asks for exact float32, which leaves the tensor cores idle, and nobody has chosen its blocks with care.
# What it saves is memory: the scores of long sequences do not fit at all.

# %% tags=["nbval-ignore-output"]
for n in (1024, 8192) if where == "cuda" else (96,):
    q, k, v = (torch.randn(n, 64, device=where) for _ in range(3))
    torch.testing.assert_close(attention(q, k, v), three_steps(q, k, v), rtol=1e-3, atol=1e-4)
    if where == "cuda":
        from triton.testing import do_bench

        steps, mine = (do_bench(lambda f=f: f(q, k, v), return_mode="median") for f in (three_steps, attention))
        print(f"N = {n}: the three steps take {steps / mine:.2f} times as long as the kernel")

# %%
progress()

# %% [markdown]
# **Next: [14 · Measure and ship](14_measure_and_ship.ipynb).** You have several softmaxes by now. Which one should a library
# call, and how do you find out without fooling yourself?
