# exercise: 11.1
# mistake: library-softmax
import torch


def softmax_backward(y, dy):
    return torch.autograd.functional.vjp(lambda x: torch.softmax(x, dim=1), y.log(), dy)[1]
