# exercise: 1.1
# mistake: no-max
import torch


def naive_softmax(x):
    numerator = torch.exp(x)
    denominator = numerator.sum(dim=1, keepdim=True)
    return numerator / denominator
