# exercise: 1.1
import torch


def naive_softmax(x):
    """Works in memory that was allocated as integers, in place."""
    work = torch.empty(x.shape, dtype=torch.int32, device=x.device).view(torch.float32)
    torch.sub(x, x.amax(dim=1, keepdim=True), out=work)
    work.exp_()
    return work.div_(work.sum(dim=1, keepdim=True))
