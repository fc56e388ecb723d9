# %% [markdown]
# # 14 · Measure and ship
#
# You have several softmaxes by now: one block a row, two walks, two launches, tiles. Which of them is best for which matrix,
# and how do you know that it is fast? Two things are left to write: a benchmark that refuses a result which cannot be true, and the function that people
# will call.
#
# *About 75 minutes, and 40 more for the bonus exercise. No GPU needed.*

# %%
from grader import check, hint, progress
import math
import statistics
import time
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## A call is a request
#
# A GPU works through a queue: a call puts work into it and returns. Here is a GPU whose time is made up, so that everybody
# sees the same numbers. On it, a call of `run` takes 100 µs. What will a clock say, depending on when you look at it?

# %%
from grader.simulated import Device

gpu = Device(seconds=100e-6)


def stopwatch(wait):
    """Microseconds between two looks at the clock, with one call between them."""
    start = gpu.now()
    gpu.run("some data")
    if wait:
        gpu.synchronize()  # until the queue is empty
    return 1e6 * (gpu.now() - start)


print(f"the first call:                         {stopwatch(wait=True):9,.0f} µs")
for _ in range(14):
    stopwatch(wait=True)
print(f"a later one, without waiting for it:    {stopwatch(wait=False):9,.0f} µs")
gpu.synchronize()
print(f"a later one, and waiting:               {stopwatch(wait=True):9,.0f} µs")
gpu.clear_cache()
gpu.synchronize()
print(f"the same, with the cache emptied first: {stopwatch(wait=True):9,.0f} µs")

# %% [markdown]
# Four numbers, one kernel. The first call compiled it. The second number is how long it takes to *ask*. In the third the data
# lay in the cache, where the call before had left it. The fourth is the one we want: what somebody pays who has done other
# things in between.
#
# Even that is not the same every time, since others use the device as well. Twenty such runs: which number would you report?

# %%
def run_once():
    """Microseconds of a call that finds an empty cache and an empty queue."""
    gpu.clear_cache()
    gpu.synchronize()
    return stopwatch(wait=True)


times = [run_once() for _ in range(20)]
print("sorted:", *(f"{t:.0f}" for t in sorted(times)))
print(f"mean {statistics.fmean(times):.0f} µs, median {statistics.median(times):.0f} µs, least {min(times):.0f} µs")

# %% [markdown]
# A few runs were disturbed, and the mean moves with them. A few were lucky, since others left the device idle for once, and the
# least is one of these. The **median**, the middle of the sorted list, stays where most runs are.

# %% [markdown]
# ## Your turn: 14.1
#
# `clock` asks the device at hand what we asked the made-up `gpu`. From a time and the bytes that *must* move follows a rate in
# GB/s: every element is read once and written once. Memory has an upper limit, its **peak**. If the median run gives a rate
# above it, the benchmark is wrong: refuse, with a ValueError that says so.
#
# Warm up with at least 10 calls. Take the median of at least 20 runs, each with an empty cache. The check puts a simulated
# device in the place of `clock` and `peak`.

# %%
class Clock:
    """What a benchmark asks of the device at hand."""

    def now(self):
        """Seconds."""
        return time.perf_counter()

    def synchronize(self):
        """Wait until the queue is empty."""
        if where == "cuda":
            torch.cuda.synchronize()

    def clear_cache(self):
        """Queue 256 MB of other data, more than a cache holds."""
        if where == "cuda":
            torch.zeros(2**26, device=where)


def peak(x):
    """GB/s that the memory of x's device can deliver; inf where Triton does not know it."""
    return triton.testing.get_dram_gbps() if x.is_cuda and torch.version.cuda else math.inf


clock = Clock()

# %%
def bandwidth(fn, x):
    """GB/s of fn, with x read once and as much written: the median of many runs; ValueError above peak(x)."""
    # Warm up (2 lines).
    ### BEGIN SOLUTION
    for _ in range(10):
        fn(x)
    ### END SOLUTION
    times = []
    for _ in range(20):
        # One run, timed as above (about 6 lines).
        ### BEGIN SOLUTION
        clock.clear_cache()
        clock.synchronize()
        start = clock.now()
        fn(x)
        clock.synchronize()
        times.append(clock.now() - start)
        ### END SOLUTION
    # Bytes over seconds, in GB/s; refuse what cannot be (about 4 lines).
    ### BEGIN SOLUTION
    rate = 2 * x.numel() * x.element_size() / statistics.median(times) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate:.0f} GB/s is above the peak of {peak(x):.0f} GB/s: something was measured wrongly")
    return rate
    ### END SOLUTION

# %%
check("14.1")

# %% [markdown]
# <details><summary>Every line keeps one mistake out</summary>
#
# **Warm-up**: the first call compiles, and a card at rest needs a while to reach its speed.
#
# **clear_cache, then synchronize**: the run begins with nothing at hand and nothing else to do. **synchronize again**: it ends
# when the work has ended.
#
# **2·M·N·itemsize**: what a softmax must move, and not what yours does. A kernel that moves more has a lower rate, as it should.
#
# **The peak** catches what you forget: without waiting, a kernel seems to beat its own memory.
#
# *An honest aside*: on a GPU, the host needs some microseconds to queue a call, and they are in your time. For calls as short
# as that the device keeps time itself, with events; `triton.testing.do_bench` does so.
#
# </details>

# %% [markdown]
# A copy moves the same bytes and computes nothing, so it is what a softmax is compared with. Here, on your machine (without a
# GPU, `clear_cache` does nothing, and part of the copy comes out of a cache):

# %% tags=["nbval-ignore-output"]
x = torch.randn(2048, 2048, device=where)
rate = bandwidth(torch.clone, x)
assert 0 < rate <= peak(x)
print(f"a copy: {rate:.0f} GB/s, the peak: {peak(x):.0f} GB/s")

# %% [markdown]
# ## Your four kernels
#
# You have written four softmaxes: one row a program (5.1), tiles of rows (10.1), two walks along a long row (8.3), and a row
# split among programs (9.1 and 9.2). Copy them here from your notebooks, under the names below.
#
# One change is needed. From now on the matrix may be float32, bfloat16 or float16, so cast every value to float32 right after
# its load (lesson 07). `tl.store` rounds to the dtype of `y` by itself.

# %%
@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """5.1: softmax of row program_id(0). BLOCK is a power of two, at least n_cols."""
    # Your 5.1, with a cast (8 lines).
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
    ### END SOLUTION


@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    """10.1: softmax of ROWS rows. ROWS and BLOCK are powers of two, BLOCK is at least n_cols."""
    # Your 10.1, with a cast (8 lines).
    ### BEGIN SOLUTION
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = numerator / tl.sum(numerator, axis=1)[:, None]
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)
    ### END SOLUTION

# %%
@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """8.3: softmax of row program_id(0), in tiles of BLOCK columns, by two walks."""
    # Your 8.3, with two casts (about 15 lines).
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)
    ### END SOLUTION

# %%
@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    """9.1: the state (m, d) of split program_id(1) of row program_id(0)."""
    # Your 9.1, with a cast (about 14 lines).
    ### BEGIN SOLUTION
    row, split = tl.program_id(0), tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, split_size, BLOCK):
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(d_ptr + row * n_splits + split, d)
    ### END SOLUTION

# %%
@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_splits, split_size,
    SPLITS: tl.constexpr, BLOCK: tl.constexpr,
):
    """9.2: the softmax of split program_id(1) of row program_id(0), from the states of all splits of the row."""
    # Your 9.2, with a cast (about 12 lines).
    ### BEGIN SOLUTION
    row, split = tl.program_id(0), tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    splits = tl.arange(0, SPLITS)
    ms = tl.load(m_ptr + row * n_splits + splits, mask=splits < n_splits, other=-float("inf"))
    ds = tl.load(d_ptr + row * n_splits + splits, mask=splits < n_splits, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp(ms - m), axis=0)
    for start in range(0, split_size, BLOCK):
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)
    ### END SOLUTION

# %% [markdown]
# Each of them gets a launcher: a function that fills `y` with the softmax of the rows of `x`. Their numbers of warps and of rows
# are a first guess. Lesson 15 finds better ones.

# %%
def by_tiles(y, x):
    """10.1: tiles of about 2048 elements."""
    block = triton.next_power_of_2(x.shape[1])
    rows = max(2048 // block, 1)
    sizes = (y, x, y.stride(0), x.stride(0), *x.shape)
    tile_softmax_kernel[(triton.cdiv(len(x), rows),)](*sizes, ROWS=rows, BLOCK=block, num_warps=4)


def by_rows(y, x):
    """5.1: a program holds a whole row."""
    block = triton.next_power_of_2(x.shape[1])
    warps = min(max(block // 512, 4), 32)
    softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=block, num_warps=warps)

# %%
def by_walks(y, x):
    """8.3: a program walks along a row twice."""
    online_softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=4096, num_warps=8)


def by_splits(y, x):
    """9.1 and 9.2: a program for every 8192 columns of a row, in two launches."""
    n_rows, n_cols = x.shape
    n_splits, size = triton.cdiv(n_cols, 8192), 8192
    m, d = (torch.empty(n_rows, n_splits, device=x.device) for _ in range(2))
    states, grid, options = (n_cols, n_splits, size), (n_rows, n_splits), {"BLOCK": 4096, "num_warps": 8}
    partial_kernel[grid](m, d, x, x.stride(0), *states, **options)
    lanes = triton.next_power_of_2(n_splits)
    combine_kernel[grid](y, x, m, d, y.stride(0), x.stride(0), *states, SPLITS=lanes, **options)

# %% [markdown]
# ## Where is each of them fast?
#
# An H200 ran the four launchers on many shapes, with the kernels of the course's own answers. Before you look: which one will be
# the best for 65536 rows of 64, and which one for a single row of four million?

# %%
import json
from pathlib import Path

routes = json.loads(Path("../docs/routes_on_h200.json").read_text())
print(f"{routes['device']}, {routes['date']}, torch {routes['versions']['torch']}: {routes['command']}")


def share(run, name):
    """The time of a copy as a share of the time that this softmax took; None where it did not run."""
    took = run["microseconds"].get(name)
    return took and run["microseconds"]["copy"] / took


print("shares of a copy           by_tiles   by_rows  by_walks by_splits")
for run in routes["lessons"]["14"]["results"]:
    shares = [share(run, name) for name in ("by_tiles", "by_rows", "by_walks", "by_splits")]
    best = max(s for s in shares if s)
    cells = "".join(f"{s:9.2f}{'*' if s == best else ' '}" if s else "        – " for s in shares)
    print(f"{run['dtype']:8} {run['m']:6}×{run['n']:<8}{cells}")

# %% [markdown]
# A dash: one block would be too wide. A star: the best of its line.
#
# - **Short rows** want company. One row of 64 numbers has 256 bytes. Its program has 128 threads, and half of them have
#   nothing to do.
# - **A row that fits into registers** is read once. A multiprocessor has 65536 registers, and the computation needs some as well:
#   32768 numbers are the limit for one program.
# - **A longer row** is read twice, by one program or by many. With one row there is only one program that walks.

# %% [markdown]
# ## Your turn: 14.2
#
# Write `my_route`, which chooses the launcher, and `my_softmax` around it. You may change the launchers, or write others. The
# check runs everything from 1×1 to 1×1048576, in three dtypes and with any strides:
#
# - **Bytes**: up to 8192 columns, each element is read once. Longer rows may be read twice, and what their programs tell each
#   other may be half a matrix more. Only a view may be copied first.
# - **Registers**: a program holds at most 32768 elements at once, a thread at most 255.
# - **Programs**: a row of 1048576 that is alone gets at least 32. Of 64 or more rows with at most 64 columns, a program takes
#   several.

# %%
def my_route(x):
    """The launcher for a matrix x whose columns lie next to each other."""
    # How long is a row, and how many are there? (about 6 lines)
    ### BEGIN SOLUTION
    n_rows, n_cols = x.shape
    if n_cols <= 1024:
        return by_tiles
    if n_cols <= 32768:
        return by_rows
    return by_walks if n_rows >= 512 else by_splits
    ### END SOLUTION


def my_softmax(x):
    """Softmax of each row of x (M×N, not empty; float32, float16 or bfloat16; any strides), a new contiguous matrix.

    Raises ValueError or TypeError with a sentence for another dtype, other dimensions or no tensor, and launches nothing.
    """
    # Refuse what is no such matrix (about 4 lines).
    ### BEGIN SOLUTION
    if not isinstance(x, torch.Tensor) or x.dim() != 2:
        raise ValueError("my_softmax takes a matrix, a tensor with two dimensions")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError(f"my_softmax takes float32, float16 or bfloat16, not {x.dtype}")
    ### END SOLUTION
    # The output; columns next to each other; the launch (about 5 lines).
    ### BEGIN SOLUTION
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.stride(1) != 1:
        x = x.contiguous()
    my_route(x)(y, x)
    return y
    ### END SOLUTION

# %%
check("14.2")

# %% [markdown]
# <details><summary>Why in this order</summary>
#
# **Tiles first**: they are right for any row that fits, and best for short ones. From 1024 columns on, a tile has few rows, and
# one row a program does as well.
#
# **One row up to 32768**: read once, so nothing that reads twice can beat it.
#
# **Then the number of rows**: 512 programs keep 132 multiprocessors busy; with fewer rows, each has to be split.
#
# **float32 right after the load**: sums of 16-bit numbers lose digits, and `tl.exp` takes float32.
#
# *An honest aside*: the limits come from one table of one card. Lesson 15 asks where they come from.
#
# </details>

# %% [markdown]
# ## Yours beside the others
#
# PyTorch's softmax, and what `torch.compile` makes of it, on the same shapes. With a GPU, "ours" is your `my_softmax`, measured
# here with your `bandwidth`; without one, it is the course's answer, as recorded.

# %% tags=["nbval-ignore-output"]
import matplotlib.pyplot as plt

runs = [run for run in routes["lessons"]["14"]["results"] if run["dtype"] == "float32"]
ours = [share(run, "my_softmax") for run in runs]
if where == "cuda":
    for i, run in enumerate(runs):
        x = torch.randn(run["m"], run["n"], device=where)
        torch.testing.assert_close(my_softmax(x), torch.softmax(x, dim=1))
        ours[i] = bandwidth(my_softmax, x) / bandwidth(torch.clone, x)
drawn = {"ours": ours} | {name: [share(run, name) for run in runs] for name in ("torch.softmax", "torch.compile")}
figure, axes = plt.subplots(figsize=(6.4, 3.8), dpi=110, layout="constrained")
for (name, shares), marker, color in zip(drawn.items(), "os^", ("#4477aa", "#eecc66", "#aa3377")):
    at = [i for i, s in enumerate(shares) if s]
    axes.plot(at, [shares[i] for i in at], marker, color=color, markeredgecolor="black", label=name)
axes.set_xticks(range(len(runs)), [f"{run['m']}×{run['n']}" for run in runs], rotation=60, ha="right")
axes.set_ylabel("share of a copy")
axes.set_ylim(0, 1.15)
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
for dtype in ("float32", "bfloat16"):
    runs = [run for run in routes["lessons"]["14"]["results"] if run["dtype"] == dtype]
    for name in ("torch.softmax", "torch.compile"):
        both = [run for run in runs if share(run, name)]
        ahead = sum(share(run, "my_softmax") > 1.02 * share(run, name) for run in both)
        print(f"{dtype:8} more than 2 % ahead of {name} on {ahead} of {len(both)} shapes, as recorded")
    assert max(share(run, "my_softmax") for run in runs if run["n"] > 32768) < 0.7  # read twice

# %% [markdown]
# The recorded answer keeps close to the copy where a row of float32 is read once, and stays below 0.7 of it where rows are read
# twice. 16-bit rows of 781 or 3000 are slower, too: they begin anywhere, and are loaded element by element.
#
# The rest of the lesson is a **bonus**: its points come on top of the 100 of the course.
#
# ## Bonus: the kernels that the course ships
#
# They read long rows once, and take care of 16-bit rows. An H200 measured rows of many lengths: one block a row, beside the softmax
# that this course ships. Before you look: where will one block a row be as good as anything?

# %% tags=["picture:softmax.png"]
from grader import draw
from grader.picture import Picture

recorded = json.loads(Path("../docs/softmax_on_h200.json").read_text())
print(f"{recorded['device']}, recorded {recorded['date']}, torch {recorded['versions']['torch']}: {recorded['command']}")
names = [name for name in recorded["sweep"][0]["microseconds"] if name != "copy"]
sweep = {name: [share(run, name) for run in recorded["sweep"]] for name in names}
assert min(sweep["softmax"]) > 0.9 > min(sweep["one row"]) > 0.8 > 0.3 > max(sweep["five passes"])
words = ", ".join(f"{name} {min(s):.2f} to {max(s):.2f}" for name, s in sweep.items())
Picture(f"GB/s over the number of columns, as shares of a copy: {words}.", lambda: draw.bandwidth(recorded))

# %% [markdown]
# Up to the right edge of the picture, one block a row stays near the copy, if a little below it where a row is just longer than
# a power of two. `torch.compile` drops there as well; `torch.softmax` jumps at other lengths. Above 1, a softmax was faster than
# the copy: that is a kernel too, and no limit as the peak is.
#
# Longer rows and 16-bit numbers are another matter. For them `softmax` picks one of several kernels. These are their launchers:
# `pick.tile(y, x)` fills `y` with the softmax of the rows of `x`, and so do the others.

# %%
import inspect
from grader.fast import pick

for launcher in (pick.tile, pick.two, pick.odd, pick.pairs, pick.split, pick.shared, pick.online):
    print(f"{launcher.__name__:7}{inspect.getdoc(launcher)}")

# %% [markdown]
# And this is where each was taken, beside one block a row. Shares of a copy again, the lowest and the highest. Compare the last
# two columns:

# %%
def between(numbers, form):
    """The least and the largest, as text: one of them if they look alike, a dash if there is none."""
    numbers = [n for n in numbers if n]
    ends = [format(end(numbers), form) for end in (min, max)] if numbers else ["–"]
    return " to ".join(dict.fromkeys(ends))


print("taken             rows           columns            one row         softmax")
for route, dtype in dict.fromkeys((run["route"], run["dtype"]) for run in recorded["results"]):
    some = [run for run in recorded["results"] if (run["route"], run["dtype"]) == (route, dtype)]
    rows, columns = (between((run[side] for run in some), "d") for side in "mn")
    one_row, picked = (between((share(run, name) for run in some), ".2f") for name in ("one row", "softmax"))
    print(f"{route:8} {dtype:8} {rows:14} {columns:18} {one_row:15}  {picked}")

assert "online" not in {run["route"] for run in recorded["results"]}

# %% [markdown]
# `online` was never taken: on an NVIDIA GPU it is for 16-bit rows that are long and odd. `clusters` and `short` are written in CUDA
# C++ (lesson 12), for what Triton cannot say: blocks that share a row and write into each other's shared memory, and rows that
# begin at any byte. They are not in this exercise.

# %% [markdown]
# ## Where each of them stops
#
# **tile** and **pairs** hold a row in registers, and a multiprocessor has 65536 of 32 bits. As float32, a row of that length leaves
# none to compute with, so half of it is the limit. Two 16-bit numbers in one register (`pick.can_pair` says whether they may) go
# twice as far. What does not fit spills into memory, and moves again and again.

# %%
for n in (4096, 16384, 32768, 131072):
    print(f"a row of {n:6}: {n / 1024:5.0f} registers a thread as float32, {n / 2048:5.0f} in pairs")

# %% [markdown]
# A block is as long as a power of two. Where a row is a little longer than one, nearly half of the block holds nothing. **two**
# takes a block for the power of two and another for the rest.
#
# **odd**: one instruction can load 16 bytes, a **vector**, if the address is a multiple of 16. With 781 columns of 2 bytes, rows
# begin anywhere (`not pick.aligned(x)`). Loading element by element is slow, as the table shows. So `odd` cuts each row at the
# boundaries; it takes rows without gaps between them. How much of a row lies in whole vectors?

# %%
def in_whole_vectors(row, n_cols=781, unit=8):
    """How many elements of a row lie in whole vectors of `unit` elements."""
    begin, end = row * n_cols, (row + 1) * n_cols
    return end // unit * unit - triton.cdiv(begin, unit) * unit


print("of 781 elements, in rows 0 to 7:", *(in_whole_vectors(row) for row in range(8)))

# %% [markdown]
# The few that are left move one by one.
#
# **shared** has programs that wait for each other. Lesson 09 said that they cannot: nobody promises that they run at the same
# time. A **cooperative** launch promises just that, or fails. With no more programs than are resident at once (10.3), they may
# wait. Each keeps its piece of the row in registers, so even the longest of many rows is read once, where `pick.can_share` allows
# it. On this course's interpreter, programs run one after another: there, waiting would never end.

# %% [markdown]
# **split** needs no promise, but reads twice. `shared` first sets its states to zero, a launch of its own; for a small matrix
# that costs more than a second read, which finds x in the cache. **online** runs on anything; with few rows it leaves most of a
# GPU idle.

# %% tags=["nbval-ignore-output"]
x = torch.randn(4, 65536, device=where).bfloat16()
assert pick.aligned(x) and not pick.aligned(x[:, 1:])  # whether every row begins on a boundary
print("on this machine: can_pair", pick.can_pair(x), "and can_share", pick.can_share(x))

# %% [markdown]
# ## Your turn: 14.3, a bonus
#
# Write the choice, and the function around it. For one point, the check runs the matrices of 14.2 and asks for the same bytes,
# registers and programs. Here one program may take one short row.

# %% [markdown]
# The other point is for the **choice**. The check lets `can_pair` and `can_share` answer as on an NVIDIA GPU, launches nothing,
# and looks at what would be. There, a matrix of 64 MB is read once, however long its rows. 16-bit rows of 32768 lie in registers
# as pairs, those that begin anywhere move as vectors, and a row that one program can hold waits for no other.
#
# Your own kernels are welcome; the shipped `softmax`, `pick.route` and `pick.launch` are not.

# %%
def kernel_for(x):
    """The launcher for a matrix x whose columns lie next to each other."""
    (m, n), half = x.shape, x.element_size() == 2
    # From the kernels that read once to those that take anything (about 15 lines).
    ### BEGIN SOLUTION
    if half and not pick.aligned(x) and x.is_contiguous() and 256 < n <= 32768:
        return pick.odd
    block = triton.next_power_of_2(n) // 2
    if (4096 if half else 1024) <= block <= 16384 and n < 1.5 * block:
        return pick.two
    if pick.can_pair(x) and (8192 < n <= 16384 or n == 32768):
        return pick.pairs
    if n <= (16384 if half else 32768):
        return pick.tile
    if m * n * x.element_size() <= (34_000_000 if half else 16_000_000):
        return pick.split
    if pick.can_share(x):
        return pick.shared
    return pick.online if m >= 64 else pick.split
    ### END SOLUTION

# %%
def softmax(x):
    """Softmax of each row of x (M×N, not empty; float32, float16 or bfloat16; any strides), a new contiguous matrix.

    Raises ValueError or TypeError with a sentence for another dtype, other dimensions or no tensor, and launches nothing.
    """
    # Refuse what is no such matrix (about 4 lines).
    ### BEGIN SOLUTION
    if not isinstance(x, torch.Tensor) or x.dim() != 2:
        raise ValueError("softmax takes a matrix, a tensor with two dimensions")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError(f"softmax takes float32, float16 or bfloat16, not {x.dtype}")
    ### END SOLUTION
    # The output; columns next to each other; the launch (about 5 lines).
    ### BEGIN SOLUTION
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.stride(1) != 1:
        x = x.contiguous()
    kernel_for(x)(y, x)
    return y
    ### END SOLUTION

# %%
check("14.3")

# %% [markdown]
# <details><summary>Why in this order</summary>
#
# **First what reads once**: odd, two, pairs, tile. **Then what reads twice**, unless programs may wait.
#
# The other limits were measured; [the notes](../docs/notes_on_the_shipped_kernel.md) have some of it:
#
# **pairs at 32768, but not just below**: a row as long as its block needs no mask. With one, the registers no longer suffice.
#
# **34 MB for 16 bits, 16 MB for float32**: what a cache can hold from one launch to the next, so that the second read of `split`
# costs little.
#
# **64 rows**: with fewer, one program a row leaves the device idle.
#
# *An honest aside*: all of it on one H200; another card has other limits. The order stays. The shipped choice, with a reason for
# every line, is in [pick.py](../grader/fast/pick.py).
#
# </details>

# %% [markdown]
# With a GPU, here is your choice beside the shipped one. It must be right before it may be fast:

# %% tags=["nbval-ignore-output"]
from grader.fast import softmax as shipped

shapes = [(65536, 781), (16384, 4096), (8192, 16384), (2048, 131072)] if where == "cuda" else [(3, 781), (2, 20000)]
for dtype in (torch.float32, torch.bfloat16):
    for m, n in shapes:
        x = torch.randn(m, n, device=where).to(dtype)
        torch.testing.assert_close(softmax(x), torch.softmax(x, dim=1))
        if where == "cuda":
            copy, mine, theirs = (bandwidth(fn, x) for fn in (torch.clone, softmax, shipped))
            print(f"{m:5}×{n:<6} {dtype} {kernel_for(x).__name__:6} {mine / copy:.2f} of a copy, shipped {theirs / copy:.2f}")

# %% [markdown]
# ## What it is worth
#
# Others have written fast softmaxes, too: PyTorch's own, what `torch.compile` makes of it, and the libraries Liger and QuACK.
# The same H200, in the same run, each shape in turns. A star marks the fastest; it need not be the
# shipped one, which is called `softmax` here.

# %%
rivals = ["softmax", "torch.softmax", "torch.compile", "Liger", "QuACK"]
chosen = [(4096, 1000), (65536, 781), (4096, 4096), (4096, 32768), (2048, 128256), (1, 4194304)]
print("share of a copy        " + "".join(name.rjust(15) for name in rivals))
for run in recorded["results"]:
    if (run["m"], run["n"]) in chosen:
        reached = [share(run, name) or 0 for name in rivals]
        cells = [f"{s:.2f}{'*' if s == max(reached) else ' '}" if s else "– " for s in reached]
        print(f"{run['m']:5}×{run['n']:<8} {run['dtype']:8}" + "".join(cell.rjust(15) for cell in cells))

# %% [markdown]
# A dash: that one does not take the shape, or was wrong there. Over all recorded shapes:

# %%
first = {"float32": [], "bfloat16": []}
for run in recorded["results"]:
    best = max(share(run, name) or 0 for name in rivals)
    first[run["dtype"]] += [name for name in rivals if share(run, name) == best]  # all of those that share the first place
for dtype, won in first.items():
    of = sum(run["dtype"] == dtype for run in recorded["results"])
    print(f"{dtype:8} fastest of {of}:", ", ".join(f"{name} {won.count(name)}" for name in rivals))

# What the next cell says of large matrices and of QuACK:
large = [run for run in recorded["results"] if run["m"] * run["n"] >= 2**25 and run["m"] >= 64]
assert all(share(run, "softmax") > max(0.85, share(run, "torch.softmax")) for run in large)
wide = [run for run in large if run["dtype"] == "bfloat16" and run["n"] > 32768 and run["microseconds"]["QuACK"]]
ahead = sum(share(run, "QuACK") > share(run, "softmax") for run in wide)
assert ahead > len(wide) / 2
print(f"QuACK is ahead on {ahead} of {len(wide)} large bfloat16 matrices with rows above 32768 that it takes")

# %% [markdown]
# On every recorded matrix of 2^25 elements or more with 64 rows or more, the shipped softmax keeps close to a copy, and PyTorch's
# own stays behind it.
# Nobody wins everywhere: QuACK lets programs exchange states without a trip to memory, as `clusters` does, and is ahead on most
# large bfloat16 matrices of long rows. And one row of four million is over so soon that two launches weigh.
#
# What was predicted for each kernel, what came out, and what did not work is in
# [the notes](../docs/notes_on_the_shipped_kernel.md). Predictions that failed are the better half.

# %% [markdown]
# ## In a model
#
# A function that people call also needs its gradient (lesson 11), and must not break `torch.compile`. The shipped one is
# registered as an operator of PyTorch, which makes it known to both:

# %%
x = torch.randn(4, 7, device=where, requires_grad=True)
dy = torch.randn(4, 7, device=where)
model = torch.compile(shipped, fullgraph=True) if where == "cuda" else shipped  # without a GPU, nothing to compile for
(dx,) = torch.autograd.grad(model(x), x, dy)
y = torch.softmax(x, dim=1)
torch.testing.assert_close(dx, y * (dy - (y * dy).sum(dim=1, keepdim=True)))
print("the gradient is that of lesson 11")

# %%
progress()

# %% [markdown]
# **Next: [15 · Tune](15_tune.ipynb).** Your launchers guess their warps and rows. Which numbers are best, and can you know before
# you measure? The shipped function is one line away, `from grader.fast import softmax`.
#
# To read:
#
# - [Triton's documentation](https://triton-lang.org), for the language, and its tutorials for matrix products;
# - [*Roofline*](https://doi.org/10.1145/1498765.1498785), Williams, Waterman and Patterson (2009): lesson 02, in full;
# - [*FlashAttention*](https://arxiv.org/abs/2205.14135), Dao and others (2022), and its
#   [successor](https://arxiv.org/abs/2307.08691): lesson 13, made fast.
