# exercise: 1.1
import torch

@torch.library.custom_op("mine::shifted", mutates_args=())
def shifted(x: torch.Tensor) -> torch.Tensor:
    return x - x.amax(dim=1, keepdim=True)

@shifted.register_fake
def _(x):
    return torch.empty_like(x)

def naive_softmax(x):
    e = torch.ops.mine.shifted(x).exp()
    return e / e.sum(dim=1, keepdim=True)
