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


def sizes(logits):
    return logits.stride(0), logits.shape[1]


def check(logits, target):
    problems = {
        "logits are no matrix": logits.dim() != 2,
        "logits have another dtype": logits.dtype not in (torch.float32, torch.float16, torch.bfloat16),
        "targets have another dtype": target.dtype is not torch.long,
        "targets and rows do not fit": target.shape != logits.shape[:1],
    }
    for sentence, found in problems.items():
        if found:
            raise ValueError(sentence)


def budget(m, n):
    matrix = m * n
    return [2 * matrix + 7 * m + 7, matrix + 7 * m + 7]


class _Losses(torch.autograd.Function):
    """The losses of all rows, of which those that do not count are 0."""

    @staticmethod
    def forward(logits, target, ignore_index):
        losses, lse = torch.empty(2, len(logits), device=logits.device).unbind()
        cross_entropy_kernel[(len(logits),)](losses, lse, logits, target, *sizes(logits), ignore_index, BLOCK=4096)
        return losses.sum() / (target != ignore_index).sum(), lse

    @staticmethod
    def setup_context(ctx, inputs, output):
        logits, target, ctx.ignore_index = inputs
        ctx.save_for_backward(logits, target, output[1])
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, dloss, _):
        logits, target, lse = ctx.saved_tensors
        dx = logits.new_empty(logits.shape)
        scale = (dloss / (target != ctx.ignore_index).sum()).float()
        cross_entropy_gradient_kernel[(len(dx),)](
            dx, logits, target, lse, scale, dx.stride(0), *sizes(logits), ctx.ignore_index, BLOCK=4096
        )
        return dx, None, None


def cross_entropy(logits, target, ignore_index=-100):
    check(logits, target)
    if logits.stride(1) != 1:
        logits = logits.clone(memory_format=torch.contiguous_format)
    return _Losses.apply(logits, target.contiguous(), ignore_index)[0]
