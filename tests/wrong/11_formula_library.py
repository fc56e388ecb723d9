# exercise: 11.1
# mistake: library-softmax
import torch


def softmax_backward(y, dy):
    return torch._softmax_backward_data(dy, y, 1, y.dtype)
