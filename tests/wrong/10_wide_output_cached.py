# exercise: 10.4
# mistake: output-reused
import torch
import triton
import triton.language as tl

@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    """Softmax of ROWS rows of an n_rows × n_cols matrix: program 0 has the first ROWS of them, program 1 the next.

    ROWS and BLOCK are powers of two, BLOCK is at least n_cols.
    """
    # Where am I? This program's rows, the columns, and a mask for both (3 lines).
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    # Load the tile, once (about 2 lines).
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf"))
    # The four lines of lesson 04, each reduction along the axis of the columns.
    row_max = tl.max(x, axis=1)
    numerator = tl.exp(x - row_max[:, None])
    denominator = tl.sum(numerator, axis=1)
    y = numerator / denominator[:, None]
    # Store the tile (1 line).
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)


@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    """Softmax of all rows of an n_rows × n_cols matrix, shared evenly among all programs that were launched.

    BLOCK is a power of two, at least n_cols.
    """
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Walk over this program's rows; in the loop, 5.1 (about 6 lines).
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


def resident_programs(props, n_regs, shared, num_warps):
    """How many programs the whole device holds at once; 32 where an entry of props, or n_regs, is missing or 0."""
    # If anything is missing: 32 (about 4 lines).
    needed = ("multiprocessor_count", "warpSize", "max_num_regs", "register_unit")
    needed += ("max_shared_mem", "max_threads_per_sm", "max_blocks_per_sm")
    if not n_regs or not all(props.get(key) for key in needed):
        return 32
    # For how many programs does each resource of one multiprocessor suffice? (about 6 lines)
    units = triton.cdiv(n_regs * props["warpSize"], props["register_unit"])  # of one warp
    limits = [
        props["max_num_regs"] // (num_warps * units * props["register_unit"]),
        props["max_threads_per_sm"] // (num_warps * props["warpSize"]),
        props["max_blocks_per_sm"],
    ]
    if shared > 0:
        limits.append(props["max_shared_mem"] // shared)
    # All multiprocessors together (1 line).
    return min(limits) * props["multiprocessor_count"]


_OUT = {}


def wide_softmax(x):
    """Softmax of each row of x (M×N, contiguous, float32 or bfloat16) in its dtype, by tiles of 10.1.

    Where 16 divides N, a load moves 16 bytes a thread. Nothing is spilled.
    """
    y = _OUT.setdefault((x.shape, x.dtype), torch.empty_like(x))
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    # How many rows has a tile, and how many warps a program? Then launch (about 5 lines).
    row_bytes = block * x.element_size()
    rows = max(1, 512 // row_bytes)  # 16 bytes for each thread of a warp
    num_warps = min(max(1, rows * row_bytes // 2048), 32)  # at most four such loads a thread, up to 32 warps
    sizes = (y, x, y.stride(0), x.stride(0), n_rows, n_cols)
    tile_softmax_kernel[(triton.cdiv(n_rows, rows),)](*sizes, ROWS=rows, BLOCK=block, num_warps=num_warps)
    return y

