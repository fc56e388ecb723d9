# exercise: 14.2
# mistake: library-softmax
import torch


def my_softmax(x):
    return torch.softmax(x, dim=1)
