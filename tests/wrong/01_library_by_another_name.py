# exercise: 1.1
# mistake: library-softmax
import torch


def naive_softmax(x):
    return getattr(torch.nn.functional, "log_" + "softmax")(x, dim=1).exp()
