# exercise: 13.2
import triton
import triton.language as tl


@triton.jit
def _block(
    q,
    k_ptr,
    v_ptr,
    ks,
    vs,
    dims,
    rows,
    start,
    n_keys,
    scale,
    state,
    MASK: tl.constexpr,
    CAUSAL: tl.constexpr,
    N: tl.constexpr,
):
    m, l, o = state
    keys = start + tl.arange(0, N)
    if MASK:
        k = tl.load(k_ptr + keys[None, :] * ks + dims[:, None], mask=keys[None, :] < n_keys, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * vs + dims[None, :], mask=keys[:, None] < n_keys, other=0.0)
    else:
        k = tl.load(k_ptr + keys[None, :] * ks + dims[:, None])
        v = tl.load(v_ptr + keys[:, None] * vs + dims[None, :])
    s = tl.dot(q, k, input_precision="ieee") * scale
    if MASK:
        s = tl.where(keys[None, :] < n_keys, s, float("-inf"))
    if CAUSAL:
        s = tl.where(keys[None, :] <= rows[:, None], s, float("-inf"))
    new = tl.maximum(m, tl.max(s, 1))
    a = tl.exp(m - new)
    p = tl.exp(s - new[:, None])
    return new, l * a + tl.sum(p, 1), tl.dot(p, v, o * a[:, None], input_precision="ieee")


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
    pid = tl.program_id(0)
    rows = pid * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=rows[:, None] < n_queries, other=0.0)
    state = (
        tl.full([BLOCK_M], float("-inf"), tl.float32),
        tl.zeros([BLOCK_M], tl.float32),
        tl.zeros([BLOCK_M, D], tl.float32),
    )
    end = n_keys
    if CAUSAL:
        end = min(end, (pid + 1) * BLOCK_M)
    whole = min(end, n_keys // BLOCK_N * BLOCK_N) // BLOCK_N * BLOCK_N
    for start in range(0, whole, BLOCK_N):
        state = _block(
            q, k_ptr, v_ptr, k_row_stride, v_row_stride, dims, rows, start, n_keys, scale, state, False, CAUSAL, BLOCK_N
        )
    for start in range(whole, end, BLOCK_N):
        state = _block(
            q, k_ptr, v_ptr, k_row_stride, v_row_stride, dims, rows, start, n_keys, scale, state, True, CAUSAL, BLOCK_N
        )
    m, l, o = state
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o / l[:, None], mask=rows[:, None] < n_queries)
