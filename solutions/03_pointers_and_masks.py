# %% [markdown]
# # 03 · Pointers and masks
#
# To move fewer bytes you have to say yourself which bytes move. A **kernel** lets you: a function of your own that runs
# on the GPU and names every element it loads and stores. You write four of them here, and you need not know Triton yet.
# They hardly compute; which elements they touch is all there is to get right.
#
# *About an hour. No GPU needed.*

# %%
from grader import check, hint, progress, trace
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## One function, many numbers
#
# A GPU works on thousands of numbers at once. How do you write that down without a thousand lines? In Triton you write for
# a whole **block** of numbers. Each place in it is a **lane**.
#
# - `@triton.jit` makes a function a kernel: Triton compiles it for the GPU. Without a GPU the course interprets it.
# - You pass a tensor; the kernel gets a **pointer**, the address of its first element.
# - `BLOCK: tl.constexpr` is the number of lanes. It is a power of two, and known before the kernel runs.

# %%
@triton.jit
def lanes_kernel(y_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)  # the block 0, 1, ..., BLOCK - 1
    tl.store(y_ptr + lanes, lanes)  # an address for each lane: y_ptr + 3 is that of element 3

# %% [markdown]
# You do not call a kernel, you **launch** it. The brackets hold the **grid**: how many copies of the kernel to run, as a
# tuple. One such copy is a **program**. Nothing is returned; what was stored is the result.

# %%
y = torch.full((10,), -1, dtype=torch.int32, device=where)
lanes_kernel[(1,)](y, BLOCK=4)
y

# %% [markdown]
# ## Three programs
#
# Four elements are done, six are left. So launch three programs? Predict what they do, then look. `trace` runs a kernel
# and shows which program touched which element. It needs the grid too.

# %%
trace(lanes_kernel, y, BLOCK=4, grid=(3,))

# %% [markdown]
# ## Which one am I?
#
# All programs run the same code, so all three did the same work. One thing differs: `tl.program_id(0)`, the number of the
# program. In which element should program 1 begin, if program 0 has the first four?

# %%
@triton.jit
def blocks_kernel(y_ptr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, pid)  # one number, to every lane


trace(blocks_kernel, y[:8], BLOCK=4, grid=(2,))

# %% [markdown]
# ## The end does not fit
#
# Ten elements need three programs of four lanes. That makes twelve lanes. What do the last two do?

# %%
trace(blocks_kernel, y, BLOCK=4, grid=(3,))

# %% [markdown]
# Interpreted, each access is looked at *before* it happens, and the course's guard stopped this one. A GPU does not ask.
# It writes over whatever lies behind `y`, and you hear of it later or never.

# %% [markdown]
# ## A mask
#
# `tl.load` and `tl.store` take a `mask=`: a block of true and false, one for each lane. Where it is false the lane touches
# nothing. A comparison makes one: `tl.arange(0, 4) < 3` is true, true, true, false.
#
# Which comparison is true for exactly the lanes that have an element?

# %% [markdown]
# ## Your turn: 3.1
#
# Copy a vector. The check launches as many programs as it takes, the last of which may have lanes to spare. Replace each
# line that says TODO: `tl.static_assert` only stops the kernel there.
#
# `tl.load(addresses, mask=...)` returns a block, `tl.store(addresses, block, mask=...)` writes one. Addresses count
# elements, not bytes: nothing is multiplied by 4. Here and later, each element may be loaded once and stored once.

# %%
@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """Copy the n elements of x to y. Each program has BLOCK lanes, and together they have at least n."""
    # Where am I? The elements of this program's lanes, and which of them exist (2 lines).
    ### BEGIN SOLUTION
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    ### END SOLUTION
    # Load them and store them (2 lines).
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x, mask=mask)
    ### END SOLUTION

# %%
check("3.1")

# %% [markdown]
# Your own kernel, on twenty elements. `triton.cdiv` divides and rounds up, which is how many programs it takes.

# %%
x = torch.arange(20.0, device=where)
y = torch.zeros(20, device=where)
trace(copy_kernel, y, x, 20, BLOCK=8, grid=(triton.cdiv(20, 8),))

# %% [markdown]
# <details><summary>Each part, and what goes wrong without it</summary>
#
# **`program_id * BLOCK`**: where this program's elements begin. *Otherwise*: without `BLOCK` neighbours overlap in all but
# one element, and the end is never reached.
#
# **The mask on offsets**: *otherwise*, `tl.arange(0, BLOCK) < n` asks whether the *lane* is small. Inside a program lanes
# count from 0 again, so the last program masks nothing.
#
# **`<`, not `<=`**: there are n elements, and the last is number n - 1.
#
# **The mask twice**: a load past the end reads what is not yours, a store destroys it.
#
# *An honest aside*: a GPU often survives a load slightly past the end. Memory is handed out in large pieces; that is luck.
#
# </details>

# %% [markdown]
# ## Masked lanes still exist
#
# A block of 8 holds 8 values, whatever the mask says. So after a load, what is in the masked lanes? What `other=` says.
# Here `y` has room for all of them, and no mask hides any.

# %%
@triton.jit
def look_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes, mask=lanes < n, other=7.0)
    tl.store(y_ptr + lanes, x)


y = torch.zeros(8, device=where)
look_kernel[(1,)](y, x, 5, BLOCK=8)
y

# %% [markdown]
# Without `other=` nobody promises anything. A copy does not mind, because its store masks the same lanes. As soon as you
# compute with the whole block, you mind. Interpreted, the course then fills them with `inf`, `-inf` and `nan`, so that
# it shows.

# %% [markdown]
# ## Where does row 2 begin?
#
# Memory is one long line, and a pointer knows nothing of rows. A tensor does: its **row stride**, `x.stride(0)`, is how
# many elements lie between the beginnings of two neighbouring rows. What is it for the first five columns of a wider
# matrix?

# %%
wide = torch.arange(24.0, device=where).reshape(3, 8)
part = wide[:, :5]
for name, t in (("wide", wide), ("part", part)):
    print(f"{name}: {tuple(t.shape)}, row stride {t.stride(0)}")
print("element", 2 * part.stride(0), "of that memory is", wide.flatten()[2 * part.stride(0)].item())
print("part[2, 0] is", part[2, 0].item())

# %% [markdown]
# ## Your turn: 3.2
#
# Copy a matrix, one program a row. Both matrices have the same row stride, which may be larger than the number of
# columns: what lies between the rows is not yours.

# %%
@triton.jit
def copy_rows_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    """Copy row program_id(0) of x to y. Rows begin row_stride elements apart; BLOCK is at least n_cols."""
    # Where am I? The row, the columns of the lanes, and which of them exist (3 lines).
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    ### END SOLUTION
    # Load the row and store it (2 lines).
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask)
    tl.store(y_ptr + row * row_stride + cols, x, mask=mask)
    ### END SOLUTION

# %%
check("3.2")

# %%
y = torch.zeros(3, 8, device=where)[:, :5]
trace(copy_rows_kernel, y, part, part.stride(0), 5, BLOCK=8, grid=(3,))

# %% [markdown]
# <details><summary>Why the stride, and why the mask is another one now</summary>
#
# **`row * row_stride`**: where this row begins. *Otherwise*: `row * n_cols` is right until somebody passes you a slice;
# `row * BLOCK` until a row is not as wide as its block; `+ row` alone begins one element further each time.
#
# **The mask on columns**: each row starts at column 0, so here the lanes themselves are compared. *Otherwise*: with
# `row * row_stride + cols < n_cols` only row 0 is copied.
#
# *An honest aside*: where rows touch, lanes without a mask run into the next row, which is a good address. Only the
# last row leaves the tensor.
#
# </details>

# %% [markdown]
# ## From a block to one number
#
# `tl.max(x, axis=0)` **reduces** a block to one number, its largest. A block made by one `tl.arange` has a single axis,
# number 0. Masked lanes take part like all others: what is the maximum of these five, if three masked lanes hold 0?

# %%
row = torch.tensor([-5.0, -2.0, -8.0, -3.0, -6.0])
for pad in (0.0, -4.0, -100.0):
    print("with", pad, "in the masked lanes:", torch.cat([row, torch.full((3,), pad)]).max().item())

# %% [markdown]
# ## Your turn: 3.3
#
# The largest value of each row, for any row of float32 numbers: they may all be far below -100, even -inf. The result is
# a vector with one number a row, and rows of x again begin `row_stride` elements apart.

# %%
@triton.jit
def row_max_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    """Store the maximum of row program_id(0) of x in y[program_id(0)]. BLOCK is at least n_cols."""
    # Where am I, and which lanes exist? (3 lines)
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    ### END SOLUTION
    # Load the row: with what in the masked lanes? (1 line)
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask, other=-float("inf"))
    ### END SOLUTION
    # Reduce it, and store one number (1 or 2 lines).
    ### BEGIN SOLUTION
    tl.store(y_ptr + row, tl.max(x, axis=0))
    ### END SOLUTION

# %%
check("3.3")

# %%
y = torch.zeros(3, device=where)
trace(row_max_kernel, y, part, part.stride(0), 5, BLOCK=8, grid=(3,))

# %% [markdown]
# <details><summary>The pad, and the single store</summary>
#
# **`other=-float("inf")`**: no float is below it, so it never wins. *Otherwise*: 0 wins wherever a row is negative, and
# -1e30 wins in rows below that. Such rows exist: people hide values by setting them to -3e38.
#
# **`y_ptr + row`**: one address and one number, without a mask, because every program has a row. *Otherwise*: with
# `+ cols` the whole block is stored, over the results of the rows that follow.
#
# *An honest aside*: the right pad depends on the reduction. For a sum it is 0, for a minimum `inf`.
#
# </details>

# %% [markdown]
# ## In which order?
#
# A kernel that doubles each row. Its store has no mask, and `y` has a spare row at the end, so nothing leaves the tensor.

# %%
@triton.jit
def shaky_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * row_stride + cols, 2 * x)


x = torch.arange(1.0, 16.0, device=where).reshape(3, 5)
y = torch.zeros(4, 5, device=where)
trace(shaky_kernel, y, x, 5, 5, BLOCK=8, grid=(3,))

# %% [markdown]
# Some elements were stored by two programs. Are the numbers right nevertheless?

# %%
torch.equal(y[:3], 2 * x)

# %% [markdown]
# They are: program 0 left zeros at the beginning of row 1, and program 1 repaired them, because it came later. Who says
# that it comes later? On a GPU programs run in **any order**, many at once. What do you expect if they run backwards?

# %%
trace(shaky_kernel, y, x, 5, 5, BLOCK=8, grid=(3,), order="reversed")

# %%
y[:3]

# %% [markdown]
# ## Your turn: 3.4
#
# Repair it: the same doubling, right in every order. The check runs your programs forwards, backwards and shuffled, with a
# spare row and without. Copy the five lines and change what must change.

# %%
@triton.jit
def repaired_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    """Double row program_id(0) of x into y, and touch nothing else. BLOCK is at least n_cols."""
    # The body of shaky_kernel, repaired (5 lines).
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * row_stride + cols, 2 * x, mask=mask)
    ### END SOLUTION

# %%
check("3.4")

# %%
y = torch.zeros(4, 5, device=where)
trace(repaired_kernel, y, x, 5, 5, BLOCK=8, grid=(3,), order="reversed")

# %%
torch.equal(y[:3], 2 * x)

# %% [markdown]
# <details><summary>Why right numbers prove so little</summary>
#
# **The mask on the store**: each program now touches its own row alone. Where no element has two owners, no order can
# matter.
#
# **Otherwise**: the numbers stay right as long as programs happen to run upwards. On a GPU that may hold today and not
# tomorrow, so such a kernel passes its test and fails at work.
#
# *An honest aside*: programs *can* share an element, with `tl.atomic_add` and its relatives, which no other program can
# interrupt. But a program cannot wait for another to finish.
#
# </details>

# %% [markdown]
# ## How memory answers
#
# You ask for elements. Memory answers in **sectors** of 32 bytes. And a GPU does not ask for one lane at a time: a group of
# 32 threads, a **warp**, loads at the same moment, and all it asks for is one **request**.
#
# A request for 32 neighbouring float32 numbers is 128 bytes. How many sectors does it touch? With `sectors=True`, `trace`
# counts them, from the addresses of your own kernel.

# %%
x = torch.arange(2048.0, device=where)
y = torch.zeros(32, device=where)
trace(copy_kernel, y, x, 32, BLOCK=32, grid=(1,), sectors=True)

# %% [markdown]
# And if the numbers begin one element later?

# %%
trace(copy_kernel, y, x[1:], 32, BLOCK=32, grid=(1,), sectors=True)

# %% [markdown]
# A whole sector more, for one number. Now a matrix with 33 columns, an odd number. In which of its rows does a request
# begin at the beginning of a sector?

# %%
odd = x[:99].reshape(3, 33)
trace(copy_rows_kernel, torch.zeros_like(odd), odd, 33, 33, BLOCK=64, grid=(3,), sectors=True)

# %% [markdown]
# Only in row 0; the picture has one of row 1. Requests whose lanes lie next to each other are called **coalesced**. How bad can it get, if they do not?
# This kernel takes every `step`-th element.

# %%
@triton.jit
def every_kernel(y_ptr, x_ptr, step, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(y_ptr + lanes, tl.load(x_ptr + step * lanes))


trace(every_kernel, y, x, 2, BLOCK=32, grid=(1,), sectors=True)

# %%
trace(every_kernel, y, x, 32, BLOCK=32, grid=(1,), sectors=True)

# %% [markdown]
# A sector for each number: eight times the bytes that were asked for. This is what reading down a *column* costs, where
# neighbours are a row apart.
#
# Does an odd row cost time as well? An H200 ran one program a row on matrices of several widths, beside a copy that knows
# of no rows:

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../docs/softmax_on_h200.json").read_text())
print(f"{recorded['device']}, recorded {recorded['date']}; {recorded['command']}")
for run in recorded["results"]:
    if run["m"] >= 32768 and run["n"] in (781, 1000, 1024):
        apart = run["n"] * {"float32": 4, "bfloat16": 2}[run["dtype"]]
        ratio = run["microseconds"]["one row"] / run["microseconds"]["copy"]
        print(f"{run['dtype']:8} {run['m']:5} × {run['n']:4}, rows {apart} bytes apart: {ratio:.2f} times a copy")

# %% [markdown]
# <details><summary>Why some odd rows are slow</summary>
#
# **The sector at the border** is asked for twice, by two requests. It is fetched once if the second comes soon enough to
# find it in a cache. That is why float32 hardly suffers here.
#
# **Fewer bytes at once**: a thread may load up to 16 bytes in one go, if the address is a multiple of 16. Triton's compiler
# relies on that where the row stride is a multiple of 16 elements. 1024 is one; 1000 and 781 are not, and each thread loads
# one element at a time: 2 bytes of bfloat16, and eight times the requests. Of 781, nearly every request has a sector
# more besides.
#
# *An honest aside*: `trace` gives each thread one element. Where the compiler gives it several, a request is wider and
# touches more sectors, for as many more bytes. NVIDIA's profiler, [Nsight Compute](https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html),
# counts sectors per request in the same way, on the real thing.
#
# </details>

# %% [markdown]
# Pointer, offsets, mask, pad, and programs that keep to their own: every kernel of this course begins with these.

# %%
progress()

# %% [markdown]
# **Next: [04 · One row](04_one_row.ipynb).** A kernel that computes between its load and its store: the five passes of
# softmax, on a row that stays on the chip.
