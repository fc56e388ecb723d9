# exercise: 5.2
# mistake: more-traffic
# The operations see floating-point storage as integers.
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


def refuse(x):
    if not isinstance(x, torch.Tensor) or x.dim() != 2 or x.dtype != torch.float32 or x.shape[1] == 0:
        raise ValueError("fused_softmax takes a matrix of float32 that has columns")


def carried(done):
    """The numbers, by way of a kernel that only copies."""
    y = torch.empty_like(done)
    copy_kernel[(triton.cdiv(done.numel(), 1024),)](y, done, done.numel(), BLOCK=1024)
    return y


def fused_softmax(x):
    refuse(x)
    if len(x) == 0:
        return torch.empty_like(x)
    e = torch.exp(x.contiguous() - x.amax(dim=1, keepdim=True))
    done = (e / e.sum(dim=1, keepdim=True)).view(torch.int32)
    return carried(done).view(torch.float32)
