# %% [markdown]
# # 10 · Rows and residency
#
# In lesson 09 there were few rows, and each was long. Often it is the opposite: tens of thousands of rows, each so
# short that a program ends almost as soon as it has started. In this lesson a program takes several rows, all at once
# or one after another. You also compute how many programs a GPU can hold at the same time.
#
# *About 125 minutes. No GPU needed.*

# %%
from grader import check, hint, machine_code, progress, trace
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## A program that is too small
#
# If a launch does not give `num_warps`, a program has 4 warps, so 128 threads. How much work does each of them have, if
# the program has one short row?

# %%
threads = 4 * 32
for n_cols in (64, 256, 1024):
    moved = 2 * 4 * n_cols
    print(f"a row of {n_cols:4}: {n_cols / threads:4} elements per thread, {moved:4} bytes moved by the program")

# %% [markdown]
# With rows of 64, half of the threads have nothing to do. Also, the bandwidth of a GPU is reached only if many bytes
# are on their way at the same time, and a program with a short row asks for very few. So give each program more rows.
# The end of this lesson shows how much that gains.

# %% [markdown]
# ## A block with two axes
#
# Here, a **tile** is a block with two axes: `ROWS` rows and `BLOCK` columns. Axis 0 counts the rows, and axis 1 counts
# the columns. The rules for shapes are the same in PyTorch and in Triton, so you can try them here. Which shape does
# the block of row maxima have?

# %%
tile = torch.arange(12.0).reshape(3, 4)
row_max = tile.amax(dim=1)
for name, block in (("tile", tile), ("row_max", row_max), ("row_max[:, None]", row_max[:, None])):
    print(f"{name:16}  {list(block.shape)}")

# %% [markdown]
# The reduction removed axis 1. `[:, None]` puts an axis of length 1 back in its place. A length of 1 fits any length:
# the values are **broadcast**, which means repeated, along that axis. Shapes are matched from the *last* axis
# backwards. What will these two subtractions do?

# %%
for name, vector in (("row_max[:, None]", row_max[:, None]), ("row_max", row_max)):
    try:
        print(f"tile - {name}: shape {list((tile - vector).shape)}")
    except RuntimeError as error:
        print(f"tile - {name}: {error}")

# %% [markdown]
# Here you are lucky to get an error. Now take a tile with as many rows as columns. After the shift, the maximum of
# every row should be 0:

# %%
square = torch.tensor([[1.0, 2.0, 3.0], [7.0, 8.0, 9.0], [4.0, 5.0, 6.0]])
row_max = square.amax(dim=1)
print("with [:, None]:", (square - row_max[:, None]).amax(dim=1).tolist())
print("without it:    ", (square - row_max).amax(dim=1).tolist())

# %% [markdown]
# There is no error, and the numbers are wrong: the maximum of *row* 1 was subtracted from *column* 1. The same happens
# in a kernel whose tile has as many rows as columns. A kernel that reduces along axis 0 and leaves out `[:, None]` also
# raises no error: it takes the maxima of the columns.

# %% [markdown]
# ## Your turn: 10.1
#
# Write the kernel of 5.1 for `ROWS` rows at once. The last tile may reach beyond the matrix, to the right *and* below.
# `&` combines two masks lane by lane. Put each comparison in parentheses.
#
# Some rows of the last tile may lie below the matrix. All lanes of such a row hold -inf, and its softmax is NaN. Does
# that matter? Use `tl.load`, `tl.max`, `tl.exp` and `tl.sum`. `tl.softmax` is not allowed. The check launches
# `triton.cdiv(n_rows, ROWS)` programs. Together they must do each row exactly once. Which program does which rows is your choice. The docstring names the usual one.

# %% [markdown]
# As in 5.1, the matrices may be of any size: a row may begin beyond element 2^31.

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
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
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
# **The offsets**: `rows[:, None] * x_row_stride` has the shape [ROWS, 1], and `cols[None, :]` has the shape [1, BLOCK].
# Their sum has the shape [ROWS, BLOCK].
#
# **The mask** is broadcast in the same way. Without the condition on rows, the last program reads and writes below the
# matrix.
#
# **axis=1** runs along a row. With axis 0 and without `[:, None]`, there is no error, but each *column* of a tile sums
# to 1.
#
# **`[:, None]`**, or `keep_dims=True` in the reduction. *Otherwise* the compiler refuses the shapes. Where `ROWS`
# equals `BLOCK`, it does not notice the mistake.
#
# **The NaN** of a row below the matrix does no harm: no other row uses its numbers, and the store is masked.
#
# *An honest aside*: with `ROWS=1` this is the kernel of lesson 05. So one kernel serves both cases, and only the shapes
# are more complicated.
#
# </details>

# %% [markdown]
# Here are 5 rows in tiles of 2. Which lanes will the last program mask?

# %%
x = torch.randn(5, 6, device=where)
y = torch.empty_like(x)
trace(tile_softmax_kernel, y, x, y.stride(0), x.stride(0), 5, 6, ROWS=2, BLOCK=8, grid=(3,))

# %% [markdown]
# ## Programs that stay
#
# There is another way to give a program more rows: one after another. A GPU holds only a limited number of programs at
# once, and the others wait until one ends. So launch only as many programs as fit, and let each of them walk over
# several rows. Then fewer programs start, and the first lines (`cols`, `mask`) run once for many rows.
#
# With 3 programs, program 0 takes rows 0, 3, 6 and so on. Such a kernel is called **persistent**: its programs stay
# until all rows are done. Its loop is called a **[grid-stride
# loop](https://developer.nvidia.com/blog/cuda-pro-tip-write-flexible-kernels-grid-stride-loops/)**. The launch decides
# how many programs there are. That number must not change the result.

# %% [markdown]
# ## Your turn: 10.2
#
# Write the loop of a persistent kernel. `tl.num_programs(0)` is the number of programs that were launched. Which row
# does a program begin with, how far away is its next row, and when is it done?
#
# The check launches fewer programs than rows, as many, and more. It also counts: every element must be stored exactly
# once, and no program may have more than `triton.cdiv(n_rows, programs)` rows. As in 5.1, a row may begin beyond element 2^31.

# %%
@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    """Softmax of all rows of an n_rows × n_cols matrix, shared evenly among all programs that were launched.

    BLOCK is a power of two, at least n_cols.
    """
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Walk over this program's rows; in the loop, 5.1 (about 6 lines).
    ### BEGIN SOLUTION
    for row in range(tl.program_id(0).to(tl.int64), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
    ### END SOLUTION

# %%
check("10.2")

# %% [markdown]
# <details><summary>Start, end, step</summary>
#
# **Start**: `program_id`. If every program started at row 0, all of them would do the same rows. The counter of a loop has as many
# bits as the longest of its three numbers, so a start of 64 bits is enough for all rows.
#
# **Step**: the number of programs, because each of them takes one row at a time. With a step of 1 the numbers are
# right, but several programs compute the same rows.
#
# **End**: the number of rows. So if there are more programs than rows, the last programs do nothing.
#
# **Another right way**: with P programs, each takes M / P neighbouring rows, *rounded up*, and the last share is shorter. If you
# round down, no program does the last M % P rows.
#
# *An honest aside*: [`tl.range(...,
# num_stages=2)`](https://triton-lang.org/main/python-api/generated/triton.language.range.html) asks the compiler to
# load the next row while this one is computed. That takes more storage, and the compiler need not do it.
#
# </details>

# %%
x = torch.randn(7, 6, device=where)
y = torch.empty_like(x)
trace(persistent_softmax_kernel, y, x, y.stride(0), x.stride(0), 7, 6, BLOCK=8, grid=(4,))

# %% [markdown]
# ## How many fit at once?
#
# A program runs on one multiprocessor, from its first line to its last. During that time it is **resident**. A
# multiprocessor has four resources, and a program can start there if enough of each of them is free:
#
# - **registers**: each thread needs `n_regs` of them, and a warp gets its registers in whole units;
# - **shared memory**, through which the warps of a program exchange values: a program needs `shared` bytes of it, often
#   none;
# - **threads**: each program has `num_warps` warps;
# - **places** for programs: their number is limited, even for very small programs.

# %% [markdown]
# The share of a multiprocessor's warps that is in use is called its **occupancy**. The compiler knows `n_regs` and
# `shared`. This is an H200:

# %%
h200 = {
    "multiprocessor_count": 132,
    "warpSize": 32,  # threads of a warp
    # What one multiprocessor has:
    "max_num_regs": 65536,
    "register_unit": 256,  # a warp gets its registers in units of this size
    "max_shared_mem": 233472,  # bytes
    "max_threads_per_sm": 2048,
    "max_blocks_per_sm": 32,  # places for programs
}
print("33 registers per thread:", 33 * 32, "for a warp, that is", 33 * 32 / 256, "units")

# %% [markdown]
# A warp cannot get an eighth of a unit. How many registers does this warp really take?

# %% [markdown]
# ## Your turn: 10.3
#
# How many programs can be resident on the whole device? All numbers are whole numbers, and so is the answer. You may
# assume that at least one program fits on a multiprocessor. (Some keys of the dictionary are the names that Triton's drivers use.)
#
# Not every driver of Triton reports all of this. If one of the seven entries of `h200` is missing or 0, or if `n_regs`
# is 0 or `None`, return **32**. `shared` may be 0 as well. That does not mean that it is missing: the kernel needs no
# shared memory.

# %%
def resident_programs(props, n_regs, shared, num_warps):
    """How many programs the whole device holds at once; 32 where an entry of props, or n_regs, is missing or 0."""
    # If anything is missing: 32 (about 4 lines).
    ### BEGIN SOLUTION
    needed = ("multiprocessor_count", "warpSize", "max_num_regs", "register_unit")
    needed += ("max_shared_mem", "max_threads_per_sm", "max_blocks_per_sm")
    if not n_regs or not all(props.get(key) for key in needed):
        return 32
    ### END SOLUTION
    # For how many programs does each resource of one multiprocessor suffice? (about 6 lines)
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

# %% [markdown]
# <details><summary>The scarcest resource decides</summary>
#
# **Up, then down**: the registers of a warp are rounded up to whole units. The number of programs is rounded down.
#
# **One multiprocessor first**: no program runs on two of them. So you cannot put together the resources that are left
# over on two multiprocessors.
#
# **`shared` of 0** limits nothing, and you cannot divide by 0.
#
# **32** is only a guess. With 32 programs, most of a large device is idle, and on a small device some programs wait.
# The result is right in both cases, because 10.2 works with any number of programs.
#
# **Source**: *Compute Capabilities* in the [CUDA C++ Programming
# Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#compute-capabilities), and NVIDIA's occupancy
# calculator.
#
# *An honest aside*: we left out two facts. The registers of a multiprocessor are divided into four parts. And newer
# cards reserve 1 KB of shared memory for each program.
#
# </details>

# %% [markdown]
# Here are three kernels on that card. Each of them is limited by a different resource. By which one?

# %%
for n_regs, shared, num_warps in ((20, 0, 8), (33, 16, 4), (30, 49152, 4)):
    programs = resident_programs(h200, n_regs, shared, num_warps)
    each = programs // h200["multiprocessor_count"]
    print(f"n_regs {n_regs}, shared {shared:5}, {num_warps} warps: {each:2} per multiprocessor, {programs} in all")

# %% [markdown]
# <details><summary>Which resource is the limit</summary>
#
# In this order: threads, registers, shared memory.
#
# </details>

# %% [markdown]
# ## A kernel that was really compiled
#
# The numbers of registers above were invented. For your own kernels you can get the real ones: Triton's compiler can
# compile for a GPU that is not in this machine. `machine_code` compiles your 10.1 and then your 10.2, for an H100 and a
# T4, and shows how many programs fit. Does your function give the same numbers?
#
# `machine_code` means the H100 SXM, which has the seven numbers of the H200. In the tables, shuffles, barriers and special
# functions are instructions of other kinds, which lesson 12 explains. You need none of them here.

# %%
t4 = {
    "multiprocessor_count": 40,
    "warpSize": 32,
    "max_num_regs": 65536,
    "register_unit": 256,
    "max_shared_mem": 65536,
    "max_threads_per_sm": 1024,
    "max_blocks_per_sm": 16,
}
cards = {"H100": h200, "T4": t4}

# %% tags=["nbval-ignore-output"]
x = torch.empty(4096, 1024)
sizes = (torch.empty_like(x), x, *x.stride()[:1], *x.stride()[:1], *x.shape)
compiled = []
try:
    tiles = machine_code(tile_softmax_kernel, *sizes, ROWS=8, BLOCK=1024, gpu=["H100", "T4"], num_warps=4)
    rows = machine_code(persistent_softmax_kernel, *sizes, BLOCK=1024, gpu=["H100", "T4"], num_warps=4)
    compiled = [column for column in (tiles + rows).columns if not column.error]
    print(tiles, rows, sep="\n\n")
except Exception as error:
    print(error)

# %% tags=["nbval-ignore-output"]
for column in compiled:
    mine = resident_programs(cards[column.call["GPU"]], column.registers, column.shared, 4)
    print(f"{column.name()}: {column.at_once} programs at once, by your function {mine}")

# %% [markdown]
# <details><summary>Which resource is the limit, and why there may be a difference</summary>
#
# **10.1** with 8 rows of 1024 has 64 numbers for each thread, and registers are the limit. **10.2** has 8 numbers for
# each thread, and threads are the limit. Where the table names two limits, both allow the same number of programs.
#
# **Where two numbers differ**, the reason is that we left out two facts: `machine_code` takes into account the four
# parts of the registers, and the 1 KB of shared memory that is reserved for each program.
#
# </details>

# %% [markdown]
# ## Ask the device, whatever it is
#
# Triton has a driver for the device of this machine, which may be from NVIDIA, AMD, Intel or Huawei. If you ask that
# driver, your code is the same for all of them. No driver reports all seven numbers, so the cell guesses the others.
# The driver's `max_shared_mem` is the most shared memory that one program may have. That is a little less than a
# multiprocessor has (on an H200, 232448 bytes and not 233472). Without a GPU there is no driver, and the call raises
# an error.

# %%
def device_properties():
    """The numbers that Triton's driver reports about this device, with guesses for missing numbers; {} without a driver."""
    try:
        driver = triton.runtime.driver.active
        reported = driver.utils.get_device_properties(driver.get_current_device())
    except Exception:  # without a GPU: each driver has an error of its own for that
        return {}
    return {"max_threads_per_sm": 2048, "max_blocks_per_sm": 32, "register_unit": 256} | reported

# %% [markdown]
# A launch of a compiled kernel returns an object that knows the number of registers. If the kernel is interpreted, a
# launch returns `None`. So the next function launches one program, reads the number, and then launches as many programs
# as fit.

# %% tags=["nbval-ignore-output"]
def persistent_softmax(x):
    """Softmax of each row of x (M×N, float32, contiguous), by as many programs as fit on the device."""
    y = torch.empty_like(x)
    sizes = (y, x, y.stride(0), x.stride(0), *x.shape)
    block = triton.next_power_of_2(x.shape[1])
    compiled = persistent_softmax_kernel[(1,)](*sizes, BLOCK=block, num_warps=4)
    n_regs, shared = (compiled.n_regs, compiled.metadata.shared) if compiled else (None, 0)
    programs = min(resident_programs(device_properties(), n_regs, shared, 4), len(x))
    print(f"n_regs {n_regs}, shared {shared}: {programs} programs for {len(x)} rows")
    persistent_softmax_kernel[(programs,)](*sizes, BLOCK=block, num_warps=4)
    return y


x = torch.randn(100, 64, device=where)
assert torch.allclose(persistent_softmax(x), torch.softmax(x, dim=1))  # whatever the number of programs

# %% [markdown]
# If it printed `n_regs None`, nothing was compiled, and the number of programs is the guess of 32.
#
# The first launch, with one program, also does all the rows. So every call computes everything twice here. A library
# would store the number for each kernel that it has compiled.

# %% [markdown]
# ## Sixteen bytes at a time
#
# On an H100, a load instruction moves 1, 2, 4, 8 or 16 bytes for each thread. 16 is best: with 4 bytes, a kernel needs four times
# as many load instructions. Here is your 10.1 on rows of 64 float32 numbers, with one row in each program. For which
# number of warps does a thread load 16 bytes?

# %% tags=["nbval-ignore-output"]
x = torch.empty(4096, 64)
try:
    print(machine_code(tile_softmax_kernel, x, x, 64, 64, 4096, 64, ROWS=1, BLOCK=64, gpu="H100", num_warps=[1, 2, 4]))
except Exception as error:
    print(error)

# %% [markdown]
# For none of them. The row has 256 bytes, and a warp has 32 threads: that is 8 bytes for each thread, and less with
# more warps. (`1 × 8` means one load instruction of 8 bytes per thread.) Now take rows of 8192, with few warps. Which
# line of the table shows a new problem?

# %% tags=["nbval-ignore-output"]
x = torch.empty(64, 8192)
try:
    print(machine_code(tile_softmax_kernel, x, x, 8192, 8192, 64, 8192, ROWS=1, BLOCK=8192, gpu="H100", num_warps=[1, 4]))
except Exception as error:
    print(error)

# %% [markdown]
# With one warp, a thread has to keep 256 numbers, but it can have at most 255 registers. Values without a register are
# **spilled**: they are stored to memory and loaded again, although no line of your kernel does that.

# %% [markdown]
# ## Your turn: 10.4
#
# Launch your 10.1 so that each thread loads 16 bytes at a time, and nothing is spilled. `x.element_size()` is 4 for
# float32 and 2 for bfloat16. How many bytes does a tile have, and how many threads should share them? With 64 such
# loads a thread spills, as you saw above. A few of them are enough. The number of warps of a launch is a power of two between 1 and 32. Every
# program that you launch must have at least one row.

# %% [markdown]
# This is not possible for every row: a load of 16 bytes needs an address that is a multiple of 16. Triton's compiler
# checks which integers of a launch are divisible by 16. 1021 is not, so such rows are loaded element by element.
#
# The check compiles your launches for an H100, and looks at the machine code.

# %%
def wide_softmax(x):
    """Softmax of each row of x (M×N, contiguous, float32 or bfloat16) in its dtype, by tiles of 10.1.

    Where N is divisible by 16, a load moves 16 bytes per thread. Nothing is spilled.
    """
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    # Three numbers: rows of a tile, its block (given above), warps of a program. Then launch (about 5 lines).
    ### BEGIN SOLUTION
    row_bytes = block * x.element_size()
    rows = max(1, 512 // row_bytes)  # 16 bytes for each thread of a warp
    num_warps = min(max(1, rows * row_bytes // 2048), 32)  # at most four such loads per thread, up to 32 warps
    sizes = (y, x, y.stride(0), x.stride(0), n_rows, n_cols)
    tile_softmax_kernel[(triton.cdiv(n_rows, rows),)](*sizes, ROWS=rows, BLOCK=block, num_warps=num_warps)
    ### END SOLUTION
    return y

# %%
check("10.4")

# %% [markdown]
# <details><summary>Bytes of a tile over threads</summary>
#
# **At least 16 bytes for each thread**: a warp loads 512 bytes with one instruction. So a tile needs several short
# rows: 2 rows of 64 float32, or 4 rows of 64 bfloat16.
#
# **Not too many**: each number that a thread keeps needs a register. With four loads, a thread keeps 16 numbers of
# float32 or 32 of bfloat16. Other numbers of loads are right as well.
#
# **The numbers that must be divisible by 16**: the address of x, both strides, and `n_cols`, with which the mask
# compares. If one of them is not, each element is loaded separately.
#
# *An honest aside*: the rule of 16 belongs to Triton's launcher. Rows of 1028 float32 also begin at multiples of 16
# *bytes*, and are nevertheless loaded element by element. On an MI300X, a card by AMD, a warp has 64 threads.
#
# </details>

# %% [markdown]
# ## Does it pay?
#
# An H200 ran three kernels: one row for each program, tiles, and the persistent kernel, each with 4 warps. The times
# are recorded in a file, together with the command that made it. Before you look: for which matrices should a tile
# help, and for which should a persistent kernel help?

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../records/softmax_on_h200.json").read_text())
lesson = recorded["lessons"]["10"]
took = {(run["m"], run["n"], run["what"]): run for run in lesson["results"]}
shapes = list(dict.fromkeys((m, n) for m, n, _ in took))
ways = [what for m, n, what in took if (m, n) == shapes[0] and what != "copy"]
print(f"{recorded['device']}, {recorded['date']}, torch {recorded['versions']['torch']}: {recorded['command']}")
print("time / time of a copy " + "".join(f"{m}×{n}".rjust(12) for m, n in shapes))
for what in ways:
    print(f"{what:22}", end="")
    for m, n in shapes:
        time, copy = took[m, n, what]["microseconds"], took[m, n, "copy"]["microseconds"]
        best = time == min(took[m, n, way]["microseconds"] for way in ways)
        print(f"{time / copy:11.2f}" + "*" * best + " " * (not best), end="")
    print()
print("* the fastest of its column")

# %% [markdown]
# If this machine has a GPU, the next cell measures some of these rows on it, and shows them beside the record. It takes
# a few seconds. Cards differ in their times; their shares of a copy's speed can be compared.

# %% tags=["nbval-ignore-output"]
from grader import own_card

own_card("10")

# %% [markdown]
# Look at the line of `torch.softmax`: with 64 columns it is much faster than one row for each program. With 64 columns, tiles
# of 8 or more rows are faster still.

# %%
import matplotlib.pyplot as plt

plt.rcParams["font.size"] = 11
figure, panels = plt.subplots(1, 2, figsize=(6.4, 3.6), dpi=110, layout="constrained", sharey=True)
heights = [1, 2, 4, 8, 16, 32]
for axes, drawn in zip(panels, (shapes[:3], shapes[3:])):
    for (m, n), marker, color in zip(drawn, "os^", ("#4477aa", "#eecc66", "#aa3377")):
        copy = took[m, n, "copy"]["microseconds"]
        times = [took[m, n, f"tile of {rows}"]["microseconds"] / copy for rows in heights]
        axes.plot(heights, times, marker=marker, color=color, markeredgecolor="black", label=f"{m}×{n}")
    axes.axhline(1, color="#888888", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_xticks(heights, heights)
    axes.set_xlabel("rows of a tile")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("time / time of a copy")
panels[0].set_ylim(bottom=0.8)
panels[0].text(1, 0.85, "grey: as fast as a copy", fontsize=10)
plt.show()

# %% [markdown]
# In words: for rows of 64, the line falls all the way. For rows of 256, it falls first and rises later. For longer rows it
# hardly falls, and rises steeply at the end. Why does it rise? Is there no room for more programs? Your `resident_programs`
# of 10.3 can tell:

# %%
of_64 = [took[32768, 64, f"tile of {rows}"]["microseconds"] for rows in heights]
assert of_64 == sorted(of_64, reverse=True)  # it falls all the way

m, n = 4096, 1000
for rows in heights:
    run = took[m, n, f"tile of {rows}"]
    fit = resident_programs(lesson["properties"], run["n_regs"], run["shared"], 4)
    print(f"{rows:2} rows per tile: {run['n_regs']:3} registers per thread and {run['n_spills']:3} spills,", end=" ")
    print(f"room for {fit:4} programs, {run['programs']:4} launched, {run['microseconds']:5.2f} µs")

# %% [markdown]
# <details><summary>What the numbers say</summary>
#
# **Rows of 64**: with tiles of 8 rows or more, the softmax takes as long as PyTorch's copy, or even a little less. For
# such a small matrix, PyTorch's copy is not the fastest possible copy.
#
# **More programs would fit**: with 4 rows or more in a program, a launch has fewer programs than the GPU has room for. With 8 rows or more, so few programs are left that each multiprocessor has few warps. So the occupancy is low.
#
# **Spills** are values that do not fit into the registers. They go to memory and back, and our ledger does not show
# that. With 32 rows in a program, the matrix of 32768×1024 still has enough programs, but its line rises, because
# values are spilled.
#
# **The persistent kernel** starts far fewer programs, and gains only with rows of 64. So the start of programs is not what takes
# most of the time. Each program still waits for one short row at a time.
#
# *An honest aside*: many people think that a persistent kernel is always faster. The next cell compares.
#
# </details>

# %%
def change_with(m, n, what):
    return took[m, n, what]["microseconds"] / took[m, n, "one row"]["microseconds"] - 1


noise = max(abs(change_with(m, n, "tile of 1")) for m, n in shapes)  # the same work as "one row"
for m, n in shapes:
    change = change_with(m, n, "persistent")
    said = f"{abs(change):.0%} {'slower' if change > 0 else 'faster'} than" if abs(change) > noise else "no different from"
    print(f"{m:5} × {n:4}: the persistent kernel is {said} one row per program")
print(f'"one row" and "tile of 1" differ by up to {noise:.1%}')

# %% [markdown]
# *An honest aside*: look at the last line. These two kernels do the same work. So a difference that is not larger than
# theirs means nothing.

# %% [markdown]
# Which kernel is best depends on the shape and on the card. In lesson 14 a function chooses, and a measurement shows
# whether it chose well.

# %% [markdown]
# ## What to read
#
# - Resources of a multiprocessor: [CUDA C++ Programming
#   Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#compute-capabilities), the appendix *Compute
#   Capabilities*.
# - Occupancy: [CUDA C++ Best Practices
#   Guide](https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#occupancy), the section *Occupancy*.
# - When low occupancy is enough: Vasily Volkov, [*Understanding Latency Hiding on
#   GPUs*](https://www2.eecs.berkeley.edu/Pubs/TechRpts/2016/EECS-2016-143.html) (2016).
# - Persistent programs in Triton: [the tutorial on fused
#   softmax](https://triton-lang.org/main/getting-started/tutorials/02-fused-softmax.html), whose programs walk over
#   rows.

# %%
progress()

# %% [markdown]
# **Next: [11 · Backward](11_backward.ipynb).** A softmax in the middle of a network has to compute gradients. How is
# that done, and how much does it move?
