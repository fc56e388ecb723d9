# exercise: 8.4
import torch
import triton
import triton.language as tl


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)


def online_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError(f"a float32 matrix is needed, not {x.dim()} dimensions of {x.dtype}")
    x = x.contiguous()
    y = torch.empty_like(x)
    block = min(8192, triton.next_power_of_2(max(x.shape[1], 1)))
    online_softmax_kernel[(x.shape[0],)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=block, num_warps=8)
    return y
