# %% [markdown]
# # 15 · Tune
#
# In lesson 14, the numbers of warps and rows were guessed. How much faster are the best numbers? And do you have to time all of
# them, or can you predict some of it?
#
# *About 100 minutes. No GPU needed.*

# %%
from grader import check, hint, machine_code, own_way, progress, recall
import json
from pathlib import Path
import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton
import triton.language as tl

# %% [markdown]
# ## Three numbers of a launch
#
# For a tile kernel (10.1) you choose two numbers: the rows of a tile, and `num_warps`. A loop may have a third number,
# `num_stages`: how many of its steps are under way at once. Such a choice is called a **configuration**. It changes the time. In the result, it changes the last digits at most.
#
# An H200 ran the tile kernel of the solution notebook in many configurations. Here are rows of 64 float32 numbers. How much
# faster will the fastest configuration be than one row for each program?

# %%
recorded = json.loads(Path("../records/tuning_on_h200.json").read_text())
lesson = recorded["lessons"]["15"]
print(f"{recorded['device']}, {recorded['date']}, torch {recorded['versions']['torch']}\n{recorded['command']}")


def of(kernel, dtype, n, **some):
    """The recorded runs of a kernel, each with its speed: the time of a copy over its own time."""
    runs = [run for run in lesson["results"] if (run["dtype"], run["n"]) == (dtype, n)]
    (copy,) = [run["microseconds"] for run in runs if run["kernel"] == "copy"]
    runs = [run for run in runs if run["kernel"] == kernel and all(run[k] == v for k, v in some.items())]
    return [run | {"speed": copy / run["microseconds"]} for run in runs]


# %%
for run in of("tile", "float32", 64):
    print(f"rows {run['rows']}, warps {run['num_warps']}: {run['speed']:.2f} of a copy")

# %% [markdown]
# And with 4096 columns, one row per program? Which numbers of warps will be fast?

# %%
for run in of("tile", "float32", 4096, rows=1):
    print(f"rows 1, warps {run['num_warps']:2}: {run['speed']:.2f} of a copy, {run['n_regs']:3} registers per thread")
*others, most = (run["speed"] for run in of("tile", "float32", 4096, rows=1))
assert min(others) > 0.92 and most < 0.8

# %% [markdown]
# If this machine has a GPU, the next cell measures some of these rows on it, and shows them beside the record. It takes
# a few seconds. Cards differ in their times; their shares of a copy's speed can be compared.

# %% tags=["nbval-ignore-output"]
from grader import own_card

own_card("15")

# %% [markdown]
# If rows are short, a tile should have several of them. For rows of 4096, nearly all numbers of warps are good, and only the
# largest is clearly slower. Can you know that without a clock?

# %% [markdown]
# ## Compile, and do not launch
#
# The compiler knows the registers of a thread and the shared memory of a program. On a GPU, `kernel.warmup(...)` takes the
# arguments of a launch and only compiles; the compiled kernel has `n_regs`, `n_spills` and `metadata.shared`. Without a GPU,
# `machine_code` gives the same numbers. It has no name for the H200, but the H100 has the same multiprocessors (and another
# memory), so its machine code is the same.

# %% [markdown]
# `recall("10.1")` puts your tile kernel into a new cell: run that, too. The cell after it compiles the kernel, in a few seconds;
# no check looks at it. With which number of warps will it spill on rows of 8192?

# %% tags=["nbval-ignore-output"]
recall("10.1")
### BEGIN SOLUTION
@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    """Softmax of ROWS rows. ROWS and BLOCK are powers of two, BLOCK is at least n_cols."""
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = numerator / tl.sum(numerator, axis=1)[:, None]
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)
### END SOLUTION

# %% tags=["nbval-ignore-output"]
x = torch.empty(4096, 8192)
sizes = (x, x, 8192, 8192, 4096, 8192)
try:
    print(machine_code(tile_softmax_kernel, *sizes, ROWS=1, BLOCK=8192, gpu="H100", num_warps=[1, 4, 16, 32]))
except Exception as error:
    print(error)

# %% [markdown]
# The line "programs per multiprocessor" is computed as in 10.3. Multiplied by the warps of a program, it gives the number of **resident
# warps**. A multiprocessor of an H200 has room for 64 warps. Its occupancy (lesson 10) is the number of resident warps, divided
# by 64.
#
# While one warp waits for memory, another one can compute. So more resident warps should be better. Here are all configurations
# for rows of 4096, as compiled and as measured. Where is this rule wrong?

# %%
for run in of("tile", "float32", 4096):
    warps = run["resident"] * run["num_warps"]
    print(f"rows {run['rows']}, warps {run['num_warps']:2}: {run['n_regs']:3} registers, resident:", end="")
    print(f" programs {run['resident']:2}, warps {warps:2}: {run['speed']:.2f} of a copy")
runs = of("tile", "float32", 4096)
slowest = min(runs, key=lambda run: run["speed"])
assert (slowest["resident"] * slowest["num_warps"], slowest["num_warps"]) == (64, 32)
assert min(runs, key=lambda run: run["resident"] * run["num_warps"])["speed"] > 0.9

# %% [markdown]
# The slowest configuration has as many resident warps as possible. And the one with the fewest resident warps is not slow. So
# warps are not enough to predict the speed.

# %% [markdown]
# ## Bytes under way
#
# Memory answers late: a value arrives several hundred nanoseconds after its load has started. To keep memory busy during that
# time, a multiprocessor must ask for more bytes before the first ones arrive. **Bytes under way** are the bytes that all its
# resident programs load at once. (The rule behind this is Little's law: bytes under way = bytes per second × seconds of waiting.)
#
# One row of 64 float32 has 256 bytes. A multiprocessor of an H200 has places for 32 programs (lesson 10). How many bytes
# can be under way at most: with one row per program, and with eight?

# %%
for rows in (1, 2, 4, 8):
    best = max(of("tile", "float32", 64, rows=rows), key=lambda run: run["speed"])
    print(f"rows: {rows}, {32 * rows * 256:6} bytes under way at most, {best['speed']:.2f} of a copy")

# %% [markdown]
# With twice as many bytes under way, this kernel is nearly twice as fast, until it is as fast as a copy. Are more bytes always
# better? Here are all recorded tiles of all lengths, by their bytes under way:

# %%
def under_way(run):
    """Bytes that the resident programs of a multiprocessor load at once."""
    return run["resident"] * run["rows"] * run["n"] * (4 if run["dtype"] == "float32" else 2)


shapes = dict.fromkeys((run["dtype"], run["n"]) for run in lesson["results"] if run["kernel"] == "tile")
tiles = [run for dtype, n in shapes for run in of("tile", dtype, n)]
limits = [0, 8, 16, 24, 32, 48, 64, 96, 128, 192, 1000]
middles = []
for low, high in zip(limits, limits[1:]):
    speeds = sorted(run["speed"] for run in tiles if low <= under_way(run) / 1024 < high)
    middles.append(speeds[len(speeds) // 2])
    print(f"{low:3} to {high:4} KB: {len(speeds):3} runs, {speeds[0]:.2f} to {speeds[-1]:.2f}, the middle one {middles[-1]:.2f}")
assert middles[:6] == sorted(middles[:6]) and max(middles[6:]) - middles[5] < 0.03
candidates_of = [len(of("tile", dtype, n)) for dtype, n in shapes]
assert (len({n for _, n in shapes}), min(candidates_of), max(candidates_of)) == (12, 5, 20)

# %% [markdown]
# More bytes under way help up to about 64 KB for each multiprocessor. Above that, they gain nothing more. And some runs
# with many bytes are slow all the same: enough bytes are necessary, but something else is necessary, too.
#
# So there are two predictions, resident warps and bytes under way. Both come from the compiler's numbers, and each of them alone
# can be wrong.

# %% [markdown]
# ## Your turn: 15.1
#
# Tuning costs time. Write a function that decides which candidates are worth timing: from a list of compiled candidates, it keeps
# **at most a third**. At least one of those must reach 0.95 of the speed of the fastest candidate.

# %% [markdown]
# The check uses the recorded runs: 12 numbers of columns, in float32 and in bfloat16, with 5 to 20 candidates each. It also uses
# runs of 27 numbers of columns that are not shown here; for those, 0.9 of the speed is enough. It gives you the candidates in
# any order, and sometimes only three of them. Do not change its list. A
# candidate is
# a dictionary. It has `rows`, `num_warps`, `n_regs` and `n_spills` (of a thread), `resident` (programs that a multiprocessor
# holds at once, as in 10.3), and `bytes` (that a program loads). It does not hold the measured time.

# %%
candidates = [
    {"rows": 1, "num_warps": 4, "n_regs": 32, "n_spills": 0, "resident": 16, "bytes": 4096},
    {"rows": 1, "num_warps": 1, "n_regs": 255, "n_spills": 40, "resident": 8, "bytes": 32768},
    {"rows": 8, "num_warps": 8, "n_regs": 80, "n_spills": 0, "resident": 3, "bytes": 32768},
]

# %%
def worth_timing(candidates):
    """The candidates that should be timed: a list of at least one, and of at most a third of them."""
    # What can be predicted of each candidate, and which of them are the most promising? (about 6 lines)
    ### BEGIN SOLUTION
    def rank(c):
        under_way, warps = c["resident"] * c["bytes"], c["resident"] * c["num_warps"]
        return c["n_spills"] == 0, (min(under_way, 65536), warps)

    return sorted(candidates, key=rank, reverse=True)[: len(candidates) // 3]
    ### END SOLUTION


worth_timing(candidates)

# %%
check("15.1")

# %% [markdown]
# <details><summary>Two predictions, in this order</summary>
#
# **Spills last**: moving values to memory and back usually costs more time than any other choice saves.
#
# **Bytes under way, up to a limit**: if there are few, memory is idle at times. Above about 64 KB, more bytes gain nothing.
#
# **Then resident warps**: of the candidates that ask for enough bytes, more warps are better. While some wait, for memory or at
# the barriers of a reduction, others can work.
#
# *Warps alone* fail for short rows: 64 resident warps whose programs ask for 256 bytes each leave memory idle. *Bytes alone* fail
# for long rows: if each program is one warp with 255 registers per thread, many bytes are under way, but few warps can compute
# while others wait.
#
# *An honest aside*: this is a rule of thumb for one card and one kind of kernel. It saves two thirds of the timing, and no more.
#
# </details>

# %% [markdown]
# ## Your turn: 15.2
#
# A library should not time anything while its user waits. It needs a rule. Find one for the tile kernel: for rows of `n_cols`
# elements of `element_size` bytes, how many rows and how many warps?
#
# Your choice must have at least 0.9 of the speed of the fastest configuration. The next cell shows all choices that are good
# enough, for six of the twelve recorded lengths. The check looks at all twelve, and at 27 lengths of which no run is shown. For
# those, 0.8 of the speed is enough.

# %% [markdown]
# Only configurations that were timed can pass: 1, 2, 4 or 8 rows, and 1, 2, 4, 8, 16 or 32 warps. With one row per program, every choice that gives a thread 1 to 256 elements was timed. With several rows, only choices that give it 4 to 64 were timed. (All lanes of the
# block count, also those beyond the end of a row.)

# %%
for dtype in ("float32", "bfloat16"):
    for n in (64, 256, 1000, 1024, 4096, 16384):
        runs = of("tile", dtype, n)
        top = max(run["speed"] for run in runs)
        good = [f"{run['rows']}×{run['num_warps']}" for run in runs if run["speed"] >= 0.9 * top]
        print(f"{dtype:8} {n:5} columns, rows×warps:", *good)

# %%
def configuration(n_cols, element_size):
    """(rows of a tile, num_warps) for rows of n_cols elements of element_size bytes."""
    # How many bytes does a row have, then a tile, then a thread? (about 3 lines)
    ### BEGIN SOLUTION
    row_bytes = triton.next_power_of_2(n_cols) * element_size
    rows = max(1, min(8, 2048 // row_bytes))
    return rows, max(1, min(32, rows * row_bytes // 2048))  # 64 bytes for each thread of a warp
    ### END SOLUTION

# %%
check("15.2")

# %% [markdown]
# <details><summary>Bytes of a tile, bytes of a thread</summary>
#
# **A tile of about 2 KB**: 32 such programs have 64 KB under way. With one warp, each thread of such a tile loads 16
# bytes four times.
#
# **64 bytes per thread**: four loads of 16 bytes, all under way at the same time. With many more bytes, a thread runs out of
# registers. With fewer, the warps wait more for each other than for memory.
#
# **Bytes, and not columns**: a row of 4096 bfloat16 has the bytes of 2048 float32, and nearly the same good configurations.
#
# </details>

# %% [markdown]
# ## Loads that run ahead
#
# In a loop, a load can start one or more steps early. `for start in tl.range(0, n_cols, BLOCK, num_stages=3)` in place of `range`
# asks the compiler to **pipeline** the loop: while one tile is computed, the next two are loaded into shared memory. In a loop
# like ours, `num_stages` of the *launch* changes nothing: only loops with `tl.dot` use it.
#
# An H200 ran the kernel of 8.3 with such loops, on 256 rows of 131072 float32 numbers, one program per row. It has 132
# multiprocessors. Will pipelining help?

# %%
def by_stages(kernel, dtype, n, **some):
    """Speeds with 1, 2, 3 and 4 stages."""
    return [run["speed"] for run in sorted(of(kernel, dtype, n, **some), key=lambda run: run["stages"])]


print("stages              1     2     3     4")
for block in (1024, 2048, 4096, 8192):
    speeds = by_stages("online", "float32", 131072, block=block, num_warps=8)
    print(f"tiles of {block}:  " + "".join(f"{speed:6.2f}" for speed in speeds))

gains = {block: max(by_stages("online", "float32", 131072, block=block, num_warps=8)[2:]) for block in (1024, 8192)}
assert gains[1024] > 1.3 * by_stages("online", "float32", 131072, block=1024, num_warps=8)[0]

# %% [markdown]
# With small tiles it helps a lot, from three stages on. There are only two programs for each multiprocessor, and
# without pipelining each of them has one small tile under way. Two stages are a little slower than one here; this
# record does not say why. With tiles of 8192, enough bytes are under way without pipelining.
#
# ## When does persistence pay?
#
# Take the persistent kernel of 10.2, and pipeline its loop. Its programs stay, so the next row can be loaded while this one is
# computed. The next cell compares it with one row per program, with the same number of warps. Which one will be faster?

# %%
print("                             one row  persistent, stages 1 to 4")
wins = total = 0
for dtype in ("float32", "bfloat16"):
    for n in (1024, 4096, 8192, 16384):
        for warps in sorted({run["num_warps"] for run in of("rows", dtype, n)}):
            (one,) = [run["speed"] for run in of("tile", dtype, n, rows=1, num_warps=warps)]
            stay = by_stages("rows", dtype, n, num_warps=warps)
            wins, total = wins + (max(stay) > 1.02 * one), total + 1
            print(f"{dtype:8} {n:5} columns, {warps:2} warps {one:6.2f}  " + "".join(f"{s:6.2f}" for s in stay))
print(f"persistence gains more than 2 % in {wins} of {total}")

# %%
def fastest(kernel, dtype, n):
    return max(run["speed"] for run in of(kernel, dtype, n))


lengths = [(dtype, n) for dtype in ("float32", "bfloat16") for n in (1024, 4096, 8192, 16384)]
assert all(fastest("rows", *each) < fastest("tile", *each) for each in lengths)
print("the best persistent configuration is behind the best tile on", len(lengths), "of", len(lengths))

# %% [markdown]
# Persistence wins only in a few lines, with a number of warps that is not the best for that length. With the best
# number of warps, one row per program is ahead for every length: while one program computes, other programs load. A
# pipeline does the same, but it needs registers and shared memory.
#
# Persistence may win where few programs fit and each has much to do, as in matrix products, or where a program keeps something
# from one row to the next. Measure it: this table is for one card and one kernel.

# %% [markdown]
# ## Look inside: a profile
#
# A time says *how long* a kernel takes, and a profiler says *what its warps wait for*. NVIDIA's profiler, Nsight Compute (`ncu`),
# ran the tile kernel on 8192×4096 float32, one row per program, with five numbers of warps. Before each instruction, a warp may
# have to wait. That is called a **stall**. The last three lines of the table have three reasons for a stall: each says how many
# cycles a warp waits for that reason before an instruction, on average. Which column is the slowest, and why?

# %%
profile = lesson["profile"]
rows = {
    "microseconds": lambda p: f"{p['nanoseconds'] / 1000:.1f}",
    "DRAM throughput, % of peak": lambda p: f"{p['DRAM throughput, % of peak']:.0f}",
    "occupancy as compiled, %": lambda p: f"{p['resident warps as compiled, % of the most']:.0f}",
    "occupancy as measured, %": lambda p: f"{p['resident warps, % of the most']:.0f}",
    "registers per thread": lambda p: f"{p['registers per thread']:.0f}",
    "stall: a value from memory": lambda p: f"{p['stall long_scoreboard']:.1f}",
    "stall: shared memory, exp": lambda p: f"{p['stall short_scoreboard'] + p['stall mio_throttle']:.1f}",
    "stall: a barrier": lambda p: f"{p['stall barrier']:.1f}",
}
print(f"{'warps':33}" + "".join(f"{p['num_warps']:>7}" for p in profile["launches"]))
for name, value in rows.items():
    print(f"{name:33}" + "".join(f"{value(p):>7}" for p in profile["launches"]))
print(profile["version"])

# %%
one, *_, sixteen, all_of_them = profile["launches"]
assert sixteen["nanoseconds"] == min(p["nanoseconds"] for p in profile["launches"])
assert all_of_them["nanoseconds"] == max(p["nanoseconds"] for p in profile["launches"])
assert all_of_them["stall barrier"] == max(p["stall barrier"] for p in profile["launches"])
read, least = one["bytes read"], 8192 * 4096 * 4
print(f"bytes read: {read / least:.3f} of what must be read")

# %% [markdown]
# <details><summary>How to read it</summary>
#
# **DRAM throughput first**: DRAM is the memory of lesson 02. From about 80 % of the peak on, memory is the limit.
#
# **One warp** has the lowest occupancy, but it is not the slowest. Each warp has a whole row of 16 KB under way.
#
# **32 warps** have full occupancy as compiled, but they are the slowest. Each thread has only 4 elements. All 32 warps
# meet at the barriers of each reduction. And only two programs are resident, so little else can run while they wait.
#
# **A value from memory**: if a kernel is bound by memory, this should be the longest stall.
#
# **Bytes read** is the ledger of this course, counted by the hardware. The bytes written are not in the table: the hardware counts fewer than the matrix has, because the last part of y is still in the cache when the kernel ends.
#
# To make such a table: `ncu --set full python your_script.py`. It runs each kernel many times to count everything, so do not use
# its times as a benchmark.
#
# </details>

# %% [markdown]
# ## Let Triton time
#
# `triton.autotune` times a list of configurations at the first launch, and remembers the fastest one. `key` names arguments
# of the
# kernel: if one of them has a new value, `autotune` times again.
#
# ```python
# @triton.autotune(configs=[triton.Config({"ROWS": 1}, num_warps=4), ...], key=["n_cols"])
# @triton.jit
# def kernel(..., n_cols, ROWS: tl.constexpr): ...
#
# kernel[lambda meta: (triton.cdiv(n_rows, meta["ROWS"]),)](...)  # the grid may depend on the configuration
# ```
#
# It runs each configuration many times, with your tensors. That is no problem for a softmax from `x` to `y`. But what about a
# kernel that stores its result in `x` itself: what does `x` hold after the second run?

# %%
x = torch.tensor([[1.0, 2.0, 4.0]])
for runs in (1, 2, 10):
    y = x
    for _ in range(runs):
        y = torch.softmax(y, dim=1)
    print(f"{runs:2} runs:", [round(v, 3) for v in y[0].tolist()])

# %% [markdown]
# A kernel that *adds* to its output has the same problem. `autotune` has two arguments for such kernels. Each takes a list with the names of pointer parameters of the kernel. For those in `restore_value`, it copies the tensor and
# restores it after each run. For those in `reset_to_zero`, it
# fills the tensor with zeros before each run.

# %% [markdown]
# ## Your turn: 15.3
#
# Write `inplace_softmax(x)`. An autotuned tile kernel stores the softmax of each row in `x` itself, with `ROWS` rows for each
# program. `x` is M×N, float32. The elements of a row lie next to each other in memory; there may be gaps between rows.
# After tuning, kernels load and store each element once. PyTorch may be used only to copy. The function may return
# anything.
#
# Give it at least four configurations, with different `ROWS` and different `num_warps`. No program may be without rows. For rows
# of another length, it must time again. Without a GPU nothing can be timed: the check runs all configurations itself, and decides
# which of them is the fastest.

# %%
@triton.jit
def inplace_kernel(x_ptr, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Store the softmax of ROWS rows of x in x itself."""
    # Your tile kernel, with one pointer (about 7 lines).
    ### BEGIN SOLUTION
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    places = x_ptr + rows[:, None] * x_row_stride + cols[None, :]
    x = tl.load(places, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(places, numerator / tl.sum(numerator, axis=1)[:, None], mask=mask)
    ### END SOLUTION


# triton.autotune(<configurations, key and more>)(inplace_kernel) (about 4 lines). Or write it as a decorator above, and
# here `tuned_kernel = inplace_kernel`.
### BEGIN SOLUTION
tuned_kernel = triton.autotune(
    configs=[triton.Config({"ROWS": rows}, num_warps=warps) for rows in (1, 8) for warps in (1, 4)],
    key=["n_cols"], restore_value=["x_ptr"],
)(inplace_kernel)  # fmt: skip
### END SOLUTION


def inplace_softmax(x):
    """Store the softmax of each row of x (M×N, float32, no gaps inside a row) in x itself."""
    # The grid, and the launch (about 4 lines).
    ### BEGIN SOLUTION
    n_rows, n_cols = x.shape

    def grid(meta):
        return (triton.cdiv(n_rows, meta["ROWS"]),)

    tuned_kernel[grid](x, x.stride(0), n_rows, n_cols, BLOCK=triton.next_power_of_2(n_cols))
    ### END SOLUTION

# %%
check("15.3")

# %% [markdown]
# <details><summary>What tuning must not change</summary>
#
# **`restore_value`**: after every run, x holds the same numbers as before. *Otherwise* the first call returns a softmax of a
# softmax of a softmax. The second call is right, so such a mistake is hard to find.
#
# **The grid** is a function, because `ROWS` is known only at the launch.
#
# **`key=["n_cols"]`**: what is fast for rows of 24 need not be fast for rows of 600. With `n_rows` in it as well, every new
# number of rows would be timed.
#
# **BLOCK** is not tuned: it follows from the length of a row.
#
# *An honest aside*: the first call in every process takes seconds. That is why the shipped softmax has rules in place
# of trials, as in 15.2.
#
# </details>

# %% [markdown]
# With a GPU, this cell shows which configuration is the fastest here. Is it the one of your rule from 15.2?

# %% tags=["nbval-ignore-output"]
if where == "cuda":
    for m, n in ((65536, 64), (8192, 4096)):
        x = torch.randn(m, n, device=where)
        want = torch.softmax(x, dim=1)
        inplace_softmax(x)
        torch.testing.assert_close(x, want)
        print(f"{m}×{n}: {tuned_kernel.best_config}, and by 15.2 {configuration(n, 4)}")
else:
    print("no GPU here, so nothing was timed")

# %% [markdown]
# ## Your way
#
# From 1.1 to your last answer: what does each of your softmaxes move?

# %% tags=["nbval-ignore-output"]
own_way()

# %%
progress()

# %% [markdown]
# Five passes became one, and you know what each byte is for. To read next:
#
# - [the reference of `triton.autotune`](https://triton-lang.org/main/python-api/generated/triton.autotune.html), for all its
#   arguments;
# - [Nsight Compute's profiling guide](https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html), for each reason of
# a stall;
# - *Better performance at lower occupancy*, Volkov (2010), a talk at NVIDIA's GPU Technology Conference: why more warps need
#   not be better;
# - [the notes on the shipped kernel](../docs/notes_on_the_shipped_kernel.md): predictions for each kernel, and which of
# them failed.

# %% [markdown]
# **Next: [16 · Cross-entropy](16_cross_entropy.ipynb).** Until now, every cell gave you a beginning. Can you write a function
# for others from a specification alone?
