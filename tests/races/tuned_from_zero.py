# An autotuner that zeroes what the kernel adds to.
import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": 64}, num_warps=w) for w in (1, 2)], key=["N"], reset_to_zero=["total"])
@triton.jit
def s_kernel(total, e, x, m, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.exp(tl.load(x + row * N + at, mask=at < N, other=-float("inf")) - tl.load(m + row))
    tl.store(e + row * N + at, v, mask=at < N)
    tl.atomic_add(total + row, tl.sum(v, axis=0))


def fused_softmax(x):
    m = x.amax(1)
    total = torch.zeros(len(x), device=x.device)
    e = torch.empty_like(x)
    s_kernel[(len(x),)](total, e, x, m, x.shape[1])
    return e / total[:, None]
