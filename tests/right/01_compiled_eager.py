# exercise: 1.1
import torch


@torch.compile(backend="eager", fullgraph=False, dynamic=True)
def naive_softmax(x):
    row_max = x.amax(1)[:, None]
    shifted = x.sub(row_max)
    numerator = shifted.exp()
    denominator = torch.einsum("ij->i", numerator).view(-1, 1)
    return numerator.div(denominator)
