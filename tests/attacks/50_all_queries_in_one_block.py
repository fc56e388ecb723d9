# exercise: 13.4
# mistake: wider-than-a-tile
# One block for all that a program walks along, in both kernels.
import triton
import triton.language as tl


@triton.jit
def key_gradient_kernel(
    dk_ptr,
    dv_ptr,
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    do_ptr,
    lse_ptr,
    n_queries,
    n_keys,
    scale,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    keys = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    rows = tl.arange(0, 512)
    dims = tl.arange(0, D)
    places = keys[:, None] * D + dims[None, :]
    exist = keys[:, None] < n_keys
    k = tl.load(k_ptr + places, mask=exist, other=0.0)
    v = tl.load(v_ptr + places, mask=exist, other=0.0)
    at = rows[:, None] * D + dims[None, :]
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + at, mask=inside, other=0.0)
    o = tl.load(o_ptr + at, mask=inside, other=0.0)
    do = tl.load(do_ptr + at, mask=inside, other=0.0)
    lse = tl.load(lse_ptr + rows, mask=rows < n_queries, other=0.0)
    p = tl.exp(tl.dot(q, tl.trans(k), input_precision="ieee") * scale - lse[:, None])
    dp = tl.dot(do, tl.trans(v), input_precision="ieee")
    ds = p * (dp - tl.sum(do * o, axis=1)[:, None]) * scale
    tl.store(dk_ptr + places, tl.dot(tl.trans(ds), q, input_precision="ieee"), mask=exist)
    tl.store(dv_ptr + places, tl.dot(tl.trans(p), do, input_precision="ieee"), mask=exist)


@triton.jit
def query_gradient_kernel(
    dq_ptr,
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    do_ptr,
    lse_ptr,
    n_queries,
    n_keys,
    scale,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    keys = tl.arange(0, 512)
    dims = tl.arange(0, D)
    at = rows[:, None] * D + dims[None, :]
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + at, mask=inside, other=0.0)
    o = tl.load(o_ptr + at, mask=inside, other=0.0)
    do = tl.load(do_ptr + at, mask=inside, other=0.0)
    lse = tl.load(lse_ptr + rows, mask=rows < n_queries, other=0.0)
    places = keys[:, None] * D + dims[None, :]
    exist = keys[:, None] < n_keys
    k = tl.load(k_ptr + places, mask=exist, other=0.0)
    v = tl.load(v_ptr + places, mask=exist, other=0.0)
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    p = tl.exp(tl.where(keys[None, :] < n_keys, s, -float("inf")) - lse[:, None])
    dp = tl.dot(do, tl.trans(v), input_precision="ieee")
    ds = p * (dp - tl.sum(do * o, axis=1)[:, None]) * scale
    tl.store(dq_ptr + at, tl.dot(ds, k, input_precision="ieee"), mask=inside)
