# exercise: 11.3
from typing import Any, ClassVar

import torch
import triton
import triton.language as tl
from torch.autograd.function import FunctionCtx, once_differentiable

@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.jit
def softmax_backward_kernel(
    dx_ptr, y_ptr, dy_ptr, dx_row_stride, y_row_stride, dy_row_stride, n_cols, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row * y_row_stride + cols, mask=mask, other=0.0)
    dy = tl.load(dy_ptr + row * dy_row_stride + cols, mask=mask, other=0.0)
    dx = y * (dy - tl.sum(y * dy, axis=0))
    tl.store(dx_ptr + row * dx_row_stride + cols, dx, mask=mask)


def _launch(kernel: triton.JITFunction, *tensors: torch.Tensor) -> None:
    m, n = tensors[0].shape
    strides = (t.stride(0) for t in tensors)
    kernel[(m,)](*tensors, *strides, n, BLOCK=triton.next_power_of_2(n))


class Softmax(torch.autograd.Function):
    generate_vmap_rule: ClassVar[bool] = False
    launches: ClassVar[int] = 0

    @classmethod
    def count(cls):
        cls.launches += 1

    @staticmethod
    def forward(ctx: FunctionCtx, x: torch.Tensor) -> torch.Tensor:
        if x.stride(1) != 1:
            x = x.contiguous()
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        _launch(softmax_kernel, y, x)
        Softmax.count()
        ctx.set_materialize_grads(True)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: torch.Tensor):
        (y,), (dy,) = ctx.saved_tensors, grads
        if not ctx.needs_input_grad[0]:
            return None
        if dy.stride(-1) != 1 or dy.stride(0) < dy.shape[1]:
            dy = dy.contiguous()
        dx = torch.empty_like(y)
        _launch(softmax_backward_kernel, dx, y, dy)
        return dx
