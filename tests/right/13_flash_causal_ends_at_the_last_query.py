# exercise: 13.3
import math
import torch
import triton
import triton.language as tl

def tiled_attention(q, k, v, tile):
    """softmax(q kᵀ / √d) v for q (M×d), k (N×d), v (N×c), float32, in tiles of `tile` keys: a new M×c tensor."""
    scale = q.shape[1] ** -0.5
    # The state before the first key: for each query a maximum, a sum, a row of zeros (3 lines).
    m = torch.full((len(q), 1), -math.inf, device=q.device)
    l = torch.zeros(len(q), 1, device=q.device)
    o = torch.zeros(len(q), v.shape[1], device=q.device)
    for start in range(0, len(k), tile):
        # The scores of this tile, the new maximum of each query, and the new l and o, not yet divided (about 7 lines).
        s = q @ k[start : start + tile].T * scale
        new = torch.maximum(m, s.amax(dim=1, keepdim=True))
        factor = torch.exp(m - new)
        p = torch.exp(s - new)
        l = l * factor + p.sum(dim=1, keepdim=True)
        o = o * factor + p @ v[start : start + tile]
        m = new
    # The mean (1 line).
    return o / l


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
    # Step 1: this program's queries. Step 3: the state before the first key; m and l have one value a query, o has D
    # (about 5 lines).
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=inside, other=0.0)
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    o = tl.zeros([BLOCK_M, D], tl.float32)
    end = n_keys
    if CAUSAL:
        # Step 4: where may this program stop? (1 line. `pass` is right as well: then the program visits all tiles.)
        end = tl.minimum(n_keys, (tl.program_id(0) + 1) * BLOCK_M)
    for start in range(0, end, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        # Step 1: load the tiles of k and v. Step 2: their masks (about 3 lines).
        exist = keys[:, None] < n_keys
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=exist, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=exist, other=0.0)
        # Step 1: the scores s. Step 2: the scores of keys that do not exist must lose (about 2 lines).
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(keys[None, :] < n_keys, s, -float("inf"))
        if CAUSAL:
            # Step 4: the scores of keys that a query may not see must lose, too (1 line).
            s = tl.where(keys[None, :] <= rows[:, None], s, -float("inf"))
        # Step 1: the weights p, their sum l, and o = p v. Step 3: the new m, l and o as in 13.1 (about 6 lines).
        new = tl.maximum(m, tl.max(s, axis=1))
        factor = tl.exp(m - new)
        p = tl.exp(s - new[:, None])
        l = l * factor + tl.sum(p, axis=1)
        o = o * factor[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
    # Step 1: divide and store. Step 2: the mask (about 2 lines).
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o / l[:, None], mask=inside)


@triton.jit
def flash_kernel(
    o_ptr, lse_ptr, q_ptr, k_ptr, v_ptr, o_batch_stride, o_head_stride, o_row_stride, q_batch_stride, q_head_stride,
    q_row_stride, k_batch_stride, k_head_stride, k_row_stride, v_batch_stride, v_head_stride, v_row_stride,
    n_heads, n_queries, n_keys, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    """13.2 for all heads of a batch, in float16 or bfloat16; and the log-sum-exp of each query's scores, in float32.

    Program (i, j) has block i of the queries of head j: j numbers the heads of batch 0, then those of batch 1, and so on.
    lse is batches × heads × queries, contiguous.
    """
    # Which batch is it, and which of its heads? Let the four pointers begin there (about 6 lines).
    batch = (tl.program_id(1) // n_heads).to(tl.int64)
    head = (tl.program_id(1) % n_heads).to(tl.int64)
    o_ptr += batch * o_batch_stride + head * o_head_stride
    q_ptr += batch * q_batch_stride + head * q_head_stride
    k_ptr += batch * k_batch_stride + head * k_head_stride
    v_ptr += batch * v_batch_stride + head * v_head_stride
    # From here on it is 13.2: copy yours, with CAUSAL. Change it in three places: both products, and after the walk
    # (about 26 lines).
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=inside, other=0.0)
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    o = tl.zeros([BLOCK_M, D], tl.float32)
    end = n_keys
    if CAUSAL:
        end = tl.minimum(n_keys, n_queries)
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

