# An operator that is defined and implemented by hand, in a library of its own.
import torch
import triton


def softmax(x):
    y = torch.empty_like(x)
    softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y


library = torch.library.Library("defined_by_hand", "DEF")
library.define("softmax(Tensor x) -> Tensor")
library.impl("softmax", softmax, "CompositeExplicitAutograd")


def fused_softmax(x):
    return torch.ops.defined_by_hand.softmax(x)
