# exercise: 5.2
import functools, inspect, time
from collections import Counter
import torch
import triton
import triton.language as tl

counter = Counter()


def counted(kernel):
    """A decorator around a kernel: counts its launches."""

    class Counted:
        def __getitem__(self, grid):
            def launch(*args, **kwargs):
                counter[kernel.fn.__name__] += 1
                return kernel[grid](*args, **kwargs)

            return launch

    return Counted()


def validated(f):
    signature = inspect.signature(f)

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        x = bound.arguments["x"]
        if x.dim() != 2 or x.dtype != torch.float32:
            raise ValueError(f"{f.__name__} takes a float32 matrix, not {x.dtype} with {x.dim()} dimensions")
        return f(*bound.args, **bound.kwargs)

    return wrapper


@counted
@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


@validated
def fused_softmax(x):
    x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    softmax_kernel[(n_rows,)](y, x, y.stride(0), x.stride(0), n_cols, BLOCK=triton.next_power_of_2(n_cols))
    return y
