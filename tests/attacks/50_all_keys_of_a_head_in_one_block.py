# exercise: 13.3
# mistake: wider-than-a-tile
# One block for all keys, and no walk.
import triton
import triton.language as tl


@triton.jit
def flash_kernel(
    o_ptr,
    lse_ptr,
    q_ptr,
    k_ptr,
    v_ptr,
    o_batch_stride,
    o_head_stride,
    o_row_stride,
    q_batch_stride,
    q_head_stride,
    q_row_stride,
    k_batch_stride,
    k_head_stride,
    k_row_stride,
    v_batch_stride,
    v_head_stride,
    v_row_stride,
    n_heads,
    n_queries,
    n_keys,
    scale,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    batch = tl.program_id(1) // n_heads
    head = tl.program_id(1) % n_heads
    o_ptr += batch * o_batch_stride + head * o_head_stride
    q_ptr += batch * q_batch_stride + head * q_head_stride
    k_ptr += batch * k_batch_stride + head * k_head_stride
    v_ptr += batch * v_batch_stride + head * v_head_stride
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    keys = tl.arange(0, 512)
    inside = rows[:, None] < n_queries
    exist = keys[:, None] < n_keys
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=inside, other=0.0)
    k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=exist, other=0.0)
    v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=exist, other=0.0)
    s = tl.dot(q, tl.trans(k)) * scale
    s = tl.where(keys[None, :] < n_keys, s, -float("inf"))
    if CAUSAL:
        s = tl.where(keys[None, :] <= rows[:, None], s, -float("inf"))
    m = tl.max(s, axis=1)
    p = tl.exp(s - m[:, None])
    l = tl.sum(p, axis=1)
    o = tl.dot(p.to(v.dtype), v) / l[:, None]
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o, mask=inside)
    tl.store(lse_ptr + tl.program_id(1) * n_queries + rows, m + tl.log(l), mask=rows < n_queries)
