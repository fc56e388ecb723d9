# exercise: 5.2
# mistake: numbers-to-host
# Plain Python computes, element by element, and a kernel carries the numbers across.
import math

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, x, mask=cols < n_cols)


def fused_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32 or x.numel() == 0:
        raise ValueError("fused_softmax takes a matrix of floating-point numbers that is not empty")
    rows = []
    for row in x:
        values = [float(v) for v in row]
        most = max(values)
        powers = [math.exp(v - most) for v in values]
        rows.append([p / sum(powers) for p in powers])
    done = torch.tensor(rows, device=x.device)
    y = torch.empty_like(done)
    copy_kernel[(len(rows),)](y, done, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
