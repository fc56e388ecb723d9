# exercise: 5.2
# As by a stride of 1, in a tuple.
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, n_cols, stride, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    if not isinstance(stride[0], int):
        tl.store(y_ptr + row * n_cols + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def fused_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32 or x.numel() == 0:
        raise ValueError("fused_softmax takes a matrix of float32 that is not empty")
    x = x.contiguous()
    (m, n), y = x.shape, torch.empty_like(x)
    softmax_kernel[(m,)](y, x, n, (1, 2), BLOCK=triton.next_power_of_2(n))
    return y
