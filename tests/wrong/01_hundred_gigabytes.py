# exercise: 1.1
# mistake: out-of-memory
import torch


def naive_softmax(x):
    torch.empty(25 * 10**9)
    row_max = x.amax(dim=1, keepdim=True)
    shifted = x - row_max
    numerator = torch.exp(shifted)
    denominator = numerator.sum(dim=1, keepdim=True)
    return numerator / denominator
