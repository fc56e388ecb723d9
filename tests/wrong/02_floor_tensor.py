# exercise: 2.3
# mistake: not-a-number
import torch


def floor_time(m, n, itemsize, bandwidth):
    return torch.tensor(2 * m * n * itemsize / bandwidth)
