# A descriptor that Python makes.
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def k(y, d, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.reshape(d.load([row, 0]), [BLOCK])
    v = tl.where(at < N, v, -float("inf"))
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * N + at, v / tl.sum(v, axis=0), mask=at < N)


def fused_softmax(x):
    y = torch.empty_like(x)
    k[(len(x),)](y, TensorDescriptor.from_tensor(x, [1, 64]), x.shape[1], BLOCK=64)
    return y
