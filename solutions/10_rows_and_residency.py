# %% [markdown]
# # 10 · Rows and residency
#
# Lesson 09 had few rows, each too long for one program. Often it is the other way round: tens of thousands of rows, each
# so short that a program has hardly begun when it is over. In this lesson a program takes several rows, all at once or one
# after another, and you compute how many programs a GPU holds at the same time.
#
# *About 45 minutes. No GPU needed.*

# %%
import sys

sys.path.insert(0, "..")  # the course's own folder

from grader import check, hint, progress, trace
import torch
import triton
import triton.language as tl

where = "cuda" if torch.cuda.is_available() else "cpu"

# %% [markdown]
# ## A program that is too small
#
# A launch has 4 warps unless it says otherwise, so 128 threads share one program. How much does each of them have to do,
# if the program has one short row?

# %%
threads = 4 * 32
for n_cols in (64, 256, 1024):
    print(f"a row of {n_cols:4}: {n_cols / threads:4} elements a thread, {2 * 4 * n_cols:4} bytes moved by the program")

# %% [markdown]
# With rows of 64, half of the threads have nothing to do, and a few hundred bytes are soon moved; but starting a program
# takes its time, however short its row. So give each program more rows.

# %% [markdown]
# ## A block with two axes
#
# A **tile** is a block with two axes: `ROWS` rows, `BLOCK` columns. Axis 0 counts the rows, axis 1 the columns. PyTorch has
# the same rules for shapes as Triton, so you can try them here. Which shape has the maximum of each row?

# %%
tile = torch.arange(12.0).reshape(3, 4)
row_max = tile.amax(dim=1)
print(
    "the tile",
    list(tile.shape),
    " its row maxima",
    list(row_max.shape),
    " with [:, None]",
    list(row_max[:, None].shape),
)

# %% [markdown]
# The reduction took axis 1 away. `[:, None]` puts an axis of length 1 back in its place, and a length of 1 fits any length:
# the value is **broadcast** along it. Without that, shapes are lined up from the *last* axis. What will these two do?

# %%
for name, vector in (("row_max[:, None]", row_max[:, None]), ("row_max", row_max)):
    try:
        print(f"tile - {name}: shape {list((tile - vector).shape)}")
    except RuntimeError as error:
        print(f"tile - {name}: {error}")

# %% [markdown]
# An error is good luck. Now a tile with as many rows as columns. After the shift, every row should have 0 as its maximum:

# %%
square = torch.tensor([[1.0, 2.0, 3.0], [7.0, 8.0, 9.0], [4.0, 5.0, 6.0]])
row_max = square.amax(dim=1)
print("with [:, None]:", (square - row_max[:, None]).amax(dim=1).tolist())
print("without it:    ", (square - row_max).amax(dim=1).tolist())

# %% [markdown]
# No error, wrong numbers: *column* 1 lost the maximum of *row* 1. A kernel with as many rows as lanes does that silently,
# and so does one that reduces along axis 0.

# %% [markdown]
# ## Your turn: 10.1
#
# The kernel of 5.1 for `ROWS` rows at once. The last tile may hang over the end of the matrix, to the right *and* below.
# Two masks are combined lane by lane with `&`, each comparison in parentheses.
#
# A row of the tile that lies below the matrix is -inf everywhere, and its softmax is NaN. Does that matter?


# %%
@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    """Softmax of ROWS rows of an n_rows × n_cols matrix: program 0 has the first ROWS of them, program 1 the next.

    ROWS and BLOCK are powers of two, BLOCK is at least n_cols.
    """
    # Where am I? This program's rows, the columns, and a mask for both (3 lines).
    ### BEGIN SOLUTION
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    ### END SOLUTION
    # Load the tile, once (about 2 lines).
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf"))
    ### END SOLUTION
    # The four lines of lesson 04, each reduction along the axis of the columns.
    ### BEGIN SOLUTION
    row_max = tl.max(x, axis=1)
    numerator = tl.exp(x - row_max[:, None])
    denominator = tl.sum(numerator, axis=1)
    y = numerator / denominator[:, None]
    ### END SOLUTION
    # Store the tile (1 line).
    ### BEGIN SOLUTION
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)
    ### END SOLUTION


# %%
check("10.1")

# %% [markdown]
# <details><summary>Every shape, once</summary>
#
# TODO
#
# </details>

# %% [markdown]
# ## Your turn: 10.2


# %%
@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    """Softmax of all rows of an n_rows × n_cols matrix, shared among however many programs were launched.

    BLOCK is a power of two, at least n_cols.
    """
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Walk over this program's rows; in the loop, 5.1 (about 6 lines).
    ### BEGIN SOLUTION
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
    ### END SOLUTION


# %%
check("10.2")

# %% [markdown]
# ## Your turn: 10.3


# %%
def resident_programs(props, n_regs, shared, num_warps):
    """How many programs the whole device holds at once; 32 where an entry of props or n_regs is missing or 0."""
    # If anything is missing: 32 (about 3 lines).
    ### BEGIN SOLUTION
    needed = ("multiprocessor_count", "warpSize", "max_num_regs", "register_unit")
    needed += ("max_shared_mem", "max_threads_per_sm", "max_blocks_per_sm")
    if not n_regs or not all(props.get(key) for key in needed):
        return 32
    ### END SOLUTION
    # How many programs does each stock of one multiprocessor serve? (about 6 lines)
    ### BEGIN SOLUTION
    units = triton.cdiv(n_regs * props["warpSize"], props["register_unit"])  # of one warp
    limits = [
        props["max_num_regs"] // (num_warps * units * props["register_unit"]),
        props["max_threads_per_sm"] // (num_warps * props["warpSize"]),
        props["max_blocks_per_sm"],
    ]
    if shared > 0:
        limits.append(props["max_shared_mem"] // shared)
    ### END SOLUTION
    # All multiprocessors together (1 line).
    ### BEGIN SOLUTION
    return min(limits) * props["multiprocessor_count"]
    ### END SOLUTION


# %%
check("10.3")


# %%
def device_properties():
    """What Triton's driver says of this device, with guesses for what it leaves out; {} where it says nothing."""
    try:
        driver = triton.runtime.driver.active
        reported = driver.utils.get_device_properties(driver.get_current_device())
    except Exception:  # interpreted, there is no driver, and each backend has an error of its own for that
        return {}
    return {"max_threads_per_sm": 2048, "max_blocks_per_sm": 32, "register_unit": 256} | reported


# %%
progress()
