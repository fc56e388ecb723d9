# tries: to let the autotuner choose between work and no work
# in its way: what was chosen is compared in each replay
# outcome: refused
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"WORK": work}) for work in (True, False)], key=["n_cols"])
@triton.jit
def chosen_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr, WORK: tl.constexpr):
    if WORK:
        row = tl.program_id(0).to(tl.int64)
        cols = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=cols < n_cols)


def fused_softmax(x):
    y = torch.empty_like(x)
    chosen_kernel[(len(x),)](y, x, x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
