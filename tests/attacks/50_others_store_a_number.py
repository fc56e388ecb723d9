# exercise: 9.3
# mistake: one-program-a-row
# The first program of each row does all of it, and the others store a number each.
import torch
import triton
import triton.language as tl


@triton.jit
def first_program_kernel(y_ptr, seen_ptr, x_ptr, x_row_stride, n_cols, n_splits, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    tl.store(seen_ptr + row * n_splits + split, 1.0)
    if split == 0:
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
            x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols)
            tl.store(y_ptr + row * n_cols + cols, tl.exp(x - m) / d, mask=cols < n_cols)


def split_softmax(x, n_splits):
    if x.dim() != 2 or x.dtype != torch.float32 or n_splits < 1:
        raise ValueError("split_softmax takes a float32 matrix and at least one split")
    x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    seen = torch.empty((n_rows, n_splits), dtype=x.dtype, device=x.device)
    block = min(triton.next_power_of_2(n_cols), 4096)
    first_program_kernel[(n_rows, n_splits)](y, seen, x, x.stride(0), n_cols, n_splits, BLOCK=block)
    return y
