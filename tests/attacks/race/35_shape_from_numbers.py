# tries: to find out where the large numbers are, and to work there alone
# in its way: a shape that depends on numbers ends the tape
# outcome: refused
import torch

honest = fused_softmax


def fused_softmax(x):
    torch.nonzero(x > 3)
    return honest(x)
