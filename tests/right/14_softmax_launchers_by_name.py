# exercise: 14.3
import torch
from grader.fast.pick import aligned, can_pair, can_share, odd, pairs, shared, split, tile


def launcher(x):
    n = x.size(1)
    if n > 32768:
        return shared if can_share(x) else split
    if x.dtype != torch.float32 and not aligned(x) and x.is_contiguous() and n > 8:
        return odd
    return pairs if can_pair(x) and n > 16384 else tile


def softmax(x):
    if not torch.is_tensor(x) or x.ndim != 2 or x.dtype not in {torch.float32, torch.half, torch.bfloat16}:
        raise TypeError("softmax takes a matrix of float32, float16 or bfloat16")
    x = x.contiguous()
    y = torch.empty_like(x)
    launcher(x)(y, x)
    return y
