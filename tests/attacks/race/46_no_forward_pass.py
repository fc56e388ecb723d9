# exercise: 11.3
# tries: to leave the output of the forward pass empty, and to make the gradient of the input alone
# in its way: both passes have a result, and each of them is compared
# outcome: refused
import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.empty_like(x)

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        e = torch.exp(x - x.amax(1, keepdim=True))
        y = e / e.sum(1, keepdim=True)
        return y * (dy - (y * dy).sum(1, keepdim=True))
