# The kernel's output is copied into memory of the result's strides.
import torch
import triton


def fused_softmax(x):
    y = torch.empty_like(x)
    out = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
    softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    out.copy_(y)
    return out
