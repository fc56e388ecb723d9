# exercise: 6.2
# mistake: input-beyond-alike
import torch


def breaks_b():
    return torch.arange(80.0)[None]
