# exercise: 13.4
# mistake: weights-left-out
import torch
import triton
import triton.language as tl


@triton.jit
def key_gradient_kernel(
    dk_ptr, dv_ptr, q_ptr, k_ptr, v_ptr, o_ptr, do_ptr, lse_ptr, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    c = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    kt = tl.load(k_ptr + c[None, :] * D + d[:, None], mask=(c < n_keys)[None, :], other=0.0)
    vt = tl.load(v_ptr + c[None, :] * D + d[:, None], mask=(c < n_keys)[None, :], other=0.0)
    gk = tl.zeros((BLOCK_N, D), tl.float32)
    gv = tl.zeros((BLOCK_N, D), tl.float32)
    r = tl.arange(0, BLOCK_M)
    for _ in range(0, tl.cdiv(n_queries, BLOCK_M)):
        ok = r < n_queries
        at = r[:, None] * D + d[None, :]
        q = tl.load(q_ptr + at, mask=ok[:, None], other=0.0)
        g = tl.load(do_ptr + at, mask=ok[:, None], other=0.0)
        inner = tl.sum(g * tl.load(o_ptr + at, mask=ok[:, None], other=0.0), 1)
        up = tl.load(lse_ptr + r, mask=ok, other=float("inf"))
        w = tl.exp2((tl.dot(q, kt, input_precision="ieee") * scale - up[:, None]) * 1.4426950408889634)
        gv = tl.dot(tl.trans(w), g, gv, input_precision="ieee")
        t = (tl.dot(g, vt, input_precision="ieee") - inner[:, None])
        gk = tl.dot(tl.trans(t), q, gk, input_precision="ieee")
        r += BLOCK_M
    tl.store(dk_ptr + c[:, None] * D + d[None, :], gk * scale, mask=(c < n_keys)[:, None])
    tl.store(dv_ptr + c[:, None] * D + d[None, :], gv, mask=(c < n_keys)[:, None])


@triton.jit
def query_gradient_kernel(
    dq_ptr, q_ptr, k_ptr, v_ptr, o_ptr, do_ptr, lse_ptr, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    r = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    ok = r < n_queries
    at = r[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=ok[:, None], other=0.0)
    g = tl.load(do_ptr + at, mask=ok[:, None], other=0.0)
    inner = tl.sum(g * tl.load(o_ptr + at, mask=ok[:, None], other=0.0), 1)
    up = tl.load(lse_ptr + r, mask=ok, other=0.0)
    out = tl.zeros((BLOCK_M, D), tl.float32)
    first = 0
    while first < n_keys:
        c = first + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + c[:, None] * D + d[None, :], mask=(c < n_keys)[:, None], other=0.0)
        v = tl.load(v_ptr + c[:, None] * D + d[None, :], mask=(c < n_keys)[:, None], other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        w = tl.where((c < n_keys)[None, :], tl.exp(s - up[:, None]), 0.0)
        t = (tl.dot(g, tl.trans(v), input_precision="ieee") - inner[:, None])
        out = tl.dot(t, k, out, input_precision="ieee")
        first += BLOCK_N
    tl.store(dq_ptr + at, out * scale, mask=ok[:, None])
