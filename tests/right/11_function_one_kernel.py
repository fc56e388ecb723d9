# exercise: 11.3
import torch
import triton
import triton.language as tl


@triton.jit
def both_ways_kernel(out_ptr, a_ptr, b_ptr, n_cols, BACKWARD: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    begin = tl.program_id(0) * n_cols
    if BACKWARD:
        y = tl.load(a_ptr + begin + cols, mask=mask, other=0.0)
        dy = tl.load(b_ptr + begin + cols, mask=mask, other=0.0)
        out = y * (dy - tl.sum(y * dy, axis=0))
    else:
        x = tl.load(a_ptr + begin + cols, mask=mask, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        out = e / tl.sum(e, axis=0)
    tl.store(out_ptr + begin + cols, out, mask=mask)


def run(a, b, backward):
    out = torch.empty_like(a)
    block = triton.next_power_of_2(a.shape[1])
    both_ways_kernel[(a.shape[0],)](out, a, b, a.shape[1], BACKWARD=backward, BLOCK=block)
    return out


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = run(x.contiguous(), x, False)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, *grads):
        (y,) = ctx.saved_tensors
        return run(y, grads[0].contiguous(), True)
