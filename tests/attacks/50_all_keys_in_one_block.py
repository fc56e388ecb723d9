# exercise: 13.2
# points: 1
# mistake: wider-than-a-tile
# One block for all keys, and no walk.
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    o_ptr,
    q_ptr,
    k_ptr,
    v_ptr,
    o_row_stride,
    q_row_stride,
    k_row_stride,
    v_row_stride,
    n_queries,
    n_keys,
    scale,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    keys = tl.arange(0, 512)
    inside = rows[:, None] < n_queries
    exist = keys[:, None] < n_keys
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=inside, other=0.0)
    k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=exist, other=0.0)
    v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=exist, other=0.0)
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    s = tl.where(keys[None, :] < n_keys, s, -float("inf"))
    if CAUSAL:
        s = tl.where(keys[None, :] <= rows[:, None], s, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    o = tl.dot(p, v, input_precision="ieee") / tl.sum(p, axis=1)[:, None]
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o, mask=inside)
