# exercise: 14.3
# mistake: walks-too-many
import torch

import triton
import triton.language as tl
from grader.fast import pick


@triton.jit
def three_walks_kernel(y_ptr, x_ptr, y_stride, x_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    m = tl.full([BLOCK], -float("inf"), tl.float32)
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + row * x_stride + start + lanes, mask=start + lanes < n, other=-float("inf"))
        m = tl.maximum(m, x.to(tl.float32))
    top = tl.max(m, axis=0)
    d = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + row * x_stride + start + lanes, mask=start + lanes < n, other=-float("inf"))
        d += tl.exp(x.to(tl.float32) - top)
    total = tl.sum(d, axis=0)
    for start in range(0, n, BLOCK):
        mask = start + lanes < n
        x = tl.load(x_ptr + row * x_stride + start + lanes, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_stride + start + lanes, tl.exp(x - top) / total, mask=mask)


def three_walks(y, x):
    three_walks_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=4096, num_warps=8)


def kernel_for(x):
    (m, n), half = x.shape, x.element_size() == 2
    if half and not pick.aligned(x) and x.is_contiguous() and 256 < n <= 32768:
        return pick.odd
    if pick.can_pair(x) and (8192 < n <= 16384 or n == 32768):
        return pick.pairs
    if n <= 8192:
        return pick.tile
    if n < 100_000:
        return three_walks
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
