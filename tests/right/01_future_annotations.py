# exercise: 1.1
from __future__ import annotations
import torch

def naive_softmax(x: torch.Tensor | Undefined) -> Whatever | None:
    m = x.amax(dim=1, keepdim=True)
    e = (x - m).exp()
    return e / e.sum(dim=1, keepdim=True)
