# exercise: 8.3
import triton
import triton.language as tl

NEG = tl.constexpr(-float("inf"))


@triton.jit
def _load(row_ptr, start, n_cols, BLOCK: tl.constexpr):
    cols = start + tl.arange(0, BLOCK)
    mask = cols < n_cols
    return tl.load(row_ptr + cols, mask=mask, other=NEG), cols, mask


@triton.jit
def _take_in(m, d, x):
    new = tl.maximum(m, tl.max(x, axis=0))
    shift = tl.where(new == NEG, 0.0, new)
    return new, d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    y_ptr += row * y_row_stride
    m = tl.full((), NEG, tl.float32)
    d = tl.zeros((), tl.float32)
    for i in tl.range(0, tl.cdiv(n_cols, BLOCK), num_stages=3):
        x, _, _ = _load(x_ptr, i * BLOCK, n_cols, BLOCK)
        m, d = _take_in(m, d, x)
    for i in tl.range(tl.cdiv(n_cols, BLOCK)):
        x, cols, mask = _load(x_ptr, i * BLOCK, n_cols, BLOCK)
        tl.store(y_ptr + cols, tl.exp(x - m) / d, mask=mask)
