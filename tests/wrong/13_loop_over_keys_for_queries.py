# exercise: 13.4
# mistake: walks-the-other-length
import triton

import triton.language as tl

@triton.jit
def key_gradient_kernel(
    dk_ptr, dv_ptr, q_ptr, k_ptr, v_ptr, o_ptr, do_ptr, lse_ptr, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    """dk and dv of BLOCK_N keys: program 0 has the first ones. A step of the walk has BLOCK_M queries."""
    keys = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    dims = tl.arange(0, D)
    # The keys and values of this program, and gradients to start with (about 6 lines).
    places = keys[:, None] * D + dims[None, :]
    exist = keys[:, None] < n_keys
    k = tl.load(k_ptr + places, mask=exist, other=0.0)
    v = tl.load(v_ptr + places, mask=exist, other=0.0)
    dk = tl.zeros([BLOCK_N, D], tl.float32)
    dv = tl.zeros([BLOCK_N, D], tl.float32)
    for start in range(0, n_keys, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        # Load q, o, do and lse of these queries; then p, ds, and their shares of dv and dk (about 13 lines).
        at = rows[:, None] * D + dims[None, :]
        inside = rows[:, None] < n_queries
        q = tl.load(q_ptr + at, mask=inside, other=0.0)
        o = tl.load(o_ptr + at, mask=inside, other=0.0)
        do = tl.load(do_ptr + at, mask=inside, other=0.0)
        lse = tl.load(lse_ptr + rows, mask=rows < n_queries, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        p = tl.exp(s - lse[:, None])
        dp = tl.dot(do, tl.trans(v), input_precision="ieee")
        delta = tl.sum(do * o, axis=1)
        ds = p * (dp - delta[:, None]) * scale
        dv += tl.dot(tl.trans(p), do, input_precision="ieee")
        dk += tl.dot(tl.trans(ds), q, input_precision="ieee")
    # Store both (about 2 lines).
    tl.store(dk_ptr + places, dk, mask=exist)
    tl.store(dv_ptr + places, dv, mask=exist)

@triton.jit
def query_gradient_kernel(
    dq_ptr, q_ptr, k_ptr, v_ptr, o_ptr, do_ptr, lse_ptr, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    """dq of BLOCK_M queries: program 0 has the first ones. A step of the walk has BLOCK_N keys."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    # The same, but the program has queries and walks along keys. A key after the last one has no weight (about 21 lines).
    at = rows[:, None] * D + dims[None, :]
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + at, mask=inside, other=0.0)
    o = tl.load(o_ptr + at, mask=inside, other=0.0)
    do = tl.load(do_ptr + at, mask=inside, other=0.0)
    lse = tl.load(lse_ptr + rows, mask=rows < n_queries, other=0.0)
    delta = tl.sum(do * o, axis=1)
    dq = tl.zeros([BLOCK_M, D], tl.float32)
    for start in range(0, n_keys, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        places = keys[:, None] * D + dims[None, :]
        exist = keys[:, None] < n_keys
        k = tl.load(k_ptr + places, mask=exist, other=0.0)
        v = tl.load(v_ptr + places, mask=exist, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(keys[None, :] < n_keys, s, -float("inf"))
        p = tl.exp(s - lse[:, None])
        dp = tl.dot(do, tl.trans(v), input_precision="ieee")
        ds = p * (dp - delta[:, None]) * scale
        dq += tl.dot(ds, k, input_precision="ieee")
    tl.store(dq_ptr + at, dq, mask=inside)
