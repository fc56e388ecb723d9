# exercise: 5.2
import torch
import triton
import triton.language as tl
from torch.cuda import nvtx


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)


@nvtx.range("softmax")
def fused_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError("a matrix of float32 expected")
    x = x if x.stride(1) == 1 else x.contiguous()
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    stream, block = torch.cuda.current_stream(x.device), triton.next_power_of_2(x.shape[1])
    range_of_launch = nvtx.range_start("launch")
    with torch.cuda.device(x.device), torch.cuda.stream(stream), torch.cuda.device_of(x):
        softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=block, num_warps=8)
    nvtx.range_end(range_of_launch)
    return y
