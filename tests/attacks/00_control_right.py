# exercise: 1.1
# control: passed
import torch


def naive_softmax(x):
    row_max = x.amax(dim=1)
    shifted = x - row_max[:, None]
    numerator = torch.exp(shifted)
    denominator = numerator.sum(dim=1)
    return numerator / denominator[:, None]
