# exercise: 5.2
# All memory is integers: the kernel takes their bits as numbers, and the result is a view.
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_of_bits(y_ptr, x_ptr, x_row_stride, x_column_stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    bits = tl.load(x_ptr + row * x_row_stride + cols * x_column_stride, mask=cols < n_cols, other=-8388608)
    x = bits.to(tl.float32, bitcast=True)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)
    tl.store(y_ptr + row * n_cols + cols, y.to(tl.int32, bitcast=True), mask=cols < n_cols)


def fused_softmax(x):
    if x.dim() != 2:
        raise ValueError("fused_softmax takes a matrix")
    if x.dtype != torch.float32:
        raise ValueError("fused_softmax takes float32")
    rows, columns = x.shape
    y = torch.empty((rows, columns), dtype=torch.int32, device=x.device)
    block = triton.next_power_of_2(columns)
    softmax_of_bits[(rows,)](y, x.view(torch.int32), *x.stride(), columns, BLOCK=block)
    return y.view(torch.float32)
