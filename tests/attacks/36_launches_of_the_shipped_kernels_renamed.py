# exercise: 14.2
# A kernel of its own has the name of one that the course ships.
import torch
import triton
import triton.language as tl


@triton.jit
def tile_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    tl.store(y_ptr, 0.0)


def my_softmax(x):
    if not isinstance(x, torch.Tensor) or x.dim() != 2 or x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise ValueError("my_softmax takes a matrix of float32, float16 or bfloat16")
    y = torch.empty_like(x)
    tile_kernel[(1,)](y, x, x.shape[1], BLOCK=16)
    return y
