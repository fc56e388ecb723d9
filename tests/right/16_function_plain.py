# exercise: 16.4
import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(loss_ptr, lse_ptr, x_ptr, target_ptr, x_row_stride, n_cols, ignore_index, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, axis=0))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=0)
        m = new
    target = tl.load(target_ptr + row)
    hit = tl.load(x_ptr + row * x_row_stride + target, mask=target != ignore_index, other=0.0).to(tl.float32)
    tl.store(loss_ptr + row, tl.where(target != ignore_index, tl.log(d) + (m - hit), 0.0))
    tl.store(lse_ptr + row, m + tl.log(d))


@triton.jit
def cross_entropy_gradient_kernel(
    dx_ptr, x_ptr, target_ptr, lse_ptr, scale_ptr, dx_row_stride, x_row_stride, n_cols, ignore_index,
    BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(target_ptr + row)
    lse = tl.load(lse_ptr + row)
    scale = tl.where(target == ignore_index, 0.0, tl.load(scale_ptr))
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        dx = scale * (tl.exp(x - lse) - tl.where(cols == target, 1.0, 0.0))
        tl.store(dx_ptr + row * dx_row_stride + cols, dx, mask=cols < n_cols)


BLOCK = 2048


def budget(m, n):
    return 2 * m * n + 5 * m + 10, m * n + 3 * m + 10


class Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, target, ignore):
        loss = x.new_empty(len(x), dtype=torch.float32)
        lse = torch.empty_like(loss)
        cross_entropy_kernel[(len(x),)](loss, lse, x, target, x.stride(0), x.shape[1], ignore, BLOCK=BLOCK)
        count = torch.count_nonzero(target != ignore)
        ctx.save_for_backward(x, target, lse, count)
        ctx.ignore = ignore
        return loss.sum() / count

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dloss):
        x, target, lse, count = ctx.saved_tensors
        dx = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        cross_entropy_gradient_kernel[(len(x),)](
            dx, x, target, lse, dloss / count, dx.stride(0), x.stride(0), x.shape[1], ctx.ignore, BLOCK=BLOCK
        )
        return dx, None, None


def cross_entropy(logits, target, ignore_index=-100):
    if logits.ndim != 2:
        raise ValueError("logits must have two dimensions")
    if logits.dtype not in {torch.float32, torch.float16, torch.bfloat16}:
        raise TypeError(f"no logits of {logits.dtype}")
    if target.dtype != torch.int64:
        raise TypeError(f"targets must be int64, not {target.dtype}")
    if target.ndim != 1 or len(target) != len(logits):
        raise ValueError("one target for each row is needed")
    if logits.stride(1) != 1 and logits.shape[1] > 1:
        raise ValueError("columns must be neighbours in memory")
    return Loss.apply(logits, target.contiguous(), ignore_index)
