# %% [markdown]
# # 10 · Rows and residency
#
# Lesson 09 had few rows, each too long for one program. Often it is the other way round: tens of thousands of rows, each
# so short that a program has hardly begun when it is over. In this lesson a program takes several rows, all at once or one
# after another, and you compute how many programs a GPU holds at the same time.
#
# *About 75 minutes. No GPU needed.*

# %%
from grader import check, hint, machine_code, progress, trace
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

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
# With rows of 64, half of the threads have nothing to do, and a program that waits for a few hundred bytes keeps too little
# under way. So give each program more rows. How much that gains is measured at the end of this lesson.

# %% [markdown]
# ## A block with two axes
#
# A **tile** is here a block with two axes: `ROWS` rows, `BLOCK` columns. Axis 0 counts the rows, axis 1 the columns. PyTorch has
# the same rules for shapes as Triton, so you can try them here. Which shape has the maximum of each row?

# %%
tile = torch.arange(12.0).reshape(3, 4)
row_max = tile.amax(dim=1)
for name, block in (("tile", tile), ("row_max", row_max), ("row_max[:, None]", row_max[:, None])):
    print(f"{name:16}  {list(block.shape)}")

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
# A row of the tile that lies below the matrix is -inf everywhere, and its softmax is NaN. Does that matter? Work with
# `tl.load`, `tl.max`, `tl.exp` and `tl.sum`; `tl.softmax` would leave nothing to you.

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
# **The offsets**: `rows[:, None] * x_row_stride` has the shape [ROWS, 1], `cols[None, :]` has [1, BLOCK]. Their sum has both.
#
# **The mask** is broadcast in the same way. Without its first part, the last program reads and writes below the matrix.
#
# **axis=1** runs along a row. Along axis 0 the kernel also runs, and each *column* of a tile sums to 1.
#
# **`[:, None]`**, or `keep_dims=True` in the reduction. *Otherwise* the compiler refuses the shapes, or, where `ROWS` is
# `BLOCK`, says nothing.
#
# **The NaN** of a row below the matrix stays there: rows share no number, and the store is masked.
#
# *An honest aside*: with `ROWS` of 1 this is the kernel of lesson 05, so nothing is lost but the simple shapes.
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
# There is another way to give a program more rows: one after another. A GPU holds only so many programs at once, and the
# others wait until one ends. So launch no more than fit, and let each of them walk: it is started once, and what it works
# out before its first row serves all the others.
#
# With 3 programs, program 0 takes rows 0, 3, 6 and so on. Such a kernel is called **persistent**: its programs stay until
# all rows are done; its loop is called a **grid-stride loop**. How many programs there are is the launch's choice, and must
# not change the result.

# %% [markdown]
# ## Your turn: 10.2
#
# The loop of a persistent kernel. `tl.num_programs(0)` says how many programs were launched. Where does a program begin,
# how far is its next row, and when is it done?
#
# The check launches fewer programs than there are rows, as many, and more. It also counts: every element must be stored
# exactly once, and no program may leave its share of the rows to others.

# %%
@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    """Softmax of all rows of an n_rows × n_cols matrix, shared evenly among however many programs were launched.

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
# <details><summary>Start, end, step</summary>
#
# **Start**: `program_id`. From 0 on, every program would do the same rows.
#
# **Step**: the number of programs, for each of them takes one row at a time. With a step of 1 the numbers are right, and
# nearly every row is computed by several programs.
#
# **End**: the number of rows, so a program that comes too late does nothing.
#
# **Another right way**: one contiguous share a program, M / P rows *rounded up*, the last one clipped. Rounded down, the
# last M % P rows would belong to nobody.
#
# *An honest aside*: `tl.range(..., num_stages=2)` asks the compiler to load the next row while this one is computed. That
# takes storage, and it is no promise.
#
# </details>

# %%
x = torch.randn(7, 6, device=where)
y = torch.empty_like(x)
trace(persistent_softmax_kernel, y, x, y.stride(0), x.stride(0), 7, 6, BLOCK=8, grid=(4,))

# %% [markdown]
# ## How many fit at once?
#
# A GPU consists of many **multiprocessors**. A program runs on one of them, from its first line to its last, and is
# **resident** while it does. It can start where enough is left of four stocks:
#
# - **registers**: each thread needs `n_regs` of them, and a whole warp gets them at once, in units;
# - **shared memory**, through which the warps of a program exchange values: `shared` bytes a program, often none;
# - **threads**: each program brings `num_warps` warps;
# - **places** for programs, however small they are.
#
# The compiler knows `n_regs` and `shared`. This is an H200:

# %%
h200 = {
    "multiprocessor_count": 132,
    "warpSize": 32,  # threads of a warp
    # What one multiprocessor has:
    "max_num_regs": 65536,
    "register_unit": 256,  # a warp gets its registers in units of so many
    "max_shared_mem": 233472,  # bytes
    "max_threads_per_sm": 2048,
    "max_blocks_per_sm": 32,  # places for programs
}
print("33 registers a thread:", 33 * 32, "for a warp, which are", 33 * 32 / 256, "units")

# %% [markdown]
# There is no eighth of a unit. What does that warp really take?

# %% [markdown]
# ## Your turn: 10.3
#
# How many programs can be resident on the whole device? Where Triton's drivers report a number, the dictionary uses their
# name for it. All numbers are whole, and so is the answer; at least one program fits on a multiprocessor.
#
# Not every backend reports all of this. If one of the seven entries of `h200` is missing or 0, or `n_regs` is 0 or `None`,
# return **32**. `shared` may be 0, too: that is a number, not a gap.

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

# %% [markdown]
# <details><summary>The scarcest stock decides</summary>
#
# **Up, then down**: the registers of a warp are rounded up to whole units, the number of programs is rounded down.
#
# **One multiprocessor first**: no program lies on two of them, so what is left over on each is left over.
#
# **`shared` of 0** limits nothing, and nothing can be divided by it.
#
# **32** is only a guess: a large device stays mostly idle, on a small one programs wait. The result is right either way: 10.2
# works with any number of programs.
#
# **Source**: NVIDIA's occupancy calculator, and *Compute Capabilities* in the CUDA C++ Programming Guide.
#
# *An honest aside*: we left out that the registers lie in four parts, and that newer cards keep 1 KB of shared memory a
# program for themselves.
#
# </details>

# %% [markdown]
# Three kernels on that card, each limited by another stock. Can you tell which?

# %%
for n_regs, shared, num_warps in ((20, 0, 8), (33, 16, 4), (30, 49152, 4)):
    programs = resident_programs(h200, n_regs, shared, num_warps)
    each = programs // h200["multiprocessor_count"]
    print(f"n_regs {n_regs}, shared {shared:5}, {num_warps} warps: {each:2} a multiprocessor, {programs} in all")

# %% [markdown]
# <details><summary>What runs out first</summary>
#
# In this order: threads, registers, shared memory.
#
# </details>

# %% [markdown]
# ## A kernel that was really compiled
#
# These numbers of registers were made up. Those of your kernels need not be: Triton's compiler works for a GPU that is not
# here, too. `machine_code` compiles your 10.1, and below it your 10.2, for an H100 and a T4, and says how many programs fit.
# Does your function agree?
#
# An H100 has the seven numbers of the H200.

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
    print(f"Nothing was compiled, so there is nothing to compare. {error}")

# %% tags=["nbval-ignore-output"]
for column in compiled:
    mine = resident_programs(cards[column.call["GPU"]], column.registers, column.shared, 4)
    print(f"{column.name()}: {column.at_once} programs at once, by your function {mine}")

# %% [markdown]
# <details><summary>Which stock runs out, and why there may be a difference</summary>
#
# **10.1** with 8 rows of 1024 has 64 numbers for each thread, and registers run out. **10.2** has 8 numbers for each thread,
# and threads run out.
#
# **Where two numbers differ**, it comes from what we left out: `machine_code` counts the four parts of the registers and the
# 1 KB of shared memory that is kept for each program.
#
# </details>

# %% [markdown]
# ## Ask the device, whatever it is
#
# Triton keeps one driver for the device at hand, be it from NVIDIA, AMD, Intel or Huawei. Asking *it* leaves no maker's
# name in your code. No driver reports all seven numbers, so we fill in guesses. Its `max_shared_mem` is the most that one
# program may have, a little less than a multiprocessor has (232448 bytes for the 233472 above). Where there is no driver at
# all, as on a machine without GPU, the question itself is an error.

# %%
def device_properties():
    """What Triton's driver says of this device, with guesses for what it leaves out; {} where it says nothing."""
    try:
        driver = triton.runtime.driver.active
        reported = driver.utils.get_device_properties(driver.get_current_device())
    except Exception:  # without a driver, and each backend has an error of its own for that
        return {}
    return {"max_threads_per_sm": 2048, "max_blocks_per_sm": 32, "register_unit": 256} | reported

# %% [markdown]
# A compiled launch returns the kernel, and that knows its registers; an interpreted one returns `None`. So: launch one
# program, ask, launch as many as fit.

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
# If it printed `n_regs None`, nothing was compiled and the number of programs is the guess of 32.
#
# One program does all the rows, too, so every call computes everything twice here. A library would remember the number for
# each kernel it has compiled.

# %% [markdown]
# ## Sixteen bytes at a time
#
# A load instruction moves 4, 8 or 16 bytes for each thread. Sixteen are best: as many bytes, with a quarter of the
# instructions. Here is your 10.1 on rows of 64 float32, with one row a program. For which number of warps does a thread load
# 16 bytes?

# %% tags=["nbval-ignore-output"]
x = torch.empty(4096, 64)
try:
    print(machine_code(tile_softmax_kernel, x, x, 64, 64, 4096, 64, ROWS=1, BLOCK=64, gpu="H100", num_warps=[1, 2, 4]))
except Exception as error:
    print(f"Nothing was compiled. {error}")

# %% [markdown]
# For none. The row has 256 bytes, and a warp has 32 threads: 8 bytes for each, and less with more warps. Now rows of 8192,
# with few warps. Which line of the table tells of a new trouble?

# %% tags=["nbval-ignore-output"]
x = torch.empty(64, 8192)
try:
    print(machine_code(tile_softmax_kernel, x, x, 8192, 8192, 64, 8192, ROWS=1, BLOCK=8192, gpu="H100", num_warps=[1, 4]))
except Exception as error:
    print(f"Nothing was compiled. {error}")

# %% [markdown]
# With one warp, a thread has 256 numbers to keep and no more than 255 registers. What finds none is **spilled**: it goes to
# memory and back, and no line of your kernel says so.

# %% [markdown]
# ## Your turn: 10.4
#
# Launch your 10.1 so that it loads 16 bytes at a time and spills nothing. `x.element_size()` is 4 for float32 and 2 for
# bfloat16. How many bytes does a tile have, and how many threads should share them?
#
# Not every row allows it: an address for 16 bytes is a multiple of 16. Triton's compiler looks at the numbers of a launch and
# goes by those that **16 divides**, so a row of 1021 is loaded element by element, and is right all the same.
#
# The check compiles your launches for an H100, and reads the machine code.

# %%
def wide_softmax(x):
    """Softmax of each row of x (M×N, contiguous, float32 or bfloat16) in its dtype, by tiles of 10.1.

    Where 16 divides N, a load moves 16 bytes a thread. Nothing is spilled.
    """
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    # How many rows has a tile, and how many warps a program? Then launch (about 5 lines).
    ### BEGIN SOLUTION
    row_bytes = block * x.element_size()
    rows = max(1, 512 // row_bytes)  # 16 bytes for each thread of a warp
    num_warps = min(max(1, rows * row_bytes // 2048), 32)  # at most four such loads a thread, up to 32 warps
    sizes = (y, x, y.stride(0), x.stride(0), n_rows, n_cols)
    tile_softmax_kernel[(triton.cdiv(n_rows, rows),)](*sizes, ROWS=rows, BLOCK=block, num_warps=num_warps)
    ### END SOLUTION
    return y

# %%
check("10.4")

# %% [markdown]
# <details><summary>Bytes of a tile over threads</summary>
#
# **At least 16 bytes a thread**: a warp takes 512 bytes with one load. Short rows need company: 2 rows of 64 float32, 4 of
# 64 bfloat16.
#
# **Not too many**: each number that a thread keeps takes a register. With four loads, these are 16 of float32 or 32 of
# bfloat16; several numbers of warps are right.
#
# **What 16 divides**: the address of x, both strides and `n_cols`, which the mask compares with. One of them odd, and the
# compiler has to load each element by itself.
#
# *An honest aside*: 16 is a rule of Triton's launcher. A row of 1028 float32 begins at a multiple of 16 *bytes*, too, and is
# loaded element by element all the same. And on an MI300X, a warp has 64 threads.
#
# </details>

# %% [markdown]
# ## Does it pay?
#
# An H200 ran all three: one row a program, tiles, and the persistent kernel, each with 4 warps. The times are recorded in a
# file, together with the command that made it. Before you look: for which matrices should a tile help, and for which a
# persistent kernel?

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../docs/softmax_on_h200.json").read_text())
lesson = recorded["lessons"]["10"]
took = {(run["m"], run["n"], run["what"]): run for run in lesson["results"]}
shapes = list(dict.fromkeys((m, n) for m, n, _ in took))
ways = [what for m, n, what in took if (m, n) == shapes[0] and what != "copy"]
print(f"{recorded['device']}, {recorded['date']}, torch {recorded['versions']['torch']}: {recorded['command']}")
print("times a copy took     " + "".join(f"{m}×{n}".rjust(12) for m, n in shapes))
for what in ways:
    print(f"{what:22}", end="")
    for m, n in shapes:
        time, copy = took[m, n, what]["microseconds"], took[m, n, "copy"]["microseconds"]
        best = time == min(took[m, n, way]["microseconds"] for way in ways)
        print(f"{time / copy:11.2f}" + "*" * best + " " * (not best), end="")
    print()
print("* the fastest of its column")

# %% [markdown]
# Mind the row of `torch.softmax`: at 64 columns it leaves one row a program far behind, and tall tiles leave it behind.

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
# In words: for rows of 64 the line falls almost all the way. For 256 it falls first and rises later. For longer rows it
# hardly falls, and rises steeply at the end. Why does it rise? Is it a lack of room? Ask your function:

# %%
m, n = 4096, 1000
for rows in heights:
    run = took[m, n, f"tile of {rows}"]
    fit = resident_programs(lesson["properties"], run["n_regs"], run["shared"], 4)
    print(f"{rows:2} rows a tile: {run['n_regs']:3} registers a thread and {run['n_spills']:3} spills,", end=" ")
    print(f"room for {fit:4} programs, {run['programs']:4} launched, {run['microseconds']:5.2f} µs")

# %% [markdown]
# <details><summary>What the numbers say</summary>
#
# **Rows of 64**: tiles bring them down to a copy, and a little below: at so few microseconds PyTorch's copy is not the limit.
#
# **Room** is not what lacks: from 4 rows on, more programs fit than there are. There are too few of them, each with so many
# registers that few threads share a multiprocessor.
#
# **Spills** are values that no longer fit into the registers and go to memory and back, unseen by our ledger. 32768×1024 has
# enough programs at 32 rows, and still rises: it spills.
#
# **The persistent kernel** starts far fewer programs and gains little, so starting is not what costs most: each program
# still waits for one short row at a time.
#
# *An honest aside*: "a persistent kernel is always faster" is a common belief. The next cell counts.
#
# </details>

# %%
def change_with(m, n, what):
    return took[m, n, what]["microseconds"] / took[m, n, "one row"]["microseconds"] - 1


noise = max(abs(change_with(m, n, "tile of 1")) for m, n in shapes)  # the same work as "one row"
for m, n in shapes:
    change = change_with(m, n, "persistent")
    said = f"{abs(change):.0%} {'slower' if change > 0 else 'faster'} than" if abs(change) > noise else "no different from"
    print(f"{m:5} × {n:4}: the persistent kernel is {said} one row a program")
print(f'"one row" and "tile of 1" differ by up to {noise:.1%}')

# %% [markdown]
# *An honest aside*: look at the last line. These two do the same work, so no smaller difference counts here.

# %% [markdown]
# Which of the kernels is best depends on the shape, and on the card. Lesson 14 lets a function choose, and measures whether
# it chose well.

# %%
progress()

# %% [markdown]
# **Next: [11 · Backward](11_backward.ipynb).** A softmax in the middle of a network has to hand gradients back. What does that take, and what does it
# move?
