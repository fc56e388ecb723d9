# exercise: 9.3
# mistake: states-too-few
import dataclasses
import math
import torch
import triton
import triton.language as tl

@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, split_size, BLOCK):
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(d_ptr + row * n_splits + split, d)


@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_splits, split_size,
    SPLITS: tl.constexpr, BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    splits = tl.arange(0, SPLITS)
    ms = tl.load(m_ptr + row * n_splits + splits, mask=splits < n_splits, other=-float("inf"))
    ds = tl.load(d_ptr + row * n_splits + splits, mask=splits < n_splits, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp(ms - m), axis=0)
    for start in range(0, split_size, BLOCK):
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)


@dataclasses.dataclass(kw_only=True)
class Split:
    n_rows: int
    n_cols: int
    n_splits: int

    @property
    def size(self) -> int:
        return math.ceil(self.n_cols / self.n_splits)

    @property
    def block(self) -> int:
        return min(2 ** math.ceil(math.log2(max(self.size, 2))), 4096)

    @property
    def grid(self):
        return self.n_rows, self.n_splits


STATES = {}


def split_softmax(x, n_splits):
    if x.dim() != 2:
        raise ValueError(f"split_softmax takes a matrix, not a tensor of {x.dim()} dimensions")
    if x.dtype != torch.float32:
        raise ValueError(f"split_softmax takes float32, not {x.dtype}")
    if n_splits < 1:
        raise ValueError(f"a row has at least one split, and n_splits is {n_splits}")
    x = x.contiguous()
    plan = Split(n_rows=x.shape[0], n_cols=x.shape[1], n_splits=n_splits)
    y = torch.empty_like(x)
    if "m" not in STATES:
        STATES["m"], STATES["d"] = (torch.empty(plan.grid, device=x.device) for _ in range(2))
    m, d = STATES["m"], STATES["d"]
    partial_kernel[plan.grid](m, d, x, x.stride(0), plan.n_cols, plan.n_splits, plan.size, BLOCK=plan.block)
    combine_kernel[plan.grid](
        y, x, m, d, y.stride(0), x.stride(0), plan.n_cols, plan.n_splits, plan.size,
        SPLITS=triton.next_power_of_2(plan.n_splits), BLOCK=plan.block,
    )
    return y
