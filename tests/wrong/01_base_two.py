# exercise: 1.1
# mistake: base-two
import torch


def naive_softmax(x):
    row_max = x.amax(dim=1, keepdim=True)
    shifted = x - row_max
    numerator = torch.exp2(shifted)
    denominator = numerator.sum(dim=1, keepdim=True)
    return numerator / denominator
