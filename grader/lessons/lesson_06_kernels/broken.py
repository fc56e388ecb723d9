"""Three softmaxes that look right on torch.randn and are not. Lesson 06 shows this text and asks what breaks them."""

import torch
import triton
import triton.language as tl


def launch(kernel, x):
    """Run a kernel on x (M×N, float32), one program for each row."""
    x = x.contiguous()
    y = torch.empty_like(x)
    n_cols = x.shape[1]
    kernel[(x.shape[0],)](y, x, n_cols, BLOCK=triton.next_power_of_2(n_cols))
    return y


@triton.jit
def a_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    start = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + start + cols, mask=mask, other=-float("inf"))
    # exp of 80 is no problem for float32, so nothing can overflow.
    numerator = tl.exp(tl.minimum(x, 80.0))
    denominator = tl.sum(numerator, axis=0)
    tl.store(y_ptr + start + cols, numerator / denominator, mask=mask)


@triton.jit
def b_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    start = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + start + cols, mask=mask, other=-float("inf"))
    # Any shift is right, so the first 64 values are enough to find a good one.
    shift = tl.max(tl.where(cols < 64, x, -float("inf")), axis=0)
    numerator = tl.exp(x - shift)
    denominator = tl.sum(numerator, axis=0)
    tl.store(y_ptr + start + cols, numerator / denominator, mask=mask)


@triton.jit
def c_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    start = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + start + cols, mask=mask, other=-float("inf"))
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - row_max)
    # The largest term is exp(0), which is 1, so only the others need to be added up.
    others = tl.sum(tl.where(x == row_max, 0.0, numerator), axis=0)
    tl.store(y_ptr + start + cols, numerator / (1.0 + others), mask=mask)


def softmax_a(x):
    """Softmax of each row, by a_kernel."""
    return launch(a_kernel, x)


def softmax_b(x):
    """Softmax of each row, by b_kernel."""
    return launch(b_kernel, x)


def softmax_c(x):
    """Softmax of each row, by c_kernel."""
    return launch(c_kernel, x)
