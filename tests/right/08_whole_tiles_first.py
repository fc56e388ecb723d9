# exercise: 8.3
import triton
import triton.language as tl


@triton.jit
def _load(ptr, start, n, BLOCK: tl.constexpr, MASKED: tl.constexpr):
    cols = start + tl.arange(0, BLOCK)
    if not MASKED:
        return tl.load(ptr + cols)
    return tl.load(ptr + cols, mask=cols < n, other=float("-inf"))


@triton.jit
def _step(ptr, start, n, m, d, BLOCK: tl.constexpr, MASKED: tl.constexpr):
    x = _load(ptr, start, n, BLOCK, MASKED)
    top = tl.max(x, 0)
    if top > m:
        if m > float("-inf"):
            d *= tl.exp(m - top)
        m = top
    if m > float("-inf"):
        d += tl.sum(tl.exp(x - m), 0)
    return m, d


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    y_ptr += row * y_row_stride
    m = -float("inf")
    d = 0.0
    whole = n_cols // BLOCK * BLOCK
    for start in range(0, whole, BLOCK):
        m, d = _step(x_ptr, start, n_cols, m, d, BLOCK, False)
    if whole < n_cols:
        m, d = _step(x_ptr, whole, n_cols, m, d, BLOCK, True)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n_cols)
        tl.store(y_ptr + cols, tl.exp(x - m) / d, mask=cols < n_cols)
