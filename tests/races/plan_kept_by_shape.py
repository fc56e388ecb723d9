# What is kept from call to call is a plan without tensors.
import dataclasses
import functools

import torch
import triton


@dataclasses.dataclass(frozen=True)
class Plan:
    block: int
    warps: int


@functools.lru_cache
def plan(n):
    return Plan(triton.next_power_of_2(n), 4)


def fused_softmax(x):
    y = torch.empty_like(x)
    p = plan(x.shape[1])
    softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=p.block, num_warps=p.warps)
    return y
