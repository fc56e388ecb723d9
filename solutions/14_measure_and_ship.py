# %% [markdown]
# # 14 · Measure and ship
#
# You have several softmaxes by now: one block per row, two walks, two launches, tiles. Which of them is best for which matrix,
# and how do you know that it is fast? Two things are left to write: a benchmark that refuses impossible results, and the
# function that people will call.
#
# *About 100 minutes, and 65 more for the bonus exercise. No GPU needed.*

# %%
from grader import check, hint, progress, recall
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
# A GPU has a queue of work. Your Python runs on the computer around the GPU, the **host**. A call on the host puts work into
# the queue and returns, often before the work begins.
#
# Here is a simulated GPU, so that everybody sees the same numbers. The work of one call of `run` takes 100 µs on it. You look
# at the clock before and after a call: which times can you get?

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
# One kernel, four times:
#
# - The first call also compiled the kernel.
# - The second number is only the time to put the work into the queue.
# - In the third run, the data was still in the cache, because the call before had left it there.
# - The fourth number is the one that we want. In a real program, other work has filled the cache in the meantime.
#
# Even this time is not always the same, because other programs use the device as well. Here are twenty such runs. Which number
# would you report?

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
# A few runs were disturbed by other programs. They make the mean larger. A few runs were lucky, for instance with a higher clock,
# and the least time is one of them. The **median**, the middle of the sorted list, is the time of a usual run.

# %% [markdown]
# ## Your turn: 14.1
#
# `clock` has `now`, `synchronize` and `clear_cache`, as the simulated `gpu` has, but it asks the device of your machine. The call
# to be timed is `fn(x)`. Your function returns a rate in GB/s: the bytes that *must* move, divided by the time. Each element must
# be read and written once. For a matrix much larger than the cache, no rate can be above the **peak** of the memory. If the median
# run gives a higher rate, the measurement is wrong: raise a ValueError that says so.
#
# Warm up with at least 10 calls. Take the median of at least 20 runs, each with an empty cache. The check replaces `clock` and
# `peak` by a simulated device.

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
    """GB/s of fn, if x is read and written once: the median of many runs; ValueError above peak(x)."""
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
    # Bytes over seconds, in GB/s; refuse an impossible rate (about 4 lines).
    ### BEGIN SOLUTION
    rate = 2 * x.numel() * x.element_size() / statistics.median(times) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate:.0f} GB/s is above the peak of {peak(x):.0f} GB/s: something was measured wrongly")
    return rate
    ### END SOLUTION

# %%
check("14.1")

# %% [markdown]
# <details><summary>Every line prevents one mistake</summary>
#
# **Warm-up**: the first call compiles, and a card at rest needs a while to reach its full speed.
#
# **clear_cache, then synchronize**: the run begins with an empty cache and an empty queue. **synchronize again**: the clock
# stops when the work has ended.
#
# **2·M·N·itemsize**: the bytes that a softmax must move, not the bytes that yours moves. A kernel that moves more has a lower
# rate, as it should.
#
# **The peak** reveals a mistake: if you do not wait, a kernel seems to be faster than its memory.
#
# *An honest aside*: your time also has the microseconds that the host needs to put the call into the queue. On a GPU, that can be
# longer than a short kernel. And when a run ends, the last bytes of its result may still be in the cache: so for a small
# matrix, a rate a little above the peak can be true. The rule of 14.1 is for matrices much larger than the cache.
#
# </details>

# %% [markdown]
# ## The clock in the queue
#
# The device can look at the clock itself. An **event** is an entry in its queue, and the device notes the time when it reaches it.
# While the device still clears the cache, the host queues an event, the call, and a second event. So the device never waits
# for the host between the two events. Which lines of your `bandwidth` have to change for such a clock?

# %%
class Moment:
    """The time at which the device reaches this place in its queue."""

    def __init__(self):
        self.event = torch.cuda.Event(enable_timing=True)
        self.event.record()

    def __sub__(self, earlier):
        """Seconds between two moments."""
        self.event.synchronize()
        return earlier.event.elapsed_time(self.event) / 1000


class QueueClock(Clock):
    """The same questions as above, but the device answers them."""

    def now(self):
        return Moment()

    def synchronize(self):
        """Nothing to wait for: the queue keeps its order."""

    def clear_cache(self):
        """Longer than the host needs to queue what follows."""
        for _ in range(4):
            super().clear_cache()

# %% [markdown]
# None: a different clock is enough. `triton.testing.do_bench` measures with events, too.
#
# A copy moves the same bytes and computes nothing, so we compare softmaxes with it. How fast is a copy on your machine?
# (Without a GPU, `clear_cache` does nothing, and part of the data comes from a cache.)

# %% tags=["nbval-ignore-output"]
x = torch.randn(2048, 2048, device=where)
rate = bandwidth(torch.clone, x)
assert 0 < rate <= peak(x)
print(f"a copy: {rate:.0f} GB/s by the clock of the host, the peak: {peak(x):.0f} GB/s")
clock = QueueClock() if where == "cuda" else clock
print(f"a copy: {bandwidth(torch.clone, x):.0f} GB/s by the clock of the device" if where == "cuda" else "no GPU: no queue")

# %% [markdown]
# ## Your kernels
#
# You have written four softmaxes, with five kernels: one row per program (5.1), tiles of rows (10.1), two walks along a long row (8.3), and
# a row split among programs (9.1 and 9.2, two kernels). They are here again: `recall("5.1")` puts your last right answer to
# 5.1 into a new cell. Run the next four cells, and the cells that they make.
#
# Does a kernel of yours not come? Then its cell says what to do. You can also go on without it: the check of 14.2 runs only the
# kernels that your `my_route` chooses. A kernel of the course has the same name and parameters, in the folder `solutions`.

# %% [markdown]
# Make one change. From now on the matrix may be float32, bfloat16 or float16, so cast every value to float32 right
# after its load (lesson 07). These kernels happen to be right without a cast, too, because `tl.max` returns float32. With a cast after every load, nobody has to know that, and the next change of a line cannot spoil it. `tl.store` rounds to the dtype of `y` by itself.

# %% tags=["nbval-ignore-output"]
recall("5.1")
recall("10.1")
### BEGIN SOLUTION
@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """5.1: softmax of row program_id(0). BLOCK is a power of two, at least n_cols."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    """10.1: softmax of ROWS rows. ROWS and BLOCK are powers of two, BLOCK is at least n_cols."""
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = numerator / tl.sum(numerator, axis=1)[:, None]
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)
### END SOLUTION

# %% tags=["nbval-ignore-output"]
recall("8.3")
### BEGIN SOLUTION
@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """8.3: softmax of row program_id(0), in tiles of BLOCK columns, by two walks."""
    row = tl.program_id(0).to(tl.int64)
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

# %% tags=["nbval-ignore-output"]
recall("9.1")
### BEGIN SOLUTION
@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    """9.1: the state (m, d) of split program_id(1) of row program_id(0)."""
    row, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
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

# %% tags=["nbval-ignore-output"]
recall("9.2")
### BEGIN SOLUTION
@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_splits, split_size,
    SPLITS: tl.constexpr, BLOCK: tl.constexpr,
):
    """9.2: the softmax of split program_id(1) of row program_id(0), from the states of all splits of the row."""
    row, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
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
# Each kernel gets a **launcher**: a function that fills `y` with the softmax of the rows of `x`. The numbers of warps and of
# rows in it are a first guess. Lesson 15 finds better ones.

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
# An H200 ran the four launchers on many shapes, with the kernels of the solution notebook. Before you look: which one will be
# the fastest for 65536 rows of 64, and which one for a single row of four million?

# %%
import json
from pathlib import Path

routes = json.loads(Path("../records/routes_on_h200.json").read_text())
print(f"{routes['device']}, {routes['date']}, torch {routes['versions']['torch']}\n{routes['command']}")


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
    assert best in shares[: 2 if shares[1] else 4]  # by_tiles or by_rows, where a block can hold a row

# %% [markdown]
# If this machine has a GPU, the next cell measures some of these rows on it, and shows them beside the record. It takes
# a few seconds. Cards differ in their times; their shares of a copy's speed can be compared.

# %% tags=["nbval-ignore-output"]
from grader import own_card

own_card("14")

# %% [markdown]
# A dash means that a row does not fit into one block of this launcher. A star marks the best of each line.
#
# - **Short rows** should share a program. One row of 64 numbers has 256 bytes. If a program has only this row, half of
#   its 128 threads have nothing to do.
# - **A row that fits into registers** is read once. A multiprocessor has 65536 registers, and the computation needs some of them:
#   32768 numbers are the limit for one program.
# - **A longer row** is read twice, by one program or by many. `by_walks` has one program for each row: with only a few rows, most
#   of the GPU is idle.

# %% [markdown]
# ## Your turn: 14.2
#
# Write `my_route`, which chooses the launcher, and `my_softmax` around it. You may change the launchers, or write
# others. The check calls `my_softmax` with matrices from 1×1 to 1×1048576, in three dtypes and with any strides.

# %% [markdown]
# The check also judges:
#
# - **Bytes**: up to 8192 columns, each element is read once. Longer rows may be read twice. Partial results may add M·N/2 elements
#   read and M·N/4 written. Only a matrix that is not contiguous may be copied first.
# - **Registers**: a program holds at most 32768 elements at once, a thread at most 255.
# - **Programs**: if the matrix is a single row of 1048576, at least 32 programs work on it. If a matrix has at least 64 rows,
#   and at most 64 columns, each program takes several rows.

# %% [markdown]
# The check measures no time, so it does not ask for the best limits. Where the table shows no clear difference, or no
# shape at all, choose as you like. For example, the table's matrices with long rows have at most 64 rows, or at least
# 2048: any limit between these two numbers passes.

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

    If x is no tensor, is no matrix or has another dtype, it raises ValueError or TypeError with a sentence and launches nothing.
    """
    # Refuse such an x (about 4 lines).
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
# **Tiles first**: they are right for any row that fits, and best for short rows. From 1024 columns on, a tile has few rows, and one row per program is about as good.
#
# **One row up to 32768**: each element is read once. In the table, no launcher that reads twice is faster there.
#
# **Then the number of rows**: 512 programs keep 132 multiprocessors busy. If there are far fewer rows, each has to be split.
#
# **float32 right after the load**: a product or a sum of 16-bit numbers loses digits, and `tl.exp` takes float32.
#
# *An honest aside*: these limits were read from one table of one card. Lesson 15 asks for their reasons.
#
# </details>

# %% [markdown]
# ## Yours beside the others
#
# How does your choice compare with PyTorch's softmax, and with the kernel that `torch.compile` makes from it? If this machine has
# a GPU, "ours" is your `my_softmax`, measured now with your `bandwidth`. If not, it is the recorded answer of the solution
# notebook.

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
figure.legend(loc="outside upper left", ncols=3, frameon=False)
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
    odd = [share(run, "my_softmax") for run in runs if run["n"] % 16]
    once = [share(run, "my_softmax") for run in runs if run["n"] <= 32768]
    assert max(odd) < 0.85 if dtype == "bfloat16" else min(once) > 0.93

# %% [markdown]
# Where rows of float32 are read once, the recorded answer is nearly as fast as the copy. Where rows are read twice, it stays
# below 0.7.
#
# 16-bit rows of 781, 1000 or 3000 numbers are slow as well. Triton loads 16 bytes at a time only if it knows that
# every row begins at a multiple of 16 bytes. It knows that only if the row stride is a multiple of 16 elements, and
# 781, 1000 and 3000 are not. Rows of float32 suffer less from that: one element alone has 4 bytes, not 2.
#
# The rest of the lesson is a **bonus**: its points come on top of the 100 of the course.

# %% [markdown]
# ## Bonus: the kernels that the course ships
#
# The kernels that the course ships read most long rows once. They are fast with 16-bit rows, too. An H200 ran rows of many lengths, with one block per row and with the
# softmax that this course ships. Before you look: for which lengths will one block for each row be clearly slower?

# %% tags=["picture:softmax.png"]
from grader import draw
from grader.picture import Picture

recorded = json.loads(Path("../records/softmax_on_h200.json").read_text())
print(f"{recorded['device']}, recorded {recorded['date']}, torch {recorded['versions']['torch']}\n{recorded['command']}")
names = [name for name in recorded["sweep"][0]["microseconds"] if name != "copy"]
sweep = {name: [share(run, name) for run in recorded["sweep"]] for name in names}
assert min(sweep["softmax"]) > 0.9 > min(sweep["one row"]) > 0.8 > 0.3 > max(sweep["five passes"])
slow = {run["n"]: f"{share(run, 'one row'):.2f}" for run in recorded["sweep"] if share(run, "one row") < 0.9}
print("columns for which one block per row is below 0.9 of the copy:", slow)
assert [*slow] == [256, 2176, 2560] and min(slow.values()) == slow[2176]
words = ", ".join(f"{name} {min(s):.2f} to {max(s):.2f}" for name, s in sweep.items())
Picture(f"GB/s over the number of columns, as shares of a copy: {words}.", lambda: draw.bandwidth(recorded))

# %% [markdown]
# One block per row is nearly as fast as the copy, except for the lengths that were printed. 256 columns are a short row.
# The other two are somewhat longer than 2048, so the block has 4096 lanes, and a third of them or more hold nothing.
# That is the lowest point of the curve. `torch.compile` and `torch.softmax` drop there as well, and `torch.softmax` once more at 6400.
#
# Above 1, a softmax was faster than the copy. That is possible: the copy is a kernel like any other. For matrices much larger
# than the cache, only the peak is an upper limit.

# %% [markdown]
# Longer rows and 16-bit numbers need other kernels. The shipped `softmax` picks one of several for them. These are their launchers:
# `pick.tile(y, x)` fills `y` with the softmax of the rows of `x`, and so do the others. (Two more kernels, `clusters` and
# `short`, are written in CUDA C++, as in lesson 12. The next table names them, but you do not need them.)

# %%
import inspect
from grader.fast import pick

for launcher in (pick.tile, pick.two, pick.odd, pick.pairs, pick.split, pick.shared, pick.online):
    print(f"{launcher.__name__:7}{inspect.getdoc(launcher)}")

# %% [markdown]
# For which shapes was each of them picked, and how much faster is it than one block per row? The last two columns are shares of a
# copy again, the lowest and the highest:

# %%
def between(numbers, form):
    """The least and the largest, as text: one of them if they look alike, a dash if there is none."""
    numbers = [n for n in numbers if n]
    ends = [format(end(numbers), form) for end in (min, max)] if numbers else ["–"]
    return " to ".join(dict.fromkeys(ends))


print("taken             rows           columns              one row          softmax")
for route, dtype in dict.fromkeys((run["route"], run["dtype"]) for run in recorded["results"]):
    some = [run for run in recorded["results"] if (run["route"], run["dtype"]) == (route, dtype)]
    rows, columns = (between((run[side] for run in some), "d") for side in "mn")
    one_row, picked = (between((share(run, name) for run in some), ".2f") for name in ("one row", "softmax"))
    print(f"{route:8} {dtype:8} {rows:14} {columns:20} {one_row:15}  {picked}")

assert "online" not in {run["route"] for run in recorded["results"]}

# %% [markdown]
# `online` and `pairs` were never picked. On an NVIDIA GPU, `online` is for long 16-bit rows with an odd number of elements, and `clusters` takes the rows that `pairs` would take.
#
# A kernel in `tl` cannot say what `clusters` and `short` do. (Triton can launch clusters, with `num_ctas`, and its lower
# language, Gluon, says more of them.) In `clusters`, thread blocks share a row, and they write into each
# other's shared memory. In `short`, rows may begin at any element. That is why both are written in CUDA C++.

# %% [markdown]
# ## Where each of them stops
#
# **tile** and **pairs** hold a row in registers. A multiprocessor has 65536 registers of 32 bits. A float32 row may
# take only half of them, because the computation needs registers, too. With two 16-bit numbers in one register, a row
# can be twice as long; `pick.can_pair(x)` says whether that is possible. Numbers without a register are spilled (lesson
# 08): they move to memory and back. How many registers of each thread does a row take, if a program has 1024 threads?

# %%
for n in (4096, 16384, 32768, 131072):
    print(f"a row of {n:6}: {n / 1024:5.0f} registers per thread as float32, {n / 2048:5.0f} in pairs")

# %% [markdown]
# **two**: the length of a block is a power of two. If a row is a little longer than a power of two, nearly half of its block
# holds nothing. So `two` takes one block for the power of two and another block for the rest.

# %% [markdown]
# **odd**: one instruction can load 16 bytes, a **vector**, if the address is a multiple of 16. With 781 columns of 2 bytes, most
# rows begin at other addresses: then `pick.aligned(x)` is False. Loading element by element is slow, as the table shows. So
# `odd` cuts each row at the multiples of 16 bytes. It takes only matrices without gaps between the rows, and rows that are no longer than those of `tile`. How many elements of a
# row lie in whole vectors?

# %%
def in_whole_vectors(row, n_cols=781, unit=8):
    """How many elements of a row lie in whole vectors of `unit` elements."""
    begin, end = row * n_cols, (row + 1) * n_cols
    return end // unit * unit - triton.cdiv(begin, unit) * unit


print("of 781 elements, in rows 0 to 7:", *(in_whole_vectors(row) for row in range(8)))

# %% [markdown]
# The few elements that are left are moved one by one.
#
# **shared**: its programs wait for each other. According to lesson 09, they should not, because nothing guarantees that
# they run at the
# same time. A **cooperative** launch guarantees it: all of its programs are resident at once (10.3), or the launch fails. Each
# program keeps its piece of the row in registers, so each element is read once. `pick.can_share(x)` says whether that is possible
# for x. In the interpreter of this course, programs run one after another, and the first one would wait forever.

# %% [markdown]
# **split** needs no such guarantee, but it reads each element twice. `shared` needs an extra launch that sets its states to zero.
# For a small matrix, this launch takes longer than a second read that finds `x` in the cache.
#
# **online** runs on every device. With few rows, most of a GPU is idle.

# %% tags=["nbval-ignore-output"]
x = torch.randn(4, 65536, device=where).bfloat16()
assert pick.aligned(x) and not pick.aligned(x[:, 1:])  # whether every row begins on a boundary
print("on this machine: can_pair", pick.can_pair(x), "and can_share", pick.can_share(x))

# %% [markdown]
# ## Your turn: 14.3, a bonus
#
# Write `kernel_for`, which chooses the launcher, and `softmax` around it. One point is for the matrices of 14.2, with the same
# rules as there, except that a program may have a single short row.

# %% [markdown]
# The other point is for the **choice** on an NVIDIA GPU. For this point, the check launches nothing: it makes `can_pair` and
# `can_share` answer as on such a GPU, and looks at the kernels of `pick` that you would launch:
#
# - A matrix of 64 MB is read once, even if its rows are very long.
# - 16-bit rows of 32768 stay in registers as pairs.
# - 16-bit rows that do not begin at multiples of 16 bytes move as vectors.
# - If one program can hold a row, it does not wait for others.

# %% [markdown]
# For this point, choose among the kernels of `pick`: the check launches nothing, so it cannot judge a kernel of your own. You may
# not call the shipped `softmax`, `pick.route` or `pick.launch`.

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

    If x is no tensor, is no matrix or has another dtype, it raises ValueError or TypeError with a sentence and launches nothing.
    """
    # Refuse such an x (about 4 lines).
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
# **First the kernels that read once**: odd, two, pairs, tile. **For longer rows** `shared`, where programs may wait
# for each other. Otherwise those that read twice: `split`, or `online`.
#
# The other limits were measured, and some of the measurements are in [the notes](../docs/notes_on_the_shipped_kernel.md):
#
# **pairs at 32768, but not just below**: a row as long as its block needs no mask. With a mask, there are not enough registers.
#
# **34 MB for 16 bits, 16 MB for float32**: the shipped choice takes `split` for matrices up to this size. A cache can
# keep that much from one launch to the next, so the second read costs little.
#
# **64 rows**: with fewer rows, one program for each of them leaves most of the device idle.
#
# *An honest aside*: all of this was measured on one H200, and another card has other limits. The shipped choice, with a reason
# for every line, is in [pick.py](../grader/fast/pick.py).
#
# </details>

# %% [markdown]
# With a GPU, the next cell compares your choice with the shipped one. Before it measures, it checks whether the numbers are right:

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
# How fast are other softmaxes: PyTorch's own, the kernel that `torch.compile` makes, and those of the libraries Liger and QuACK?
# The same H200 ran all of them in the same run, one after the other, again and again. A star marks the fastest of each line. The shipped one is called
# `softmax` here.

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
# A dash means that a library does not take this shape, or that its numbers were wrong. How often is each of them the fastest,
# over all recorded shapes?

# %%
first = {"float32": [], "bfloat16": []}
for run in recorded["results"]:
    best = max(share(run, name) or 0 for name in rivals)
    first[run["dtype"]] += [name for name in rivals if share(run, name) == best]  # all of those that share the first place
for dtype, won in first.items():
    of = sum(run["dtype"] == dtype for run in recorded["results"])
    print(f"{dtype:8} fastest of {of}:", ", ".join(f"{name} {won.count(name)}" for name in rivals))

# What the next cell says about large matrices and about QuACK:
large = [run for run in recorded["results"] if run["m"] * run["n"] >= 2**25 and run["m"] >= 64]
assert all(share(run, "softmax") > max(0.85, share(run, "torch.softmax")) for run in large)
wide = [run for run in large if run["dtype"] == "bfloat16" and run["n"] > 32768 and run["microseconds"]["QuACK"]]
ahead = sum(share(run, "QuACK") > share(run, "softmax") for run in wide)
assert ahead > len(wide) / 2
print(f"QuACK is ahead on {ahead} of {len(wide)} large bfloat16 matrices with rows above 32768 that it takes")

# %% [markdown]
# For every recorded matrix with at least 2^25 elements and 64 rows, the shipped softmax reaches more than 0.85 of the
# copy, and PyTorch's own is slower. But it is not the fastest everywhere. As in `clusters`, the thread blocks of QuACK
# exchange their states directly and not through memory: QuACK is ahead for most large bfloat16 matrices with long rows.
#
# What was predicted for each kernel, what was measured, and what did not work is in
# [the notes](../docs/notes_on_the_shipped_kernel.md). You can learn most from the predictions that failed.

# %% [markdown]
# ## In a model
#
# A function that people call also needs a gradient (lesson 11), and it must work within `torch.compile`. So the shipped one is
# registered as a custom operator. Is its gradient that of lesson 11?

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
# **Next: [15 · Tune](15_tune.ipynb).** The numbers of warps and rows in your launchers were guessed. Which numbers are best, and
# can you know them before you measure? To use the shipped function: `from grader.fast import softmax`.
#
# To read:
#
# - [Triton's documentation](https://triton-lang.org), for the language, and its tutorials for matrix products;
# - [*Roofline*](https://doi.org/10.1145/1498765.1498785), Williams, Waterman and Patterson (2009): lesson 02, in full;
# - [*FlashAttention*](https://arxiv.org/abs/2205.14135), Dao and others (2022), and its
#   [successor](https://arxiv.org/abs/2307.08691): lesson 13, made fast.
