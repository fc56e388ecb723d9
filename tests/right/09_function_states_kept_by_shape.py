# exercise: 9.3
import torch
import triton
import triton.language as tl

@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    """Store the state (m, d) of split program_id(1) of row program_id(0): its maximum, and the sum relative to it.

    m and d are matrices with n_splits columns. Split s begins at column s * split_size, and may end beyond the row.
    If a split has no number above -inf, its state is (-inf, 0).
    """
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, split_size, BLOCK):
        # Load the tile that begins `start` columns into the split (about 3 lines).
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        # Update the state, as in lesson 08 (about 4 lines).
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    # Store the state (2 lines).
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(d_ptr + row * n_splits + split, d)


@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_splits, split_size,
    SPLITS: tl.constexpr, BLOCK: tl.constexpr,
):
    """Store the softmax of split program_id(1) of row program_id(0), from the states m and d of all splits of the row."""
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    splits = tl.arange(0, SPLITS)
    # Load the states of this row, and merge them (about 4 lines).
    ms = tl.load(m_ptr + row * n_splits + splits, mask=splits < n_splits, other=-float("inf"))
    ds = tl.load(d_ptr + row * n_splits + splits, mask=splits < n_splits, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp(ms - m), axis=0)
    for start in range(0, split_size, BLOCK):
        # The tile of 9.1 again, normalised and stored (about 4 lines).
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)


_STATES = {}


def split_softmax(x, n_splits):
    """Softmax of each row of x (M×N, float32), as a new tensor. n_splits programs share each row."""
    # Raise the errors (about 8 lines).
    if x.dim() != 2:
        raise ValueError(f"split_softmax takes a matrix, not a tensor of {x.dim()} dimensions")
    if x.dtype != torch.float32:
        raise ValueError(f"split_softmax takes float32, not {x.dtype}")
    if n_splits < 1:
        raise ValueError(f"a row has at least one split, and n_splits is {n_splits}")
    if x.stride(1) != 1:
        x = x.contiguous()
    # The output, the states, the sizes, two launches (about 10 lines). Return the output.
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    key = n_rows, n_splits, x.device
    if key not in _STATES:
        _STATES[key] = tuple(torch.empty((n_rows, n_splits), dtype=x.dtype, device=x.device) for _ in range(2))
    m, d = _STATES[key]
    size = triton.cdiv(n_cols, n_splits)
    block, lanes = min(triton.next_power_of_2(size), 4096), triton.next_power_of_2(n_splits)
    grid = (n_rows, n_splits)
    partial_kernel[grid](m, d, x, x.stride(0), n_cols, n_splits, size, BLOCK=block, num_warps=8)
    strides = y.stride(0), x.stride(0)
    combine_kernel[grid](y, x, m, d, *strides, n_cols, n_splits, size, SPLITS=lanes, BLOCK=block, num_warps=8)
    return y

