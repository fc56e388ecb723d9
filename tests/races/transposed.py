# A copy that is transposed, and back.
import torch
import triton


def fused_softmax(x):
    x = x.t().contiguous().t().contiguous()
    y = torch.empty_like(x)
    softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
