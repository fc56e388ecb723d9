# exercise: 11.1
# mistake: divided-by-y
import torch


def softmax_backward(y, dy):
    second = (dy[:, None, :] @ (y[:, :, None] * y[:, None, :]))[:, 0] / y
    return y * (dy - second)
