# tries: to name a stream as an option of the launch
# in its way: four options are known, and no others
# outcome: refused
import torch
import triton


def fused_softmax(x):
    y = torch.empty_like(x)
    block = triton.next_power_of_2(x.shape[1])
    softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=block, stream=1)
    return y
