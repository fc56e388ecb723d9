# exercise: 11.3
import torch
import triton
import triton.language as tl

@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def softmax_backward_kernel(dx_ptr, y_ptr, dy_ptr, dx_row_stride, y_row_stride, dy_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row * y_row_stride + cols, mask=mask, other=0.0)
    dy = tl.load(dy_ptr + row * dy_row_stride + cols, mask=mask, other=0.0)
    tl.store(dx_ptr + row * dx_row_stride + cols, y * (dy - tl.sum(y * dy, axis=0)), mask=mask)

def run(kernel, *ts):
    n = ts[0].shape[1]
    kernel[(ts[0].shape[0],)](*ts, *[t.stride(0) for t in ts], n, BLOCK=triton.next_power_of_2(n))
    return ts[0]


from abc import ABC
class Base(torch.autograd.Function):
    forward_kernel = softmax_kernel
    @classmethod
    def prepared(cls, t): return t if t.stride(1) == 1 and t.stride(0) >= t.shape[1] else t.contiguous()
class Softmax(Base):
    @staticmethod
    def forward(x):
        return run(Softmax.forward_kernel, x.new_empty(x.shape), Softmax.prepared(x))
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        saved = ctx.saved_tensors
        return run(softmax_backward_kernel, torch.empty_like(saved[0]), saved[0], Softmax.prepared(grad))
