# An operator of PyTorch that the answer registers, as libraries do, and its launch inside.
import torch
import triton


@torch.library.custom_op("of_a_library::softmax", mutates_args=("y",))
def softmax_out(x: torch.Tensor, y: torch.Tensor) -> None:
    block = triton.next_power_of_2(x.shape[1])
    softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=block)


@softmax_out.register_fake
def _(x, y):
    return None


def fused_softmax(x):
    y = x.new_empty(x.shape)
    softmax_out(x, y)
    return y
