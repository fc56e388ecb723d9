# exercise: 16.1
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(loss_ptr, lse_ptr, x_ptr, target_ptr, x_row_stride, n_cols, ignore_index, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    target = tl.load(target_ptr + row)
    m = -float("inf")
    d = 0.0
    hit = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        hit += tl.sum(tl.where(cols == target, x, 0.0), axis=0)
        m = new
    log_d = tl.log(d)
    tl.store(lse_ptr + row, m + log_d)
    tl.store(loss_ptr + row, tl.where(target == ignore_index, 0.0, (m - hit) + log_d))
