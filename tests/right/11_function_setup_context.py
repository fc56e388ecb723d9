# exercise: 11.3
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.jit
def softmax_backward_kernel(
    dx_ptr, y_ptr, dy_ptr, dx_row_stride, y_row_stride, dy_row_stride, n_cols, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row * y_row_stride + cols, mask=mask, other=0.0)
    dy = tl.load(dy_ptr + row * dy_row_stride + cols, mask=mask, other=0.0)
    dx = y * (dy - tl.sum(y * dy, axis=0))
    tl.store(dx_ptr + row * dx_row_stride + cols, dx, mask=mask)


def launch(kernel, out, *tensors):
    n_rows, n_cols = out.shape
    strides = [t.stride(0) for t in (out, *tensors)]
    kernel[(n_rows,)](out, *tensors, *strides, n_cols, BLOCK=triton.next_power_of_2(n_cols))
    return out


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return launch(softmax_kernel, torch.empty(x.shape, dtype=x.dtype, device=x.device), x.contiguous())

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, dy):
        y = ctx.saved_tensors[0]
        return launch(softmax_backward_kernel, torch.empty_like(y), y, dy.contiguous())
