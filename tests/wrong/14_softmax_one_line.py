# exercise: 14.3
# mistake: vectors-unused
import torch
from grader.fast.pick import split, tile


def softmax(x):
    if not torch.is_tensor(x) or x.ndim != 2 or x.dtype not in {torch.float32, torch.half, torch.bfloat16}:
        raise TypeError("softmax takes a matrix of float32, float16 or bfloat16")
    x = x.contiguous()
    y = torch.empty_like(x)
    (tile if x.size(1) <= 8192 else split)(y, x)
    return y
