# exercise: 5.2
# mistake: column-stride
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


def warps_for(block):
    return 16 if block >= 4096 else 8 if block >= 2048 else 4


def fused_softmax(x):
    if x.dim() != 2:
        raise ValueError(f"a matrix, please, and not {x.dim()} dimensions")
    if x.dtype != torch.float32:
        raise ValueError(f"float32, please, and not {x.dtype}")
    if x.stride(1) > x.stride(0) or x.stride(1) == 0:
        x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](y, x, y.stride(0), x.stride(0), n_cols, BLOCK=block, num_warps=warps_for(block))
    return y
