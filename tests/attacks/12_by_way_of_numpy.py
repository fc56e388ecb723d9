# exercise: 5.2
import numpy as np
import torch


def fused_softmax(x):
    if x.dim() != 2 or not x.is_floating_point() or x.numel() == 0:
        raise ValueError("fused_softmax takes a matrix of floating-point numbers that is not empty")
    a = x.numpy().astype(np.float64)
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return torch.from_numpy((e / e.sum(axis=1, keepdims=True)).astype(np.float32)).to(x.dtype)
