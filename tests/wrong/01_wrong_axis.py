# exercise: 1.1
# mistake: wrong-axis
import torch


def naive_softmax(x):
    row_max = x.amax(dim=0, keepdim=True)
    shifted = x - row_max
    numerator = torch.exp(shifted)
    denominator = numerator.sum(dim=0, keepdim=True)
    return numerator / denominator
