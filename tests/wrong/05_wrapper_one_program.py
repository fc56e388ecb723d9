# exercise: 5.2
# mistake: one-program-for-all
import torch
import triton
import triton.language as tl


@triton.jit
def walk_kernel(y_ptr, x_ptr, y_stride, x_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    for row in range(n_rows):
        r = row.to(tl.int64)
        x = tl.load(x_ptr + r * x_stride + cols, mask=mask, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + r * y_stride + cols, e / tl.sum(e, axis=0), mask=mask)


def fused_softmax(x):
    if x.dim() != 2:
        raise ValueError("a matrix")
    if x.dtype != torch.float32:
        raise ValueError("float32")
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    if x.numel() == 0:
        return y
    if x.stride(1) != 1:
        x = x.contiguous()
    block = triton.next_power_of_2(x.shape[1])
    walk_kernel[(1,)](y, x, y.stride(0), x.stride(0), x.shape[0], x.shape[1], BLOCK=block, num_warps=4)
    return y
