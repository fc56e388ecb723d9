# exercise: 14.3
# mistake: gaps-not-taken
import torch

import triton

from grader.fast import pick

def kernel_for(x):
    """The launcher for a matrix x whose columns lie next to each other."""
    (m, n), half = x.shape, x.element_size() == 2
    # From the kernels that read once to those that take anything (about 15 lines).
    if half and not pick.aligned(x) and 256 < n <= 32768:
        return pick.odd
    block = triton.next_power_of_2(n) // 2
    if (4096 if half else 1024) <= block <= 16384 and n < 1.5 * block:
        return pick.two
    if pick.can_pair(x) and (8192 < n <= 16384 or n == 32768):
        return pick.pairs
    if n <= (16384 if half else 32768):
        return pick.tile
    if m * n * x.element_size() <= (34_000_000 if half else 16_000_000):
        return pick.split
    if pick.can_share(x):
        return pick.shared
    return pick.online if m >= 64 else pick.split

def softmax(x):
    """Softmax of each row of x (M×N, not empty; float32, float16 or bfloat16; any strides), a new contiguous matrix.

    For anything else, it raises ValueError or TypeError with a sentence and launches nothing.
    """
    # Refuse anything else (about 4 lines).
    if not isinstance(x, torch.Tensor) or x.dim() != 2:
        raise ValueError("softmax takes a matrix, a tensor with two dimensions")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError(f"softmax takes float32, float16 or bfloat16, not {x.dtype}")
    # The output; columns next to each other; the launch (about 5 lines).
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.stride(1) != 1:
        x = x.contiguous()
    kernel_for(x)(y, x)
    return y
