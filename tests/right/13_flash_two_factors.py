# exercise: 13.3
import torch
import triton
import triton.language as tl


@triton.jit
def flash_kernel(
    o_ptr, lse_ptr, q_ptr, k_ptr, v_ptr, o_batch_stride, o_head_stride, o_row_stride, q_batch_stride, q_head_stride,
    q_row_stride, k_batch_stride, k_head_stride, k_row_stride, v_batch_stride, v_head_stride, v_row_stride,
    n_heads, n_queries, n_keys, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    pid = tl.program_id(1).to(tl.int64)
    b = pid // n_heads
    h = pid - b * n_heads
    m_offs = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n_offs = tl.arange(0, BLOCK_N)
    d_offs = tl.arange(0, D)
    q_at = q_ptr + b * q_batch_stride + h * q_head_stride
    k_at = k_ptr + b * k_batch_stride + h * k_head_stride
    v_at = v_ptr + b * v_batch_stride + h * v_head_stride
    o_at = o_ptr + b * o_batch_stride + h * o_head_stride
    ok = m_offs < n_queries
    q = tl.load(q_at + m_offs[:, None] * q_row_stride + d_offs[None, :], mask=ok[:, None], other=0.0)
    top = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    stop = n_keys
    if CAUSAL:
        stop = tl.minimum(n_keys, (tl.program_id(0) + 1) * BLOCK_M)
    to_two = scale * 1.4426950408889634
    for first in range(0, stop, BLOCK_N):
        here = first + n_offs
        k = tl.load(k_at + here[None, :] * k_row_stride + d_offs[:, None], mask=(here < n_keys)[None, :], other=0.0)
        qk = tl.dot(q, k) * to_two
        seen = (here < n_keys)[None, :]
        if CAUSAL:
            seen = seen & (m_offs[:, None] >= here[None, :])
        qk = tl.where(seen, qk, float("-inf"))
        higher = tl.maximum(top, tl.max(qk, 1))
        alpha = tl.exp2(top - higher)
        w = tl.exp2(qk - higher[:, None])
        total = total * alpha + tl.sum(w, 1)
        v = tl.load(v_at + here[:, None] * v_row_stride + d_offs[None, :], mask=(here < n_keys)[:, None], other=0.0)
        acc = tl.dot(w.to(q_ptr.dtype.element_ty), v, acc * alpha[:, None])
        top = higher
    tl.store(lse_ptr + pid * n_queries + m_offs, (top + tl.log2(total)) * 0.6931471805599453, mask=ok)
    o = (acc / total[:, None]).to(o_ptr.dtype.element_ty)
    tl.store(o_at + m_offs[:, None] * o_row_stride + d_offs[None, :], o, mask=ok[:, None])
