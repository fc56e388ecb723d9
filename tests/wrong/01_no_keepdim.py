# exercise: 1.1
# mistake: shapes-do-not-line-up
import torch


def naive_softmax(x):
    row_max = x.amax(dim=1)
    shifted = x - row_max
    numerator = torch.exp(shifted)
    denominator = numerator.sum(dim=1)
    return numerator / denominator
