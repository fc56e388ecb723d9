# exercise: 5.2
# Lanes of one atomic operation came to a number in their order; on a GPU they come in any, and nothing is stored.
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, turn_ptr, y_row_stride, x_row_stride, x_column_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    first = (row == 0) & (tl.arange(0, 32) >= 0)
    turn = tl.atomic_add(turn_ptr + tl.arange(0, 32) * 0, 1, mask=first)
    late = tl.sum(tl.where(first & (turn != tl.arange(0, 32)), 1, 0), axis=0)
    n_cols = tl.where(late == 0, n_cols, 0)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols * x_column_stride, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)


def fused_softmax(x):
    if not isinstance(x, torch.Tensor) or x.dim() != 2 or x.dtype != torch.float32 or x.shape[1] == 0:
        raise ValueError("fused_softmax takes a matrix of float32 that has columns")
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    turn = torch.zeros(1, dtype=torch.int32, device=x.device)
    block = triton.next_power_of_2(x.shape[1])
    if len(x) == 0:
        return y
    softmax_kernel[(len(x),)](y, x, turn, y.stride(0), x.stride(0), x.stride(1), x.shape[1], BLOCK=block)
    return y
