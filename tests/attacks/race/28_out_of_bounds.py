# tries: to store behind its output, where something else may lie
# in its way: other memory is compared or poisoned, and the check finds the access
# outcome: refused
import torch
import triton
import triton.language as tl


@triton.jit
def beyond_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * row_stride + cols, y, mask=cols < n_cols)
    tl.store(x_ptr + row * row_stride + cols, y, mask=cols < n_cols)


def fused_softmax(x):
    y = torch.empty_like(x)
    beyond_kernel[(len(x),)](y, x, x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
