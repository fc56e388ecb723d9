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


def fused_softmax(x):
    if x.dim() != 2:
        raise ValueError(f"fused_softmax wants 2 dimensions and got {x.dim()}")
    if x.dtype is not torch.float32:
        raise ValueError(f"fused_softmax wants float32 and got {x.dtype}")
    x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    if torch.cuda.is_available():
        properties = triton.runtime.driver.active.utils.get_device_properties(x.device.index)
        print(properties["multiprocessor_count"])
    softmax_kernel.warmup(y, x, y.stride(0), x.stride(0), n_cols, BLOCK=block, grid=(1,))
    softmax_kernel[n_rows, ](y, x, y.stride(0), x.stride(0), n_cols, block)
    return y
