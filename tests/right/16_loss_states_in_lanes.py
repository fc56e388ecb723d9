# exercise: 16.1
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(loss_ptr, lse_ptr, x_ptr, target_ptr, x_row_stride, n_cols, ignore_index, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    begin = x_ptr + row * x_row_stride
    m = tl.full([BLOCK], -float("inf"), tl.float32)
    d = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n_cols, BLOCK):
        x = tl.load(begin + start + lanes, mask=start + lanes < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, x)
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp2((m - shift) * 1.4426950408889634) + tl.exp2((x - shift) * 1.4426950408889634)
        m = new
    top = tl.max(m, axis=0)
    log_sum = tl.log2(tl.sum(d * tl.exp2((m - top) * 1.4426950408889634), axis=0)) * 0.6931471805599453
    target = tl.load(target_ptr + row)
    counts = target != ignore_index
    logit = tl.load(begin + target, mask=counts, other=0.0)
    tl.store(loss_ptr + row, tl.where(counts, log_sum + (top - logit), 0.0))
    tl.store(lse_ptr + row, top + log_sum)
