# %% [markdown]
# # 03 · Pointers and masks
#
# To move fewer bytes, you have to decide yourself which bytes move. In a **kernel** you can: it is a function of your
# own that runs on the GPU, and it names every element that it loads or stores. Here you write four kernels. You need
# not know Triton yet. The kernels compute very little. The task is to touch the right elements.
#
# *About 105 minutes, in two sittings. No GPU needed.*

# %%
from grader import check, hint, machine_code, progress, trace
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## One function, many numbers
#
# A GPU works on thousands of numbers at once. How can you write that without a thousand lines? In Triton, one line
# works on a whole **block** of numbers. Each place in a block is a **lane**. While a kernel works on a block, its
# numbers are in registers.
#
# - `@triton.jit` makes a function a kernel: Triton compiles it for the GPU. Without a GPU the course interprets it.
# - You pass a tensor; the kernel gets a **pointer**, the address of its first element.
# - `BLOCK: tl.constexpr` is the number of lanes. It is known when the kernel is compiled. Triton wants a power of two.

# %%
@triton.jit
def lanes_kernel(y_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)  # the block 0, 1, ..., BLOCK - 1
    tl.store(y_ptr + lanes, lanes)  # an address for each lane: y_ptr + 3 is that of element 3

# %% [markdown]
# You do not call a kernel, you **launch** it. The brackets hold the **grid**, a tuple that says how many times the
# kernel runs. Each of these runs is a **program**. A kernel returns nothing: its result is what it has
# stored in memory.

# %%
y = torch.full((10,), -1, dtype=torch.int32, device=where)
lanes_kernel[(1,)](y, BLOCK=4)
y

# %% [markdown]
# ## Three programs
#
# Four elements are done, and six are left. Will three programs do them? Make a prediction, then look. `trace` runs a
# kernel and shows which program touched which element. It needs the grid, too.

# %%
trace(lanes_kernel, y, BLOCK=4, grid=(3,))

# %% [markdown]
# ## Which one am I?
#
# All programs run the same code, so all three did the same work. One thing is different in each program:
# `tl.program_id(0)`, the number of the program. The 0 means the first axis of the grid. A grid can have more axes.
# Here it has only one.
#
# With which element should program 1 begin, if program 0 has the first four?

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
# When a kernel is interpreted, the course checks each access *before* it happens, and it stopped this one. A GPU does
# not check. It writes over the memory past the end of `y`, and you notice that later or never.

# %% [markdown]
# ## A mask
#
# `tl.load` and `tl.store` take a `mask=`: a block of true and false, with one value for each lane. A lane whose value
# is false touches nothing. A comparison makes a mask: `tl.arange(0, 4) < 3` is true, true, true, false.
#
# Which comparison is true for exactly the lanes that have an element?

# %% [markdown]
# ## Your turn: 3.1
#
# Copy a vector. The check launches enough programs for all elements, and the last program may have more lanes than
# elements. Replace each line that says TODO. (The `tl.static_assert` in it only stops the kernel.)
#
# `tl.load(addresses, mask=...)` brings numbers from memory to registers and returns them as a block.
# `tl.store(addresses, block, mask=...)` writes a block to memory. Addresses count elements, not bytes, so you never
# multiply by 4. Here and in most later exercises, each element may be loaded only once and stored only once.

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
# Here is your own kernel on twenty elements. `triton.cdiv` divides and rounds up: the result is the number of programs
# that is needed.

# %%
x = torch.arange(20.0, device=where)
y = torch.zeros(20, device=where)
trace(copy_kernel, y, x, 20, BLOCK=8, grid=(triton.cdiv(20, 8),))

# %% [markdown]
# <details><summary>Each part, and what goes wrong without it</summary>
#
# **`program_id * BLOCK`**: the first element of this program. *Otherwise*: without `BLOCK`, each program begins only
# one element after the program before it, and no program reaches the end.
#
# **The mask on offsets**: *otherwise*, `tl.arange(0, BLOCK) < n` compares the number of the *lane* with n. In every
# program the lanes are numbered from 0, so the last program masks nothing.
#
# **`<`, not `<=`**: there are n elements, and the last is number n - 1.
#
# **The mask twice**: a load past the end reads memory that is not yours, and a store destroys the numbers there.
#
# *An honest aside*: on a GPU, a load slightly past the end often causes no error, because memory is allocated in large
# pieces. You cannot rely on that.
#
# </details>

# %% [markdown]
# ## Masked lanes still exist
#
# A block of 8 always holds 8 values, with a mask or without. Which values are in the masked lanes after a load? Those
# that `other=` gives. It may be any float. Python writes infinity as `float("inf")`, and a minus sign may stand before
# it. In this example `y` has room for all eight values, and the store has no mask.

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
# Without `other=`, masked lanes may hold any value. For a copy this does not matter, because its store masks the same
# lanes. It matters as soon as you compute with the whole block. When a kernel is interpreted, the course fills such
# lanes with `inf`, `-inf` and `nan`, so that you notice.

# %% [markdown]
# ## Where does row 2 begin?
#
# Memory is one long line of elements, and a pointer does not know where rows begin. A tensor knows it: its **row
# stride**, `x.stride(0)`, is the distance in elements from the beginning of one row to the beginning of the next. What
# is the row stride of the first five columns of a wider matrix?

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
# Copy a matrix, with one program for each row. Both matrices have the same row stride. The row stride may be larger
# than the number of columns. Then there are elements between the rows. Your kernel must not read them, and must not
# write them.

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
# <details><summary>Why the stride, and why the mask is different now</summary>
#
# **`row * row_stride`**: the beginning of this row. *Otherwise*: `row * n_cols` is wrong for a slice of a wider
# matrix, `row * BLOCK` is wrong where rows do not begin exactly `BLOCK` elements apart, and with `+ row` alone each
# row begins one element after the row before it.
#
# **The mask on columns**: each row starts at column 0, so here the number of the lane is compared. *Otherwise*: with
# `row * row_stride + cols < n_cols`, only row 0 is copied.
#
# *An honest aside*: where there is no gap between rows, lanes without a mask reach the next row, which is inside the
# tensor. Only in the last row do they leave the tensor.
#
# </details>

# %% [markdown]
# ## From a block to one number
#
# `tl.max(x, axis=0)` **reduces** a block to one number, its largest. This is a **reduction**. A block made by one
# `tl.arange` has a single axis, number 0. Masked lanes take part like all others. What is the maximum of these five
# values, if three masked lanes hold 0?

# %%
row = torch.tensor([-5.0, -2.0, -8.0, -3.0, -6.0])
for pad in (0.0, -4.0, -100.0):
    print("with", pad, "in the masked lanes:", torch.cat([row, torch.full((3,), pad)]).max().item())

# %% [markdown]
# ## Your turn: 3.3
#
# Store the largest value of each row. A row may hold any float32 numbers: all of them may be far below -100, or even
# -inf. The result is a vector with one number for each row. The rows of x again begin `row_stride` elements apart.

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
# **`other=-float("inf")`**: no float is below it, so it never wins. *Otherwise*: 0 wins in every negative row, and
# -1e30 wins in rows below -1e30. Such rows exist: some libraries give the value -3e38 to an entry that should not count.
#
# **`y_ptr + row`**: one address and one number, without a mask, because every program has a row. *Otherwise*: with `+
# cols` the whole block is stored, also over the results of the next rows.
#
# *An honest aside*: another kernel may need another pad. Lesson 04 asks for some.
#
# </details>

# %% [markdown]
# ## In which order?
#
# This kernel doubles each row. Its store has no mask. `y` has an extra row at the end, so no access leaves the tensor.

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
# Two programs stored into some of the elements. Are the numbers right nevertheless?

# %%
torch.equal(y[:3], 2 * x)

# %% [markdown]
# They are right. Program 0 left zeros at the beginning of row 1, and program 1 stored the right numbers there, because
# it ran later. But nothing guarantees that it runs later: on a GPU, programs run in **any order**, many at the same
# time. What do you expect if they run backwards?

# %%
trace(shaky_kernel, y, x, 5, 5, BLOCK=8, grid=(3,), order="reversed")

# %%
y[:3]

# %% [markdown]
# This is a **data race**: two programs reach the same element, at least one of them stores, and nothing fixes which of them
# comes first. The trace shows it as elements that are *touched twice*. The result depends on who wins: here the zeros came last and stayed.

# %% [markdown]
# ## Your turn: 3.4
#
# Repair the kernel, so that it is right in every order. The check runs your programs forwards, backwards and shuffled,
# with an extra row and without. Copy the five lines, and correct the mistake.

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
# **The mask on the store**: now each program touches only its own row. If no program touches an element that another
# one stores, there is no data race, and the order does not matter.
#
# **Otherwise**: the numbers are right only if the programs happen to run in ascending order. On a GPU they may do so in a test, and not later.
#
# *An honest aside*: programs *can* share an element with an **atomic** access, such as `tl.atomic_add`: it loads, adds
# and stores, and no other program can come in between. A program can also wait in a loop for another one. But nothing
# guarantees that the other one is running, so it may wait forever. Lesson 09 comes back to this.
#
# </details>

# %% [markdown]
# ## How memory answers
#
# *The second sitting begins here. It has no exercises, but it runs your kernels of 3.1 and 3.2.*
#
# A kernel asks for elements, but memory delivers whole **sectors** of 32 bytes. They go to the L2 cache, from there
# to a small cache in the multiprocessor, and from there the kernel's numbers go to registers.
#
# A GPU runs a program with many **threads**. Each thread computes one number at a time, for one lane or for several, in
# registers of its own. Threads run in groups of 32, called **warps**. The threads of a warp load at the same moment,
# and all the addresses of one such load are one **request**.

# %% [markdown]
# A request for 32 neighbouring float32 numbers is a request for 128 bytes. How many sectors does it touch? With
# `sectors=True`, `trace` counts the sectors, from the addresses of your own kernel.

# %%
x = torch.arange(2048.0, device=where)
y = torch.zeros(32, device=where)
trace(copy_kernel, y, x, 32, BLOCK=32, grid=(1,), sectors=True)

# %% [markdown]
# How many sectors are touched if the numbers begin one element later?

# %%
trace(copy_kernel, y, x[1:], 32, BLOCK=32, grid=(1,), sectors=True)

# %% [markdown]
# The last number lies in a fifth sector, and memory delivers all 32 bytes of it. Now take a matrix with 33 columns. A
# row has 132 bytes, and 32 does not divide 132. Which of the three rows begin where a sector begins?

# %%
odd = x[:99].reshape(3, 33)
trace(copy_rows_kernel, torch.zeros_like(odd), odd, 33, 33, BLOCK=64, grid=(3,), sectors=True)

# %% [markdown]
# Only row 0 does. Row 1 begins at byte 132, and a sector begins at byte 128. The picture shows a request of row 1:
# five sectors instead of four. (Each row of 33 needs two requests: one for 32 lanes, and one for the last number. The
# three rows need 5, 6 and 6 sectors.)
#
# If the lanes of a request access neighbouring addresses, a few sectors answer all of them. Such a request is called
# **coalesced**. How many sectors does a request touch that is not? This kernel takes every `step`-th element.

# %%
@triton.jit
def every_kernel(y_ptr, x_ptr, step, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(y_ptr + lanes, tl.load(x_ptr + step * lanes))


trace(every_kernel, y, x, 2, BLOCK=32, grid=(1,), sectors=True)

# %%
trace(every_kernel, y, x, 32, BLOCK=32, grid=(1,), sectors=True)

# %% [markdown]
# Each number needs its own sector, so memory delivers eight times the bytes that the kernel asked for. A kernel that
# reads down a *column* has the same cost: neighbours in a column are one row apart, so its requests are not coalesced.

# %% [markdown]
# ## Which rows are slow?
#
# Does it also cost time when a row begins inside a sector? An H200 ran the softmax of lesson 05, with one program for
# each row, on rows of 1024, 1000 and 781 elements. They were float32, with 4 bytes each, and **bfloat16**, a format
# with 2 bytes each (lesson 07). Each recorded time is compared with a copy that works on the whole matrix as one
# vector. Which rows do you expect to be slow?

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../records/softmax_on_h200.json").read_text())
print(f"{recorded['device']}, recorded {recorded['date']}; {recorded['command']}")
for run in recorded["results"]:
    if run["m"] >= 32768 and run["n"] in (781, 1000, 1024):
        apart = run["n"] * {"float32": 4, "bfloat16": 2}[run["dtype"]]
        divides = [size for size in (2, 4, 8, 16, 32) if apart % size == 0][-1]
        ratio = run["microseconds"]["one row"] / run["microseconds"]["copy"]
        print(f"{run['dtype']:8} {run['m']:5} × {run['n']:4}: {ratio:.2f} times a copy", end="; ")
        print(f"rows {apart} bytes apart, a multiple of {divides}")

# %% [markdown]
# In float32, no row is much slower than the copy. In bfloat16, rows of 1000 are slower, and rows of 781 are slowest.
# Two things matter: where a row begins, and how wide a load is.

# %% [markdown]
# **Where a row begins.** If 32 does not divide the bytes of a row, many rows begin inside a sector, and their requests
# touch one sector more. The sector at the border between two requests is asked for twice. The second time it is often
# in a cache, and then it costs little.
#
# **How wide a load is.** A thread can load up to 16 bytes with one instruction, but only from an address that 16
# divides. (On a B200 it is 32 bytes.) The compiler must be sure of that. What does it know?

# %% [markdown]
# You pass whole numbers to a kernel, such as `row_stride`. Triton's compiler learns only two facts about such a
# number: whether it is 1, and whether it is divisible by 16. About a tensor it learns whether its address is
# divisible by 16. Which of 1024, 1000 and 781 are divisible by 16?
#
# `machine_code` compiles your kernel of 3.2 for an H100. (You need no H100.) How many load instructions does a thread
# need for its part of the row, and how wide is each? (The 128 threads of a program share the lanes of its block.)

# %% tags=["nbval-ignore-output"]
try:
    for dtype in (torch.float32, torch.bfloat16):
        some = torch.empty(1024, dtype=dtype)
        for n in (1024, 1000, 781):
            code = machine_code(copy_rows_kernel, some, some, n, n, BLOCK=1024, gpu="H100")
            for size, loads in code.columns[0].loads.items():
                print(f"{str(dtype):14}  rows of {n:4}: {loads} × {size:2} bytes, loaded by each thread")
except Exception as error:
    print(error)

# %% [markdown]
# So rows of 1000 get no wide loads in float32. Their 4000 bytes would allow it, but the compiler does not see these bytes. It learned only that 16 does not divide the number 1000.
#
# For such rows, both formats need the same number of load instructions. But a row of bfloat16 has half of the bytes,
# and the plain copy with which we compare takes about half the time in bfloat16. In float32, these instructions fit into the time in which the bytes come from memory. In bfloat16, the bytes come in half the time, and that is too short for the same number of instructions.

# %% [markdown]
# <details><summary>How much time the narrow loads cost</summary>
#
# **float32**: narrow loads of 4 bytes instead of 16, so four times as many instructions. In the record, this costs
# hardly any time.
#
# **bfloat16**: narrow loads of 2 bytes instead of 16, so eight times as many instructions. Rows of 1000 and of 781 both
# pay for that. Rows of 781 pay more: nearly every one begins inside a sector.
#
# *An honest aside*: the reasons fit the record, but the record does not prove them. `trace` assumes one element for
# each thread. Where a thread loads several, a request asks for more bytes and touches more sectors. NVIDIA's
# profiler, [Nsight Compute](https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html), counts sectors per
# request in the same way, on a real GPU.
#
# </details>

# %% [markdown]
# Pointers, offsets, masks, pads, and programs that touch only their own elements: every kernel of this course begins
# with these.

# %% [markdown]
# ## What to read
#
# - A first kernel, by Triton's authors: [the tutorial on vector
#   addition](https://triton-lang.org/main/getting-started/tutorials/01-vector-add.html).
# - The functions of this lesson:
#   [`tl.load`](https://triton-lang.org/main/python-api/generated/triton.language.load.html),
#   [`tl.store`](https://triton-lang.org/main/python-api/generated/triton.language.store.html),
#   [`tl.arange`](https://triton-lang.org/main/python-api/generated/triton.language.arange.html),
#   [`tl.max`](https://triton-lang.org/main/python-api/generated/triton.language.max.html).
# - How a GPU answers requests: [CUDA C++ Best Practices
#   Guide](https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html), the section *Coalesced Access to Global
#   Memory*.
# - Why Triton works on blocks: Philippe Tillet, H. T. Kung and David Cox, [*Triton: an intermediate language and
#   compiler for tiled neural network computations*](https://doi.org/10.1145/3315508.3329973) (2019).

# %%
progress()

# %% [markdown]
# **Next: [04 · One row](04_one_row.ipynb).** You write a kernel that computes between its load and its store: the five
# passes of softmax, on a row that stays on the chip.
