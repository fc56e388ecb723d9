# A descriptor that the kernel makes.
import torch
import triton
import triton.language as tl


@triton.jit
def k(y, x, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    d = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[1, BLOCK])
    at = tl.arange(0, BLOCK)
    v = tl.reshape(d.load([row, 0]), [BLOCK])
    v = tl.where(at < N, v, -float("inf"))
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * N + at, v / tl.sum(v, axis=0), mask=at < N)


def fused_softmax(x):
    y = torch.empty_like(x)
    k[(len(x),)](y, x, *x.shape, BLOCK=64)
    return y
