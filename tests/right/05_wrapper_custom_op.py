# exercise: 5.2
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


@torch.library.custom_op("five_passes_answer::softmax", mutates_args=())
def softmax_op(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    softmax_kernel[(n_rows,)](y, x, y.stride(0), x.stride(0), n_cols, BLOCK=triton.next_power_of_2(n_cols))
    return y


@softmax_op.register_fake
def _(x):
    return torch.empty_like(x)


def fused_softmax(x):
    if x.ndim != 2:
        raise ValueError(f"a matrix is needed, and this has {x.ndim} dimensions")
    if x.dtype != torch.float32:
        raise ValueError(f"float32 is needed, and this is {x.dtype}")
    return softmax_op(x.contiguous())
