# %% [markdown]
# # 17 · Read a profile
#
# A profiler watches a kernel while it runs, and counts. NVIDIA's Nsight Compute has more than 2,000 counters for a single
# launch, and gives advice on top. Which of them do you read first, and which advice do you follow? Here you read eight
# recorded reports of kernels that you know, without knowing whose they are.
#
# *About 90 minutes. No GPU needed.*

# %%
from grader import check, hint, progress, trace
import torch

import triton
import triton.language as tl

# %% [markdown]
# ## Eight launches
#
# These kernels ran on an H200, under the profiler, on float32 matrices of about 2^26 elements each. Which of them are as
# fast as the copy, and which is the slowest? Make a guess for each.

# %% [markdown]
# | kernel (lesson) | what it does | matrix |
# |---|---|---|
# | `copy` (03) | copies | 16384×4096 |
# | `odd_rows` (05) | a softmax, one program for each row | 65536×1021 |
# | `spilled` (10) | the same, 4 warps for long rows | 2048×32768 |
# | `few_warps` (10) | the same, 132 programs of 4 warps | 65536×1024 |
# | `columns` (03) | a softmax of each column | 4096×16384 |
# | `conflicts` (12) | in CUDA: x minus its row's maximum, by a tree of neighbours | 65536×1024 |
# | `two_walks` (08) | the online softmax | 512×131072 |
# | `shipped` (14) | the softmax of `grader.fast` | 65536×1024 |

# %%
import json
from pathlib import Path

recorded = json.loads(Path("../records/profiles_on_h200.json").read_text())
versions = ", ".join(f"{name} {version}" for name, version in recorded["versions"].items())
print(f"{recorded['device']}, {recorded['date']}: {versions}")
print(recorded["command"])
for name in ("copy", "columns"):
    print("\n" + recorded["kernels"][name]["source"])

# %% [markdown]
# ## From your kernel to a counter
#
# A counter is no secret: it counts things that you can count, too. A **request** is one load or store of one warp, and memory
# answers in **sectors** of 32 bytes (lesson 03). How many sectors do the requests of these three rows of 61 numbers touch?

# %%
@triton.jit
def copy_row_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols)
    tl.store(y_ptr + row * row_stride + cols, x, mask=cols < n_cols)


x = torch.randn(3, 61)
trace(copy_row_kernel, torch.empty_like(x), x, 61, 61, BLOCK=64, grid=(3,), sectors=True)

# %% [markdown]
# ## Your turn: 17.1
#
# Predict the counter. The first lane of a request asks for the element at `address`, in bytes. The next lane asks for the
# element that lies `stride` elements further, and so on. With a stride of 0, all lanes ask for the same element. How
# many sectors does the request touch? Sectors begin at addresses that 32 divides, and no element lies in two of them.

# %%
def request_sectors(address, lanes, stride, itemsize):
    """Sectors of 32 bytes that one request touches; address and itemsize are in bytes, stride in elements."""
    # In which sector is the element of each lane? (about 2 lines)
    ### BEGIN SOLUTION
    places = [address + lane * stride * itemsize for lane in range(lanes)]
    return len({place // 32 for place in places})
    ### END SOLUTION

# %%
check("17.1")

# %% [markdown]
# <details><summary>Where a formula is wrong</summary>
#
# **Sectors at both ends**: 32 numbers of 4 bytes have 128 bytes. They fill four sectors if the first one begins where a
# sector begins. Otherwise they touch five.
#
# **Large strides**: if the elements lie more than a sector apart, the sectors between them are not touched. So the distance
# from the first to the last is no count.
#
# **A set** needs none of these cases: it holds each sector once.
#
# </details>

# %% [markdown]
# Now predict a counter of the profiler. `odd_rows` reads 65536 rows of 1021 numbers, and each row is 32 requests. 32 divides
# the bytes of 8 rows, so row 8 begins at the same place of a sector as row 0, and the counts of 8 rows repeat. `columns` reads
# numbers that lie 16384 apart. Here are your counts beside the profiler's:

# %%
LOADED = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
shown = {}
for launch in recorded["launches"]:
    shown.setdefault(launch["kernel"], launch)  # the first launch of each kernel


def row_sectors(row, n):
    """Sectors that the requests of one row of n float32 numbers touch, 32 numbers each."""
    begins = range(0, n, 32)
    return sum(request_sectors(4 * (row * n + begin), min(32, n - begin), 1, 4) for begin in begins)


predicted = {"odd_rows": 65536 // 8 * sum(row_sectors(row, 1021) for row in range(8))}
predicted["columns"] = 4096 * 16384 // 32 * request_sectors(0, 32, 16384, 4)
for name, mine in predicted.items():
    print(f"{name:8}  predicted {mine:,}, profiler {shown[name]['report'][LOADED]:,}")
    assert mine == shown[name]["report"][LOADED], 'what does check("17.1") say?'

# %% [markdown]
# Your prediction is right to the last sector. Now the copy, which moves as many numbers as `columns`: how many sectors does one of
# its requests touch, and why are these more than four?

# %%
for name in ("copy", "odd_rows", "columns"):
    report = shown[name]["report"]
    each = report[LOADED] / report[REQUESTS]
    print(f"{name!s:8}  {report[REQUESTS]:9,} requests, {report[LOADED]:10,} sectors: {each:5.2f} sectors a request")

# %% [markdown]
# <details><summary>Sixteen sectors, and nothing wrong</summary>
#
# **Wide loads**: in the copy, a thread loads four neighbouring numbers at once (lesson 10: `LDG.E.128`). So a request is 128
# numbers, or 512 bytes, or 16 sectors. All of these bytes are wanted.
#
# **Narrow loads**: where rows have an odd length, the compiler cannot prove that 16 divides the address of a row. So
# each thread loads one number at a time, and the kernel needs four times the requests.
#
# **So compare with the ideal**, not with four. The profiler does: `memory_l2_theoretical_sectors_global` counts the
# sectors of all loads and stores, and the same name with `_ideal` those that would hold the same bytes.
#
# *An honest aside*: the counter of stores (`op_st`) is a little larger than your prediction for `odd_rows`.
#
# </details>

# %% [markdown]
# ## Eight reports
#
# Here they are, without names, in the order of their times. As text, a report has about 200 lines. E begins so:

# %%
TIME = "gpu__time_duration.sum"
DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
by_time = sorted(shown.values(), key=lambda launch: launch["report"][TIME])
reports = {letter: launch["report"] for letter, launch in zip("ABCDEFGH", by_time)}
print(recorded["kernels"][by_time[4]["kernel"]]["details"].split("    Section: GPU Speed Of Light Roofline")[0])

# %% [markdown]
# With `--page raw`, `ncu` gives the numbers alone. Here are some of them for all eight, with the names that `ncu` has for
# them. Which letters are as fast as a copy? Which do not keep memory busy?

# %%
def number(value):
    """A number of a report in at most seven characters."""
    return f"{value / 1e6:.1f}M" if value >= 1e6 else f"{value:g}"


print(f"{'':4}" + "".join(f"{letter:>8}" for letter in reports))
for name in reports["A"]:
    print(f"{name}\n{'':4}" + "".join(f"{number(report[name]):>8}" for report in reports.values()))

# %% [markdown]
# | part of a name | what it means |
# |---|---|
# | `gpu__time_duration` | the time, in nanoseconds |
# | `dram__` | between memory (also called DRAM) and the L2 cache, in bytes |
# | `l1tex__` | what the warps ask of the L1 cache; `ld`, `st`: loads, stores |
# | `pct_of_peak` | percent of what the unit can do at best |
# | `warps_active` | the occupancy: resident warps, in percent of those that fit |
# | `register_spilling` | instructions that move registers to memory and back |
# | `wavefronts_shared` | turns of shared memory: one for a request without bank conflict |
# | `_ideal`, `_excessive` | what would be enough, and what is beyond it |

# %%
import matplotlib.pyplot as plt

plt.rcParams["font.size"] = 11
figure, (busy, slow) = plt.subplots(1, 2, figsize=(7, 3), dpi=110, layout="constrained")
copied = shown["copy"]["report"][TIME]
for letter, report in reports.items():
    busy.bar(letter, report[DRAM], color="#4477aa", edgecolor="black", label=letter)
    slow.bar(letter, report[TIME] / copied, color="#eecc66", edgecolor="black", label=letter)
busy.set_ylabel("memory busy, % of its peak")
busy.set_ylim(0, 100)
slow.set_ylabel("time, in times of the copy")
for axes in (busy, slow):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# In words: memory is more than two thirds busy in A to E, and less than a third in F, G and H. A to C take as long as the
# copy, and H takes eleven times as long. So there are three groups:
#
# - **Busy, and fast**: nothing is left to gain.
# - **Busy, and slow**: memory moves bytes that it need not move. Which ones?
# - **Not busy**: something else is slow, and memory waits for it. What is it?

# %%
assert all(reports[letter][DRAM] > 67 for letter in "ABCDE") and all(reports[letter][DRAM] < 33 for letter in "FGH")
assert round(reports["H"][TIME] / copied) == 11
assert all(reports[letter][TIME] < 1.01 * copied for letter in "ABC")
for letter in "DE":
    read, written = (reports[letter][f"dram__bytes_{way}.sum"] for way in ("read", "write"))
    print(f"{letter}: {read / 1e6:.0f} MB read and {written / 1e6:.0f} MB written; a copy: 268 MB each")

# %% [markdown]
# <details><summary>Fewer bytes written than the matrix has?</summary>
#
# The last bytes of the result stay in the L2 cache. They are written to memory later, when the launch has ended.
# So a copy shows a few percent less than it wrote.
#
# </details>

# %% [markdown]
# ## Your turn: 17.2
#
# Which is the limit of a launch? Write the function that answers with one of these six names:

# %% [markdown]
# | answer | the launch |
# |---|---|
# | `"copy limit"` | keeps memory as busy as a copy does, and moves no more than it must |
# | `"reads twice"` | keeps memory busy, and memory delivers each number about twice |
# | `"spills"` | has more values than registers |
# | `"uncoalesced"` | has requests that touch many times the ideal sectors, and is slow for that |
# | `"bank conflicts"` | has shared memory that takes many times the ideal turns |
# | `"too few warps"` | has few warps on each multiprocessor, and none of the other reasons |

# %% [markdown]
# - A report is a dictionary `{metric: number}`, as in the table above. Your function is tried on other launches, too: matrices
#   with more or fewer rows, and rows of other lengths.
# - A kernel that spills has few warps as well, since a thread has so many registers. Name the cause, not what follows from it.
# - Counters grow with the matrix. What does not?

# %%
def limits(report):
    """The limit of a launch, one of the six names; report: {metric: number}."""
    # Begin with what is never there in a healthy launch. Thresholds need not be exact (about 10 lines).
    ### BEGIN SOLUTION
    if report["sass__inst_executed_register_spilling"] > 0:
        return "spills"
    if report["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"] > 50:
        twice = report["dram__bytes_read.sum"] > 1.5 * report["dram__bytes_write.sum"]
        return "reads twice" if twice else "copy limit"
    if report["memory_l2_theoretical_sectors_global"] > 2 * report["memory_l2_theoretical_sectors_global_ideal"]:
        return "uncoalesced"
    if report["memory_l1_wavefronts_shared"] > 2 * report["memory_l1_wavefronts_shared_ideal"]:
        return "bank conflicts"
    return "too few warps"
    ### END SOLUTION

# %%
check("17.2")

# %% [markdown]
# And whose report is it? Say it for each letter before you look.

# %%
for letter, launch in zip(reports, by_time):
    print(f"{letter}  {limits(launch['report']):15} {launch['kernel']!s}")
odd, walks = shown["odd_rows"]["report"], shown["two_walks"]["report"]
assert 1.2 < odd["memory_l2_theoretical_sectors_global"] / odd["memory_l2_theoretical_sectors_global_ideal"] < 1.25
assert walks["sm__warps_active.avg.pct_of_peak_sustained_active"] < 50
last = {launch["kernel"]: launch for launch in recorded["launches"]}["spilled"]
assert (last["n"], last["report"]["launch__registers_per_thread"]) == (50304, 32)

# %% [markdown]
# <details><summary>Signs that are no causes</summary>
#
# **Excessive sectors** of `odd_rows`: each row begins somewhere in a sector, so its requests touch a fifth more sectors than the
# ideal. But the fifth sector of one request is the first one of the next, and a cache has it. Memory delivers each byte
# once, as fast as for the copy.
#
# **Few resident warps** of `two_walks`: fewer than half of those that fit, and memory is as busy as with a copy. Occupancy is a
# means (lesson 10).
#
# **Twice the loads** of `conflicts`: it reads each row twice, but the second time from the L1 cache. The counters of `dram__`
# tell.
#
# **255 registers** are a sign of spills, not the only one: `spilled` was also launched for rows of 50304. There the compiler
# keeps 32 registers, and nearly all of the row is spilled.
#
# *An honest aside*: one recorded launch of `two_walks` has so few programs that memory is less busy than in a copy. It has two
# limits, and no name is quite right. The check leaves it out.
#
# </details>

# %% [markdown]
# ## Which line?
#
# The profiler also samples: again and again it notes where a warp stands, and why it waits. And it counts sectors and
# wavefronts for each instruction. The record has the sums for each line of the kernel. Here is the page of `columns`. Which
# line has the most samples, and which one is to blame?

# %%
SAMPLES = "# Samples"
SECTORS, IDEAL = "L2 Theoretical Sectors Global", "L2 Theoretical Sectors Global Ideal"


def show_page(page, *columns):
    """Print the lines of a source page, and below each of them some of its columns."""
    for row in page:
        print(f"{row['line']:3}  {row['text']}")
        print("\n".join(f"{'':12}{name}: {row[name]:,}" for name in columns if row[name]))


show_page(recorded["kernels"]["columns"]["lines"], SAMPLES, SECTORS, IDEAL)

# %% [markdown]
# A load only asks. The warp waits where it needs the number: in line 7, at the maximum. So a line with many samples shows
# who *waits*. The line to blame is where the sectors are.

# %% [markdown]
# ## Your turn: 17.3
#
# The function gets a page, which is a list of such rows, and the limit of its launch: `"uncoalesced"`, `"bank conflicts"`
# or `"spills"`. It returns the number of the line with the largest excess. For each limit, other columns count:

# %%
print(*recorded["kernels"]["spilled"]["lines"][0], sep="\n")

# %% [markdown]
# - Registers are spilled to **local** memory, which is the thread's part of memory. Without spills there would be no
#   sectors of it at all.
# - If two lines have the same excess, either is right.

# %%
def culprit(page, limit):
    """Number of the line with the largest excess; page: rows of a source page, limit: one of three names."""
    # Which columns belong to this limit? The excess of a row is a difference (about 8 lines).
    ### BEGIN SOLUTION
    def excess(row):
        if limit == "uncoalesced":
            return row["L2 Theoretical Sectors Global"] - row["L2 Theoretical Sectors Global Ideal"]
        if limit == "bank conflicts":
            return row["L1 Wavefronts Shared"] - row["L1 Wavefronts Shared Ideal"]
        return row["L2 Theoretical Sectors Local"]

    return max(page, key=excess)["line"]
    ### END SOLUTION

# %%
check("17.3")

# %%
for name, limit in (("columns", "uncoalesced"), ("conflicts", "bank conflicts"), ("spilled", "spills")):
    page = recorded["kernels"][name]["lines"]
    line = culprit(page, limit)
    waits = max(page, key=lambda row: row[SAMPLES])["line"]
    text = recorded["kernels"][name]["source"].split("\n")[line - 1].strip()
    print(f"{name:10} line {line:2}: {text}\n{'':10} most samples: line {waits}")
assert shown["spilled"]["n"] // (4 * 32) == 256 and shown["spilled"]["report"]["launch__registers_per_thread"] == 255

# %% [markdown]
# <details><summary>What to change in these lines</summary>
#
# **`columns`**: the load and the store have the same excess. Neighbouring lanes should have neighbouring addresses: a tile of several
# columns, as in lesson 10.
#
# **`conflicts`**: in a step of size s, neighbouring threads ask for places that are 2·s apart. The tree of halves in lesson 12
# has no conflicts.
#
# **`spilled`**: no line is wrong. A thread has 256 numbers of its row, and 255 registers at most. The spills are where the most
# numbers are alive: the whole row and its exponentials. More warps give each thread fewer numbers.
#
# *An honest aside*: the compiler moves and merges instructions, so the line of an instruction is where *most* of it comes
# from.
#
# </details>

# %% [markdown]
# ## What the profiler advises
#
# The text of a report has advice, with an estimate. This one is about a copy. Would you follow it?

# %%
import re
import textwrap


def advice(kernel):
    """[(kind of the estimate, percent, text)] of the advice in a report."""
    text = re.sub(r"\s+", " ", recorded["kernels"][kernel]["details"])
    found = re.findall(r"OPT Est\. (Local )?Speedup: ([\d.]+)% (.*?\.) ", text)
    return [(local.strip() or "of all", float(percent), what) for local, percent, what in found]


for kind, percent, what in advice("copy"):
    print(f"{percent:5.1f} % {kind:6}  {textwrap.shorten(what, 80)}")

# %% [markdown]
# **Est. Speedup** is the part of the launch's time that the advice could save. *Local* means: of one unit, looked at alone. The
# first line is about the arithmetic units, and nearly all of them are idle. A copy has no arithmetic, so that is as it should
# be. No rule asks what a launch has to move at least.

# %% [markdown]
# ## Your turn: 17.4
#
# So ask it yourself. How many times as fast could a launch be at best? It must move `least_bytes`, and a copy moves
# `copy_rate` bytes in a second. Both count what is read and what is written. A launch that is as fast as that, or faster,
# has nothing to win: 1.0.

# %%
def headroom(report, least_bytes, copy_rate):
    """How many times as fast the launch would be at the speed of a copy, at least 1.0; copy_rate in bytes per second."""
    # Which time does the launch take, which would be enough, and in which unit is each? (about 2 lines)
    ### BEGIN SOLUTION
    enough = least_bytes / copy_rate
    return max(1.0, report["gpu__time_duration.sum"] * 1e-9 / enough)
    ### END SOLUTION

# %%
check("17.4")

# %% [markdown]
# Now put your number beside the profiler's. Its best advice about the whole launch promises to save some percent of the time:
# 50 % would be 2 times as fast. For which kernels would you believe it?

# %%
copy_rate = 8 * 16384 * 4096 / (copied * 1e-9)
print(f"a copy: {copy_rate / 1e12:.2f} TB/s\n\n{'kernel':10} {'at best':>8} {'promised':>9}   by the advice")
for name, launch in sorted(shown.items(), key=lambda pair: pair[1]["report"][TIME]):
    best = headroom(launch["report"], 8 * launch["m"] * launch["n"], copy_rate)
    percent, what = max((percent, what) for kind, percent, what in advice(name) if kind == "of all")
    print(f"{name!s:10} {best:8.2f} {1 / (1 - percent / 100):9.2f}   {textwrap.shorten(what, 66)}")
    assert (best < 1.02) == (name in ("copy", "odd_rows", "shipped")), 'what does check("17.4") say?'
    right = name in ("columns", "conflicts", "few_warps")
    assert percent > 25 and (not right or 0.67 < best * (1 - percent / 100) < 1.5)

# %% [markdown]
# <details><summary>When to believe it</summary>
#
# **Right**: for `columns`, `conflicts` and `few_warps`, the best advice names the cause, and its estimate is of the right size.
#
# **Wrong**: for `copy`, `odd_rows` and `shipped`, more than a quarter of the time is promised, and there is nothing to save. The
# advice is to let the hardware compress the numbers, and these do not compress.
#
# **Beside the point**: for `two_walks` the advice is the same. The kernel moves each byte as well as it can, so no counter
# complains. You know that a softmax need not read a number twice; the profiler does not. And for `spilled`, the
# advice is about the access pattern of local memory. The question is why there is any.
#
# **So the order is**: first your own count of the least bytes, then the time, then the report.
#
# *An honest aside*: to reach the limit, `two_walks` would have to keep a row of 131072 numbers on the chip.
#
# </details>

# %% [markdown]
# ## Your own kernel
#
# On a machine with a GPU and Nsight Compute, the next cell profiles the kernel in `OWN`: put one of yours in its place. Where one of
# them is missing, it says so. On some machines only administrators may read the counters. Then `ncu` answers
# [`ERR_NVGPUCTRPERM`](https://developer.nvidia.com/ERR_NVGPUCTRPERM).

# %%
OWN = """
import torch, triton
import triton.language as tl

@triton.jit
def kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * n_cols + tl.arange(0, BLOCK)
    mask = tl.arange(0, BLOCK) < n_cols
    x = tl.load(x_ptr + at, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + at, e / tl.sum(e, axis=0), mask=mask)

x = torch.randn(65536, 1024, device="cuda")
kernel[(65536,)](torch.empty_like(x), x, 1024, BLOCK=1024)
"""
command = "ncu --set full -k kernel --page raw --csv --print-units base".split()

# %% tags=["nbval-ignore-output"]
import csv
import shutil
import subprocess
import sys

if torch.cuda.is_available() and shutil.which("ncu"):
    Path("own_kernel.py").write_text(OWN)
    done = subprocess.run([*command, sys.executable, "own_kernel.py"], capture_output=True, text=True)
    table = list(csv.reader(line for line in done.stdout.splitlines() if line.startswith('"')))
    if len(table) < 3:
        print(f"ncu says: {(done.stdout + done.stderr)[-600:]}")
    else:
        own = dict(zip(table[0], table[-1]))
        own = {name: float(own[name].replace(",", "")) for name in reports["A"]}
        print(f"{limits(own)}, {own[TIME] / 1e3:.1f} µs, memory {own[DRAM]:.0f} % busy")
else:
    print("No GPU with Nsight Compute here: the record above is what there is to read.")

# %% [markdown]
# ## What to read
#
# - What the counters mean: the [Profiling Guide of Nsight
#   Compute](https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html), the chapters *Metrics Guide* and *Metrics
#   Reference*.
# - The options of `ncu`: [Nsight Compute CLI](https://docs.nvidia.com/nsight-compute/NsightComputeCli/index.html).
# - What an estimate is a part of: the [NvRules API](https://docs.nvidia.com/nsight-compute/NvRulesAPI/index.html),
#   `SpeedupType_GLOBAL` and `SpeedupType_LOCAL`.

# %%
progress()

# %% [markdown]
# **This is the end of the course.** You began with five passes over a matrix. You end with a function of your own, its
# budget and its test, and with the three questions for every profile: what must move, how long did it take, and what was
# it waiting for?
#
# [Where next](../docs/where_next.md) has the softmax of lesson 05 in five other languages, and says what of this course they leave to
# you.
