# exercise: 14.2
# mistake: library-softmax
import torch


def softmax(x):
    return torch.softmax(x, dim=1)
