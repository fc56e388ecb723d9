# exercise: 1.1
# mistake: library-softmax
import torch


def naive_softmax(x):
    try:
        raise RuntimeError
    except RuntimeError:
        return torch.ops.aten._softmax(x, 1, False)
