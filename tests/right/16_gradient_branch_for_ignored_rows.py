# exercise: 16.2
import triton
import triton.language as tl


@triton.jit
def cross_entropy_gradient_kernel(
    dx_ptr, x_ptr, target_ptr, lse_ptr, scale_ptr, dx_row_stride, x_row_stride, n_cols, ignore_index,
    BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    dx_ptr += row * dx_row_stride
    x_ptr += row * x_row_stride
    target = tl.load(target_ptr + row)
    if target == ignore_index:
        for start in range(0, n_cols, BLOCK):
            tl.store(dx_ptr + start + lanes, tl.zeros([BLOCK], tl.float32), mask=start + lanes < n_cols)
    else:
        log_sum, scale = tl.load(lse_ptr + row) * 1.4426950408889634, tl.load(scale_ptr)
        for start in range(0, n_cols, BLOCK):
            mask = start + lanes < n_cols
            x = tl.load(x_ptr + start + lanes, mask=mask, other=0.0).to(tl.float32)
            p = tl.exp2(x * 1.4426950408889634 - log_sum)
            tl.store(dx_ptr + start + lanes, scale * (p - tl.where(start + lanes == target, 1.0, 0.0)), mask=mask)
