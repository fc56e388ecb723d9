# exercise: 13.2
import math
import torch
import triton
import triton.language as tl

NEG_INF = tl.constexpr(float("-inf"))


@triton.jit
def _tile_ptrs(base, rows, stride, D: tl.constexpr):
    return base + rows.to(tl.int64)[:, None] * stride + tl.arange(0, D)[None, :]


@triton.jit
def _scores(q, k, scale, keys, n_keys):
    s = tl.dot(q, k.T, input_precision="ieee")
    s *= scale
    return tl.where(keys[None, :] < n_keys, s, NEG_INF)


@triton.jit
def _update(m, l, o, s, v):
    new = tl.maximum(m, tl.max(s, axis=1))
    alpha = tl.math.exp(m - new)
    p = tl.math.exp(s - new[:, None])
    l = l * alpha + tl.sum(p, axis=1)
    o = tl.dot(p, v, acc=o * alpha[:, None], input_precision="ieee")
    return new, l, o


@triton.jit
def attention_kernel(
    o_ptr, q_ptr, k_ptr, v_ptr, o_row_stride, q_row_stride, k_row_stride, v_row_stride, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):
    pid = tl.program_id(0)
    rows = pid * BLOCK_M + tl.arange(0, BLOCK_M)
    alive = rows[:, None] < n_queries
    q = tl.load(_tile_ptrs(q_ptr, rows, q_row_stride, D), mask=alive, other=0.0)
    m = tl.full((BLOCK_M,), NEG_INF, dtype=tl.float32)
    l = tl.zeros((BLOCK_M,), dtype=tl.float32)
    o = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    hi = tl.minimum((pid + 1) * BLOCK_M, n_keys) if CAUSAL else n_keys
    for start in tl.range(0, hi, BLOCK_N, num_stages=1):
        start = tl.multiple_of(start, BLOCK_N)
        keys = start + tl.arange(0, BLOCK_N)
        exists = keys[:, None] < n_keys
        k = tl.load(_tile_ptrs(k_ptr, keys, k_row_stride, D), mask=exists, other=0.0)
        v = tl.load(_tile_ptrs(v_ptr, keys, v_row_stride, D), mask=exists, other=0.0)
        s = _scores(q, k, scale, keys, n_keys)
        if CAUSAL:
            s = tl.where(rows[:, None] >= keys[None, :], s, NEG_INF)
        m, l, o = _update(m, l, o, s, v)
    tl.store(_tile_ptrs(o_ptr, rows, o_row_stride, D), o / l[:, None], mask=alive)
