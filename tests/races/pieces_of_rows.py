# A function with a gradient, which launches once for each piece of the rows.
import torch
import triton


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y, block = torch.empty_like(x), triton.next_power_of_2(x.shape[1])
        for given, out in zip(x.chunk(4), y.chunk(4)):
            softmax_kernel[(len(given),)](out, given, out.stride(0), given.stride(0), given.shape[1], BLOCK=block)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        return y * (dy - (y * dy).sum(1, keepdim=True))


def fused_softmax(x):
    return Softmax.apply(x)
