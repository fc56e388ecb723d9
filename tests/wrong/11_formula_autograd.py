# exercise: 11.1
# mistake: left-to-autograd
import torch


def softmax_backward(y, dy):
    x = y.log().requires_grad_()
    e = torch.exp(x)
    return torch.autograd.grad(e / e.sum(dim=1, keepdim=True), x, dy)[0]
