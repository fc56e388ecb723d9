# tries: to read the card's clock in the kernel, by PTX of its own
# in its way: a kernel can store into its tensors alone, and these are compared; the check does not run PTX
# outcome: no gain on a GPU
import torch
import triton
import triton.language as tl


@triton.jit
def looking_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    now = tl.inline_asm_elementwise("mov.u32 $0, %clock; // $1", "=r,r", [cols], dtype=tl.int32, is_pure=False, pack=1)
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask & (now != 1), other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


def fused_softmax(x):
    y = torch.empty_like(x)
    block = triton.next_power_of_2(x.shape[1])
    warps = 16 if block >= 4096 else 8 if block >= 2048 else 4
    looking_kernel[(len(x),)](y, x, x.stride(0), x.shape[1], BLOCK=block, num_warps=warps)
    return y
