# exercise: 13.3
import triton
import triton.language as tl


@triton.jit
def flash_kernel(
    o_ptr, lse_ptr, q_ptr, k_ptr, v_ptr, o_batch_stride, o_head_stride, o_row_stride, q_batch_stride, q_head_stride,
    q_row_stride, k_batch_stride, k_head_stride, k_row_stride, v_batch_stride, v_head_stride, v_row_stride,
    n_heads, n_queries, n_keys, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    off_z = (off_hz // n_heads).to(tl.int64)
    off_h = (off_hz % n_heads).to(tl.int64)
    q = tl.make_tensor_descriptor(q_ptr + off_z * q_batch_stride + off_h * q_head_stride, shape=[n_queries, D],
                                  strides=[q_row_stride, 1], block_shape=[BLOCK_M, D]).load([start_m * BLOCK_M, 0])
    k_desc = tl.make_tensor_descriptor(k_ptr + off_z * k_batch_stride + off_h * k_head_stride, shape=[n_keys, D],
                                       strides=[k_row_stride, 1], block_shape=[BLOCK_N, D])
    v_desc = tl.make_tensor_descriptor(v_ptr + off_z * v_batch_stride + off_h * v_head_stride, shape=[n_keys, D],
                                       strides=[v_row_stride, 1], block_shape=[BLOCK_N, D])
    o_desc = tl.make_tensor_descriptor(o_ptr + off_z * o_batch_stride + off_h * o_head_stride, shape=[n_queries, D],
                                       strides=[o_row_stride, 1], block_shape=[BLOCK_M, D])
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    m_i = tl.full([BLOCK_M], float("-inf"), tl.float32)
    l_i = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    hi = n_keys
    if CAUSAL:
        hi = tl.minimum(n_keys, (start_m + 1) * BLOCK_M)
    for start_n in tl.range(0, hi, BLOCK_N, num_stages=2, warp_specialize=False):
        offs_n = start_n + tl.arange(0, BLOCK_N)
        k = k_desc.load([start_n, 0]).T
        qk = tl.dot(q, k) * scale
        mask = offs_n[None, :] < n_keys
        if CAUSAL:
            mask &= offs_m[:, None] >= offs_n[None, :]
        qk = tl.where(mask, qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_ij[:, None])
        alpha = tl.exp(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = v_desc.load([start_n, 0])
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None])
        m_i = m_ij
    o_desc.store([start_m * BLOCK_M, 0], (acc / l_i[:, None]).to(o_ptr.dtype.element_ty))
    tl.store(lse_ptr + off_hz * n_queries + offs_m, m_i + tl.log(l_i), mask=offs_m < n_queries)
