# exercise: 5.2
# mistake: wrong-shape
import torch

import triton

import triton.language as tl

@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0) of a matrix with n_cols columns. BLOCK is a power of two, at least n_cols."""
    # Where am I? This program's row, its lanes, and which of them lie inside the row (3 lines).
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Load the row, once. What do masked lanes hold? (1 line)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    # The four lines of lesson 04.
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - row_max)
    denominator = tl.sum(numerator, axis=0)
    y = numerator / denominator
    # Store y to this program's row of the output (1 line).
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)

def warps_for(block):
    """4 warps; 8 for a block of 2048 or more, 16 for 4096 or more."""
    return 16 if block >= 4096 else 8 if block >= 2048 else 4

def fused_softmax(x):
    """Softmax of each row of x (M×N, float32), as a new tensor.

    One program for each row; each element is read once and written once.
    """
    # Raise the errors (about 5 lines).
    if x.dim() != 2:
        raise ValueError(f"fused_softmax takes a matrix, not a tensor of {x.dim()} dimensions")
    if x.dtype != torch.float32:
        raise ValueError(f"fused_softmax takes float32, not {x.dtype}")
    if x.stride(1) != 1:
        x = x.contiguous()
    # The output, the sizes, the launch (about 5 lines). Return the output.
    n_rows, n_cols = x.shape
    y = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](y, x, y.stride(0), x.stride(0), n_cols, BLOCK=block, num_warps=warps_for(block))
    return y
