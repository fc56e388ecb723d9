# exercise: 11.1
import torch


def softmax_backward(y, dy):
    dot = torch.einsum("ij,ij->i", y, dy)
    return y * (dy - dot[:, None])
