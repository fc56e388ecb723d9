# exercise: 14.3
# mistake: library-softmax
import torch


def softmax(x):
    return torch.softmax(x, dim=1)
