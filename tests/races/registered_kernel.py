# A kernel that torch.library wraps, so that PyTorch's compiler could look into it.
import torch
import triton


@torch.library.triton_op("of_a_library::wrapped", mutates_args={})
def wrapped(x: torch.Tensor) -> torch.Tensor:
    y, block = torch.empty_like(x), triton.next_power_of_2(x.shape[1])
    launched = torch.library.wrap_triton(softmax_kernel)
    launched[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=block)
    return y


def fused_softmax(x):
    return wrapped(x)
