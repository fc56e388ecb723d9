# exercise: 14.3
import torch

from grader.fast import pick


def kernel_for(x):
    (m, n), half = x.shape, x.element_size() == 2
    if half and not pick.aligned(x) and x.is_contiguous() and 256 < n <= 32768:
        return pick.odd
    if pick.can_pair(x) and (8192 < n <= 16384 or n == 32768):
        return pick.pairs
    if n <= (16384 if half else 32768):
        return pick.tile
    if x.numel() * x.element_size() <= 32_000_000:
        return pick.split
    if pick.can_share(x):
        return pick.shared
    return pick.online if m >= 64 else pick.split


def softmax(x):
    if not isinstance(x, torch.Tensor) or x.dim() != 2:
        raise ValueError("softmax takes a matrix, a tensor of two dimensions")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError(f"softmax takes float32, float16 or bfloat16, and this is {x.dtype}")
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.stride(1) != 1:
        x = x.contiguous()
    kernel_for(x)(y, x)
    return y
