# exercise: 15.3
import triton
import triton.language as tl


kept = {}


def keep(arguments, reset_only=False):
    if not reset_only:
        kept["x"] = arguments["x_ptr"].clone()


def put_back(arguments, exception):
    arguments["x_ptr"].copy_(kept.pop("x"))


@triton.autotune(
    configs=[triton.Config({"ROWS": r}, num_warps=w) for r, w in ((1, 1), (2, 2), (4, 4), (8, 8))],
    key=["n_cols"],
    pre_hook=keep,
    post_hook=put_back,
)
@triton.jit
def tuned_kernel(x_ptr, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    places = x_ptr + rows[:, None] * x_row_stride + cols[None, :]
    x = tl.load(places, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    tl.store(places, e / tl.sum(e, axis=1, keep_dims=True), mask=mask)


def inplace_softmax(x):
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    tuned_kernel[lambda meta: (triton.cdiv(n_rows, meta["ROWS"]),)](x, x.stride(0), n_rows, n_cols, BLOCK=block)
