# tries: to keep results in memory that it made when it was imported
# in its way: a call uses tensors that it made itself, and no others
# outcome: refused
import torch
import triton

kept = torch.empty(1 << 16, device="cpu")


def fused_softmax(x):
    y = kept[: x.numel()].view(x.shape)
    softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
