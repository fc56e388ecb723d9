# exercise: 4.1
import collections
import triton
import triton.language as tl
State = collections.namedtuple("State", "fn data")

@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    """One row.

def softmax(x): this line begins with def
    def too
    """
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    m = tl.max(x, axis=0)
    s = State(tl.exp(x - m), data=m)
    out = s.fn / tl.sum(s.fn, axis=0)
    tl.store(y_ptr + cols, out, mask=mask)
