# exercise: 13.2
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    o_ptr, q_ptr, k_ptr, v_ptr, o_row_stride, q_row_stride, k_row_stride, v_row_stride, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):
    start_m = tl.program_id(0)
    offs_m = (start_m * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    offs_d = tl.arange(0, D)
    q_mask = offs_m[:, None] < n_queries
    q = tl.load(q_ptr + offs_m[:, None] * q_row_stride + offs_d[None, :], mask=q_mask, other=0.0)
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.full([BLOCK_M], 1.0, dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    qk_scale = scale * 1.44269504
    hi = n_keys
    if CAUSAL:
        hi = tl.minimum((start_m + 1) * BLOCK_M, n_keys)
    for start_n in range(0, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        offs_n = (start_n + tl.arange(0, BLOCK_N)).to(tl.int64)
        k_mask = offs_n[None, :] < n_keys
        k = tl.load(k_ptr + offs_n[None, :] * k_row_stride + offs_d[:, None], mask=k_mask, other=0.0)
        valid = k_mask
        if CAUSAL:
            valid = valid & (offs_m[:, None] >= offs_n[None, :])
        qk = tl.dot(q, k, input_precision="ieee") * qk_scale + tl.where(valid, 0, -1.0e30)
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_ij[:, None])
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        v_mask = offs_n[:, None] < n_keys
        v = tl.load(v_ptr + offs_n[:, None] * v_row_stride + offs_d[None, :], mask=v_mask, other=0.0)
        acc = tl.dot(p, v, acc * alpha[:, None], input_precision="ieee")
        m_i = m_ij
    tl.store(o_ptr + offs_m[:, None] * o_row_stride + offs_d[None, :], acc / l_i[:, None], mask=q_mask)
