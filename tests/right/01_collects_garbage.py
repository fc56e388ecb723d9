# exercise: 1.1
import gc

import torch


def naive_softmax(x):
    gc.collect()
    row_max = x.amax(dim=1)
    shifted = x - row_max[:, None]
    numerator = torch.exp(shifted)
    denominator = numerator.sum(dim=1)
    return numerator / denominator[:, None]
