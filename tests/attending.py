"""Attention for the tests of its drawing: right, and wrong in three ways. Its text is the learner's cells elsewhere."""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    o_ptr, q_ptr, k_ptr, v_ptr, n_queries, n_keys, D: tl.constexpr, BLOCK: tl.constexpr, CAUSAL: tl.constexpr,
    MASKED: tl.constexpr = True, SKIPS: tl.constexpr = True, HIDDEN: tl.constexpr = -float("inf"),
):  # fmt: skip
    rows, dims = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + rows[:, None] * D + dims[None, :], mask=inside, other=0.0)
    m, l = tl.full([BLOCK], -float("inf"), tl.float32), tl.zeros([BLOCK], tl.float32)
    o = tl.zeros([BLOCK, D], tl.float32)
    end = n_keys
    if CAUSAL and SKIPS:
        end = tl.minimum(n_keys, (tl.program_id(0) + 1) * BLOCK)
    for start in range(0, end, BLOCK):
        keys = start + tl.arange(0, BLOCK)
        exist = keys[:, None] < n_keys
        k = tl.load(k_ptr + keys[:, None] * D + dims[None, :], mask=exist, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * D + dims[None, :], mask=exist, other=0.0)
        s = tl.where(keys[None, :] < n_keys, tl.dot(q, tl.trans(k), input_precision="ieee") * D**-0.5, -float("inf"))
        if CAUSAL and MASKED:
            s = tl.where(keys[None, :] <= rows[:, None], s, HIDDEN)
        new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        l = l * tl.exp(m - new) + tl.sum(p, axis=1)
        o = o * tl.exp(m - new)[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
    tl.store(o_ptr + rows[:, None] * D + dims[None, :], o / l[:, None], mask=inside)


def attention(q, k, v, causal=False, block=2, **wrong):
    o = torch.empty_like(q)
    sizes = {"D": q.shape[1], "BLOCK": block, "CAUSAL": causal, **wrong}
    attention_kernel[(triton.cdiv(len(q), block),)](o, q, k, v, len(q), len(k), **sizes)
    return o


def lazy_attention(q, k, v, causal=False, block=2):
    return attention(q, k, v, causal, block, SKIPS=False)


def unmasked_attention(q, k, v, causal=False, block=2):
    return attention(q, k, v, causal, block, MASKED=False)


def nan_attention(q, k, v, causal=False, block=2):
    return attention(q, k, v, causal, block, HIDDEN=float("nan"))
