# exercise: 13.3
# mistake: lse-put-together
import triton

import triton.language as tl

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
    batch = tl.program_id(1) // n_heads
    head = tl.program_id(1) % n_heads
    o_ptr += batch * o_batch_stride + head * o_head_stride
    q_ptr += batch * q_batch_stride + head * q_head_stride
    k_ptr += batch * k_batch_stride + head * k_head_stride
    v_ptr += batch * v_batch_stride + head * v_head_stride
    # From here on it is 13.2: copy yours, with CAUSAL. Change two things: the product with v, and after the walk store
    # lse as well (about 26 lines).
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
    tl.store(lse_ptr + tl.program_id(1) * n_queries + rows, m * tl.log(l), mask=rows < n_queries)
