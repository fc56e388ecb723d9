# exercise: 13.2
import triton
import triton.language as tl


def _prune(configs, named_args, **kwargs):
    return configs[:1]


@triton.jit
def _attend(
    o_ptr, q_ptr, k_ptr, v_ptr, o_row_stride, q_row_stride, k_row_stride, v_row_stride, n_queries, n_keys, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, STAGES: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    inside = rows[:, None] < n_queries
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=inside, other=0.0)
    m = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_M], tl.float32)
    o = tl.zeros([BLOCK_M, D], tl.float32)
    end = n_keys
    if CAUSAL:
        end = tl.minimum(n_keys, (tl.program_id(0) + 1) * BLOCK_M)
    for start in tl.range(0, end, BLOCK_N, num_stages=STAGES):
        keys = start + tl.arange(0, BLOCK_N)
        exist = keys[:, None] < n_keys
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=exist, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=exist, other=0.0)
        s = tl.dot(q, tl.trans(k, (1, 0)), input_precision="ieee") * scale
        s = tl.where(keys[None, :] < n_keys, s, -float("inf"))
        if CAUSAL:
            s = tl.where(keys[None, :] <= rows[:, None], s, -float("inf"))
        new = tl.maximum(m, tl.max(s, axis=1))
        factor = tl.exp(m - new)
        p = tl.exp(s - new[:, None])
        l = l * factor + tl.sum(p, axis=1)
        o = o * factor[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o / l[:, None], mask=inside)


attention_kernel = triton.autotune(
    [triton.Config({"STAGES": s}, num_warps=4) for s in (1, 2)],
    key=["n_queries", "n_keys"],
    prune_configs_by={"early_config_prune": _prune},
)(_attend)
