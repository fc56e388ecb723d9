# exercise: 1.2
# mistake: tool-in-answer
import torch
from grader import traffic


def naive_softmax(x):
    e = torch.exp(x - x.amax(dim=1, keepdim=True))
    return e / e.sum(dim=1, keepdim=True)


def naive_traffic(m, n):
    x = torch.randn(m, n)
    return traffic(naive_softmax, x)
