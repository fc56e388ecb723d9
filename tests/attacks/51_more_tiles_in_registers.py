# exercise: 8.3
# mistake: unrolled-to-a-length
# slowly: compiler-endless
# All tiles of the longest row of `check` are kept in registers: the compiler makes a load of each step.
import triton
import triton.language as tl


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    tiles = ()
    m = tl.full([], -float("inf"), tl.float32)
    for i in tl.static_range(50):
        x = tl.load(x_ptr + row * x_row_stride + i * BLOCK + cols, mask=i * BLOCK + cols < n_cols, other=-float("inf"))
        tiles = tiles + (x,)
        m = tl.maximum(m, tl.max(x, axis=0))
    d = tl.full([], 0.0, tl.float32)
    for i in tl.static_range(50):
        d += tl.sum(tl.exp(tiles[i] - m), axis=0)
    for i in tl.static_range(50):
        mask = i * BLOCK + cols < n_cols
        x = tl.load(x_ptr + row * x_row_stride + i * BLOCK + cols, mask=mask, other=-float("inf"))
        tl.store(y_ptr + row * y_row_stride + i * BLOCK + cols, tl.exp(x - m) / d, mask=mask)
