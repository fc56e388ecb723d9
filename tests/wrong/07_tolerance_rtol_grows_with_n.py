# exercise: 7.2
# mistake: rtol-loose
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    return 4 * n * max(info.eps, 1e-6), info.smallest_normal * info.eps
