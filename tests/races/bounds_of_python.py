# Bounds of pieces from a tensor that Python alone looks at: on a GPU it stays in the memory of the CPU.
import torch
import triton


def fused_softmax(x):
    bounds = torch.linspace(0, len(x), 5).long().tolist()
    y, block = torch.empty_like(x), triton.next_power_of_2(x.shape[1])
    for first, end in zip(bounds, bounds[1:]):
        given, out = x[first:end], y[first:end]
        softmax_kernel[(len(given),)](out, given, out.stride(0), given.stride(0), given.shape[1], BLOCK=block)
    return y
