# %% [markdown]
# # 13 · Flash attention
#
# Most softmaxes are computed in **attention**, the part of a language model in which each word looks at other words.
# There they are expensive: each word has a number for each other word. These numbers form a matrix, and for a long text it can be larger
# than the memory of a GPU. You will compute attention without that matrix. You need the state of lesson 08 (the
# maximum and the sum so far), and one more sum.
#
# *About 200 minutes, and 70 more for the bonus exercise. No GPU needed.*

# %%
from grader import check, draw, hint, progress, recall, traffic
import math
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## Three steps
#
# Each word of a text has three vectors of d numbers. Its **query** is the question that the word asks. Its **key** is compared
# with the questions of all words. Its **value** is the answer that it can give. Multiply a query by a key, number by number,
# add up the products, and divide the sum by $\sqrt{d}$: the result is a **score**. Softmax turns the scores of a query into
# weights. The output is the weighted mean of the values. As matrices with one row for each word:
# $o = \mathrm{softmax}(q k^T / \sqrt{d})\, v$.

# %% [markdown]
# A model does this many times side by side, each time with other q, k and v. One of these computations is called a **head**.
# We begin with one head. Which of its three steps moves most?

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
# In this table, MN is the number of elements of one input, 256×32. Nearly everything that moves is scores and weights:
# they are written, and read again. PyTorch scales the scores in a separate operation, which moves as much as softmax.
# Compared with that, q, k, v and o are small. Their size grows with N, but the size of the scores grows with N². For
# one head with d = 64, in float32:

# %%
for n in (1024, 8192, 65536):
    print(f"N = {n:6}: q, k, v and o {4 * 4 * n * 64 / 2**20:6.0f} MiB, the scores {4 * n * n / 2**20:7,.0f} MiB")

# %% [markdown]
# A model has dozens of heads in each of dozens of layers. But nobody needs the scores afterwards. The model needs only `o`,
# and `o` is small.

# %% [markdown]
# ## The state, and one sum more
#
# Take one query. Its scores are s, and m is the largest of them. Its output is $\sum e^{s-m} v$ divided by $\sum e^{s-m}$.
#
# The denominator $\sum e^{s-m}$ is the `d` of lesson 08. In this lesson it is called **l**, because d is the length of a vector.
# The numerator $\sum e^{s-m} v$ is called **o**: divided by `l`, it is the output. It is an **accumulator**: in a loop, each
# step adds weights times rows of `v`.

# %% [markdown]
# Two keys are done, with scores 1 and 2, so m is 2. The third key has the score 4, so m becomes 4. What happens to the `l`
# and the `o` of the first two keys?

# %%
values = torch.tensor([[10.0, 0.0], [0.0, 10.0]])
for m in (2.0, 4.0):
    p = torch.exp(torch.tensor([1.0, 2.0]) - m)
    print(f"relative to {m}: l = {p.sum().item():.4f}, o = {[round(x, 4) for x in (p @ values).tolist()]}")
print(f"the factor: {math.exp(2.0 - 4.0):.4f}")

# %% [markdown]
# Both become smaller by the same factor, because each term of both sums contains $e^{s-m}$. So the state of a query is
# `(m, l, o)`. In each step, the walk takes one tile of keys and values and updates the state. After that, it no longer needs
# the scores of this tile.

# %% [markdown]
# ## Your turn: 13.1
#
# First in PyTorch: take all queries at once, and walk along `k` and `v` in tiles of `tile` rows. `v` may have another number
# of columns than `k`. The last tile may be short.
#
# The check counts two things. First, you may read each row of `k` and `v` only once. Second, if there are many keys, you may
# not hold too much: at every moment, all your tensors together must have fewer than M·N elements, for M queries and N keys.
# (Here M·N is the number of scores.) `torch.softmax` and `torch.logsumexp` are not allowed.

# %%
def tiled_attention(q, k, v, tile):
    """softmax(q kᵀ / √d) v for q (M×d), k (N×d), v (N×c), float32, in tiles of `tile` keys: a new M×c tensor."""
    scale = q.shape[1] ** -0.5
    # The state before the first key: for each query a maximum, a sum, a row of zeros (3 lines).
    ### BEGIN SOLUTION
    m = torch.full((len(q), 1), -math.inf, device=q.device)
    l = torch.zeros(len(q), 1, device=q.device)
    o = torch.zeros(len(q), v.shape[1], device=q.device)
    ### END SOLUTION
    for start in range(0, len(k), tile):
        # The scores of this tile, the new maximum of each query, and the new l and o, not yet divided (about 7 lines).
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
# **The factor** goes to `l` and to `o`. If only one of them is rescaled, the result is wrong as soon as the maximum rises.
# With *falling* scores the maximum does not rise, so a test with such scores does not find this mistake.
#
# **The division** comes once, at the end. You can also divide at every tile. But then `o` has to be multiplied by the old `l`
# before the next part is added.
#
# **`-inf`**: the first factor is exp(-inf), which is 0. Every tile has a finite score here, so -inf minus -inf does not
# occur.
#
# **The sources** of the idea: [Milakov and Gimelshein (2018)](https://arxiv.org/abs/1805.02867) for the state,
# [Rabe and Staats (2021)](https://arxiv.org/abs/2112.05682) for attention in little memory, and
# [Dao and others (2022)](https://arxiv.org/abs/2205.14135) for the kernel, *FlashAttention*.
#
# </details>

# %% [markdown]
# Now watch one query. After each tile, `o / l` is the attention over the keys so far. So the next cell calls your function
# with more and more keys, and draws `m` and the outputs. When does the output change most?

# %%
import matplotlib.pyplot as plt

g = torch.Generator().manual_seed(4)
one, keys, values = (torch.randn(n, 2, generator=g) for n in (1, 24, 24))
keys[9], keys[16] = 3 * one[0], 4 * one[0]  # two keys that suit the query better and better
scores = (one @ keys.T * 2**-0.5)[0]
seen = range(3, 25, 3)
maxima = [scores[:n].max().item() for n in seen]


def outputs_so_far():
    return [tiled_attention(one, keys[:n], values[:n], 3)[0].tolist() for n in seen]


outputs = outputs_so_far()
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

# %%
rises = [after > before for before, after in zip(maxima, maxima[1:])]
outputs = outputs_so_far()
changes = [math.dist(before, after) for before, after in zip(outputs, outputs[1:])]
print("after a rise of m:", *(f"{change:.2f}" for change, rise in zip(changes, rises) if rise))
print("else:             ", *(f"{change:.2f}" for change, rise in zip(changes, rises) if not rise))

# %% [markdown]
# The output changes most in the tiles where the maximum rises. There the factor is small, so the earlier tiles count for
# little.

# %% [markdown]
# ## Into a kernel
#
# In PyTorch, the scores of each tile still go to memory and come back, because every operation writes its result to memory.
# In a kernel they stay in registers, and so do `m`, `l` and `o`. A program takes `BLOCK_M` queries and walks along all keys,
# `BLOCK_N` at a time.

# %% [markdown]
# You need a few new functions. `tl.zeros((A, B), tl.float32)` and `tl.full((A,), value, tl.float32)` make a block. A shape is
# a tuple, even with one size. [`tl.dot(a, b)`](https://triton-lang.org/main/python-api/generated/triton.language.dot.html)
# multiplies blocks of shapes [A, B] and [B, C] and gives [A, C]. For GPUs of NVIDIA, B must be at least 16.
# (Triton 3.9 takes 8 in float32.)
# `tl.trans(k)` exchanges the two axes of a block. `tl.minimum(a, b)` is the smaller of two numbers, and `tl.log(a)` is the natural logarithm.

# %% [markdown]
# Many GPUs have **tensor cores**: units that multiply small matrices, much faster than the other units of a
# multiprocessor. For float32 they use **tf32**: each number keeps only 10 of its 23 bits after the point. How large is
# the error?

# %%
x = torch.tensor([1 / 3])
tf32 = (x.view(torch.int32) + 4096 & ~8191).view(torch.float32)  # the nearest number with 13 fewer bits
print(f"{x.item():.7f} becomes {tf32.item():.7f}, off by {abs(tf32 / x - 1).item():.1e} of itself")

# %% [markdown]
# `tl.dot(..., input_precision="ieee")` asks for all digits of float32. In the interpreter it makes no difference. On a
# GPU, without it, about three digits of the result are right. The check accepts the result with this option and
# without it.

# %% [markdown]
# The kernel has one more parameter, `CAUSAL`. A model that writes a text may not look ahead: word i may see the words 0 to i,
# and no later ones. Such attention is called **causal**. So with `CAUSAL`, query i may see only the keys 0 to i. The other
# keys are hidden from it: they have no weight.

# %% [markdown]
# ## Your turn: 13.2
#
# The kernel grows in four steps. Run the check after each step: each is worth a quarter of the points.
#
# | step | the inputs | new in your kernel |
# |---|---|---|
# | **one tile** | full blocks, all keys in one tile | load of `k` and `v`, scores, the largest score of each query, weights, their sum, product with `v` |
# | **edges** | the last blocks are not full | masks for `k` and `v`, for the scores |
# | **several tiles** | more keys than a tile has | the state and its update, as in 13.1 |
# | **causal** | `CAUSAL` is on | the two lines below `if CAUSAL` |

# %% [markdown]
# The queries and their state are there when the loop begins, and after it the result is divided and stored. In step 1, fill in
# the three TODOs of the loop that are not below `if CAUSAL`, with one to three lines each. Steps 2 and 3 change
# these lines and add others. (The comments count the lines of the finished kernel.)

# %% [markdown]
# For the edges: a lane after the last key must not become the maximum, and its weight must be 0. Its row of `v`
# matters as well: 0 times a number is 0, but 0 times NaN or an infinity is NaN.
#
# The check counts: `q` is read once, `k` and `v` once for each block of queries, and `o` is written once. In its message, the unit MN is the number of scores.

# %%
@triton.jit
def attention_kernel(
    o_ptr, q_ptr, k_ptr, v_ptr, o_row_stride, q_row_stride, k_row_stride, v_row_stride, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):
    """o = softmax(scale · q kᵀ) v: program 0 has the first BLOCK_M queries, program 1 the next; all rows have D columns.

    With CAUSAL, query i sees the keys 0 to i and no others.
    """
    rows = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    dims = tl.arange(0, D)
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=inside, other=0.0)
    # The state of each query: one m, one l, and D values of o. Step 1 does not need the old m.
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    o = tl.zeros([BLOCK_M, D], tl.float32)
    end = n_keys
    if CAUSAL:
        # Step 4: where may this program stop? (1 line. `pass` is right as well: then the program visits all tiles.)
        ### BEGIN SOLUTION
        end = tl.minimum(n_keys, (tl.program_id(0) + 1) * BLOCK_M)
        ### END SOLUTION
    for start in range(0, end, BLOCK_N):
        keys = (start + tl.arange(0, BLOCK_N)).to(tl.int64)
        # Step 1: load the tiles of k and v. Step 2: their masks (about 3 lines).
        ### BEGIN SOLUTION
        exist = keys[:, None] < n_keys
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=exist, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=exist, other=0.0)
        ### END SOLUTION
        # Step 1: the scores s. Step 2: keys that do not exist must have no weight (about 2 lines).
        ### BEGIN SOLUTION
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(keys[None, :] < n_keys, s, -float("inf"))
        ### END SOLUTION
        if CAUSAL:
            # Step 4: keys that a query may not see must have no weight, too (1 line).
            ### BEGIN SOLUTION
            s = tl.where(keys[None, :] <= rows[:, None], s, -float("inf"))
            ### END SOLUTION
        # Step 1: the largest scores, the weights p, their sum l, and o = p v. Step 3: the new m, l and o, as in 13.1
        # (about 6 lines).
        ### BEGIN SOLUTION
        new = tl.maximum(m, tl.max(s, axis=1))
        factor = tl.exp(m - new)
        p = tl.exp(s - new[:, None])
        l = l * factor + tl.sum(p, axis=1)
        o = o * factor[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
        ### END SOLUTION
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o / l[:, None], mask=inside)

# %%
check("13.2")

# %% [markdown]
# <details><summary>Line by line</summary>
#
# **Lanes after the last query** may hold anything: no query uses the numbers of another one, and the store is masked. **Lanes
# of `v` after the last key** may not, because 0 times NaN is NaN.
#
# **The mask of the scores** comes before the maximum. After `exp` it is too late, because a hidden score may have been the
# maximum. A score of 0 does not help either: it has a weight like any other. A large finite number in place of -inf, such as
# -1e9, is right only while every score is above it. Some kernels add -1e6 to a hidden score, which is right only while no
# hidden score is a million above the others. The check has scores around -1e12, and keys that are 1e12 apart.
#
# **`[:, None]`** stands wherever a block with one value for each query meets a block with a row for each query: in `p`, in
# `o`, in the division.
#
# **`tl.trans(k)`** is one way. The other is to load `k` transposed, with `keys[None, :]` and `dims[:, None]`.
#
# **`.to(tl.int64)`**: as in 5.1.
#
# *An honest aside*: this kernel has one head, and computes in float32. Both change in 13.3.
#
# </details>

# %% [markdown]
# ## Causal
#
# The causal mask looks like a staircase, as you will see. First, here are eight words in blocks of two *without* the mask.
# Each program has two queries. With the mask, which keys will program 0 need?

# %%
def attention(q, k, v, causal=False, block=32):
    """One head, float32: q is M×d, k and v are N×d. d and block are powers of two, on a GPU at least 16."""
    o = torch.empty_like(q)
    strides = [t.stride(0) for t in (o, q, k, v)]
    sizes = {"D": q.shape[1], "BLOCK_M": block, "BLOCK_N": block, "CAUSAL": causal}
    attention_kernel[(triton.cdiv(len(q), block),)](o, q, k, v, *strides, len(q), len(k), q.shape[1] ** -0.5, **sizes)
    return o


small = [torch.randn(8, 4, generator=g).to(where) for _ in range(3)]
draw.attention_tiles(attention, *small, False, 2)

# %% [markdown]
# Without the mask, every program needs all keys. Each tile shows in which step its program computed it, and the weights in it.
# To get the weights of a key, your kernel ran with a `v` that holds 1 for this key and 0 for all others. (This run is
# interpreted, so blocks of 2 are possible.) What will the picture be with the mask?

# %%
draw.attention_tiles(attention, *small, True, 2)

# %% [markdown]
# On the steps of the staircase, tiles are **partial**: the program computes all scores of the tile, and masks the
# scores of hidden keys. To the right of the steps, tiles are **skipped**. With many blocks, these are nearly half of
# all tiles. A program that loads and masks them is right as well, because their weights are all 0.

# %% [markdown]
# <details><summary>A tile whose keys are all hidden from a query</summary>
#
# If a tile has fewer keys than the block has queries, the whole tile may be hidden from a query: all scores of this
# query and this tile are -inf. Does -inf minus -inf give NaN?
#
# Not here: the walk begins with key 0, which every query may see. So `m` is a finite number before such a tile comes. The
# factor is 1, and the weights are 0. A walk that begins with the last key would need the guard of lesson 08: a shift of 0 in
# place of -inf.
#
# *An honest aside*: for fewer queries than keys, two staircases are in use. Ours begins at the top left, like `is_causal` of
# [PyTorch](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html). Others end
# at the bottom right.
#
# </details>

# %% [markdown]
# ## What it moves
#
# Take the inputs of the beginning again. MN is again 256×32, the elements of one input. How much less does your kernel move than the three steps?

# %%
traffic([three_steps, attention], q, k, v)

# %% [markdown]
# And how much less with the causal mask? (If your step 4 has `pass`, the numbers are the same.)

# %%
def causal_attention(q, k, v):
    return attention(q, k, v, causal=True)


traffic([attention, causal_attention], q, k, v)

# %% [markdown]
# No score was stored. Now most of the traffic is `k` and `v`: they are read once for each block of queries. So with a larger
# `BLOCK_M`, less is moved. How much does that matter for one head of 65536 words with d = 64?

# %%
n, d = 65536, 64
stored = 4 * (4 * n * d + 6 * n * n)  # inputs and output once; n×n numbers are stored three times and loaded three times
print(f"three steps: {stored / 1e9:6.1f} GB")
for block_m in (16, 64, 128):
    tiles = 4 * (2 * n * d + 2 * n * d * n // block_m)
    print(f"blocks of {block_m:3} queries: {tiles / 1e9:5.1f} GB, {tiles / stored:.2f} of that")

# %% [markdown]
# The formula for the three steps should give what the ledger counted. Does it, for 256×32? Compare with the first table of
# this section:

# %%
n, d = 256, 32
print(f"read {3 * n * d + 3 * n * n:,} and written {n * d + 3 * n * n:,}")

# %% [markdown]
# It does. With the smallest blocks nothing is gained: reading `k` and `v` so often moves more than the scores would. Larger
# blocks gain a lot. The amount of arithmetic is the same in all cases, because every score is computed. So the arithmetic
# intensity of lesson 02 rises, and attention in large blocks can be bound by compute.
#
# *An honest aside*: programs that run at the same time read the same tiles of `k` and `v`, so many of these reads find their
# tile in the cache. The ledger counts all reads of a kernel, wherever the data comes from.

# %% [markdown]
# If this machine has a GPU, this cell compares your kernel with the three steps. Do not expect your kernel to win: the
# matrix products of PyTorch are tuned for each card. (They use exact float32 here, and so does your kernel with
# `input_precision="ieee"`. Then both leave the tensor cores idle.) But your kernel saves memory.

# %% tags=["nbval-ignore-output"]
for n in (1024, 8192) if where == "cuda" else (96,):
    q, k, v = (torch.randn(n, 64, device=where) for _ in range(3))
    torch.testing.assert_close(attention(q, k, v), three_steps(q, k, v), rtol=1e-3, atol=1e-4)
    if where == "cuda":
        from triton.testing import do_bench

        steps, mine = (do_bench(lambda f=f: f(q, k, v), return_mode="median") for f in (three_steps, attention))
        print(f"N = {n}: the three steps take {steps / mine:.2f} times as long as the kernel")

# %% [markdown]
# ## All heads, in half precision
#
# Attention in a model differs from 13.2 in three points. Two of them:
#
# - **Batches and heads.** A model works on several texts at once. So q, k, v and o have four axes: batches × heads × words × D.
#   Heads do not depend on each other: each has its own programs, and the grid gets a second axis. Each tensor has its own
#   strides.
# - **Half precision.** q, k, v and o are float16 or bfloat16. `tl.dot` of two such blocks runs on the tensor cores,
#   and it **adds up in float32**. Scores, `m`, `l`, `p` and the accumulator are computed in float32. One block has to
#   be rounded for a product.

# %% [markdown]
# And the third:
#
# - **The log-sum-exp.** The backward pass needs the weights again, but there are too many of them to store. One number
#   for each query is enough: $\mathrm{lse} = \log \sum e^{s}$, the logarithm of the sum over all its keys. Then the
#   weight of a key is $e^{s - \mathrm{lse}}$.
#
# Every query sees at least one key here, so its lse is finite. A lane after the last query has no lse: nothing is stored for
# it.

# %% [markdown]
# Which block has to be rounded? And why should the others stay in float32? Here an accumulator holds 2048, and 1 is added to
# it a hundred times:

# %%
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    total = torch.tensor(2048.0, dtype=dtype)
    for _ in range(100):
        total = total + torch.tensor(1.0, dtype=dtype)
    print(f"{str(dtype):15} {total.item():.0f}")

# %% [markdown]
# In half precision, 2048 + 1 is rounded back to 2048 (lesson 07).

# %% [markdown]
# ## Your turn: 13.3
#
# Write the kernel for all heads. The two blocks of a `tl.dot` must have the same dtype. But `p` is float32, and `v` is in half
# precision. `block.to(dtype)` converts a block, and `v.dtype` is the dtype of `v`. `tl.store` converts by itself. As in 5.1, a
# head may begin beyond element 2^31.
#
# The check compares `o` and `lse` with a result in float64. For `o` it allows the rounding of its dtype, for `lse` only that
# of float32. It also counts: for each head, `q` is read once, and `k` and `v` once for each block of queries.

# %%
@triton.jit
def flash_kernel(
    o_ptr, lse_ptr, q_ptr, k_ptr, v_ptr, o_batch_stride, o_head_stride, o_row_stride, q_batch_stride, q_head_stride,
    q_row_stride, k_batch_stride, k_head_stride, k_row_stride, v_batch_stride, v_head_stride, v_row_stride,
    n_heads, n_queries, n_keys, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    """13.2 for all heads of a batch, in float16 or bfloat16; and the log-sum-exp of each query's scores, in float32.

    Program (i, j) has block i of the queries of head j: j counts the heads of batch 0, then those of batch 1, and so on.
    lse is batches × heads × queries, contiguous.
    """
    # Which batch is it, and which of its heads? Let the four pointers begin there (about 6 lines).
    ### BEGIN SOLUTION
    batch = (tl.program_id(1) // n_heads).to(tl.int64)
    head = (tl.program_id(1) % n_heads).to(tl.int64)
    o_ptr += batch * o_batch_stride + head * o_head_stride
    q_ptr += batch * q_batch_stride + head * q_head_stride
    k_ptr += batch * k_batch_stride + head * k_head_stride
    v_ptr += batch * v_batch_stride + head * v_head_stride
    ### END SOLUTION
    # From here on it is 13.2, with CAUSAL: recall("13.2") shows yours. Change two things: the product with v, and after
    # the walk store lse as well (about 26 lines).
    ### BEGIN SOLUTION
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=inside, other=0.0)
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    o = tl.zeros([BLOCK_M, D], tl.float32)
    end = n_keys
    if CAUSAL:
        end = tl.minimum(n_keys, (tl.program_id(0) + 1) * BLOCK_M)
    for start in range(0, end, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        exist = keys[:, None] < n_keys
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=exist, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=exist, other=0.0)
        s = tl.dot(q, tl.trans(k)) * scale
        s = tl.where(keys[None, :] < n_keys, s, -float("inf"))
        if CAUSAL:
            s = tl.where(keys[None, :] <= rows[:, None], s, -float("inf"))
        new = tl.maximum(m, tl.max(s, axis=1))
        factor = tl.exp(m - new)
        p = tl.exp(s - new[:, None])
        l = l * factor + tl.sum(p, axis=1)
        o = o * factor[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o / l[:, None], mask=inside)
    tl.store(lse_ptr + tl.program_id(1) * n_queries + rows, m + tl.log(l), mask=rows < n_queries)
    ### END SOLUTION

# %%
check("13.3")

# %% [markdown]
# <details><summary>Three changes</summary>
#
# **The start of a head** is `batch * batch_stride + head * head_stride`, with the strides of each tensor. In many models the
# four axes lie in memory as batches × words × heads × D. With these strides, no copy is needed. Both products have 64 bits, because
# `batch` and `head` have.
#
# **`p.to(v.dtype)`** is the only rounding to half precision before the store. No number in `p` is above 1, so the rounding
# changes it by less than half of eps (lesson 07). `l` adds up the weights before they are rounded.
#
# **`m + log(l)`**: l is the sum of exp(s - m), so the sum of exp(s) is exp(m) · l.
#
# </details>

# %% [markdown]
# This function launches your kernel. `num_stages` says how many steps of the loop may be under way at once: with 3,
# two tiles of `k` and `v` are loaded ahead. It changes only the speed; lesson 15 has more about it.

# %%
def flash_attention(q, k, v, causal=False, block_m=128, block_n=64, num_warps=8, num_stages=3):
    """(o, lse) of q (B×H×M×D), k and v (B×H×N×D), in float16 or bfloat16; lse is B×H×M, in float32."""
    (b, h, m, d), n = q.shape, k.shape[2]
    o, lse = torch.empty_like(q), torch.empty(b, h, m, device=q.device)
    strides = [s for t in (o, q, k, v) for s in t.stride()[:3]]
    sizes = {"D": d, "BLOCK_M": block_m, "BLOCK_N": block_n, "CAUSAL": causal}
    grid = (triton.cdiv(m, block_m), b * h)
    options = {"num_warps": num_warps, "num_stages": num_stages}
    flash_kernel[grid](o, lse, q, k, v, *strides, h, m, n, d**-0.5, **sizes, **options)
    return o, lse

# %% [markdown]
# ## How fast is it?
#
# PyTorch has a function for attention,
# [`scaled_dot_product_attention`](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html).
# Its work is done by one of several **backends**. Two of them were timed on an H200: **flash**, which is
# FlashAttention-2 (Dao 2023), and **cuDNN**, a library by NVIDIA. The same run also timed `flash_attention` with the kernel of the solution notebook and, for N up to 4096, the three steps. The times are recorded in a file, with the command that
# made it. Which one do you expect to be the fastest?

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../records/attention_on_h200.json").read_text())
print(f"{recorded['device']}, {recorded['date']}, torch {recorded['versions']['torch']}: {recorded['command']}")
print("64 heads, float16; the time of each, divided by that of 13.3")
for run in recorded["results"]:
    if run["dtype"] == "float16":
        took = run["microseconds"]
        others = (f"{name} {took[name] / took['13.3']:5.2f}" for name in ("flash", "cuDNN", "three steps") if took[name])
        mask = "causal" if run["causal"] else "all keys"
        print(f"N = {run['n']:5}, d = {run['d']:3}, {mask:8}: 13.3 {took['13.3']:8.0f} µs;  ", "  ".join(others))
        assert (took["flash"] < took["13.3"]) == (run["d"] == 64 and run["causal"]) and took["cuDNN"] < 0.85 * took["13.3"]

# %% [markdown]
# A number above 1 means that 13.3 was faster. The flash backend is behind 13.3, except for d = 64 with the causal mask. cuDNN is clearly ahead
# everywhere.
#
# If this machine has a GPU, the next cell measures some of these rows on it, without a mask, and shows them beside the
# record. Not every card has all backends.

# %% tags=["nbval-ignore-output"]
from grader import own_card

own_card("13")

# %% [markdown]
# Is the reason bytes or arithmetic? A score takes 2·d operations. The product of its weight and a row of v takes 2·d
# more, with the addition. The data sheet of an H200 promises 989 TFLOP/s for products of matrices in half precision,
# and 4.8 TB/s of memory bandwidth.

# %%
share = {}
for run in recorded["results"]:
    operations = 4 * run["b"] * run["h"] * run["n"] ** 2 * run["d"]
    if run["dtype"] == "float16" and run["n"] == 16384 and not run["causal"]:
        share[run["d"]] = {name: operations / (t * 1e-6) / 989e12 for name, t in run["microseconds"].items() if t}
for d, of in share.items():
    print(f"d = {d:3}: " + ", ".join(f"{name} {part:.0%} of the peak" for name, part in of.items()))
times = {d: 4 * 2 * 64 * 16384 * d / 4.8e12 * 1e6 for d in share}
print("once through q, k, v and o, at 4.8 TB/s:", ", ".join(f"d = {d}: {t:.0f} µs" for d, t in times.items()))
assert all(0.25 < of["13.3"] < of["cuDNN"] < 0.75 for of in share.values())

# %% [markdown]
# Moving all inputs and outputs once would take only a small part of the time. But no kernel comes near the peak of the
# tensor cores either. What takes the rest of the time?
#
# The same run timed four variants of 13.3, each with one change. **exp2** uses `tl.exp2`, and **no mask for keys**
# leaves out the masks of keys. Both are still right, the second one because these lengths are multiples of BLOCK_N. The other two give wrong results: **one product less** has no product with `v`, and **no exp** computes no exponential. They only show how much time this part of the work takes.

# %%
for run in recorded["variants"]:
    took = run["microseconds"]
    saved = (f"{name} {1 - t / took['13.3']:.0%}" for name, t in took.items() if name != "13.3")
    print(f"N = {run['n']}, d = {run['d']:3}, time saved: ", ", ".join(saved))
    assert took["exp2"] < 0.95 * took["13.3"] and took["no mask for keys"] < took["13.3"] and took["no exp"] < 0.85 * took["13.3"]

# %% [markdown]
# The number of queries and of keys in a tile matters too, and so does the number of warps. For each d, four launches
# were timed, and the fastest one has a star. The tables above, of the other kernels and of the variants, have the
# times of the fastest launch. Is the fastest launch the same for both d?

# %%
for run in recorded["launches"]:
    star = " *" if run["launch"] == recorded["best"][str(run["d"])] else ""
    numbers = f"BLOCK_M, BLOCK_N, num_warps, num_stages = {run['launch']}"
    print(f"N = {run['n']}, d = {run['d']:3}, {numbers}: {run['microseconds']:5.0f} µs{star}")
    (again,) = [r["microseconds"] for r in recorded["variants"] if r["d"] == run["d"]]
    if star:
        print(f"{'the same launch, timed once more for the variants':>68}: {again['13.3']:5.0f} µs")
        assert abs(again["13.3"] / run["microseconds"] - 1) < 0.06

# %% [markdown]
# Kernels were timed in groups, and the kernels of one group took turns. In another group, the same launch takes up to
# 6 % more or less time. So compare only times of the same table.

# %% [markdown]
# Fast kernels differ from 13.3 in four things. Here are the first two:
#
# - **exp.** An NVIDIA GPU has an instruction for $2^x$ and none for $e^x$. So `tl.exp` first multiplies each score by
#   $\log_2 e$. Fast kernels put that factor into the scale, and use `tl.exp2`. Even then one power has to be computed for each
#   score, by units that are much slower than the tensor cores.
# - **Masks.** Only the last tile needs the mask for keys, and only the tiles on the staircase need the causal one. Fast kernels
#   have a loop for full tiles, and another one for the rest.

# %% [markdown]
# And the other two:
#
# - **Blocks, warps and stages.** The table above shows how much depends on them, and that the best choice depends on d.
# - **Overlap.** On this GPU, exp of one tile and the product of another can run at the same time.
#   [FlashAttention-3 (Shah and others 2024)](https://arxiv.org/abs/2407.08608) does that, with warps that only load and others
#   that only compute. 13.3 leaves the order to Triton's compiler.

# %% [markdown]
# *An honest aside*: the flash backend of this PyTorch was written for the GPU generation before this one. Our short kernel is about as fast, and mostly a little faster. This speaks for Triton's compiler, but it says nothing about FlashAttention-3.

# %% [markdown]
# ## One query, a long cache
#
# A model that writes a text computes one new word at a time. Each head then has one query, and it has kept the keys and
# values of all earlier words: the **cache**. With one query for each head, 13.3 has one program for each head, and most
# of the GPU is idle. Lesson 09 has the solution: split the row.
#
# Here `flash_kernel` gets each split as if it were a head. The `lse` of a split says how much the split weighs. This is
# [Flash-Decoding (Dao, Haziza, Massa, Sizov 2023)](https://pytorch.org/blog/flash-decoding/). The code takes the softmax over
# the `lse` of all splits as their weights. Why is that right?

# %%
def flash_decoding(q, k, v, n_splits, block=16):
    """Attention of one query per head (q is B×H×1×D) over N keys (k and v are B×H×N×D); n_splits divides N."""
    b, h, n, d = k.shape
    k, v = (t.reshape(b, h * n_splits, n // n_splits, d) for t in (k, v))
    o, lse = flash_attention(q.repeat_interleave(n_splits, dim=1), k, v, block_m=16, block_n=block, num_warps=4)
    weights = torch.softmax(lse.reshape(b, h, n_splits, 1), dim=2)
    return (weights * o.reshape(b, h, n_splits, d).float()).sum(dim=2, keepdim=True).to(q.dtype)


g = torch.Generator().manual_seed(9)
q, k, v = (torch.randn(1, 2, n, 16, generator=g).to(where, torch.float16) for n in (1, 256, 256))
s = q.double() @ k.double().mT * 16**-0.5
exact = torch.softmax(s, dim=-1) @ v.double()
for n_splits in (1, 4, 16):
    error = (flash_decoding(q, k, v, n_splits).double() - exact).abs().max().item()
    print(f"{n_splits:2} splits: {2 * n_splits:2} programs, largest error {error:.5f}")
    assert error < 2e-3

# %% [markdown]
# For one split, exp(lse) is the sum of exp(s) over its keys. The weight of the split is this sum, divided by the sum over all
# keys, which is the sum of exp(lse) over all splits. This quotient is the softmax of the `lse`.
#
# The errors are roundings of float16: each split rounds its `o`, and the result is rounded once more.

# %% [markdown]
# ## Bonus: 13.4, the gradient
#
# For training you also need the gradients of q, k and v, called dq, dk and dv. You get **do**, the gradient of the output `o`.
# Let p be the weights. Their gradient is $dp = do\,v^T$. Lesson 11 has the gradient of the scores:
# $ds = p\,(dp - \sum_j p_j\,dp_j)$. Then
#
# $$dv = p^T do, \qquad dq = \mathrm{scale} \cdot ds\;k, \qquad dk = \mathrm{scale} \cdot ds^T q.$$

# %% [markdown]
# Two facts make the kernels short. No walk for the maximum is needed, because $p = e^{s - \mathrm{lse}}$. And no walk
# over the keys is needed for $\sum_j p_j\,dp_j$, because it equals the sum of do · o along the D columns of a query.
# Why?

# %% [markdown]
# Write two kernels, each for one head in float32, without a causal mask. In the first, a program has a block of keys and walks
# along the queries. In the second, a program has a block of queries and walks along the keys. So no two programs write to the
# same place. All matrices are contiguous: row r begins at r · D.
#
# `lse` has one finite number for each query that exists. For a lane after the last query there is nothing to load:
# choose the `other` of each load (q, o, do, lse) so that the lane adds nothing to dk and dv, not even NaN.

# %% [markdown]
# The points of a bonus exercise come on top of the 100. Each kernel is worth half of them.

# %%
@triton.jit
def key_gradient_kernel(
    dk_ptr, dv_ptr, q_ptr, k_ptr, v_ptr, o_ptr, do_ptr, lse_ptr, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    """dk and dv of BLOCK_N keys: program 0 has the first ones. A step of the walk has BLOCK_M queries."""
    keys = (tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)
    dims = tl.arange(0, D)
    # The keys and values of this program, and gradients to start with (about 6 lines).
    ### BEGIN SOLUTION
    places = keys[:, None] * D + dims[None, :]
    exist = keys[:, None] < n_keys
    k = tl.load(k_ptr + places, mask=exist, other=0.0)
    v = tl.load(v_ptr + places, mask=exist, other=0.0)
    dk = tl.zeros([BLOCK_N, D], tl.float32)
    dv = tl.zeros([BLOCK_N, D], tl.float32)
    ### END SOLUTION
    for start in range(0, n_queries, BLOCK_M):
        rows = (start + tl.arange(0, BLOCK_M)).to(tl.int64)
        # Load q, o, do and lse of these queries; then p, ds, and their shares of dv and dk (about 13 lines).
        ### BEGIN SOLUTION
        at = rows[:, None] * D + dims[None, :]
        inside = rows[:, None] < n_queries
        q = tl.load(q_ptr + at, mask=inside, other=0.0)
        o = tl.load(o_ptr + at, mask=inside, other=0.0)
        do = tl.load(do_ptr + at, mask=inside, other=0.0)
        lse = tl.load(lse_ptr + rows, mask=rows < n_queries, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        p = tl.exp(s - lse[:, None])
        dp = tl.dot(do, tl.trans(v), input_precision="ieee")
        delta = tl.sum(do * o, axis=1)
        ds = p * (dp - delta[:, None]) * scale
        dv += tl.dot(tl.trans(p), do, input_precision="ieee")
        dk += tl.dot(tl.trans(ds), q, input_precision="ieee")
        ### END SOLUTION
    # Store both (about 2 lines).
    ### BEGIN SOLUTION
    tl.store(dk_ptr + places, dk, mask=exist)
    tl.store(dv_ptr + places, dv, mask=exist)
    ### END SOLUTION

# %%
@triton.jit
def query_gradient_kernel(
    dq_ptr, q_ptr, k_ptr, v_ptr, o_ptr, do_ptr, lse_ptr, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    """dq of BLOCK_M queries: program 0 has the first ones. A step of the walk has BLOCK_N keys."""
    rows = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    dims = tl.arange(0, D)
    # The same, but the program has queries and walks along keys. A key after the last one has no weight (about 21 lines).
    ### BEGIN SOLUTION
    at = rows[:, None] * D + dims[None, :]
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + at, mask=inside, other=0.0)
    o = tl.load(o_ptr + at, mask=inside, other=0.0)
    do = tl.load(do_ptr + at, mask=inside, other=0.0)
    lse = tl.load(lse_ptr + rows, mask=rows < n_queries, other=0.0)
    delta = tl.sum(do * o, axis=1)
    dq = tl.zeros([BLOCK_M, D], tl.float32)
    for start in range(0, n_keys, BLOCK_N):
        keys = (start + tl.arange(0, BLOCK_N)).to(tl.int64)
        places = keys[:, None] * D + dims[None, :]
        exist = keys[:, None] < n_keys
        k = tl.load(k_ptr + places, mask=exist, other=0.0)
        v = tl.load(v_ptr + places, mask=exist, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(keys[None, :] < n_keys, s, -float("inf"))
        p = tl.exp(s - lse[:, None])
        dp = tl.dot(do, tl.trans(v), input_precision="ieee")
        ds = p * (dp - delta[:, None]) * scale
        dq += tl.dot(ds, k, input_precision="ieee")
    tl.store(dq_ptr + at, dq, mask=inside)
    ### END SOLUTION

# %%
check("13.4")

# %% [markdown]
# <details><summary>Why do · o, and why two kernels</summary>
#
# **do · o**: $\sum_j p_j\,dp_j = \sum_j p_j\,(do \cdot v_j) = do \cdot \sum_j p_j v_j = do \cdot o$.
#
# **Two kernels**: dk of a key is a sum over queries, and dq of a query is a sum over keys. With one kernel for both, many
# programs would have to add to the same dq, with `tl.atomic_add`. Then the order of the additions, and so the last digits,
# change from run to run. FlashAttention-2 does that by default. With two kernels, the weights are computed twice instead.
#
# **Masked lanes**: a key that does not exist has k = 0, so its score is 0. If the scores of the others are around -200, its
# weight is about exp(200). That is infinite in float32, and infinity times 0 is NaN in dq. In the first kernel such a key does
# no harm: its dk and dv are not stored.
#
# </details>

# %%
progress()

# %% [markdown]
# ## What to read
#
# - Milakov, Gimelshein (2018): [Online normalizer calculation for softmax](https://arxiv.org/abs/1805.02867)
# - Rabe, Staats (2021): [Self-attention does not need O(n²) memory](https://arxiv.org/abs/2112.05682)
# - Dao, Fu, Ermon, Rudra, Ré (2022): [FlashAttention](https://arxiv.org/abs/2205.14135). Appendix B has the gradient of 13.4.
# - Dao (2023): [FlashAttention-2](https://arxiv.org/abs/2307.08691). Its loops are those of 13.3.
# - Dao, Haziza, Massa, Sizov (2023): [Flash-Decoding](https://pytorch.org/blog/flash-decoding/)
# - Shah, Bikshandi, Zhang, Thakkar, Ramani, Dao (2024): [FlashAttention-3](https://arxiv.org/abs/2407.08608)
# - Triton's tutorial: [Fused attention](https://triton-lang.org/main/getting-started/tutorials/06-fused-attention.html)

# %% [markdown]
# **Next: [14 · Measure and ship](14_measure_and_ship.ipynb).** You have several softmaxes by now. Which one should a library
# call, and how do you measure that without deceiving yourself?
