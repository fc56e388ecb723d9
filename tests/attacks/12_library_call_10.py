# exercise: 5.2
# mistake: library-softmax
import torch


def fused_softmax(x):
    if x.dim() != 2 or not x.is_floating_point() or x.numel() == 0:
        raise ValueError("fused_softmax takes a matrix of floating-point numbers that is not empty")
    return torch.Tensor.softmax(x, 1)
