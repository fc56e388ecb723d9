# exercise: 13.2
import torch
import triton
import triton.language as tl


@triton.jit
def step(m, l, o, q, k_ptr, v_ptr, k_row_stride, v_row_stride, start, rows, n_keys, scale,
         D: tl.constexpr, BLOCK_N: tl.constexpr, MASKED: tl.constexpr):
    keys = start + tl.arange(0, BLOCK_N)
    dims = tl.arange(0, D)
    k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=keys[:, None] < n_keys, other=0.0)
    v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=keys[:, None] < n_keys, other=0.0)
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    s = tl.where(keys[None, :] < n_keys, s, -float("inf"))
    if MASKED:
        s = tl.where(keys[None, :] <= rows[:, None], s, -float("inf"))
    new = tl.maximum(m, tl.max(s, axis=1))
    factor = tl.exp(m - new)
    p = tl.exp(s - new[:, None])
    return new, l * factor + tl.sum(p, axis=1), tl.dot(p, v, o * factor[:, None], input_precision="ieee")


@triton.jit
def attention_kernel(
    o_ptr, q_ptr, k_ptr, v_ptr, o_row_stride, q_row_stride, k_row_stride, v_row_stride, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr
):
    first = tl.program_id(0) * BLOCK_M
    rows = first + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=rows[:, None] < n_queries, other=0.0)
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    o = tl.zeros([BLOCK_M, D], tl.float32)
    seen_by_all = n_keys
    if CAUSAL:  # tiles that every query of the block sees whole need no mask
        seen_by_all = tl.minimum(n_keys, first) // BLOCK_N * BLOCK_N
    for start in range(0, seen_by_all, BLOCK_N):
        m, l, o = step(m, l, o, q, k_ptr, v_ptr, k_row_stride, v_row_stride, start, rows, n_keys, scale, D, BLOCK_N, False)
    if CAUSAL:
        for start in range(seen_by_all, tl.minimum(n_keys, first + BLOCK_M), BLOCK_N):
            m, l, o = step(m, l, o, q, k_ptr, v_ptr, k_row_stride, v_row_stride, start, rows, n_keys, scale, D, BLOCK_N, True)
    o = o / l[:, None]
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o, mask=rows[:, None] < n_queries)
