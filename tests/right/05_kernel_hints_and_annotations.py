# exercise: 5.1
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    y_ptr: tl.tensor, x_ptr: tl.tensor, y_row_stride: tl.int32, x_row_stride: "tl.int32", n_cols: int, BLOCK: tl.constexpr
) -> None:
    """One program a row.

    Hints tell the compiler that lanes lie next to each other.
    """
    tl.static_assert(BLOCK > 0, "BLOCK must be positive")
    tl.assume(n_cols > 0)
    pid: tl.tensor = tl.program_id(0).cast(tl.int64)
    cols = tl.max_contiguous(tl.multiple_of(tl.arange(0, BLOCK), BLOCK), BLOCK)
    in_row = cols < n_cols
    xs = tl.load(
        x_ptr + pid * x_row_stride + cols,
        in_row,
        float("-inf"),
        eviction_policy="evict_first",
    )
    xs -= tl.max(xs)
    es = tl.exp(xs)
    es *= 1.0 / tl.sum(es)
    tl.store(y_ptr + pid * y_row_stride + cols, es, in_row, cache_modifier=".wt")
