# exercise: 11.1
# mistake: memory-unset
import torch


def softmax_backward(y, dy):
    dx = torch.empty_like(y)
    for row in range(len(y)):
        dx[row] -= y[row] * (y[row] * dy[row]).sum()
    return dx
