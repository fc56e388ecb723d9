# exercise: 13.2
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    o_ptr, q_ptr, k_ptr, v_ptr, o_row_stride, q_row_stride, k_row_stride, v_row_stride, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=rows[:, None] < n_queries, other=0.0)
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    o = tl.zeros([BLOCK_M, D], tl.float32)
    end = n_keys
    if CAUSAL:
        end = tl.minimum(n_keys, (tl.program_id(0) + 1) * BLOCK_M)
    for tile in range(tl.cdiv(end, BLOCK_N)):
        keys = tile * BLOCK_N + tl.arange(0, BLOCK_N)
        inside = (keys < n_keys)[:, None]
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=inside, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=inside, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        keep = (keys < n_keys)[None, :]
        if CAUSAL:
            keep = keep & (keys[None, :] <= rows[:, None])
        s = tl.where(keep, s, -float("inf"))
        new = tl.maximum(m, tl.max(s, axis=1))
        factor = tl.exp(m - new)
        p = tl.exp(s - new[:, None])
        l = l * factor + tl.sum(p, axis=1)
        o = o * factor[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o / l[:, None], mask=rows[:, None] < n_queries)
