# tries: to launch a grid of no programs
# in its way: poison, and the comparison
# outcome: refused
import torch
import triton


def fused_softmax(x):
    y = torch.empty_like(x)
    softmax_kernel[(0,)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
