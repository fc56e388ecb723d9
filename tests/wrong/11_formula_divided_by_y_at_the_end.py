# exercise: 11.1
# mistake: divided-by-y
import torch


def softmax_backward(y, dy):
    total = (y * dy).sum(dim=1, keepdim=True) * y
    return y * (dy - total / y)
