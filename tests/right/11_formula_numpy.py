# exercise: 11.1
import torch


def softmax_backward(y, dy):
    y, dy = y.numpy(), dy.numpy()
    return torch.from_numpy(y * (dy - (y * dy).sum(axis=1, keepdims=True)))
