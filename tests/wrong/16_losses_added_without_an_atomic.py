# exercise: 16.4
# mistake: accumulated-without-atomics
import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(
    total_ptr, lse_ptr, x_ptr, target_ptr, x_row_stride, n_cols, ignore_index, BLOCK: tl.constexpr
):
    """Loss and log-sum-exp of row program_id(0), in one walk along the row by tiles of BLOCK columns."""
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    # The state (m, d) of the row, as in 8.3 (about 9 lines).
    ### BEGIN SOLUTION
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    ### END SOLUTION
    # The logit of the target, if the row counts (about 3 lines).
    ### BEGIN SOLUTION
    target = tl.load(target_ptr + row)
    counted = target != ignore_index
    hit = tl.load(x_ptr + row * x_row_stride + target, mask=counted, other=0.0).to(tl.float32)
    ### END SOLUTION
    # Store both numbers (about 2 lines).
    ### BEGIN SOLUTION
    tl.store(total_ptr, tl.load(total_ptr) + tl.where(counted, tl.log(d) + (m - hit), 0.0))
    tl.store(lse_ptr + row, m + tl.log(d))
    ### END SOLUTION


@triton.jit
def cross_entropy_gradient_kernel(
    dx_ptr,
    x_ptr,
    target_ptr,
    lse_ptr,
    scale_ptr,
    dx_row_stride,
    x_row_stride,
    n_cols,
    ignore_index,
    BLOCK: tl.constexpr,
):
    """scale · (p - onehot) of row program_id(0), in tiles of BLOCK columns; 0 where the target is ignore_index."""
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    # The numbers of the row (about 3 lines).
    ### BEGIN SOLUTION
    target = tl.load(target_ptr + row)
    lse = tl.load(lse_ptr + row)
    scale = tl.where(target == ignore_index, 0.0, tl.load(scale_ptr))
    ### END SOLUTION
    for start in range(0, n_cols, BLOCK):
        # Load a tile, compute its gradient, store it (about 5 lines).
        ### BEGIN SOLUTION
        cols = start + lanes
        mask = cols < n_cols
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        p = tl.exp(x - lse)
        tl.store(dx_ptr + row * dx_row_stride + cols, scale * tl.where(cols == target, p - 1.0, p), mask=mask)
        ### END SOLUTION


# From an empty cell: budget(m, n), and cross_entropy(logits, target, ignore_index=-100).
### BEGIN SOLUTION
def budget(m, n):
    """(elements read, elements written) by a forward and a backward pass of M×N contiguous logits, at most."""
    return 2 * m * n + 8 * m + 16, m * n + 8 * m + 16


class CrossEntropy(torch.autograd.Function):
    """The mean of the losses that count, and its gradient with respect to the logits."""

    @staticmethod
    def forward(ctx, logits, target, ignore_index):
        m, n = logits.shape
        losses = torch.zeros(1, dtype=torch.float32, device=logits.device)
        lse = torch.empty(m, dtype=torch.float32, device=logits.device)
        block = min(triton.next_power_of_2(n), 4096)
        cross_entropy_kernel[(m,)](losses, lse, logits, target, logits.stride(0), n, ignore_index, BLOCK=block)
        counted = (target != ignore_index).sum()
        ctx.save_for_backward(logits, target, lse, counted)
        ctx.ignore_index = ignore_index
        return losses.sum() / counted

    @staticmethod
    def backward(ctx, dloss):
        logits, target, lse, counted = ctx.saved_tensors
        m, n = logits.shape
        dx = torch.empty((m, n), dtype=logits.dtype, device=logits.device)
        scale = dloss.float() / counted
        sizes = (dx.stride(0), logits.stride(0), n, ctx.ignore_index)
        block = min(triton.next_power_of_2(n), 4096)
        cross_entropy_gradient_kernel[(m,)](dx, logits, target, lse, scale, *sizes, BLOCK=block)
        return dx, None, None


def cross_entropy(logits, target, ignore_index=-100):
    """The mean cross-entropy of the rows of logits (M×N) whose target (M, int64) is not ignore_index, as float32."""
    if logits.dim() != 2 or logits.dtype not in (torch.float32, torch.bfloat16, torch.float16):
        raise ValueError(
            f"logits are a matrix of float32, bfloat16 or float16, not {tuple(logits.shape)} {logits.dtype}"
        )
    if target.dtype != torch.int64 or target.shape != logits.shape[:1]:
        raise ValueError(f"targets are {len(logits)} numbers of int64, not {tuple(target.shape)} {target.dtype}")
    if logits.stride(1) != 1:
        logits = logits.contiguous()
    return CrossEntropy.apply(logits, target.contiguous(), ignore_index)


### END SOLUTION
