# An autotuner that puts back what the kernel overwrites, and a heuristic.
import triton
import triton.language as tl


@triton.autotune([triton.Config({}, num_warps=w) for w in (1, 2)], key=["N"], restore_value=["y"])
@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["N"])})
@triton.jit
def k(y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(y + row * N + at, mask=at < N, other=-float("inf"))
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * N + at, v / tl.sum(v, axis=0), mask=at < N)


def fused_softmax(x):
    y = x.clone()
    k[(len(x),)](y, x.shape[1])
    return y
